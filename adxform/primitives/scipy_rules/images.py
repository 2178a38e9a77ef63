"""The filters and interpolations of `scipy.ndimage`.

All are linear in the image: what they mean is a correlation, or a product with a matrix along each axis, and tells how they move;
their values are those of their own calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from adxform.ir.ops import Operand
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.declare import general, linear
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import image_splines, rank_filters
from adxform.runtime.of_scipy import ndimage as calls

_BORDERS = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap")


def _correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0) -> Any:
    return calls.correlated(input, weights, mode, origin)


def _convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0) -> Any:
    origins, kernel = (origin,) * np.ndim(input) if np.ndim(origin) == 0 else origin, np.asarray(weights)
    turned = tuple([-o if n % 2 == 1 else -o - 1 for o, n in zip(origins, kernel.shape, strict=True)])
    return calls.correlated(input, np.flip(kernel), mode, turned)


def _along(image: Any, weights: Any, axis: Any, mode: Any, origin: Any) -> Any:
    """`image` correlated with `weights` along one axis."""
    rank = np.ndim(image)
    axis = axis % rank
    lengths = tuple([-1 if k == axis else 1 for k in range(rank)])
    origins = tuple([origin if k == axis else 0 for k in range(rank)])
    return calls.correlated(image, np.reshape(weights, lengths), mode, origins)


def _correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    return _along(input, weights, axis, mode, origin)


def _convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    weights = np.asarray(weights)
    return _along(input, weights[::-1], axis, mode, -origin if weights.shape[0] % 2 == 1 else -origin - 1)


def _gaussian_weights(sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    raise NotImplementedError(
        "Gaussian filters of scipy.ndimage have no derivative by sigma: they are cut off at a multiple of it"
    )


def _gaussian_filter1d(
    input: Any,
    sigma: Any,
    axis: Any = -1,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: Any = 4.0,
    *,
    radius: Any = None,
) -> Any:
    return _along(input, calls.gaussian_weights(sigma, order, truncate, radius), axis, mode, 0)


def _gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: Any = 4.0,
    *,
    radius: Any = None,
) -> Any:
    rank = np.ndim(input)
    for axis in range(rank):
        width = sigma if np.ndim(sigma) == 0 else sigma[axis]
        degree = order if np.ndim(order) == 0 else order[axis]
        reach = radius if np.ndim(radius) == 0 else radius[axis]
        input = _along(input, calls.gaussian_weights(width, degree, truncate, reach), axis, mode, 0)  # noqa: A001
    return input


def _uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    return _along(input, np.full(size, 1.0 / size), axis, mode, origin)


def _uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    for axis in range(np.ndim(input)):
        width = size if np.ndim(size) == 0 else size[axis]
        place = origin if np.ndim(origin) == 0 else origin[axis]
        input = _along(input, np.full(width, 1.0 / width), axis, mode, place)  # noqa: A001
    return input


def _slopes(image: Any, axis: Any, mode: Any, across: Any) -> Any:
    """Differences along `axis`, and `across` along all others."""
    rank = np.ndim(image)
    axis = axis % rank
    found = _along(image, np.array([-1.0, 0.0, 1.0]), axis, mode, 0)
    for other in range(rank):
        if other != axis:
            found = _along(found, across, other, mode, 0)
    return found


def _sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _slopes(input, axis, mode, np.array([1.0, 2.0, 1.0]))


def _prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _slopes(input, axis, mode, np.array([1.0, 1.0, 1.0]))


def _laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    if np.ndim(input) == 0:
        return 1.0 * input
    found = np.zeros_like(input)
    for axis in range(np.ndim(input)):
        found = found + _along(input, np.array([1.0, -2.0, 1.0]), axis, mode, 0)
    return found


def _smoothed(image: Any, sigma: Any, mode: Any, along: Any, degree: Any) -> Any:
    """`image` smoothed along each axis, and differentiated along one."""
    for axis in range(np.ndim(image)):
        width = sigma if np.ndim(sigma) == 0 else sigma[axis]
        image = _along(image, calls.gaussian_weights(width, degree if axis == along else 0, 4.0, None), axis, mode, 0)
    return image


def _gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    if np.ndim(input) == 0:
        return 1.0 * input
    found = np.zeros_like(input)
    for axis in range(np.ndim(input)):
        found = found + _smoothed(input, sigma, mode, axis, 2)
    return found


def _gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """The length of a gradient, which has slope zero where it is zero."""
    if np.ndim(input) == 0:
        return 1.0 * input
    parts = [_smoothed(input, sigma, mode, axis, 1) for axis in range(np.ndim(input))]
    return np.linalg.norm(np.stack(parts), axis=0)


def _lines(image: Any, matrix: Any, axis: Any) -> Any:
    """`image` with each of its lines along `axis` multiplied by `matrix`."""
    return np.swapaxes(np.swapaxes(image, axis, -1) @ matrix.T, axis, -1).astype(image.dtype)


def _matrix(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"), Dim("?*")))


def _zooms(n: Any, zoom: Any, order: Any, mode: Any, prefilter: Any, grid_mode: Any) -> Any:
    raise NotImplementedError("scipy.ndimage.zoom has no derivative by its factor, which sets a length: use map_coordinates")


def _zoom(
    input: Any,
    zoom: Any,
    output: Any = None,
    order: Any = 3,
    mode: Any = "constant",
    cval: Any = 0.0,
    prefilter: Any = True,
    *,
    grid_mode: Any = False,
) -> Any:
    image = np.asarray(input)
    if np.iscomplexobj(image) and grid_mode:
        unsupported("scipy.ndimage.zoom has a derivative of complex images without grid_mode, which it does not heed")
    for axis in range(np.ndim(image)):
        factor = zoom if np.ndim(zoom) == 0 else zoom[axis]
        image = _lines(image, calls.zooms(image.shape[axis], factor, order, mode, prefilter, grid_mode), axis)
    return image


_X = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_K = np.array([[0.5, 1.0], [-0.25, 2.0]])

RECORDS: tuple[Primitive, ...] = (
    *rank_filters.RECORDS,
    linear(
        calls.correlated,
        {
            0: lambda ct, image, weights, mode, origin: calls.correlate_input(ct, weights, mode, origin),
            1: lambda ct, image, weights, mode, origin: calls.correlate_weights(ct, image, weights, mode, origin),
        },
        (_X, _K, "reflect", 0),
        of_complex=False,
    ),
    linear(
        calls.correlate_input,
        {
            0: lambda y_ct, ct, weights, mode, origin: calls.correlated(y_ct, weights, mode, origin),
            1: lambda y_ct, ct, weights, mode, origin: calls.correlate_weights(ct, y_ct, weights, mode, origin),
        },
        (_X, _K, "nearest", 0),
        of_complex=False,
    ),
    linear(
        calls.correlate_weights,
        {
            0: lambda w_ct, ct, image, weights, mode, origin: calls.correlated(image, w_ct, mode, origin),
            1: lambda w_ct, ct, image, weights, mode, origin: calls.correlate_input(ct, w_ct, mode, origin),
        },
        (_X, _X, _K, "wrap", 0),
        shapes=(2,),
        of_complex=False,
    ),
    general(calls.zooms, _zooms, result=_matrix, open_integers=True),
    general(calls.gaussian_weights, _gaussian_weights, open_integers=True),
    *image_splines.RECORDS,
)

_WEIGHTS = {"output": (None,), "mode": _BORDERS, "cval": (0.0,)}
_FILTERS = {"output": (None,), "mode": _BORDERS, "cval": ()}

DEFINITIONS: tuple[Definition, ...] = (
    image_splines.DEFINITIONS
    + rank_filters.DEFINITIONS
    + tuple(
        Definition(fn, body, Value.OWN, sequences=True, only=only)
        for fn, body, only in (
            (ndimage.correlate, _correlate, _WEIGHTS),
            (ndimage.convolve, _convolve, _WEIGHTS),
            (ndimage.correlate1d, _correlate1d, _WEIGHTS),
            (ndimage.convolve1d, _convolve1d, _WEIGHTS),
            (ndimage.gaussian_filter1d, _gaussian_filter1d, _FILTERS),
            (ndimage.gaussian_filter, _gaussian_filter, _FILTERS),
            (ndimage.uniform_filter1d, _uniform_filter1d, _FILTERS),
            (ndimage.uniform_filter, _uniform_filter, _FILTERS),
            (ndimage.sobel, _sobel, _FILTERS),
            (ndimage.prewitt, _prewitt, _FILTERS),
            (ndimage.laplace, _laplace, _FILTERS),
            (ndimage.gaussian_laplace, _gaussian_laplace, _FILTERS),
            (ndimage.gaussian_gradient_magnitude, _gaussian_gradient_magnitude, _FILTERS),
            (ndimage.zoom, _zoom, {"output": (None,), "cval": ()}),
        )
    )
)
