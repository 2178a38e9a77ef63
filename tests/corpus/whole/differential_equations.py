"""Differential equations: whole programs as people write them."""

import math
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import at, smooth, vec

A = [
    [],
    [1 / 4],
    [3 / 32, 9 / 32],
    [1932 / 2197, -7200 / 2197, 7296 / 2197],
    [439 / 216, -8, 3680 / 513, -845 / 4104],
    [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
]
C = [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2]
B4 = [25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0]
B5 = [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]


def van_der_pol(t, y, mu):
    return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] + 0.1 * math.sin(t)])


def rkf45_step(f, t, y, h, *args):
    ks = []
    for c, row in zip(C, A):
        yi = y.copy()
        for a, k in zip(row, ks):
            yi += h * a * k
        ks.append(f(t + c * h, yi, *args))
    y4 = y + h * sum(b * k for b, k in zip(B4, ks))
    y5 = y + h * sum(b * k for b, k in zip(B5, ks))
    return y5, np.max(np.abs(y5 - y4))


@at((vec(1.0, 0.3), 0.8, 1.5), wrt=(0, 1))
def adaptive_van_der_pol(y0, mu, t_end):
    t, h, tol = 0.0, 0.1, 1e-3
    y = np.asarray(y0, dtype=float)
    accepted = rejected = 0
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        y_new, err = rkf45_step(van_der_pol, t, y, h, mu)
        if float(err) < tol:
            t += h
            y = y_new
            accepted += 1
        else:
            rejected += 1
        h = 0.2
    return y[0] ** 2 + 0.5 * y[1]


State = namedtuple("State", "s e i r")


def seir_rates(state, beta, sigma, gamma):
    n = sum(state)
    infections = beta * state.s * state.i / n
    onset = sigma * state.e
    recovery = gamma * state.i
    return State(-infections, infections - onset, onset - recovery, recovery)


@at(
    (0.6, 0.25, 0.12, vec(1.0, 0.4, 0.7)),
)
def seir_with_interventions(beta, sigma, gamma, strengths):
    schedule = {3: 0, 6: 1, 10: 2}
    state = State(990.0, 5.0, 5.0, 0.0)
    factor = 1.0
    peak_day, peak = 0, 0.0
    dt = 0.5
    history = []
    for step in range(24):
        day = step * dt
        if day in schedule:
            factor = strengths[schedule[int(day)]]
        rates = seir_rates(state, beta * factor, sigma, gamma)
        state = State(*(x + dt * dx for x, dx in zip(state, rates)))
        history.append(state.i)
        if state.i > peak:
            peak, peak_day = state.i, day
    assert peak_day > 0
    return peak / 100 + history[-1] / 50 + math.log(state.r)


def minmod(r):
    return np.maximum(0, np.minimum(1, r))


def van_leer(r):
    return (r + np.abs(r)) / (1 + np.abs(r))


LIMITERS = {"minmod": minmod, "vanleer": van_leer, "none": lambda r: np.ones_like(r)}


def advect(u, c, nt, limiter="vanleer"):
    phi = LIMITERS[limiter]
    u = u.copy()
    n = u.size
    flux = np.zeros(n + 1)
    for _ in range(nt):
        up = np.roll(u, -1)
        um = np.roll(u, 1)
        r = (u - um) / (up - u + 1e-3)
        flux[1:] = c * (u + 0.5 * (1 - c) * phi(r) * (up - u))
        flux[0] = flux[-1]
        u -= flux[1:] - flux[:-1]
    return u


@at((vec(0.1, 0.5, 1.3, 0.9, 0.4, 0.2, 0.15), 0.4))
def advection_with_limiters(u0, c):
    out = 0.0
    for name in ("vanleer", "none"):
        u = advect(u0, c, 3, limiter=name)
        out += np.sum(u**2)
    return out


def thomas(a, b, c, d):
    """Solve a tridiagonal system; overwrites c and d."""
    n = len(d)
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        m = 1.0 / (b[i] - a[i] * c[i - 1])
        c[i] *= m
        d[i] = (d[i] - a[i] * d[i - 1]) * m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]


