"""GR4J rainfall-runoff with unit hydrographs, state as a mutable class, scores by name (NSE, KGE)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.corpus.case import at

RAIN = np.array([0.0, 12.0, 3.5, 0.0, 0.0, 25.0, 8.0, 1.0, 0.0, 0.0, 4.0, 0.0])
PET = np.array([2.0, 1.5, 1.8, 2.2, 2.5, 1.2, 1.4, 2.0, 2.6, 2.8, 2.1, 2.4])
FLOW = np.array([0.9, 1.4, 1.9, 1.6, 1.3, 2.6, 4.1, 3.5, 2.6, 2.0, 1.8, 1.5])


@dataclass
class Parameters:
    x1: float  # production capacity
    x2: float  # exchange
    x3: float  # routing capacity
    x4: float  # time base

    def validate(self):
        for name, value in vars(self).items():
            if name != "x2" and value <= 0:
                raise ValueError(f"{name}={value} must be positive")
        return self


def s_curve1(t, x4):
    if t <= 0:
        return 0.0
    elif t < x4:
        return (t / x4) ** 2.5
    return 1.0


def s_curve2(t, x4):
    if t <= 0:
        return 0.0
    elif t < x4:
        return 0.5 * (t / x4) ** 2.5
    elif t < 2 * x4:
        return 1 - 0.5 * (2 - t / x4) ** 2.5
    return 1.0


def ordinates(curve, x4, n):
    return [curve(k + 1, x4) - curve(k, x4) for k in range(n)]


class UnitHydrograph:
    def __init__(self, weights):
        self.weights = weights
        self.store = deque([0.0] * len(weights), maxlen=len(weights))

    def push(self, amount):
        self.store.append(0.0)
        for k, w in enumerate(self.weights):
            self.store[k] += w * amount
        out = self.store[0]
        return out


class GR4J:
    def __init__(self, p: Parameters):
        self.p = p.validate()
        n1 = 3
        self.uh1 = UnitHydrograph(ordinates(s_curve1, p.x4, n1))
        self.uh2 = UnitHydrograph(ordinates(s_curve2, p.x4, 2 * n1))
        self.S = 0.5 * p.x1
        self.R = 0.5 * p.x3

    def production(self, P, E):
        x1 = self.p.x1
        if P >= E:
            pn = P - E
            ws = math.tanh(min(pn / x1, 13))
            ps = x1 * (1 - (self.S / x1) ** 2) * ws / (1 + self.S / x1 * ws)
            self.S += ps
            excess = pn - ps
        else:
            en = math.tanh(min((E - P) / x1, 13))
            es = self.S * (2 - self.S / x1) * en / (1 + (1 - self.S / x1) * en)
            self.S -= es
            excess = 0.0
        perc = self.S * (1 - (1 + (4 / 9 * self.S / x1) ** 4) ** -0.25)
        self.S -= perc
        return perc + excess

    def route(self, pr):
        q9 = self.uh1.push(0.9 * pr)
        q1 = self.uh2.push(0.1 * pr)
        F = self.p.x2 * (self.R / self.p.x3) ** 3.5
        self.R = max(0.0, self.R + q9 + F)
        qr = self.R * (1 - (1 + (self.R / self.p.x3) ** 4) ** -0.25)
        self.R -= qr
        return qr + max(0.0, q1 + F)

    def run(self, rain, pet):
        return np.array([self.route(self.production(p, e)) for p, e in zip(rain, pet)])


def score(sim, obs, kind: Literal["nse", "kge"] = "nse"):
    match kind:
        case "nse":
            return 1 - np.sum((sim - obs) ** 2) / np.sum((obs - obs.mean()) ** 2)
        case "kge":
            r = np.corrcoef(sim, obs)[0, 1]
            return 1 - np.sqrt((r - 1) ** 2 + (sim.std() / obs.std() - 1) ** 2 + (sim.mean() / obs.mean() - 1) ** 2)
    raise ValueError(kind)


@at((np.array([4.2, 0.3, 3.2, 0.4]),))
def score_of_a_rainfall_runoff_model(theta):
    model = GR4J(Parameters(*np.exp(theta[:1]), theta[1], *np.exp(theta[2:])))
    sim = model.run(RAIN, PET)
    return -score(sim, FLOW, "kge") - 0.3 * score(np.sqrt(sim), np.sqrt(FLOW))
