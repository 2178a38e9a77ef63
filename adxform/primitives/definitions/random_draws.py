"""Random numbers as their parameters move them: what a draw is of the same draw in standard form.

The numbers in standard form are those that a copy of the generator draws (`runtime.drawn_beside`): they do not move, and what
follows from them and the parameters does. A parameter by which the sampler accepts or rejects numbers has no such formula.

Source: Kingma & Welling, *Auto-Encoding Variational Bayes* (2014), section 2.4.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.primitives.declare import primitive
from adxform.primitives.record import Primitive


def placed_draw(z: Any, loc: Any, scale: Any) -> Any:
    """Numbers with a location and a scale."""
    return loc + scale * z


def scaled_draw(z: Any, scale: Any) -> Any:
    """Numbers with a scale."""
    return scale * z


def draw_between(z: Any, low: Any, high: Any) -> Any:
    """Numbers between two ends."""
    return low + (high - low) * z


def draw_by_rate(z: Any, rate: Any) -> Any:
    """Numbers with a rate, one over a scale."""
    return z / rate


def exponential_draw(z: Any, mean: Any, sigma: Any) -> Any:
    """Numbers whose logarithms have a location and a scale."""
    return np.exp(mean + sigma * z)


def rooted_draw(z: Any, shape: Any) -> Any:
    """Numbers to the power of one over a shape."""
    return z ** (1.0 / shape)


def tailed_draw(z: Any, shape: Any) -> Any:
    """Numbers of a tail that begins at zero."""
    return (1.0 + z) ** (1.0 / shape) - 1.0


def draw_with_shape(z: Any, shape: Any, scale: Any) -> Any:
    """Numbers with a scale, of a shape that does not move."""
    return scale * z + 0.0 * shape_of_a_draw(shape)


def draw_around(z: Any, mean: Any, spread: Any) -> Any:
    """Vectors around a mean, with a covariance that does not move."""
    return z + mean + 0.0 * np.sum(shape_of_a_draw(spread))


def draw_by_shares(x: Any, *shares: Any) -> Any:
    """Items that are drawn with shares that do not move."""
    for share in shares:
        x = x + 0.0 * np.sum(shape_of_a_draw(share))
    return x


def variates(z: Any, loc: Any, scale: Any, *shapes: Any) -> Any:
    """What `rvs` of a distribution draws, with a location and a scale, of shapes that do not move."""
    found = loc + scale * z
    for shape in shapes:
        found = found + 0.0 * np.sum(shape_of_a_draw(shape))
    return found


def scaled_root(z: Any, scale: Any, shape: Any) -> Any:
    """Numbers with a scale to the power of one over a shape."""
    return scale * z ** (1.0 / shape)


def shape_of_a_draw(shape: Any) -> Any:
    """`shape` itself, by which numbers are accepted or rejected: no derivative is followed through it."""
    return shape


@dataclass(frozen=True, slots=True)
class Draw:
    """A method that draws: its `parameters` with what they are if they are not given (``None``: they have to be).

    `standard` is the method that draws in standard form, with these `arguments`, of which a name stands for a parameter;
    `formula` tells what is drawn of that and of the parameters. Without a `standard` it is given what is drawn, and only its
    derivative counts.
    """

    parameters: tuple[tuple[str, float | None], ...]
    standard: str
    arguments: tuple[float | str, ...]
    formula: Callable[..., Any]


_LOC_SCALE = (("loc", 0.0), ("scale", 1.0))


def _of_numpy(cls: type) -> dict[tuple[type, str], Draw]:
    made = {name: Draw(_LOC_SCALE, name, (0.0, 1.0), placed_draw) for name in ("normal", "laplace", "logistic", "gumbel")}
    made |= {name: Draw((("scale", 1.0),), name, (1.0,), scaled_draw) for name in ("exponential", "rayleigh")}
    made |= {name: Draw((("a", None),), name, (1.0,), rooted_draw) for name in ("weibull", "power")}
    made["pareto"] = Draw((("a", None),), "pareto", (1.0,), tailed_draw)
    made["uniform"] = Draw((("low", 0.0), ("high", 1.0)), "uniform", (0.0, 1.0), draw_between)
    made["lognormal"] = Draw((("mean", 0.0), ("sigma", 1.0)), "normal", (0.0, 1.0), exponential_draw)
    made["gamma"] = Draw((("shape", None), ("scale", 1.0)), "gamma", ("shape", 1.0), draw_with_shape)
    made["multivariate_normal"] = Draw((("mean", None), ("cov", None)), "", (), draw_around)
    return {(cls, name): draw for name, draw in made.items()}


_OF_PYTHON: dict[tuple[type, str], Draw] = {
    (random.Random, name): draw
    for name, draw in {
        "gauss": Draw((("mu", 0.0), ("sigma", 1.0)), "gauss", (0.0, 1.0), placed_draw),
        "normalvariate": Draw((("mu", 0.0), ("sigma", 1.0)), "normalvariate", (0.0, 1.0), placed_draw),
        "lognormvariate": Draw((("mu", 0.0), ("sigma", 1.0)), "normalvariate", (0.0, 1.0), exponential_draw),
        "uniform": Draw((("a", None), ("b", None)), "uniform", (0.0, 1.0), draw_between),
        "expovariate": Draw((("lambd", 1.0),), "expovariate", (1.0,), draw_by_rate),
        "weibullvariate": Draw((("alpha", None), ("beta", None)), "weibullvariate", (1.0, 1.0), scaled_root),
        "paretovariate": Draw((("alpha", None),), "paretovariate", (1.0,), rooted_draw),
        "gammavariate": Draw((("alpha", None), ("beta", None)), "gammavariate", ("alpha", 1.0), draw_with_shape),
    }.items()
}

DRAWS: Mapping[tuple[type, str], Draw] = MappingProxyType(
    {**_of_numpy(np.random.Generator), **_of_numpy(np.random.RandomState), **_OF_PYTHON}
)
"""What is known of the methods of generators, by class and name."""

RECORDS: tuple[Primitive, ...] = (primitive(shape_of_a_draw, None),)
