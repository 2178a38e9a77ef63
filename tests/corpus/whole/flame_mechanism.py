"""Reaction mechanism parsed from text, rates by Arrhenius and third bodies, integrated by implicit Euler with Newton."""

import re
from collections import defaultdict
from functools import lru_cache

import numpy as np

from tests.corpus.case import at

R_GAS = 8.314

MECHANISM = """
# name  A  b  Ea
H2 + O = H + OH        5.0e1  0.5  1.2e4
H + O2 = O + OH        9.0e1  0.0  1.5e4
OH + H2 = H2O + H      2.0e1  0.3  0.8e4
H + OH + M = H2O + M   3.0e0  -0.5 0.0
"""


class Reaction:
    _pattern = re.compile(r"^(?P<lhs>[^=]+)=(?P<rhs>.+?)\s+(?P<A>\S+)\s+(?P<b>\S+)\s+(?P<Ea>\S+)$")

    def __init__(self, reactants, products, A, b, Ea, third_body=False):
        self.reactants = reactants
        self.products = products
        self.A, self.b, self.Ea = A, b, Ea
        self.third_body = third_body

    @classmethod
    def parse(cls, line):
        m = cls._pattern.match(line)
        if m is None:
            raise ValueError(f"cannot parse {line!r}")
        lhs, rhs = (cls._side(m[g]) for g in ("lhs", "rhs"))
        tb = lhs.pop("M", 0) > 0
        rhs.pop("M", None)
        return cls(lhs, rhs, float(m["A"]), float(m["b"]), float(m["Ea"]), tb)

    @staticmethod
    def _side(text):
        count = defaultdict(int)
        for part in text.split("+"):
            count[part.strip()] += 1
        return dict(count)

    def k(self, T, scale):
        return scale * self.A * (T / 300.0) ** self.b * np.exp(-self.Ea / (R_GAS * T))


class Mechanism:
    def __init__(self, text):
        self.reactions = [Reaction.parse(line.strip()) for line in text.splitlines() if line.strip() and not line.startswith("#")]
        names = []
        for r in self.reactions:
            for s in (*r.reactants, *r.products):
                if s not in names:
                    names.append(s)
        self.index = {s: i for i, s in enumerate(names)}

    @property
    def n(self):
        return len(self.index)

    def production(self, y, T, scales):
        out = np.zeros(self.n)
        for r, s in zip(self.reactions, scales):
            rate = r.k(T, s)
            for name, nu in r.reactants.items():
                rate = rate * y[self.index[name]] ** nu
            if r.third_body:
                rate *= y.sum()
            for name, nu in r.reactants.items():
                out[self.index[name]] -= nu * rate
            for name, nu in r.products.items():
                out[self.index[name]] += nu * rate
        return out

    def jacobian(self, y, T, scales, eps=1e-4):
        base = self.production(y, T, scales)
        J = np.empty((self.n, self.n))
        for j in range(self.n):
            z = y.copy()
            z[j] += eps
            J[:, j] = (self.production(z, T, scales) - base) / eps
        return base, J


@lru_cache(maxsize=None)
def mechanism():
    return Mechanism(MECHANISM)


def implicit_step(mech, y, T, scales, h, newton=2):
    z = y.copy()
    for _ in range(newton):
        f, J = mech.jacobian(z, T, scales)
        res = z - y - h * f
        z = z - np.linalg.solve(np.eye(mech.n) - h * J, res)
    return z


@at(
    (
        np.array([0.1, -0.2, 0.05, 0.3]),
        1100.0,
    )
)
def ignition_by_a_parsed_mechanism(logs, T0):
    mech = mechanism()
    scales = np.exp(logs)
    y = np.full(mech.n, 0.05)
    y[mech.index["H2"]] = 1.0
    y[mech.index["O2"]] = 0.6
    T = T0
    for step in range(3):
        before = y
        y = implicit_step(mech, y, T, scales, h=0.02)
        T = T + 200.0 * (y[mech.index["H2O"]] - before[mech.index["H2O"]])
    return T / 1000.0 + y[mech.index["OH"]] ** 2
