"""What primitives share when they are applied to dependences: functions run on what is known, results of which nothing is."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call
from adxform.ir.types import Array, Scalar, is_float
from adxform.sparse.graph import CONST, GiveUp, Graph
from adxform.sparse.pattern_values import OPAQUE, UNTOLD, Flow, Integers, NotKnown, arrays_in, concrete, ids_of, stand_in


class Tracing(Protocol):
    """What primitives need of the trace that they are part of."""

    graph: Graph

    def noted(self, x: Any, index: Any, flow: bool = True) -> None:
        """Remember ``x[index]``, which is about to be written."""


Handler = Callable[[Tracing, Call, list[Any], dict[str, Any]], Any]


def is_number(call: Call) -> bool:
    """Whether the result is known to be a number."""
    return not call.outs or isinstance(call.outs[0].type, Scalar)


def run(fn: Any, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """The value of a function of known arguments."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return fn(*args, **kwargs)
    except Exception as error:
        raise GiveUp(f"{type(error).__name__}: {error}") from error


def result_shape(fn: Any, args: list[Any], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of what `fn` returns: it is run on numbers of the shapes of the operands."""
    named = {key: stand_in(value) for key, value in kwargs.items()}
    return np.shape(run(fn, [stand_in(arg) for arg in args], named))


def filled(call: Call, shape: tuple[int, ...], id_: int) -> Any:
    """A flow of this shape that is `id_` everywhere, or whole numbers that are not known, whichever `call` returns."""
    type_ = call.outs[0].type if call.outs else None
    match type_:
        case Scalar() | Array() if is_float(type_):
            return Flow(np.full(shape, id_, np.int64) if shape or isinstance(type_, Array) else id_)
        case Array(dtype):
            return Integers(np.full(shape, UNTOLD), dtype)
        case Scalar(dtype):
            return Integers(None, dtype)
        case _:
            return OPAQUE


def everything(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A result that depends on all on which the operands depend."""
    shape = () if is_number(call) else result_shape(fn, args, kwargs)
    parts = [np.ravel(ids_of(value)) for value in arrays_in([*args, *kwargs.values()])]
    node = trace.graph.whole(np.concatenate(parts)) if parts else CONST
    return filled(call, shape, max(node, CONST))


def apply_known(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of `fn` where all arguments are known; else all that it may depend on."""
    try:
        return run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        return everything(trace, call, fn, args, kwargs)


def whole_numbers(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of a function of whole numbers, or some of which only the shape is known."""
    fn = callee(call)
    try:
        return run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        return filled(call, result_shape(fn, args, kwargs), CONST)


def numbered(shape: tuple[int, ...]) -> Any:
    """An array of this shape that numbers its places."""
    return np.arange(math.prod(shape)).reshape(shape)
