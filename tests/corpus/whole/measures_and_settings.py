"""Measures and settings: whole programs as people write them."""

import math
from functools import cached_property

import numpy as np

from tests.corpus.case import at, smooth, vec


class Grid:
    def __init__(self, values, bc="periodic"):
        self.full = np.zeros(len(values) + 2)
        self.inner = self.full[1:-1]
        self.inner[...] = values
        self.bc = bc

    def fill_ghosts(self):
        if self.bc == "periodic":
            self.full[0], self.full[-1] = self.inner[-1], self.inner[0]
        elif self.bc == "neumann":
            self.full[0], self.full[-1] = self.inner[0], self.inner[-1]
        else:
            self.full[[0, -1]] = 0.0


@at((vec(0.3, 0.9, 0.1, 0.6), 0.2))
def ghost_cells(u, d):
    total = 0.0
    for bc in ["periodic", "neumann", "dirichlet"]:
        grid = Grid(u, bc)
        for _ in range(2):
            grid.fill_ghosts()
            grid.inner += d * (grid.full[2:] - 2 * grid.full[1:-1] + grid.full[:-2])
        total += np.sum(grid.inner**2)
    return total


@at((smooth(8, low=-1.0, high=1.0), 0.2))
def haar_denoise(x, threshold):
    coeffs = x.copy()
    n = len(coeffs)
    while n > 1:
        a = (coeffs[0:n:2] + coeffs[1:n:2]) / np.sqrt(2)
        d = (coeffs[0:n:2] - coeffs[1:n:2]) / np.sqrt(2)
        coeffs[: n // 2], coeffs[n // 2 : n] = a, d
        n //= 2
    detail = coeffs[1:]
    detail[...] = np.sign(detail) * np.maximum(np.abs(detail) - threshold, 0.0)
    return np.sum(coeffs**3)


@at(
    (1.0, 0.6),
)
def elliptic_agm(a, b):
    c_sum, power = 0.0, 0.5
    a0 = a
    c = math.sqrt(a * a - b * b)
    while abs(c) > 1e-15:
        c_sum += power * c * c
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        power *= 2
    K = math.pi / (2 * a)
    return K * (1 - c_sum) * a0


@at((0.7, 2.3))
def series_zoo(x, s):
    t = 0.0
    for k in range(15, 0, -2):
        t = x * x / (k - t)
    tan = t / x
    N = 6
    zeta = sum(n**-s for n in range(1, N)) + N ** (1 - s) / (s - 1) + 0.5 * N**-s
    B = [1 / 6, -1 / 30, 1 / 42]
    term = s * N ** (-s - 1)
    for k, b in enumerate(B):
        zeta += b / math.factorial(2 * k + 2) * term
        term *= (s + 2 * k + 1) * (s + 2 * k + 2) / N**2
    return tan + zeta


@at((vec(1.0, 0.8, 0.1, 0.9, 1.2),))
def fiedler_cut(w):
    edges = ((0, 1), (0, 2), (2, 3), (3, 4), (2, 4))
    A = np.zeros((5, 5))
    for (i, j), wt in zip(edges, w):
        A[i, j] = A[j, i] = wt
    L = np.diag(A.sum(1)) - A
    vals, vecs = np.linalg.eigh(L)
    f = vecs[:, 1]
    f = f * np.sign(f[0])
    return vals[1] + f @ A @ f


@at((vec(0.0, 0.0), 0.3, 0.8))
def waypoint_follower(pos, speed, gain):
    waypoints = [np.array([1.0, 0.0]), np.array([1.0, 1.0])]
    heading, energy = 0.0, 0.0
    steps = 0
    while waypoints and steps < 60:
        target = waypoints[0]
        d = target - pos
        if np.hypot(*d) < 0.35:
            waypoints.pop(0)
            continue
        want = math.atan2(d[1], d[0])
        err = (want - heading + math.pi) % (2 * math.pi) - math.pi
        heading += gain * err
        pos = pos + speed * np.array([math.cos(heading), math.sin(heading)])
        energy += speed**2 + 0.1 * err**2
        steps += 1
    return energy + pos @ pos


class Beam:
    def __init__(self, width, height, length, modulus):
        self.width, self.height, self.length, self.modulus = width, height, length, modulus

    @cached_property
    def inertia(self):
        return self.width * self.height**3 / 12

    def deflection(self, load, x):
        L = self.length
        return load * x * (L**3 - 2 * L * x**2 + x**3) / (24 * self.modulus * self.inertia)


@at((0.1, 0.2, 3.0, 2e3))
def beam_deflection(width, height, length, load):
    beam = Beam(width, height, length, 1e4)
    xs = np.linspace(0, length, 5)
    return max(beam.deflection(load, x) for x in xs) * 100


DATA = """
# depth velocity density
0.0   1.5  1.0
1.0   2.1  1.9
2.5   3.4  2.3
"""


@at((1.1, vec(0.9, 1.0, 1.2)))
def layered_travel_time(offset, factors):
    rows = [tuple(map(float, line.split())) for line in DATA.splitlines() if line and not line.startswith("#")]
    depth, velocity, density = map(np.array, zip(*rows))
    velocity = velocity * factors
    thickness = np.append(np.diff(depth), 1.5)
    p = 0.1
    for _ in range(12):
        root = np.sqrt(1 - (p * velocity) ** 2)
        X = np.sum(2 * thickness * p * velocity / root)
        dX = np.sum(2 * thickness * velocity / root**3)
        p = p - (X - offset) / dX
    time = np.sum(2 * thickness / (velocity * np.sqrt(1 - (p * velocity) ** 2)))
    Z = density * velocity
    R = (Z[1:] - Z[:-1]) / (Z[1:] + Z[:-1])
    return time + np.prod(1 - R**2)


@at((smooth(4, 4), 0.6))
def forest_growth(biomass, rate):
    b = biomass.copy()
    burnt = np.zeros(b.shape, dtype=bool)
    burnt[0, 0] = True
    for _ in range(3):
        spread = np.zeros_like(burnt)
        spread[1:] |= burnt[:-1]
        spread[:, 1:] |= burnt[:, :-1]
        spread &= b > 0.8
        burnt |= spread
        b[burnt] *= 0.5
        b[~burnt] += rate * b[~burnt] * (1 - b[~burnt] / 3)
    return b.sum() + b[burnt].mean()


class Welford:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


@at((0.4, 1.3, 5), wrt=(0, 1))
def metropolis_statistics(mu, sigma, seed):
    rng = np.random.default_rng(seed)
    stats = Welford()
    x = mu
    logp = lambda v: -0.5 * ((v - mu) / sigma) ** 2
    for _ in range(8):
        prop = x + sigma * rng.uniform(-1, 1)
        if math.log(rng.random()) < logp(prop) - logp(x):
            x = prop
        stats.add(x)
    return stats.mean + stats.variance
