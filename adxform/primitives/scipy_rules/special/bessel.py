"""Bessel functions, spherical ones, Hankel's, Struve's and Kelvin's: in the argument; in the order no closed form is known.

Source: DLMF, chapters 10 (Bessel; 10.6.1, 10.29.1, 10.51, 10.61 Kelvin) and 11 (Struve; 11.4.27).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.complex_numbers import real_part
from adxform.primitives.declare import general, scalar, series
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.runtime.special_scalars import spherical_in_at, spherical_jn_at

_X = np.array([0.5, 1.5, 4.0])
_V = np.array([[0.7], [2.0]])
_Z = np.array([0.7 - 0.4j, 1.6 + 0.8j])
_TURN = complex(-math.sqrt(0.5), math.sqrt(0.5))
"""Kelvin's functions are Bessel's of this times the argument."""


def _difference(fn: Callable[..., Any]) -> Callable[..., Any]:
    def partials(y: Any, v: Any, x: Any) -> Any:
        return None, 0.5 * (fn(v - 1, x) - fn(v + 1, x))

    return partials


def _second_kind_sum(fn: Callable[..., Any]) -> Callable[..., Any]:
    def partials(y: Any, v: Any, x: Any) -> Any:
        return None, -0.5 * (fn(v - 1, x) + fn(v + 1, x))

    return partials


def _ive_partials(y: Any, v: Any, x: Any) -> Any:
    return None, 0.5 * (special.ive(v - 1, x) + special.ive(v + 1, x)) - np.sign(x) * y


def _kve_partials(y: Any, v: Any, x: Any) -> Any:
    return None, y - 0.5 * (special.kve(v - 1, x) + special.kve(v + 1, x))


def _hankel1e_partials(y: Any, v: Any, x: Any) -> Any:
    return None, 0.5 * (special.hankel1e(v - 1, x) - special.hankel1e(v + 1, x)) - 1j * y


def _hankel2e_partials(y: Any, v: Any, x: Any) -> Any:
    return None, 0.5 * (special.hankel2e(v - 1, x) - special.hankel2e(v + 1, x)) + 1j * y


def _next_order(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Of functions that have the order of a derivative as their last parameter."""

    def partials(y: Any, v: Any, z: Any, n: Any = 1) -> Any:
        return None, fn(v, z, n + 1), None

    return partials


def _spherical(fn: Callable[..., Any], lower: float, upper: float) -> Callable[..., Any]:
    """By the orders beside it (DLMF 10.51.2), which is no quotient; its derivative likewise."""

    def partials(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
        below = lower * n * fn(np.maximum(n - 1, 0), z, derivative)
        return None, (below + upper * (n + 1) * fn(n + 1, z, derivative)) / (2 * n + 1), None

    return partials


def _struve_term(v: Any, x: Any) -> Any:
    return (0.5 * x) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)


def _struve_partials(y: Any, v: Any, x: Any) -> Any:
    return None, 0.5 * (special.struve(v - 1, x) - special.struve(v + 1, x) + _struve_term(v, x))


def _modstruve_partials(y: Any, v: Any, x: Any) -> Any:
    return None, 0.5 * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + _struve_term(v, x))


def _kelvin_second(x: Any) -> Any:
    """The second derivative of ``ber + i bei``."""
    turned = _TURN * x
    return -0.5j * (special.jv(2, turned) - special.jv(0, turned))


def _kelvin(x: Any) -> Any:
    be, ke, bep, kep = special.kelvin(x)

    def pullback(be_ct: Any, ke_ct: Any, bep_ct: Any, kep_ct: Any) -> Any:
        first = be_ct * bep + ke_ct * kep
        return real_part(first + bep_ct * _kelvin_second(x) + kep_ct * (1j * ke - kep / x))

    return (be, ke, bep, kep), pullback


def _besselpoly_partials(y: Any, a: Any, lmb: Any, nu: Any) -> Any:
    return special.besselpoly(a, lmb + 1.0, nu - 1.0) - special.besselpoly(a, lmb + 1.0, nu + 1.0), None, None


