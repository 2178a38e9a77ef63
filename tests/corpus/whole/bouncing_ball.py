"""Runge-Kutta-Fehlberg with PI step control, dense cubic Hermite output, and an event (bounce) by bisection."""

import math

from tests.corpus.case import at

A = [
    [],
    [1 / 4],
    [3 / 32, 9 / 32],
    [1932 / 2197, -7200 / 2197, 7296 / 2197],
    [439 / 216, -8.0, 3680 / 513, -845 / 4104],
    [-8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40],
]
B4 = [25 / 216, 0.0, 1408 / 2565, 2197 / 4104, -1 / 5, 0.0]
B5 = [16 / 135, 0.0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]
C = [0.0, 1 / 4, 3 / 8, 12 / 13, 1.0, 1 / 2]


def combine(y, h, weights, ks):
    return [yi + h * sum(w * k[i] for w, k in zip(weights, ks)) for i, yi in enumerate(y)]


def stages(f, t, y, h):
    ks = []
    for c, row in zip(C, A):
        ks.append(f(t + c * h, combine(y, h, row, ks)))
    return ks


def hermite(t0, y0, f0, t1, y1, f1, t):
    h = t1 - t0
    s = (t - t0) / h
    out = []
    for a, da, b, db in zip(y0, f0, y1, f1):
        h00 = (1 + 2 * s) * (1 - s) ** 2
        h10 = s * (1 - s) ** 2
        h01 = s**2 * (3 - 2 * s)
        h11 = s**2 * (s - 1)
        out.append(h00 * a + h10 * h * da + h01 * b + h11 * h * db)
    return out


def locate(event, t0, y0, f0, t1, y1, f1):
    lo, hi = t0, t1
    for _ in range(40):
        mid = 0.5 * (lo + hi)
        if event(hermite(t0, y0, f0, t1, y1, f1, mid)) > 0.0:
            lo = mid
        else:
            hi = mid
    g0 = event(hermite(t0, y0, f0, t1, y1, f1, lo))
    eps = 1e-3
    g1 = event(hermite(t0, y0, f0, t1, y1, f1, lo + eps))
    lo = lo - g0 * eps / (g1 - g0)
    for _ in range(6):
        g0 = event(hermite(t0, y0, f0, t1, y1, f1, lo))
        g1 = event(hermite(t0, y0, f0, t1, y1, f1, lo + eps))
        lo = lo - g0 * eps / (g1 - g0)
    return lo


def integrate(f, event, bounce, t, y, t_end, rtol=1e-6, h=0.05):
    hits = []
    previous = 1.0
    rejected = 0
    while t < t_end - 1e-12:
        h = min(h, t_end - t)
        if h < 1e-10:
            raise ArithmeticError(f"step {h} at {t}")
        ks = stages(f, t, y, h)
        y4, y5 = combine(y, h, B4, ks), combine(y, h, B5, ks)
        err = max(abs(a - b) / (rtol * (1.0 + abs(b))) for a, b in zip(y4, y5))
        if err > 1.0:
            rejected += 1
            h = h * max(0.2, 0.9 * err**-0.2)
            continue
        t_new = t + h
        if event(y) > 0.0 and event(y5) <= 0.0:
            when = locate(event, t, y, ks[0], t_new, y5, f(t_new, y5))
            state = hermite(t, y, ks[0], t_new, y5, f(t_new, y5), when)
            hits.append(when)
            t, y = when, bounce(state)
            h, previous = 0.02, 1.0
            continue
        factor = 0.9 * (err + 1e-12) ** -0.14 * previous**0.08
        previous = max(err, 1e-4)
        t, y = t_new, y5
        h = h * min(4.0, max(0.3, factor))
    return y, hits, rejected


@at((1.2, 0.08, 0.8, 9.81))
def embedded_pair_with_events(height, drag, restitution, gravity):
    def fall(t, y):
        x, v = y
        return [v, -gravity - drag * v * abs(v)]

    y, hits, rejected = integrate(fall, lambda y: y[0], lambda y: [1e-9, -restitution * y[1]], 0.0, [height, 0.0], 1.6)
    energy = gravity * y[0] + 0.5 * y[1] ** 2
    return energy + math.fsum(hits) + hits[-1] ** 2 + 0.001 * rejected
