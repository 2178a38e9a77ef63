"""Promise: random numbers move with the parameters that they are drawn with, as the same draw in standard form says.

The judge is that of the tables: value to the bit, both modes, differences and second order. Programs seed their generators.
"""

from __future__ import annotations

import numbers
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge

stats = pytest.importorskip("scipy.stats")
P = np.array([1.3, 0.7, 0.4])
RIGHT: list[Callable[[Any], Any]] = []
REFUSED: list[Callable[[Any], Any]] = []


def right(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    RIGHT.append(f)
    return f


def refused(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    REFUSED.append(f)
    return f


@right
def normal(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.normal(p[0], p[1], size=20)
    return np.mean(np.maximum(x - p[2], 0.0)) + np.mean(x**3)


@right
def every_method(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.exponential(p[0], size=20) + rng.uniform(p[2], p[1], 20) + rng.lognormal(p[2], 0.1, 20) + rng.gamma(2.0, p[1], 20)
    x += (
        rng.laplace(p[0], p[1], 20)
        + rng.logistic(p[0], p[1], 20)
        + rng.gumbel(loc=p[0], scale=p[1], size=20)
        + rng.rayleigh(p[2], 20)
    )
    x += rng.weibull(p[0], 20) + rng.power(p[1], 20) + rng.pareto(2 + p[2], 20)
    return np.mean(x**2)


@right
def scalars(p: Any) -> Any:
    rng = np.random.default_rng(5)
    s = 0.0
    for _ in range(4):
        s += rng.normal(p[0], p[1]) * rng.uniform(0.0, p[2])
    return s + rng.normal(scale=p[2])


@right
def arrays(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.normal(p, np.exp(p)) + rng.normal(p, p[0], size=(4, 3)).sum(axis=0)
    return np.sum(x**3) + np.sum(rng.normal(np.zeros((2, 1)), p, size=None) ** 3)


@right
def functions_of_the_module(p: Any) -> Any:
    np.random.seed(3)
    x = (
        np.random.normal(p[0], p[1], 5)
        + np.random.uniform(p[0], 3.0, 5)
        + np.random.exponential(p[2], 5)
        + np.random.gamma(2.0, p[0], 5)
    )
    x += np.random.normal(p[0], p[1])
    return np.sum(x**2)


@right
def older_generators(p: Any) -> Any:
    rng = np.random.RandomState(3)
    x = rng.normal(p[0], p[1], 5) + rng.normal(p[0], p[1]) + rng.normal(p[0], p[1], 3).sum() + rng.laplace(p[0], p[1])
    return np.sum(x**2)


@right
def generators_of_python(p: Any) -> Any:
    r = random.Random(3)
    x = (
        r.gauss(p[0], p[1])
        + r.gauss(p[0], p[1])
        + r.uniform(p[0], 4.0)
        + r.expovariate(p[2])
        + r.lognormvariate(p[0], p[1])
        + r.weibullvariate(p[0], p[1])
        + r.paretovariate(p[2])
        + r.normalvariate(p[0], p[2])
        + r.gammavariate(2.0, p[1])
    )
    return x**2


@right
def walk_whose_noise_moves(p: Any) -> Any:
    rng = np.random.default_rng(0)
    x = np.zeros(30)
    for t in range(1, 30):
        x[t] = x[t - 1] * 0.9 + rng.normal(0.0, p[1] * (1 + 0.1 * np.abs(x[t - 1])))
    return np.mean(x**2) + p[0]


@right
def branch(p: Any) -> Any:
    rng = np.random.default_rng(0)
    s = 0.0
    n = 0
    while s < 5.0:
        s = s + rng.exponential(p[0])
        n += 1
    return s + n


def draw(rng: Any, mu: Any, sd: Any) -> Any:
    return mu + sd * rng.standard_normal(4)


@right
def helper(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return np.sum(draw(rng, p[0], p[1]) ** 3)


def draw2(rng: Any, mu: Any, sd: Any) -> Any:
    return rng.normal(mu, sd, size=4)


@right
def helper2(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return np.sum(draw2(rng, p[0], p[1]) ** 3) + draw2(rng, p[1], p[2])[0]


@right
def counts(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return rng.poisson(p[0], 3).sum() * p[1]


@right
def zero_scale(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return np.sum(rng.normal(p[0], 0.0 * p[1], 3) ** 2)


@right
def choice(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return np.sum(rng.choice(p, 3)) + np.sum(rng.permutation(p)[:2])


@right
def dist_list(p: Any) -> Any:
    rng = np.random.default_rng(0)
    xs = [rng.normal(p[0], p[1]) for _ in range(5)]
    return max(xs) + sum(xs)


@right
def a_mean_that_is_listed(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.multivariate_normal([p[0], p[1]], np.array([[1.0, 0.2], [0.2, 1.0]]), 10)
    return np.mean(np.sum(x**2, axis=1))


@right
def rvs(p: Any) -> Any:
    x = stats.norm.rvs(loc=p[0], scale=p[1], size=10, random_state=4)
    return np.mean(np.exp(-p[2] * x))


@right
def vectors(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.multivariate_normal(p[:2], np.array([[1.0, 0.2], [0.2, 1.0]]), 10)
    return np.mean(np.sum(x**2, axis=1)) + np.sum(rng.multivariate_normal(p, np.eye(3)) ** 2)


@right
def bootstrap(p: Any) -> Any:
    rng = np.random.default_rng(5)
    y = np.sin(np.arange(10.0) * p[0])
    means = [np.mean(rng.choice(y, size=10, replace=True)) for _ in range(5)]
    return (
        np.std(means)
        + np.sum(rng.permutation(y)[:3] ** 2)
        + rng.choice(y) ** 2
        + np.sum(rng.permutation(np.outer(p, p))[0])
        + np.sum(rng.choice(np.outer(y, p), (2, 2))[0] ** 2)
    )


@right
def choice_with_shares(p: Any) -> Any:
    rng = np.random.default_rng(5)
    return np.sum(rng.choice(p, 4, p=np.array([0.2, 0.3, 0.5])) ** 2)


@right
def variates_of_a_generator(p: Any) -> Any:
    rng = np.random.default_rng(0)
    x = (
        stats.gamma(2.0, scale=p[1]).rvs(size=10, random_state=rng)
        + stats.uniform.rvs(p[0], p[1], 10, random_state=rng)
        + stats.t(5.0, p[0], p[1]).rvs(10, random_state=rng)
    )
    return np.mean(x**2) + stats.norm.rvs(p[0], random_state=rng) ** 2


@right
def variates_of_the_module(p: Any) -> Any:
    np.random.seed(0)
    return (
        stats.norm.rvs(p[0], p[1], size=4).sum() ** 2
        + stats.expon(scale=p[1]).rvs(3).sum()
        + np.sum(stats.norm.rvs(p, 1.0, size=(2, 3)) ** 2)
        + stats.norm.rvs(size=2).sum()
    )


# -- what is refused ---


@refused
def shape_moves(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return rng.gamma(p[0], 2.0)


@refused
def beta_moves(p: Any) -> Any:
    rng = np.random.default_rng(0)
    return rng.beta(p[0], 2.0)


@refused
def covariance_moves(p: Any) -> Any:
    rng = np.random.default_rng(5)
    x = rng.multivariate_normal(p[:2], np.eye(2) * p[0], 10)
    return np.mean(np.sum(x**2, axis=1))


@refused
def shares_move(p: Any) -> Any:
    rng = np.random.default_rng(5)
    return np.sum(rng.choice(np.arange(3.0), 4, p=p / np.sum(p)) ** 2)


@refused
def shape_of_variates_moves(p: Any) -> Any:
    return stats.gamma.rvs(p[0], size=10, random_state=1).sum()


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_draws(f: Callable[[Any], Any]) -> None:
    found = judge(Cell(f.__name__, f, (P,)))
    assert (found.kind, found.reason) == ("right", "")


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_decides_on_acceptance_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(adxform.AdxError, match="no derivative is followed through") as caught:
        adxform.grad(f)(P)
    assert caught.value.span.file == __file__


def test_numbers_are_drawn_once() -> None:
    generator = np.random.default_rng(0)

    def f(p: Any) -> Any:
        return np.sum(generator.normal(p[0], p[1], 3))

    adxform.grad(f)(P)
    plain = np.random.default_rng(0)
    plain.normal(1.0, 1.0, 3)
    assert generator.random() == plain.random()


def checked(seed):
    """How libraries take a seed, a generator, or nothing."""
    if seed is None or seed is np.random:
        return np.random.default_rng()
    if isinstance(seed, (numbers.Integral, np.integer)):
        return np.random.RandomState(seed)
    if isinstance(seed, (np.random.RandomState, np.random.Generator)):
        return seed
    raise ValueError(f"{seed!r} is no seed")


def test_generators_that_are_made_are_known_by_their_class() -> None:
    def of_an_old_one(x):
        return np.sum(x * checked(np.random.RandomState(0)).standard_normal(3))

    def of_a_new_one(x):
        return np.sum(x * checked(np.random.default_rng(3)).normal(x, 0.5))

    def of_a_seed(x):
        return np.sum(x * checked(7).normal(0.0, x**2))

    for program in (of_an_old_one, of_a_new_one, of_a_seed):
        verdict = judge(Cell(program.__name__, program, (np.array([0.3, 1.2, 0.7]),)))
        assert verdict.kind == "right", verdict.reason
