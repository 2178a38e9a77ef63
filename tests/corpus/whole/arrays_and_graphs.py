"""Arrays and graphs: whole programs as people write them."""

import datetime as dt
import enum
import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((smooth(4, 4),))
def breadth_first_cost(terrain):
    start, goal = (0, 0), (3, 3)
    walls = {(1, 1), (1, 2), (2, 1)}
    frontier = deque([start])
    parent = {start: None}
    while frontier:
        cell = frontier.popleft()
        if cell == goal:
            break
        i, j = cell
        for ni, nj in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):
            if 0 <= ni < 4 and 0 <= nj < 4 and (ni, nj) not in walls and (ni, nj) not in parent:
                parent[ni, nj] = cell
                frontier.append((ni, nj))
    cost, cell = 0.0, goal
    while cell is not None:
        cost += terrain[cell] ** 2
        cell = parent[cell]
    return cost


@at((vec(0.9, 0.4, 1.3, 0.7, 0.2),))
def spanning_tree(w):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    parent = list(range(4))

    def find(a):
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        return a

    total = 0.0
    for k in sorted(range(len(edges)), key=lambda k: w[k]):
        a, b = find(edges[k][0]), find(edges[k][1])
        if a != b:
            parent[a] = b
            total += w[k] ** 2
    return total


@at((smooth(6, 2, low=-1.0, high=1.0), np.array([[-0.8, -0.5], [0.7, 0.6]])))
def k_means_inertia(points, centers):
    centers = centers.copy()
    labels = np.zeros(len(points), dtype=int)
    for _ in range(3):
        for i, p in enumerate(points):
            labels[i] = np.argmin([np.sum((p - c) ** 2) for c in centers])
        for k in range(len(centers)):
            members = points[labels == k]
            if len(members) > 0:
                centers[k] = members.mean(axis=0)
    return sum(np.sum((points[labels == k] - centers[k]) ** 2) for k in range(len(centers)))


TREE = {
    "feature": 0,
    "threshold": 0.4,
    "left": {"leaf": 0},
    "right": {"feature": 1, "threshold": -0.2, "left": {"leaf": 1}, "right": {"leaf": 2}},
}


def route(tree, x, temperature, leaves):
    if "leaf" in tree:
        return leaves[tree["leaf"]]
    p = 1 / (1 + math.exp(-(x[tree["feature"]] - tree["threshold"]) / temperature))
    return (1 - p) * route(tree["left"], x, temperature, leaves) + p * route(tree["right"], x, temperature, leaves)


@at((vec(0.5, 0.1), 0.3, vec(1.0, -2.0, 0.5)))
def soft_tree(x, temperature, leaves):
    return route(TREE, x, temperature, leaves) ** 2


@at((vec(0.4, 0.1, 0.25, 0.2),))
def huffman_cost(p):
    nodes = [(w, i) for i, w in enumerate(p)]
    cost = 0.0
    label = len(nodes)
    while len(nodes) > 1:
        nodes.sort()
        (a, _), (b, _) = nodes[0], nodes[1]
        cost += a + b
        nodes = nodes[2:] + [(a + b, label)]
        label += 1
    return cost


@at((vec(1.0, 1.0, 1.05), vec(10.0, 28.0, 8 / 3)))
def lorenz_exponents(x, p):
    sigma, rho, beta = p
    Q = np.eye(3)
    sums = np.zeros(3)
    dt = 0.01
    for _ in range(4):
        J = np.array([[-sigma, sigma, 0], [rho - x[2], -1, -x[0]], [x[1], x[0], -beta]])
        f = np.array([sigma * (x[1] - x[0]), x[0] * (rho - x[2]) - x[1], x[0] * x[1] - beta * x[2]])
        Q, R = np.linalg.qr(Q + dt * J @ Q)
        sums += np.log(np.abs(np.diag(R)))
        x = x + dt * f
    return sums[0] / (4 * dt) + x[2]


class Constants(float, enum.Enum):
    H = 6.626
    C = 2.998
    K = 1.381


@at((5.8, 0.9))
def band_radiance(temperature, emissivity):
    lam = np.linspace(0.4, 0.7, 6)
    c1 = 2 * Constants.H.value * Constants.C.value**2
    c2 = Constants.H.value * Constants.C.value / Constants.K.value
    spectrum = emissivity * c1 / lam**5 / np.expm1(c2 / (lam * temperature))
    simpson = (spectrum[0] + spectrum[-1] + 4 * spectrum[1:-1:2].sum() + 2 * spectrum[2:-1:2].sum()) * (lam[1] - lam[0]) / 3
    return math.log10(simpson)


@at((0.05, 1000.0))
def day_count_interest(rate, notional):
    start = dt.date(2021, 1, 31)
    pays = [dt.date(2021, 7, 31), dt.date(2022, 1, 31), dt.date(2022, 7, 29)]
    amount = notional
    previous = start
    for d in pays:
        frac = (d - previous).days / 365.0
        if d.weekday() >= 5:
            frac += 2 / 365.0
        amount *= 1 + rate * frac
        previous = d
    return amount - notional


PERM = [3, 0, 2, 1, 3, 0, 2, 1]
GRADS = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def noise(x, y):
    xi, yi = math.floor(x), math.floor(y)
    xf, yf = x - xi, y - yi
    u, v = fade(xf), fade(yf)

    def corner(dx, dy):
        gx, gy = GRADS[PERM[PERM[(xi + dx) % 4] + (yi + dy) % 4]]
        return gx * (xf - dx) + gy * (yf - dy)

    top = corner(0, 0) + u * (corner(1, 0) - corner(0, 0))
    bottom = corner(0, 1) + u * (corner(1, 1) - corner(0, 1))
    return top + v * (bottom - top)


@at((1.3, 0.7, 0.5))
def fractal_noise(x, y, persistence):
    total, amplitude, frequency = 0.0, 1.0, 1.0
    for octave in range(3):
        total += amplitude * noise(x * frequency, y * frequency)
        amplitude *= persistence
        frequency *= 2
    return total


@dataclass
class Gate:
    x: float

    def step(self, alpha, beta, dt):
        self.x += dt * (alpha * (1 - self.x) - beta * self.x)
        return self.x


def safe_ratio(u, scale):
    return scale if abs(u) < 1e-7 else u / (1 - math.exp(-u / scale))


@at((120.0, 36.0, 0.3, 10.0))
def hodgkin_huxley(g_na, g_k, g_l, current):
    m, h, n = Gate(0.05), Gate(0.6), Gate(0.32)
    V, dt = -65.0, 0.02
    spikes, peak = 0, V
    for _ in range(12):
        am, bm = 0.1 * safe_ratio(V + 40.0, 10.0), 4 * math.exp(-(V + 65) / 18)
        ah, bh = 0.07 * math.exp(-(V + 65) / 20), 1 / (1 + math.exp(-(V + 35) / 10))
        an, bn = 0.01 * safe_ratio(V + 55.0, 10.0), 0.125 * math.exp(-(V + 65) / 80)
        i_na = g_na * m.step(am, bm, dt) ** 3 * h.step(ah, bh, dt) * (V - 50.0)
        i_k = g_k * n.step(an, bn, dt) ** 4 * (V + 77.0)
        V += dt * (current - i_na - i_k - g_l * (V + 54.4))
        if V > 0:
            spikes += 1
        peak = max(V, peak)
    return V + 0.1 * peak
