"""Filters and convolutions in the forms of which rules are made, and their transposes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from adxform.runtime.run_time_checks import without_derivative


def correlated(a: Any, b: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """Return ``scipy.signal.correlate`` without the conjugate: linear in each of the two."""
    return signal.correlate(a, np.conj(b), mode, method)


def _window(shape: Any, a: Any, b: Any, mode: Any) -> tuple[slice, ...]:
    """Which part of a full convolution of `a` and `b` one of another mode is, which has this `shape`."""
    if mode == "valid":
        starts = [min(m, n) - 1 for m, n in zip(a.shape, b.shape, strict=True)]
    elif mode == "same":
        starts = [(n - 1) // 2 for n in b.shape]
    elif mode == "same as correlate2d":
        starts = [n // 2 for n in b.shape]
    else:
        starts = [0] * a.ndim
    return tuple(slice(start, start + n) for start, n in zip(starts, shape, strict=True))


def embedded(ct: Any, a: Any, b: Any, mode: Any) -> Any:
    """Return a full convolution of `a` and `b` that holds `ct` where one of `mode` is, and zeros elsewhere."""
    full = np.zeros([m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)], ct.dtype)
    full[_window(ct.shape, a, b, mode)] = ct
    return full


def taken_out(full: Any, ct: Any, a: Any, b: Any, mode: Any) -> Any:
    """Return the part of a full convolution of `a` and `b` that is one of `mode`, of the shape of `ct`."""
    return full[_window(ct.shape, a, b, mode)].copy()


def filtered(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    """Return ``scipy.signal.lfilter`` from rest."""
    if np.size(x) == 0:
        return np.zeros(np.shape(x), np.result_type(a, b, x))  # of nothing SciPy takes some filters only
    return signal.lfilter(b, a, x, axis)


def filtered_back(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    """Return the transpose of `filtered`: the filter, from the end to the beginning."""
    if np.size(x) == 0:
        return np.zeros(np.shape(x), np.result_type(a, b, x))
    return np.flip(signal.lfilter(b, a, np.flip(x, axis), axis), axis)


def filtered_from(b: Any, a: Any, x: Any, zi: Any, axis: Any = -1) -> Any:
    """Return ``scipy.signal.lfilter`` from a state, and the state after it."""
    return signal.lfilter(b, a, x, axis, zi)


def filtered_in_sections(sos: Any, x: Any, axis: Any = -1) -> Any:
    """Return ``scipy.signal.sosfilt`` from rest."""
    return signal.sosfilt(sos, x, axis)


def lag_products(y: Any, x: Any, b: Any, axis: Any = -1) -> Any:
    """Return, for each place `k` of `b`, the sum of ``y[n] * x[n - k]`` along `axis` and over all else.

    >>> lag_products(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.zeros(3))
    array([11.,  6.,  0.])
    """
    y, x = np.moveaxis(y, axis, -1), np.moveaxis(x, axis, -1)
    n = y.shape[-1]
    return np.array([np.sum(y[..., k:] * x[..., : max(n - k, 0)]) for k in range(len(b))], np.result_type(x, y))


def analytic_weights(x: Any, length: Any, axis: Any) -> Any:
    """Return what ``scipy.signal.hilbert`` multiplies a spectrum of so many terms with."""
    h = np.zeros(length, x.real.dtype)
    h[0] = 1
    h[1 : (length + 1) // 2] = 2
    if length % 2 == 0:
        h[length // 2] = 1
    shape = [1] * x.ndim
    shape[axis] = length
    return h.reshape(shape)


def resample_transpose(ct: Any, x: Any, num: Any, axis: Any, window: Any) -> Any:
    """Return the transpose of ``scipy.signal.resample``, by its matrix."""
    return _by_matrix(ct, signal.resample(np.eye(x.shape[axis]), num, axis=0, window=window), axis)


def resample_poly_transpose(ct: Any, x: Any, up: Any, down: Any, axis: Any, padtype: Any) -> Any:
    """Return the transpose of ``scipy.signal.resample_poly``, by its matrix."""
    matrix = signal.resample_poly(np.eye(x.shape[axis]), up, down, axis=0, padtype=padtype)
    return _by_matrix(ct, matrix, axis)


def _by_matrix(ct: Any, matrix: Any, axis: Any) -> Any:
    return np.moveaxis(np.tensordot(ct, matrix, ((axis,), (0,))), -1, axis).astype(ct.dtype)


def savgol_transpose(ct: Any, window_length: Any, polyorder: Any, deriv: Any, delta: Any, axis: Any, mode: Any) -> Any:
    """Return the transpose of ``scipy.signal.savgol_filter``: a matrix at the ends, a convolution between them."""
    w, h = window_length, window_length // 2
    rows = np.moveaxis(ct, axis, 0)
    n = len(rows)
    if mode != "interp" or n < 2 * w:
        whole = signal.savgol_filter(np.eye(n), w, polyorder, deriv, delta, axis=0, mode=mode)
        return _by_matrix(ct, whole, axis)
    ends = signal.savgol_filter(np.eye(w), w, polyorder, deriv, delta, axis=0)
    x_ct = np.zeros_like(rows)
    for k in range(w):
        x_ct[k : n - w + 1 + k] += ends[h, k] * rows[h : n - w + 1 + h]
    x_ct[:w] += np.tensordot(ends[:h].T, rows[:h], 1)
    x_ct[n - w :] += np.tensordot(ends[w - h :].T, rows[n - h :], 1)
    return np.moveaxis(x_ct, 0, axis)


def response(b: Any, a: Any, frequencies: Any, whole: Any, fs: Any, include_nyquist: Any) -> Any:
    """Return the second result of ``scipy.signal.freqz``."""
    return signal.freqz(b, a, frequencies, whole, fs=fs, include_nyquist=include_nyquist)[1]


def frequencies_of(frequencies: Any, whole: Any, fs: Any, include_nyquist: Any) -> Any:
    """Return the first result of ``scipy.signal.freqz``, which the filter says nothing of."""
    return signal.freqz(np.ones(1), 1, frequencies, whole, fs=fs, include_nyquist=include_nyquist)[0]


def phases(w: Any, count: Any, fs: Any) -> Any:
    """Return by how much so many coefficients of a filter turn at the frequencies `w`: a row for each of these."""
    return np.exp(-2j * np.pi / fs * np.multiply.outer(w, np.arange(count)))


def taper(window: Any, width: Any, count: int, usual: int) -> Any:
    """Return the window of a segment: an array as it is, or one by its name, of `width` or the `usual` length, or shorter.

    Raises:
        UnsupportedOperationError: the series has no elements.
    """
    if count == 0:
        raise without_derivative("the spectrum of a series without elements has no derivative")
    if isinstance(window, str | tuple):
        return signal.get_window(window, min(usual if width is None else int(width), count))
    return np.asarray(window)


def peaks(x: Any, *options: Any) -> Any:
    """Return the places that ``scipy.signal.find_peaks(x, *options)`` finds."""
    return signal.find_peaks(x, *options)[0]


def discretised(a: Any, b: Any, c: Any, d: Any, dt: Any, method: Any, alpha: Any) -> Any:
    """Return the matrices that ``scipy.signal.cont2discrete`` makes of four."""
    found = signal.cont2discrete((a, b, c, d), dt, method, alpha)[:4]
    return tuple(np.array(one, np.float64) for one in found)


def _of_axes(found: Any, axes: int, what: str) -> Any:
    if np.ndim(found) != axes:
        raise ValueError(f"scipy.signal.lsim has a derivative for {what}")
    return found


def simulated_states(a: Any, b: Any, u: Any, times: Any, start: Any, interp: Any) -> Any:
    """Return the states through which ``scipy.signal.lsim`` takes a system.

    Raises:
        ValueError: there is one state, or one time, of which SciPy returns a vector.
    """
    c, d = np.zeros((1, len(a))), np.zeros((1, b.shape[1]))
    return _of_axes(signal.lsim((a, b, c, d), u, times, start, interp)[2], 2, "two states or more, where these are read")


def simulated_output(a: Any, b: Any, c: Any, d: Any, u: Any, times: Any, start: Any, interp: Any) -> Any:
    """Return the output of a system that ``scipy.signal.lsim`` simulates.

    Raises:
        ValueError: there are several outputs, or one time, so that the output is no vector.
    """
    return _of_axes(signal.lsim((a, b, c, d), u, times, start, interp)[1], 1, "one output, at two times or more")


def stepped_states(a: Any, b: Any, u: Any, start: Any) -> Any:
    """Return the states through which ``scipy.signal.dlsim`` takes a system."""
    c, d = np.zeros((1, len(a))), np.zeros((1, b.shape[1]))
    return signal.dlsim((a, b, c, d, 1.0), u, x0=start)[2]


def stepped_output(a: Any, b: Any, c: Any, d: Any, u: Any, start: Any) -> Any:
    """Return the output of a system that ``scipy.signal.dlsim`` simulates."""
    return signal.dlsim((a, b, c, d, 1.0), u, x0=start)[1]
