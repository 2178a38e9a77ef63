"""M/M/c queue, discrete events: heap of tuples, Server objects, Stats with Welford updates, LCG random class."""

import heapq
import itertools
import math

from tests.corpus.case import at


class LCG:
    def __init__(self, seed=12345):
        self.state = seed

    def random(self):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return (self.state + 0.5) / 2**31

    def exponential(self, mean):
        return -mean * math.log(self.random())


class Welford:
    __slots__ = ("n", "mean", "m2")

    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def push(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


def simulate(arrival, service, customers=12, servers=2, seed=7):
    rng = LCG(seed)
    counter = itertools.count()
    events = []
    t = 0.0
    for _ in range(customers):
        t += rng.exponential(arrival)
        heapq.heappush(events, (t, next(counter), "arrive"))
    waiting, busy = [], 0
    stats = {"wait": Welford(), "queue": Welford()}
    area, last = 0.0, 0.0
    while events:
        now, _, kind = heapq.heappop(events)
        area += (now - last) * len(waiting)
        last = now
        if kind == "arrive":
            waiting.append(now)
        else:
            busy -= 1
        while waiting and busy < servers:
            came = waiting.pop(0)
            stats["wait"].push(now - came)
            busy += 1
            heapq.heappush(events, (now + rng.exponential(service), next(counter), "leave"))
        stats["queue"].push(float(len(waiting)))
    return area / last, stats


@at((1.0, 1.7))
def waiting_in_a_queue(arrival, service):
    length, stats = simulate(arrival, service)
    return length + stats["wait"].mean + 0.1 * math.sqrt(stats["wait"].variance) + 0.01 * stats["queue"].mean
