"""Fourier transforms: linear, and each the transpose of itself or of its inverse with another scale.

Cotangents pair with tangents without a conjugate (`complex_numbers`), so the transpose of a transform is the transform itself,
whose matrix is symmetric. Of the half spectrum of a real signal each term but the first, and the middle one, stands for two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.declare import constant, general, linear
from adxform.primitives.facets import Moves
from adxform.primitives.record import SHAPE_ONLY, Primitive


def opposite(norm: Any) -> Any:
    """The scale of the inverse transform, for the scale `norm` of a transform."""
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def fitted(ct: Any, x: Any, n: Any, axis: Any) -> Any:
    """`ct`, of an array that was cut or filled up to `n` elements along `axis`, for the array `x` that was."""
    return ct if n is None else runtime.of_length(ct, x.shape[axis], axis)


def _fft_transpose(ct: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return fitted(np.fft.fft(ct, axis=axis, norm=norm), a, n, axis)


def _ifft_transpose(ct: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return fitted(np.fft.ifft(ct, axis=axis, norm=norm), a, n, axis)


def _rfft_transpose(ct: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    length = a.shape[axis] if n is None else n
    half = np.conjugate(ct) / runtime.spectrum_counts(ct, length, axis)
    return fitted(np.fft.irfft(half, length, axis=axis, norm=opposite(norm)), a, n, axis)


def _irfft_transpose(ct: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    half = np.conjugate(np.fft.rfft(ct, axis=axis, norm=opposite(norm)))
    whole = half * runtime.spectrum_counts(half, ct.shape[axis], axis)
    return whole if n is None else runtime.of_length(whole, a.shape[axis], axis)


def _fftfreq(n: Any, d: Any = 1.0) -> Any:
    y = np.fft.fftfreq(n, d)

    def pullback(ct: Any) -> Any:
        return None, -np.sum(ct * y) / d

    return y, pullback


def _rfftfreq(n: Any, d: Any = 1.0) -> Any:
    y = np.fft.rfftfreq(n, d)

    def pullback(ct: Any) -> Any:
        return None, -np.sum(ct * y) / d

    return y, pullback


_V = np.array([0.5, -1.5, 2.0, 0.25])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_SAMPLES: tuple[tuple[Any, ...], ...] = (
    (_V,),
    (_M,),
    (_M, None, 0),
    (_V, 3),
    (_V, 6),
    (_M, 5, 1, "ortho"),
    (_M, None, 1, "forward"),
)

RECORDS: tuple[Primitive, ...] = (
    linear(np.fft.fft, _fft_transpose, *_SAMPLES, open_integers=True),
    linear(np.fft.ifft, _ifft_transpose, *_SAMPLES, open_integers=True),
    linear(np.fft.rfft, _rfft_transpose, *_SAMPLES, open_integers=True),
    linear(np.fft.irfft, _irfft_transpose, *_SAMPLES, open_integers=True),
    linear(np.fft.fftshift, lambda ct, x, axes=None: np.fft.ifftshift(ct, axes), (_V,), (_M,), (_M, 1), moves=Moves.SHIFT),
    linear(np.fft.ifftshift, lambda ct, x, axes=None: np.fft.fftshift(ct, axes), (_V,), (_M,), (_M, 1), moves=Moves.SHIFT),
    linear(
        runtime.of_length,
        lambda ct, x, length, axis: runtime.of_length(ct, x.shape[axis], axis),
        (_V, 3, 0),
        (_M, 4, 1),
        shapes=(1, 2),
        open_integers=True,
    ),
    general(np.fft.fftfreq, _fftfreq, (5, 0.5), unsized=True, open_integers=True),
    general(np.fft.rfftfreq, _rfftfreq, (5, 0.5), unsized=True, open_integers=True),
    constant(runtime.spectrum_counts, effect=SHAPE_ONLY, open_integers=True),
)
