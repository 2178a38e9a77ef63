"""Elementwise functions and reductions of long vectors: option prices, softmax, log-sum-exp."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from benchmarks.race.problem import Problem, under

SCALARS = "its graph of scalars would have several nodes for each element"
prange = range
A1, A2, A3, A4, A5 = 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429
SLOPE = 0.2316419
DENSITY = 1.0 / sqrt(2.0 * np.pi)


def normal(x):
    """The normal distribution function to 7.5e-8: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    upper = 1.0 - 0.3989422804014327 * np.exp(-0.5 * x * x) * tail
    return np.where(x < 0.0, 1.0 - upper, upper)


def black_scholes(spot, strike, rate, volatility, time):
    """The summed prices of European calls. spot, strike, volatility, time: (n,)"""
    spread = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
    d2 = d1 - spread
    return np.sum(spot * normal(d1) - strike * np.exp(-rate * time) * normal(d2))


def make_options(n):
    """Options near the money."""
    chance = np.random.default_rng(1)
    return (
        chance.uniform(80.0, 120.0, n),
        chance.uniform(80.0, 120.0, n),
        0.03,
        chance.uniform(0.1, 0.5, n),
        chance.uniform(0.2, 2.0, n),
    )


def _normal_and_slope(x):
    """The value and the derivative of `normal`, term by term: it is an approximation, and so is its slope."""
    sign = np.sign(x)
    k = 1.0 / (1.0 + SLOPE * np.abs(x))
    tail = k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5))))
    tail_k = A1 + k * (2.0 * A2 + k * (3.0 * A3 + k * (4.0 * A4 + k * 5.0 * A5)))
    density = DENSITY * np.exp(-0.5 * x * x)
    upper = 1.0 - density * tail
    slope = density * (np.abs(x) * tail + SLOPE * k * k * tail_k)
    return np.where(sign < 0.0, 1.0 - upper, upper), slope


def black_scholes_by_hand(spot, strike, rate, volatility, time):
    """By the spot price and the volatility."""
    root = np.sqrt(time)
    spread = volatility * root
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
    discounted = strike * np.exp(-rate * time)
    n1, s1 = _normal_and_slope(d1)
    _, s2 = _normal_and_slope(d1 - spread)
    a, b = spot * s1, discounted * s2
    return n1 + (a - b) / (spot * spread), (a - b) * (root - d1 / volatility) + b * root


def black_scholes_limit(spot, strike, rate, volatility, time):
    """One sweep, nothing stored in between, and as few divisions as there can be."""
    n = spot.shape[0]
    spot_ct, volatility_ct = np.empty(n), np.empty(n)
    for i in prange(n):
        root = sqrt(time[i])
        sigma, s = volatility[i], spot[i]
        spread = sigma * root
        over = 1.0 / (s * spread)
        d1 = (log(s / strike[i]) + (rate + 0.5 * sigma * sigma) * time[i]) * s * over
        d2 = d1 - spread
        m1, m2 = 1.0 + SLOPE * abs(d1), 1.0 + SLOPE * abs(d2)
        both = 1.0 / (m1 * m2)
        k1, k2 = m2 * both, m1 * both
        e1 = DENSITY * exp(-0.5 * d1 * d1)
        e2 = DENSITY * exp(-0.5 * d2 * d2)
        t1 = k1 * (A1 + k1 * (A2 + k1 * (A3 + k1 * (A4 + k1 * A5))))
        t2 = k2 * (A1 + k2 * (A2 + k2 * (A3 + k2 * (A4 + k2 * A5))))
        q1 = A1 + k1 * (2.0 * A2 + k1 * (3.0 * A3 + k1 * (4.0 * A4 + k1 * 5.0 * A5)))
        q2 = A1 + k2 * (2.0 * A2 + k2 * (3.0 * A3 + k2 * (4.0 * A4 + k2 * 5.0 * A5)))
        a = s * e1 * (abs(d1) * t1 + SLOPE * k1 * k1 * q1)
        b = strike[i] * exp(-rate * time[i]) * e2 * (abs(d2) * t2 + SLOPE * k2 * k2 * q2)
        tail = e1 * t1
        spot_ct[i] = (tail if d1 < 0.0 else 1.0 - tail) + (a - b) * over
        volatility_ct[i] = (a - b) * (root - d1 * root * s * over) + b * root
    return spot_ct, volatility_ct


