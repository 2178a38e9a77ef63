"""Differences, integrals and values of functions that are given by samples or by coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.complex_numbers import conjugate
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.facets import Contracts


def _diff(x: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return x
    if n < 0:
        raise ValueError("order must be non-negative")
    rank = np.ndim(x)
    if rank == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    before = () if prepend is None else (_end_like(prepend, x, axis),)
    after = () if append is None else (_end_like(append, x, axis),)
    if len(before) + len(after) > 0:
        x = np.concatenate((*before, x, *after), axis)
    rows = x if rank == 1 else np.swapaxes(x, 0, axis)
    for _ in range(n):
        rows = _steps(rows)
    return rows if rank == 1 else np.swapaxes(rows, 0, axis)


def _end_like(value: Any, x: Any, axis: Any) -> Any:
    """`value` as a part that joins `x` along `axis`: a number stands for a slice full of it."""
    if np.ndim(value) > 0:
        return value
    return np.broadcast_to(value, tuple([1 if k == axis % np.ndim(x) else x.shape[k] for k in range(np.ndim(x))]))


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    if x is None:
        if np.ndim(dx) > 0:
            return np.sum(dx * _sums_of_neighbours(y, axis), axis=axis) / 2.0
        if np.ndim(y) == 1:
            return dx * np.sum(y[1:] + y[:-1]) / 2.0
        rows = np.moveaxis(y, axis, -1)
        return dx * np.sum(rows[..., 1:] + rows[..., :-1], axis=-1) / 2.0
    if np.ndim(x) > 1 and np.ndim(x) != np.ndim(y):
        steps = np.swapaxes(_steps(np.swapaxes(x, 0, axis)), 0, axis)
        return np.sum(steps * _sums_of_neighbours(y, axis), axis=axis) / 2.0
    if np.ndim(y) == 1:
        return np.sum(_steps(x) * (y[1:] + y[:-1])) / 2.0
    rows = np.moveaxis(y, axis, -1)
    steps = _steps(x) if np.ndim(x) == 1 else np.moveaxis(_steps(np.moveaxis(x, axis, 0)), 0, -1)
    return np.sum(steps * (rows[..., 1:] + rows[..., :-1]), axis=-1) / 2.0


def _sums_of_neighbours(y: Any, axis: Any) -> Any:
    rows = np.swapaxes(y, 0, axis)
    return np.swapaxes(rows[1:] + rows[:-1], 0, axis)


def _steps(rows: Any) -> Any:
    """From each of `rows` to the next, of truths whether it is another, as `np.diff` has it."""
    return rows[1:] != rows[:-1] if np.asarray(rows).dtype == bool else rows[1:] - rows[:-1]


def _gradient(f: Any, *spacings: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    axes = range(np.ndim(f)) if axis is None else [axis] if isinstance(axis, (int, np.integer)) else axis
    steps = spacings * len(axes) if len(spacings) == 1 else spacings if len(spacings) > 0 else (1.0,) * len(axes)
    slopes = [_slopes(f, step, along, edge_order) for step, along in zip(steps, axes, strict=False)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slopes(f: Any, step: Any, axis: Any, edge_order: Any) -> Any:
    """Differences along `axis`: central ones inside, one-sided ones at the ends, of two samples or of three."""
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
    if edge_order != 1:
        near, far = (step, step) if np.ndim(step) == 0 else (step[1] - step[0], step[2] - step[1])
        first = _slope_at_the_end(rows[0], rows[1], rows[2], near, far)
        near, far = (-step, -step) if np.ndim(step) == 0 else (step[-2] - step[-1], step[-3] - step[-2])
        last = _slope_at_the_end(rows[-1], rows[-2], rows[-3], near, far)
    whole = np.concatenate((np.expand_dims(first, 0), inner, np.expand_dims(last, 0)), 0)
    return whole if axis == 0 else np.swapaxes(whole, 0, axis)


def _slope_at_the_end(end: Any, second: Any, third: Any, near: Any, far: Any) -> Any:
    """The slope at `end` of the parabola through it, the `second` sample, which is `near` from it, and the `third`, `far` on."""
    return (second - end) * (near + far) / (near * far) - (third - end) * near / (far * (near + far))


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
    if len(p) == 0:
        return y
    there = np.where(np.isfinite(x), y + 1, y * np.nan)
    y = (y + p[0]) * there  # as zero times `x` and `p[0]`, but for zero times an infinite cotangent
    for coefficient in p[1:]:
        y = y * x + coefficient
    return y


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
        unsupported("np.convolve has a derivative for the modes full, same and valid only")
    return full[min(n, m) - 1 : max(n, m)]


def _correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    a, v = np.atleast_1d(a), conjugate(np.atleast_1d(v))
    if a.shape[0] < v.shape[0]:  # the middle of an even number of sums is that of the longer one first
        return np.flip(_convolve(v, np.flip(a), mode))
    return _convolve(a, np.flip(v), mode)


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = np.ravel(ary)
    before = () if to_begin is None else (np.ravel(to_begin).astype(flat.dtype),)
    after = () if to_end is None else (np.ravel(to_end).astype(flat.dtype),)
    flat = flat[1:] - flat[:-1]
    return np.concatenate((*before, flat, *after)) if len(before) + len(after) > 0 else flat


def _unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> Any:
    """What is added are whole periods: they move with the length of one, and not with `p`."""
    p = np.asarray(p)
    steps = _diff(p, axis=axis)
    least = period / 2 if discont is None else discont
    low = -period / 2
    folded = np.mod(steps - low, period) + low
    folded = np.where((folded == low) & (steps > 0), -low, folded)
    turns = np.where(np.abs(steps) < least, 0.0, np.round((folded - steps) / period))
    total = np.swapaxes(np.cumsum(turns, axis=axis), 0, axis)
    rows = np.swapaxes(p + np.zeros_like(p), 0, axis)
    return np.swapaxes(np.concatenate((rows[:1], rows[1:] + total * period), 0), 0, axis)


def _logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0) -> Any:
    if np.ndim(base) > 0:
        unsupported("np.logspace has a derivative for one base only: write `base ** np.linspace(…)`")
    return np.power(base, np.linspace(start, stop, num, endpoint=endpoint))


def _geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
    if np.iscomplexobj(start) or np.iscomplexobj(stop):
        unsupported("np.geomspace has a derivative for real numbers only: their spirals depend on a branch")
    shares = np.linspace(0.0, 1.0, num, endpoint=endpoint)
    start = np.where(np.isfinite(start + stop), start, start * np.nan)  # its slope too: else infinite ones are lost beside zeros
    ratio = stop / start
    shares = np.reshape(shares, (-1,) + (1,) * np.ndim(ratio)) if np.ndim(ratio) > 0 else shares
    return start * ratio**shares


def _bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    if weights is None:
        return np.zeros(0)
    x, weights = np.asarray(x), np.asarray(weights)
    sums = np.zeros(max(int(np.max(x)) + 1 if x.shape[0] > 0 else 0, minlength))
    np.add.at(sums, x, weights)
    return sums


def _histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        unsupported("np.histogram has a derivative for numbers of bins, or for edges, only")
    if isinstance(bins, (list, tuple)):
        return np.asarray(bins)
    if np.ndim(bins) > 0:
        unsupported("np.histogram gives back the array of edges that it is given: give it a list, `list(edges)`")
    if range is not None:
        low, high = range
    elif np.size(a) == 0:
        low, high = 0.0, 1.0
    else:
        low, high = np.min(a), np.max(a)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Counts do not move, the sums of weights as these do; and so do the edges that follow from the least and the largest."""
    edges = _histogram_bin_edges(a, bins, range)
    flat = np.ravel(a)
    last = edges.shape[0] - 2
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    places = np.clip(np.searchsorted(edges, flat, side="right") - 1, 0, last)
    shares = np.where(inside, 1.0 if weights is None else np.ravel(weights), 0.0)
    sums = np.zeros(last + 1, dtype=shares.dtype)
    np.add.at(sums, places, shares)
    return (sums / (edges[1:] - edges[:-1]) / np.sum(sums) if density else sums), edges


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """As `_histogram`, of two coordinates."""
    columns, rows = bins if isinstance(bins, (list, tuple)) else (bins, bins)
    across, along = (None, None) if range is None else range
    xedges, yedges = _histogram_bin_edges(x, columns, across), _histogram_bin_edges(y, rows, along)
    m, n = xedges.shape[0] - 1, yedges.shape[0] - 1
    inside = (x >= xedges[0]) & (x <= xedges[-1]) & (y >= yedges[0]) & (y <= yedges[-1])
    places = np.clip(np.searchsorted(xedges, x, side="right") - 1, 0, m - 1) * n
    places = places + np.clip(np.searchsorted(yedges, y, side="right") - 1, 0, n - 1)
    sums = np.zeros(m * n)
    np.add.at(sums, places, np.where(inside, 1.0 if weights is None else weights, 0.0))
    found = np.reshape(sums, (m, n))
    if density:
        found = found / np.outer(np.diff(xedges), np.diff(yedges)) / np.sum(sums)
    return found, xedges, yedges


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.diff, _diff),
    Definition(np.trapezoid, _trapezoid, Value.IN_KERNELS),
    Definition(np.gradient, _gradient, Value.OWN),
    Definition(np.interp, _interp, Value.IN_KERNELS),
    Definition(np.polyval, _polyval, Value.IN_KERNELS, sequences=True),
    Definition(np.correlate, _correlate, Value.OWN, makes=True),
    Definition(np.ediff1d, _ediff1d, makes=True),
    Definition(np.unwrap, _unwrap, Value.OWN, makes=True),
    Definition(np.logspace, _logspace, Value.OWN, makes=True),
    Definition(np.geomspace, _geomspace, Value.OWN, makes=True),
    Definition(np.bincount, _bincount, Value.OWN, makes=True, unsized=True),
    Definition(np.histogram_bin_edges, _histogram_bin_edges, Value.OWN, sequences=True),
    Definition(np.histogram, _histogram, Value.OWN, sequences=True),
    Definition(np.histogram2d, _histogram2d, Value.OWN, sequences=True),
    Definition(np.convolve, _convolve, Value.IN_KERNELS, contracts=Contracts.CONVOLVE),
)
