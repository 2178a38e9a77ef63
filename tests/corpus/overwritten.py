"""What the reverse sweep reads is overwritten in the forward sweep, where rules ask for what an exponent or parameter is."""

import math

import numpy as np

from adxform import differentiable
from tests.corpus.case import at, smooth, vec

X = vec(0.31, 0.73)


@at((X, 2), (X, 3.0), (X, 0), (X, -1))
def power_in_place(x, p):
    s = x * 2
    s **= p
    return np.sum(s)


@at((smooth(6), 3), (smooth(6), 2.0))
def porous_medium(u, m):
    u = u.copy()
    w = u**m
    u[1:-1] += 0.1 * (w[2:] - 2.0 * w[1:-1] + w[:-2])
    return np.sum(u * u)


@at((vec(0.4, 0.9), 3, 2), (vec(0.4, 0.9), 2.5, 3))
def hill_kinetics(x, n, steps):
    y = x.copy()
    for _ in range(steps):
        y += 0.1 / (1 + y**n)
    return np.sum(y * y)


@at((smooth(4), smooth(4, seed=1), 3))
def minkowski_sum(x, y, p):
    d = np.abs(x - y)
    d **= p
    return np.sum(d) ** (1.0 / p)


@at((vec(0.4, 0.9), 1.4))
def pressure_from_density(rho, gamma):
    p = rho * 1.5
    p **= gamma
    p += 0.5 * p
    return np.sum(p)


@at((vec(0.4, 0.9), 2), (vec(0.4, 0.9), 3))
def power_with_out(x, p):
    s = np.exp(x)
    np.power(s, p, out=s)
    return np.sum(s)


@at((vec(0.4, 0.9), vec(2.0, 3.0), True), (vec(0.4, 0.9), vec(2.0, 3.0), False))
def power_in_place_in_a_branch(x, p, yes):
    s = x * 2
    if yes:
        s **= p
    else:
        s *= p
    s -= 0.5 * s[::-1] * s
    return np.sum(s)


@at((vec(0.5, 1.5), 3))
def array_of_a_number_written_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        r = np.atleast_2d(x[0] * (k + 1.0))
        r *= x[1]
        r **= 2
        total += np.sum(np.cos(r))
    return total


@at((vec(0.5, 1.5, 0.9),))
def padded_and_written_by_a_function_of_its_own(x):
    r = np.pad(x, (2, 1), "edge")
    scaled_in_place(r)
    return np.sum(np.cos(r))


@differentiable(boundary=True)
def scaled_in_place(v):
    v[1:] *= v[:-1]
    return v


@at((smooth(3, 2),))
def sums_of_columns_written(x):
    y = np.sum(x * x, axis=0)
    y[0] *= y[1]
    y[1:] *= y[:-1]
    return np.sum(y * y)


@at((smooth(3, 2),))
def sums_of_columns_written_in_a_loop(x):
    total = 0.0
    z = x * 1.0
    for _ in range(2):
        y = np.sum(z, axis=0, keepdims=True)
        y *= y
        z = z * y
        z[0] *= 2.0
        total += np.sum(z)
    return total


@at((vec(0.4, 0.7, 1.1),))
def read_through_a_broadcast_view(x):
    y = x * 1.0
    v = np.broadcast_to(y, (2, 3))
    total = np.sum(v**3)
    y[0] *= y[1]
    total += np.sum(np.cos(v) * np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y *= 2.0
    return total + v[1, 2] * v[0, 0] + np.sum(y)


@at((vec(0.4),), (vec(0.2),))
def array_of_one_as_a_condition(x):
    w = np.zeros(1)
    w[0] = max(x[0] - 0.3, 0.0)
    y = x[0] ** 2
    if w:
        y = y * 3.0
    w[0] = 1.0 - w[0]
    while w:
        y = y * x[0]
        w[0] = 0.0
    return y * 5.0 if w else y * 7.0


@at((vec(0.3, 0.9, -0.2), 1.2))
def number_repeated_beside_a_view(x, a):
    y = x[::-1] * a
    y.sort()
    v = np.zeros(len(y)) + math.hypot(y[-1], 3.0)
    return np.sum(x) + np.dot(v, x)


@at((vec(0.3, 1.7, 0.9, 2.3, 0.55, 1.2, 0.1, 0.8),))
def masks_stored_by_themselves(x):
    """Corners are cut off until none is left: which are kept is stored where they are kept."""
    kept = np.ones(8, bool)
    total = 0.0
    for k in range(3):
        inner = kept[kept]
        y = x[kept]
        inner[1:-1] = y[1:-1] < 0.5 * (y[:-2] + y[2:])
        kept[kept] = inner
        total += np.sum(x[kept] ** 2) * (k + 1.0)
    return total


@at((vec(0.3, 1.7, 0.9, 2.3, 0.55, 1.2, 0.1, 0.8),))
def masks_stored_by_views_of_themselves(x):
    m = np.ones((2, 4), bool)
    y = x.reshape(2, 4)
    total = 0.0
    for k in range(3):
        m[m] = y[m] > 0.25 * k
        m[m[:, 0], 1] = False
        total += np.sum(y[m] ** 2)
        m[0][m[1]] = True
        m[~m] = y[~m] > 1.0
        total += np.sum(y[m] ** 3)
    return total


@at((vec(0.3, 1.7, 0.9, 2.3, 0.55, 1.2, 0.1, 0.8),))
def places_stored_at_themselves(x):
    p = np.arange(8)
    total = 0.0
    for k in range(3):
        p[p[:4]] = p[4:] - k - 1
        total += np.sum(x[p % 8] ** 2 * np.arange(8.0)) * (k + 1.0)
        p[p] = p[::-1] % 8
        total += np.sum(x[p % 8] ** 2 * np.arange(8.0))
        p[p % 3] += 1
        p[p[k] % 8] = k
        p %= 8
        total += np.sum(x[p] * x[::-1])
    return total