def log_sum_exp(x):
    """x: (n,)"""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def softmax(x, w):
    """The mean of `w` under weights exp(x). x, w: (n,)"""
    e = np.exp(x - np.max(x))
    return np.sum(e / np.sum(e) * w)


def make_vector(n):
    """Normal numbers."""
    return (np.random.default_rng(1).normal(size=n),)


def make_vectors(n):
    """Normal numbers, twice."""
    x, w = np.random.default_rng(1).normal(size=(2, n))
    return x, w


def log_sum_exp_by_hand(x):
    """The softmax; the maximum drops out."""
    e = x - np.max(x)
    np.exp(e, out=e)
    e /= np.sum(e)
    return e


def log_sum_exp_limit(x):
    """The maximum, then exponentials and their sum in one sweep."""
    n = x.shape[0]
    e = np.empty(n)
    top = x[0]
    for i in range(n):
        top = max(top, x[i])
    total = 0.0
    for i in prange(n):
        y = exp(x[i] - top)
        e[i] = y
        total += y
    scale = 1.0 / total
    for i in prange(n):
        e[i] *= scale
    return e


def softmax_by_hand(x, w):
    """p (w - mean): the mean under the weights."""
    p = np.exp(x - np.max(x))
    p /= np.sum(p)
    return p * (w - p @ w)


def softmax_limit(x, w):
    """The maximum, then everything that is summed in one sweep."""
    n = x.shape[0]
    e = np.empty(n)
    top = x[0]
    for i in range(n):
        top = max(top, x[i])
    total, weighted = 0.0, 0.0
    for i in prange(n):
        y = exp(x[i] - top)
        e[i] = y
        total += y
        weighted += y * w[i]
    scale = 1.0 / total
    mean = weighted * scale
    for i in prange(n):
        e[i] *= scale * (w[i] - mean)
    return e


def log_sum_exp_in_jax():
    """The library's own."""
    from jax.scipy.special import logsumexp

    return logsumexp


def log_sum_exp_in_torch():
    """The library's own."""
    import torch

    return lambda x: torch.logsumexp(x, 0)


def softmax_in_jax():
    """The library's own."""
    import jax

    return lambda x, w: jax.numpy.sum(jax.nn.softmax(x) * w)


def softmax_in_torch():
    """The library's own."""
    import torch

    return lambda x, w: torch.sum(torch.softmax(x, 0) * w)


SIZES = (1_000, 1_000_000)
RACES = (
    Problem(
        "black-scholes",
        "Black-Scholes prices, by spot and volatility",
        black_scholes,
        make_options,
        5,
        SIZES,
        black_scholes_by_hand,
        black_scholes_limit,
        {"jax": under(black_scholes, "jax.numpy"), "torch": under(black_scholes, "torch")},
        {"casadi": SCALARS},
        wrt=(0, 3),
    ),
    Problem(
        "log-sum-exp",
        "Log-sum-exp",
        log_sum_exp,
        make_vector,
        5,
        SIZES,
        log_sum_exp_by_hand,
        log_sum_exp_limit,
        {"jax": log_sum_exp_in_jax, "torch": log_sum_exp_in_torch},
        {"casadi": SCALARS},
    ),
    Problem(
        "softmax",
        "A mean under softmax weights",
        softmax,
        make_vectors,
        5,
        SIZES,
        softmax_by_hand,
        softmax_limit,
        {"jax": softmax_in_jax, "torch": softmax_in_torch},
        {"casadi": SCALARS},
    ),
)
