"""Measures of the parts of an image that labels mark, and the filters of `scipy.ndimage` that are made of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from adxform.api.scipy_models.solving import moving, solve
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import INT, Array, Several
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.primitives.record import Primitive

# -- measures -----------------------------------------------------------------------------------------------------------


def _parts(input: Any, labels: Any, index: Any) -> Any:
    """Which elements belong to each part, as rows."""
    if labels is None:
        return np.ones((1, input.size)) > 0.0
    marks = np.ravel(np.broadcast_to(np.asarray(labels), np.shape(input)))
    if index is None:
        return marks[None] > 0
    return marks[None] == (np.ravel(np.asarray(index))[:, None] if np.ndim(index) > 0 else index)


def _of_parts(name: Any, parts: Any, x: Any) -> Any:
    if name == "maximum":
        return np.max(np.where(parts, x, -np.inf), axis=1)
    if name == "minimum":
        return np.min(np.where(parts, x, np.inf), axis=1)
    counts = np.sum(parts, axis=1) * 1.0
    sums = np.sum(np.where(parts, x, 0.0), axis=1)
    if name == "sum" or name == "sum_labels":
        return sums
    means = sums / counts
    if name == "mean":
        return means
    spread = np.sum(np.where(parts, x - means[:, None], 0.0) ** 2, axis=1) / counts
    return spread if name == "variance" else np.sqrt(spread)


def _measure(name: str) -> Any:
    def body(input: Any, labels: Any = None, index: Any = None) -> Any:
        x = _floats(input)
        found = _of_parts(name, _parts(x, labels, index), np.ravel(x))
        several = np.ndim(0 if index is None else index)
        if several > 1:
            unsupported("measures of parts of an image have a derivative for one index, or a list of them")
        value = solve(_measured, (), (), (1 if several else "number",), name, x, labels, index)
        return moving(value, found if several else found[0])

    return body


def _measured(name: Any, x: Any, labels: Any, index: Any) -> Any:
    found = getattr(ndimage, name)(x, labels, index)
    return np.asarray(found) if np.ndim(found) else np.float64(found)


def _floats(input: Any) -> Any:
    x = np.asarray(input)
    if x.dtype != np.dtype(float):
        unsupported("measures of an image have a derivative for one of double precision")
    return x


def _center(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = _floats(input)
    if np.ndim(0 if index is None else index) > 0:
        unsupported("center_of_mass has a derivative for one part of an image: ask for one index at a time")
    weights = np.where(_parts(x, labels, index)[0], np.ravel(x), 0.0)
    value = solve(_center_found, (), (), (1,), x, labels, index)
    grids = [np.ravel(np.broadcast_to(_places(x, axis), x.shape)) for axis in range(np.ndim(x))]
    found = [np.sum(weights * grid) / np.sum(weights) for grid in grids]
    return tuple([moving(value[axis], found[axis]) for axis in range(np.ndim(x))])


def _places(x: Any, axis: Any) -> Any:
    return np.reshape(np.arange(x.shape[axis]) * 1.0, (-1,) + (1,) * (np.ndim(x) - axis - 1))


def _center_found(x: Any, labels: Any, index: Any) -> Any:
    return np.array(ndimage.center_of_mass(x, labels, index))


# -- morphology ---------------------------------------------------------------------------------------------------------


def _erosion(input: Any, size: Any = None, footprint: Any = None, *, mode: Any = "reflect") -> Any:
    return ndimage.minimum_filter(input, size=size, footprint=footprint, mode=mode)


def _dilation(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    """As the maximum of neighbours, of an even number of which those lie on the other side."""
    if size is None:
        unsupported("grey_dilation has a derivative by `size`")
    origin = tuple([one % 2 - 1 for one in size]) if isinstance(size, tuple | list) else size % 2 - 1
    return ndimage.maximum_filter(input, size=size, mode=mode, origin=origin)


def _opening(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return _dilation(_erosion(input, size, mode=mode), size, mode=mode)


def _closing(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return _erosion(_dilation(input, size, mode=mode), size, mode=mode)


def _gradient(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return _dilation(input, size, mode=mode) - _erosion(input, size, mode=mode)


def _curvature(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return _dilation(input, size, mode=mode) + _erosion(input, size, mode=mode) - input - input


def _bright(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return input - _opening(input, size, mode=mode)


def _dark(input: Any, size: Any = None, *, mode: Any = "reflect") -> Any:
    return _closing(input, size, mode=mode) - input


def _marks(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    """Numbers of parts, and how many there are."""
    match args[0]:
        case Var(_, Array(_, tuple() as shape)) if kwargs.get("output", args[2] if len(args) > 2 else Lit(None)) == Lit(None):
            return Several((Array("int32", shape), INT), tuple)
        case _:
            return None


RECORDS: tuple[Primitive, ...] = (constant(ndimage.label, result=_marks),)

DEFINITIONS: tuple[Definition, ...] = (
    *(
        Definition(fn, _measure(fn.__name__), sequences=True)
        for fn in dict.fromkeys(
            (
                *(ndimage.sum, ndimage.sum_labels, ndimage.mean, ndimage.variance),
                *(ndimage.standard_deviation, ndimage.maximum, ndimage.minimum),
            )
        )
    ),
    Definition(ndimage.center_of_mass, _center, sequences=True),
    Definition(ndimage.grey_erosion, _erosion, sequences=True),
    Definition(ndimage.grey_dilation, _dilation, sequences=True),
    Definition(ndimage.grey_opening, _opening, sequences=True),
    Definition(ndimage.grey_closing, _closing, sequences=True),
    Definition(ndimage.morphological_gradient, _gradient, sequences=True),
    Definition(ndimage.morphological_laplace, _curvature, sequences=True),
    Definition(ndimage.white_tophat, _bright, sequences=True),
    Definition(ndimage.black_tophat, _dark, sequences=True),
)
