"""Promise: what NumPy's users do with polynomials and series, as objects and as coefficients, has its derivative.

The judge is that of the tables: value to the bit, both modes, differences and second order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from tests.tables.cell import Cell, judge

P = np.array([1.3, 0.7, 0.4])
T = np.linspace(0.0, 4.0, 25)
PROGRAMS: list[Callable[[Any], Any]] = []


def program(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(f)
    return f


@program
def cls(p: Any) -> Any:
    f = Polynomial([p[0], p[1], p[2]])
    return f(1.2) + np.sum(f(T) ** 2) + f.deriv()(0.3) + f.integ()(2.0)


@program
def cls_ops(p: Any) -> Any:
    f = Polynomial(p)
    g = Polynomial([1.0, p[0]])
    h = f * g + f - 2 * g + 1.0
    return h(0.3) + np.sum(h.coef**2) + (f**2)(0.5) + (-f)(1.0) + f.degree()


@program
def cls_domain(p: Any) -> Any:
    f = Chebyshev(p, domain=[0, 4])
    return np.sum(f(T) ** 2) + f.deriv()(0.3) + f.convert(kind=Polynomial)(0.2)


@program
def fit(p: Any) -> Any:
    c = Polynomial.fit(T, p[0] * np.exp(-p[1] * T), 3)
    return c(1.2) + c.deriv()(0.3 * p[2]) + np.sum(c.convert().coef ** 2)


@program
def fit_cheb(p: Any) -> Any:
    c = Chebyshev.fit(T, p[0] * np.exp(-p[1] * T), 4)
    return np.sum(c(T) ** 2) + np.sum(c.coef**2)


@program
def fit_leg(p: Any) -> Any:
    c = Legendre.fit(T, p[0] * np.exp(-p[1] * T), 4, domain=[0, 5])
    return np.sum(c(T) ** 2) + np.sum(c.coef**2)


@program
def cheb_interp(p: Any) -> Any:
    c = Chebyshev.interpolate(lambda x: np.exp(p[0] * x), 5)
    return c(0.3) * p[1]


@program
def fn_val(p: Any) -> Any:
    return (
        polynomial.polyval(0.3, p)
        + np.sum(polynomial.polyval(T, p) ** 2)
        + chebyshev.chebval(0.3, p)
        + legendre.legval(0.2, p)
        + hermite.hermval(0.2, p)
        + laguerre.lagval(0.4, p)
        + hermite_e.hermeval(0.3, p)
    )


@program
def fn_ops(p: Any) -> Any:
    return (
        np.sum(polynomial.polymul(p, [1.0, 2.0]) ** 2)
        + np.sum(polynomial.polyder(p) ** 2)
        + np.sum(polynomial.polyint(p) ** 2)
        + np.sum(polynomial.polyadd(p, [1.0, 2.0]) ** 3)
        + np.sum(chebyshev.chebder(p) ** 2)
        + np.sum(chebyshev.chebint(p) ** 2)
        + np.sum(legendre.legder(p))
        + np.sum(chebyshev.cheb2poly(p) ** 2)
    )


@program
def fn_fit(p: Any) -> Any:
    return (
        np.sum(polynomial.polyfit(T, p[0] * np.exp(-p[1] * T), 3) ** 2)
        + np.sum(chebyshev.chebfit(T / 4, p[0] * np.exp(-p[1] * T), 3) ** 2)
        + np.sum(legendre.legfit(T / 4, p[0] * np.exp(-p[1] * T), 3) ** 2)
    )


@program
def vander(p: Any) -> Any:
    return (
        np.sum(polynomial.polyvander(T * p[0], 3) @ np.array([1.0, 2.0, 0.1, 0.3]))
        + np.sum(chebyshev.chebvander(T * p[0] / 8, 3) ** 2)
        + np.sum(legendre.legvander(T * p[1] / 8, 2) ** 2)
        + np.sum(hermite.hermvander(T * p[1] / 8, 2) ** 2)
    )


@program
def val2d(p: Any) -> Any:
    c = np.outer(p, p)
    return (
        np.sum(polynomial.polyval2d(T * p[0], T * 0.1, c))
        + np.sum(polynomial.polygrid2d(T[:3] * p[0], T[:2], c))
        + np.sum(chebyshev.chebval2d(T / 8, T / 9, c))
    )


@program
def poly1d(p: Any) -> Any:
    f = np.poly1d(p)
    return f(0.3) + np.sum(f(T) ** 2) + f.deriv()(0.2) + np.sum((f * f).coeffs) + f.integ()(1.0)


@program
def old(p: Any) -> Any:
    c = np.polyfit(T, p[0] * np.exp(-p[1] * T), 3)
    return np.polyval(c, 1.2) + np.sum(np.polyder(c) ** 2) + np.sum(np.polymul(c, p) ** 2) + np.sum(np.polyint(c))


@program
def gauss(p: Any) -> Any:
    x, w = legendre.leggauss(8)
    xh, wh = np.polynomial.hermite.hermgauss(8)
    return np.sum(w * np.exp(-p[0] * x)) + np.sum(wh * np.cos(np.sqrt(2) * p[1] * xh + p[2])) / np.sqrt(np.pi)


@program
def fit_x(p: Any) -> Any:
    x = T * p[0] + 0.1 * p[1]
    c = Polynomial.fit(x, np.exp(-p[1] * T), 3)
    b = c.convert()
    _xs, ys = c.linspace(7)
    return np.sum(b.coef**2) + b(0.2) + np.sum(ys**2) + c.domain[1] ** 2


@program
def trailing(p: Any) -> Any:
    f = Polynomial([p[0], p[1], 0.0]) + Polynomial([0.0, 0.0, p[2]]) - Polynomial([0.0, 0.0, p[2]])
    return np.sum(f.coef**2) + f.degree() + (Polynomial([p[0], 0.0]) * Polynomial([1.0, p[1]])).coef[1]


@program
def others(p: Any) -> Any:
    h = Hermite(p)
    e = Laguerre(p)
    return (
        (h * h)(0.3)
        + h.deriv(2)(0.1)
        + h.integ(2, k=[p[0], 1.0])(0.2)
        + e(0.4)
        + (Legendre(p) * Legendre(p)).coef[-1]
        + Legendre(p).integ(lbnd=p[1])(0.3)
    )


@program
def poly1d_ops(p: Any) -> Any:
    f = np.poly1d(p)
    g = np.poly1d([1.0, -p[1]])
    h = f * g + 2 * f - 1.0 + f**2
    q, r = np.polydiv(np.array([1.0, p[0], p[1], p[2]]), np.array([1.0, p[2]]))
    return h(0.3) + np.sum(h.c**2) + (f * f).o + f[1] ** 2 + np.sum(q**2) + np.sum(r) + (-f)(1.0) + (f / 2)(1.5)


@program
def own_symbols(p: Any) -> Any:
    f = Polynomial(p, domain=[0, 4], symbol="s")
    return (f * f + Polynomial.fit(T, p[0] * T, 1, symbol="s", domain=[0, 4]))(0.3) + f.convert(domain=[0, 1])(0.2)


@program
def other_domains(p: Any) -> Any:
    return (Polynomial(p, domain=[0, 4]) + Polynomial(p))(0.3)


@program
def other_windows(p: Any) -> Any:
    return (Legendre(p, window=[0, 4]) * Legendre(p))(0.3)


@program
def other_symbols(p: Any) -> Any:
    return (Polynomial(p, symbol="s").deriv() - Polynomial(p))(0.3)


@program
def other_bases(p: Any) -> Any:
    return (Polynomial(p) + Legendre(p))(0.3)


@program
def domain_of_three(p: Any) -> Any:
    return Chebyshev(p, domain=[0, 1, 4])(0.3)


@program
def window_of_three(p: Any) -> Any:
    return Chebyshev.fit(T, p[0] * T, 1, window=[0, 1, 4])(0.3)


@program
def symbol_of_no_text(p: Any) -> Any:
    return Hermite(p, symbol=3)(0.3)


@program
def symbol_of_no_name(p: Any) -> Any:
    return Laguerre.fit(T, p[0] * T, 1, symbol="1a")(0.3)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Callable[[Any], Any]) -> None:
    found = judge(Cell(f.__name__, f, (P,)))
    assert (found.kind, found.reason) == ("right", "")
