"""A stack machine for geostatistical formulas: Stack(list) subclass, opcode table, nugget and sill."""

import math
import operator

import numpy as np

from tests.corpus.case import at


class Stack(list):
    def push(self, *items):
        for item in items:
            self.append(item)

    @property
    def top(self):
        return self[-1]

    def take(self, n):
        taken = self[-n:]
        del self[-n:]
        return taken


OPS = {
    "+": (2, operator.add),
    "-": (2, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "exp": (1, math.exp),
    "neg": (1, operator.neg),
    "sqrt": (1, math.sqrt),
}


def evaluate(tokens, env):
    stack = Stack()
    for token in tokens.split():
        if token in OPS:
            arity, fn = OPS[token]
            stack.push(fn(*stack.take(arity)))
        elif token in env:
            stack.push(env[token])
        else:
            stack.push(float(token))
    assert len(stack) == 1, stack
    return stack.top


MODELS = {
    "exponential": "nugget sill 1 h range / neg exp - * +",
    "gaussian": "nugget sill 1 h h * range range * / neg exp - * +",
    "power": "nugget sill h range / sqrt * +",
}


def semivariance(points, values, edges):
    n = len(points)
    sums = np.zeros(len(edges) - 1)
    counts = np.zeros(len(edges) - 1, dtype=int)
    lags = np.zeros(len(edges) - 1)
    for i in range(n):
        for j in range(i + 1, n):
            h = np.hypot(*(points[i] - points[j]))
            k = np.searchsorted(edges, h) - 1
            if 0 <= k < len(sums):
                sums[k] += 0.5 * (values[i] - values[j]) ** 2
                lags[k] += h
                counts[k] += 1
    ok = counts > 0
    return lags[ok] / counts[ok], sums[ok] / counts[ok], counts[ok]


@at((np.array([0.1, 0.8, 1.4]), np.array([0.3, -0.2, 0.9, 1.1, 0.1, -0.5])))
def misfit_of_variograms(params, values):
    points = np.array([[0.0, 0.1], [1.1, 0.2], [2.2, 0.9], [0.4, 1.3], [1.5, 2.1], [2.6, 2.4]])
    h, gamma, weight = semivariance(points, values, np.array([0.0, 1.3, 2.1, 3.2]))
    total = 0.0
    for name, formula in MODELS.items():
        env = dict(zip(("nugget", "sill", "range"), params))
        misfit = 0.0
        for hk, gk, wk in zip(h, gamma, weight):
            env["h"] = hk
            misfit += wk * (evaluate(formula, env) - gk) ** 2
        total += misfit if name != "power" else 0.5 * misfit
    return total
