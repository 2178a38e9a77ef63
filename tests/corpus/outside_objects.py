"""Objects of a module, or of another object, of which the run takes one: the nearest site, the next node, a model by a limit."""

import copy
import functools
import math
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.7, 0.35, 0.9)
OTHERS = vec(0.21, 1.9, 0.15)


@dataclass(frozen=True)
class Site:
    name: str
    x: float
    y: float
    gain: float = 1.0
    window: tuple[float, float] = (0.0, 5.0)

    def distance(self, x, y):
        return math.hypot(self.x - x, self.y - y)


SITES = [
    Site("north", 2.0, 1.0, 3.0, (1.0, 6.0)),
    Site("mid", 2.5, 2.2, 2.0, (4.0, 9.0)),
    Site("west", -1.0, 2.0, 4.0, (2.0, 8.0)),
]


@dataclass
class Node:
    key: float
    left: "Node | None" = None
    right: "Node | None" = None


TREE = Node(0.5, Node(0.2, Node(0.1), Node(0.3)), Node(0.8, None, Node(0.95)))


class Law:
    name = "linear"

    def __init__(self, rate, weights):
        self.rate, self.weights = rate, np.array(weights)

    def __call__(self, v):
        return self.rate * v

    def __add__(self, other):
        return self.rate + other

    def __len__(self):
        return len(self.weights)

    def __getitem__(self, k):
        return self.weights[k]

    @property
    def twice(self):
        return 2.0 * self.rate


class Quadratic(Law):
    name = "quadratic"

    def __call__(self, v):
        return self.rate * v**2


@dataclass
class Station:
    x: float
    weights: np.ndarray
    law: Law
    options: dict = field(default_factory=dict)

    def score(self, v):
        return (v - self.x) ** 2


LAWS = {"low": Law(2.0, [1.0, 2.0]), "high": Quadratic(3.0, [0.5, 3.0, 1.0])}
STATIONS = [
    Station(0.1, np.array([1.0, 2.0]), LAWS["low"], {"k": 1.5}),
    Station(0.8, np.array([3.0, 1.0, 4.0]), LAWS["high"], {"k": 2.5}),
    Station(1.4, np.array([0.5]), LAWS["low"], {"k": 3.5}),
]


def nearest(v):
    return min(STATIONS, key=lambda s: s.score(v))


@at((VALUES,), (OTHERS,))
def the_nearest_site(x):
    site = min(SITES, key=lambda s: s.distance(x[0], x[1]))
    lo, hi = site.window
    text = f"{site.name} at {site.x:.1f}"
    return site.x * x[0] + site.gain * x[1] + (hi - lo) * x[0] ** 2 + len(text) * x[2]


@at((VALUES,), (OTHERS,))
def a_model_by_a_limit(x):
    law = LAWS["low"] if x[0] > 0.3 else LAWS["high"]
    kind = 2.0 if isinstance(law, Quadratic) else 3.0
    if type(law) is Law:
        kind = kind * x[2]
    return law(x[1]) + law.rate * x[0] + (law + x[0]) * law.twice + np.sum(law.weights) * kind + len(law) * x[0] * law[1]


@at((VALUES,), (OTHERS,))
def down_a_tree(x):
    total = 0.0
    for v in x:
        node, depth = TREE, 1
        while node is not None:
            total += (v - node.key) ** 2 * depth
            node, depth = (node.left if v < node.key else node.right), depth + 1
    return total


def below(node, v):
    if node is None:
        return 0.0 * v
    return (v - node.key) ** 2 + below(node.left if v < node.key else node.right, v)


@at((VALUES,), (OTHERS,))
def down_a_tree_by_calls(x):
    return sum(below(TREE, v) for v in x)


@at((VALUES,), (OTHERS,))
def sites_in_the_order_of_what_moves(x):
    order = sorted(SITES, key=lambda s: s.distance(x[0], x[1]))
    return sum(s.x * x[0] ** k for k, s in enumerate(order)) + order[0].y * x[1]


@at((VALUES,), (OTHERS,))
def the_best_so_far(x):
    best, least = None, 1e9
    for site in SITES:
        d = site.distance(x[0], x[1])
        if best is None or d < least:
            best, least = site, d
    others = sum(s.x * x[0] + s.y * x[1] for s in SITES if s is not best) + sum(s.x for s in SITES if s != best) * x[1]
    return best.y * x[0] + least + (best is SITES[0]) * x[1] + (3.0 if best.name == "west" else 1.0) * x[2] + others


