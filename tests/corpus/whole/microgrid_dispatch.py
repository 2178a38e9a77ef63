"""Microgrid dispatch: asset base class with registry via __init_subclass__, ledger of namedtuples, contextmanager for tariffs."""

import math
from abc import ABC, abstractmethod
from collections import namedtuple
from contextlib import contextmanager

from tests.corpus.case import at

Entry = namedtuple("Entry", ["hour", "asset", "energy", "cost"])


class Asset(ABC):
    registry = {}

    def __init_subclass__(cls, kind=None, **kw):
        super().__init_subclass__(**kw)
        if kind is not None:
            Asset.registry[kind] = cls

    @classmethod
    def create(cls, kind, **params):
        return cls.registry[kind](**params)

    @abstractmethod
    def dispatch(self, hour, need): ...


class Solar(Asset, kind="solar"):
    def __init__(self, peak):
        self.peak = peak

    def dispatch(self, hour, need):
        out = self.peak * max(0.0, math.sin(math.pi * (hour - 6) / 12))
        return min(out, need), 0.0


class Battery(Asset, kind="battery"):
    def __init__(self, capacity, efficiency=0.9, level=None):
        self.capacity = capacity
        self.efficiency = efficiency
        self.level = 0.5 * capacity if level is None else level

    def dispatch(self, hour, need):
        if hour < 6:
            room = min(0.4, self.capacity - self.level)
            self.level += self.efficiency * room
            return -room, 0.01
        give = min(need, self.level, 0.6)
        self.level -= give
        return give, 0.02


class Grid(Asset, kind="grid"):
    tariff = 0.2

    def __init__(self, cap=10.0):
        self.cap = cap

    def dispatch(self, hour, need):
        return need, self.tariff

    @contextmanager
    def peak_price(self, factor):
        old = self.tariff
        self.tariff = old * factor
        try:
            yield self
        finally:
            self.tariff = old


def simulate(assets, load, grid):
    ledger = []
    for hour, need in enumerate(load):

        def settle(left):
            for asset in assets:
                energy, price = asset.dispatch(hour, left)
                left -= energy
                ledger.append(Entry(hour, type(asset).__name__, energy, price * abs(energy)))
            return left

        if 17 <= hour <= 20:
            with grid.peak_price(2.5):
                unmet = settle(need)
        else:
            unmet = settle(need)
        assert abs(unmet) < 1e-9
    return ledger


@at((0.7, 1.9))
def cost_of_a_microgrid(peak, capacity):
    grid = Asset.create("grid")
    assets = [Asset.create("solar", peak=peak), Asset.create("battery", capacity=capacity), grid]
    load = [0.5 + 0.4 * math.sin(2 * math.pi * (h - 9) / 24) for h in range(0, 24)]
    ledger = simulate(assets, load, grid)
    by_asset = {}
    for e in ledger:
        by_asset[e.asset] = by_asset.get(e.asset, 0.0) + e.cost
    return sum(by_asset.values()) + 0.05 * capacity + 0.03 * peak**2 + assets[1].level * 0.01
