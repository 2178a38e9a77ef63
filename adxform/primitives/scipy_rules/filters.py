"""The filters and convolutions of `scipy.signal`.

A filter `a` of past outputs and `b` of inputs means ``A y = B x`` with triangular matrices of its coefficients, so its transpose
is the filter from the end to the beginning; a state before it is added to the first inputs, and one after it is what is left.

Source: Oppenheim and Schafer, Discrete-Time Signal Processing (2010), section 6.4 (transposed direct form II).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import fft, signal

from adxform import runtime
from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Several, Type
from adxform.primitives.declare import constant, general, linear, primitive
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import SHAPE_ONLY, Primitive
from adxform.primitives.scipy_rules import linear_systems, sampling_rates, signal_medians, spectral_estimates, window_shapes
from adxform.runtime.of_scipy import signal as calls


def _convolution(fn: Callable[..., Any]) -> Primitive:
    """A convolution: the transpose in each operand is a convolution with the other one backwards."""

    def first(ct: Any, in1: Any, in2: Any, mode: Any = "full") -> Any:
        return fn(calls.embedded(ct, in1, in2, mode), np.flip(in2), "valid")

    def second(ct: Any, in1: Any, in2: Any, mode: Any = "full") -> Any:
        return fn(calls.embedded(ct, in1, in2, mode), np.flip(in1), "valid")

    return linear(fn, {0: first, 1: second}, *_PAIRS)


def _convolve_first(ct: Any, in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(calls.embedded(ct, in1, in2, mode), np.flip(in2), "valid", method)


def _convolve_second(ct: Any, in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(calls.embedded(ct, in1, in2, mode), np.flip(in1), "valid", method)


def _correlated_first(ct: Any, a: Any, b: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(calls.embedded(ct, a, b, mode), b, "valid", method)


def _correlated_second(ct: Any, a: Any, b: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return np.flip(signal.convolve(calls.embedded(ct, a, b, mode), np.flip(a), "valid", method))


def _correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return calls.correlated(in1, np.conjugate(in2) if np.iscomplexobj(in2) else in2, mode, method)


def _convolve2d(in1: Any, in2: Any, mode: Any = "full") -> Any:
    y = signal.convolve2d(in1, in2, mode)

    def pullback(ct: Any) -> Any:
        full = calls.embedded(ct, in1, in2, mode)
        return signal.convolve2d(full, np.flip(in2), "valid"), signal.convolve2d(full, np.flip(in1), "valid")

    return y, pullback


def _correlate2d(in1: Any, in2: Any, mode: Any = "full") -> Any:
    y = signal.correlate2d(in1, in2, mode)
    place = "same as correlate2d" if mode == "same" else mode

    def pullback(ct: Any) -> Any:
        full = calls.embedded(ct, in1, in2, place)
        return signal.convolve2d(full, in2, "valid"), np.flip(signal.convolve2d(full, np.flip(in1), "valid"))

    return y, pullback


def _filtered(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    y = calls.filtered(b, a, x, axis)

    def pullback(ct: Any) -> Any:
        back = calls.filtered_back(np.ones(1), a, ct, axis)
        x_ct = calls.filtered_back(b, np.ones(1), back, axis)
        return calls.lag_products(back, x, b, axis), -calls.lag_products(back, y, a, axis), x_ct

    return y, pullback


def _filtered_back(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    y = calls.filtered_back(b, a, x, axis)

    def pullback(ct: Any) -> Any:
        on = calls.filtered(np.ones(1), a, ct, axis)
        return calls.lag_products(x, on, b, axis), -calls.lag_products(y, on, a, axis), calls.filtered(b, np.ones(1), on, axis)

    return y, pullback


def _filtered_from(b: Any, a: Any, x: Any, zi: Any, axis: Any = -1) -> Any:
    """The state after it is what a filter that goes on over zeros would take from before."""
    y, zf = calls.filtered_from(b, a, x, zi, axis)

    def pullback(y_ct: Any, zf_ct: Any) -> Any:
        n, more = x.shape[axis], zf.shape[axis]
        tail = zf_ct / a[0]
        after = np.concatenate((np.zeros_like(y_ct), tail), axis=axis)
        later = runtime.of_length(calls.filtered_back(a, np.ones(1), after, axis), n, axis)
        back = np.concatenate((calls.filtered_back(np.ones(1), a, y_ct - later, axis), tail), axis=axis)
        x_ct = runtime.of_length(calls.filtered_back(b, np.ones(1), back, axis), n, axis)
        b_ct = calls.lag_products(back, runtime.of_length(x, n + more, axis), b, axis)
        a_ct = -calls.lag_products(back, runtime.of_length(y, n + more, axis), a, axis)
        begin = runtime.of_length(back, more, axis)
        a_ct[0] += np.sum(zi * begin) - np.sum(tail * zf)
        return b_ct, a_ct, x_ct, runtime.unbroadcast(a[0] * begin, zi)

    return (y, zf), pullback


def _common_float(args: tuple[Operand, ...]) -> str | None:
    """The dtype that arrays of floats have in common; ``None`` where there are others among `args`."""
    dtypes = [np.dtype(arg.type.dtype) for arg in args if isinstance(arg, Var) and isinstance(arg.type, Array)]
    floats = len(dtypes) == len(args) and all(dtype.kind == "f" for dtype in dtypes)
    return dtype_name(np.result_type(*dtypes)) if floats else None


def _filtered_types(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    """The types of what is filtered and of a state, which is as long as the one before."""
    axis = args[4] if len(args) > 4 else Lit(-1)
    dtype = _common_float(args[:4])
    match args[2:4], axis:
        case (Var(_, Array(_, tuple() as shape)), Var(_, Array(_, tuple() as state))), Lit(int() as place):
            if len(state) != len(shape) or dtype is None or not -len(shape) <= place < len(shape):
                return None
            place %= len(shape)
            return Several((Array(dtype, shape), Array(dtype, (*shape[:place], state[place], *shape[place + 1 :]))), tuple)
        case _:
            return None


def _filtered_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of what real coefficients make of a signal, the third of `args`: samples are too short to tell."""
    arrays = [arg.type for arg in args[:3] if isinstance(arg, Var) and isinstance(arg.type, Array)]
    match args[2]:
        case Var(_, Array(_, tuple() as shape) as signal_type) if all(np.dtype(one.dtype).kind != "c" for one in arrays):
            return Array("float64" if signal_type.dtype == "float64" else _common_float(args[:3]) or "float64", shape)
        case _:
            return None


