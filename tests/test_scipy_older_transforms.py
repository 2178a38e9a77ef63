"""The transforms of `scipy.fftpack`, and its derivatives and shifts of periodic sequences, of even and odd lengths.

Each is judged by plain calls and differences, in both modes and at second order, as `tests.tables.cell` has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import Cell, judge

fftpack = pytest.importorskip("scipy.fftpack")

EVEN = np.array([[0.126, -0.132, 0.64, 0.105], [-0.536, 0.362, 1.304, 0.947], [-0.704, -1.265, -0.623, 0.041]])
ODD = np.array([[0.345, -0.218, 1.366, -0.665, 0.351], [0.903, 0.094, -0.743, -0.922, -0.457]])


def weighed(y: Any) -> Any:
    parts = np.real(y) + 2.0 * np.imag(y)
    return np.sum(parts * parts * np.reshape(np.cos(np.arange(parts.size)), parts.shape))


def spectra(x: Any) -> Any:
    return weighed(fftpack.fft(x)) + weighed(fftpack.ifft(x, 5)) + weighed(fftpack.ifft(fftpack.fft(x, 3), axis=0))


def spectra_of_planes(x: Any) -> Any:
    return weighed(fftpack.fft2(x, (3, 2))) + weighed(fftpack.ifft2(x)) + weighed(fftpack.ifftn(fftpack.fftn(x), axes=(0,)))


def real_spectra(x: Any) -> Any:
    found = weighed(fftpack.rfft(x)) + weighed(fftpack.rfft(x, 6, axis=0))
    return found + sum([weighed(fftpack.rfft(x, n)) for n in (1, 3, 5, 8)])


def of_real_spectra(x: Any) -> Any:
    found = weighed(fftpack.irfft(x)) + weighed(fftpack.irfft(x, 6, axis=0))
    return found + sum([weighed(fftpack.irfft(x, n)) for n in (1, 3, 5, 8)])


def waves(x: Any) -> Any:
    found = weighed(fftpack.dct(x, norm="ortho")) + weighed(fftpack.idct(x, n=3)) + weighed(fftpack.idst(x, 1, axis=0))
    return found + sum([weighed(fftpack.dst(x, kind)) + weighed(fftpack.idct(x, kind, 6)) for kind in (2, 3, 4)])


def waves_of_planes(x: Any) -> Any:
    found = weighed(fftpack.dctn(x)) + weighed(fftpack.idctn(x, shape=(2, 3), norm="ortho"))
    return found + weighed(fftpack.dstn(x, 3)) + weighed(fftpack.idstn(x, axes=0, shape=(2,)))


def slopes(x: Any) -> Any:
    return weighed(fftpack.diff(x[0])) + weighed(fftpack.diff(x[0], 2)) + weighed(fftpack.diff(x[1], 3, period=4.0))


def integrals(x: Any) -> Any:
    return weighed(fftpack.diff(x[0], -1)) + weighed(fftpack.diff(fftpack.fft(x[1])))


def hilbert_transforms(x: Any) -> Any:
    found = weighed(fftpack.hilbert(x[0])) + weighed(fftpack.ihilbert(x[0])) + weighed(fftpack.tilbert(x[1], 0.5))
    return found + weighed(fftpack.itilbert(x[1], 0.5, period=3.0))


def hyperbolic_multipliers(x: Any) -> Any:
    found = weighed(fftpack.cs_diff(x[0], 0.5, 0.7)) + weighed(fftpack.sc_diff(x[0], 0.5, 0.7, period=2.0))
    return found + weighed(fftpack.ss_diff(x[1], 0.5, 0.7)) + weighed(fftpack.cc_diff(x[1], 0.4, 0.6))


def shifts(x: Any) -> Any:
    return weighed(fftpack.shift(x[0], 0.3)) + weighed(fftpack.shift(x[1], 0.3, 2.0))


def frequencies(x: Any) -> Any:
    n = fftpack.next_fast_len(len(x[0]))
    return weighed(fftpack.fft(x, n)) + np.sum(fftpack.rfftfreq(5, 0.5) * x[0, 0]) + np.sum(fftpack.fftfreq(4) * x[0, 1])


PROGRAMS = (
    spectra,
    spectra_of_planes,
    real_spectra,
    of_real_spectra,
    waves,
    waves_of_planes,
    slopes,
    integrals,
    hilbert_transforms,
    hyperbolic_multipliers,
    shifts,
    frequencies,
)


@pytest.mark.parametrize("x", [EVEN, ODD], ids=["even", "odd"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_transforms(program: Callable[..., Any], x: Any) -> None:
    verdict = judge(Cell(program.__name__, program, (x,)))
    assert verdict.kind == "right", verdict.reason


def test_what_may_be_overwritten_is_read_no_more() -> None:
    def read(x: Any) -> Any:
        y = x * 2.0
        return weighed(fftpack.fft(y, overwrite_x=True)) + np.sum(y)

    with pytest.raises(UnsupportedOperationError, match="overwrite"):
        adxform.grad(read)(EVEN)
