"""The transforms of `scipy.fftpack`, by those of `scipy.fft`, and its derivatives and shifts of periodic sequences.

These are linear, with a multiplier for each frequency: one that is even in it and real is its own transpose, one that is odd and
imaginary the negative of that. So derivatives of odd order and the Hilbert transforms change sign; a shift goes the other way.

Source: SciPy's definitions of `scipy.fftpack`; Makhoul (1980), A fast cosine transform in one and two dimensions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft, fftpack

from adxform import runtime
from adxform.primitives.declare import constant, linear
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import SHAPE_ONLY, Primitive


def _along_one(transform: Callable[..., Any]) -> Callable[..., Any]:
    def body(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
        return transform(x, n, axis)

    return body


def _along_two(transform: Callable[..., Any]) -> Callable[..., Any]:
    def body(x: Any, shape: Any = None, axes: Any = (-2, -1), overwrite_x: Any = False) -> Any:
        return transform(x, shape, axes)

    return body


def _along_several(transform: Callable[..., Any]) -> Callable[..., Any]:
    def body(x: Any, shape: Any = None, axes: Any = None, overwrite_x: Any = False) -> Any:
        return transform(x, shape, axes)

    return body


_SAME = {1: 1, 2: 2, 3: 3, 4: 4}
_BACK = {1: 1, 2: 3, 3: 2, 4: 4}
"""By types of cosine and sine transforms: which one undoes them, but for a factor that `scipy.fftpack` leaves out."""


def _of_waves(transform: Callable[..., Any], types: dict[int, int]) -> Callable[..., Any]:
    def body(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False) -> Any:
        return transform(x, types[type], n, axis, norm)

    return body


def _of_waves_along_several(transform: Callable[..., Any], types: dict[int, int]) -> Callable[..., Any]:
    def body(x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False) -> Any:
        return transform(x, types[type], shape, axes, norm)

    return body


def _rfft(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
    """The real parts and imaginary parts of half of the spectrum, one beside the other."""
    length = x.shape[axis] if n is None else n
    half = np.moveaxis(fft.rfft(x, n, axis), axis, -1)
    parts = np.reshape(np.stack((np.real(half), np.imag(half)), axis=-1), (*half.shape[:-1], 2 * half.shape[-1]))
    return np.moveaxis(np.concatenate((parts[..., :1], parts[..., 2 : length + 1]), axis=-1), -1, axis)


def _irfft(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
    length = x.shape[axis] if n is None else n
    parts = np.moveaxis(x if n is None else runtime.of_length(x, n, axis), axis, -1)
    none = np.zeros((*parts.shape[:-1], 1), dtype=parts.dtype)
    whole = np.concatenate((parts[..., :1], none, parts[..., 1:], none), axis=-1)[..., : 2 * (length // 2 + 1)]
    half = whole[..., ::2] + 1j * whole[..., 1::2]
    return np.moveaxis(fft.irfft(half, length, -1), -1, axis)


def _rfftfreq(n: Any, d: Any = 1.0) -> Any:
    if not isinstance(n, int) or n < 0:
        unsupported("`scipy.fftpack.rfftfreq` of what is no whole number from zero on")
    return (np.arange(1, n + 1, dtype=int) // 2) / float(n * d)


def _shift_transpose(ct: Any, x: Any, a: Any, period: Any = None) -> Any:
    """Of an even number of samples not the shift back: the highest frequency has one multiplier, which is no even function."""
    return _turned(fftpack.shift(_turned(ct), a, period))


def _turned(x: Any) -> Any:
    """The sequence as it goes back from its first element, round the period."""
    return np.roll(np.flip(x), 1)


_ONLY = {"overwrite_x": (False,)}
_V = np.array([0.5, -1.5, 2.0, 0.25])
_W = np.array([0.5, -1.5, 2.0, 0.25, 0.75])

RECORDS: tuple[Primitive, ...] = (
    linear(
        fftpack.diff,
        lambda ct, x, order=1, period=None: -fftpack.diff(ct, order, period) if order % 2 else fftpack.diff(ct, order, period),
        *((_V,), (_W, 2), (_V, 3, 4.0)),
        open_integers=True,
    ),
    linear(fftpack.hilbert, lambda ct, x: -fftpack.hilbert(ct), (_V,), (_W,), open_integers=True),
    linear(fftpack.ihilbert, lambda ct, x: -fftpack.ihilbert(ct), (_V,), (_W,), open_integers=True),
    linear(fftpack.tilbert, lambda ct, x, h, period=None: -fftpack.tilbert(ct, h, period), (_V, 0.5), open_integers=True),
    linear(fftpack.itilbert, lambda ct, x, h, period=None: -fftpack.itilbert(ct, h, period), (_V, 0.5), open_integers=True),
    linear(
        fftpack.cs_diff, lambda ct, x, a, b, period=None: -fftpack.cs_diff(ct, a, b, period), (_V, 0.5, 0.7), open_integers=True
    ),
    linear(
        fftpack.sc_diff, lambda ct, x, a, b, period=None: -fftpack.sc_diff(ct, a, b, period), (_V, 0.5, 0.7), open_integers=True
    ),
    linear(
        fftpack.ss_diff, lambda ct, x, a, b, period=None: fftpack.ss_diff(ct, a, b, period), (_V, 0.5, 0.7), open_integers=True
    ),
    linear(
        fftpack.cc_diff, lambda ct, x, a, b, period=None: fftpack.cc_diff(ct, a, b, period), (_V, 0.5, 0.7), open_integers=True
    ),
    linear(fftpack.shift, _shift_transpose, (_V, 0.5), (_W, 0.5, 3.0), open_integers=True),
    constant(fftpack.next_fast_len, effect=SHAPE_ONLY, open_integers=True),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(fftpack.fft, _along_one(fft.fft), only=_ONLY),
    Definition(fftpack.ifft, _along_one(fft.ifft), only=_ONLY),
    Definition(fftpack.fft2, _along_two(fft.fft2), only=_ONLY),
    Definition(fftpack.ifft2, _along_two(fft.ifft2), only=_ONLY),
    Definition(fftpack.fftn, _along_several(fft.fftn), only=_ONLY),
    Definition(fftpack.ifftn, _along_several(fft.ifftn), only=_ONLY),
    Definition(fftpack.dct, _of_waves(fft.dct, _SAME), only=_ONLY),
    Definition(fftpack.idct, _of_waves(fft.dct, _BACK), only=_ONLY),
    Definition(fftpack.dst, _of_waves(fft.dst, _SAME), only=_ONLY),
    Definition(fftpack.idst, _of_waves(fft.dst, _BACK), only=_ONLY),
    Definition(fftpack.dctn, _of_waves_along_several(fft.dctn, _SAME), only=_ONLY),
    Definition(fftpack.idctn, _of_waves_along_several(fft.dctn, _BACK), only=_ONLY),
    Definition(fftpack.dstn, _of_waves_along_several(fft.dstn, _SAME), only=_ONLY),
    Definition(fftpack.idstn, _of_waves_along_several(fft.dstn, _BACK), only=_ONLY),
    Definition(fftpack.rfft, _rfft, Value.OWN, only=_ONLY),
    Definition(fftpack.irfft, _irfft, Value.OWN, only=_ONLY),
    Definition(fftpack.rfftfreq, _rfftfreq),
)
