"""Spectra that `scipy.signal` estimates from segments of a series, and the peaks of a series.

The values are those of SciPy's own calls; what they mean tells how they move. Windows, lengths and frequencies do not.

Source: Welch, IEEE Trans. Audio Electroacoust. 15 (1967).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import signal

from adxform import runtime
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Several, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import signal as calls


def _parts(x: Any, window: Any, noverlap: Any, nfft: Any, detrend: Any) -> Any:
    """The transforms of the segments of real series."""
    width = window.shape[0]
    starts = np.arange(0, x.shape[-1] - width + 1, width - noverlap)
    parts = x[..., np.expand_dims(starts, 1) + np.arange(width)]
    if detrend == "constant":
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
    elif detrend == "linear":
        parts = signal.detrend(parts, type="linear")
    elif detrend is not False:
        unsupported("a spectrum has a derivative for detrend 'constant', 'linear' and False")
    return np.fft.rfft(parts * window, nfft)


def _spectra(x: Any, fs: Any, window: Any, noverlap: Any, nfft: Any, detrend: Any, scaling: Any, onesided: Any) -> Any:
    """The power of each segment at each frequency, with the frequencies along the last axis, the segments ahead of it."""
    if not onesided:
        unsupported("a spectrum has a derivative for `return_onesided=True`")
    found = _parts(x, window, noverlap, nfft, detrend)
    return (found.real**2 + found.imag**2) * _scales(found.shape[-1], nfft, window, fs, scaling)


def _scales(count: Any, nfft: Any, window: Any, fs: Any, scaling: Any) -> Any:
    """What powers are multiplied with: twice as much for those that stand for two frequencies."""
    scale = 1.0 / (fs * np.sum(window * window)) if scaling == "density" else 1.0 / np.sum(window) ** 2
    places = np.arange(count)
    alone = (places == 0) | ((places == count - 1) & (nfft % 2 == 0))
    return np.where(alone, scale, 2.0 * scale)


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


def _longer(x: Any, count: Any) -> Any:
    """`x` with zeros at its end, so that it has so many numbers."""
    return np.concatenate((x, np.zeros((*x.shape[:-1], count - x.shape[-1]))), axis=-1)


def _csd(
    x: Any,
    y: Any,
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
    if x is y:
        raise runtime.without_derivative("csd of a series with itself is real: use `welch`")
    if min(x.shape[-1], y.shape[-1]) == 0:
        raise runtime.without_derivative("the spectrum of a series without elements has no derivative")
    longest = max(x.shape[-1], y.shape[-1])
    taper = calls.taper(window, nperseg, longest, 256)
    width = taper.shape[0]
    overlap, count = width // 2 if noverlap is None else noverlap, width if nfft is None else nfft
    first = _parts(_longer(x, longest), taper, overlap, count, detrend)
    products = np.conjugate(first) * _parts(_longer(y, longest), taper, overlap, count, detrend)
    return None, np.mean(products, axis=-2) * _scales(products.shape[-1], count, taper, fs, scaling)


def _coherence(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    axis: Any = -1,
) -> Any:
    _, between = _csd(x, y, fs, window, nperseg, noverlap, nfft, detrend)
    _, first = _welch(x, fs, window, nperseg, noverlap, nfft, detrend)
    _, second = _welch(y, fs, window, nperseg, noverlap, nfft, detrend)
    return None, (between.real**2 + between.imag**2) / first / second


def _stft(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = 256,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = False,
    return_onesided: Any = True,
    boundary: Any = "zeros",
    padded: Any = True,
    axis: Any = -1,
    scaling: Any = "spectrum",
) -> Any:
    taper = calls.taper(window, nperseg, x.shape[-1], 256)
    width = taper.shape[0]
    step = width - (width // 2 if noverlap is None else noverlap)
    if boundary == "zeros":
        beyond = np.zeros((*x.shape[:-1], width // 2))
        x = np.concatenate((beyond, x, beyond), axis=-1)
    if padded:
        missing = (-(x.shape[-1] - width) % step) % width
        x = np.concatenate((x, np.zeros((*x.shape[:-1], missing))), axis=-1)
    starts = np.arange(0, x.shape[-1] - width + 1, step)
    parts = x[..., np.expand_dims(starts, 1) + np.arange(width)]
    scale = 1.0 / np.sum(taper) if scaling == "spectrum" else 1.0 / np.sqrt(fs * np.sum(taper * taper))
    found = np.fft.rfft(parts * taper, width if nfft is None else nfft) * scale
    return None, None, np.swapaxes(found, -1, -2)


def _istft(
    Zxx: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    input_onesided: Any = True,
    boundary: Any = True,
    time_axis: Any = -1,
    freq_axis: Any = -2,
    scaling: Any = "spectrum",
) -> Any:
    usual = 2 * (Zxx.shape[-2] - 1)
    taper = calls.taper(window, nperseg, usual if nperseg is None else nperseg, usual)
    width = taper.shape[0]
    step = width - (width // 2 if noverlap is None else noverlap)
    if nfft is None:
        nfft = width + 1 if nperseg is not None and width == usual + 1 else usual if nperseg is None else width
    count = Zxx.shape[-1]
    scale = np.sum(taper) if scaling == "spectrum" else np.sqrt(fs * np.sum(taper * taper))
    parts = np.fft.irfft(Zxx, nfft, axis=-2)[..., :width, :] * scale
    total, weights = np.zeros((*Zxx.shape[:-2], width + (count - 1) * step)), np.zeros(width + (count - 1) * step)
    for k in range(count):
        total[..., k * step : k * step + width] += parts[..., k] * taper
        weights[k * step : k * step + width] += taper * taper
    half = width // 2 if boundary else 0
    total, weights = total[..., half : total.shape[-1] - half], weights[half : weights.shape[0] - half]
    return None, total / np.where(weights > 1e-10, weights, 1.0)


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


def _of_series(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    match args[0]:
        case Var(_, Array("float64" | "float32" as dtype, (*lead, _))):
            line, kind = Array("float64", (Dim("?*"),)), "complex128" if dtype == "float64" else "complex64"
            return Several((line, line, Array(kind, (*lead, Dim("?*"), Dim("?*")))))
        case _:
            return None


def _of_transform(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    match args[0]:
        case Var(_, Array("complex128" | "complex64" as dtype, (*lead, _, _))):
            kind = "float64" if dtype == "complex128" else "float32"
            return Several((Array("float64", (Dim("?*"),)), Array(kind, (*lead, Dim("?*")))))
        case _:
            return None


def _of_pair(kind: str) -> Any:
    """The types of frequencies and of numbers at these, of two series of the same axes."""

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
        match args[:2]:
            case Var(_, Array("float64", (*lead, _))), Var(_, Array("float64", (*other, _))) if len(lead) == len(other):
                return Several((Array("float64", (Dim("?*"),)), Array(kind, (*lead, Dim("?*")))))
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
    Definition(
        signal.csd,
        _csd,
        Value.OWN,
        result=_of_pair("complex128"),
        only={**_SETTINGS, "average": ("mean",), "return_onesided": (True,)},
    ),
    Definition(signal.coherence, _coherence, Value.OWN, result=_of_pair("float64"), only={"fs": (), "axis": (-1,)}),
    Definition(
        signal.stft,
        _stft,
        Value.OWN,
        result=_of_series,
        only={**_SETTINGS, "detrend": (False,), "return_onesided": (True,), "boundary": ("zeros", None)},
    ),
    Definition(
        signal.istft,
        _istft,
        Value.OWN,
        result=_of_transform,
        only={"fs": (), "scaling": (), "input_onesided": (True,), "time_axis": (-1,), "freq_axis": (-2,)},
    ),
    Definition(signal.find_peaks, _find_peaks, Value.FOLLOWED, sequences=True),
)
