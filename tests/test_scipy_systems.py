"""Promise: linear systems, windows, transforms of segments and medians have SciPy's numbers and the right derivative.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError

pytest.importorskip("scipy")
from scipy import signal

from tests.scipy_judge import Model, judge

POINT = np.array([0.7, 1.1, 0.8, 0.6, 0.9, 1.6])
TIMES = np.linspace(0.0, 2.0, 9)
FORCE = np.cos(3.0 * np.arange(9.0))
FORCES = np.stack((FORCE, FORCE**2 - 0.3), axis=1)
SERIES = np.random.default_rng(1).normal(size=40)
ROWS = SERIES.reshape(2, 20)
WEIGHTS = np.cos(np.arange(400.0)) + 0.2


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) * WEIGHTS[: np.size(x)])


def spring(p: Any) -> Any:
    """The matrices of a spring with a damper and two forces."""
    a = np.array([[0.0, 1.0], [-p[0], -p[1]]])
    return a, np.array([[0.0, p[2]], [p[3], 1.0]]), np.array([[1.0, p[4]]]), np.array([[0.1, p[5]]])


def without_way_through(p: Any) -> Any:
    a, b, c, _ = spring(p)
    return a, b, c, np.zeros((1, 2))


def discrete(p: Any, method: str) -> Any:
    system = without_way_through(p) if method == "impulse" else spring(p)
    ad, bd, cd, dd, dt = signal.cont2discrete(system, 0.2 * p[0], method, 0.3 if method == "gbt" else None)
    return weighed(ad) + 2.0 * weighed(bd) + 3.0 * weighed(cd) + 4.0 * weighed(dd) + dt


def simulated(p: Any) -> Any:
    t, y, x = signal.lsim(spring(p), FORCES * p[0], TIMES * p[1], X0=p[2:4])
    return weighed(y) + 0.5 * weighed(x) + t[1]


def stepped(p: Any) -> Any:
    a, b, c, d = spring(p / 3.0)
    _, y, x = signal.dlsim((a, b, c, d, 0.1), FORCES * p[0], x0=p[2:4])
    return weighed(y) + 0.5 * weighed(x)


def there_and_back(p: Any) -> Any:
    """What comes back of a transform whose numbers were changed."""
    _, _, z = signal.stft(SERIES * p[0] + p[1] ** 2 * np.cos(np.arange(40.0)), nperseg=8)
    return weighed(signal.istft(z * np.abs(z), nperseg=8)[1])


MODELS: dict[str, Model] = {
    **{
        f"discrete {method}": lambda p, method=method: discrete(p, method)
        for method in ("zoh", "foh", "impulse", "gbt", "bilinear", "euler", "backward_diff")
    },
    "simulated": simulated,
    "simulated held": lambda p: weighed(signal.lsim(spring(p), FORCES, TIMES + p[0] / 9.0, interp=False)[1]),
    "simulated polynomials": lambda p: weighed(signal.lsim((p[:2], p[2:5]), FORCE * p[5], TIMES)[1]),
    "simulated by numbers": lambda p: weighed(signal.lsim(([2.0], [p[0], 1.0, p[1]]), U=FORCE, T=TIMES)[1]),
    "simulated at rest": lambda p: weighed(signal.lsim(spring(p), None, TIMES, p[:2])[1]),
    "simulated of lists": lambda p: weighed(signal.lsim(([[-p[0]]], [[p[1]]], [[p[2]]], 0.5), FORCE, TIMES)[1]),
    "stepped": stepped,
    "stepped polynomials": lambda p: weighed(signal.dlsim((p[:2], p[2:5], 0.5), FORCE * p[5])[1]),
    "gaussian": lambda p: weighed(signal.windows.gaussian(9, 3.0 * p[0])) + weighed(signal.windows.gaussian(8, p[1], False)),
    "general gaussian": lambda p: weighed(signal.windows.general_gaussian(8, p[0], 2.0 * p[1], sym=False)),
    "exponential": lambda p: (
        weighed(signal.windows.exponential(9, tau=3.0 * p[0])) + weighed(signal.windows.exponential(8, p[1], p[2], False))
    ),
    "kaiser": lambda p: weighed(signal.windows.kaiser(9, 3.0 * p[0])) + weighed(signal.windows.kaiser(8, beta=p[1], sym=False)),
    "tukey": lambda p: (
        weighed(signal.windows.tukey(19, 0.77 * p[0]))
        + weighed(signal.windows.tukey(18, p[3], False))
        + weighed(signal.windows.tukey(7, p[1]))
    ),
    "cosines": lambda p: (
        weighed(signal.windows.general_cosine(9, p[:3])) + weighed(signal.windows.general_hamming(8, p[0], sym=False))
    ),
    "window of as many": lambda p: weighed(signal.windows.gaussian(len(p), p[0]) * p) + weighed(signal.windows.kaiser(1, p[0])),
    "stft": lambda p: weighed(np.abs(signal.stft(SERIES * p[0] + p[1] * SERIES**2, nperseg=8)[2]) ** 2),
    "stft rows": lambda p: weighed(
        np.real(signal.stft(ROWS * p[0], 2.0, "hamming", 7, 3, nfft=10, boundary=None, padded=False, scaling="psd")[2])
    ),
    "stft edge": lambda p: weighed(np.imag(signal.stft(SERIES[:37] * p[0] ** 2, window=WEIGHTS[:9], nperseg=9, noverlap=5)[2])),
    "there and back": there_and_back,
    "istft": lambda p: weighed(
        signal.istft(p[0] * ROWS.reshape(5, 8) + 1j * p[1] ** 2 * ROWS.reshape(5, 8) ** 2, 3.0, noverlap=6, boundary=False)[1]
    ),
    "cross spectrum": lambda p: weighed(
        np.real(signal.csd(SERIES * p[0] + p[1] * SERIES**2, SERIES[::-1] * p[2], 2.0, nperseg=8, noverlap=3)[1]) ** 2
    ),
    "cross spectra": lambda p: weighed(
        np.imag(signal.csd(ROWS * p[0], ROWS[::-1, :17] ** 2 + p[1], window=WEIGHTS[:7], scaling="spectrum", nfft=9)[1])
        + np.imag(signal.csd(ROWS, ROWS[::-1] ** 2 * p[1], window="boxcar", nperseg=7, nfft=9, detrend="linear")[1])
    ),
    "coherence": lambda p: weighed(signal.coherence(SERIES * p[0] + p[1] * SERIES**2, SERIES[::-1] + p[2], nperseg=8)[1]),
    "medians": lambda p: weighed(signal.medfilt(SERIES * p[0] + p[1], 5)) + weighed(signal.medfilt(SERIES[:6] * p)),
    "medians of images": lambda p: (
        weighed(signal.medfilt(ROWS * p[0] ** 2, [1, 5])) + weighed(signal.medfilt2d(SERIES.reshape(8, 5) + p[1], 3))
    ),
}


@pytest.mark.filterwarnings("ignore:NOLA")
@pytest.mark.parametrize("name", MODELS)
def test_of_signals(name: str) -> None:
    judge(MODELS[name], POINT)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_short_windows(count: int) -> None:
    windows = signal.windows
    for made in (windows.gaussian, windows.kaiser, windows.tukey, windows.general_hamming):
        moved = adxform.jvp(lambda a: made(count, a), (0.6,), (1.0,))
        np.testing.assert_array_equal(moved[0], made(count, 0.6))
        expected = (np.asarray(made(count, 0.6 + 1e-6)) - made(count, 0.6 - 1e-6)) / 2e-6
        np.testing.assert_allclose(moved[1], expected, rtol=1e-5, atol=1e-8)


REFUSED: dict[str, Model] = {
    "four matrices": lambda p: signal.cont2discrete((p[:2], p[2:4]), 0.1)[0][0],
    "boundary=": lambda p: weighed(np.abs(signal.stft(p, nperseg=4, boundary="even")[2])),
    "input_onesided=": lambda p: weighed(signal.istft(np.outer(p, p) + 0j, input_onesided=False)[1]),
    "times `t`": lambda p: weighed(signal.dlsim((p[:2], p[2:5], 0.5), FORCE, TIMES)[1]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_no_formula_covers_is_refused(message: str) -> None:
    with pytest.raises(MissingRuleError, match=message):
        adxform.grad(REFUSED[message])(POINT)


def test_several_outputs_are_refused_where_they_are_simulated() -> None:
    a = -np.eye(2)
    with pytest.raises(ValueError, match="one output"):
        adxform.grad(lambda p: weighed(signal.lsim((a, p[0] * a, a, a), FORCES, TIMES)[1]))(POINT)


def test_the_spectrum_of_a_series_with_itself_is_refused() -> None:
    for f in (lambda p: weighed(np.abs(signal.csd(p, p, nperseg=4)[1])), lambda p: weighed(signal.coherence(p, p, nperseg=4)[1])):
        with pytest.raises(AdxError, match="use `welch`"):
            adxform.grad(f)(POINT)


@pytest.mark.parametrize("shape", [(), (2, 2, 2)])
def test_medians_of_other_than_vectors_and_images_are_refused_where_they_are_called(shape: tuple[int, ...]) -> None:
    with pytest.raises(MissingRuleError, match="of vectors and of images") as refused:
        adxform.vjp(lambda x: np.sum(signal.medfilt(x, 3)), np.full(shape, 0.5))
    assert refused.value.span.line
