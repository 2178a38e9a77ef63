"""Which value a function with a definition gets, once nothing more is differentiated: its own, or that of the definition.

The front end writes ``own`` calls beside the statements of a definition, and ``valued`` for what has the value of the one and the
derivative of the other (`frontend.calls.own_values`). Python runs the function itself; kernels take the definition, where it
differs by no more than rounding, so that it becomes loops.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.ops import Call, Function, Lit, Op, Operand
from adxform.ir.walk import all_ops
from adxform.passes.scalar.rewriting import Rewriter, callee, each_body
from adxform.primitives.definitions import IN_KERNELS, OWN_VALUES

UNSETTLED = (intrinsics.own, intrinsics.valued)


def has_values(fn: Function) -> bool:
    """Whether a value of `fn` is still to be chosen."""
    parts = (fn, *fn.helpers)
    return any(isinstance(op, Call) and callee(op) in UNSETTLED for part in parts for op in all_ops(part.body))


def own_values(fn: Function) -> Function:
    """`fn` with the own value of every function.

    >>> from adxform.ir.text import read, show
    >>> print(show(own_values(read('''
    ... def f(x: f64[3]):
    ...     a: f64 = intrinsics.own(np.median, x)
    ...     b: f64 = np.mean(x)
    ...     y: f64 = intrinsics.valued(a, b)
    ...     return y'''))))
    def f(x: f64[3]):
        a: f64 = np.median(x)
        b: f64 = np.mean(x)
        return a
    """
    return each_body(fn, lambda part: _Choosing(frozenset()).block(part.body)) if has_values(fn) else fn


def kernel_values(fn: Function) -> Function:
    """`fn` with the values of definitions where kernels take these, and the own values of all other functions."""
    return each_body(fn, lambda part: _Choosing(IN_KERNELS).block(part.body)) if has_values(fn) else fn


def defined_values(fn: Function) -> Function:
    """`fn` with the values of definitions wherever something moves: it depends on its parameters as `fn` does."""
    return each_body(fn, lambda part: _Choosing(OWN_VALUES).block(part.body)) if has_values(fn) else fn


class _Choosing(Rewriter):
    def __init__(self, by_definition: Container[object]) -> None:
        super().__init__()
        self.by_definition = by_definition
        self.defined: set[Operand] = set()

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not isinstance(op, Call):
            ops.append(self.descend(op))
        elif callee(op) is intrinsics.own:
            fn, *args = op.args
            ops.append(replace(op, fn=fn, args=tuple(args)))
            if isinstance(fn, Lit) and fn.value in self.by_definition:
                self.defined.update(op.outs)
        elif callee(op) is intrinsics.valued:
            value, movement = op.args
            (out,) = op.outs
            self.known[out.name] = movement if value in self.defined else value
        else:
            ops.append(op)
            if op.args and op.args[0] in self.defined:
                self.defined.update(op.outs)  # an item of several results
