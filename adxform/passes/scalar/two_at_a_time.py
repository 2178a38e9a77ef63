"""The least and greatest of several numbers, two at a time: compiled code compares two, and Python takes them one by one too."""

from __future__ import annotations

from dataclasses import replace

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Op, Operand, Var
from adxform.ir.types import Scalar
from adxform.ir.walk import Names, contents
from adxform.passes.scalar.rewriting import Rewriter, each_body

EXTREMES = frozenset({min, max})


def compare_pairs(fn: Function) -> Function:
    """`fn` with ``min(min(a, b), c)`` for ``min(a, b, c)`` of numbers of one type; so with ``max``.

    >>> from adxform.ir.text import read, show
    >>> print(show(compare_pairs(read('''
    ... def f(a: float, b: float, c: float):
    ...     y: float = builtins.min(a, b, c)
    ...     return y'''))))
    def f(a: float, b: float, c: float):
        y.1: float = builtins.min(a, b)
        y: float = builtins.min(y.1, c)
        return y
    """
    if contents(fn).isdisjoint(EXTREMES):
        return fn
    return each_body(fn, lambda part: _Pairing(part).block(part.body))


class _Pairing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.names = Names.of(fn)

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, or what compares its numbers two at a time."""
        if not (isinstance(op, Call) and callee(op) in EXTREMES and len(op.args) > 2 and len(op.outs) == 1 and not op.kwargs):
            ops.append(self.descend(op))
            return
        (out,), type_ = op.outs, op.outs[0].type
        if not (isinstance(type_, Scalar) and all(isinstance(arg, Var) and arg.type == type_ for arg in op.args)):
            ops.append(op)
            return
        so_far: Operand = op.args[0]
        for arg in op.args[1:-1]:
            found = Var(self.names.fresh(out.base), type_)
            ops.append(replace(op, outs=(found,), args=(so_far, arg)))
            so_far = found
        ops.append(replace(op, args=(so_far, op.args[-1])))