@at((smooth(6), smooth(6, seed=2, low=0.1, high=0.5), 0.05))
def crank_nicolson(u, kappa, dt):
    n = len(u)
    dx = 1 / (n - 1)
    r = kappa * dt / (2 * dx * dx)
    for _ in range(3):
        lower = -r.copy()
        upper = -r
        main = 1 + 2 * r
        main[0] = main[-1] = 1
        upper[0] = 0
        lower[-1] = 0
        rhs = u.copy()
        rhs[1:-1] += r[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
        thomas(lower, main, upper, rhs)
        u = rhs
    return np.dot(u, u) * dx


class ShallowWater:
    g = 9.81

    def __init__(self, h0, depth, dx=1.0, dt=0.02):
        self.h = np.array(h0)
        self.u = np.zeros(len(h0) + 1)
        self.depth = depth
        self.dx, self.dt = dx, dt

    def step(self):
        self.u[1:-1] -= self.dt * self.g / self.dx * (self.h[1:] - self.h[:-1])
        self.h -= self.dt * self.depth / self.dx * np.diff(self.u)

    @property
    def energy(self):
        return 0.5 * self.g * np.sum(self.h**2) + 0.5 * self.depth * np.sum(self.u**2)


@at((vec(0.1, 0.3, 0.8, 0.2, 0.05), 2.0))
def shallow_water_energy(h0, depth):
    sim = ShallowWater(h0, depth)
    energies = [sim.energy]
    while len(energies) < 6:
        sim.step()
        energies.append(sim.energy)
    return energies[-1] + 0.1 * sum(energies[:-1]) + sim.h[2]


@at((smooth(5, 5, low=0.6, high=1.2), vec(0.5, -0.3)))
def acoustic_wave(speed, amplitudes):
    ny, nx = speed.shape
    dt, dx = 0.3, 1.0
    p_old = np.zeros((ny, nx))
    p = np.zeros((ny, nx))
    rows, cols = np.array([1, 3]), np.array([2, 1])
    receivers = []
    for n in range(7):
        lap = -4.0 * p
        lap[1:, :] += p[:-1, :]
        lap[:-1, :] += p[1:, :]
        lap[:, 1:] += p[:, :-1]
        lap[:, :-1] += p[:, 1:]
        p_new = 2 * p - p_old + (speed * dt / dx) ** 2 * lap
        p_new[rows, cols] += dt**2 * amplitudes * np.exp(-((n - 2) ** 2) / 3.0)
        p_new[[0, -1], :] *= 0.9
        p_new[:, [0, -1]] *= 0.9
        p_old, p = p, p_new
        receivers.append(p[2, 3])
    trace = np.array(receivers)
    return 1e2 * np.sum(trace**2)


@at(
    (0.04, 0.06, smooth(4, 4, seed=1, low=0.2, high=0.6)),
)
def gray_scott(feed, kill, v0):
    u = np.ones_like(v0) - v0
    v = v0

    def laplacian(z):
        return np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4 * z

    params = dict(Du=0.16, Dv=0.08)
    for _ in range(4):
        uvv = u * v * v
        u, v = (
            u + params["Du"] * laplacian(u) - uvv + feed * (1 - u),
            v + params["Dv"] * laplacian(v) + uvv - (feed + kill) * v,
        )
    return np.mean(v) + np.std(u)


@dataclass
class Body:
    mass: float
    pos: np.ndarray
    vel: np.ndarray
    acc: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def kinetic(self):
        return 0.5 * self.mass * float(self.vel @ self.vel)


def gravity(bodies, eps=0.1):
    for b in bodies:
        b.acc[:] = 0
    for i, a in enumerate(bodies):
        for b in bodies[i + 1 :]:
            d = b.pos - a.pos
            r3 = (d @ d + eps**2) ** 1.5
            a.acc += b.mass * d / r3
            b.acc -= a.mass * d / r3


@at((vec(1.0, 0.5, 0.2), smooth(3, 2, low=-1.0, high=1.0)))
def leapfrog_bodies(masses, start):
    bodies = [Body(m, p.copy(), 0.1 * p[::-1]) for m, p in zip(masses, start)]
    gravity(bodies)
    dt = 0.05
    for _ in range(3):
        for b in bodies:
            b.vel += 0.5 * dt * b.acc
            b.pos += dt * b.vel
        gravity(bodies)
        for b in bodies:
            b.vel += 0.5 * dt * b.acc
    return sum(0.5 * b.mass * (b.vel @ b.vel) for b in bodies) + bodies[0].pos[1]


def residual(u, u_old, nu, dt, dx):
    r = np.empty_like(u)
    r[0] = u[0]
    r[-1] = u[-1] - 1
    r[1:-1] = (u[1:-1] - u_old[1:-1]) / dt + u[1:-1] * (u[2:] - u[:-2]) / (2 * dx) - nu * (u[2:] - 2 * u[1:-1] + u[:-2]) / dx**2
    return r


def jacobian_fd(f, u, eps=1e-6):
    n = len(u)
    jac = np.zeros((n, n))
    base = f(u)
    for j in range(n):
        pert = u.copy()
        pert[j] += eps
        jac[:, j] = (f(pert) - base) / eps
    return jac


@at((vec(0.0, 0.2, 0.5, 0.7, 1.0), 0.3))
def implicit_burgers(u0, nu):
    u = u0.copy()
    dx, dt = 0.25, 0.1
    for _ in range(2):
        u_old = u.copy()
        J = np.eye(len(u))
        for _k in range(8):
            r = residual(u, u_old, nu, dt, dx)
            if np.linalg.norm(r) < 1e-13:
                break
            J[1:-1] = 0
            for i in range(1, len(u) - 1):
                J[i, i - 1] = -u[i] / (2 * dx) - nu / dx**2
                J[i, i] = 1 / dt + (u[i + 1] - u[i - 1]) / (2 * dx) + 2 * nu / dx**2
                J[i, i + 1] = u[i] / (2 * dx) - nu / dx**2
            u = u - np.linalg.solve(J, r)
    return np.trapezoid(u**2, dx=dx)
