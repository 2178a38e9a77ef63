"""NumPy functions by what they mean in terms of others; the front end inlines these, so they need no rule of their own."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives import stacking
from adxform.primitives.declare import primitive
from adxform.primitives.facets import Contracts
from adxform.primitives.numpy_reductions import count, restore
from adxform.primitives.record import Primitive


def _ptp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)


def _diff(x: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    if n < 0:
        raise ValueError("order must be non-negative")
    before = () if prepend is None else (_end_like(prepend, x, axis),)
    after = () if append is None else (_end_like(append, x, axis),)
    if len(before) + len(after) > 0:
        x = np.concatenate((*before, x, *after), axis)
    if np.ndim(x) == 1:
        for _ in range(n):
            x = x[1:] - x[:-1]
        return x
    rows = np.swapaxes(x, 0, axis)
    for _ in range(n):
        rows = rows[1:] - rows[:-1]
    return np.swapaxes(rows, 0, axis)


def _end_like(value: Any, x: Any, axis: Any) -> Any:
    """`value` as a part that joins `x` along `axis`: a number stands for a slice full of it."""
    if np.ndim(value) > 0:
        return value
    return np.asarray(value) + np.zeros_like(np.swapaxes(np.swapaxes(x, 0, axis)[:1], 0, axis))


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    if x is None:
        if np.ndim(y) == 1:
            return dx * np.sum(y[1:] + y[:-1]) / 2.0
        rows = np.moveaxis(y, axis, -1)
        return dx * np.sum(rows[..., 1:] + rows[..., :-1], axis=-1) / 2.0
    if np.ndim(x) > 1 and np.ndim(x) != np.ndim(y):
        ends = np.swapaxes(y, 0, axis)
        steps = np.swapaxes(_steps(np.swapaxes(x, 0, axis)), 0, axis)
        return np.sum(steps * np.swapaxes(ends[1:] + ends[:-1], 0, axis), axis=axis) / 2.0
    if np.ndim(y) == 1:
        return np.sum(_steps(x) * (y[1:] + y[:-1])) / 2.0
    rows = np.moveaxis(y, axis, -1)
    steps = _steps(x) if np.ndim(x) == 1 else np.moveaxis(_steps(np.moveaxis(x, axis, 0)), 0, -1)
    return np.sum(steps * (rows[..., 1:] + rows[..., :-1]), axis=-1) / 2.0


def _steps(rows: Any) -> Any:
    """From each of `rows` to the next, of truths whether it is another, as `np.diff` has it."""
    return rows[1:] != rows[:-1] if np.asarray(rows).dtype == bool else rows[1:] - rows[:-1]


def _average(x: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    x = np.asarray(x)
    if weights is None:
        mean = np.mean(x, axis=axis, keepdims=keepdims)
        return (mean, np.zeros_like(mean) + np.size(x) / np.size(mean)) if returned else mean
    weights = np.asarray(weights)
    if np.ndim(weights) == np.ndim(x):
        spread = weights
    else:
        spread = np.reshape(weights, tuple([-1 if i == axis % np.ndim(x) else 1 for i in range(np.ndim(x))]))
    total = np.sum(spread * np.ones_like(x), axis=axis, keepdims=keepdims)
    mean = np.sum(x * spread, axis=axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def _axes(axis: Any) -> Any:
    """`axis`, which may be a list here, as other functions take it."""
    return tuple(axis) if isinstance(axis, list) else axis


def _median(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    axis = _axes(axis)
    rows = np.sort(_rows(x, axis), axis=0)
    n = rows.shape[0]
    if n == 0:
        return _reduced(np.sum(rows, axis=0), x, axis, keepdims)
    return _reduced(0.5 * (rows[(n - 1) // 2] + rows[n // 2]), x, axis, keepdims)


def _rows(x: Any, axis: Any) -> Any:
    """`x` with the axes to be reduced made one, the first."""
    if axis is None:
        return np.ravel(x)
    if isinstance(axis, int):
        return np.moveaxis(x, axis, 0)
    moved = np.moveaxis(x, axis, tuple(range(len(axis))))
    return np.reshape(moved, (count(x, axis), *np.shape(moved)[len(axis) :]))


def _reduced(y: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """`y`, of which the axes of `x` reduced along `axis` are gone, as `keepdims` wants it."""
    if not keepdims:
        return y
    return np.reshape(y, (1,) * np.ndim(x)) if axis is None else np.expand_dims(y, axis)


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
    if isinstance(indices_or_sections, int):
        if x.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        width = x.shape[axis] // indices_or_sections
        return _split_at(x, [width * i for i in range(1, indices_or_sections)], axis)
    return _split_at(x, indices_or_sections, axis)


def _array_split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    x = np.asarray(x)
    if not isinstance(indices_or_sections, int):
        return _split_at(x, indices_or_sections, axis)
    if indices_or_sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    width, wider = divmod(x.shape[axis], indices_or_sections)
    return _split_at(x, [width * i + min(i, wider) for i in range(1, indices_or_sections)], axis)


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


def _divmod(a: Any, b: Any) -> Any:
    return a // b, a % b


def _np_divmod(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b), np.remainder(a, b)


def _matrix_power(a: Any, n: Any) -> Any:
    """The products that NumPy computes, one by one in its order: as many as the exponent has binary digits, twice at most."""
    if np.ndim(a) < 2 or a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError("the last two axes of a matrix that is multiplied by itself are of one length")
    n = operator.index(n)
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    if n < 0:
        a = np.linalg.inv(a)
        n = -n
    if n == 1:
        return a
    if n == 2:
        return a @ a
    if n == 3:
        return a @ a @ a
    while n % 2 == 0:
        a = a @ a
        n //= 2
    result = a
    while n > 1:
        n //= 2
        a = a @ a
        if n % 2 == 1:
            result = result @ a
    return result


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    xp, fp = _as_numbers(xp), _as_numbers(fp)
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if left is not None:
        return np.where(x < xp[0], left, _interp(x, xp, fp, None, right))
    if right is not None:
        return np.where(x > xp[-1], right, _interp(x, xp, fp))
    if xp.shape[0] == 1:
        return fp[0] + np.zeros_like(x)
    inside = np.clip(x, xp[0], xp[-1])
    k = np.clip(np.searchsorted(xp, inside, side="right") - 1, 0, xp.shape[0] - 2)
    start, width = xp[k], xp[k + 1] - xp[k]
    return fp[k] + (inside - start) / width * (fp[k + 1] - fp[k])


def _as_numbers(x: Any) -> Any:
    """`x` with numbers for truths."""
    return 1.0 * x if np.asarray(x).dtype == bool else x


def _polyval(p: Any, x: Any) -> Any:
    y = np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    y = default
    for i in range(len(condlist) - 1, -1, -1):
        y = np.where(condlist[i], choicelist[i], y)
    return y


def _quantile(x: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.ndim(q) == 1:
        return np.array([_quantile(x, one, axis, keepdims=keepdims) for one in q])
    x, axis = np.asarray(x), _axes(axis)
    rows = np.sort(_rows(x, axis), axis=0)
    last = rows.shape[0] - 1
    place = q * last
    left = min(int(place), last)
    right = min(left + 1, last)
    return _reduced(rows[left] + (place - left) * (rows[right] - rows[left]), x, axis, keepdims)


def _percentile(x: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.ndim(q) == 1:
        return np.array([_quantile(x, one / 100.0, axis, keepdims=keepdims) for one in q])
    return _quantile(x, q / 100.0, axis, keepdims=keepdims)


def _cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    rows = np.atleast_2d(m) if rowvar or np.ndim(m) == 1 else np.atleast_2d(m).T
    if y is not None:
        more = np.atleast_2d(y)
        rows = np.concatenate((rows, more if rowvar or more.shape[0] == 1 else more.T), 0)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    lost = (0 if bias else 1) if ddof is None else ddof
    product = centred @ centred.T / np.float64(max(rows.shape[1] - lost, 0))
    return np.squeeze(product)


def _vecdot(a: Any, b: Any) -> Any:
    return np.sum(a * b, axis=-1)


def _hsplit(x: Any, indices_or_sections: Any) -> Any:
    if np.ndim(x) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return _split(x, indices_or_sections, 0 if np.ndim(x) == 1 else 1)


def _vsplit(x: Any, indices_or_sections: Any) -> Any:
    if np.ndim(x) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return _split(x, indices_or_sections, 0)


def _columns(a: Any, b: Any) -> Any:
    """`a` with an axis of one behind for each axis of `b`: the first operand of an outer product."""
    return np.reshape(a, np.shape(a) + (1,) * np.ndim(b))


def _add_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) + b


def _subtract_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) - b


def _multiply_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) * b


def _divide_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) / b


def _maximum_outer(a: Any, b: Any) -> Any:
    return np.maximum(_columns(a, b), b)


def _minimum_outer(a: Any, b: Any) -> Any:
    return np.minimum(_columns(a, b), b)


def _add_reduce(x: Any, axis: Any = 0) -> Any:
    return np.sum(x, axis=axis)


def _multiply_reduce(x: Any, axis: Any = 0) -> Any:
    return np.prod(x, axis=axis)


def _maximum_reduce(x: Any, axis: Any = 0) -> Any:
    return np.max(x, axis=axis)


def _minimum_reduce(x: Any, axis: Any = 0) -> Any:
    return np.min(x, axis=axis)


def _add_accumulate(x: Any, axis: Any = 0) -> Any:
    if np.ndim(x) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if axis is None and np.ndim(x) > 1:
        raise ValueError("accumulate does not allow multiple axes")
    return np.cumsum(x, axis=axis)


def _accumulated(join: Any, x: Any, axis: Any) -> Any:
    """Each row along `axis` joined with what came of those before it."""
    if np.ndim(x) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if axis is None and np.ndim(x) > 1:
        raise ValueError("accumulate does not allow multiple axes")
    axis = 0 if axis is None else axis
    rows = np.copy(x if axis == 0 else np.swapaxes(x, 0, axis))
    for k in range(1, rows.shape[0]):
        rows[k] = join(rows[k - 1], rows[k])
    return rows if axis == 0 else np.swapaxes(rows, 0, axis)


def _maximum_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.maximum, x, axis)


def _minimum_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.minimum, x, axis)


def _multiply_accumulate(x: Any, axis: Any = 0) -> Any:
    if np.ndim(x) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if axis is None and np.ndim(x) > 1:
        raise ValueError("accumulate does not allow multiple axes")
    return np.cumprod(x, axis=axis)


def _gradient(f: Any, *spacings: Any, axis: Any = None) -> Any:
    axes = range(np.ndim(f)) if axis is None else [axis] if isinstance(axis, int) else axis
    steps = spacings * len(axes) if len(spacings) == 1 else spacings if len(spacings) > 0 else (1.0,) * len(axes)
    slopes = [_slopes(f, step, along) for step, along in zip(steps, axes, strict=False)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slopes(f: Any, step: Any, axis: Any) -> Any:
    """Differences along `axis`: central ones inside, one-sided ones at the ends."""
    rows = f if axis == 0 else np.swapaxes(f, 0, axis)
    if np.ndim(step) == 0:
        inner = (rows[2:] - rows[:-2]) / (2.0 * step)
        first, last = (rows[1] - rows[0]) / step, (rows[-1] - rows[-2]) / step
    else:
        gaps = np.reshape(step[1:] - step[:-1], (-1,) + (1,) * (np.ndim(f) - 1))
        left, right = gaps[:-1], gaps[1:]
        inner = (rows[1:-1] - rows[:-2]) * right / (left * (left + right))
        inner = inner + (rows[2:] - rows[1:-1]) * left / (right * (left + right))
        first, last = (rows[1] - rows[0]) / (step[1] - step[0]), (rows[-1] - rows[-2]) / (step[-1] - step[-2])
    whole = np.concatenate((np.expand_dims(first, 0), inner, np.expand_dims(last, 0)), 0)
    return whole if axis == 0 else np.swapaxes(whole, 0, axis)


def _nonzero(x: Any) -> Any:
    flat = np.flatnonzero(x)
    places: list[Any] = []
    for length in reversed(np.shape(x)):
        places.insert(0, flat % length)
        flat = flat // length
    return tuple(places)


def _matrix_transpose(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _cumulative_sum(x: Any, *, axis: Any = None) -> Any:
    return np.cumsum(x, axis=axis)


def _convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    n, m = a.shape[0], v.shape[0]
    full = np.zeros(n + m - 1, dtype=(a[0] * v[0]).dtype)
    for j in range(m):
        full[j : j + n] += a * v[j]
    if mode in ("full", 2):
        return full
    if mode in ("same", 1):
        start = (min(n, m) - 1) // 2
        return full[start : start + max(n, m)]
    if mode not in ("valid", 0):
        raise NotImplementedError("np.convolve has a derivative for the modes full, same and valid only")
    return full[min(n, m) - 1 : max(n, m)]


def _nanmax(x: Any, axis: Any = None) -> Any:
    return np.max(np.where(np.isnan(x), -np.inf, x), axis=axis)


def _nanmin(x: Any, axis: Any = None) -> Any:
    return np.min(np.where(np.isnan(x), np.inf, x), axis=axis)


def _logaddexp_reduce(x: Any, axis: Any = 0) -> Any:
    if np.size(x) == 0:
        return np.sum(x, axis=axis) - np.inf
    largest = np.max(x, axis=axis)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    return np.log(np.sum(np.exp(x - restore(shift, axis, False)), axis=axis)) + shift


def _fsum(numbers: Any) -> Any:
    if isinstance(numbers, np.ndarray):
        return runtime.exact_sum(numbers)
    return runtime.exact_sum(np.array([float(number) for number in numbers], dtype=np.float64))


def _product(numbers: Any, *, start: Any = 1) -> Any:
    total = start
    for k, number in enumerate(numbers):
        total = start * number if k == 0 else total * number  # what does not move is not multiplied by an infinite slope
    return total


def _distance(p: Any, q: Any) -> Any:
    total = 0.0
    for a, b in zip(p, q, strict=True):
        total = total + (float(a) - float(b)) ** 2
    return math.sqrt(total)


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


def _subtract_at(a: Any, indices: Any, b: Any) -> None:
    np.add.at(a, indices, -b)


DEFINITIONS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        **stacking.DEFINITIONS,
        np.ptp: _ptp,
        np.diff: _diff,
        np.trapezoid: _trapezoid,
        np.average: _average,
        np.median: _median,
        np.split: _split,
        np.append: _append,
        np.meshgrid: _meshgrid,
        np.linalg.matrix_power: _matrix_power,
        np.interp: _interp,
        np.polyval: _polyval,
        np.select: _select,
        np.quantile: _quantile,
        np.percentile: _percentile,
        np.cov: _cov,
        np.vecdot: _vecdot,
        np.linalg.vecdot: _vecdot,
        np.array_split: _array_split,
        np.hsplit: _hsplit,
        np.vsplit: _vsplit,
        np.add.outer: _add_outer,
        np.subtract.outer: _subtract_outer,
        np.multiply.outer: _multiply_outer,
        np.divide.outer: _divide_outer,
        np.maximum.outer: _maximum_outer,
        np.minimum.outer: _minimum_outer,
        np.add.reduce: _add_reduce,
        np.multiply.reduce: _multiply_reduce,
        np.maximum.reduce: _maximum_reduce,
        np.minimum.reduce: _minimum_reduce,
        np.add.accumulate: _add_accumulate,
        np.maximum.accumulate: _maximum_accumulate,
        np.minimum.accumulate: _minimum_accumulate,
        np.multiply.accumulate: _multiply_accumulate,
        np.gradient: _gradient,
        np.matrix_transpose: _matrix_transpose,
        np.linalg.matrix_transpose: _matrix_transpose,
        np.cumulative_sum: _cumulative_sum,
        np.convolve: _convolve,
        np.nanmax: _nanmax,
        np.nanmin: _nanmin,
        np.nonzero: _nonzero,
        np.ndarray.nonzero: _nonzero,
        np.logaddexp.reduce: _logaddexp_reduce,
        math.fsum: _fsum,
        math.prod: _product,
        math.dist: _distance,
        np.ndarray.fill: _fill,
        np.copyto: _copyto,
        np.putmask: _putmask,
        np.put: _put,
        np.fill_diagonal: _fill_diagonal,
        np.ndarray.sort: _sort_in_place,
        np.subtract.at: _subtract_at,
        builtins.divmod: _divmod,
        np.divmod: _np_divmod,
    }
)

IN_KERNELS: frozenset[Callable[..., Any]] = frozenset(
    {
        np.average,
        np.convolve,
        np.interp,
        np.linalg.vecdot,
        np.logaddexp.reduce,
        np.polyval,
        np.ptp,
        np.trapezoid,
        np.vecdot,
        math.dist,
        math.prod,
    }
)
"""Functions whose definitions differ from them in rounding only: kernels take the definition, Python the function itself."""

OWN_VALUES: frozenset[Callable[..., Any]] = IN_KERNELS | {
    np.cov,
    np.gradient,
    np.median,
    np.nanmax,
    np.nanmin,
    np.percentile,
    np.quantile,
    math.fsum,
}
"""Functions whose value is that of their own call; the definition tells how it moves. All others have that of the definition."""

OF_SEQUENCES: frozenset[Callable[..., Any]] = frozenset(
    {
        *stacking.DEFINITIONS,
        *(np.select, np.split, np.array_split, np.hsplit, np.vsplit, np.polyval, np.average, np.quantile, np.percentile, np.put),
        *(math.dist, math.fsum, math.prod),
    }
)
"""Functions that take lists and tuples as they are; those that others are given become arrays first."""

RECORDS: tuple[Primitive, ...] = (
    *(primitive(fn, None) for fn in DEFINITIONS if fn in OWN_VALUES and fn is not np.convolve),
    primitive(np.convolve, None, contracts=Contracts.CONVOLVE),
)
