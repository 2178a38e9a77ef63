"""Survey weights: raking over margins in a dict of its own, means, design effects, and a jackknife by strata."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import groupby

from tests.corpus.case import at


@dataclass(frozen=True)
class Row:
    sex: str
    age: str
    y: float
    stratum: int


DATA = [
    Row("f", "young", 2.1, 1),
    Row("m", "young", 1.7, 1),
    Row("f", "old", 3.3, 2),
    Row("m", "old", 2.9, 2),
    Row("f", "young", 2.5, 2),
    Row("m", "old", 3.6, 1),
    Row("f", "old", 3.0, 1),
]


class Margins(dict):
    """Targets by variable; shares are normalised when they are set."""

    def __setitem__(self, key, shares):
        total = sum(shares.values())
        super().__setitem__(key, {k: v / total for k, v in shares.items()})

    def __missing__(self, key):
        raise KeyError(f"no margin for {key!r}; have {sorted(self)}")


def rake(rows, weights, margins, tol=1e-9, maxit=25):
    w = list(weights)
    for it in range(maxit):
        worst = 0.0
        for variable, shares in margins.items():
            get = operator.attrgetter(variable)
            totals = defaultdict(float)
            for r, wi in zip(rows, w):
                totals[get(r)] += wi
            whole = sum(totals.values())
            adj = {level: shares[level] * whole / t for level, t in totals.items()}
            worst = max(worst, *(abs(math.log(a)) for a in adj.values()))
            w = [wi * adj[get(r)] for r, wi in zip(rows, w)]
        if worst < tol:
            break
    return w


def weighted_mean(rows, w):
    return sum(wi * r.y for r, wi in zip(rows, w)) / sum(w)


def kish(w):
    return len(w) * sum(wi**2 for wi in w) / sum(w) ** 2


def jackknife(rows, w, statistic):
    full = statistic(rows, w)
    var = 0.0
    for s in sorted({r.stratum for r in rows}):
        members = [i for i, r in enumerate(rows) if r.stratum == s]
        n = len(members)
        for drop in members:
            rep = [0.0 if i == drop else wi * (n / (n - 1) if i in members else 1.0) for i, wi in enumerate(w)]
            var += (n - 1) / n * (statistic(rows, rep) - full) ** 2
    return full, math.sqrt(var)


@at(
    (
        1.2,
        1.4,
        0.3,
    )
)
def raked_survey_mean(female, young, shift):
    margins = Margins()
    margins["sex"] = {"f": female, "m": 1.0}
    margins["age"] = {"young": young, "old": 2.0}
    rows = [replace(r, y=r.y + shift * (r.sex == "f")) for r in DATA]
    w = rake(rows, [1.0] * len(rows), margins)
    mean, se = jackknife(rows, w, weighted_mean)
    by_sex = {k: sum(r.y for r in g) for k, g in groupby(sorted(rows, key=lambda r: r.sex), key=lambda r: r.sex)}
    return mean + se + 0.1 * kish(w) + 0.01 * by_sex["f"]
