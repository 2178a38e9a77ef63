"""Designs of filters, which move with the frequencies that they are for; their orders and ripples do not move.

SciPy's own coefficients are the values. Poles and zeros move as those of the analog prototype do, by the bilinear map.

Source: Oppenheim & Schafer, *Discrete-Time Signal Processing* (2010), chapter 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from adxform.api.scipy_models.solving import moving, solve, still
from adxform.ir.types import Scalar
from adxform.primitives.declare import primitive
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.primitives.record import Primitive

_KINDS = {
    **dict.fromkeys(("low", "lowpass", "lp", "l"), "low"),
    **dict.fromkeys(("high", "highpass", "hp", "h"), "high"),
    **dict.fromkeys(("band", "bandpass", "bp", "pass"), "band"),
    **dict.fromkeys(("stop", "bandstop", "bs", "bands"), "stop"),
}
_PROTOTYPES = {
    signal.butter: signal.buttap,
    signal.cheby1: signal.cheb1ap,
    signal.cheby2: signal.cheb2ap,
    signal.ellip: signal.ellipap,
}


def of_a_design(x: Any) -> Any:
    """`x` itself, by which a design does not move."""
    return x


def _prototype(design: Any, *given: Any) -> Any:
    """The zeros, the poles and the gain of the analog prototype, as real numbers."""
    z, p, k = _PROTOTYPES[design](*given)
    z, p = np.asarray(z) + 0j, np.asarray(p) + 0j
    return z.real, z.imag, p.real, p.imag, float(np.real(k))


def _minus(x: Any) -> Any:
    """The product of numbers with their signs turned."""
    return np.prod(-x)


def _for_band(z: Any, p: Any, k: Any, kind: Any, low: Any, high: Any) -> Any:
    """The zeros, poles and gain of the analog filter for a band, of those of its prototype."""
    degree = p.shape[0] - z.shape[0]
    if kind == "low":
        return z * low, p * low, k * low**degree
    if kind == "high":
        gain = k * np.real(_minus(z) / _minus(p))
        return np.concatenate((low / z, np.zeros(degree) + 0j)), low / p, gain
    width, middle = high - low, np.sqrt(low * high)
    if kind == "band":
        zeros, poles = z * width / 2.0, p * width / 2.0
        return np.concatenate((_both(zeros, middle), np.zeros(degree) + 0j)), _both(poles, middle), k * width**degree
    zeros, poles = width / 2.0 / z, width / 2.0 / p
    more = 1j * middle * np.ones(degree)
    return np.concatenate((_both(zeros, middle), more, -more)), _both(poles, middle), k * np.real(_minus(z) / _minus(p))


def _both(x: Any, middle: Any) -> Any:
    away = np.sqrt(x * x - middle * middle)
    return np.concatenate((x + away, x - away))


def _sampled(z: Any, p: Any, k: Any) -> Any:
    """The zeros, poles and gain of the filter of samples, two in a unit of time."""
    degree = p.shape[0] - z.shape[0]
    gain = k * np.real(np.prod(4.0 - z) / np.prod(4.0 - p))
    return np.concatenate(((4.0 + z) / (4.0 - z), np.zeros(degree) - 1.0 + 0j)), (4.0 + p) / (4.0 - p), gain


def _coefficients(roots: Any) -> Any:
    """The coefficients of the polynomial with these roots."""
    found = np.zeros(roots.shape[0] + 1) + 0j
    found[0] = 1.0
    for k in range(roots.shape[0]):
        found[1:] = found[1:] - roots[k] * found[:-1]
    return np.real(found)


def _design_value(design: Any, edges: Any, kind: Any, fs: Any, *given: Any) -> Any:
    return design(*given, edges if len(edges) > 1 else edges[0], kind, fs=fs)


def _sections_value(design: Any, edges: Any, kind: Any, fs: Any, zr: Any, zi: Any, pr: Any, pi: Any, *given: Any) -> Any:
    """SciPy's sections, and which of the zeros and of the poles each has."""
    found = design(*given, edges if len(edges) > 1 else edges[0], kind, output="sos", fs=fs)
    return found, _of_sections(zr + 1j * zi, found[:, :3]), _of_sections(pr + 1j * pi, found[:, 3:])