def _lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if zi is None:
        return calls.filtered(b, a, x, axis)
    return calls.filtered_from(b, a, x, zi, axis)


def _filtered_in_sections(sos: Any, x: Any, axis: Any = -1) -> Any:
    """What goes into each section is filtered once more."""
    y = calls.filtered_in_sections(sos, x, axis)

    def pullback(ct: Any) -> Any:
        count, one = sos.shape[0], np.ones(1)
        between = np.zeros((count + 1, *x.shape), dtype=y.dtype)
        between[0] = x
        for k in range(count):
            between[k + 1] = calls.filtered(sos[k, :3], sos[k, 3:], between[k], axis)
        sos_ct = np.zeros_like(sos)
        for k in range(count - 1, -1, -1):
            back = calls.filtered_back(one, sos[k, 3:], ct, axis)
            sos_ct[k, :3] = calls.lag_products(back, between[k], sos[k, :3], axis)
            sos_ct[k, 3:] = -calls.lag_products(back, between[k + 1], sos[k, 3:], axis)
            ct = calls.filtered_back(sos[k, :3], one, back, axis)
        return sos_ct, ct

    return y, pullback


def like_signal(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a filtered signal: that of the signal, the second of `args`."""
    dtype = _common_float(args[:2])
    match args[1]:
        case Var(_, Array(_, tuple() as shape)) if dtype is not None:
            return Array(dtype, shape)
        case _:
            return None


def _resampled(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type where the run alone knows a rate: samples, in which integers are equal, would say that the length stays."""
    match args:
        case (Var(_, Array(dtype, shape)), up, down, *_) if not (isinstance(up, Lit) and isinstance(down, Lit)):
            return Array(dtype, (Dim("?*"),) if shape is not None and len(shape) == 1 else None)
        case _:
            return None


def _lfilter_zi(b: Any, a: Any) -> Any:
    count = max(b.shape[0], a.shape[0])
    b, a = runtime.of_length(b, count, 0) / a[0], runtime.of_length(a, count, 0) / a[0]
    rest = b[1:] - a[1:] * b[0]
    first = np.sum(rest) / np.sum(a)
    return first * np.cumsum(a)[:-1] - np.concatenate((np.zeros(1), np.cumsum(rest)[:-1]))


def _filtfilt(
    b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad", irlen: Any = None
) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    edge = 3 * max(b.shape[0], a.shape[0]) if padlen is None else padlen
    edge = 0 if padtype is None else edge
    rows = np.moveaxis(x, axis, 0)
    n = rows.shape[0]
    if n <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    longer = rows
    if edge > 0:
        before, after = rows[1 : edge + 1][::-1], rows[n - edge - 1 : n - 1][::-1]
        if padtype == "odd":
            before, after = 2.0 * rows[:1] - before, 2.0 * rows[n - 1 :] - after
        elif padtype == "constant":
            before, after = rows[:1] + 0.0 * before, rows[n - 1 :] + 0.0 * after
        longer = np.concatenate((before, rows, after), axis=0)
    zi = np.reshape(signal.lfilter_zi(b, a), (-1,) + (1,) * (np.ndim(x) - 1))
    y, _ = signal.lfilter(b, a, longer, axis=0, zi=zi * longer[:1])
    y = y[::-1]
    y, _ = signal.lfilter(b, a, y, axis=0, zi=zi * y[:1])
    y = y[::-1]
    return np.moveaxis(y[edge : edge + n], 0, axis)


def _detrend_transpose(ct: Any, data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0) -> Any:
    """What is left of a projection is one."""
    return signal.detrend(ct, axis, type, bp)


def _savgol_transpose(
    ct: Any, x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1, mode: Any = "interp"
) -> Any:
    return calls.savgol_transpose(ct, window_length, polyorder, deriv, delta, axis, mode)


def _hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    def pullback(ct: Any) -> Any:
        weights = calls.analytic_weights(ct, ct.shape[axis], axis)
        whole = np.real(fft.fft(weights * fft.ifft(ct, None, axis), None, axis))
        return whole if N is None else runtime.of_length(whole, x.shape[axis], axis)

    return signal.hilbert(x, N, axis), pullback


def _response(b: Any, a: Any, frequencies: Any, whole: Any, fs: Any, include_nyquist: Any) -> Any:
    h = calls.response(b, a, frequencies, whole, fs, include_nyquist)

    def pullback(ct: Any) -> Any:
        w = frequencies if np.ndim(frequencies) > 0 else calls.frequencies_of(frequencies, whole, fs, include_nyquist)
        turns = calls.phases(w, a.shape[0], fs)
        back = ct / (turns @ a)
        b_ct, a_ct = back @ calls.phases(w, b.shape[0], fs), -((back * h) @ turns)
        if np.ndim(frequencies) == 0:
            return b_ct, a_ct, None, None, None, None
        each = -2j * np.pi / fs
        slope = (calls.phases(w, b.shape[0], fs) * (each * np.arange(b.shape[0]))) @ b
        slope = slope - h * ((turns * (each * np.arange(a.shape[0]))) @ a)
        return b_ct, a_ct, np.real(back * slope), None, None, None

    return h, pullback


def _phases(w: Any, count: Any, fs: Any) -> Any:
    turns = calls.phases(w, count, fs)

    def pullback(ct: Any) -> Any:
        return np.real(np.sum(ct * turns * (-2j * np.pi / fs * np.arange(count)), axis=1)), None, None

    return turns, pullback


def _freqz(
    b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, plot: Any = None, fs: Any = 2 * np.pi, include_nyquist: Any = False
) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(1.0 * a)
    if np.ndim(b) > 1 or np.ndim(a) > 1:
        unsupported("scipy.signal.freqz has a derivative of vectors of coefficients")
    frequencies = 512 if worN is None else worN
    w = frequencies if np.ndim(frequencies) > 0 else calls.frequencies_of(frequencies, whole, fs, include_nyquist)
    return w, calls.response(b, a, frequencies, whole, fs, include_nyquist)


_X = np.array([1.0, -0.5, 2.0, 0.25])
_H = np.array([0.5, -1.0, 0.25])


_PAIRS = ((_X, _H), (_X, _H, "same"), (_X, _H, "valid"), (_H, _X, "same"))
_A = np.array([1.0, -0.5])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_LONG = np.array([1.0, -0.5, 2.0, 0.25, 1.5, -1.0, 0.75])

_WINDOWS = ("boxcar", "triang", "parzen", "bohman", "blackman", "nuttall", "blackmanharris", "flattop", "bartlett", "barthann",
            "hamming", "hann", "cosine", "lanczos")  # fmt: skip
_WITH_PARAMETERS = ("chebwin", "taylor", "dpss", "kaiser_bessel_derived")

RECORDS: tuple[Primitive, ...] = (
    *spectral_estimates.RECORDS,
    linear(signal.convolve, {0: _convolve_first, 1: _convolve_second}, *_PAIRS),
    _convolution(signal.fftconvolve),
    _convolution(signal.oaconvolve),
    linear(calls.correlated, {0: _correlated_first, 1: _correlated_second}, *_PAIRS),
    general(signal.convolve2d, _convolve2d, (_M, _M), (_M, _M[:, :2], "same"), linear_in=(0,), of_complex=True),
    general(signal.correlate2d, _correlate2d, (_M, _M), (_M, _M[:, :2], "same"), linear_in=(0,)),
    linear(calls.embedded, lambda full, ct, a, b, mode: calls.taken_out(full, ct, a, b, mode), shapes=(1, 2)),
    linear(calls.taken_out, lambda y_ct, full, ct, a, b, mode: calls.embedded(y_ct, a, b, mode), shapes=(1, 2, 3)),
    general(calls.filtered, _filtered, (_H, _A, _X), linear_in=(2,)),
    general(calls.filtered_back, _filtered_back, (_H, _A, _X), linear_in=(2,)),
    general(calls.filtered_in_sections, _filtered_in_sections, result=like_signal, linear_in=(1,)),
    general(calls.filtered_from, _filtered_from, (_H, _A, _X, np.array([0.5, 1.0])), result=_filtered_types, linear_in=(2, 3)),
    linear(
        calls.lag_products,
        {
            0: lambda ct, y, x, b, axis=-1: calls.filtered(ct, np.ones(1), x, axis),
            1: lambda ct, y, x, b, axis=-1: calls.filtered_back(ct, np.ones(1), y, axis),
        },
        (_X, _X, _H),
        shapes=(2,),
    ),
    linear(signal.detrend, _detrend_transpose, (_X,), (_M, 0, "constant")),
    linear(signal.savgol_filter, _savgol_transpose, (_LONG, 3, 1), of_complex=False),
    linear(
        calls.savgol_transpose,
        lambda y_ct, ct, window_length, polyorder, deriv, delta, axis, mode: signal.savgol_filter(
            y_ct, window_length, polyorder, deriv, delta, axis, mode
        ),
    ),
    general(signal.hilbert, _hilbert, (_X,), (_M, 4, 1), (_X, 3), of_complex=True, linear_in=(0,)),
    constant(calls.analytic_weights, effect=SHAPE_ONLY, open_integers=True),
    linear(
        signal.resample,
        lambda ct, x, num, axis=0, window=None: calls.resample_transpose(ct, x, num, axis, window),
        (_X, 6),
        of_complex=False,
        open_integers=True,
    ),
    linear(
        calls.resample_transpose,
        lambda y_ct, ct, x, num, axis, window: signal.resample(y_ct, num, axis=axis, window=window),
        shapes=(1,),
        of_complex=False,
        open_integers=True,
    ),
    linear(
        signal.resample_poly,
        lambda ct, x, up, down, axis=0, *, padtype="constant": calls.resample_poly_transpose(ct, x, up, down, axis, padtype),
        (_X, 3, 2),
        result=_resampled,
        open_integers=True,
    ),
    linear(
        calls.resample_poly_transpose,
        lambda y_ct, ct, x, up, down, axis, padtype: signal.resample_poly(y_ct, up, down, axis=axis, padtype=padtype),
        result=like_signal,
        shapes=(1,),
        open_integers=True,
    ),
    general(calls.response, _response, of_complex=True),
    constant(calls.frequencies_of, open_integers=True),
    general(calls.phases, _phases, of_complex=True, open_integers=True),
    *(constant(getattr(signal.windows, name), open_integers=True) for name in _WINDOWS),
    *(primitive(getattr(signal.windows, name), None, open_integers=True) for name in _WITH_PARAMETERS),
)

DEFINITIONS: tuple[Definition, ...] = (
    *spectral_estimates.DEFINITIONS,
    *window_shapes.DEFINITIONS,
    *linear_systems.DEFINITIONS,
    *sampling_rates.DEFINITIONS,
    *signal_medians.DEFINITIONS,
    Definition(signal.correlate, _correlate),
    Definition(signal.lfilter, _lfilter),
    Definition(signal.lfilter_zi, _lfilter_zi, Value.OWN),
    Definition(signal.filtfilt, _filtfilt, Value.OWN, result=_filtered_type, only={"method": ("pad",)}),
    Definition(signal.freqz, _freqz, only={"plot": (None,), "fs": ()}),
)
