"""Arrays that some paths do not make, where kernels take them: an empty array stands for what is not there.

None, which Python has for it, is of another type: Numba would compile the kernel for it, and cannot where it looks at the array.
A kernel asks `scalars.is_made` before it reads what may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Block, Call, For, If, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import Array
from adxform.ir.walk import Names, all_ops, map_op
from adxform.opt.rewriting import callee

ABSENT = (UNDEFINED, Lit(None))
"""What a variable of an array is on a path that does not make one."""


def absent_arrays(body: Block) -> Mapping[str, frozenset[int]]:
    """By the name of each kernel that `body` invokes: the positions of arrays that may be undefined."""
    ops = [*all_ops(body)]
    absent: set[Operand] = {*ABSENT}
    _spread(absent, ops, backwards=False)
    found = {
        op.callee: [k for k, arg in enumerate(op.args) if arg in absent and _is_array(arg)]
        for op in ops
        if isinstance(op, Invoke)
    }
    return {name: frozenset(places) for name, places in found.items() if places}


def give_absent_arrays(body: Block, absent: Mapping[str, frozenset[int]], names: Names) -> Block:
    """`body` with empty arrays for those that are undefined, where they may be among the `absent` ones of a kernel."""
    ops = [*all_ops(body)]
    wanted = {op.args[k] for op in ops if isinstance(op, Invoke) for k in absent.get(op.callee, ())}
    _spread(wanted, ops, backwards=True)
    return _given(body, frozenset(wanted), names)


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Var) and isinstance(operand.type, Array) and bool(operand.type.shape)


def _spread(found: set[Operand], ops: list[Op], *, backwards: bool) -> None:
    """Add to `found` what may be one of it, or with `backwards` what one of it may be."""
    count = -1
    while len(found) > count:
        count = len(found)
        for op in ops:
            for var, sources in _sources(op):
                if backwards and var in found:
                    found.update(sources)
                elif not backwards and not found.isdisjoint(sources):
                    found.add(var)


def _sources(op: Op) -> list[tuple[Operand, tuple[Operand, ...]]]:
    """What may be what: a variable that `op` or its blocks define, and the operands that it may stand for."""
    match op:
        case If(outs=outs, then=then, orelse=orelse):
            return list(zip(outs, zip(then.results, orelse.results, strict=True), strict=True))
        case For(outs=outs, inits=inits, body=body):
            carried = body.results[1:] if op.breaks else body.results
            given = list(zip(inits, carried, strict=True))
            return [*zip(outs, given, strict=True), *zip(body.params[1:], given, strict=True)]
        case While(outs=outs, inits=inits, test=test, body=body):
            given = list(zip(inits, body.results, strict=True))
            return [pair for params in (outs, test.params, body.params) for pair in zip(params, given, strict=True)]
        case Call(outs=(out,), args=(stack,)) if callee(op) is intrinsics.pop:
            return [(out, (stack,))]
        case Call(args=(stack, value)) if callee(op) is intrinsics.push:
            return [(stack, (value,))]
        case _:
            return []


def _given(block: Block, wanted: frozenset[Operand], names: Names) -> Block:
    """`block` with arrays where those of `wanted` are undefined."""
    builder = Builder(names)
    for op in block.ops:
        made = map_op(op, lambda operand: operand, lambda inner: _given(inner, wanted, names))
        match made:
            case If(outs=outs, then=then, orelse=orelse):
                made = replace(made, then=_ending(then, outs, wanted, names), orelse=_ending(orelse, outs, wanted, names))
            case For(inits=inits, body=body):
                made = replace(made, inits=_there(inits, body.params[1:], wanted, builder))
            case While(inits=inits, body=body):
                made = replace(made, inits=_there(inits, body.params, wanted, builder))
        builder.emit(made)
    return replace(block, ops=tuple(builder.ops))


def _ending(block: Block, outs: tuple[Var, ...], wanted: frozenset[Operand], names: Names) -> Block:
    builder = Builder(names)
    results = _there(block.results, outs, wanted, builder)
    return replace(block, ops=(*block.ops, *builder.ops), results=results)


def _there(
    operands: tuple[Operand, ...], as_: tuple[Var, ...], wanted: frozenset[Operand], builder: Builder
) -> tuple[Operand, ...]:
    """`operands`, to be known as the variables `as_`, with empty arrays for those of `wanted` that are undefined."""
    return tuple(
        _empty(var, builder) if operand in ABSENT and var in wanted else operand
        for operand, var in zip(operands, as_, strict=True)
    )


def _empty(var: Var, builder: Builder) -> Operand:
    assert isinstance(var.type, Array)
    if not var.type.shape:
        return Lit(None)
    shape = (Lit(0),) * len(var.type.shape)
    kwargs = {} if var.type.dtype == "float64" else {"dtype": Lit(np.dtype(var.type.dtype).type)}
    size = shape[0] if len(shape) == 1 else Pack("tuple", shape)
    return builder.call(np.empty, size, type=var.type, hint=var.base, kwargs=kwargs)
