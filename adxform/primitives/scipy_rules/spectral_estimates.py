"""Spectra that `scipy.signal` estimates from segments of a series, and the peaks of a series.

The values are those of SciPy's own calls; what they mean tells how they move. Windows, lengths and frequencies do not.

Source: Welch, IEEE Trans. Audio Electroacoust. 15 (1967).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import signal

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Several, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import signal as calls


def _spectra(x: Any, fs: Any, window: Any, noverlap: Any, nfft: Any, detrend: Any, scaling: Any, onesided: Any) -> Any:
    """The power of each segment at each frequency, with the frequencies along the last axis, the segments ahead of it."""
    if not onesided:
        unsupported("a spectrum has a derivative for `return_onesided=True`")
    width = window.shape[0]
    starts = np.arange(0, x.shape[-1] - width + 1, width - noverlap)
    parts = x[..., np.expand_dims(starts, 1) + np.arange(width)]
    if detrend == "constant":
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
    elif detrend == "linear":
        parts = signal.detrend(parts, type="linear")
    elif detrend is not False:
        unsupported("a spectrum has a derivative for detrend 'constant', 'linear' and False")
    found = np.fft.rfft(parts * window, nfft)
    scale = 1.0 / (fs * np.sum(window * window)) if scaling == "density" else 1.0 / np.sum(window) ** 2
    count = found.shape[-1]
    places = np.arange(count)
    alone = (places == 0) | ((places == count - 1) & (nfft % 2 == 0))
    return (found.real**2 + found.imag**2) * np.where(alone, scale, 2.0 * scale)


def _welch(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: Any = True,
    scaling: Any = "density",
    axis: Any = -1,
    average: Any = "mean",
) -> Any:
    taper = calls.taper(window, nperseg, x.shape[-1], 256)
    width = taper.shape[0]
    overlap = width // 2 if noverlap is None else noverlap
    power = _spectra(x, fs, taper, overlap, width if nfft is None else nfft, detrend, scaling, return_onesided)
    return None, np.mean(power, axis=-2)


def _periodogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = "boxcar",
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: Any = True,
    scaling: Any = "density",
    axis: Any = -1,
) -> Any:
    taken = x if nfft is None else x[..., :nfft]
    taper = calls.taper("boxcar" if window is None else window, taken.shape[-1], taken.shape[-1], 256)
    width = taper.shape[0]
    return None, _spectra(taken, fs, taper, 0, width if nfft is None else nfft, detrend, scaling, return_onesided)[..., 0, :]


def _spectrogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = ("tukey", 0.25),
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: Any = True,
    scaling: Any = "density",
    axis: Any = -1,
    mode: Any = "psd",
) -> Any:
    taper = calls.taper(window, nperseg, x.shape[-1], 256)
    width = taper.shape[0]
    overlap = width // 8 if noverlap is None else noverlap
    power = _spectra(x, fs, taper, overlap, width if nfft is None else nfft, detrend, scaling, return_onesided)
    return None, None, np.swapaxes(power, -1, -2)


class Properties:
    """What `find_peaks` tells of peaks beside their places, which is not followed."""

    def __getitem__(self, name: Any) -> Any:
        unsupported("of `find_peaks` the places are followed; take the values there: `x[peaks]`")


def _find_peaks(
    x: Any,
    height: Any = None,
    threshold: Any = None,
    distance: Any = None,
    prominence: Any = None,
    width: Any = None,
    wlen: Any = None,
    rel_height: Any = 0.5,
    plateau_size: Any = None,
) -> Any:
    places = calls.peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
    return places, Properties()


def _spectrum_type(axes: int) -> Any:
    """The types of frequencies, of times where there are so many axes more, and of powers."""

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
        match args[0]:
            case Var(_, Array("float64" | "float32" as dtype, (*lead, _))):
                line = Array("float64", (Dim("?*"),))
                return Several((*(line for _ in range(1 + axes)), Array(dtype, (*lead, *(Dim("?*") for _ in range(1 + axes))))))
            case _:
                return None

    return result


def _taper_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"),))


def _peaks_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("int64", (Dim("?*"),))


RECORDS: tuple[Primitive, ...] = (
    constant(calls.taper, result=_taper_type, sequences=True),
    constant(calls.peaks, result=_peaks_type, sequences=True),
)

_SETTINGS = {"fs": (), "scaling": (), "axis": (-1,)}

DEFINITIONS: tuple[Definition, ...] = (
    Definition(signal.welch, _welch, Value.OWN, result=_spectrum_type(0), only={**_SETTINGS, "average": ("mean",)}),
    Definition(signal.periodogram, _periodogram, Value.OWN, result=_spectrum_type(0), only=_SETTINGS),
    Definition(signal.spectrogram, _spectrogram, Value.OWN, result=_spectrum_type(1), only={**_SETTINGS, "mode": ("psd",)}),
    Definition(signal.find_peaks, _find_peaks, Value.FOLLOWED, sequences=True),
)