@at((VALUES,), (OTHERS,))
def visited_one_after_the_other(x):
    left, route, t = list(SITES), [], 0.0
    px, py = x[0], x[1]
    while left:
        site = min(left, key=lambda s: s.distance(px, py))
        left.remove(site)
        route.append(site)
        t = t + site.distance(px, py) * site.gain
        px, py = site.x, site.y
    return t * x[2] + route[1].y * x[0]


@at((VALUES,), (OTHERS,))
def keys_and_places_of_sites(x):
    weights = {s: x[k] for k, s in enumerate(SITES)}
    counts = np.zeros(3)
    for v in x:
        site = min(SITES, key=lambda s: abs(s.x - v))
        counts[SITES.index(site)] += site.y * v * weights[site]
    return counts @ np.arange(1, 4.0)


@at((VALUES,), (OTHERS,))
def what_stations_hold(x):
    s = nearest(x[0])
    held = s.law.rate * x[1] + s.law(x[0]) + s.options["k"] * x[2]
    return held + np.sum(s.weights**2) * x[1] + np.sum(s.weights * x[0])


@at((VALUES,), (OTHERS,))
def one_or_none(x):
    def beyond(v):
        for s in STATIONS:
            if s.x > v:
                return s
        return None

    total = 0.0
    for v in x:
        s = beyond(v)
        total += v**2 if s is None else s.x * v
    return total


@at((VALUES,), (OTHERS,))
def exchanged(x):
    a, b = STATIONS[0], STATIONS[1]
    if x[0] > 0.5:
        a, b = b, a
    pairs = sorted((s.score(x[0]), k, s) for k, s in enumerate(STATIONS))
    return a.x * x[0] + b.x * x[1] + (a.x - b.x) * x[2] + sum(d * s.x for d, _, s in pairs[:2])


@at((VALUES,), (OTHERS,))
def patterns_of_stations(x):
    match nearest(x[0]):
        case Station(x=place, law=Quadratic(rate=r)):
            return place * x[0] * r
        case Station(x=place):
            return place * x[1]


@at((VALUES,), (OTHERS,))
def modules_and_functions(x):
    library = np if x[0] > 0.5 else math
    f = library.sin if x[1] > 0.5 else library.exp
    return library.cos(x[0]) + f(x[1]) + (f is math.sin) * x[2] + len(getattr(f, "__name__", "")) * x[0]


@dataclass
class Patient:
    time: float
    event: bool
    x: np.ndarray
    stratum: str = "A"


PATIENTS = [
    Patient(5.0, True, np.array([0.2, 1.0])),
    Patient(3.0, True, np.array([-0.5, 0.0])),
    Patient(3.0, True, np.array([0.9, 1.0])),
    Patient(8.0, False, np.array([0.1, 0.0]), "B"),
    Patient(2.5, True, np.array([1.2, 1.0]), "B"),
]


@at((vec(0.3, -0.4),))
def numbers_of_objects_decide_what_comes_when(beta):
    groups = {}
    for patient in PATIENTS:
        groups.setdefault(patient.stratum, []).append(patient)
    total, hazards = 0.0, []
    for group in groups.values():
        group = sorted(group, key=lambda p: p.time)
        risk = np.exp(np.array([p.x @ beta for p in group]))
        k = 0
        while k < len(group):
            tied = [j for j in range(k, len(group)) if group[j].time == group[k].time]
            deaths = [j for j in tied if group[j].event]
            if deaths:
                total += sum(group[j].x @ beta for j in deaths) - len(deaths) * np.log(risk[k:].sum())
                hazards.append((group[k].time, len(deaths) / risk[k:].sum()))
            k = tied[-1] + 1
    return total + sum(t * h for t, h in hazards)


@at((VALUES,), (OTHERS,))
def reduced_to_one(x):
    last = functools.reduce(lambda a, b: a if a.score(x[0]) < b.score(x[0]) else b, STATIONS)
    return last.x * x[1] + last.law.rate * x[2]


@at((vec(0.7, 1.3, 0.4),))
def copies_that_are_other_objects(x):
    known = {"axes": frozenset({1, 2}), "kind": x.dtype, "cut": slice(0, 2)}
    copied = copy.deepcopy(known)
    ones = [copied[name] is known[name] for name in known] + [copy.copy(known[name]) is known[name] for name in known]
    equal = sum(copied[name] == known[name] for name in known)
    return np.sum(x[copied["cut"]].astype(copied["kind"])) * x[0] + sum(k * one for k, one in enumerate(ones)) + equal