_CYLINDERS = (
    *(scalar(fn, _difference(fn), (_V, _X), (_V, _Z), of_complex=True) for fn in (special.jv, special.yv)),
    *(scalar(fn, _difference(fn), (_V, _X)) for fn in (special.jve, special.yve)),
    scalar(special.yn, _difference(special.yn), (2, _X), (0, _X)),
    scalar(special.iv, lambda y, v, x: (None, 0.5 * (special.iv(v - 1, x) + special.iv(v + 1, x))), (_V, _X), of_complex=True),
    scalar(special.ive, _ive_partials, (_V, _X)),
    scalar(special.kv, _second_kind_sum(special.kv), (_V, _X), (_V, _Z), of_complex=True),
    scalar(special.kn, _second_kind_sum(special.kn), (2, _X), (0, _X)),
    scalar(special.kve, _kve_partials, (_V, _X), (_V, _Z), of_complex=True),
    *(scalar(fn, _difference(fn), (_V, _Z), of_complex=True) for fn in (special.hankel1, special.hankel2)),
    scalar(special.hankel1e, _hankel1e_partials, (_V, _Z), of_complex=True),
    scalar(special.hankel2e, _hankel2e_partials, (_V, _Z), of_complex=True),
)

_OF_WHOLE_ORDER = (
    scalar(special.j0, lambda y, x: -special.j1(x), (_X,)),
    scalar(special.j1, lambda y, x: 0.5 * (special.j0(x) - special.jv(2, x)), (_X,), (0.0,)),
    scalar(special.y0, lambda y, x: -special.y1(x), (_X,)),
    scalar(special.y1, lambda y, x: 0.5 * (special.y0(x) - special.yn(2, x)), (_X,)),
    scalar(special.i0, lambda y, x: special.i1(x), (_X,)),
    scalar(special.i1, lambda y, x: 0.5 * (special.i0(x) + special.iv(2, x)), (_X,), (0.0,)),
    scalar(special.i0e, lambda y, x: special.i1e(x) - np.sign(x) * y, (_X,), (-_X,)),
    scalar(special.i1e, lambda y, x: 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y, (_X,), (-_X,)),
    scalar(special.k0, lambda y, x: -special.k1(x), (_X,)),
    scalar(special.k1, lambda y, x: -0.5 * (special.k0(x) + special.kn(2, x)), (_X,)),
    scalar(special.k0e, lambda y, x: y - special.k1e(x), (_X,)),
    scalar(special.k1e, lambda y, x: y - 0.5 * (special.k0e(x) + special.kve(2, x)), (_X,)),
)

_DERIVATIVES = tuple(
    scalar(fn, _next_order(fn), (2, _Z), (0.7, _Z, 2), of_complex=True)
    for fn in (special.jvp, special.yvp, special.ivp, special.kvp, special.h1vp, special.h2vp)
)

_SPHERICAL = tuple(
    scalar(fn, _spherical(fn, lower, upper), (0, _X), (2, _X), (1, _X, True), of_complex=True, **facets)
    for fn, facets, lower, upper in (
        (special.spherical_jn, series(spherical_jn_at), 1.0, -1.0),
        (special.spherical_yn, {}, 1.0, -1.0),
        (special.spherical_in, series(spherical_in_at), 1.0, 1.0),
        (special.spherical_kn, {}, -1.0, -1.0),
    )
)

_KELVIN = (
    scalar(special.ber, lambda y, x: special.berp(x), (_X,)),
    scalar(special.bei, lambda y, x: special.beip(x), (_X,)),
    scalar(special.ker, lambda y, x: special.kerp(x), (_X,)),
    scalar(special.kei, lambda y, x: special.keip(x), (_X,)),
    scalar(special.berp, lambda y, x: np.real(_kelvin_second(x)), (_X,), (0.0,)),
    scalar(special.beip, lambda y, x: np.imag(_kelvin_second(x)), (_X,), (0.0,)),
    scalar(special.kerp, lambda y, x: -special.kei(x) - y / x, (_X,)),
    scalar(special.keip, lambda y, x: special.ker(x) - y / x, (_X,)),
    general(special.kelvin, _kelvin, (_X,), elementwise=True, of_complex=True),
)

_STRUVE = (
    scalar(special.struve, _struve_partials, (_V, _X)),
    scalar(special.modstruve, _modstruve_partials, (_V, _X)),
    scalar(special.besselpoly, _besselpoly_partials, (_X, 0.5, 1.0)),
)

RECORDS: tuple[Primitive, ...] = (*_CYLINDERS, *_OF_WHOLE_ORDER, *_DERIVATIVES, *_SPHERICAL, *_KELVIN, *_STRUVE)
DEFINITIONS: tuple[Definition, ...] = ()
