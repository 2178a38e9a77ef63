"""What judges models of SciPy's users: differences of the plain function, in both modes and to second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import adxform

Model = Callable[..., Any]


def differences(f: Model, p: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences of a function of a vector."""
    return np.array([(f(p + step * unit) - f(p - step * unit)) / (2.0 * step) for unit in np.eye(len(p))])


def refined_differences(f: Model, p: np.ndarray, step: float) -> np.ndarray:
    """Differences of the fourth order, for functions that are known to a tolerance only."""
    return (4.0 * differences(f, p, step / 2.0) - differences(f, p, step)) / 3.0


def judge(f: Model, p: np.ndarray, rtol: float = 2e-5, second: bool = True, step: float | None = None) -> None:
    """Check value, both modes and a product of second order of `f` at `p`; by refined differences where a `step` is given."""
    v = np.cos(np.arange(len(p)))
    gradient = adxform.grad(f)
    g = gradient(p)
    with np.errstate(all="ignore"):
        expected = differences(f, p) if step is None else refined_differences(f, p, step)
    np.testing.assert_allclose(g, expected, rtol=rtol, atol=1e-6)
    value, moved = adxform.jvp(f, (p,), (v,))
    assert value == f(p)
    np.testing.assert_allclose(moved, g @ v, rtol=1e-9, atol=1e-12)
    if second:
        along, at = lambda s: gradient(p + s[0] * v), np.zeros(1)
        bent = differences(along, at) if step is None else refined_differences(along, at, step)
        np.testing.assert_allclose(adxform.hvp(f)(p, v), bent[0], rtol=rtol, atol=1e-5)
