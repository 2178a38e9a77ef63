"""Cosine and sine transforms by name, and their transposes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import fft

from adxform.runtime.derivatives.spectra import of_length

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def real_transform(x: Any, name: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:  # noqa: A002 - as SciPy has it
    """Return ``scipy.fft.dct``, ``idct``, ``dst`` or ``idst`` of `x`."""
    return getattr(fft, name)(x, type, n, axis, norm, orthogonalize=orthogonalize)


def real_transpose(ct: Any, x: Any, name: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:  # noqa: A002
    """Return the transpose of `real_transform`, for the array `x` that was transformed, of `ct`.

    >>> real_transpose(np.array([1.0, 0.0]), np.zeros(2), "dct", 2, None, -1, None, None)
    array([2., 2.])
    """
    if orthogonalize is None or (np.iscomplexobj(ct) and not _heeds_orthogonalize()):
        orthogonalize = norm == "ortho"
    if name.startswith("i"):
        name, type, norm = name[1:], _INVERSE[type], _OPPOSITE[norm]  # noqa: A001
    transform = getattr(fft, name)
    if orthogonalize or type == 4 or (type == 1 and name == "dst"):
        y = transform(ct, _INVERSE[type], None, axis, norm, orthogonalize=orthogonalize)
    else:
        half = _ends(ct, type, name, axis)
        if type == 3:
            y = half * transform(ct, 2, None, axis, norm, orthogonalize=False)
        elif type == 2:
            y = transform(ct / half, 3, None, axis, norm, orthogonalize=False)
        else:
            y = transform(ct / half, 1, None, axis, norm, orthogonalize=False) * half
    return y if n is None else of_length(y, x.shape[axis], axis)


@cache
def _heeds_orthogonalize() -> bool:
    """Whether SciPy's transforms of complex numbers heed ``orthogonalize``, which those of SciPy 1.17 do not."""
    x, given = np.array([1.0, 3.0]), {"norm": "ortho", "orthogonalize": False}
    return bool(np.allclose(fft.dct(x + 0j, **given), fft.dct(x, **given)))


def _ends(ct: Any, type: Any, name: Any, axis: Any) -> Any:  # noqa: A002
    """A half where the transform weighs what it is given half as much as its transpose, and one elsewhere."""
    half = np.ones(ct.shape[axis], ct.real.dtype)
    if name == "dct":
        half[0] = 0.5
    if name == "dst" or type == 1:
        half[-1] = 0.5
    shape = [1] * ct.ndim
    shape[axis] = len(half)
    return half.reshape(shape)
