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
    """A contender's process and the questions that it answers."""

    def __init__(self, problem: Problem, size: Any, contender: Contender, terms: Terms) -> None:
        here, there = multiprocessing.get_context("spawn").Pipe()
        self.contender, self.connection = contender, here
        self.reason: str | None = None
        self.samples: list[float] = []
        self.first = self.error = self.used = 0.0
        self.peak = 0
        self.process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(there, problem.name, size, contender.name, terms.threads, terms.clock), daemon=True
        )
        with variables(environment(terms.threads)):
            self.process.start()
        there.close()

    def ask(self, request: str | None, seconds: float) -> Any:
        """The answer to a request, or None once the contender is out, for a `reason`."""
        if self.reason is not None:
            return None
        try:
            if request is not None:
                self.connection.send(request)
            if not self.connection.poll(seconds):
                return self.out(f"took more than {seconds:.0f} s")
            kind, answer = self.connection.recv()
        except (EOFError, OSError):
            return self.out("its process ended")
        if kind in ("unable", "failed"):
            return self.out(str(answer))
        return answer

    def out(self, reason: str) -> None:
        """It takes no further part."""
        self.reason = reason
        self.close()

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


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


def heat(problem: Problem, size: Any, contenders: Sequence[Contender], terms: Terms) -> list[Finding]:
    """Race the contenders on a problem of that size."""
    contenders = [entry for entry in contenders if entry.races(problem)]
    missing = [(entry, reason) for entry in contenders if (reason := entry.missing()) is not None]
    lanes = [Lane(problem, size, entry, terms) for entry in contenders if entry.missing() is None]
    try:
        for lane in lanes:
            lane.ask(None, IMPORTS)
        expected = np.concatenate([np.ravel(part) for part in _parts(problem.by_hand(*problem.make(size)))])
        for lane in lanes:
            check(lane, expected, terms.budget)
        for lane in lanes:
            lane.ask("settle", terms.budget)
        for _ in range(terms.rounds):
            for lane in lanes:
                turn(lane, terms.budget)
        for lane in lanes:
            lane.peak = lane.ask("weigh", terms.budget) or 0
    finally:
        for lane in lanes:
            lane.close()
    out = [Finding(problem.name, str(size), terms.threads, entry.name, entry.peer, reason) for entry, reason in missing]
    return compared([finding(lane, problem, size, terms.threads) for lane in lanes]) + out


def _parts(result: Any) -> Sequence[Any]:
    return result if isinstance(result, tuple | list) else (result,)


def check(lane: Lane, expected: np.ndarray, budget: float) -> None:
    """Its first call; who is wrong is out."""
    answer = lane.ask("start", budget)
    if answer is None:
        return
    lane.first, found = answer
    if found.shape != expected.shape:
        lane.out(f"wrong: {found.size} numbers, not {expected.size}")
        return
    scale = float(np.max(np.abs(expected))) or 1.0
    lane.error = float(np.max(np.abs(found - expected))) / scale
    if not lane.error <= lane.contender.tolerance:
        lane.out(f"wrong: off by {lane.error:.1e} of the largest component")


def turn(lane: Lane, budget: float) -> None:
    """One sample, unless its time is used up."""
    start = time.perf_counter()
    if lane.samples and lane.used > budget / 2:
        return
    taken = lane.ask("time", budget)
    if taken is not None:
        lane.samples.append(taken)
        lane.used += time.perf_counter() - start


def finding(lane: Lane, problem: Problem, size: Any, threads: int) -> Finding:
    """What is known of a contender."""
    common = (problem.name, str(size), threads, lane.contender.name, lane.contender.peer)
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
