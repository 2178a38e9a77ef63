"""Fits and machines: whole programs as people write them."""

import functools
import itertools
import logging
import math
import operator
import statistics
from collections import deque

import numpy as np

from tests.corpus.case import at, smooth, vec

log_ = logging.getLogger(__name__)


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other)


class Sum(Kernel):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, a, b):
        return sum(p(a, b) for p in self.parts)


class Product(Sum):
    def __call__(self, a, b):
        return functools.reduce(operator.mul, [p(a, b) for p in self.parts])


class SquaredExponential(Kernel):
    def __init__(self, length):
        self.length = length

    def __call__(self, a, b):
        return np.exp(-0.5 * np.subtract.outer(a, b) ** 2 / self.length**2)


class Periodic(Kernel):
    def __init__(self, period):
        self.period = period

    def __call__(self, a, b):
        return np.exp(-2 * np.sin(np.pi * np.abs(a[:, None] - b[None, :]) / self.period) ** 2)


@at((vec(0.8, 1.7, 0.1), vec(0.1, 0.5, 0.9, 1.6, 2.2), vec(0.3, 0.8, 0.2, -0.4, 0.1)))
def composite_gp(theta, x, y):
    k = SquaredExponential(theta[0]) * Periodic(theta[1]) + SquaredExponential(3 * theta[0])
    K = k(x, x) + theta[2] * np.eye(len(x))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(L))) + 0.5 * len(x) * np.log(2 * np.pi)


@at(
    (
        vec(0.6, -0.2),
        vec(
            0.4,
        ),
        0.8,
        vec(0.2, 0.5, -0.1, 0.7, 0.3, -0.4),
    )
)
def arma_css(ar, ma, sigma, y, options={"include_const": False, "burn": 2}):
    p, q = len(ar), len(ma)
    e = np.zeros(len(y))
    for t in range(len(y)):
        pred = 0
        for i in range(min(p, t)):
            pred += ar[i] * y[t - 1 - i]
        for j in range(min(q, t)):
            pred += ma[j] * e[t - 1 - j]
        e[t] = y[t] - pred
    burn = options.get("burn", 0)
    n = len(y) - burn
    return -0.5 * n * np.log(2 * np.pi * sigma**2) - np.sum(e[burn:] ** 2) / (2 * sigma**2)


class Link:
    def inverse(self, eta):
        raise NotImplementedError

    def derivative(self, mu):
        raise NotImplementedError


class Logit(Link):
    inverse = staticmethod(lambda eta: 1 / (1 + np.exp(-eta)))

    def derivative(self, mu):
        return 1 / (mu * (1 - mu))


class Log(Link):
    def inverse(self, eta):
        return np.exp(eta)

    def derivative(self, mu):
        return 1 / mu


def irls(X, y, link, variance, iterations=5, ridge=1e-2):
    beta = np.zeros(X.shape[1])
    for _ in range(iterations):
        eta = X @ beta
        mu = link.inverse(eta)
        g = link.derivative(mu)
        w = 1 / (variance(mu) * g**2)
        z = eta + (y - mu) * g
        WX = X * w[:, None]
        beta = np.linalg.solve(X.T @ WX + ridge * np.eye(len(beta)), WX.T @ z)
    return beta


@at((smooth(5, 2, low=-1.0, high=1.0), vec(0.0, 1.0, 1.0, 0.0, 1.0)))
def generalised_linear_models(X, y):
    families = {"binomial": (Logit(), lambda mu: mu * (1 - mu)), "poisson": (Log(), lambda mu: mu)}
    out = 0.0
    for name, (link, variance) in sorted(families.items()):
        beta = irls(X, y, link, variance)
        out += beta @ beta
    return out


def triangle(x, a, b, c):
    if x <= a or x >= c:
        return 0.0
    if x < b:
        return (x - a) / (b - a)
    return (c - x) / (c - b)


@at((0.37, 0.61, {"low": 0.1, "mid": 0.5, "high": 0.9}))
def fuzzy_controller(temperature, humidity, outputs):
    terms = {"low": (-0.5, 0.0, 0.55), "mid": (0.2, 0.5, 0.8), "high": (0.45, 1.0, 1.5)}
    rules = [
        ("low", "low", "high"),
        ("low", "mid", "mid"),
        ("mid", "mid", "mid"),
        ("mid", "high", "low"),
        ("high", "high", "low"),
    ]
    num = den = 0.0
    for t, h, out in rules:
        w = min(triangle(temperature, *terms[t]), triangle(humidity, *terms[h]))
        num += w * outputs[out]
        den += w
    if den == 0:
        return 0.0
    return num / den


@at((vec(1.0, 0.8, 0.55, 0.5, 0.35), 0.5))
def levenberg_marquardt(y, lam):
    t = np.arange(5) * 0.5
    p = np.array([1.0, 0.5])

    def model(p):
        return p[0] * np.exp(-p[1] * t)

    cost = np.sum((y - model(p)) ** 2)
    for _ in range(6):
        J = np.column_stack((np.exp(-p[1] * t), -p[0] * t * np.exp(-p[1] * t)))
        r = y - model(p)
        H = J.T @ J
        step = np.linalg.solve(H + lam * np.diag(np.diag(H)), J.T @ r)
        trial = p + step
        new_cost = np.sum((y - model(trial)) ** 2)
        if new_cost < cost:
            p, cost, lam = trial, new_cost, lam / 3
        else:
            lam *= 2
    return p[0] + p[1] ** 2


@at((vec(0.4, 0.9, -0.3),))
def lbfgs_value(a):
    def f(x):
        return np.sum(a**2 * x**2 + x**4) + np.sum(x)

    def g(x):
        return 2 * a**2 * x + 4 * x**3 + 1

    x = np.zeros(3)
    memory = deque(maxlen=2)
    grad = g(x)
    for it in range(4):
        qv = grad.copy()
        alphas = []
        for s, yv, rho in reversed(memory):
            al = rho * (s @ qv)
            alphas.append(al)
            qv -= al * yv
        if memory:
            s, yv, _ = memory[-1]
            qv *= (s @ yv) / (yv @ yv)
        else:
            qv *= 0.1
        for (s, yv, rho), al in zip(memory, reversed(alphas)):
            qv += s * (al - rho * (yv @ qv))
        x_new = x - qv
        g_new = g(x_new)
        s, yv = x_new - x, g_new - grad
        memory.append((s, yv, 1 / (s @ yv)))
        x, grad = x_new, g_new
    return f(x)


@at(
    (3.7, 0.4),
)
def lyapunov_exponent(r, x):
    total = 0.0
    n = 0
    for n in range(1, 7):
        x = r * x * (1 - x)
        if n <= 2:
            continue
        total += math.log(abs(r * (1 - 2 * x)))
    return total / (n - 2)


@at((vec(0.5, 0.7, 0.2, 1.1, 0.3, 0.9), 0.6))
def single_server_queue(gaps, service):
    arrivals = list(itertools.accumulate(gaps))
    waits, free_at = [], 0.0
    in_system = deque()
    longest = 0
    for a in arrivals:
        while in_system and in_system[0] <= a:
            in_system.popleft()
        start = a if a > free_at else free_at
        waits.append(start - a)
        free_at = start + service * (1.0 + 0.1 * len(in_system))
        in_system.append(free_at)
        longest = max(longest, len(in_system))
    return statistics.fmean(waits) + 0.01 * longest + max(waits)
