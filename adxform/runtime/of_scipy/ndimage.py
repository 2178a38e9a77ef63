"""Filters of images in the forms of which rules are made, and their transposes: where elements come from beyond the borders."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, special

_PADS: dict[str, Any] = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}
"""What NumPy calls the borders of filters."""


def _origins(origin: Any, rank: int) -> list[int]:
    return [origin] * rank if np.ndim(origin) == 0 else list(origin)


def _margins(weights: Any, origin: Any) -> list[tuple[int, int]]:
    """How far a filter reaches before and after an element, along each axis."""
    before = [n // 2 + o for n, o in zip(weights.shape, _origins(origin, weights.ndim), strict=True)]
    return [(max(b, 0), max(n - 1 - b, 0)) for b, n in zip(before, weights.shape, strict=True)]


def _sources(n: int, before: int, after: int, mode: str) -> Any:
    """Which elements stand for those beyond the borders; minus one for none."""
    places = np.arange(n)
    if n == 0 or mode in ("constant", "grid-constant"):
        return np.pad(places, (before, after), constant_values=-1)
    return np.pad(places, (before, after), mode=_PADS[mode])


def _padded(x: Any, margins: Any, mode: str) -> Any:
    for axis, (before, after) in enumerate(margins):
        places = _sources(x.shape[axis], before, after, mode)
        x = np.take(x, places, axis)
        beyond = [slice(None)] * x.ndim
        beyond[axis] = places < 0
        x[tuple(beyond)] = 0
    return x


def _folded(ct: Any, shape: Any, margins: Any, mode: str) -> Any:
    """The transpose of `_padded`."""
    for axis, (before, after) in enumerate(margins):
        rows = np.moveaxis(ct, axis, 0)
        n = shape[axis]
        places = _sources(n, before, after, mode)
        inner = rows[before : before + n].copy()
        for k in (*range(before), *range(before + n, before + n + after)):
            if places[k] >= 0:
                inner[places[k]] += rows[k]
        ct = np.moveaxis(inner, 0, axis)
    return ct


def _starts(weights: Any, origin: Any, margins: Any) -> list[int]:
    """The place in a padded image from which the first element of a filtered one takes."""
    before = [n // 2 + o for n, o in zip(weights.shape, _origins(origin, weights.ndim), strict=True)]
    return [margin[0] - b for margin, b in zip(margins, before, strict=True)]


def _windows(weights: Any, shape: Any, starts: Any) -> Any:
    """For each place in a filter the part of the padded image that it is multiplied with."""
    for place in np.ndindex(*weights.shape):
        yield place, tuple(slice(s + k, s + k + n) for s, k, n in zip(starts, place, shape, strict=True))


def correlate_input(ct: Any, weights: Any, mode: Any, origin: Any) -> Any:
    """Return the cotangent of the image of ``scipy.ndimage.correlate``."""
    margins = _margins(weights, origin)
    starts = _starts(weights, origin, margins)
    whole = np.zeros([n + b + a for n, (b, a) in zip(ct.shape, margins, strict=True)], ct.dtype)
    for place, window in _windows(weights, ct.shape, starts):
        whole[window] += weights[place] * ct
    return _folded(whole, ct.shape, margins, mode)


def correlate_weights(ct: Any, image: Any, weights: Any, mode: Any, origin: Any) -> Any:
    """Return the cotangent of the weights of ``scipy.ndimage.correlate``."""
    margins = _margins(weights, origin)
    starts = _starts(weights, origin, margins)
    whole = _padded(image, margins, mode)
    found = np.zeros(weights.shape, np.result_type(ct, weights))
    for place, window in _windows(weights, ct.shape, starts):
        found[place] = np.sum(ct * whole[window])
    return found


def correlated(image: Any, weights: Any, mode: Any, origin: Any) -> Any:
    """Return ``scipy.ndimage.correlate``, with zeros beyond the borders where `mode` is ``"constant"``."""
    return ndimage.correlate(image, weights, mode=mode, cval=0.0, origin=origin)


def gaussian_weights(sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    """Return what ``scipy.ndimage.gaussian_filter1d`` weighs an element and its neighbours with."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    impulse = np.zeros(2 * reach + 1)
    impulse[reach] = 1.0
    return ndimage.gaussian_filter1d(impulse, sigma, order=order, mode="constant", truncate=truncate, radius=radius)[::-1].copy()


def zooms(n: int, zoom: Any, order: Any, mode: Any, prefilter: Any, grid_mode: Any) -> Any:
    """Return the matrix by which ``scipy.ndimage.zoom`` multiplies a line of `n`, with zeros for what comes from nowhere."""
    options = {"order": order, "mode": mode, "prefilter": prefilter, "grid_mode": grid_mode}
    if n == 0:
        return np.zeros((len(ndimage.zoom(np.zeros(0), zoom, **options)), 0))
    return np.stack([ndimage.zoom(line, zoom, **options) for line in np.eye(n)], axis=1)


def spline_line(x: Any, order: Any, axis: Any, mode: Any) -> Any:
    """Return ``scipy.ndimage.spline_filter1d``."""
    return ndimage.spline_filter1d(x, order, axis, np.complex128 if np.iscomplexobj(x) else np.float64, mode)


