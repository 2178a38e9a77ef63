"""Gradients of loops of special functions, of single precision and of complex numbers: compiled, in Python, and by hand."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

import adxform
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, ratio, sampled

TIMES, LARGE = 20.0, 1_000
"""So many times faster than Python at least, for so many elements."""
DIGITS = 1e-4
COLUMNS = ("loop", "n", "compiled s", "Python s", "by hand s", "by hand / compiled")


@dataclass(frozen=True, slots=True)
class Loop:
    """A function of its first argument, its gradient as a careful NumPy programmer writes it, and arguments for a length."""

    name: str
    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]


def negative_binomial(theta, counts):
    """The log likelihood of counts, by their mean and their size. theta: (2,), counts: (n,)"""
    mean, size = theta[0], theta[1]
    total = 0.0
    for i in range(counts.shape[0]):
        y = counts[i]
        total += special.gammaln(y + size) - special.gammaln(size) - special.gammaln(y + 1.0)
        total += size * np.log(size / (size + mean)) + y * np.log(mean / (size + mean))
    return total


def negative_binomial_by_hand(theta, counts):
    """Whole vectors."""
    mean, size = theta
    n, total = counts.shape[0], np.sum(counts)
    at_mean = total / mean - (n * size + total) / (size + mean)
    logs = n * (np.log(size / (size + mean)) + 1.0) - (n * size + total) / (size + mean)
    return np.array([at_mean, np.sum(special.psi(counts + size)) - n * special.psi(size) + logs])


def leaky(x, k):
    """A leaky accumulator with a soft limit, in single precision. x: (n,)"""
    y = np.float32(0.0)
    total = np.float32(0.0)
    for i in range(x.shape[0]):
        y = k * y + x[i] / (1.0 + y * y)
        total += 0.5 * y * y
    return total


def leaky_by_hand(x, k):
    """Two loops over numbers."""
    states = np.zeros(x.shape[0] + 1, np.float32)
    y = np.float32(0.0)
    for i in range(x.shape[0]):
        y = k * y + x[i] / (1 + y * y)
        states[i + 1] = y
    slopes, carried = np.empty_like(x), np.float32(0.0)
    for i in range(x.shape[0] - 1, -1, -1):
        y, carried = states[i], carried + states[i + 1]
        share = 1 / (1 + y * y)
        slopes[i] = carried * share
        carried = carried * (k - x[i] * 2 * y * share * share)
    return slopes


def oscillator(x, w):
    """The energy of a damped oscillator that is driven. x: (n,)"""
    z = 0j
    energy = 0.0
    turn = np.exp(1j * w - 0.01)
    for i in range(x.shape[0]):
        z = z * turn + x[i]
        energy += z.real * z.real + z.imag * z.imag
    return energy


def oscillator_by_hand(x, w):
    """Two loops over numbers."""
    turn = np.exp(1j * w - 0.01)
    states, z = np.empty(x.shape[0], np.complex128), 0j
    for i in range(x.shape[0]):
        z = z * turn + x[i]
        states[i] = z
    slopes, carried = np.empty_like(x), 0j
    for i in range(x.shape[0] - 1, -1, -1):
        carried = carried * turn + 2.0 * np.conjugate(states[i])
        slopes[i] = carried.real
    return slopes


def _normal(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=n)


LOOPS = (
    Loop(
        "counts: gammaln, psi",
        negative_binomial,
        negative_binomial_by_hand,
        lambda n: (np.array([3.0, 1.7]), np.floor(np.abs(4.0 * _normal(n)))),
    ),
    Loop("accumulator: float32", leaky, leaky_by_hand, lambda n: (_normal(n).astype(np.float32), np.float32(0.9))),
    Loop("oscillator: complex128", oscillator, oscillator_by_hand, lambda n: (_normal(n), 0.3)),
)


def compiled_numbers(quick: bool) -> Result:
    """Compare the three ways for each loop; of the longest it is claimed how much compiling saves."""
    rows: list[tuple[str | int | float, ...]] = []
    claims: list[Claim] = []
    for loop in LOOPS:
        for n in (100,) if quick else (100, 10_000):
            arguments = loop.arguments(n)
            ways: dict[str, Callable[..., Any]] = {
                engine: adxform.prepare_gradient(loop.function, *arguments, engine=engine) for engine in ("numba", "python")
            }
            calls = {name: partial(way, *arguments) for name, way in (ways | {"hand": loop.by_hand}).items()}
            expected = calls["hand"]()
            agree = all(np.max(np.abs(call() - expected)) <= DIGITS * np.max(np.abs(expected)) for call in calls.values())
            took = sampled(calls, **effort(quick))
            medians = [statistics.median(took[name]) for name in calls]
            rows.append((loop.name, n, *medians, ratio(took["hand"], took["numba"])))
            claims.append(Claim(f"{loop.name}, {n}: the three agree", agree))
            if n > LARGE:
                saved = ratio(took["python"], took["numba"])
                claims.append(Claim(f"{loop.name}: {TIMES:.0f} times faster than in Python", saved >= TIMES))
    return Result("Gradients of loops of other numbers", COLUMNS, tuple(rows), tuple(claims))
