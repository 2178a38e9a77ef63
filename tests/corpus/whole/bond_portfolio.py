"""Loss of a bond portfolio: singledispatch over instrument classes, partial, reduce, accumulate."""

import itertools
from dataclasses import dataclass
from functools import partial, reduce, singledispatch

import numpy as np

from tests.corpus.case import at


@dataclass
class ZeroBond:
    face: float
    maturity: float


@dataclass
class CouponBond:
    face: float
    coupon: float
    maturity: int
    frequency: int = 2


@dataclass
class Swap:
    notional: float
    fixed: float
    tenor: int


@singledispatch
def value(instrument, curve):
    raise NotImplementedError(type(instrument).__name__)


@value.register
def _(bond: ZeroBond, curve):
    return bond.face * curve(bond.maturity)


@value.register
def _(bond: CouponBond, curve):
    times = np.arange(1, bond.maturity * bond.frequency + 1) / bond.frequency
    coupons = bond.coupon / bond.frequency * bond.face * sum(curve(t) for t in times)
    return coupons + bond.face * curve(bond.maturity)


@value.register(Swap)
def value_swap(swap, curve):
    annuity = sum(map(curve, range(1, swap.tenor + 1)))
    return swap.notional * (1 - curve(swap.tenor) - swap.fixed * annuity)


def nelson_siegel(t, b0, b1, b2, tau):
    x = t / tau
    slope = (1 - np.exp(-x)) / x
    return b0 + b1 * slope + b2 * (slope - np.exp(-x))


def discount(t, zero):
    return np.exp(-zero(t) * t)


@at((np.array([0.04, -0.01, 0.015, 1.8]), 0.002))
def value_of_a_portfolio(params, shock):
    zero = partial(nelson_siegel, **dict(zip(["b0", "b1", "b2", "tau"], params)))
    curve = partial(discount, zero=lambda t: zero(t) + shock * np.exp(-t))
    book = [ZeroBond(100.0, 2.5), CouponBond(100.0, 0.04, 3), Swap(50.0, 0.03, 4)]
    values = [value(p, curve) for p in book]
    running = list(itertools.accumulate(values))
    worst = min(running)
    spread = reduce(lambda acc, pair: acc + (pair[1] - pair[0]) ** 2, itertools.pairwise(values), 0.0)
    return running[-1] + 0.1 * worst + 1e-4 * spread
