"""One heat: a problem at one size with a number of threads, every contender checked first, then timed in turns."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.race.contenders import LIMIT, Contender
from benchmarks.race.problem import Problem
from benchmarks.race.worker import environment, serve

ROUNDS = 7
IMPORTS = 120.0


@dataclass(frozen=True, slots=True)
class Terms:
    """Threads for each contender; samples of each; the seconds that a first call may take, and all samples; the clock."""

    threads: int = 1
    rounds: int = ROUNDS
    budget: float = 60.0
    clock: str = "wall"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was measured of one contender, in seconds and bytes; `reason` where it takes no part, or is not to be trusted."""

    problem: str
    size: str
    threads: int
    contender: str
    peer: bool
    reason: str | None = None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    first: float | None = None
    peak: int | None = None
    error: float | None = None
    over_limit: float | None = None
    over_peer: float | None = None


class Lane:
    """A contender's process, and what is known of it in a heat.

    The process stays from heat to heat; one that ends is started again.
    """

    def __init__(self, contender: Contender, terms: Terms) -> None:
        self.contender, self.terms = contender, terms
        self.process: Any = None
        self.connection: Any = None
        self.clear()

    def clear(self) -> None:
        """Forget the heat before."""
        self.reason: str | None = self.contender.missing()
        self.samples: list[float] = []
        self.first = self.error = self.used = 0.0
        self.peak = 0

    def load(self, problem: Problem, size: Any) -> None:
        """Begin a heat."""
        self.clear()
        if self.reason is None:
            if self.process is None:
                self.begin()
            self.ask(IMPORTS, "load", problem.name, size)

    def begin(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.connection, there = context.Pipe()
        arguments = there, self.contender.name, self.terms.threads, self.terms.clock
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        with variables(environment(self.terms.threads)):
            self.process.start()
        there.close()

    def ask(self, seconds: float, *request: Any) -> Any:
        """The answer to a request, or None once the contender is out, for a `reason`."""
        if self.reason is not None:
            return None
        try:
            self.connection.send(request)
            if not self.connection.poll(seconds):
                return self.lost(f"took more than {seconds:.0f} s")
            kind, answer = self.connection.recv()
        except (EOFError, OSError):
            return self.lost("its process ended")
        if kind in ("unable", "failed"):
            self.reason = str(answer)
            return None
        return answer

    def lost(self, reason: str) -> None:
        """Its process is of no more use."""
        self.reason = reason
        self.close()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.connection.close()
            self.process.kill()
            self.process.join()
            self.process = None


@contextmanager
def lanes(contenders: Sequence[Contender], terms: Terms) -> Iterator[list[Lane]]:
    """A lane for each contender, whose processes end with the block."""
    made = [Lane(contender, terms) for contender in contenders]
    try:
        yield made
    finally:
        for lane in made:
            lane.close()


@contextmanager
def variables(values: Any) -> Iterator[None]:
    """The environment with other values, for processes started meanwhile."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def heat(problem: Problem, size: Any, lanes: Sequence[Lane]) -> list[Finding]:
    """Race the contenders on a problem of that size."""
    running = [lane for lane in lanes if lane.contender.races(problem)]
    expected = np.concatenate([np.ravel(part) for part in _parts(problem.by_hand(*problem.make(size)))])
    for lane in running:
        lane.load(problem, size)
        check(lane, expected)
    for lane in running:
        lane.ask(lane.terms.budget, "settle")
    for _ in range(max(lane.terms.rounds for lane in running)):
        for lane in running:
            turn(lane)
    for lane in running:
        lane.peak = lane.ask(lane.terms.budget, "weigh") or 0
    return compared([finding(lane, problem, size) for lane in running])


def _parts(result: Any) -> Sequence[Any]:
    return result if isinstance(result, tuple | list) else (result,)


def check(lane: Lane, expected: np.ndarray) -> None:
    """Its first call; who is wrong is out."""
    answer = lane.ask(lane.terms.budget, "start")
    if answer is None:
        return
    lane.first, found = answer
    if lane.contender.tolerance is None:
        return
    if found.shape != expected.shape:
        lane.reason = f"wrong: {found.size} numbers, not {expected.size}"
        return
    scale = float(np.max(np.abs(expected))) or 1.0
    lane.error = float(np.max(np.abs(found - expected))) / scale
    if not lane.error <= lane.contender.tolerance:
        lane.reason = f"wrong: off by {lane.error:.1e} of the largest component"


def turn(lane: Lane) -> None:
    """One sample, unless its time is used up."""
    start = time.perf_counter()
    if lane.samples and lane.used > lane.terms.budget / 2:
        return
    taken = lane.ask(lane.terms.budget, "time")
    if taken is not None:
        lane.samples.append(taken)
        lane.used += time.perf_counter() - start


def finding(lane: Lane, problem: Problem, size: Any) -> Finding:
    """What is known of a contender."""
    common = (problem.name, str(size), lane.terms.threads, lane.contender.name, lane.contender.peer)
    if not lane.samples:
        return Finding(*common, lane.reason or "no sample")
    low, middle, high = quartiles(lane.samples)
    return Finding(*common, None, middle, low, high, lane.first, lane.peak, lane.error)


def compared(findings: Sequence[Finding]) -> list[Finding]:
    """The same with ratios to the limit, and to the fastest of the peers."""
    limit = next((entry.median for entry in findings if entry.contender == LIMIT), None)
    peers = [entry.median for entry in findings if entry.peer and entry.median is not None]
    return [
        replace(
            entry,
            over_limit=entry.median / limit if limit else None,
            over_peer=entry.median / min(peers) if peers else None,
        )
        if entry.median is not None
        else entry
        for entry in findings
    ]


def quartiles(samples: Sequence[float]) -> tuple[float, float, float]:
    """The first quartile, the median and the third.

    >>> quartiles([3.0, 1.0, 2.0])
    (1.5, 2.0, 2.5)
    """
    if len(samples) == 1:
        return samples[0], samples[0], samples[0]
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return low, middle, high
