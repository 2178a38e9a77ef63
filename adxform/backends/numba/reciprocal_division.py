"""Divisions of what each iteration of a loop computes by what no iteration changes: the reciprocal is taken once."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from dataclasses import replace

from adxform.backends.numba.vector_math import DIVIDED
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import all_ops, blocks, defined_variables, map_op, outs, reads_with_blocks, variables_of
from adxform.primitives.memory import STORES
from adxform.primitives.table import spelled


def divide_by_reciprocals(kernel: Function) -> Function:
    """`kernel` with the divisions of innermost loops by one number as products with its reciprocal, corrected: see `divided`.

    Not where an iteration waits for the one before, as in a recurrence: a division takes no longer there.

    >>> from adxform.ir.text import read, show
    >>> print(show(divide_by_reciprocals(read('''
    ... def f(x: f64[x.0], n: int, s: f64):
    ...     for i: int in range(0, n, 1):
    ...         v: f64 = operator.getitem(x, i)
    ...         u: f64 = operator.truediv(v, s)
    ...         operator.setitem(x, i, u)
    ...     return x'''))))
    def f(x: f64[x.0], n: int, s: f64):
        for i: int in range(0, n, 1):
            v: f64 = operator.getitem(x, i)
            u: f64 = adxform.backends.numba.vector_math.quotients.divided(v, s)
            operator.setitem(x, i, u)
        return x
    """
    return replace(kernel, body=_outside(kernel.body))


def _outside(block: Block) -> Block:
    """`block` with what is innermost in it changed."""
    return replace(block, ops=tuple([_inside(op) if _is_innermost(op) else map_op(op, _same, _outside) for op in block.ops]))


def _inside(loop: Op) -> Op:
    """`loop`, an innermost one, with its divisions by one number."""
    assert isinstance(loop, For)
    own = frozenset(defined_variables(loop.body))
    side_by_side = own - _waiting(loop)

    def visit(op: Op) -> Op:
        match op:
            case Call(args=(Var(type=Scalar("float64")) as x, divisor)) if (
                spelled(callee(op)) is operator.truediv and x in side_by_side
            ):
                once = own.isdisjoint(variables_of((divisor,))) and not _is_power_of_two(divisor)
                return replace(op, fn=Lit(DIVIDED.load())) if once else op
            case _:
                return map_op(op, _same, body)

    def body(block: Block) -> Block:
        return replace(block, ops=tuple(map(visit, block.ops)))

    return map_op(loop, _same, body)


def _waiting(loop: For) -> frozenset[Var]:
    """The variables of `loop` that depend on what iterations before left: in numbers, or at other places of arrays."""
    every = [*all_ops(loop.body)]
    places: dict[Operand, set[Operand]] = defaultdict(set)
    for op in every:
        if isinstance(op, Call) and (callee(op) in STORES or callee(op) is operator.getitem):
            places[op.args[0]].add(op.args[1])
    stored = {op.args[0] for op in every if isinstance(op, Call) and callee(op) in STORES}
    handed_on = {array for array in stored if len(places[array]) > 1}
    found = {*loop.body.params[1:], *(array for array in handed_on if isinstance(array, Var))}
    count = -1
    while count < len(found):
        count = len(found)
        for op in every:
            given = (*reads_with_blocks(op), *(var for block in blocks(op) for var in variables_of(block.results)))
            if not found.isdisjoint(given):
                found.update(outs(op))
    return frozenset(found)


def _is_innermost(op: Op) -> bool:
    return isinstance(op, For) and not any(isinstance(inner, For | While) for inner in all_ops(op.body))


def _is_power_of_two(divisor: Operand) -> bool:
    """Whether the reciprocal is exact, which the compiler knows."""
    return isinstance(divisor, Lit) and abs(math.frexp(divisor.value)[0]) == 0.5


def _same(operand: Operand) -> Operand:
    return operand
