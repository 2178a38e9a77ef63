"""What a vector costs in a batch, over what it costs alone: sweeps for 1 to 16 vectors, forward, reverse and of second order."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import adxform
from benchmarks.curvature import MODELS
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, interleaved, seconds_of

WIDTHS = (1, 2, 4, 8, 16)
VECTORS = 16
SIZES = {"Rosenbrock, slices": 1000, "Rosenbrock, loop": 100, "logistic regression": 1000, "Gaussian process": 50, "MLP": 256}
COLUMNS = ("program", "product", "prepared s, 16", "vector alone s", *(f"1/{width}" if width > 1 else "1" for width in WIDTHS))


def relaxation(u0):
    """u0: (n,) -> (n,)"""
    u = u0.copy()
    for _ in range(4):
        for i in range(1, u.shape[0] - 1):
            if u[i] > 0.0:
                u[i] = u[i] + 0.1 * (u[i - 1] - u[i]) * np.exp(-u[i + 1])
            else:
                u[i] = u[i] * 0.9
    return u


def layer(x):
    """x: (n,) -> (n,)"""
    weights = np.cos(np.arange(x.shape[0] ** 2)).reshape(x.shape[0], x.shape[0])
    return np.tanh(weights @ np.tanh(weights @ x))


Sweep = Callable[[int], Callable[[], Any]]


def sweeps(quick: bool) -> Iterator[tuple[str, str, Sweep]]:
    """Yield programs, products, and what makes the product with 16 vectors for a preparation of some width."""
    for name, f, size in (("relaxation, loop", relaxation, 20), ("two layers", layer, 40)):
        x = np.linspace(-1.0, 1.0, size)
        vs = np.random.default_rng(1).normal(size=(VECTORS, size))

        def forward(width: int, f: Any = f, x: Any = x, vs: Any = vs) -> Callable[[], Any]:
            prepared = adxform.prepare_jvp(f, x, directions=width)
            return lambda: prepared.batch((x,), (vs,))[1]

        def reverse(width: int, f: Any = f, x: Any = x, vs: Any = vs) -> Callable[[], Any]:
            prepared = adxform.prepare_vjp(f, x, directions=width)
            return lambda: prepared.batch((x,), vs)[1][0]

        yield name, "jvp", forward
        yield name, "vjp", reverse
    for model in MODELS:
        x, *rest = model.arguments(10 if quick else SIZES[model.name])
        vs = np.random.default_rng(1).normal(size=(VECTORS, *x.shape))

        def second(width: int, f: Any = model.function, args: Any = (x, *rest), vs: Any = vs) -> Callable[[], Any]:
            prepared = adxform.prepare_hvp(f, *args, directions=width)
            return lambda: prepared.batch(*args, vs)

        yield model.name, "hvp", second


def batches(quick: bool) -> Result:
    """Time 16 products at once for each width, interleaved, and say what a vector costs over one alone."""
    rows: list[tuple[str | int | float, ...]] = []
    for name, product, sweep in sweeps(quick):
        calls = {str(width): sweep(width) for width in WIDTHS[:-1]}
        prepared = seconds_of(lambda sweep=sweep, calls=calls: calls.setdefault(str(WIDTHS[-1]), sweep(WIDTHS[-1])))
        expected = calls["1"]()
        for call in calls.values():
            np.testing.assert_array_equal(call(), expected)
        seconds = interleaved(calls, **effort(quick))
        alone = seconds["1"] / VECTORS
        rows.append((name, product, prepared, alone, *(seconds[str(width)] / seconds["1"] for width in WIDTHS)))
    widest = [float(row[-1]) for row in rows]
    found = f"median {statistics.median(widest):.2f}, {min(widest):.2f} to {max(widest):.2f}"
    claim = Claim(f"a vector in a batch of 16 costs less than one alone: {found} of it", max(widest) < 1.0)
    return Result("Batches: the cost of a vector in a sweep for 1 to 16, over alone", COLUMNS, tuple(rows), (claim,))
