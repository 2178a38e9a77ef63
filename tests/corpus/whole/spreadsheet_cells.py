"""A spreadsheet: cells with formulas as lambdas, dependencies found by names, topological order, iterative goal."""

from collections import deque
from graphlib import CycleError

import numpy as np

from tests.corpus.case import at


class Sheet:
    def __init__(self):
        self._formulas = {}
        self._values = {}
        self.recalculations = 0

    def __setitem__(self, name, content):
        if callable(content):
            self._formulas[name] = (content, self._arguments(content))
        else:
            self._values[name] = content

    def __getitem__(self, name):
        return self._values[name]

    def __contains__(self, name):
        return name in self._values or name in self._formulas

    @staticmethod
    def _arguments(fn):
        code = fn.__code__
        return code.co_varnames[: code.co_argcount]

    def order(self):
        indegree = {n: 0 for n in self._formulas}
        users = {}
        for name, (_, deps) in self._formulas.items():
            for d in deps:
                if d in self._formulas:
                    indegree[name] += 1
                    users.setdefault(d, []).append(name)
                elif d not in self._values:
                    raise NameError(f"{name} needs {d}")
        ready = deque(sorted(n for n, k in indegree.items() if k == 0))
        out = []
        while ready:
            n = ready.popleft()
            out.append(n)
            for u in users.get(n, ()):
                indegree[u] -= 1
                if indegree[u] == 0:
                    ready.append(u)
        if len(out) < len(self._formulas):
            raise CycleError("circular reference", sorted(set(self._formulas) - set(out)))
        return out

    def recalculate(self):
        for name in self.order():
            fn, deps = self._formulas[name]
            self._values[name] = fn(*(self._values[d] for d in deps))
            self.recalculations += 1
        return self


def npv(rate, flows):
    return sum(f / (1 + rate) ** k for k, f in enumerate(flows))


def irr(flows, guess=0.1):
    r = guess
    for _ in range(30):
        v = npv(r, flows)
        slope = (npv(r + 1e-6, flows) - npv(r - 1e-6, flows)) / 2e-6
        step = v / slope
        r -= step
        if abs(step) < 1e-12:
            break
    return r


def build(price, growth, capex):
    s = Sheet()
    s["price"] = price
    s["growth"] = growth
    s["capex"] = capex
    s["years"] = 5
    s["volume"] = lambda years, growth: [100.0 * (1 + growth) ** k for k in range(years)]
    s["revenue"] = lambda volume, price: [v * price for v in volume]
    s["costs"] = lambda revenue: [0.55 * r + 20.0 for r in revenue]
    s["depreciation"] = lambda capex, years: capex / years
    s["ebit"] = lambda revenue, costs, depreciation: [r - c - depreciation for r, c in zip(revenue, costs)]
    s["tax"] = lambda ebit: [0.3 * max(e, 0.0) for e in ebit]
    s["cash"] = lambda ebit, tax, depreciation, capex: [-capex] + [e - t + depreciation for e, t in zip(ebit, tax)]
    s["npv"] = lambda cash, rate: npv(rate, cash)
    s["irr"] = lambda cash: irr(cash)
    s["rate"] = 0.08
    return s


@at((3.2, 0.06, 310.0))
def cash_flow_in_a_spreadsheet(price, growth, capex):
    sheet = build(price, growth, capex).recalculate()
    first = sheet["npv"]
    sheet["rate"] = 0.11
    sheet["costs"] = lambda revenue, volume: [0.5 * r + 0.1 * v for r, v in zip(revenue, volume)]
    sheet.recalculate()
    low = np.array(sheet["cash"])
    return first / 100.0 + sheet["npv"] / 100.0 + 10.0 * sheet["irr"] + np.std(low) / 50.0 + 0.001 * sheet.recalculations
