"""Control and signals: whole programs as people write them."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(1.0, 0.1), 0.5, vec(0.8, -0.3)))
def lqr_cost(q, r, x0):
    dt = 0.1
    A = np.array([[1.0, dt], [0.0, 1.0]])
    B = np.array([[0.5 * dt**2], [dt]])
    Q = np.diag(q)
    R = np.array([[r]])
    P = Q
    gains = []
    for _ in range(6):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        gains.insert(0, K)
    x, J = x0, 0.0
    for K in gains:
        u = -K @ x
        J += x @ Q @ x + u @ R @ u
        x = A @ x + B @ u
    return J + x @ Q @ x


class PID:
    def __init__(self, kp, ki, kd, limits=(-2.0, 2.0)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.limits = limits
        self.integral = 0.0
        self.previous = None

    def __call__(self, error, dt):
        derivative = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        candidate = self.integral + error * dt
        u = self.kp * error + self.ki * candidate + self.kd * derivative
        low, high = self.limits
        if low < u < high:
            self.integral = candidate
        return min(max(u, low), high)


@at(
    (1.2, 0.6, 0.05, 0.8),
)
def delayed_pid(kp, ki, kd, setpoint):
    pid = PID(kp, ki, kd)
    delay = deque([0.0] * 3, maxlen=3)
    y, dt, cost = 0.0, 0.2, 0.0
    for k in range(15):
        u = pid(setpoint - y, dt)
        applied = delay[0]
        delay.append(u)
        y += dt * (-0.5 * y + applied)
        cost += k * dt * abs(setpoint - y)
    return cost


def project(u, bound):
    u[u > bound] = bound
    u[u < -bound] = -bound
    return u


@at((vec(1.0, 0.5), 0.4))
def projected_mpc(x0, bound):
    N = 4
    A = np.array([[1.0, 0.2], [-0.1, 0.95]])
    B = np.array([0.0, 0.3])
    Phi = np.zeros((2 * N, 2))
    G = np.zeros((2 * N, N))
    Ak = np.eye(2)
    for i in range(N):
        Ak = Ak @ A
        Phi[2 * i : 2 * i + 2] = Ak
        for j in range(i + 1):
            G[2 * i : 2 * i + 2, j] = np.linalg.matrix_power(A, i - j) @ B
    H = G.T @ G + 0.1 * np.eye(N)
    f = G.T @ (Phi @ x0)
    L = np.linalg.norm(H, 2)
    u = np.zeros(N)
    for _ in range(12):
        u = project(u - (H @ u + f) / L, bound)
    x = Phi @ x0 + G @ u
    return x @ x + 0.1 * u @ u


class Biquad:
    def __init__(self, kind, f0, q, fs=48.0):
        w = 2 * math.pi * f0 / fs
        alpha = math.sin(w) / (2 * q)
        cw = math.cos(w)
        if kind == "lowpass":
            b = [(1 - cw) / 2, 1 - cw, (1 - cw) / 2]
        elif kind == "highpass":
            b = [(1 + cw) / 2, -(1 + cw), (1 + cw) / 2]
        else:
            raise ValueError(f"unknown filter {kind!r}")
        a = [1 + alpha, -2 * cw, 1 - alpha]
        self.b = [x / a[0] for x in b]
        self.a = [x / a[0] for x in a]
        self.z1 = self.z2 = 0.0

    def process(self, x):
        y = self.b[0] * x + self.z1
        self.z1 = self.b[1] * x - self.a[1] * y + self.z2
        self.z2 = self.b[2] * x - self.a[2] * y
        return y


@at((vec(0.1, 0.9, -0.4, 0.5, 0.3, -0.8), 6.0, 0.7))
def biquad_cascade(signal, cutoff, q):
    chain = [Biquad("lowpass", cutoff, q), Biquad("highpass", cutoff / 4, 0.9 * q)]
    out = np.zeros(len(signal))
    for n, x in enumerate(signal):
        for stage in chain:
            x = stage.process(x)
        out[n] = x
    return np.sqrt(np.mean(out**2))


class NaturalSpline:
    def __init__(self, x, y):
        n = len(x)
        h = np.diff(x)
        A = np.zeros((n, n))
        rhs = np.zeros(n)
        A[0, 0] = A[-1, -1] = 1
        for i in range(1, n - 1):
            A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
            rhs[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
        self.m = np.linalg.solve(A, rhs)
        self.x, self.y, self.h = x, y, h

    def __call__(self, t):
        i = np.clip(np.searchsorted(self.x, t) - 1, 0, len(self.h) - 1)
        h = self.h[i]
        a, b = (self.x[i + 1] - t) / h, (t - self.x[i]) / h
        return a * self.y[i] + b * self.y[i + 1] + ((a**3 - a) * self.m[i] + (b**3 - b) * self.m[i + 1]) * h**2 / 6


@at((vec(0.0, 1.0, 2.1, 3.0), vec(0.2, 0.9, 0.4, 0.7)))
def natural_spline(x, y):
    s = NaturalSpline(x, y)
    t = np.linspace(0.15, 2.9, 7)
    return np.sum(s(t) ** 2) + s(0.5)


def basis(i, p, t, knots):
    if p == 0:
        return 1.0 if knots[i] <= t < knots[i + 1] else 0.0
    left = right = 0.0
    if knots[i + p] != knots[i]:
        left = (t - knots[i]) / (knots[i + p] - knots[i]) * basis(i, p - 1, t, knots)
    if knots[i + p + 1] != knots[i + 1]:
        right = (knots[i + p + 1] - t) / (knots[i + p + 1] - knots[i + 1]) * basis(i + 1, p - 1, t, knots)
    return left + right


@at((smooth(5), 0.43))
def b_spline_curve(control, t):
    degree = 2
    knots = [0, 0, 0, 0.35, 0.7, 1, 1, 1]
    value = 0.0
    for i, c in enumerate(control):
        value += c * basis(i, degree, t, knots)
    return value**2


@at((np.array([[0.0, 0.0], [1.0, 0.1], [1.1, 1.0], [0.0, 0.9], [0.5, 0.45]]), smooth(4)))
def poisson_triangles(nodes, conductivity):
    triangles = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    n = len(nodes)
    K = np.zeros((n, n))
    F = np.zeros(n)
    for e, tri in enumerate(triangles):
        P = nodes[tri]
        area = 0.5 * ((P[1, 0] - P[0, 0]) * (P[2, 1] - P[0, 1]) - (P[2, 0] - P[0, 0]) * (P[1, 1] - P[0, 1]))
        b = np.array([P[1, 1] - P[2, 1], P[2, 1] - P[0, 1], P[0, 1] - P[1, 1]])
        c = np.array([P[2, 0] - P[1, 0], P[0, 0] - P[2, 0], P[1, 0] - P[0, 0]])
        ke = conductivity[e] * (np.outer(b, b) + np.outer(c, c)) / (4 * area)
        K[np.ix_(tri, tri)] += ke
        F[tri] += area / 3
    fixed = [0, 1]
    free = np.setdiff1d(np.arange(n), fixed)
    u = np.zeros(n)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], F[free])
    return F @ u


@at((vec(1.0, 2.0, 1.5, 0.8, 1.2), vec(0.1, -0.5)))
def truss_compliance(areas, load):
    xy = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    bars = np.array([[0, 2], [1, 2], [1, 3], [2, 3], [0, 3]])
    d = xy[bars[:, 1]] - xy[bars[:, 0]]
    L = np.sqrt((d**2).sum(axis=1))
    direction = d / L[:, None]
    dofs = np.stack([2 * bars[:, 0], 2 * bars[:, 0] + 1, 2 * bars[:, 1], 2 * bars[:, 1] + 1], axis=1)
    B = np.concatenate([-direction, direction], axis=1)
    ke = (areas / L)[:, None, None] * B[:, :, None] * B[:, None, :]
    K = np.zeros((8, 8))
    np.add.at(K, (dofs[:, :, None], dofs[:, None, :]), ke)
    f = np.zeros(8)
    f[4:6] = load
    free = np.arange(4, 8)
    u = np.zeros(8)
    u[free] = np.linalg.solve(K[4:, 4:], f[4:])
    return f @ u


@dataclass
class HbvParameters:
    tt: float = 0.0
    cfmax: float = 3.0
    fc: float = 150.0
    beta: float = 2.0
    k0: float = 0.3
    k1: float = 0.1
    uzl: float = 10.0


class Catchment:
    def __init__(self, params):
        self.p = params
        self.snow = 0.0
        self.soil = 75.0
        self.upper = 5.0

    def step(self, precipitation, temperature, pet):
        p = self.p
        if temperature < p.tt:
            self.snow += precipitation
            liquid = 0.0
        else:
            melt = min(self.snow, p.cfmax * (temperature - p.tt))
            self.snow -= melt
            liquid = precipitation + melt
        recharge = liquid * (self.soil / p.fc) ** p.beta
        self.soil += liquid - recharge
        self.soil -= min(pet * min(1.0, self.soil / (0.7 * p.fc)), self.soil)
        self.upper += recharge
        q = p.k1 * self.upper
        if self.upper > p.uzl:
            q += p.k0 * (self.upper - p.uzl)
        self.upper -= q
        return q


@at((HbvParameters(), vec(5.0, 12.0, 20.0, 0.0, 30.0, 8.0)))
def hbv_efficiency(params, rain):
    temperature = [-2, 1, 4, 6, 5, -1]
    observed = np.array([0.5, 1.0, 3.0, 3.5, 5.0, 4.0])
    model = Catchment(params)
    simulated = np.array([model.step(r, t, 1.5) for r, t in zip(rain, temperature)])
    nse = 1 - np.sum((simulated - observed) ** 2) / np.sum((observed - observed.mean()) ** 2)
    return nse
