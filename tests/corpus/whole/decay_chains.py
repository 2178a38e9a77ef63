"""Radioactive decay chain: UserDict-like composition table with Bateman by matrix exponential by scaling, units class."""

import numpy as np

from tests.corpus.case import at


class Quantity:
    UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

    def __init__(self, value, unit="s"):
        self.si = value * self.UNITS[unit]

    @classmethod
    def parse(cls, text):
        number, unit = text.split()
        return cls(float(number), unit)

    def to(self, unit):
        return self.si / self.UNITS[unit]

    def __truediv__(self, other):
        return self.si / (other.si if isinstance(other, Quantity) else other)

    def __lt__(self, other):
        return self.si < other.si

    def __float__(self):
        return float(self.si)


class Inventory(dict):
    def __missing__(self, nuclide):
        return 0.0

    def __add__(self, other):
        out = Inventory(self)
        for k, v in other.items():
            out[k] = out[k] + v
        return out

    @property
    def total(self):
        return sum(self.values())

    def activity(self, chain):
        return {n: chain.constant(n) * a for n, a in self.items()}


class Chain:
    def __init__(self, half_lives, scale=1.0):
        self.names = list(half_lives)
        self.half = {n: (Quantity.parse(h) if isinstance(h, str) else h) for n, h in half_lives.items()}
        self.scale = scale

    def constant(self, n):
        h = self.half[n]
        return 0.0 if h is None else self.scale * np.log(2) / float(h)

    def matrix(self):
        m = np.zeros((len(self.names),) * 2)
        for i, n in enumerate(self.names):
            m[i, i] = -self.constant(n)
            if i:
                m[i, i - 1] = self.constant(self.names[i - 1])
        return m

    def evolve(self, inv, dt):
        a = self.matrix() * dt.si
        squarings = max(0, int(np.ceil(np.log2(max(np.abs(a).max(), 1e-12)))) + 3)
        a = a / 2**squarings
        e, term = np.eye(len(a)), np.eye(len(a))
        for k in range(1, 9):
            term = term @ a / k
            e = e + term
        for _ in range(squarings):
            e = e @ e
        n = e @ np.array([inv[name] for name in self.names])
        return Inventory(zip(self.names, n))


@at((2.0, 1.1, 20.0))
def activity_of_a_chain(amount, scale, hours):
    chain = Chain({"Mo99": "66 h", "Tc99m": "6 h", "Tc99": None}, scale)
    start = Inventory(Mo99=amount) + Inventory(Tc99m=0.1)
    end = chain.evolve(start, Quantity(hours, "h"))
    act = end.activity(chain)
    return end["Tc99m"] + 1e3 * act["Tc99m"] + 0.1 * end.total + end["Xx"]
