"""Promise: what SciPy's users do with splines, boundary values and linear systems has its derivative.

The judge is that of the tables: value to the bit, both modes, differences and second order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy import integrate, interpolate, signal

from tests.tables.cell import Cell, judge

P = np.array([1.3, 0.7, 0.4])
T = np.linspace(0.0, 4.0, 25)
NOISE = np.random.default_rng(3).normal(size=25) * 0.1
SHARES = 1.0 + 0.3 * np.cos(T)
RATES = np.array([0.1, 1.0, 3.0])
PROGRAMS: list[Callable[[Any], Any]] = []


def program(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(f)
    return f


def data(p: Any) -> Any:
    return p[0] * np.sin(T) + NOISE * p[1] + p[2] * T**2


@program
def rep(p: Any) -> Any:
    tck = interpolate.splrep(T, data(p), s=0.2)
    return interpolate.splev(1.7, tck) * p[2]


@program
def rep_w(p: Any) -> Any:
    tck = interpolate.splrep(T, data(p), w=SHARES, s=0.15)
    return interpolate.splev(1.7, tck, der=1) * p[2] + interpolate.splint(0.1, 3.0, tck)


@program
def rep_wd(p: Any) -> Any:
    tck = interpolate.splrep(T, data(p), w=5 * SHARES)
    return np.sum(interpolate.splev(np.array([0.2, 1.7]), tck) ** 2)


@program
def uni(p: Any) -> Any:
    y = p[0] * np.exp(-p[1] * T) + NOISE
    s = interpolate.UnivariateSpline(T, y, s=0.1)
    return s.integral(0.2, 3.0) + s(1.1) ** 2 + s.derivative()(0.3)


@program
def uni_default(p: Any) -> Any:
    y = p[0] * np.exp(-p[1] * T) + NOISE
    s = interpolate.UnivariateSpline(T, y)
    return s.integral(0.2, 3.0) + s(1.1) ** 2 + np.sum(s.get_coeffs())


@program
def uni_k(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T, data(p), k=2, s=0.3)
    return float(s(1.1)) ** 2


@program
def uni_x(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T * p[0] + 0.01 * p[1] * T**2, data(p), s=0.3)
    return float(s(1.1)) ** 2 + np.sum(s.get_knots() ** 2)


@program
def uni_s(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T, np.sin(T) + NOISE, s=0.3 * p[0])
    return float(s(1.1)) ** 2


@program
def uni_tiny(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T, data(p), s=1e-12)
    return float(s(1.1)) ** 2


@program
def uni_zero(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T, data(p), s=0)
    return float(s(1.1)) ** 2


@program
def roots(p: Any) -> Any:
    s = interpolate.UnivariateSpline(T, p[0] * np.sin(2 * p[1] * T) + 0.1, s=0)
    return np.sum(s.roots() ** 2) + interpolate.InterpolatedUnivariateSpline(T, np.cos(T * p[0])).roots()[0]


@program
def prep(p: Any) -> Any:
    tck, u = interpolate.splprep([np.cos(T[:8]) * p[0], np.sin(T[:8]) * p[1]], s=0)
    x, y = interpolate.splev(0.3, tck)
    xs, ys = interpolate.splev(np.linspace(0, 1, 5), tck)
    dx, dy = interpolate.splev(u, tck, der=1)
    return x**2 + y + np.sum(xs * ys) + np.sum(np.hypot(dx, dy)) + np.sum(u**2)


@program
def prep_u(p: Any) -> Any:
    tck, _u = interpolate.splprep((np.cos(T[:8]) * p[0], np.sin(T[:8]) * p[1], T[:8] * p[2]), u=T[:8], s=0, k=2)
    x, y, z = interpolate.splev(0.3, tck)
    return x**2 + y + z


@program
def pendulum(p: Any) -> Any:
    x = np.linspace(0, 1, 11)

    def fun(x, y):
        return np.vstack((y[1], -p[0] * np.sin(y[0])))

    def bc(ya, yb):
        return np.array([ya[0] - p[1], yb[0] - p[2]])

    sol = integrate.solve_bvp(fun, bc, x, np.zeros((2, x.size)), tol=1e-8)
    return sol.sol(0.5)[0] + np.sum(sol.y[1] ** 2) / sol.x.size + sol.yp[0, 0]


@program
def eigen(p: Any) -> Any:
    x = np.linspace(0, 1, 5)
    y = np.zeros((2, x.size))
    y[0, 1] = 1
    y[0, 3] = -1

    def fun(x, y, k):
        return np.vstack((y[1], -(k[0] ** 2) * (1 + p[0] * x) * y[0]))

    def bc(ya, yb, k):
        return np.array([ya[0], yb[0] - p[1] * 0.01, ya[1] - k[0]])

    sol = integrate.solve_bvp(fun, bc, x, y, p=[6.0])
    return sol.p[0]


@program
def length(p: Any) -> Any:
    L = p[0]
    x = np.linspace(0, L, 8)
    sol = integrate.solve_bvp(
        lambda x, y: np.array([y[1], p[1] * x - p[2] * y[0]]),
        lambda ya, yb: np.array([ya[0] - 1, yb[1]]),
        x,
        np.ones((2, 8)),
        tol=1e-6,
    )
    return sol.sol(L)[0] + sol.sol(0.4 * L)[1] + sol["y"][0, -1]


def rhs(x: Any, y: Any, k: Any) -> Any:
    u, v = y
    return [v, k * u]


@program
def lists(p: Any) -> Any:
    x = np.linspace(0, 2, 6)
    sol = integrate.solve_bvp(lambda x, y: rhs(x, y, p[0]), lambda ya, yb: [ya[0] - p[1], yb[0] - p[2]], x, np.ones((2, x.size)))
    if not sol.success:
        return 0.0
    return np.trapezoid(sol.y[0], sol.x)


@program
def lti_step(p: Any) -> Any:
    sys = signal.lti([p[0]], [1.0, p[1], p[2]])
    _t, y = signal.step(sys, T=T)
    t2, y2 = sys.impulse(T=T * p[0])
    return y[10] + y2[5] ** 2 + t2[3]


@program
def tf(p: Any) -> Any:
    sys = signal.TransferFunction([p[0], p[2]], [2.0, p[1], p[2]])
    _w, mag, ph = sys.bode(w=RATES)
    _w2, h = sys.freqresp(RATES * p[0])
    _t, y, x = sys.output(np.sin(T), T)
    _t, s = sys.step(T=T)
    return np.sum(mag) + np.sum(ph) + np.sum(np.abs(h) ** 2) + y[4] + np.sum(x**2) + s[4]


@program
def system_of_polynomials(p: Any) -> Any:
    _w, mag, ph = signal.bode(([p[0]], [1.0, p[1], p[2]]), w=RATES)
    _t, y = signal.impulse(([p[0]], [1.0, p[1], p[2]]), T=T)
    _w, h = signal.freqresp(([p[0]], [1.0, p[1], p[2]]), w=RATES)
    return np.sum(mag) + ph[1] + y[4] + np.sum(h.real)


@program
def ss(p: Any) -> Any:
    sys = signal.StateSpace(
        np.array([[0.0, 1.0], [-p[0], -p[1]]]), np.array([[0.0], [p[2]]]), np.array([[1.0, 0.2]]), np.array([[0.0]])
    )
    _t, y = sys.step(T=T)
    _t, z = sys.impulse(T=T)
    _w, m, ph = sys.bode(RATES)
    return y[7] + z[5] + np.sum(m) + np.sum(ph)


@program
def freqs(p: Any) -> Any:
    _w, h = signal.freqs([p[0]], [1.0, p[1], p[2]], worN=RATES)
    _w2, g = signal.freqs_zpk([-p[0]], [-p[1], -p[2]], 2.0 * p[0], worN=RATES)
    return np.sum(np.abs(h) ** 2) + np.sum(g.imag)


@program
def sos(p: Any) -> Any:
    sos = signal.butter(4, 0.2 + 0.1 * p[0], output="sos")
    _w, h = signal.sosfreqz(sos, worN=16)
    return np.sum(np.abs(h) ** 2)


@program
def gd(p: Any) -> Any:
    _w, d = signal.group_delay(([1.0, p[0]], [1.0, 0.3 * p[1], 0.2 * p[2]]), w=16)
    w2, d2 = signal.group_delay(([1.0, 0.2 * p[0]], [1.0]), w=np.array([0.1, p[0]]))
    return np.sum(d**2) + np.sum(d2**2) + w2[1]


@program
def deconv(p: Any) -> Any:
    q, r = signal.deconvolve(np.convolve([1.0, p[0], p[1]], [1.0, 2.0]), np.array([1.0, 2.0 * p[2]]))
    return np.sum(q**2) + np.sum(r**3)


@program
def ppoly(p: Any) -> Any:
    c = interpolate.PPoly(np.array([[p[0], p[1]], [1.0, p[2]], [0.3, 0.1]]), [0.0, 1.0, 2.0])
    further = c.antiderivative()(1.5)
    return c(0.7) + c.integrate(0.2, 1.6) + c.derivative()(1.3) + np.sum(c(np.array([0.1, 1.9, 2.5]), 1) ** 2) + further


@program
def ppoly_knots(p: Any) -> Any:
    c = interpolate.PPoly([[p[0], p[1]], [1.0, p[2]]], [0.0, p[0], 3.0])
    return c(0.7) + c.integrate(0.2, 1.6)


@program
def lagrange(p: Any) -> Any:
    f = interpolate.lagrange([0.0, 1.0, 2.0], p)
    return f(0.3) + np.sum(f.coef**2) + f.deriv()(1.0)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Callable[[Any], Any]) -> None:
    found = judge(Cell(f.__name__, f, (P,)))
    assert (found.kind, found.reason) == ("right", "")