def _of_sections(roots: Any, rows: Any) -> Any:
    """Which of the `roots` the polynomials of the second degree have whose coefficients are `rows`."""
    left, places = list(range(len(roots))), np.zeros((len(rows), 2))
    for k, row in enumerate(rows):
        for j, root in enumerate(np.roots(np.concatenate((row[:1], row[1:] + 0.0))) if row[2] else (-row[1] / row[0], 0.0)):
            nearest = min(left, key=lambda one: abs(roots[one] - root))
            left.remove(nearest)
            places[k, j] = nearest
    return places


def _padded(roots: Any, count: Any) -> Any:
    return np.concatenate((roots, np.zeros(count - roots.shape[0]) + 0j))


def _quadratics(roots: Any, places: Any) -> Any:
    """The coefficients of the polynomials of two roots each."""
    one, other = roots[places[:, 0]], roots[places[:, 1]]
    return np.stack((np.ones(places.shape[0]), -np.real(one + other), np.real(one * other)), axis=1)


def _designed(design: Any, order: Any, ripples: Any, edges: Any, btype: Any, analog: Any, output: Any, fs: Any) -> Any:
    if analog or output not in ("ba", "sos") or btype not in _KINDS:
        unsupported("designs of filters have a derivative for samples (`analog=False`), and for the outputs ba and sos")
    kind = _KINDS[btype]
    edges = np.atleast_1d(np.asarray(edges) * 1.0)
    zr, zi, pr, pi, k = solve(_prototype, (), (), (1, 1, 1, 1, "float"), design, order, *ripples)
    for ripple in ripples:
        k = k + 0.0 * of_a_design(ripple)
    share = edges if fs is None else 2.0 * edges / fs
    warped = 4.0 * np.tan(np.pi * share / 2.0)
    last = warped[1] if kind == "band" or kind == "stop" else warped[0]
    z, p, gain = _sampled(*_for_band(zr + 1j * zi, pr + 1j * pi, k, kind, warped[0], last))
    told = design, edges, btype, fs
    if output == "ba":
        b, a = solve(_design_value, (), (), (1, 1), *told, order, *ripples)
        return moving(b, gain * _coefficients(z)), moving(a, _coefficients(p))
    count = 2 * ((max(p.shape[0], z.shape[0]) + 1) // 2)
    z, p = _padded(z, count), _padded(p, count)
    roots = still(np.real(z)), still(np.imag(z)), still(np.real(p)), still(np.imag(p))
    sections, zeros, poles = solve(_sections_value, (), (), (2, 2, 2), *told, *roots, order, *ripples)
    before, after = _quadratics(z, zeros.astype(int)), _quadratics(p, poles.astype(int))
    before = np.concatenate((gain * before[:1], before[1:]))
    return moving(sections, np.concatenate((before, after), axis=1))


def _butter(N: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None) -> Any:
    return _designed(signal.butter, N, (), Wn, btype, analog, output, fs)


def _cheby1(
    N: Any,
    rp: Any,
    Wn: Any,
    btype: Any = "low",
    analog: Any = False,
    output: Any = "ba",
    fs: Any = None,
) -> Any:
    return _designed(signal.cheby1, N, (rp,), Wn, btype, analog, output, fs)


def _cheby2(
    N: Any,
    rs: Any,
    Wn: Any,
    btype: Any = "low",
    analog: Any = False,
    output: Any = "ba",
    fs: Any = None,
) -> Any:
    return _designed(signal.cheby2, N, (rs,), Wn, btype, analog, output, fs)


def _ellip(
    N: Any,
    rp: Any,
    rs: Any,
    Wn: Any,
    btype: Any = "low",
    analog: Any = False,
    output: Any = "ba",
    fs: Any = None,
) -> Any:
    return _designed(signal.ellip, N, (rp, rs), Wn, btype, analog, output, fs)


def _resonant(notch: Any) -> Any:
    def body(w0: Any, Q: Any, fs: Any = 2.0) -> Any:
        b, a = solve(_resonant_value, (), (), (1, 1), notch, w0, Q, fs)
        turn = 2.0 * np.pi * w0 / fs
        gain = 1.0 / (1.0 + np.tan(turn / (2.0 * Q)))
        before = gain * np.stack([1.0, -2.0 * np.cos(turn), 1.0]) if notch else (1.0 - gain) * np.array([1.0, 0.0, -1.0])
        return moving(b, before), moving(a, np.stack([1.0, -2.0 * gain * np.cos(turn), 2.0 * gain - 1.0]))

    return body


def _resonant_value(notch: Any, w0: Any, quality: Any, fs: Any) -> Any:
    return (signal.iirnotch if notch else signal.iirpeak)(w0, quality, fs)


def _firwin(
    numtaps: Any,
    cutoff: Any,
    *,
    width: Any = None,
    window: Any = "hamming",
    pass_zero: Any = True,
    scale: Any = True,
    fs: Any = None,
) -> Any:
    if width is not None or (isinstance(window, tuple) and len(window) != 2):
        unsupported("firwin has a derivative by its cutoff: give the window by its name, with one parameter or none")
    edges = np.atleast_1d(np.asarray(cutoff) * 1.0)
    name, parameter = (window[0], window[1]) if isinstance(window, tuple) else (window, None)
    value, shape = solve(_firwin_value, (), (), (1, 1), numtaps, edges, name, parameter, pass_zero, scale, fs)
    if parameter is not None:
        shape = shape + 0.0 * of_a_design(parameter)
    share = edges if fs is None else edges * 2.0 / fs
    begins = pass_zero is True or pass_zero == "lowpass" or pass_zero == "bandstop"
    first = np.zeros(1 if begins else 0)
    ends = np.ones((share.shape[0] + first.shape[0]) % 2)
    bands = np.concatenate((first, share, ends))
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    left, right = bands[::2], bands[1::2]
    taps = shape * np.sum(right * np.sinc(np.outer(m, right)) - left * np.sinc(np.outer(m, left)), axis=1)
    if scale:
        at = np.where(left[0] == 0.0, 0.0, np.where(right[0] == 1.0, 1.0, 0.5 * (left[0] + right[0])))
        taps = taps / np.sum(taps * np.cos(np.pi * m * at))
    return moving(value, taps)


def _firwin_value(numtaps: Any, edges: Any, name: Any, parameter: Any, pass_zero: Any, scale: Any, fs: Any) -> Any:
    window = name if parameter is None else (name, parameter)
    taps = signal.firwin(numtaps, edges, window=window, pass_zero=pass_zero, scale=scale, fs=fs)
    return taps, signal.get_window(window, numtaps, fftbins=False)


_OLDER_NAMES = {
    **dict.fromkeys(("butterworth",), "butter"),
    **dict.fromkeys(("cauer", "elliptic"), "ellip"),
    **dict.fromkeys(("chebyshev1", "chebyshevi"), "cheby1"),
    **dict.fromkeys(("chebyshev2", "chebyshevii"), "cheby2"),
}


def _iirfilter(
    N: Any,
    Wn: Any,
    rp: Any = None,
    rs: Any = None,
    btype: Any = "band",
    analog: Any = False,
    ftype: Any = "butter",
    output: Any = "ba",
    fs: Any = None,
) -> Any:
    kind = _OLDER_NAMES.get(ftype.lower(), ftype.lower())
    if kind not in ("butter", "cheby1", "cheby2", "ellip"):
        unsupported("iirfilter has a derivative for the types butter, cheby1, cheby2 and ellip")
    if kind == "butter":
        return _butter(N, Wn, btype, analog, output, fs)
    if kind == "cheby1":
        return _cheby1(N, rp, Wn, btype, analog, output, fs)
    if kind == "cheby2":
        return _cheby2(N, rs, Wn, btype, analog, output, fs)
    return _ellip(N, rp, rs, Wn, btype, analog, output, fs)


RECORDS: tuple[Primitive, ...] = (primitive(of_a_design, None, result=lambda args, kwargs: Scalar("float64", False)),)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(signal.butter, _butter, sequences=True),
    Definition(signal.cheby1, _cheby1, sequences=True),
    Definition(signal.cheby2, _cheby2, sequences=True),
    Definition(signal.ellip, _ellip, sequences=True),
    Definition(signal.iirfilter, _iirfilter, sequences=True),
    Definition(signal.iirnotch, _resonant(True)),
    Definition(signal.iirpeak, _resonant(False)),
    Definition(signal.firwin, _firwin, sequences=True),
)
