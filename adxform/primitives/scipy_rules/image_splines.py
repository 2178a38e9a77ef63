"""Interpolations of `scipy.ndimage` between the elements of an image, at coordinates that move: splines of each order and border.

What they mean is a sum over the coefficients of B-splines near to each place, times weights that move with the coordinates; their
values are those of their own calls. Where an image jumps (beyond ``"constant"`` and ``"wrap"``, and of order zero) the slope is
that of one side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import ndimage, special

from adxform import runtime
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.declare import constant, general, linear
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import ndimage as calls


def _spline_filter1d(input: Any, order: Any = 3, axis: Any = -1, output: Any = np.float64, mode: Any = "mirror") -> Any:
    return calls.spline_line(input, order, axis, mode)


def _weights(t: Any, order: Any) -> Any:
    """The B-splines of this order that reach a place, by its distance `t` from the neighbour that lies before it or nearest.

    Source: Thévenaz, Blu and Unser, Interpolation revisited (2000), equation 11.
    """
    if order == 0:
        return [np.ones_like(t)]
    if order == 1:
        return [1.0 - t, t]
    if order == 2:
        return [0.5 * (0.5 - t) ** 2, 0.75 - t**2, 0.5 * (0.5 + t) ** 2]
    if order == 3:
        u = 1.0 - t
        return [u**3 / 6.0, (4.0 - 6.0 * t**2 + 3.0 * t**3) / 6.0, (4.0 - 6.0 * u**2 + 3.0 * u**3) / 6.0, t**3 / 6.0]
    if order == 4:
        ends = [(0.5 - t) ** 4 / 24.0, (0.5 + t) ** 4 / 24.0]
        return [ends[0], _fourth(1.0 + t), 115.0 / 192.0 - 0.625 * t**2 + 0.25 * t**4, _fourth(1.0 - t), ends[1]]
    u = 1.0 - t
    return [u**5 / 120.0, _fifth(1.0 + t), _fifth_inside(t), _fifth_inside(u), _fifth(1.0 + u), t**5 / 120.0]


def _fourth(x: Any) -> Any:
    return 55.0 / 96.0 + 5.0 / 24.0 * x - 1.25 * x**2 + 5.0 / 6.0 * x**3 - x**4 / 6.0


def _fifth(x: Any) -> Any:
    return 17.0 / 40.0 + 0.625 * x - 1.75 * x**2 + 1.25 * x**3 - 0.375 * x**4 + x**5 / 24.0


def _fifth_inside(x: Any) -> Any:
    return 11.0 / 20.0 - 0.5 * x**2 + 0.25 * x**4 - x**5 / 12.0


def _coefficients(image: Any, axis: Any, order: Any, mode: Any, cval: Any, prefilter: Any) -> Any:
    """The coefficients of the splines through the lines of an image along an axis, and beyond its borders."""
    pad = calls.interpolation_pad(order, mode, prefilter)
    if pad > 0:
        margins = tuple([(pad, pad) if k == axis else (0, 0) for k in range(np.ndim(image))])
        image = np.pad(image, margins, mode="edge") if mode == "nearest" else np.pad(image, margins, constant_values=cval)
    return calls.spline_line(image, order, axis, mode) if order > 1 and prefilter else image


def _neighbours(along: Any, n: Any, order: Any, mode: Any, prefilter: Any) -> Any:
    """For coordinates along an axis of `n`: which coefficients are summed there, and their weights, each for each of a spline."""
    pad = calls.interpolation_pad(order, mode, prefilter)
    inside = calls.within(along + pad, n + 2 * pad, mode)
    first = calls.first_neighbours(inside, order)
    weights = np.stack(_weights(inside - (first + order // 2), order))
    if mode == "constant":
        weights = np.where((along >= 0) & (along <= n - 1), weights, 0.0)
    return calls.coefficient_places(first, order, n + 2 * pad, mode), weights


def _interpolated(image: Any, coordinates: Any, order: Any, mode: Any, cval: Any, prefilter: Any) -> Any:
    """`image` at `coordinates`, of which there is an array for each of its axes."""
    if np.size(image) == 0:
        raise runtime.without_derivative("an image without elements has no derivative at coordinates")
    rank, coefficients = np.ndim(image), image
    places, weights = [], []
    for axis in range(rank):
        coefficients = _coefficients(coefficients, axis, order, mode, cval, prefilter)
        near, found = _neighbours(coordinates[axis], image.shape[axis], order, mode, prefilter)
        places.append(np.expand_dims(near, tuple([k for k in range(rank) if k != axis])))
        weights.append(np.expand_dims(found, tuple(range(axis))))
    flat = np.zeros(1, dtype=np.int64)
    for axis in range(rank):
        flat = flat * coefficients.shape[axis] + np.maximum(places[axis], 0)
    shape = (*[order + 1 for _ in range(rank)], *coordinates[0].shape)
    values = np.reshape(np.ravel(coefficients)[np.ravel(flat)], shape)  # one index, by which `np.add.at` is fast
    if mode == "grid-constant":
        for axis in range(rank):
            values = np.where(places[axis] < 0, cval, values)
    for axis in range(rank - 1, -1, -1):
        values = np.sum(weights[axis] * values, axis=axis)
    return values.astype(image.dtype)


def _moved(image: Any, along: Any, axis: Any, order: Any, mode: Any, cval: Any, prefilter: Any) -> Any:
    """Each line of `image` along an axis, at the coordinates `along` that all of them share."""
    coefficients = _coefficients(image, axis, order, mode, cval, prefilter)
    near, weights = _neighbours(along, image.shape[axis], order, mode, prefilter)
    others = tuple([k for k in range(np.ndim(image)) if k != axis])
    before, parts = tuple([slice(None) for k in range(axis)]), []
    for j in range(order + 1):
        values = coefficients[(*before, near[j])]
        if mode == "grid-constant":
            values = np.where(np.expand_dims(near[j] < 0, others), cval, values)
        parts.append(np.expand_dims(weights[j], others) * values)
    return sum(parts).astype(image.dtype)


def _shift(
    input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True
) -> Any:
    image = np.asarray(input)
    for axis in range(np.ndim(image)):
        amount = shift if np.ndim(shift) == 0 else shift[axis]
        image = _moved(image, np.arange(image.shape[axis]) - amount, axis, order, mode, cval, prefilter)
    return image


def _affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Any = None,
    output: Any = None,
    order: Any = 3,
    mode: Any = "constant",
    cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    """The places are summed in SciPy's order, so that they lie beyond a border where they do for SciPy."""
    given, matrix = np.asarray(input), np.asarray(matrix)
    rank, shape = np.ndim(given), given.shape if output_shape is None else output_shape
    moves = [offset if np.ndim(offset) == 0 else offset[k] for k in range(rank)]
    if np.ndim(matrix) == 1:
        image = given
        for axis in range(rank):
            along = (np.arange(shape[axis]) + moves[axis] / matrix[axis]) * matrix[axis]
            image = _moved(image, along, axis, order, mode, cval, prefilter)
        return image
    if len(shape) != rank:
        unsupported("scipy.ndimage.affine_transform has no derivative where the result has other axes: use map_coordinates")
    if matrix.shape[1] == rank + 1:
        moves = [matrix[k, rank] for k in range(rank)]
    counts = [np.reshape(np.arange(shape[k]), tuple([-1 if k == axis else 1 for axis in range(rank)])) for k in range(rank)]
    coordinates = []
    for axis in range(rank):
        along = counts[0] * matrix[axis, 0]
        for k in range(1, rank):
            along = along + counts[k] * matrix[axis, k]
        coordinates.append(along + moves[axis])
    return _interpolated(given, coordinates, order, mode, cval, prefilter)


