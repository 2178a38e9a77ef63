"""Medians of interleaved timings, and the memory that a call needs at its peak."""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ROUNDS = 7
ROUND_SECONDS = 0.05


def repeats(call: Callable[[], Any], seconds: float = ROUND_SECONDS) -> int:
    """Return how often `call` has to run to fill about `seconds`."""
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    return max(1, int(seconds / once))


def average(call: Callable[[], Any], number: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds per call of `number` calls in a row, by `clock`."""
    start = clock()
    for _ in range(number):
        call()
    return (clock() - start) / number


def effort(quick: bool, rounds: int = ROUNDS) -> dict[str, Any]:
    """How often and how long `interleaved` is to measure: once, a moment, where all that is asked is whether it runs."""
    return {"rounds": 1, "seconds": 1e-3} if quick else {"rounds": rounds}


def interleaved(
    calls: Mapping[str, Callable[[], Any]],
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
    seconds: float = ROUND_SECONDS,
) -> dict[str, float]:
    """Return the median seconds per call of each contender, by `clock`; each round times every contender once."""
    return {name: statistics.median(taken) for name, taken in sampled(calls, rounds, clock, seconds).items()}


def sampled(
    calls: Mapping[str, Callable[[], Any]],
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
    seconds: float = ROUND_SECONDS,
) -> dict[str, list[float]]:
    """Return the seconds per call of each contender in each round of about so many `seconds` for each."""
    numbers = {name: repeats(call, seconds) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in calls.items():
                samples[name].append(average(call, numbers[name], clock))
    finally:
        gc.enable()
    return samples


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios within each round: what slows a machine down for a while slows down both.

    >>> ratio([2.0, 40.0, 2.0], [1.0, 20.0, 1.0])
    2.0
    """
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def seconds_of(call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that one call takes, by `clock`."""
    gc.collect()
    start = clock()
    call()
    return clock() - start


def peak_bytes(call: Callable[[], Any]) -> int:
    """Return the most memory that Python and NumPy held at once during one call, beyond what they held before."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        call()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of log(value) over log(size) by least squares: 1.0 is linear growth.

    >>> round(exponent([10, 100, 1000], [3, 30, 300]), 6)
    1.0
    """
    xs, ys = [math.log(n) for n in sizes], [math.log(v) for v in values]
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)
