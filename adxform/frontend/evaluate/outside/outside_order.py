"""What may raise ahead of a change outside of the function stays ahead of it, whoever reads what it computes.

A derivative drops what none of its results needs: a quotient that nobody reads, and the error that it raises. Where something
outside is changed afterwards, a plain call would not have come to that.

    a = operator.truediv(1.0, t)            a = operator.truediv(1.0, t)
    runtime.set_outside(model, 'n', 1)      runtime.computed(a)
                                            runtime.set_outside(model, 'n', 1)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.unseen_code import OUTSIDE, changes_outside
from adxform.ir.operand_facts import with_inner, yielded
from adxform.ir.ops import UNDEFINED, Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, Raise, Var, While
from adxform.ir.types import Array, Scalar, is_inexact
from adxform.ir.walk import all_ops, blocks, defined_variables, map_op, outs, reads, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.comparisons import OF_ANY_ARRAY
from adxform.primitives.effects import effect_of, is_opaque, writes
from adxform.primitives.table import record_of

COMPUTED = Lit(runtime.computed)
_WRITTEN = Lit(runtime.written_outside)


def kept_ahead(function: Function) -> Function:
    """`function`, of which what may raise ahead of a change outside is computed ahead of it."""
    changes = list(changes_outside(function))
    if not changes:
        return function
    classes = alias_classes(function)
    written = {class_ for op in changes if op.fn == _WRITTEN for class_ in classes.classes(op.args)}
    return replace(function, body=_Ordering(classes, written, _unset(function.body)).block(function.body, False))


def _unset(body: Block) -> frozenset[Var]:
    """The variables that a path may leave without a value."""
    found: set[Operand] = {UNDEFINED}
    count = 0
    while count < len(found):  # what loops carry comes from below
        count = len(found)
        for op in all_ops(body):
            match op:
                case If():
                    ends = zip(op.outs, op.then.results, op.orelse.results, strict=False)
                    found.update(out for out, *results in ends if not found.isdisjoint(results))
                case For() | While():
                    inner = op.body.params[1:] if isinstance(op, For) else op.body.params
                    ends_ = op.body.results[1:] if isinstance(op, For) and op.breaks else op.body.results
                    carried = zip(op.outs, inner, op.inits, ends_, strict=False)
                    for out, param, *values in carried:
                        found.update((out, param) if not found.isdisjoint(values) else ())
                case _:
                    pass
    return frozenset(one for one in found if isinstance(one, Var))


@dataclass(frozen=True, slots=True)
class _Ordering:
    """`written` are the classes of arrays outside that are written to; a path may leave those `unset` without a value."""

    classes: Aliases
    written: set[int]
    unset: frozenset[Var]

    def acts(self, op: Op) -> bool:
        """Whether `op`, in its blocks too, does something that may be seen outside."""
        stores = bool(self.written) and not self.written.isdisjoint(self.classes.classes(writes(op)))
        calls = [one for one in with_inner(op) if isinstance(one, Call) and is_opaque(one)]
        return stores or any(not one.outs or (isinstance(one.fn, Lit) and one.fn.value in OUTSIDE) for one in calls)

    def block(self, block: Block, follows: bool) -> Block:
        """`block`, with it said what is computed ahead of what acts in it, or `follows` it."""
        acting = [number for number, op in enumerate(block.ops) if self.acts(op)]
        if not acting and not follows:
            return block
        end = len(block.ops) - 1 if follows else acting[-1]
        ops: list[Op] = []
        waiting: dict[Var, None] = {}
        for number, op in enumerate(block.ops[: end + 1]):
            if number in acting:
                ops += _computed(waiting, op)
                waiting = {}
                ops.append(self.inside(op, follows or number < end))
            else:
                ops.append(self.with_unread(op))
                waiting.update(dict.fromkeys(var for var in _left_by(op) if var not in self.unset))
        if waiting:
            ops.append(Call((), COMPUTED, tuple(waiting), (), block.ops[end].span))
        return replace(block, ops=(*ops, *block.ops[end + 1 :]))

    def inside(self, op: Op, follows: bool) -> Op:
        """`op` with it said in its blocks, too; after an iteration of a loop comes the next."""
        if isinstance(op, Call):
            return op
        return map_op(op, _itself, lambda inner: self.block(inner, follows or isinstance(op, For | While)))

    def with_unread(self, op: Op) -> Op:
        """`op`, in whose blocks nobody reads what may raise, or only such as nobody reads in turn: each says that it is computed.

        What gives a result that a path may leave without a value says so there.
        """
        if not blocks(op) or not any(map(_may_raise, with_inner(op))):
            return op
        unset = {place for place, out in enumerate(op.outs) if out in self.unset} if isinstance(op, If) else set()
        return map_op(op, _itself, lambda block: self.with_unread_inside(block, unset))

    def with_unread_inside(self, block: Block, unset: set[int]) -> Block:
        """`block`, of which the results at places in `unset` may not be read."""
        read = {var.name for var in variables_of([one for place, one in enumerate(block.results) if place not in unset])}
        ops: list[Op] = []
        for op in reversed(block.ops):
            inner = self.with_unread(op)
            unread = isinstance(op, Call) and bool(op.outs) and not any(out.name in read for out in op.outs)
            if unread and _may_raise(op):
                ops.append(Call((), COMPUTED, outs(op), (), op.span))
            if not unread or _may_raise(op):
                read.update(var.name for one in with_inner(op) for var in (*reads(one), *yielded(one)))
            ops.append(inner)
        return replace(block, ops=tuple(reversed(ops)))


def _computed(waiting: Iterable[Var], op: Op) -> list[Op]:
    found = tuple(var for var in waiting if not isinstance(op, Call) or var not in reads(op))
    return [Call((), COMPUTED, found, (), op.span)] if found else []


def _left_by(op: Op) -> Iterator[Var]:
    """What `op` makes and writes to, if it may raise: computed, it shows that `op` was done."""
    if any(_may_raise(one) for one in with_inner(op)):
        inside = {var for inner in blocks(op) for var in defined_variables(inner)}
        yield from (*outs(op), *(var for var in writes(op) if var not in inside))


def _may_raise(op: Op) -> bool:
    """Whether `op` itself may raise an error where its operands are such, and would be dropped where nobody reads it."""
    match op:
        case If() | For() | While() | Raise() | Invoke():
            return False
        case Call(fn=Lit(fn)) if not is_opaque(op):
            if effect_of(op).raises or (op.outs and not effect_of(op).reads and record_of(fn).fresh is None):
                return False
            return _raises_for_some(fn, (*op.args, *(value for _, value in op.kwargs)))
        case _:
            return False


def _raises_for_some(fn: Any, operands: tuple[Operand, ...]) -> bool:
    """Whether there are values for which a call of `fn` on such `operands` raises."""
    record = record_of(fn)
    if (fn in OF_ANY_ARRAY and len(operands) == 1) or (fn is operator.getitem and _is_slice(operands)):
        return False
    if fn is float and all(isinstance(one, Var) and isinstance(one.type, Scalar) for one in operands):
        return False
    if getattr(fn, "__module__", "") in ("math", "cmath") or all(map(_is_python_number, operands)):
        return not (record.safe or record.total)
    return not (record.elementwise or record.broadcasts) or _is_whole(operands) or not _alike(operands)


def _is_slice(operands: tuple[Operand, ...]) -> bool:
    """Whether what is asked for is a part of an array, as long as that may be."""
    of, index = operands
    is_slice = isinstance(index, Pack) and index.kind == "slice" and index.items[2] in (Lit(None), Lit(1), Lit(-1))
    return isinstance(of, Var) and isinstance(of.type, Array) and is_slice


def _is_python_number(operand: Operand) -> bool:
    if isinstance(operand, Lit):
        return type(operand.value) in (bool, int, float)
    return isinstance(operand, Var) and isinstance(operand.type, Scalar) and operand.type.weak


def _is_whole(operands: Iterable[Operand]) -> bool:
    """Whether all are whole numbers, of which NumPy raises some powers."""
    return not any(isinstance(one, Var) and is_inexact(one.type) for one in operands)


def _alike(operands: Iterable[Operand]) -> bool:
    """Whether arrays among `operands` have one shape."""
    shapes = {one.type.shape for one in operands if isinstance(one, Var) and isinstance(one.type, Array)}
    return (
        len(shapes) < 2
        and None not in shapes
        and not any(isinstance(one, Lit) and isinstance(one.value, np.ndarray) for one in operands)
    )


def _itself(operand: Operand) -> Operand:
    return operand