def _rotate(
    input: Any,
    angle: Any,
    axes: Any = (1, 0),
    reshape: Any = True,
    output: Any = None,
    order: Any = 3,
    mode: Any = "constant",
    cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    """How many rows and columns there are is held."""
    if np.ndim(input) != 2:
        unsupported("scipy.ndimage.rotate has a derivative of images with two axes: rotate each plane")
    n, m = np.asarray(input).shape
    if reshape:
        rows, columns = calls.rotated_length(n, m, angle, 0), calls.rotated_length(n, m, angle, 1)
    else:
        rows, columns = n, m
    c, s = special.cosdg(angle), special.sindg(angle)
    matrix = np.array([[c, s], [-s, c]])
    offset = np.array([(n - 1) / 2, (m - 1) / 2]) - matrix @ np.array([(rows - 1) / 2, (columns - 1) / 2])
    return _affine_transform(input, matrix, offset, (rows, columns), None, order, mode, cval, prefilter)


def _map_coordinates(
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: Any = 3,
    mode: Any = "constant",
    cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    return _interpolated(np.asarray(input), np.asarray(coordinates), order, mode, cval, prefilter)


def _within(c: Any, n: Any, mode: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return ct * calls.turns(c, n, mode)

    return calls.within(c, n, mode), pullback


def _like_first(dtype: str) -> Any:
    """Results of this dtype with the shape of the first operand."""

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
        match args[0]:
            case Var(_, Array(_, shape)):
                return Array(dtype, shape)
            case _:
                return None

    return result


def _of_lengths_of_its_own(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array(dtype, shape)):
            return Array(dtype, None if shape is None else tuple(Dim("?*") for _ in shape))
        case _:
            return None


def _for_each_neighbour(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array(_, shape)):
            return Array("int64", None if shape is None else (Dim("?*"), *shape))
        case _:
            return None


RECORDS: tuple[Primitive, ...] = (
    linear(calls.spline_line, lambda ct, x, order, axis, mode: calls.spline_line_back(ct, order, axis, mode), of_complex=True),
    linear(
        calls.spline_line_back, lambda y_ct, ct, order, axis, mode: calls.spline_line(y_ct, order, axis, mode), of_complex=True
    ),
    constant(calls.rotated_length, open_integers=True),
    general(calls.within, _within, result=_like_first("float64"), open_integers=True),
    constant(calls.turns, result=_like_first("float64"), open_integers=True),
    constant(calls.first_neighbours, result=_like_first("int64")),
    constant(calls.coefficient_places, result=_for_each_neighbour, open_integers=True),
)

_LIMITS = {"output": (None,), "order": (0, 1, 2, 3, 4, 5), "cval": ()}

DEFINITIONS: tuple[Definition, ...] = (
    Definition(ndimage.spline_filter1d, _spline_filter1d, Value.OWN, sequences=True, only={"output": (np.float64,)}),
    Definition(ndimage.map_coordinates, _map_coordinates, Value.OWN, sequences=True, only=_LIMITS),
    Definition(ndimage.shift, _shift, Value.OWN, sequences=True, only=_LIMITS),
    Definition(ndimage.affine_transform, _affine_transform, Value.OWN, sequences=True, only=_LIMITS),
    Definition(ndimage.rotate, _rotate, Value.OWN, sequences=True, only=_LIMITS, result=_of_lengths_of_its_own),
)
