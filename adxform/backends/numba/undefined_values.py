"""What some paths do not define: zero stands for numbers, and an empty array for arrays that kernels take.

None, which Python has for it, is of another type: Numba would compile the kernel for it, and cannot where it looks at the array.
What may be absent is read behind a check only (see `adxform.backends.numba.definedness_checks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import UNDEFINED, Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, all_ops, map_op

NO_VALUE = (UNDEFINED, Lit(None))
"""What a variable of an array is on a path that does not make one."""


def undefined_arrays(body: Block) -> Mapping[str, frozenset[int]]:
    """By the name of each kernel that `body` invokes: the positions of arrays that may be undefined."""
    ops = [*all_ops(body)]
    undefined: set[Operand] = {*NO_VALUE}
    _spread(undefined, ops, backwards=False)
    found = {
        op.callee: [k for k, arg in enumerate(op.args) if arg in undefined and _is_array(arg)]
        for op in ops
        if isinstance(op, Invoke)
    }
    return {name: frozenset(places) for name, places in found.items() if places}


def give_undefined_arrays(body: Block, undefined: Mapping[str, frozenset[int]], names: Names) -> Block:
    """`body` with empty arrays for those that are undefined, where they may be among the `undefined` ones of a kernel."""
    ops = [*all_ops(body)]
    wanted = {op.args[k] for op in ops if isinstance(op, Invoke) for k in undefined.get(op.callee, ())}
    _spread(wanted, ops, backwards=True)
    return _given(body, frozenset(wanted), names)


def give_numbers(fn: Function) -> Function:
    """`fn` with zeros for numbers that are undefined."""
    if not any(nothing in given for nothing in NO_VALUE for op in all_ops(fn.body) for _, given in _sources(op)):
        return fn
    return replace(fn, body=_given(fn.body, frozenset(), Names.of(fn)))


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
    """`block` with zeros where numbers are undefined, and with arrays where those of `wanted` are."""
    builder = Builder(names)
    for op in block.ops:
        made = map_op(op, lambda operand: operand, lambda inner: _given(inner, wanted, names))
        match made:
            case If(outs=outs, then=then, orelse=orelse):
                made = replace(made, then=_ending(then, outs, wanted, names), orelse=_ending(orelse, outs, wanted, names))
            case For(inits=inits, body=body):
                carried, lead = body.params[1:], int(made.breaks)
                inits, body = _there(inits, carried, wanted, builder), _ending(body, carried, wanted, names, lead)
                made = replace(made, inits=inits, body=body)
            case While(inits=inits, body=body):
                inits, body = _there(inits, body.params, wanted, builder), _ending(body, body.params, wanted, names)
                made = replace(made, inits=inits, body=body)
        builder.emit(made)
    return replace(block, ops=tuple(builder.ops))


def _ending(block: Block, outs: tuple[Var, ...], wanted: frozenset[Operand], names: Names, lead: int = 0) -> Block:
    """`block`, whose results but for the first, `lead`, are to be known as `outs`."""
    builder = Builder(names)
    results = (*block.results[:lead], *_there(block.results[lead:], outs, wanted, builder))
    return replace(block, ops=(*block.ops, *builder.ops), results=results)


def _there(
    operands: tuple[Operand, ...], as_: tuple[Var, ...], wanted: frozenset[Operand], builder: Builder
) -> tuple[Operand, ...]:
    """`operands`, to be known as the variables `as_`. What is undefined is zero, and an empty array if it is `wanted`."""
    return tuple(
        _nothing(var, wanted, builder) or operand if operand in NO_VALUE else operand
        for operand, var in zip(operands, as_, strict=True)
    )


def _nothing(var: Var, wanted: frozenset[Operand], builder: Builder) -> Operand | None:
    """What stands for `var` where it is undefined, if anything does."""
    match var.type:
        case Scalar(dtype, weak):
            zero = np.dtype(dtype).type(0)
            return Lit(zero.item() if weak else zero)
        case Array() if var in wanted:
            return _empty(var, var.type, builder)
        case _:
            return None


def _empty(var: Var, type_: Array, builder: Builder) -> Operand:
    if not type_.shape:
        return Lit(None)
    shape = (Lit(0),) * len(type_.shape)
    kwargs = {} if type_.dtype == "float64" else {"dtype": Lit(np.dtype(type_.dtype).type)}
    size = shape[0] if len(shape) == 1 else Pack("tuple", shape)
    return builder.call(np.empty, size, type=var.type, hint=var.base, kwargs=kwargs)
