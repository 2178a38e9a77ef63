"""Objects that say which comes first, and lists of objects with one put in or taken out where the run says."""

import bisect
import functools
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.7, 0.3, 1.1)


class Job:
    def __init__(self, due, size):
        self.due, self.size = due, size

    def __lt__(self, other):
        return self.due < other.due


@functools.total_ordering
class Version:
    def __init__(self, major, value):
        self.major, self.value = major, value

    def __eq__(self, other):
        return self.major == other.major

    def __lt__(self, other):
        return self.major < other.major


@dataclass(order=True)
class Sample:
    at: float
    value: float


def weighed(items, of):
    return sum((k + 1) * of(item) ** 2 for k, item in enumerate(items))


@at((VALUES,))
def sorted_by_what_is_known(x):
    jobs = sorted([Job(2.0, x[0]), Job(1.0, x[1]), Job(3.0, x[2])])
    versions = sorted([Version(2, x[0]), Version(1, x[1]), Version(2, x[2])], reverse=True)
    return weighed(jobs, lambda job: job.size) + weighed(versions, lambda one: one.value)


@at((VALUES,), (vec(1.1, 0.3, 0.2),), (vec(0.3, 0.7, 1.1),))
def sorted_by_the_run(x):
    jobs = sorted([Job(x[0], x[1]), Job(x[1], x[2]), Job(x[2], x[0])])
    samples = [Sample(v, w) for v, w in zip(x, x[::-1], strict=True)]
    samples.sort(reverse=True)
    return weighed(jobs, lambda job: job.size) + weighed(samples, lambda one: one.value)


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def equal_objects_keep_their_order(x):
    jobs = [Job(x[0], x[1]), Job(x[1], x[2]), Job(x[1], x[0]), Job(x[0], x[0])]
    return weighed(sorted(jobs), lambda job: job.size) + weighed(sorted(jobs, reverse=True), lambda job: job.size)


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def sorted_by_keys_that_are_objects(x):
    pairs = sorted([(x[0], 3.0), (x[1], 2.0), (x[2], 4.0)], key=lambda pair: Job(*pair))
    tuples = sorted([(1, Job(x[0], x[1])), (1, Job(x[1], x[2])), (0, Job(x[2], x[0]))])
    return weighed(pairs, lambda pair: pair[0] * pair[1]) + weighed(tuples, lambda one: one[1].size)


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def sorted_by_a_function_of_two(x):
    pairs = [(x[0], 1.0), (x[1], 2.0), (x[2], 0.5)]
    pairs.sort(key=functools.cmp_to_key(lambda p, q: p[0] * q[1] - q[0] * p[1]))
    places = sorted(range(3), key=functools.cmp_to_key(lambda i, j: x[i] - x[j]))
    least = min([*x], key=functools.cmp_to_key(lambda a, b: b - a))
    return weighed(pairs, lambda pair: pair[0] * pair[1]) + weighed(places, lambda k: x[k]) + least


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def put_where_the_order_says(x):
    jobs = []
    for v, w in zip(x, x[::-1], strict=True):
        bisect.insort(jobs, Job(v, w))
    found = bisect.bisect_left([Job(0.25, x[0]), Job(0.5, x[1]), Job(0.9, x[2])], Job(x[1], 0.0))
    return weighed(jobs, lambda job: job.size) * (found + 1)


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def inserted_where_the_run_says(x):
    jobs = [Job(1.0, x[0]), Job(2.0, x[1]), Job(3.0, x[2])]
    jobs.insert(int(np.argmin(x)), Job(5.0, x[0] * x[1]))
    jobs.insert(int(np.argmax(x)) - 2, Job(6.0, x[2] ** 2))
    jobs[1].size = jobs[1].size * 2.0
    return weighed(jobs, lambda job: job.due * job.size)


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def taken_out_where_the_run_says(x):
    jobs = [Job(1.0, x[0]), Job(2.0, x[1]), Job(3.0, x[2]), Job(4.0, x[0] * x[2])]
    taken = jobs.pop(int(np.argmin(x)))
    taken.size = taken.size * 2.0
    jobs[0].size += x[2]
    del jobs[int(np.argmax(x)) - 2]
    return weighed(jobs, lambda job: job.due * job.size) + 7.0 * taken.size**3


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def dicts_at_places_of_the_run(x):
    cells = [{"a": x[0]}, {"a": x[1], "b": x[2]}, {"a": x[2]}]
    cells.insert(int(np.argmin(x)), {"a": x[0] * x[1]})
    gone = cells.pop(int(np.argmax(x)))
    return weighed(cells, lambda cell: cell["a"]) + gone["a"] ** 3


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def reduced_to_one(x):
    parts = [Job(1.0, x[0]), Job(2.0, x[1]), Job(3.0, x[2]), Job(4.0, x[0] + x[1])]
    while len(parts) > 1:
        parts.sort()
        first, second = parts.pop(0), parts.pop(0)
        parts.append(Job(first.due + second.size, first.size * second.size + x[0]))
    return parts[0].size + parts[0].due


@at((vec(0.9, 0.4, 1.3, 0.7),))
def events_in_order_of_time_and_name(x):
    events = sorted([(float(k // 2), name, x[k]) for k, name in enumerate(["open", "load", "close", "vent"])])
    level, total = 1.0, 0.0
    for time, name, size in events:
        level = level * size if name in ("load", "vent") else level + size * time
        total += level**2
    return total


class Order:
    def __init__(self, name, size):
        self.name, self.size = name, size

    def __bool__(self):
        return bool(self.size > 0.3)


@at((vec(0.7, 0.35, 0.9),), (vec(0.2, 1.9, 0.15),))
def kept_objects_by_their_names(x):
    orders = [Order("c", x[0]), Order("b", x[1]), Order("a", x[2])]
    total = sum((k + 1) * o.size for k, o in enumerate(sorted(filter(None, orders), key=lambda o: o.name)))
    kept = [o for o in orders if o.size > 0.3]
    kept.sort(key=lambda o: (o.name, o.size), reverse=True)
    return total + sum((k + 1) * o.size**2 for k, o in enumerate(kept))


@functools.total_ordering
class Amount:
    def __init__(self, value, unit):
        self.value, self.unit = value, unit

    def __eq__(self, other):
        return self.unit == other.unit and self.value == other.value

    def __lt__(self, other):
        return self.value < other.value


@at((vec(0.7, 0.35, 0.9),), (vec(0.2, 1.9, 0.15),))
def amounts_by_what_total_ordering_adds(x):
    a, b, c = (Amount(v, "kg") for v in x)
    largest, least = max(a, b, c), min(a, b, c)
    total = largest.value * x[0] + least.value * x[1]
    return total + (2.0 if a > b else 3.0) * x[2] + (5.0 if a >= c else 7.0) * x[0] + (11.0 if b <= c else 13.0) * x[1]
