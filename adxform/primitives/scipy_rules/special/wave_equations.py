"""Solutions of differential equations that come with their slope: Airy, parabolic cylinder, Mathieu and spheroidal functions.

The slope of the second result is what the equation says of the first; in parameters no closed form is known.

Source: DLMF 9.2.1 (Airy), 12.2.1 (parabolic cylinder), 28.2.1 and 28.20.1 (Mathieu), 30.2.1 (spheroidal).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.declare import general
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

_X = np.array([0.5, 1.5, 2.5])
_REAL = np.array([0.5, -1.5, 2.0])


def _airy(z: Any) -> Any:
    ai, aip, bi, bip = special.airy(z)

    def pullback(ai_ct: Any, aip_ct: Any, bi_ct: Any, bip_ct: Any) -> Any:
        return ai_ct * aip + aip_ct * (z * ai) + bi_ct * bip + bip_ct * (z * bi)

    return (ai, aip, bi, bip), pullback


def _airye(z: Any) -> Any:
    ai, aip, bi, bip = special.airye(z)

    def pullback(ai_ct: Any, aip_ct: Any, bi_ct: Any, bip_ct: Any) -> Any:
        scale = np.sqrt(z)
        growth = np.where(z > 0, np.sqrt(np.where(z > 0, z, 1.0)), 0.0)
        first = ai_ct * (aip + scale * ai) + aip_ct * (z * ai + scale * aip)
        return first + bi_ct * (bip - growth * bi) + bip_ct * (z * bi - growth * bip)

    return (ai, aip, bi, bip), pullback


def _of_order(fn: Callable[..., Any], curvature: Callable[..., Any]) -> Callable[..., Any]:
    """``y'' = curvature(v, x) * y``."""

    def rule(v: Any, x: Any) -> Any:
        y, slope = fn(v, x)

        def pullback(y_ct: Any, slope_ct: Any) -> Any:
            return None, runtime.unbroadcast(y_ct * slope + slope_ct * (curvature(v, x) * y), x)

        return (y, slope), pullback

    return rule


def _mathieu(fn: Callable[..., Any], characteristic: Callable[..., Any]) -> Callable[..., Any]:
    """The argument is in degrees, the slope by radians."""

    def rule(m: Any, q: Any, x: Any) -> Any:
        y, slope = fn(m, q, x)

        def pullback(y_ct: Any, slope_ct: Any) -> Any:
            curvature = 2.0 * q * np.cos(2.0 * np.radians(x)) - characteristic(m, q)
            return None, None, runtime.unbroadcast(math.radians(1.0) * (y_ct * slope + slope_ct * (curvature * y)), x)

        return (y, slope), pullback

    return rule


def _modified_mathieu(fn: Callable[..., Any], characteristic: Callable[..., Any]) -> Callable[..., Any]:
    def rule(m: Any, q: Any, x: Any) -> Any:
        y, slope = fn(m, q, x)

        def pullback(y_ct: Any, slope_ct: Any) -> Any:
            curvature = characteristic(m, q) - 2.0 * q * np.cosh(2.0 * x)
            return None, None, runtime.unbroadcast(y_ct * slope + slope_ct * (curvature * y), x)

        return (y, slope), pullback

    return rule


def _curvature(m: Any, c: Any, cv: Any, x: Any, y: Any, slope: Any, kind: str) -> Any:
    """The second derivative of a spheroidal function."""
    if kind == "oblate radius":
        outer = 1.0 + x * x
        return (-2.0 * x * slope + (cv - c * c * x * x - m * m / outer) * y) / outer
    beside = 1.0 - x * x
    stretch = c * c * x * x if kind == "prolate" else -c * c * x * x
    return (2.0 * x * slope - (cv - stretch - m * m / beside) * y) / beside


def _spheroidal(fn: Callable[..., Any], characteristic: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def rule(m: Any, n: Any, c: Any, x: Any) -> Any:
        y, slope = fn(m, n, c, x)

        def pullback(y_ct: Any, slope_ct: Any) -> Any:
            second = _curvature(m, c, characteristic(m, n, c), x, y, slope, kind)
            return None, None, None, runtime.unbroadcast(y_ct * slope + slope_ct * second, x)

        return (y, slope), pullback

    return rule


def _spheroidal_cv(fn: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def rule(m: Any, n: Any, c: Any, cv: Any, x: Any) -> Any:
        y, slope = fn(m, n, c, cv, x)

        def pullback(y_ct: Any, slope_ct: Any) -> Any:
            second = _curvature(m, c, cv, x, y, slope, kind)
            return None, None, None, None, runtime.unbroadcast(y_ct * slope + slope_ct * second, x)

        return (y, slope), pullback

    return rule


_PARABOLIC = (
    general(special.pbdv, _of_order(special.pbdv, lambda v, x: 0.25 * x * x - v - 0.5), (1.0, _REAL), elementwise=True),
    general(special.pbvv, _of_order(special.pbvv, lambda v, x: 0.25 * x * x - v - 0.5), (1.0, _REAL), elementwise=True),
    general(special.pbwa, _of_order(special.pbwa, lambda a, x: a - 0.25 * x * x), (0.8, _REAL), elementwise=True),
)

_MATHIEU = (
    general(special.mathieu_cem, _mathieu(special.mathieu_cem, special.mathieu_a), (2, 1.5, 20.0 * _X), elementwise=True),
    general(special.mathieu_sem, _mathieu(special.mathieu_sem, special.mathieu_b), (2, 1.5, 20.0 * _X), elementwise=True),
    *(
        general(fn, _modified_mathieu(fn, special.mathieu_a), (2, 1.5, _X), elementwise=True)
        for fn in (special.mathieu_modcem1, special.mathieu_modcem2)
    ),
    *(
        general(fn, _modified_mathieu(fn, special.mathieu_b), (2, 1.5, _X), elementwise=True)
        for fn in (special.mathieu_modsem1, special.mathieu_modsem2)
    ),
)

_UNIT = np.array([0.2, -0.45, 0.8])

_SPHEROIDAL = tuple(
    general(fn, _spheroidal(fn, cv, kind), (1, 2, 1.5, x), elementwise=True)
    for fn, cv, kind, x in (
        (special.pro_ang1, special.pro_cv, "prolate", _UNIT),
        (special.pro_rad1, special.pro_cv, "prolate", _X + 1.0),
        (special.obl_ang1, special.obl_cv, "oblate angle", _UNIT),
        (special.obl_rad1, special.obl_cv, "oblate radius", _X),
    )
)

_SPHEROIDAL_CV = tuple(
    general(fn, _spheroidal_cv(fn, kind), (1, 2, 1.5, float(cv(1, 2, 1.5)), x), elementwise=True)
    for fn, cv, kind, x in (
        (special.pro_ang1_cv, special.pro_cv, "prolate", _UNIT),
        (special.pro_rad1_cv, special.pro_cv, "prolate", _X + 1.0),
        (special.obl_ang1_cv, special.obl_cv, "oblate angle", _UNIT),
        (special.obl_rad1_cv, special.obl_cv, "oblate radius", _X),
    )
)

RECORDS: tuple[Primitive, ...] = (
    general(special.airy, _airy, (_REAL,), elementwise=True, of_complex=True),
    general(special.airye, _airye, (_X,), elementwise=True, singular=True),
    *_PARABOLIC,
    *_MATHIEU,
    *_SPHEROIDAL,
    *_SPHEROIDAL_CV,
)
DEFINITIONS: tuple[Definition, ...] = ()
