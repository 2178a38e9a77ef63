"""Fourier transforms along several axes, or of signals with a symmetry: by those along one axis, as NumPy computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.families.numpy_fourier import opposite


def _axes(a: Any, s: Any, axes: Any) -> Any:
    """The axes of a transform, and how many elements there are taken along each: ``None`` for as many as there are."""
    if axes is None:
        axes = tuple(range(-(np.ndim(a) if s is None else len(s)), 0))
    lengths = (None,) * len(axes) if s is None else tuple([None if length == -1 else length for length in s])
    if len(lengths) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return tuple(zip(lengths, axes, strict=True))


def _fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    for length, axis in _axes(a, s, axes)[::-1]:
        a = np.fft.fft(a, length, axis, norm)
    return a


def _ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    for length, axis in _axes(a, s, axes)[::-1]:
        a = np.fft.ifft(a, length, axis, norm)
    return a


def _rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    along = _axes(a, s, axes)
    a = np.fft.rfft(a, along[-1][0], along[-1][1], norm)
    for length, axis in along[-2::-1]:
        a = np.fft.fft(a, length, axis, norm)
    return a


def _irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    along = _axes(a, s, axes)
    for length, axis in along[:-1]:
        a = np.fft.ifft(a, length, axis, norm)
    return np.fft.irfft(a, along[-1][0], along[-1][1], norm)


def _fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _fftn(a, s, axes, norm)


def _ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _ifftn(a, s, axes, norm)


def _rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _rfftn(a, s, axes, norm)


def _irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _irfftn(a, s, axes, norm)


def _hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.fft.irfft(np.conjugate(a), n, axis, opposite(norm))


def _ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.conjugate(np.fft.rfft(a, n, axis, opposite(norm)))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.fft.fftn, _fftn, makes=True),
    Definition(np.fft.ifftn, _ifftn, makes=True),
    Definition(np.fft.rfftn, _rfftn, makes=True),
    Definition(np.fft.irfftn, _irfftn, makes=True),
    Definition(np.fft.fft2, _fft2, makes=True),
    Definition(np.fft.ifft2, _ifft2, makes=True, takes_out=False),
    Definition(np.fft.rfft2, _rfft2, makes=True),
    Definition(np.fft.irfft2, _irfft2, makes=True, takes_out=False),
    Definition(np.fft.hfft, _hfft, makes=True, takes_out=False),
    Definition(np.fft.ihfft, _ihfft, makes=True),
)
