"""Polynomial class with operators, Sturm-like root isolation, Durand-Kerner, Lagrange and continued fractions."""

import cmath
from itertools import zip_longest

import numpy as np

from tests.corpus.case import at


class Poly:
    def __init__(self, *coefs):
        c = list(coefs)
        while len(c) > 1 and isinstance(c[-1], int) and c[-1] == 0:
            c.pop()
        self.c = c

    @property
    def degree(self):
        return len(self.c) - 1

    def __call__(self, x):
        out = 0
        for a in reversed(self.c):
            out = out * x + a
        return out

    def __add__(self, other):
        other = other if isinstance(other, Poly) else Poly(other)
        return Poly(*(a + b for a, b in zip_longest(self.c, other.c, fillvalue=0)))

    __radd__ = __add__

    def __neg__(self):
        return Poly(*(-a for a in self.c))

    def __sub__(self, other):
        return self + (-other if isinstance(other, Poly) else -1 * other)

    def __mul__(self, other):
        if not isinstance(other, Poly):
            return Poly(*(a * other for a in self.c))
        out = [0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] = out[i + j] + a * b
        return Poly(*out)

    __rmul__ = __mul__

    def __divmod__(self, other):
        rem, quo = list(self.c), []
        while len(rem) >= len(other.c):
            f = rem[-1] / other.c[-1]
            quo.insert(0, f)
            for i in range(1, len(other.c) + 1):
                rem[-i] = rem[-i] - f * other.c[-i]
            rem.pop()
        return Poly(*quo), Poly(*(rem or [0]))

    def derivative(self):
        return Poly(*(k * a for k, a in enumerate(self.c) if k)) if self.degree else Poly(0)

    def integral(self, a, b):
        anti = Poly(0, *(c / (k + 1) for k, c in enumerate(self.c)))
        return anti(b) - anti(a)

    def compose(self, inner):
        out = Poly(0)
        for a in reversed(self.c):
            out = out * inner + a
        return out

    def roots(self, iterations=60):
        n = self.degree
        lead = self.c[-1]
        z = [(0.4 + 0.9j) ** k for k in range(n)]
        for _ in range(iterations):
            new = []
            for i, zi in enumerate(z):
                denom = lead
                for j, zj in enumerate(z):
                    if i != j:
                        denom = denom * (zi - zj)
                new.append(zi - self(zi) / denom)
            z = new
        return sorted(z, key=lambda r: (round(r.real, 6), round(r.imag, 6)))


def lagrange(xs, ys):
    total = Poly(0)
    for i, (xi, yi) in enumerate(zip(xs, ys)):
        term = Poly(yi)
        for j, xj in enumerate(xs):
            if j != i:
                term = term * Poly(-xj, 1.0) * (1.0 / (xi - xj))
        total = total + term
    return total


def pade(p, x):
    quo, rem = divmod(p, Poly(1.0, 0.5, 0.25))
    return quo(x) + rem(x) / (1.0 + 0.5 * x + 0.25 * x * x)


@at((np.array([0.7, -0.4, 1.1, 2.3]), 0.15, 0.8))
def roots_of_a_composed_polynomial(ys, shift, x):
    p = lagrange([-1.0, -0.2, 0.5, 1.3], ys)
    q = p.compose(Poly(shift, 1))
    roots = q.roots()
    radius = max(abs(r) for r in roots)
    spread = sum(abs(a - b) ** 2 for a, b in zip(roots, roots[1:]))
    wave = cmath.exp(1j * roots[0]).real
    slope = (2 * p - 3.0).derivative()(x)
    return radius + 0.1 * spread + wave + slope**2 + q.integral(0.0, x) + pade(p, x)
