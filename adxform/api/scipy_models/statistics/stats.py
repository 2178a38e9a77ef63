"""The distributions of `primitives.scipy_rules.stats`, and densities that are estimated from samples.

Source: Scott, *Multivariate Density Estimation* (1992).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from adxform.api.scipy_models import orders
from adxform.api.scipy_models.solving import moving, solve
from adxform.api.scipy_models.statistics import (
    best_powers,
    expectations,
    implicit_quantiles,
    rank_tests,
    sample_tests,
    shape_tests,
)
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import stats as distributions


def _mixture(dataset: Any, covariance: Any, weights: Any, points: Any) -> Any:
    """The density at `points`, of shape (d, m), of normal distributions around the samples, of shape (d, n)."""
    apart = np.expand_dims(dataset, 2) - np.expand_dims(points, 1)
    flat = np.reshape(apart, (dataset.shape[0], -1))
    energy = np.reshape(0.5 * np.sum(flat * np.linalg.solve(covariance, flat), axis=0), (dataset.shape[1], -1))
    mass = np.sqrt(np.linalg.det(2.0 * math.pi * covariance))
    return weights @ np.exp(-energy) / mass


def _columns(points: Any, d: Any) -> Any:
    """`points` as columns of `d` components: a vector is one of these, or several of one component."""
    at = np.atleast_2d(np.asarray(points) * 1.0)
    return np.reshape(at, (d, 1)) if at.shape[0] == 1 and at.shape[1] == d else at


class Density:
    """A density that the function has estimated, with the covariance of the samples as they are when it is made."""

    def __init__(self, dataset: Any, bandwidth: Any) -> None:
        self.dataset, self.bandwidth = np.atleast_2d(np.asarray(dataset)), bandwidth
        self.spread = self.dataset * 1.0

    def __call__(self, points: Any) -> Any:
        """The density at the places."""
        d, n = self.dataset.shape[0], self.dataset.shape[1]
        at = _columns(points, d)
        if self.bandwidth is None or self.bandwidth == "scott":
            factor = n ** (-1.0 / (d + 4))
        elif self.bandwidth == "silverman":
            factor = (n * (d + 2) / 4.0) ** (-1.0 / (d + 4))
        elif isinstance(self.bandwidth, (float, int, np.number)):
            factor = self.bandwidth
        else:
            unsupported("gaussian_kde has a derivative for a bandwidth that is a number, and those of Scott and Silverman")
        covariance = np.reshape(np.cov(self.spread), (d, d)) * factor**2
        found = _mixture(self.dataset, covariance, np.ones(n) / n, at)
        return moving(solve(_density_value, (), (), (found,), self.spread, self.dataset, self.bandwidth, at), found)

    def evaluate(self, points: Any) -> Any:
        """The density at the places."""
        return self(points)

    def pdf(self, x: Any) -> Any:
        """The density at the places."""
        return self(x)


def _density_value(spread: Any, dataset: Any, bandwidth: Any, points: Any) -> Any:
    made = stats.gaussian_kde(spread, bandwidth)
    made.dataset = dataset  # of which SciPy takes no copy: the covariance is that of the samples as they were
    return made(points)


def _density(dataset: Any, bw_method: Any = None) -> Any:
    return Density(dataset, bw_method)


def _outer_density(made: Any, points: Any) -> Any:
    return _mixture(made.dataset, made.covariance, made.weights, _columns(points, made.dataset.shape[0]))


RECORDS: tuple[Primitive, ...] = (*orders.RECORDS, *distributions.RECORDS)

DEFINITIONS: tuple[Definition, ...] = tuple(
    replace(one, real=True)
    for one in (
        *distributions.DEFINITIONS,
        *implicit_quantiles.DEFINITIONS,
        *sample_tests.DEFINITIONS,
        *rank_tests.DEFINITIONS,
        *shape_tests.DEFINITIONS,
        *expectations.DEFINITIONS,
        *best_powers.DEFINITIONS,
        Definition(stats.gaussian_kde, _density, Value.FOLLOWED),
        Definition(stats.gaussian_kde.evaluate, _outer_density, Value.OWN),
    )
)
