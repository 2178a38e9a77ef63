"""What `scipy.signal` makes of neighbours: medians, which move as the element that they choose, and Wiener's filter."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from adxform import runtime
from adxform.primitives.definitions.definition import Definition, Value


def _check_axes(axes: int) -> None:
    """Raise where there is no derivative; called with what is known, so that the call is refused before it runs."""
    if axes == 0 or axes > 2:
        raise NotImplementedError("scipy.signal.medfilt has a derivative of vectors and of images")


def _medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The median among neighbours, of which those beyond the borders are zeros."""
    volume = np.asarray(volume)
    axes = np.ndim(volume)
    _check_axes(axes)
    size = 3 if kernel_size is None else kernel_size
    rows = size if isinstance(size, int) else size[0]
    k = rows // 2
    if axes == 1:
        found = ndimage.rank_filter(np.pad(volume, k), k, (rows,))
        return found[k : k + volume.shape[0]]
    columns = size if isinstance(size, int) else size[-1]
    j = columns // 2
    found = ndimage.rank_filter(np.pad(volume, ((k, k), (j, j))), rows * columns // 2, (rows, columns))
    return found[k : k + volume.shape[0], j : j + volume.shape[1]]


def _medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    return _medfilt(input, kernel_size)


def _wiener(im: Any, mysize: Any = None, noise: Any = None) -> Any:
    """The mean among neighbours, and what is left of the difference from it beside noise; beyond the borders are zeros.

    Source: Lim, Two-Dimensional Signal and Image Processing (1990), section 9.2.
    """
    im = np.asarray(im)
    if np.size(im) == 0:
        raise runtime.without_derivative("scipy.signal.wiener has no derivative of an array without elements")
    size = (3 if mysize is None else mysize,) * np.ndim(im) if mysize is None or isinstance(mysize, int) else tuple(mysize)
    around = np.ones(size)
    count = 1.0 * np.size(around)
    mean = signal.correlate(im, around, "same") / count
    variance = signal.correlate(im * im, around, "same") / count - mean * mean
    least = np.mean(variance) if noise is None else noise
    quiet = variance < least
    return np.where(quiet, mean, mean + (im - mean) * (1.0 - least / np.where(quiet, 1.0, variance)))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(signal.medfilt, _medfilt, Value.OWN, sequences=True),
    Definition(signal.wiener, _wiener, Value.OWN),
    Definition(signal.medfilt2d, _medfilt2d, Value.OWN, sequences=True),
)
