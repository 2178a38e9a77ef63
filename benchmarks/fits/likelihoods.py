"""Likelihoods: distributions of `scipy.stats`, Gaussian processes, chains, filters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, signal, special, stats
from scipy.spatial.distance import cdist

from benchmarks.fits.fit import Fit

RNG = np.random.default_rng(16)
N = 60
X = np.linspace(0.0, 3.0, N)
LINE = 0.5 + 1.5 * X + 0.3 * stats.t(3.0).rvs(N, random_state=RNG)
TIMES = stats.gamma(2.5, scale=1.6).rvs(N, random_state=RNG)
SEEN = TIMES < 5.0
WATCHED = np.minimum(TIMES, 5.0)
SHARES = stats.beta(6.0 * special.expit(0.4 * X - 0.5), 6.0 * special.expit(0.5 - 0.4 * X)).rvs(random_state=RNG)
COUNTS = stats.poisson(np.exp(0.3 + 0.5 * X)).rvs(random_state=RNG)
LABELS = (special.expit(2.0 * X - 3.0) > RNG.uniform(size=N)).astype(float)
DESIGN = np.stack([np.ones(N), X], axis=1)
MIXED = np.concatenate([RNG.normal(-1.5, 0.5, 25), RNG.normal(1.0, 0.8, 35)])
PLANE = RNG.multivariate_normal([0.5, -1.0], [[1.2, 0.4], [0.4, 0.6]], N)
ANGLES = stats.vonmises(2.0, loc=0.7).rvs(N, random_state=RNG)
WAVES = np.sin(2.0 * X) + 0.1 * RNG.normal(size=N)
SERIES = signal.lfilter([1.0, 0.4], [1.0, -0.6], RNG.normal(size=200))
LEVELS = np.cumsum(0.3 * RNG.normal(size=80)) + 0.5 * RNG.normal(size=80)
STEPS = np.array([[30.0, 8.0, 2.0], [6.0, 20.0, 9.0], [1.0, 5.0, 40.0]])


def robust_line(p: Any) -> Any:
    """A line with errors of Student's distribution, of which the degrees of freedom are fitted too."""
    return -np.sum(stats.t.logpdf(LINE, np.exp(p[3]), p[0] + p[1] * X, np.exp(p[2])))


def censored_lifetimes(p: Any) -> Any:
    """Lifetimes of a gamma distribution, of which some are known to be longer than what was watched."""
    lifetime = stats.gamma(np.exp(p[0]), scale=np.exp(p[1]))
    return -np.sum(np.where(SEEN, lifetime.logpdf(WATCHED), lifetime.logsf(WATCHED)))


def beta_regression(p: Any) -> Any:
    """Shares, of which the mean is a logistic function."""
    mean, precision = special.expit(p[0] + p[1] * X), np.exp(p[2])
    return -np.sum(stats.beta.logpdf(SHARES, mean * precision, (1.0 - mean) * precision))


def poisson_regression(p: Any) -> Any:
    """Counts, of which the logarithm of the mean is linear."""
    return -np.sum(stats.poisson.logpmf(COUNTS, np.exp(DESIGN @ p)))


def logistic_regression(p: Any) -> Any:
    """Labels, with a penalty."""
    z = DESIGN @ p
    return -np.sum(LABELS * special.log_expit(z) + (1.0 - LABELS) * special.log_expit(-z)) + 0.05 * p @ p


def mixture(p: Any) -> Any:
    """Two normal distributions."""
    parts = stats.norm.logpdf(MIXED[:, None], p[:2], np.exp(p[2:4])) + special.log_softmax(np.stack([p[4], -p[4]]))
    return -np.sum(special.logsumexp(parts, axis=1))


def normal_plane(p: Any) -> Any:
    """A normal distribution in the plane, by a triangular factor of its covariance."""
    factor = np.array([[np.exp(p[2]), 0.0], [p[3], np.exp(p[4])]])
    return -np.sum(stats.multivariate_normal.logpdf(PLANE, p[:2], factor @ factor.T))


def normal_plane_answer() -> Any:
    """Mean and factor of the sample."""
    factor = np.linalg.cholesky(np.cov(PLANE.T, bias=True))
    return np.array([*np.mean(PLANE, axis=0), np.log(factor[0, 0]), factor[1, 0], np.log(factor[1, 1])])


def directions(p: Any) -> Any:
    """Angles of a von Mises distribution, by its Bessel function."""
    kappa = np.exp(p[0])
    return -np.sum(kappa * (np.cos(ANGLES - p[1]) - 1.0) - np.log(2.0 * np.pi * special.i0e(kappa)))


def gaussian_process(p: Any) -> Any:
    """The marginal likelihood of a Gaussian process: amplitude, length and noise."""
    places = X[:, None] / np.exp(p[1])
    covariance = np.exp(2.0 * p[0] - 0.5 * cdist(places, places, "sqeuclidean")) + np.exp(2.0 * p[2]) * np.eye(N)
    factor = linalg.cho_factor(covariance, lower=True)
    return 0.5 * WAVES @ linalg.cho_solve(factor, WAVES) + np.sum(np.log(np.diag(factor[0])))


def moving_average(p: Any) -> Any:
    """A series with a memory, by the filter that takes its memory away."""
    return np.sum(signal.lfilter(np.stack([1.0, -p[0]]), np.stack([1.0, p[1]]), SERIES) ** 2)


def local_level(p: Any) -> Any:
    """The filter of Kalman, for a level that walks at random and is measured with errors."""
    level, spread, total = 0.0, 10.0, 0.0
    walk, noise = np.exp(p[0]), np.exp(p[1])
    for k in range(len(LEVELS)):
        spread = spread + walk
        width = spread + noise
        error = LEVELS[k] - level
        total += 0.5 * (np.log(width) + error**2 / width)
        level = level + spread / width * error
        spread = spread * noise / width
    return total


def rates_of_a_chain(p: Any) -> Any:
    """A Markov chain in continuous time, of which the numbers of transitions were counted."""
    rates = np.exp(np.reshape(p, (3, 2)))
    generator = np.zeros((3, 3))
    for k in range(3):
        generator[k, (k + 1) % 3], generator[k, (k + 2) % 3] = rates[k, 0], rates[k, 1]
        generator[k, k] = -rates[k, 0] - rates[k, 1]
    return -np.sum(STEPS * np.log(linalg.expm(generator)))


def rates_answer() -> Any:
    """The generator of which the exponential has the shares that were counted."""
    found = linalg.logm(STEPS / np.sum(STEPS, axis=1, keepdims=True))
    return np.log([found[k, (k + j) % 3] for k in range(3) for j in (1, 2)])


FITS = (
    Fit(robust_line, np.array([0.0, 1.0, 0.0, 1.0])),
    Fit(censored_lifetimes, np.array([0.5, 0.5])),
    Fit(beta_regression, np.array([0.0, 0.0, 1.0])),
    Fit(poisson_regression, np.zeros(2)),
    Fit(logistic_regression, np.zeros(2)),
    Fit(mixture, np.array([-1.0, 0.5, 0.0, 0.0, 0.0])),
    Fit(normal_plane, np.array([0.0, 0.0, 0.0, 0.0, 0.0]), answer=normal_plane_answer),
    Fit(directions, np.array([0.0, 0.0])),
    Fit(gaussian_process, np.array([0.0, 0.0, -1.0])),
    Fit(moving_average, np.array([0.0, 0.0])),
    Fit(local_level, np.array([-1.0, -1.0])),
    Fit(rates_of_a_chain, np.full(6, -1.5), answer=rates_answer),
)
