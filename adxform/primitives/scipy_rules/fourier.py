"""The transforms of `scipy.fft`: linear, and each the transpose of itself or of another one with another scale.

Cotangents pair with tangents without a conjugate, as in `numpy_fourier`. Cosine and sine transforms are symmetric matrices (types
1 and 4), or each other's transposes (types 2 and 3), but for the weights of the ends, which are stated here.

Source: Makhoul (1980), A fast cosine transform in one and two dimensions; SciPy's definitions of `dct` and `dst`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft

from adxform import runtime
from adxform.primitives.declare import constant, linear
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.facets import Moves
from adxform.primitives.families.numpy_fourier import fitted, opposite
from adxform.primitives.record import SHAPE_ONLY, Primitive
from adxform.runtime.of_scipy import fft as calls


def _fft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    return fitted(fft.fft(ct, None, axis, norm), x, n, axis)


def _ifft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    return fitted(fft.ifft(ct, None, axis, norm), x, n, axis)


def _rfft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    length = x.shape[axis] if n is None else n
    half = np.conjugate(ct) / runtime.spectrum_counts(ct, length, axis)
    return fitted(fft.irfft(half, length, axis, opposite(norm)), x, n, axis)


def _irfft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    half = np.conjugate(fft.rfft(ct, None, axis, opposite(norm)))
    whole = half * runtime.spectrum_counts(half, ct.shape[axis], axis)
    return whole if n is None else runtime.of_length(whole, x.shape[axis], axis)


def _hfft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    half = fft.rfft(ct, None, axis, norm)
    whole = half * runtime.spectrum_counts(half, ct.shape[axis], axis)
    return whole if n is None else runtime.of_length(whole, x.shape[axis], axis)


def _ihfft_transpose(ct: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, workers: Any = None) -> Any:
    length = x.shape[axis] if n is None else n
    half = ct / runtime.spectrum_counts(ct, length, axis)
    return fitted(fft.irfft(half, length, axis, norm), x, n, axis)


def _real_transpose(name: Any) -> Callable[..., Any]:
    """The transpose of a cosine or a sine transform."""

    def transpose(
        ct: Any,
        x: Any,
        type: Any = 2,
        n: Any = None,
        axis: Any = -1,
        norm: Any = None,
        *,
        workers: Any = None,
        orthogonalize: Any = None,
    ) -> Any:
        return calls.real_transpose(ct, x, name, type, n, axis, norm, orthogonalize)

    return transpose


def _along(x: Any, s: Any, axes: Any) -> Any:
    """The axes of a transform, and how many elements there are taken along each: ``None`` for as many as there are."""
    if axes is None:
        axes = tuple(range(-(np.ndim(x) if s is None else np.size(s)), 0))
    axes = (axes,) if np.ndim(axes) == 0 else tuple(axes)
    lengths = (None,) * len(axes) if s is None else (s,) if np.ndim(s) == 0 else tuple(s)
    if len(lengths) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return tuple(zip(lengths, axes, strict=True))


def _fitted_along(ct: Any, x: Any, s: Any, axes: Any) -> Any:
    for length, axis in _along(x, s, axes):
        ct = fitted(ct, x, length, axis)
    return ct


def _fftn_transpose(ct: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, *, workers: Any = None) -> Any:
    places = tuple([axis for _, axis in _along(x, s, axes)])
    return _fitted_along(fft.fftn(ct, None, places, norm), x, s, axes)


def _ifftn_transpose(ct: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, *, workers: Any = None) -> Any:
    places = tuple([axis for _, axis in _along(x, s, axes)])
    return _fitted_along(fft.ifftn(ct, None, places, norm), x, s, axes)


def _rfftn_transpose(ct: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, *, workers: Any = None) -> Any:
    along = _along(x, s, axes)
    length, last = along[-1]
    lengths = (*tuple([ct.shape[axis] for _, axis in along[:-1]]), x.shape[last] if length is None else length)
    half = np.conjugate(ct) / runtime.spectrum_counts(ct, lengths[-1], last)
    whole = fft.irfftn(half, lengths, tuple([axis for _, axis in along]), opposite(norm))
    return _fitted_along(whole, x, s, axes)


def _irfftn_transpose(ct: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, *, workers: Any = None) -> Any:
    along = _along(x, s, axes)
    length, last = along[-1]
    half = np.conjugate(fft.rfftn(ct, None, tuple([axis for _, axis in along]), opposite(norm)))
    whole = half * runtime.spectrum_counts(half, ct.shape[last], last)
    for n, axis in along[:-1]:
        whole = fitted(whole, x, n, axis)
    return fitted(whole, x, length, last)


def _of_plane(transpose: Callable[..., Any]) -> Callable[..., Any]:
    """The transpose of a transform along two axes, by that along several."""

    def of_plane(ct: Any, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, *, workers: Any = None) -> Any:
        return transpose(ct, x, s, axes, norm)

    return of_plane


def _real_transpose_along(name: Any) -> Callable[..., Any]:
    """The transpose of a cosine or a sine transform along several axes."""

    def transpose(
        ct: Any,
        x: Any,
        type: Any = 2,
        s: Any = None,
        axes: Any = None,
        norm: Any = None,
        *,
        workers: Any = None,
        orthogonalize: Any = None,
    ) -> Any:
        for length, axis in _along(x, s, axes):
            ct = calls.real_transpose(ct, x, name, type, length, axis, norm, orthogonalize)
        return ct

    return transpose


def _fftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.fftfreq(n, d)


def _rfftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.rfftfreq(n, d)


_V = np.array([0.5, -1.5, 2.0, 0.25])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_SAMPLES: tuple[tuple[Any, ...], ...] = ((_V,), (_M, None, 0), (_V, 3), (_V, 6), (_M, 5, 1, "ortho"), (_V, None, -1, "forward"))
_REAL: tuple[tuple[Any, ...], ...] = ((_V,), (_M,))
_ALONG: tuple[tuple[Any, ...], ...] = ((_M,), (_M, (3, 2)), (_M, None, (0,), "ortho"))

RECORDS: tuple[Primitive, ...] = (
    linear(fft.fft, _fft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.ifft, _ifft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.rfft, _rfft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.irfft, _irfft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.hfft, _hfft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.ihfft, _ihfft_transpose, *_SAMPLES, open_integers=True),
    linear(fft.fftn, _fftn_transpose, *_ALONG, open_integers=True),
    linear(fft.ifftn, _ifftn_transpose, *_ALONG, open_integers=True),
    linear(fft.rfftn, _rfftn_transpose, *_ALONG, open_integers=True),
    linear(fft.irfftn, _irfftn_transpose, *_ALONG, open_integers=True),
    linear(fft.fft2, _of_plane(_fftn_transpose), (_M,), open_integers=True),
    linear(fft.ifft2, _of_plane(_ifftn_transpose), (_M,), open_integers=True),
    linear(fft.rfft2, _of_plane(_rfftn_transpose), (_M,), open_integers=True),
    linear(fft.irfft2, _of_plane(_irfftn_transpose), (_M,), open_integers=True),
    *(linear(getattr(fft, name), _real_transpose(name), *_REAL, open_integers=True) for name in ("dct", "idct", "dst", "idst")),
    *(
        linear(getattr(fft, f"{name}n"), _real_transpose_along(name), (_M,), open_integers=True)
        for name in ("dct", "idct", "dst", "idst")
    ),
    linear(
        calls.real_transform,
        lambda ct, x, name, kind, n, axis, norm, orthogonalize: calls.real_transpose(
            ct, x, name, kind, n, axis, norm, orthogonalize
        ),
        open_integers=True,
    ),
    linear(
        calls.real_transpose,
        lambda y_ct, ct, x, name, kind, n, axis, norm, orthogonalize: calls.real_transform(
            y_ct, name, kind, ct.shape[axis], axis, norm, orthogonalize
        ),
        shapes=(1,),
        open_integers=True,
    ),
    linear(fft.fftshift, lambda ct, x, axes=None: fft.ifftshift(ct, axes), (_V,), (_M, 1), moves=Moves.SHIFT),
    linear(fft.ifftshift, lambda ct, x, axes=None: fft.fftshift(ct, axes), (_V,), (_M, 1), moves=Moves.SHIFT),
    constant(fft.next_fast_len, effect=SHAPE_ONLY, open_integers=True),
)

DEFINITIONS: tuple[Definition, ...] = (Definition(fft.fftfreq, _fftfreq), Definition(fft.rfftfreq, _rfftfreq))
