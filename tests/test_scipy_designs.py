"""Promise: filters that SciPy designs move with their frequencies, and signals through them, forwards and backwards, move right.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import signal

from tests.scipy_judge import Model, judge

P = np.array([0.2, 0.45])
T = np.linspace(0.0, 20.0, 60)
X = np.sin(T) + 0.3 * np.cos(4.5 * T)
ROWS = np.stack((X, X**2))
FIXED = signal.butter(4, 0.3, output="sos")
KINDS = {signal.butter: (), signal.cheby1: (1.0,), signal.cheby2: (30.0,), signal.ellip: (1.0, 30.0)}


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) ** 2 * np.cos(np.arange(np.size(x))))


def both(told: Any) -> Any:
    return weighed(told[0]) + weighed(told[1])


def designs() -> dict[str, Model]:
    made: dict[str, Model] = {}
    for design, ripples in KINDS.items():
        for order in (3, 4):
            made |= {
                f"{design.__name__} {order} below": lambda p, d=design, r=ripples, n=order: both(d(n, *r, p[0])),
                f"{design.__name__} {order} above": lambda p, d=design, r=ripples, n=order: both(d(n, *r, p[0], "high")),
                f"{design.__name__} {order} between": lambda p, d=design, r=ripples, n=order: both(d(n, *r, p, "bandpass")),
                f"{design.__name__} {order} outside": lambda p, d=design, r=ripples, n=order: both(d(n, *r, list(p), "bandstop")),
                f"{design.__name__} {order} sections": lambda p, d=design, r=ripples, n=order: (
                    weighed(d(n, *r, p[0], "lowpass", output="sos"))
                    + weighed(d(n, *r, p[0], "highpass", output="sos"))
                    + weighed(d(n, *r, p, "band", output="sos"))
                    + weighed(d(n, *r, p, "stop", output="sos", fs=2.5))
                ),
            }
    return made


MODELS: dict[str, Model] = {
    **designs(),
    "rates": lambda p: (
        both(signal.butter(3, 150.0 * p[0], fs=200.0))
        + both(signal.iirnotch(90.0 * p[0], 9.0 * p[1], fs=200.0))
        + both(signal.iirpeak(p[0], 30.0 * p[1]))
    ),
    "windows": lambda p: (
        weighed(signal.firwin(21, p[0]))
        + weighed(signal.firwin(21, p, pass_zero=False, window=("kaiser", 4.0)))
        + weighed(signal.firwin(21, [p[0], p[1]], pass_zero="bandstop", scale=False))
        + weighed(signal.firwin(20, 40.0 * p[1], fs=100.0, window="hann"))
        + weighed(signal.firwin(21, p[0], pass_zero="highpass"))
    ),
    "a filtered signal": lambda p: weighed(signal.filtfilt(*signal.butter(2, p[0]), X * p[1])),
    "sections there and back": lambda p: (
        weighed(signal.sosfiltfilt(signal.butter(4, p[0], output="sos"), X * p[1]))
        + weighed(signal.sosfiltfilt(FIXED, ROWS * p[0], axis=1, padtype="even", padlen=11))
        + weighed(signal.sosfiltfilt(FIXED, ROWS.T * p[1], axis=0, padtype="constant"))
        + weighed(signal.sosfiltfilt(FIXED, X * p[1], padtype=None))
    ),
    "sections from a state": lambda p: (
        both(signal.sosfilt(signal.butter(3, p[0], output="sos"), X, zi=signal.sosfilt_zi(signal.butter(3, p[1], output="sos"))))
        + both(signal.sosfilt(FIXED, ROWS * p[0], zi=np.ones((2, 2, 2)) * p[1]))
        + both(signal.sosfilt(FIXED, ROWS.T * p[0], axis=0, zi=np.ones((2, 2, 2)) * p[1]))
    ),
    "every so many": lambda p: (
        weighed(signal.decimate(X * p[0], 4))
        + weighed(signal.decimate(ROWS * p[1], 3, axis=1))
        + weighed(signal.decimate(ROWS.T * p[1], 3, 4, axis=0, zero_phase=False))
        + weighed(signal.decimate(X * p[0], 4, ftype="fir"))
        + weighed(signal.decimate(X * p[0], 3, 13, ftype="fir", zero_phase=False))
    ),
    "a periodogram": lambda p: (
        weighed(signal.lombscargle(T * p[0], X * p[1], np.array([0.5, 1.1, 2.7])))
        + weighed(signal.lombscargle(T, X * p[1], p * 3.0, normalize=True))
        + weighed(signal.lombscargle(T, X + p[1], p * 3.0, weights=1.0 + p[0] * T, floating_mean=True))
        + weighed(signal.lombscargle(T, X + p[1] * T, p * 3.0, floating_mean=True, normalize=True))
    ),
    "chirps": lambda p: (
        weighed(signal.chirp(T / 9.0, p[0], 2.0 * p[1], 3.0 * p[1]))
        + weighed(signal.chirp(T / 9.0, p[0], 2.0, 3.0 * p[1], "quadratic", vertex_zero=False))
        + weighed(signal.chirp(T / 9.0, p[0], 2.0, 3.0 * p[1], method="log", phi=30))
        + weighed(signal.chirp(T * p[0], 0.2, 3.0, 0.5, "quadratic"))
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_designs(name: str) -> None:
    second = name in ("butter 3 sections", "ellip 4 outside", "windows", "sections from a state", "a periodogram")
    judge(MODELS[name], P, step=1e-3, second=second)


def test_a_text_is_no_memory() -> None:
    """`output="sos"` names a form, and is none that is written to: a list beside it stays as it is."""

    def filtered(x: Any) -> Any:
        return weighed(signal.sosfilt(signal.cheby1(4, 1.0, [0.1, 0.4], btype="band", output="sos"), x))

    judge(filtered, X[:12])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda p: both(signal.cheby1(3, 9.0 * p[0], p[1])), "the ripple, or the window"),
        (lambda p: weighed(signal.firwin(21, p[1], window=("kaiser", p[0]))), "the ripple, or the window"),
        (lambda p: both(signal.butter(3, p[0], analog=True)), "for samples"),
        (lambda p: np.real(signal.butter(3, p[0], output="zpk")[2]), "the outputs ba and sos"),
        (lambda p: signal.lombscargle(T, X, p, normalize="amplitude")[0].real, "of powers"),
        (lambda p: signal.chirp(p[0], 1.0, 2.0, 3.0, "hyperbolic"), "linear, quadratic and logarithmic"),
    ],
)
def test_what_is_refused(model: Model, message: str) -> None:
    with pytest.raises(adxform.AdxError, match=message):
        adxform.grad(model)(P)
