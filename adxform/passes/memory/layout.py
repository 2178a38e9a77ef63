"""Which arrays have their axes in the order of their strides, as those that the caller gives do if they are contiguous.

It matters where a function may or may not copy as it reshapes: a place that is given to an array must not change which it does.
What is not known to come out row by row keeps whatever layout NumPy gives it.

Source: NumPy manual, `numpy.nditer`, order "K": a result takes the order of the axes of the operands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Scalar, rank
from adxform.ir.walk import all_ops, defined_variables, outs, variables
from adxform.primitives.facets import Layout, Moves
from adxform.primitives.table import record_of

Step = tuple[Var, tuple[Operand, ...] | None]


def ordered_arrays(fn: Function, elementwise: Callable[[Any], bool]) -> set[str]:
    """The arrays of `fn`, by name, whose strides fall from axis to axis wherever those of its arguments do.

    Results of `elementwise` functions take the order of their operands. An axis along which one is broadcast has no say in that.

    >>> from adxform.ir.text import read
    >>> sorted(ordered_arrays(read('''
    ... def f(x: f64[m, n]):
    ...     y: f64[m, n] = operator.neg(x)
    ...     z: f64[n, m] = numpy.transpose(y)
    ...     return z'''), [operator.neg].__contains__))
    ['x', 'y']
    """
    found = {var.name for var in defined_variables(fn.body) if isinstance(var.type, Array)}
    spread: dict[Operand, Operand] = {}
    pushed: dict[Operand, list[Operand]] = {}
    for op in all_ops(fn.body):
        match op:
            case Call(fn=Lit(runtime.broadcast_like), outs=(out,)):
                spread[out] = op.args[0]
            case Call(fn=Lit(intrinsics.push), args=(stack, value)):
                pushed.setdefault(stack, []).append(value)
    steps = [step for op in all_ops(fn.body) for step in sources(op, pushed, elementwise, spread)]
    before = -1
    while before != len(found):
        before = len(found)
        for var, operands in steps:
            if operands is None or any(other.name not in found for other in operands if is_array(other)):
                found.discard(var.name)
    return found


def is_array(operand: Operand) -> TypeGuard[Var]:
    """Whether `operand` is an array of two axes or more, or may be one."""
    return isinstance(operand, Var) and isinstance(operand.type, Array) and rank(operand.type) != 1


def sources(
    op: Op, pushed: Mapping[Operand, list[Operand]], elementwise: Callable[[Any], bool], spread: Mapping[Operand, Operand]
) -> Iterator[Step]:
    """For each array that `op` defines, what else has to be ordered for it to be; ``None``: it is not known to be.

    `pushed` is what goes on each stack; `spread` says of what an array is the broadcast view.
    """
    match op:
        case Call(fn=Lit(intrinsics.pop), outs=(out,), args=(stack,)):
            yield out, tuple(pushed.get(stack, ())) or None
        case Call(outs=(out,)) if is_array(out):
            yield out, needed(op, elementwise, spread)
        case If(outs=merged, then=then, orelse=orelse):
            for out, *results in zip(merged, then.results, orelse.results, strict=True):
                yield out, tuple(results)
        case For(outs=merged, inits=inits, body=body, breaks=breaks):
            for out, init, param, result in zip(merged, inits, body.params[1:], body.results[breaks:], strict=True):
                yield from ((var, (init, result)) for var in (out, param))
        case While(outs=merged, inits=inits, test=test, body=body):
            for out, init, seen, param, result in zip(merged, inits, test.params, body.params, body.results, strict=True):
                yield from ((var, (init, result)) for var in (out, seen, param))
        case Call():
            pass
        case _:
            yield from ((out, None) for out in outs(op))


def _operands(fn: Any) -> int:
    """How many operands of `fn` say nothing of a layout."""
    return 3 if fn is np.where else 1 if record_of(fn).moves is Moves.COPY else 2


def needed(op: Call, elementwise: Callable[[Any], bool], spread: Mapping[Operand, Operand]) -> tuple[Operand, ...] | None:
    """Which operands of `op`, or what they are `spread` from, have to be ordered for its result to be."""
    fn = callee(op)
    if any(key != "dtype" for key, _ in op.kwargs) or len(op.args) > _operands(fn):
        return None
    layout = record_of(fn).layout
    if layout is Layout.ROW_BY_ROW:
        return ()
    if layout is Layout.AS_FIRST or fn is np.reshape:
        return op.args[:1]
    if fn is runtime.laid_out:
        return op.args[1:]
    if fn is runtime.broadcast_like and (not isinstance(op.args[0], Var) or isinstance(op.args[0].type, Scalar)):
        return ()
    if fn is operator.getitem and not any(isinstance(var.type, Array) for var in variables(op.args[1])):
        return op.args[:1]
    return tuple(spread.get(arg, arg) for arg in op.args) if elementwise(fn) else None
