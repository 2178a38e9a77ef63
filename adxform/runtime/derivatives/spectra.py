"""Half spectra, and arrays cut or filled up with zeros: what the rules of Fourier transforms call."""

from __future__ import annotations

from typing import Any

import numpy as np


def of_length(x: Any, length: Any, axis: Any) -> Any:
    """Return the first elements of `x` along `axis`, `length` of them; zeros follow where there are fewer.

    >>> of_length(np.array([1.0, 2.0, 3.0]), 2, -1), of_length(np.array([1.0, 2.0]), 3, 0)
    (array([1., 2.]), array([1., 2., 0.]))
    """
    have = x.shape[axis]
    if have >= length:
        return np.moveaxis(np.moveaxis(x, axis, 0)[:length], 0, axis).copy()
    missing = [(0, 0)] * x.ndim
    missing[axis] = (0, length - have)
    return np.pad(x, missing)


def spectrum_counts(spectrum: Any, length: Any, axis: Any) -> Any:
    """Return how often each term of a half `spectrum` along `axis` stands in the whole one of `length` terms: once or twice.

    >>> spectrum_counts(np.zeros(3, complex), 4, -1), spectrum_counts(np.zeros(3, complex), 5, -1)
    (array([1., 2., 1.]), array([1., 2., 2.]))
    """
    counts = np.full(spectrum.shape[axis], 2, spectrum.real.dtype)
    counts[:1] = 1
    if length % 2 == 0:
        counts[length // 2 :] = 1
    shape = [1] * spectrum.ndim
    shape[axis] = len(counts)
    return counts.reshape(shape)
