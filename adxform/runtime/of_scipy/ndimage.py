"""Filters of images in the forms of which rules are made, and their transposes: where elements come from beyond the borders."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

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
    if mode in ("constant", "grid-constant"):
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


def shifts(n: int, shift: Any, order: Any, mode: Any, prefilter: Any) -> Any:
    """Return the matrix by which ``scipy.ndimage.shift`` multiplies a line of `n`, with zeros for what comes from nowhere."""
    lines = [ndimage.shift(line, shift, order=order, mode=mode, prefilter=prefilter) for line in np.eye(n)]
    return np.stack(lines, axis=1)


def zooms(n: int, zoom: Any, order: Any, mode: Any, prefilter: Any, grid_mode: Any) -> Any:
    """Return the matrix by which ``scipy.ndimage.zoom`` multiplies a line of `n`, with zeros for what comes from nowhere."""
    options = {"order": order, "mode": mode, "prefilter": prefilter, "grid_mode": grid_mode}
    return np.stack([ndimage.zoom(line, zoom, **options) for line in np.eye(n)], axis=1)


def spline_line(x: Any, order: Any, axis: Any, mode: Any) -> Any:
    """Return ``scipy.ndimage.spline_filter1d``."""
    return ndimage.spline_filter1d(x, order, axis, mode=mode)


def spline_line_back(ct: Any, order: Any, axis: Any, mode: Any) -> Any:
    """Return the transpose of `spline_line`, by its matrix."""
    matrix = ndimage.spline_filter1d(np.eye(ct.shape[axis]), order, 0, mode=mode)
    return np.moveaxis(np.tensordot(ct, matrix, ((axis,), (0,))), -1, axis).astype(ct.dtype)
