"""Filters in sections of the second order with a state, forwards and backwards, and what is left of every so many samples.

Source: Gustafsson, *Determining the initial states in forward-backward filtering* (1996); Zechmeister & Kuerster, *The
generalised Lomb-Scargle periodogram* (2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import signal

from adxform.api.scipy_models.solving import fixed, moving, solve
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.scipy_rules.filters import like_signal
from adxform.runtime.of_scipy import signal as calls


def _state(sos: Any) -> Any:
    """The states in which a step leaves the sections."""
    scale = 1.0
    found = np.zeros((sos.shape[0], 2))
    for k in range(sos.shape[0]):
        b, a = sos[k, :3], sos[k, 3:]
        found[k] = scale * signal.lfilter_zi(b, a)
        scale = scale * np.sum(b) / np.sum(a)
    return found


def _in_sections(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    if zi is None:
        return calls.filtered_in_sections(sos, x, axis)
    like = x + 0.0 * sos[0, 0] + 0.0 * zi.flat[0]
    y, zf = solve(_in_sections_value, (), (), (like, zi + 0.0 * like.flat[0]), sos, x, axis, zi)
    moved, after = _through(sos, np.moveaxis(x, axis, 0), np.moveaxis(zi, axis if axis < 0 else axis + 1, 1))
    return moving(y, np.moveaxis(moved, 0, axis)), moving(zf, np.moveaxis(after, 1, axis if axis < 0 else axis + 1))


def _in_sections_value(sos: Any, x: Any, axis: Any, zi: Any) -> Any:
    return signal.sosfilt(sos, x, axis, zi)


def _through(sos: Any, x: Any, zi: Any) -> Any:
    """What sections that begin in the states `zi` make of `x`, and the states after it; along the first axis."""
    after = np.zeros_like(zi)
    y = x
    for k in range(sos.shape[0]):
        y, zf = signal.lfilter(sos[k, :3], sos[k, 3:], y, axis=0, zi=zi[k])
        after[k] = zf
    return y, after


def _both_ways(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    if padtype not in ("odd", "even", "constant", None):
        unsupported("sosfiltfilt has a derivative for the paddings that SciPy names")
    taps = 2 * sos.shape[0] + 1 - min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    rows = np.moveaxis(x, axis, 0)
    n = rows.shape[0]
    if n <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    before, after = rows[1 : edge + 1][::-1], rows[n - edge - 1 : n - 1][::-1]
    if padtype == "odd":
        before, after = 2.0 * rows[:1] - before, 2.0 * rows[n - 1 :] - after
    elif padtype == "constant":
        before, after = rows[:1] + 0.0 * before, rows[n - 1 :] + 0.0 * after
    longer = np.concatenate((before, rows, after), axis=0)
    zi = np.reshape(_state(sos), (sos.shape[0], 2, *((1,) * (np.ndim(x) - 1))))
    y, _ = _through(sos, longer, zi * longer[:1])
    y = y[::-1]
    y, _ = _through(sos, y, zi * y[:1])
    return np.moveaxis(y[::-1][edge : edge + n], 0, axis)


def _thinned(x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True) -> Any:
    if ftype != "iir" and ftype != "fir":
        unsupported("decimate has a derivative for the filters that SciPy names: iir and fir")
    rows = np.moveaxis(x * 1.0, axis, 0)
    if ftype == "iir":
        sos = solve(_anti_aliasing, (), (), (2,), 8 if n is None else n, q)
        whole = signal.sosfiltfilt(sos, rows, axis=0) if zero_phase else signal.sosfilt(sos, rows, axis=0)
        found = whole[:: fixed(q)]
    else:
        taps = solve(_averaging, (), (), (1,), 20 * q if n is None else n, q)
        late = (taps.shape[0] - 1) // 2 if zero_phase else 0
        longer = np.concatenate((rows, np.zeros((late, *rows.shape[1:]))), axis=0)
        found = signal.lfilter(taps, np.ones(1), longer, axis=0)[late :: fixed(q)]
    return moving(solve(_thinned_value, (), (), (np.ndim(x),), x, q, n, ftype, axis, zero_phase), np.moveaxis(found, 0, axis))


def _anti_aliasing(n: Any, q: Any) -> Any:
    return signal.cheby1(n, 0.05, 0.8 / q, output="sos")


def _averaging(n: Any, q: Any) -> Any:
    return signal.firwin(n + 1, 1.0 / q, window="hamming")


def _thinned_value(x: Any, q: Any, n: Any, ftype: Any, axis: Any, zero_phase: Any) -> Any:
    return signal.decimate(x, q, n, ftype, axis, zero_phase)


def _periodogram(x: Any, y: Any, freqs: Any, *, normalize: Any = False, weights: Any = None, floating_mean: Any = False) -> Any:
    """The power of waves of the angular frequencies `freqs` that come nearest to samples at any times."""
    if normalize == "amplitude":
        unsupported("lombscargle has a derivative of powers, not of complex amplitudes")
    x, y, freqs = np.asarray(x) * 1.0, np.asarray(y) * 1.0, np.asarray(freqs) * 1.0
    value = solve(_periodogram_value, (), (), (freqs,), x, y, freqs, normalize, weights, floating_mean)
    shares = np.ones_like(y) if weights is None else np.asarray(weights) * 1.0
    shares = shares / np.sum(shares)
    turns = np.outer(freqs, x)
    tau = 0.5 * np.arctan2(
        2.0 * _mean(shares, np.cos(turns), np.sin(turns), floating_mean), _spread(shares, turns, floating_mean)
    )
    c, s = np.cos(turns - tau[:, None]), np.sin(turns - tau[:, None])
    by_c, by_s = _mean(shares, y, c, floating_mean), _mean(shares, y, s, floating_mean)
    cc, ss = _mean(shares, c, c, floating_mean), _mean(shares, s, s, floating_mean)
    power = 2.0 * (by_c**2 / cc + by_s**2 / ss)
    if normalize is True or normalize == "normalize":
        return moving(value, power * 0.5 / _mean(shares, y, y, floating_mean))
    return moving(value, power * x.shape[0] / 4.0)


def _mean(shares: Any, a: Any, b: Any, floating: Any) -> Any:
    """The mean of products, about the means where these are taken off."""
    both = (a * b) @ shares
    return both - (a @ shares) * (b @ shares) if floating else both


def _spread(shares: Any, turns: Any, floating: Any) -> Any:
    c, s = np.cos(turns), np.sin(turns)
    return _mean(shares, c, c, floating) - _mean(shares, s, s, floating)


def _periodogram_value(x: Any, y: Any, freqs: Any, normalize: Any, weights: Any, floating_mean: Any) -> Any:
    return signal.lombscargle(x, y, freqs, normalize=normalize, weights=weights, floating_mean=floating_mean)


def _chirp(t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0, vertex_zero: Any = True) -> Any:
    """The cosine of a phase whose frequency goes from `f0` to `f1` in the time `t1`."""
    if method in ("linear", "lin", "li"):
        turns = f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    elif method in ("quadratic", "quad", "q"):
        bend = (f1 - f0) / t1**2
        turns = f0 * t + bend * t**3 / 3.0 if vertex_zero else f1 * t + bend * ((t1 - t) ** 3 - t1**3) / 3.0
    elif method in ("logarithmic", "log", "lo"):
        if f0 == f1:
            turns = f0 * t
        else:
            beta = t1 / np.log(f1 / f0)
            turns = beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    else:
        unsupported("chirp has a derivative for the methods linear, quadratic and logarithmic")
    return np.cos(2.0 * np.pi * turns + phi * np.pi / 180.0)


def _state_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array("float64", (rows, _))):
            return Array("float64", (rows, 2))
        case _:
            return None


DEFINITIONS: tuple[Definition, ...] = (
    Definition(signal.sosfilt, _in_sections),
    Definition(signal.sosfilt_zi, _state, Value.OWN, result=_state_type),
    Definition(signal.sosfiltfilt, _both_ways, Value.OWN, result=like_signal),
    Definition(signal.decimate, _thinned),
    Definition(signal.lombscargle, _periodogram),
    Definition(signal.chirp, _chirp, Value.OWN),
)
