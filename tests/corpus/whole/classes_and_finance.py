"""Classes and finance: whole programs as people write them."""

import bisect
import cmath
import math
import operator
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tests.corpus.case import at, vec


@dataclass
class Const:
    value: float


@dataclass
class Variable:
    name: str


@dataclass
class BinOp:
    op: str
    left: object
    right: object


OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}


def tokenize(text):
    return text.replace("(", " ( ").replace(")", " ) ").split()


def parse_prefix(tokens):
    tok = tokens.pop(0)
    if tok == "(":
        op = tokens.pop(0)
        left = parse_prefix(tokens)
        right = parse_prefix(tokens)
        assert tokens.pop(0) == ")"
        return BinOp(op, left, right)
    try_number = tok.replace(".", "", 1).isdigit()
    return Const(float(tok)) if try_number else Variable(tok)


def evaluate(node, env):
    if isinstance(node, Const):
        return node.value
    if isinstance(node, Variable):
        return env[node.name]
    return OPS[node.op](evaluate(node.left, env), evaluate(node.right, env))


@at(
    (1.3, 0.7),
)
def expression_from_text(x, y):
    tree = parse_prefix(tokenize("(+ (* x (^ y 2)) (/ 3.5 (- x 0.2)))"))
    return evaluate(tree, {"x": x, "y": y})


class Dual:
    def __init__(self, re, eps=0.0):
        self.re, self.eps = re, eps

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.re + o.re, self.eps + o.eps)

    __radd__ = __add__

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.re * o.re, self.re * o.eps + self.eps * o.re)

    __rmul__ = __mul__

    def __pow__(self, n):
        return Dual(self.re**n, n * self.re ** (n - 1) * self.eps)


@at((1.2, -0.4))
def newton_with_duals(a, b):
    x = 1.0
    for _ in range(7):
        z = Dual(x, 1.0)
        y = z**3 + a * z + b
        x = x - y.re / y.eps
    return x**2


@at((0.5, vec(0.6, 0.3, 0.1)))
def bigram_perplexity(alpha, lambdas):
    corpus = "the cat sat on the mat the cat ate".split()
    test = "the cat sat on the cat".split()
    unigrams = Counter(corpus)
    bigrams = Counter(zip(corpus, corpus[1:]))
    V = len(unigrams)
    N = sum(unigrams.values())
    logp = 0.0
    for prev, word in zip(test, test[1:]):
        p2 = (bigrams[prev, word] + alpha) / (unigrams[prev] + alpha * V)
        p1 = (unigrams[word] + alpha) / (N + alpha * V)
        logp += math.log(lambdas[0] * p2 + lambdas[1] * p1 + lambdas[2] / V)
    return math.exp(-logp / (len(test) - 1))


@at((32.0, 400.0, vec(1500.0, 1450.0, 1600.0)))
def elo_season(k, scale, start):
    ratings = dict(zip(["ann", "bob", "cyd"], start))
    games = [("ann", "bob", 1), ("bob", "cyd", 0.5), ("cyd", "ann", 0), ("ann", "bob", 0)]
    log_loss = 0.0
    for a, b, score in games:
        expected = 1 / (1 + 10 ** ((ratings[b] - ratings[a]) / scale))
        log_loss -= score * math.log(expected) + (1 - score) * math.log(1 - expected)
        delta = k * (score - expected)
        ratings[a] += delta
        ratings[b] -= delta
    return log_loss + max(ratings.values()) / 1000


@at((83.0, vec(0.1, 0.22, 0.35), 1.02))
def progressive_tax(income, rates, inflation):
    brackets = [0.0, 20.0, 60.0]
    total, deferred = 0.0, 0.0
    for year in range(3):
        limits = [b * inflation**year for b in brackets]
        k = bisect.bisect_right(limits, income)
        tax = 0.0
        for i in range(k):
            upper = limits[i + 1] if i + 1 < k else income
            tax += rates[i] * (upper - limits[i])
        total += tax / 1.05**year
        income *= 1.03
        deferred += 0.1 * (income - tax)
    return total + 0.1 * deferred


