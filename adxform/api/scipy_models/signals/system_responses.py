"""Linear systems as objects, their responses to steps and impulses, and what filters do at frequencies.

Source: Oppenheim & Schafer, *Discrete-Time Signal Processing* (2010), chapter 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from adxform import runtime
from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported


class LinearSystem:
    """A system in continuous time that the function makes: two polynomials, or four matrices."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        unsupported("a system that a function makes has `step`, `impulse`, `output`, `bode` and `freqresp`")

    def step(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        """The times and the response to a step."""
        return _step(self, X0, T, N)

    def impulse(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        """The times and the response to an impulse."""
        return _impulse(self, X0, T, N)

    def output(self, U: Any, T: Any, X0: Any = None) -> Any:
        """The times, the response to an input, and the states."""
        return signal.lsim(self.parts, U, T, X0=X0)

    def freqresp(self, w: Any = None, n: Any = 10000) -> Any:
        """The frequencies and what is made of them."""
        return _freqresp(self, w, n)

    def bode(self, w: Any = None, n: Any = 100) -> Any:
        """The frequencies, the sizes in decibels and the angles in degrees."""
        return _bode(self, w, n)


def _lti(*system: Any) -> Any:
    if len(system) not in (2, 4):
        unsupported("a system has a derivative where it is given by two polynomials, or by four matrices")
    if len(system) == 2:  # of polynomials SciPy takes copies, and matrices it holds themselves
        return LinearSystem((np.atleast_1d(np.array(system[0])), np.atleast_1d(np.array(system[1]))))
    return LinearSystem(system)


def _parts(system: Any) -> Any:
    return system.parts if isinstance(system, LinearSystem) else system


def _times(T: Any) -> Any:
    if T is None:
        unsupported("the response of a system has a derivative at times that are given: SciPy chooses others by its poles")
    return np.asarray(T) * 1.0


def _step(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    times = _times(T)
    return signal.lsim(_parts(system), np.ones(times.shape[0]), times, X0=X0, interp=False)[:2]


def _impulse(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    if X0 is not None:
        unsupported("the response to an impulse has a derivative from rest")
    parts, times = _parts(system), _times(T)
    start = np.ravel(np.asarray(parts[1]) * 1.0) if len(parts) == 4 else np.eye(np.size(parts[1]) - 1, 1)[:, 0]
    return signal.lsim(parts, 0.0, times, X0=start, interp=False)[:2]


def _response(parts: Any, s: Any) -> Any:
    """What a system makes of exponentials with these rates."""
    if len(parts) == 2:
        above, below = np.atleast_1d(np.asarray(parts[0]) * 1.0), np.atleast_1d(np.asarray(parts[1]) * 1.0)
        return np.polyval(above, s) / np.polyval(below, s)
    if len(parts) == 3:
        z, p, k = parts
        return k * _distances(s, z) / _distances(s, p)
    a, b, c, d = [np.atleast_2d(np.asarray(one) * 1.0) for one in parts]
    shifted = s[:, None, None] * np.eye(a.shape[0]) - a
    return (c @ np.linalg.solve(shifted, b + np.zeros((s.shape[0], 1, 1))) + d)[:, 0, 0]


def _distances(s: Any, roots: Any) -> Any:
    return np.prod(s[:, None] - np.atleast_1d(np.asarray(roots)), axis=1)


def _frequencies(w: Any) -> Any:
    if w is None or np.ndim(w) == 0:
        unsupported("a response has a derivative at frequencies that are given: SciPy chooses others by the poles")
    return np.asarray(w) * 1.0


def _freqresp_value(parts: Any, named: Any, w: Any) -> Any:
    system = signal.TransferFunction(*parts) if named and len(parts) == 2 else tuple(parts)
    return signal.freqresp(system, w)[1]


def _freqresp(system: Any, w: Any = None, n: Any = 10000) -> Any:
    parts, at = _parts(system), _frequencies(w)
    found = _response(parts, 1j * at)
    return at, moving(solve(_freqresp_value, (), (), (found,), parts, isinstance(system, LinearSystem), at), found)


def _bode(system: Any, w: Any = None, n: Any = 100) -> Any:
    at, found = _freqresp(system, w)
    return at, 20.0 * np.log10(np.abs(found)), np.unwrap(np.arctan2(found.imag, found.real)) * 180.0 / np.pi


def _freqs_value(b: Any, a: Any, w: Any) -> Any:
    return signal.freqs(b, a, w)[1]


def _freqs(b: Any, a: Any, worN: Any = 200) -> Any:
    at = _frequencies(worN)
    found = _response((b, a), 1j * at)
    return at, moving(solve(_freqs_value, (), (), (found,), np.asarray(b), np.asarray(a), at), found)


def _freqs_zpk_value(z: Any, p: Any, k: Any, w: Any) -> Any:
    return signal.freqs_zpk(z, p, k, w)[1]


def _freqs_zpk(z: Any, p: Any, k: Any, worN: Any = 200) -> Any:
    at, zeros, poles = _frequencies(worN), np.asarray(z), np.asarray(p)
    found = _response((zeros, poles, k), 1j * at)
    return at, moving(solve(_freqs_zpk_value, (), (), (found,), zeros, poles, k, at), found)


def _freqz_sos(sos: Any, worN: Any = 512, whole: Any = False) -> Any:
    w, found = signal.freqz(sos[0, :3], sos[0, 3:], worN=worN, whole=whole)
    for row in sos[1:]:
        found = found * signal.freqz(row[:3], row[3:], worN=worN, whole=whole)[1]
    return w, found


def _group_delay_value(b: Any, a: Any, w: Any, whole: Any) -> Any:
    return signal.group_delay((b, a), w, whole)


def _group_delay(system: Any, w: Any = 512, whole: Any = False) -> Any:
    b, a = np.atleast_1d(np.asarray(system[0]) * 1.0), np.atleast_1d(np.asarray(system[1]) * 1.0)
    at, value = solve(_group_delay_value, (), (), (1, 1), b, a, w, whole)
    if w is not None and np.ndim(w) > 0:
        at = moving(at, np.asarray(w) * 1.0)
    both = np.convolve(b, a[::-1])
    turns = np.exp(-1j * at)
    above = np.polyval((both * np.arange(both.shape[0]))[::-1], turns)
    return at, moving(value, np.real(above / np.polyval(both[::-1], turns)))


def _deconvolve(signal_: Any, divisor: Any) -> Any:
    signal_, divisor = np.atleast_1d(signal_), np.atleast_1d(divisor)
    n, d = signal_.shape[0], divisor.shape[0]
    if d > n:
        raise runtime.without_derivative("deconvolve has a derivative where the divisor is no longer than the signal")
    impulse = np.zeros(n - d + 1)
    impulse[0] = 1.0
    quotient = signal.lfilter(signal_, divisor, impulse)
    return quotient, signal_ - signal.convolve(divisor, quotient, mode="full")


DEFINITIONS: tuple[Definition, ...] = (
    *(
        Definition(made, _lti, Value.FOLLOWED, sequences=True)
        for made in (signal.lti, signal.TransferFunction, signal.StateSpace)
    ),
    Definition(signal.step, _step, Value.FOLLOWED, sequences=True),
    Definition(signal.impulse, _impulse, Value.FOLLOWED, sequences=True),
    Definition(signal.freqresp, _freqresp, Value.FOLLOWED, sequences=True),
    Definition(signal.bode, _bode, Value.FOLLOWED, sequences=True),
    Definition(signal.freqs, _freqs, Value.FOLLOWED, sequences=True),
    Definition(signal.freqs_zpk, _freqs_zpk, Value.FOLLOWED, sequences=True),
    *(Definition(sections, _freqz_sos, Value.FOLLOWED) for sections in {signal.freqz_sos, signal.sosfreqz}),
    Definition(signal.group_delay, _group_delay, Value.FOLLOWED, sequences=True),
    Definition(signal.deconvolve, _deconvolve, Value.FOLLOWED),
)
