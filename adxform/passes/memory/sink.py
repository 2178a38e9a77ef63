"""A store that ends both branches of an `If` follows them, so that what it overwrites is recorded once."""

from __future__ import annotations

from dataclasses import replace

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Var
from adxform.ir.types import Scalar, Type
from adxform.ir.walk import Names, outs, variables
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.memory import STORES


def sink_stores(fn: Function) -> Function:
    """Move the same store of a number at the end of both branches behind the `If`.

    >>> from adxform.ir.text import read, show
    >>> print(show(sink_stores(read('''
    ... def f(x: f64[x.0], i: int, c: bool, v: f64, w: f64):
    ...     if c:
    ...         operator.setitem(x, i, v)
    ...     else:
    ...         operator.setitem(x, i, w)
    ...     return x'''))))
    def f(x: f64[x.0], i: int, c: bool, v: f64, w: f64):
        v.1: f64 = if c:
            yield v
        else:
            yield w
        operator.setitem(x, i, v.1)
        return x
    """
    return each_body(fn, lambda part: _Sinking(Names.of(part)).block(part.body))


class _Sinking(Rewriter):
    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names

    def visit(self, op: Op, ops: list[Op]) -> None:
        op = self.descend(op)
        after: list[Op] = []
        while isinstance(op, If) and (sunk := self.sink(op)) is not None:
            op, store = sunk
            after.append(store)
        ops += [op, *reversed(after)]

    def sink(self, op: If) -> tuple[If, Call] | None:
        """`op` without the common last store of its branches, and that store."""
        if not op.then.ops or not op.orelse.ops:
            return None
        a, b = op.then.ops[-1], op.orelse.ops[-1]
        if (
            not isinstance(a, Call)
            or not isinstance(b, Call)
            or callee(a) not in STORES
            or a.fn != b.fn
            or a.args[:2] != b.args[:2]
        ):
            return None
        inside = {out.name for block in (op.then, op.orelse) for inner in block.ops for out in outs(inner)}
        type_ = _common_type(a.args[2], b.args[2])
        if type_ is None or any(var.name in inside for operand in a.args[:2] for var in variables(operand)):
            return None
        hint = next((value.name for value in (a.args[2], b.args[2]) if isinstance(value, Var)), "tmp")
        out = Var(self.names.fresh(hint), type_)
        then = Block((), op.then.ops[:-1], (*op.then.results, a.args[2]))
        orelse = Block((), op.orelse.ops[:-1], (*op.orelse.results, b.args[2]))
        return replace(op, outs=(*op.outs, out), then=then, orelse=orelse), replace(a, args=(*a.args[:2], out))


def _common_type(a: Operand, b: Operand) -> Type | None:
    """The type of two numbers, where it is one."""
    types = {value.type for value in (a, b) if isinstance(value, Var)}
    if len(types) != 1:
        return None
    (type_,) = types
    literals = [value.value for value in (a, b) if isinstance(value, Lit)]
    known = all(isinstance(value, Var | Lit) for value in (a, b)) and all(type(value) is float for value in literals)
    fits = isinstance(type_, Scalar) and (not literals or type_.dtype == "float64")
    return type_ if known and fits else None
