"""Skyline coalescent with samples of several dates: a timeline of sorted events, demographic models, averaged by weight."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import chain
from typing import Iterator, NamedTuple, Protocol

from tests.corpus.case import at


class Ev(NamedTuple):
    time: float
    kind: str
    count: int = 1


class Demography(Protocol):
    def size(self, t: float) -> float: ...
    def integral(self, a: float, b: float) -> float: ...


@dataclass(frozen=True)
class Exponential:
    N: float
    rate: float

    def size(self, t):
        return self.N * math.exp(-self.rate * t)

    def integral(self, a, b):
        if abs(self.rate) < 1e-12:
            return (b - a) / self.N
        return (math.exp(self.rate * b) - math.exp(self.rate * a)) / (self.rate * self.N)


class Skyline:
    def __init__(self, breaks, sizes):
        if len(breaks) + 1 != len(sizes):
            raise ValueError("need one more size than breaks")
        self.breaks, self.sizes = list(breaks), list(sizes)

    def size(self, t):
        return self.sizes[bisect_right(self.breaks, t)]

    def integral(self, a, b):
        total = 0.0
        edges = [a, *(x for x in self.breaks if a < x < b), b]
        for lo, hi in zip(edges, edges[1:]):
            total += (hi - lo) / self.size(0.5 * (lo + hi))
        return total


SAMPLES = [(0.0, 4), (1.0, 2)]
COALESCENCES = [0.3, 0.8, 1.4, 1.9, 3.1]


def timeline() -> Iterator[Ev]:
    s = (Ev(t, "sample", n) for t, n in SAMPLES)
    c = (Ev(t, "coal") for t in COALESCENCES)
    yield from sorted(chain(s, c))


def log_likelihood(dem: Demography):
    lineages, now, ll = 0, 0.0, 0.0
    for ev in timeline():
        pairs = lineages * (lineages - 1) / 2
        if ev.time > now:
            ll -= pairs * dem.integral(now, ev.time)
        if ev.kind == "coal":
            if lineages < 2:
                return -math.inf
            ll += math.log(pairs / dem.size(ev.time))
            lineages -= 1
        else:
            lineages += ev.count
        now = ev.time
    return ll


@at(
    (
        2.0,
        0.3,
        [1.5, 2.5, 1.2],
    )
)
def likelihood_of_coalescences(N, rate, sizes):
    models: dict[str, Demography] = {"exp": Exponential(N, rate), "sky": Skyline([0.9, 2.2], sizes)}
    lls = {name: log_likelihood(m) for name, m in models.items()}
    top = max(lls.values())
    weights = {k: math.exp(v - top) for k, v in lls.items()}
    z = sum(weights.values())
    averaged = sum(w / z * models[k].size(1.5) for k, w in weights.items())
    return -top + 0.1 * averaged + math.log(z)
