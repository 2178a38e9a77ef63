"""Transform latency: how the time from a function to its derivative grows with statements, depth and order."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import adxform
from benchmarks.record import Claim, Result
from benchmarks.synthetic import nested_loops, straight_line
from benchmarks.timing import exponent, seconds_of


def five_statements(x):
    """Return a smooth function of one number, in five statements."""
    a = np.sin(x) * x
    b = np.exp(-a) + x
    c = a * b + np.cos(b)
    d = c / (1.0 + x * x)
    return d * d + a


def first_call(derivative: Callable[..., Any], *args: Any) -> tuple[float, float]:
    """Return the median seconds of a first call from an empty cache, and of the call after it."""
    first, second = [], []
    for _ in range(3):
        adxform.clear_cache()
        first.append(seconds_of(lambda: derivative(*args)))
        second.append(seconds_of(lambda: derivative(*args)))
    return statistics.median(first), statistics.median(second)


def statements(quick: bool) -> Result:
    """Time the gradient of straight-line functions of 50 to 800 statements."""
    sizes = (10, 20) if quick else (50, 100, 200, 400, 800)
    x = np.linspace(0.1, 0.9, 8)
    rows = []
    for size in sizes:
        f = straight_line(size)
        first, again = first_call(adxform.grad(f), x)
        rows.append((size, first, first / size, again))
    growth = exponent([row[0] for row in rows], [row[1] for row in rows])
    claims = [Claim(f"time grows as statements ** {growth:.2f}, near-linear (below 1.3)", growth < 1.3)]
    if not quick:
        claims.append(Claim("800 statements take less than 2 s", rows[-1][1] < 2.0))
    return Result(
        "Transform: straight-line functions",
        ("statements", "first call s", "s per statement", "next call s"),
        tuple(rows),
        tuple(claims),
    )


def depth(quick: bool) -> Result:
    """Time the gradient of loops nested one to four deep."""
    x = np.linspace(0.1, 0.9, 3)
    rows = []
    for levels in (1, 2) if quick else (1, 2, 3, 4):
        first, again = first_call(adxform.grad(nested_loops(levels)), x)
        rows.append((levels, first, again))
    return Result("Transform: nested loops", ("depth", "first call s", "next call s"), tuple(rows))


def order(quick: bool) -> Result:
    """Time the first to fifth derivative of a five-statement function, each from an empty cache."""
    rows: list[tuple[int, float, float, float]] = []
    derivative: Callable[..., Any] = five_statements
    for k in (1, 2) if quick else (1, 2, 3, 4, 5):
        derivative = adxform.grad(derivative)
        first, again = first_call(derivative, 0.7)
        rows.append((k, first, first / rows[-1][1] if rows else 1.0, again))
    worst = max(row[2] for row in rows)
    claim = Claim(f"each further order costs at most 4 times the one before (worst: {worst:.1f})", worst <= 4.0)
    return Result(
        "Transform: derivative orders", ("order", "first call s", "times the order before", "next call s"), tuple(rows), (claim,)
    )
