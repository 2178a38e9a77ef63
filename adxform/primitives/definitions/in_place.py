"""Functions that write into an array, as stores."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _fill(x: Any, value: Any) -> None:
    x[...] = value


def _copyto(dst: Any, src: Any) -> None:
    dst[...] = src


def _putmask(a: Any, mask: Any, values: Any) -> None:
    if np.size(mask) != np.size(a):
        raise ValueError("putmask: mask and data must be the same size")
    chosen = np.reshape(mask, np.shape(a)) != 0
    if np.ndim(values) == 0:
        a[chosen] = values
    elif np.size(values) > 0:
        a[chosen] = np.ravel(values)[np.flatnonzero(chosen) % np.size(values)]


def _put(a: Any, ind: Any, v: Any) -> None:
    places = np.ravel(ind)
    values = v if np.ndim(v) == 0 else np.ravel(v)[np.arange(np.size(places)) % np.size(v)]
    if np.ndim(a) == 1:
        a[places] = values
    else:
        a[np.unravel_index(places, a.shape)] = values


def _fill_diagonal(a: Any, val: Any) -> None:
    places = np.arange(min(a.shape[0], a.shape[1]))
    a[places, places] = val


def _sort_in_place(x: Any, axis: Any = -1) -> None:
    x[...] = np.sort(x, axis=axis)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.ndarray.fill, _fill),
    Definition(np.copyto, _copyto),
    Definition(np.putmask, _putmask),
    Definition(np.put, _put, sequences=True),
    Definition(np.fill_diagonal, _fill_diagonal),
    Definition(np.ndarray.sort, _sort_in_place),
)
