"""Samples of types: values of the dtypes and lengths that a run is given, and what it gives for them."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type

FRESH = Dim("?*")


ANOTHER = Dim("?**")
"""The length of one result of several, when `FRESH` is one of others."""


_SHAPE = 12
"""How many of the integers of an array are others in each run: more lengths than a shape has, fewer than fill the memory."""


@dataclass(frozen=True, slots=True)
class Sized:
    """The type of an integer whose value is the length `dim`."""

    type: Scalar
    dim: Dim


Spec = Type | Sized | Lit | tuple["str", tuple["Spec", ...]]


class NoSample(Exception):
    """The primitive raised on every sample; the message is its last."""


def spec_of(operand: Operand, sizes: Mapping[Var, Dim]) -> Spec:
    """What sampling needs to know of `operand`."""
    match operand:
        case Var(_, Scalar() as type_) if operand in sizes:
            return Sized(type_, sizes[operand])
        case Var(_, type_):
            return type_
        case Pack(kind, items):
            return kind, tuple(spec_of(item, sizes) for item in items)
        case Lit():
            return operand


def dims_of(spec: Spec) -> Iterator[Dim]:
    """The unknown lengths in `spec`, in order."""
    match spec:
        case Array(_, shape) if shape is not None:
            yield from (size for size in shape if isinstance(size, Dim))
        case Sized(_, dim):
            yield dim
        case (str(), items):
            for item in items:
                yield from dims_of(item)
        case _:
            return


def literal_sizes(spec: Spec) -> Iterator[int]:
    """The lengths in `spec` that are known, but for one."""
    match spec:
        case Array(_, shape) if shape is not None:
            yield from (size for size in shape if isinstance(size, int) and size > 1)
        case ("list" | "tuple", items) if len(items) > 1 and not any(isinstance(item, Array) for item in items):
            yield len(items)
        case (str(), items):
            for item in items:
                yield from literal_sizes(item)
        case _:
            return


def literals(spec: Spec) -> Iterator[int]:
    """The lengths and the integers in `spec` that are known."""
    yield from literal_sizes(spec)
    match spec:
        case (str(), items):
            for item in items:
                yield from literals(item)
        case Lit(tuple() | list() as values):
            for value in values:
                yield from literals(Lit(value))
        case Lit(int() as value) if not isinstance(value, bool):
            yield abs(value)
        case _:
            return


@dataclass(frozen=True, slots=True)
class SampleLengths:
    """The values of the unknown lengths in one run, of integers of which nothing is known, and the shape of unknown rank."""

    values: Mapping[str, int]
    run: int
    integer: int = 1
    shape: tuple[int, ...] = (1,)

    def of(self, size: Size) -> int:
        """The value of a length."""
        return size if isinstance(size, int) else max(self.values[size.base] + size.offset, 0)


def sample(spec: Spec, lengths: SampleLengths) -> Any:
    """A value of `spec`."""
    match spec:
        case Sized(type_, dim):
            return _number(type_, max(lengths.values[dim.base] + dim.offset, 0))
        case Scalar(dtype):
            return _number(spec, _value(dtype, lengths))
        case Array(dtype, shape):
            return _array(dtype, lengths.shape if shape is None else tuple(map(lengths.of, shape)), lengths)
        case Lit(value):
            return value
        case (str(kind), items):
            return runtime.aggregate(kind, [sample(item, lengths) for item in items])
        case _:
            raise NoSample("an operand of unknown type")


def _value(dtype: str, lengths: SampleLengths) -> float:
    if dtype.startswith(("float", "long", "complex", "clong")):
        return 0.5
    return lengths.run == 0 if dtype == "bool" else lengths.integer


def _number(type_: Scalar, value: float) -> Any:
    if type_.weak:
        return {"float64": float, "int64": int, "bool": bool, "complex128": complex}[type_.dtype](value)
    return np.dtype(type_.dtype).type(value)


def _array(dtype: str, shape: tuple[int, ...], lengths: SampleLengths) -> Any:
    if dtype == "bool":
        mask = np.ones(shape, np.bool_)
        if lengths.run and mask.size:  # fewer hold than in the other run, also of two or three
            mask.reshape(-1)[min(3, mask.size - 1) :] = False
        return mask
    if not dtype.startswith(("float", "long", "complex", "clong")):
        whole = np.full(shape, min(lengths.integer, 1), dtype)
        whole.reshape(-1)[:_SHAPE] = lengths.integer  # others in each run: they may be lengths of the result
        return whole
    x = np.full(shape, 0.25, dtype)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        x = x + np.eye(shape[-1], dtype=dtype) * shape[-1]
    return x


def run(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """``fn(*args, **kwargs)`` in silence; an ndarray method is looked up on the first argument, which may be a scalar."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(fn, types.MethodDescriptorType) and fn.__objclass__ is np.ndarray:
            return getattr(args[0], fn.__name__)(*args[1:], **kwargs)
        return fn(*args, **kwargs)


def is_shapeless(spec: Spec) -> bool:
    """Whether `spec` holds an array of unknown rank."""
    match spec:
        case Array(_, None):
            return True
        case (str(), items):
            return any(map(is_shapeless, items))
        case _:
            return False
