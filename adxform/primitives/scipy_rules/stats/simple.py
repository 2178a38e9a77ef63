"""Formulas and constants that many families have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
EULER = float(np.euler_gamma)


def zero(*shapes: Any) -> Any:
    """Zero, whatever the shapes are."""
    return 0.0


def one(*shapes: Any) -> Any:
    """One, whatever the shapes are."""
    return 1.0


def half(*shapes: Any) -> Any:
    """One half, whatever the shapes are."""
    return 0.5


def nowhere(*shapes: Any) -> Any:
    """The lower end of a support that has none."""
    return -np.inf


def above_zero(formula: Any, at_zero: float) -> Any:
    """`formula` of a place, which is `at_zero` at zero, where it has a quotient by that."""

    def above(z: Any, *shapes: Any) -> Any:
        return np.where(z > 0.0, formula(np.where(z > 0.0, z, 1.0), *shapes), at_zero)

    return above


def log(z: Any) -> Any:
    """The logarithm, without a warning at zero."""
    return special.xlogy(1.0, z)


def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the beta function."""
    return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)


def normal_logpdf(z: Any) -> Any:
    """The logarithm of the density of the normal distribution."""
    return -0.5 * z * z - HALF_LOG_TAU


def gamma_entropy(a: Any) -> Any:
    """The entropy of the gamma distribution."""
    return special.psi(a) * (1.0 - a) + a + special.gammaln(a)


def weibull_variance(c: Any) -> Any:
    """The variance of Weibull's distribution of shape `c`."""
    return np.exp(special.gammaln(1.0 + 2.0 / c)) - np.exp(2.0 * special.gammaln(1.0 + 1.0 / c))
