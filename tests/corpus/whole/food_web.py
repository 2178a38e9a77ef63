"""Food web with functional responses given by strings, extinctions, RK45 with adaptive steps written by hand."""

from dataclasses import dataclass
from typing import Dict, List

import numpy as np

from tests.corpus.case import at

RESPONSES = {}


def response(name):
    def register(fn):
        RESPONSES[name] = fn
        return fn

    return register


@response("I")
def linear(prey, a, h):
    return a * prey


@response("II")
def holling2(prey, a, h):
    return a * prey / (1 + a * h * prey)


@response("III")
def holling3(prey, a, h):
    return a * prey**2 / (1 + a * h * prey**2)


@dataclass(frozen=True)
class Link:
    predator: str
    prey: str
    a: float
    h: float = 0.3
    kind: str = "II"
    efficiency: float = 0.4


class FoodWeb:
    def __init__(self, growth: Dict[str, float], capacity: Dict[str, float], deaths: Dict[str, float], links: List[Link]):
        self.species = sorted(set(growth) | set(deaths))
        self.idx = {s: i for i, s in enumerate(self.species)}
        self.growth, self.capacity, self.deaths = growth, capacity, deaths
        self.links = links
        missing = [one for one in links if one.predator not in self.idx or one.prey not in self.idx]
        if missing:
            raise KeyError(f"links with unknown species: {missing}")

    def rhs(self, t, n):
        dn = np.zeros(len(self.species))
        for s, r in self.growth.items():
            i = self.idx[s]
            dn[i] += r * n[i] * (1 - n[i] / self.capacity.get(s, np.inf))
        for s, d in self.deaths.items():
            dn[self.idx[s]] -= d * n[self.idx[s]]
        for link in self.links:
            i, j = self.idx[link.predator], self.idx[link.prey]
            eaten = RESPONSES[link.kind](n[j], link.a, link.h) * n[i]
            dn[j] -= eaten
            dn[i] += link.efficiency * eaten
        return dn


BS = ((0.5,), (0.0, 0.75), (2 / 9, 1 / 3, 4 / 9))


def bogacki_shampine(f, y, t0, t1, rtol=1e-3, h=0.2):
    t = t0
    k1 = f(t, y)
    rejected = 0
    while t < t1:
        h = min(h, t1 - t)
        k2 = f(t + h / 2, y + h * BS[0][0] * k1)
        k3 = f(t + 0.75 * h, y + h * BS[1][1] * k2)
        new = y + h * (BS[2][0] * k1 + BS[2][1] * k2 + BS[2][2] * k3)
        k4 = f(t + h, new)
        err = np.linalg.norm(h * (-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8)) / np.linalg.norm(new)
        if err > rtol:
            rejected += 1
            h *= 0.5
            continue
        t += h
        y, k1 = new, k4
        if err < rtol / 20:
            h *= 2.0
        if np.any(y < 1e-6):
            y = np.where(y < 1e-6, 0.0, y)
    return y


@at(
    (
        np.array([1.2, 2.0]),
        1.0,
        1.5,
    )
)
def shannon_of_a_food_web(attack, r, K):
    web = FoodWeb(
        growth={"grass": r},
        capacity={"grass": K},
        deaths={"hare": 0.2, "fox": 0.15},
        links=[
            Link("hare", "grass", attack[0]),
            Link("fox", "hare", attack[1], kind="III"),
            Link("fox", "grass", 0.01, kind="I"),
        ],
    )
    y = bogacki_shampine(web.rhs, np.array([0.3, 0.5, 0.8]), 0.0, 4.0)
    shannon = -np.sum(y / y.sum() * np.log(y / y.sum()))
    return shannon + 0.1 * y[web.idx["fox"]]
