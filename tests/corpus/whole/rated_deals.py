"""Credit-rating migration: DataFrame-like Table class (columns dict), groupby generator, matrix powers, yields via bisect."""

import bisect
import itertools

import numpy as np

from tests.corpus.case import at


class Table:
    def __init__(self, **columns):
        lengths = {len(c) for c in columns.values()}
        if len(lengths) > 1:
            raise ValueError("ragged")
        self.columns = {k: list(v) for k, v in columns.items()}

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.columns[key]
        if isinstance(key, slice):
            return Table(**{k: v[key] for k, v in self.columns.items()})
        return {k: v[key] for k, v in self.columns.items()}

    def __setitem__(self, key, values):
        self.columns[key] = list(values)

    def rows(self):
        for k in range(len(self)):
            yield self[k]

    def where(self, test):
        keep = [test(r) for r in self.rows()]
        return Table(**{k: list(itertools.compress(v, keep)) for k, v in self.columns.items()})

    def groupby(self, key):
        order = sorted(range(len(self)), key=lambda i: self.columns[key][i])
        for name, group in itertools.groupby(order, key=lambda i: self.columns[key][i]):
            ids = list(group)
            yield name, Table(**{k: [v[i] for i in ids] for k, v in self.columns.items()})


def curve(t, knots, rates):
    k = bisect.bisect_right(knots, t)
    if k == 0:
        return rates[0]
    if k == len(knots):
        return rates[-1]
    w = (t - knots[k - 1]) / (knots[k] - knots[k - 1])
    return (1 - w) * rates[k - 1] + w * rates[k]


@at((0.08, np.array([0.02, 0.03, 0.035])))
def deals_by_rating(p_down, rates):
    P = np.array([[1 - p_down, p_down, 0.0], [0.1, 0.85, 0.05], [0.0, 0.0, 1.0]])
    deals = Table(rating=["A", "B", "A", "B"], notional=[100.0, 50.0, 80.0, 20.0], maturity=[2, 3, 1, 4])
    deals["survival"] = [1 - np.linalg.matrix_power(P, m)["AB".index(r), 2] for r, m in zip(deals["rating"], deals["maturity"])]
    deals["rate"] = [curve(m, [1, 3, 5], rates) for m in deals["maturity"]]
    out = {}
    for rating, group in deals.groupby("rating"):
        out[rating] = sum(r["notional"] * r["survival"] / (1 + r["rate"]) ** r["maturity"] for r in group.rows())
    big = deals.where(lambda r: r["notional"] > 60)
    return out["A"] - 0.5 * out["B"] + sum(big["survival"]) + len(deals[1:])