@at((5.0, 0.04, 97.0))
def bond_yield(coupon, bump, price):
    times = [0.5 * k for k in range(1, 9)]
    cash = [coupon / 2] * len(times)
    cash[-1] += 100.0

    def pv(y):
        return sum(c * math.exp(-y * t) for c, t in zip(cash, times))

    y0, y1 = 0.02, 0.06
    while abs(y1 - y0) > 1e-13:
        f0, f1 = pv(y0) - price, pv(y1) - price
        if f1 == f0:
            break
        y0, y1 = y1, y1 - f1 * (y1 - y0) / (f1 - f0)
    duration = sum(t * c * math.exp(-y1 * t) for c, t in zip(cash, times)) / price
    return y1 + bump * duration


@at((np.array([[0.2, 0.22, 0.25], [0.19, 0.21, 0.24]]), 0.6, 103.0))
def surface_call_price(vols, maturity, strike):
    maturities = np.array([0.25, 1.0])
    strikes = np.array([90.0, 100.0, 110.0])
    i = int(np.searchsorted(maturities, maturity)) - 1
    j = int(np.searchsorted(strikes, strike)) - 1
    u = (maturity - maturities[i]) / (maturities[i + 1] - maturities[i])
    v = (strike - strikes[j]) / (strikes[j + 1] - strikes[j])
    corners = vols[i : i + 2, j : j + 2]
    sigma = np.array([1 - u, u]) @ corners @ np.array([1 - v, v])
    d1 = (np.log(100.0 / strike) + 0.5 * sigma**2 * maturity) / (sigma * np.sqrt(maturity))
    d2 = d1 - sigma * np.sqrt(maturity)
    N = lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2)))
    return 100.0 * N(d1) - strike * N(d2)


@at((vec(0.01, 0.015, 0.02), 0.4))
def cds_hazard_curve(spreads, recovery):
    hazards = []
    survival = [1.0]
    for n, s in enumerate(spreads, start=1):
        h = 0.02
        for _ in range(20):

            def legs(h):
                q = survival + [survival[-1] * math.exp(-h)]
                premium = sum(s * math.exp(-0.03 * k) * q[k] for k in range(1, n + 1))
                protection = sum((1 - recovery) * math.exp(-0.03 * k) * (q[k - 1] - q[k]) for k in range(1, n + 1))
                return protection - premium

            g = (legs(h + 1e-6) - legs(h - 1e-6)) / 2e-6
            step = legs(h) / g
            h -= step
            if abs(step) < 1e-15:
                break
        hazards.append(h)
        survival.append(survival[-1] * math.exp(-h))
    return 10 * sum(hazards) + survival[-1]


@at((vec(-0.6, 0.2, 0.9, 1.7), 1.1))
def piecewise_response(x, k):
    y = np.piecewise(x, [x < 0, (x >= 0) & (x < 1), x >= 1], [lambda t: 0.1 * t, lambda t: k * t**2, lambda t: k * (2 * t - 1)])
    s = np.select([y < 0, y < 1], [y * 2, np.sqrt(np.abs(y) + 0.1)], default=y**2)
    return np.sum(s)


class Component:
    registry: ClassVar[dict] = {}
    unit = "ohm"

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.registry[cls.__name__.lower()] = cls

    def __init__(self, value):
        self.value = value

    def impedance(self, w):
        raise NotImplementedError

    def __or__(self, other):
        return Parallel([self, other])

    def __add__(self, other):
        return Series([self, other])


class Resistor(Component):
    def impedance(self, w):
        return complex(self.value)


class Capacitor(Component):
    unit = "farad"

    def impedance(self, w):
        return 1 / (1j * w * self.value)


class Inductor(Component):
    def impedance(self, w):
        return 1j * w * self.value


class Series(Component):
    def impedance(self, w):
        return sum(c.impedance(w) for c in self.value)


class Parallel(Component):
    def impedance(self, w):
        return 1 / sum(1 / c.impedance(w) for c in self.value)


@at((2.0, 0.3, 0.5, 1.4))
def ladder_filter(r, c, inductance, w):
    load = Component.registry["resistor"](r) | Capacitor(c)
    z = (Inductor(inductance) + load).impedance(w)
    return abs(z) + cmath.phase(z)
