"""What is known of a value while dependences are traced: a number, or which inputs it depends on.

A float is a *flow*: an id of the graph, or an array of ids with the shape, the strides and the aliases of the array that it
stands for. Integers numbers and booleans are followed as they are, with a mark where only a run can tell them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.ir.types import Array, Object, Scalar, Stack, Type, is_float
from adxform.sparse.graph import CONST, ZERO, GiveUp

UNTOLD = int(np.iinfo(np.int64).min)
"""Stands in an array of whole numbers for one that only a run can tell."""


class NotKnown(Exception):
    """A value that only a run can tell."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A float or an array of floats, by ids."""

    ids: Any


@dataclass(frozen=True, slots=True)
class Integers:
    """An array of whole numbers or booleans of `dtype`, or one such number that is not known (``None``)."""

    values: Any
    dtype: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything else that only a run can tell."""


OPAQUE = Opaque()


def tagged(value: Any, type_: Type) -> Any:
    """The value of a variable of `type_` as primitives take it."""
    match type_:
        case Scalar(dtype):
            if is_float(type_):
                return value if type(value) is float else Flow(value)
            if value is None:
                return Integers(None, dtype)
            return value if type_.weak else np.dtype(dtype).type(value)
        case Array(dtype):
            return (value if type(value) is float else Flow(value)) if is_float(type_) else Integers(value, dtype)
        case _:
            return value


def untagged(value: Any, type_: Type) -> Any:
    """What a variable of `type_` holds when a primitive returned `value`."""
    match type_:
        case Scalar(dtype):
            return _number(value, dtype)
        case Array(dtype):
            if is_float(type_):
                ids = ids_of(value)
                return ids if isinstance(ids, np.ndarray) or type_.shape is None else np.asarray(ids)
            return _whole(value, dtype)
        case Object() | Stack():
            return value


def _number(value: Any, dtype: str) -> Any:
    if is_float(Scalar(dtype)):
        if isinstance(value, bool | int | float | np.number | np.bool):
            return float(value)
        ids = ids_of(value)
        return ids.item() if isinstance(ids, np.ndarray) else int(ids)
    match value:
        case Flow() | Opaque() | Integers(None):
            return None
        case Integers(values):
            number = np.asarray(values).item()
            return None if number == UNTOLD else number
        case _:
            found = np.asarray(value).item()
            return bool(found) if dtype == "bool" else int(found)


def _whole(value: Any, dtype: str) -> Any:
    if np.dtype(dtype).kind not in "biu":
        raise GiveUp(f"it has values of type {dtype}")
    match value:
        case Integers(None) | Opaque():
            return np.array(UNTOLD)
        case Integers(values):
            return values
        case Flow(ids):
            return np.full(np.shape(ids), UNTOLD)
        case _:
            return np.array(value).astype(np.int64)


def ids_of(value: Any) -> Any:
    """`value` as ids: a number that is known is `ZERO` or `CONST`."""
    match value:
        case Flow(ids):
            return ids
        case Integers(None):
            return CONST
        case Integers(values):
            return np.where(values == 0, ZERO, CONST)
        case bool() | int() | float() | np.number() | np.bool():
            return CONST if value else ZERO
        case np.ndarray() if value.dtype.kind in "fbiu":
            return np.where(value == 0, ZERO, CONST)
        case tuple() | list():
            return np.array([ids_of(item) for item in value], np.int64)
        case _:
            raise GiveUp("it computes with something that is no number")


def concrete(value: Any) -> Any:
    """The value itself.

    Raises:
        NotKnown: only a run can tell it.
    """
    match value:
        case Flow() | Opaque() | Integers(None):
            raise NotKnown
        case Integers(values, dtype):
            if np.equal(values, UNTOLD).any():
                raise NotKnown
            return np.asarray(values).astype(dtype)
        case tuple() | list():
            return type(value)([concrete(item) for item in value]) if type(value) in (tuple, list) else value
        case dict():
            return {key: concrete(item) for key, item in value.items()}
        case slice():
            return slice(concrete(value.start), concrete(value.stop), concrete(value.step))
        case _:
            return value


def arrays_in(value: Any) -> Iterator[Flow | Integers]:
    """The flows and whole numbers in `value`, which may be a sequence of them."""
    match value:
        case Flow() | Integers():
            yield value
        case tuple() | list():
            for item in value:
                yield from arrays_in(item)


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a value."""
    match value:
        case Flow(ids):
            return np.shape(ids)
        case Integers(values):
            return () if values is None else np.shape(values)
        case _:
            return np.shape(value)


def common_shape(values: Iterable[Any]) -> tuple[int, ...]:
    """The shape that `values` broadcast to."""
    return np.broadcast_shapes(*[shape_of(value) for value in values if not isinstance(value, str | type | None)])


def stand_in(value: Any) -> Any:
    """A number or an array of the shape of `value`, to run a function for the shape of its result; square ones are regular."""
    match value:
        case Flow(ids):
            shape = np.shape(ids)
            if len(shape) > 1 and shape[-1] == shape[-2]:
                return np.broadcast_to(np.eye(shape[-1]), shape).copy()
            return np.ones(shape)[()]
        case Integers(None, dtype):
            return np.dtype(dtype).type(0)
        case Integers(values, dtype):
            return np.where(np.equal(values, UNTOLD), 0, values).astype(dtype)
        case tuple() | list():
            return type(value)([stand_in(item) for item in value])
        case Opaque():
            raise GiveUp("it computes with something that is not known")
        case _:
            return value
