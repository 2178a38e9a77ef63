"""Functions of one array, of the kinds that a prepared derivative must serve without building anything again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import adxform

SCALE = 0.7
WEIGHTS = {"first": 1.5, "rest": np.array([0.5, -0.25, 2.0])}


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def looped(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += np.sin(x[i]) * x[i - 1] ** 2
    return total


def branching(x):
    if x[0] > 0.0:
        return np.sum(x**3)
    if x[1] > 0.0:
        return np.sum(np.exp(x) * x)
    return np.sum(np.cos(x)) * x[0]


def mutating(x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] += SCALE * y[i - 1] ** 2
    y *= x
    return np.sum(y)


def squashed(a):
    return np.tanh(a) * SCALE


def helped(x):
    return np.sum(squashed(x) * squashed(2.0 * x))


def softplus(a):
    return np.log1p(np.exp(a))


@adxform.rule(softplus)
def _(a):
    def pullback(y_ct):
        return y_ct / (1.0 + np.exp(-a))

    return np.log1p(np.exp(a)), pullback


def ruled(x):
    return np.sum(softplus(x) ** 2)


def searching(x):
    step, total = x[0], 0.0
    while abs(step) > 1e-14:
        step = step * 0.5
        total = total + step * np.sum(x**2)
    return total


def treesum(x):
    if x.shape[0] == 1:
        return x[0] ** 3
    half = x.shape[0] // 2
    return treesum(x[:half]) * 0.5 + treesum(x[half:])


def structured(x):
    layers = {"a": [x, 2.0 * x], "b": (np.sin(x),)}
    total = 0.0
    for name in ("a", "b"):
        for item in layers[name]:
            total += np.dot(item, item)
    return total * WEIGHTS["first"] + np.dot(WEIGHTS["rest"], x**3)


def weighted(weight: float) -> Callable[[Any], Any]:
    return lambda x: weight * np.sum(np.exp(weight * x) * x)


def inner_gradient(x):
    return np.sum(adxform.grad(mutating)(x) ** 2)


@dataclass(frozen=True)
class Program:
    """A function; `anew` makes another function object for each call."""

    name: str
    function: Callable[[Any], Any]
    anew: Callable[[float], Callable[[Any], Any]] | None = None


PROGRAMS = (
    Program("rosenbrock", rosenbrock),
    Program("looped", looped),
    Program("branching", branching),
    Program("mutating", mutating),
    Program("helped", helped),
    Program("ruled", ruled),
    Program("searching", searching),
    Program("treesum", treesum),
    Program("structured", structured),
    Program("closure", weighted(0.5), weighted),
    Program("nested", inner_gradient),
)

X = np.array([0.4, -0.6, 1.1])
BUILDING = ("rule_builds", "source_parses", "py_compiles")


def building() -> tuple[int, ...]:
    """How often something was built, parsed or compiled."""
    stats = adxform.stats()
    return tuple(stats[name] for name in BUILDING)


def points(count: int) -> list[Any]:
    """Points in general position, on both sides of every branch."""
    rng = np.random.default_rng(7)
    return [rng.normal(size=3) for _ in range(count)]


def erf(x: float) -> float:
    """A function of one number."""
    return math.erf(x) * math.exp(0.5 * x)
