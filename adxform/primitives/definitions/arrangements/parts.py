"""Parts of arrays, where they are, and what is made of whole ones: splits, meshes, choices."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _split_at(x: Any, places: Any, axis: Any) -> Any:
    rows = x if axis == 0 else np.swapaxes(x, 0, axis)
    parts = []
    start = 0
    for stop in places:
        parts.append(rows[start:stop] if axis == 0 else np.swapaxes(rows[start:stop], 0, axis))
        start = stop
    parts.append(rows[start:] if axis == 0 else np.swapaxes(rows[start:], 0, axis))
    return parts


def _split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if isinstance(indices_or_sections, (int, np.integer)):
        if x.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        width = x.shape[axis] // indices_or_sections
        return _split_at(x, [width * i for i in range(1, indices_or_sections)], axis)
    return _split_at(x, indices_or_sections, axis)


def _array_split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    x = np.asarray(x)
    if not isinstance(indices_or_sections, (int, np.integer)):
        return _split_at(x, indices_or_sections, axis)
    length = x.shape[axis]
    if indices_or_sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    width, wider = divmod(length, indices_or_sections)
    return _split_at(x, [width * i + min(i, wider) for i in range(1, indices_or_sections)], axis)


def _hsplit(x: Any, indices_or_sections: Any) -> Any:
    if np.ndim(x) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return _split(x, indices_or_sections, 0 if np.ndim(x) == 1 else 1)


def _vsplit(x: Any, indices_or_sections: Any) -> Any:
    if np.ndim(x) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return _split(x, indices_or_sections, 0)


def _dsplit(x: Any, indices_or_sections: Any) -> Any:
    if np.ndim(x) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return _split(x, indices_or_sections, 2)


def _append(x: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate((np.ravel(x), np.ravel(values)))
    return np.concatenate((x, values), axis)


def _meshgrid(*arrays: Any, indexing: Any = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines = [one if np.ndim(one) == 1 else np.reshape(one, -1) for one in arrays]
    if len(lines) == 2:
        return _two_meshes(lines[0], lines[1], indexing)
    swapped = indexing == "xy" and len(lines) > 2
    axes = [1 - k if swapped and k < 2 else k for k in range(len(lines))]
    shape = tuple([lines[axis].shape[0] for axis in axes])
    meshes = []
    for line, axis in zip(lines, axes, strict=True):
        along = tuple([-1 if k == axis else 1 for k in range(len(lines))])
        meshes.append(np.broadcast_to(np.reshape(line, along), shape).copy())
    return tuple(meshes)


def _two_meshes(a: Any, b: Any, indexing: Any) -> Any:
    if indexing == "ij":
        shape = (a.shape[0], b.shape[0])
        return np.broadcast_to(np.expand_dims(a, 1), shape).copy(), np.broadcast_to(b, shape).copy()
    shape = (b.shape[0], a.shape[0])
    return np.broadcast_to(a, shape).copy(), np.broadcast_to(np.expand_dims(b, 1), shape).copy()


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    for condition in condlist:
        if np.asarray(condition).dtype != bool:
            raise TypeError("invalid entry in condlist: should be boolean ndarray")
    y = default
    for i in range(len(condlist) - 1, -1, -1):
        y = np.where(condlist[i], choicelist[i], y)
    dtype = np.result_type(*[np.asarray(one) if isinstance(one, (list, tuple, range)) else one for one in choicelist], default)
    return y if y.dtype == dtype else y.astype(dtype)


def _nonzero(x: Any) -> Any:
    if np.ndim(x) == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    flat = np.flatnonzero(x)
    places: list[Any] = []
    for length in reversed(np.shape(x)):
        places.insert(0, flat % length)
        flat = flat // length
    return tuple(places)


def _matrix_transpose(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.split, _split, sequences=True),
    Definition(np.array_split, _array_split, sequences=True),
    Definition(np.hsplit, _hsplit, sequences=True),
    Definition(np.vsplit, _vsplit, sequences=True),
    Definition(np.dsplit, _dsplit, sequences=True),
    Definition(np.append, _append, makes=True),
    Definition(np.meshgrid, _meshgrid),
    Definition(np.select, _select, sequences=True, makes=True),
    Definition(np.nonzero, _nonzero),
    Definition(np.ndarray.nonzero, _nonzero),
    Definition(np.matrix_transpose, _matrix_transpose),
    Definition(np.linalg.matrix_transpose, _matrix_transpose),
)
