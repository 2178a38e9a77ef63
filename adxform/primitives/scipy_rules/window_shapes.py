"""Windows of `scipy.signal` with parameters, by which they move; the number of samples does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal, special

from adxform.primitives.definitions.definition import Definition, Value


def _places(M: Any, sym: Any) -> Any:
    """The samples as places about the middle, and how many a window has that is symmetric: one more where it is periodic."""
    count = M if sym else M + 1
    return np.arange(M) - 0.5 * (count - 1.0), count


def _gaussian(M: Any, std: Any, sym: Any = True) -> Any:
    n, _count = _places(M, sym)
    return np.exp(-0.5 * (n / std) ** 2) if M > 1 else np.ones(M)


def _general_gaussian(M: Any, p: Any, sig: Any, sym: Any = True) -> Any:
    n, _count = _places(M, sym)
    return np.exp(-0.5 * np.abs(n / sig) ** (2.0 * p)) if M > 1 else np.ones(M)


def _exponential(M: Any, center: Any = None, tau: Any = 1.0, sym: Any = True) -> Any:
    n, count = _places(M, sym)
    apart = n if center is None else n + 0.5 * (count - 1.0) - center
    return np.exp(-np.abs(apart) / tau) if M > 1 else np.ones(M)


def _kaiser(M: Any, beta: Any, sym: Any = True) -> Any:
    if M <= 1:
        return np.ones(M)
    n, count = _places(M, sym)
    return special.i0(beta * np.sqrt(1.0 - (2.0 * n / (count - 1.0)) ** 2)) / special.i0(beta)


def _tukey(M: Any, alpha: Any = 0.5, sym: Any = True) -> Any:
    if M <= 1 or alpha <= 0.0 or alpha >= 1.0:
        return np.ones(M)
    n, count = _places(M, sym)
    end = 0.5 * (count - 1.0)
    slanted = np.abs(n) >= end - np.floor(alpha * end)
    return np.where(slanted, 0.5 + 0.5 * np.cos(np.pi * (1.0 + (np.abs(n) - end) / (alpha * end))), 1.0)


def _general_cosine(M: Any, a: Any, sym: Any = True) -> Any:
    n, count = _places(M, sym)
    turns = np.arange(a.shape[0]) * np.expand_dims(n, 1) * (2.0 * np.pi / (count - 1.0) if M > 1 else 0.0)
    return np.cos(turns) @ a if M > 1 else np.ones(M)


def _general_hamming(M: Any, alpha: Any, sym: Any = True) -> Any:
    n, count = _places(M, sym)
    return alpha + (1.0 - alpha) * np.cos(2.0 * np.pi * n / (count - 1.0)) if M > 1 else np.ones(M)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(signal.windows.gaussian, _gaussian, Value.OWN),
    Definition(signal.windows.general_gaussian, _general_gaussian, Value.OWN),
    Definition(signal.windows.exponential, _exponential, Value.OWN),
    Definition(signal.windows.kaiser, _kaiser, Value.OWN),
    Definition(signal.windows.tukey, _tukey, Value.OWN),
    Definition(signal.windows.general_cosine, _general_cosine, Value.OWN),
    Definition(signal.windows.general_hamming, _general_hamming, Value.OWN),
)
