"""Hessian-vector products: prepared, unprepared and derived anew at each call, against the gradient; on four models."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

import adxform
from benchmarks.race.problems.curvature import logistic
from benchmarks.race.problems.rosenbrock import rosenbrock
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, peak_bytes, ratio, sampled, seconds_of

RATIO = 2.5
CLOCK = time.process_time  # whatever else the machine does


@dataclass(frozen=True, slots=True)
class Model:
    """A function of an array and of what is not differentiated, its arguments for each size, and the sizes."""

    name: str
    function: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, ...]


def rosenbrock_in_slices(x):
    """x: (n,)"""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def marginal_likelihood(theta, x, y):
    """The negative log marginal likelihood of a Gaussian process. theta: (3,) logarithms; x, y: (n,)

    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, equation 2.30, with the kernel of equation 2.31.
    """
    amplitude, length, noise = np.exp(theta[0]), np.exp(theta[1]), np.exp(theta[2])
    distance = (x[:, None] - x[None, :]) / length
    kernel = amplitude**2 * np.exp(-0.5 * distance**2) + noise**2 * np.eye(x.shape[0])
    factor = np.linalg.cholesky(kernel)
    alpha = np.linalg.solve(kernel, y)
    return 0.5 * (y @ alpha) + np.sum(np.log(np.diag(factor))) + 0.5 * x.shape[0] * np.log(2.0 * np.pi)


def perceptron(weights, x, y):
    """Two layers, with all weights in one vector. x: (n, 16), y: (n,)"""
    w1, b1, w2 = weights[:512].reshape(32, 16), weights[512:544], weights[544:576]
    hidden = np.tanh(x @ w1.T + b1)
    error = hidden @ w2 - y
    return np.mean(error**2)


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def _labels(n: int) -> np.ndarray:
    return (_random(n) > 0.0).astype(float)


MODELS = (
    Model("Rosenbrock, slices", rosenbrock_in_slices, lambda n: (_random(n),), (10, 100, 1_000, 10_000, 100_000)),
    Model("Rosenbrock, loop", rosenbrock, lambda n: (_random(n),), (10, 100, 1_000, 10_000, 100_000)),
    Model("logistic regression", logistic, lambda n: (_random(20), _random(n, 20), _labels(n)), (100, 10_000)),
    Model(
        "Gaussian process",
        marginal_likelihood,
        lambda n: (np.array([0.1, -0.5, -1.0]), np.linspace(0.0, 5.0, n), np.sin(np.linspace(0.0, 5.0, n))),
        (20, 200),
    ),
    Model("MLP", perceptron, lambda n: (0.3 * _random(576), _random(n, 16), _labels(n)), (32, 2048)),
)


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured for one model at one size: seconds of a call, how much was built, and bytes held at the peak of a call.

    What ends in `_out` is about calls that write into arrays of the caller's.
    """

    model: str
    n: int
    gradient: float
    product: float
    over_gradient: float
    product_out: float
    over_gradient_out: float
    same_point: float
    unprepared: float
    first: float
    anew: float
    over_prepared: float
    builds: int
    later: int
    peak: int
    peak_out: int


COLUMNS = (
    "model", "n", "gradient s", "product s", "product / gradient", "out= product s", "out= ratio", "same point s",
    "unprepared s", "first call s", "anew s", "anew / prepared", "builds, first", "later", "peak bytes", "out= peak bytes",
)  # fmt: skip


def curvature(quick: bool) -> Result:
    """Time products, gradients, first calls and calls that derive anew."""
    rows = [measured(model, size, quick) for model in MODELS for size in (model.sizes[:1] if quick else model.sizes)]
    worst, worst_out = max(rows, key=lambda row: row.over_gradient), max(rows, key=lambda row: row.over_gradient_out)
    middle = statistics.median(row.over_gradient for row in rows)
    anew = [row.over_prepared for row in rows]
    found = f"median {middle:.2f}, worst {worst.over_gradient:.2f} ({worst.model}, n = {worst.n})"
    found_out = f"worst {worst_out.over_gradient_out:.2f} ({worst_out.model}, n = {worst_out.n})"
    most = f"takes at most {RATIO} times as long as a gradient"
    claims = (
        Claim(f"with out=, a product {most}: {found_out}", worst_out.over_gradient_out <= RATIO),
        Claim(f"with new arrays, half of the products take at most {RATIO} times as long: {found}", middle <= RATIO),
        Claim("later calls, prepared or not, build nothing", all(row.later == 0 for row in rows)),
        Claim(f"deriving anew takes {min(anew):.3g} to {max(anew):.3g} times as long as a prepared call", min(anew) > 1.0),
    )
    return Result("Hessian-vector products, in seconds of processor time", COLUMNS, tuple(astuple(row) for row in rows), claims)


def measured(model: Model, size: int, quick: bool) -> Row:
    """The row of `model` at one size."""
    arguments = model.arguments(size)
    vector = np.linspace(-1.0, 1.0, arguments[0].shape[0])
    product = adxform.hvp(model.function)

    def anew() -> Any:
        adxform.clear_cache()
        return product(*arguments, vector)

    first = seconds_of(anew, CLOCK)
    builds = adxform.stats()["rule_builds"]
    prepared = adxform.prepare_hvp(model.function, *arguments)
    gradient = adxform.prepare_gradient(model.function, *arguments)
    here = adxform.prepare_hvp_same_point(model.function, *arguments)
    out = np.empty_like(vector)
    products = (
        prepared(*arguments, vector),
        here(vector),
        prepared(*arguments, vector, out=out).copy(),
        here(vector, out=out).copy(),
    )
    check(model, arguments, vector, gradient, products)
    before = adxform.stats()["rule_builds"]
    samples = sampled(
        {
            "gradient": lambda: gradient(*arguments),
            "product": lambda: prepared(*arguments, vector),
            "gradient, out": lambda: gradient(*arguments, out=out),
            "product, out": lambda: prepared(*arguments, vector, out=out),
            "same point": lambda: here(vector),
            "unprepared": lambda: product(*arguments, vector),
        },
        **effort(quick, 9),
        clock=CLOCK,
    )
    later = adxform.stats()["rule_builds"] - before
    peak = peak_bytes(lambda: prepared(*arguments, vector))
    peak_out = peak_bytes(lambda: prepared(*arguments, vector, out=out))
    seconds = {name: statistics.median(taken) for name, taken in samples.items()}
    again = statistics.median(seconds_of(anew, CLOCK) for _ in range(1 if quick else 3))
    slope, ours = seconds["gradient"], seconds["product"]
    over, over_out = (ratio(samples[f"product{kind}"], samples[f"gradient{kind}"]) for kind in ("", ", out"))
    times = slope, ours, over, seconds["product, out"], over_out, seconds["same point"], seconds["unprepared"], first, again
    return Row(model.name, size, *times, again / ours, builds, later, peak, peak_out)


def check(
    model: Model, arguments: tuple[Any, ...], vector: np.ndarray, gradient: Callable[..., Any], products: tuple[Any, ...]
) -> None:
    """The products are the difference of gradients along the vector: asked before anything is timed."""
    x, *rest = arguments
    step = 1e-6
    difference = (gradient(x + step * vector, *rest) - gradient(x - step * vector, *rest)) / (2.0 * step)
    scale = np.max(np.abs(difference))
    for product in products:
        np.testing.assert_allclose(product, difference, rtol=1e-5, atol=1e-6 * scale, err_msg=model.name)