def spline_line_back(ct: Any, order: Any, axis: Any, mode: Any) -> Any:
    """Return the transpose of `spline_line`, by its matrix."""
    matrix = ndimage.spline_filter1d(np.eye(ct.shape[axis]), order, 0, mode=mode)
    return np.moveaxis(np.tensordot(ct, matrix, ((axis,), (0,))), -1, axis).astype(ct.dtype)


SPLINE_BORDERS = {"constant": "mirror", "wrap": "mirror", "grid-mirror": "reflect"}
"""Where the coefficients of a spline beyond the borders come from, if `mode` says otherwise than for coordinates."""


def within(c: Any, n: int, mode: Any) -> Any:
    """Return the coordinates within an axis of `n` that stand for those at `c`, in SciPy's own arithmetic.

    Beyond the borders of ``"nearest"`` and of ``"grid-constant"`` coefficients stand for others, not coordinates.

    >>> within(np.array([-0.5, 1.5, 4.5]), 4, "mirror"), within(np.array([-0.5, 4.5]), 4, "grid-wrap")
    (array([0.5, 1.5, 1.5]), array([3.5, 0.5]))
    """
    return _placed(c, n, mode)[0]


def turns(c: Any, n: int, mode: Any) -> Any:
    """Return the slopes of `within`: one, and minus one where an axis is gone through backwards."""
    return _placed(c, n, mode)[1]


def _placed(c: Any, n: int, mode: Any) -> tuple[Any, Any]:
    c = np.asarray(c, np.float64)
    one = np.ones_like(c)
    if mode in ("constant", "grid-constant", "nearest") or (n > 1 and np.all((c >= 0) & (c <= n - 1))):
        return c, one
    if n <= 1:
        return np.zeros_like(c), np.zeros_like(c)
    if mode in ("wrap", "grid-wrap"):
        size = n - 1 if mode == "wrap" else n
        before = c + size * (np.trunc(-c / size - (mode == "grid-wrap")) + 1)
        after = c - size * np.trunc(c / size)
        return np.where(c < 0, before, np.where(c > n - 1, after, c)), one
    twice = 0 if mode == "mirror" else 1
    size = 2 * n - 2 + 2 * twice
    after = c - size * np.trunc(c / size)
    if twice:
        before = np.where(c < -size, size * np.trunc(-c / size) + c, c)
        back, turned = before >= -n, np.where(before > -1e-15, 1e-15, -before) - 1
    else:
        before = size * np.trunc(-c / size) + c
        back, turned = before > 1 - n, -before
    found = np.where(c < 0, np.where(back, turned, before + size), np.where(after >= n, size - after - twice, after))
    backwards = np.where(c < 0, back, after >= n) & ((c < 0) | (c > n - 1))
    return np.where((c >= 0) & (c <= n - 1), c, found), np.where(backwards, -1.0, 1.0)


def first_neighbours(c: Any, order: Any) -> Any:
    """Return the places of the first coefficients of a spline of this order that reach the coordinates `c`."""
    return (np.floor(c if order % 2 else c + 0.5) - order // 2).astype(np.int64)


def coefficient_places(first: Any, order: int, n: int, mode: Any) -> Any:
    """Return which of `n` coefficients stand for those from `first` on, along a new axis ahead; minus one for none.

    >>> coefficient_places(np.array([-2]), 1, 3, "nearest"), coefficient_places(np.array([-1]), 1, 3, "grid-constant")
    (array([[0],
           [0]]), array([[-1],
           [ 0]]))
    """
    k = first + np.reshape(np.arange(order + 1), (-1, *[1] * np.ndim(first)))
    beyond = (k < 0) | (k >= n)
    if mode == "grid-constant":
        return np.where(beyond, -1, k)
    if mode == "nearest":
        return np.clip(k, 0, n - 1)
    if np.any(beyond):
        k[beyond] = np.clip(within(k[beyond], n, SPLINE_BORDERS.get(mode, mode)), 0, n - 1)
    return k


def interpolation_pad(order: Any, mode: Any, prefilter: Any) -> int:
    """Return by how many elements SciPy widens an image before it finds the coefficients of its spline."""
    return 12 if prefilter and order > 1 and mode in ("nearest", "grid-constant") else 0


def rotated_length(rows: int, columns: int, angle: Any, axis: int) -> int:
    """Return how many rows (`axis` 0) or columns there are after ``scipy.ndimage.rotate``, in SciPy's own arithmetic.

    >>> rotated_length(2, 4, 90.0, 0), rotated_length(2, 4, 45.0, 1)
    (4, 4)
    """
    c, s = special.cosdg(angle), special.sindg(angle)
    bounds = np.array([[c, s], [-s, c]]) @ [[0, 0, rows, rows], [0, columns, 0, columns]]
    return int((np.ptp(bounds, axis=1) + 0.5).astype(int)[axis])


def chosen(name: str, x: Any, *options: Any) -> Any:
    """Return the places in the flat `x` of the elements that a filter chooses, which asks for their order alone."""
    order = np.argsort(x, axis=None, kind="stable")
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.arange(order.size)
    return order[getattr(ndimage, name)(ranks.reshape(x.shape), *options)]
