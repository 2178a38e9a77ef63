"""Elliptic integrals and functions, the arithmetic-geometric mean: their slopes are Carlson's integrals.

Those of Legendre's are written so too, which divides by no parameter that may be zero: at `m` zero, and of the incomplete ones at
`m` one, they are finite.

Source: DLMF, chapter 19 (19.16, 19.18, 19.25) and 22.16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.declare import general, scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.runtime.special_slopes import carlson

_M = np.array([0.3, -1.5, 0.8, 0.0])
_PART = np.array([0.3, 0.6, 0.8])
_PHI = np.array([[0.4], [2.8], [-5.2]])
_X = np.array([0.5, 1.5, 4.0])
_COLUMN = np.array([[1.25], [0.7]])


def _first_kind_slope(m: Any) -> Any:
    """Of ``ellipk``."""
    return special.elliprd(0.0, 1.0, 1.0 - m) / 6.0


def _second_kind_slope(m: Any) -> Any:
    """Of ``ellipe``."""
    return special.elliprd(0.0, 1.0 - m, 1.0) / -6.0


def _whole_periods(phi: Any, slope: Any) -> Any:
    """What the whole periods in `phi` add to the slope in the parameter, each two of the complete integral's."""
    periods = np.rint(phi / math.pi)
    return np.where(periods == 0, 0.0, 2.0 * periods * np.where(periods == 0, 1.0, slope))


def _ellipkinc_slope(phi: Any, m: Any) -> Any:
    """In the parameter."""
    rest = phi - math.pi * np.rint(phi / math.pi)
    s, c = np.sin(rest), np.cos(rest)
    part = s * s * s * special.elliprd(c * c, 1.0, 1.0 - m * s * s) / 6.0
    return part + _whole_periods(phi, _first_kind_slope(m))


def _ellipeinc_slope(phi: Any, m: Any) -> Any:
    rest = phi - math.pi * np.rint(phi / math.pi)
    s, c = np.sin(rest), np.cos(rest)
    part = s * s * s * special.elliprd(c * c, 1.0 - m * s * s, 1.0) / -6.0
    return part + _whole_periods(phi, _second_kind_slope(m))


def _height(phi: Any, m: Any) -> Any:
    s = np.sin(phi)
    return np.sqrt(1.0 - m * s * s)


def _ellipj(u: Any, m: Any) -> Any:
    sn, cn, dn, ph = special.ellipj(u, m)

    def pullback(sn_ct: Any, cn_ct: Any, dn_ct: Any, ph_ct: Any) -> Any:
        turn = sn_ct * cn - cn_ct * sn + ph_ct
        u_ct = turn * dn - dn_ct * (m * sn * cn)
        m_slope = -dn * _ellipkinc_slope(ph, m)
        m_ct = turn * m_slope - dn_ct * (sn * (sn + 2.0 * m * cn * m_slope) / (2.0 * dn))
        return runtime.unbroadcast(u_ct, u), runtime.unbroadcast(m_ct, m)

    return (sn, cn, dn, ph), pullback


def _elliprc_partials(y: Any, x: Any, p: Any) -> Any:
    """Where `p` is negative, the principal value; there it is not equal to `x`."""
    outside = (np.real(p) < 0) & (np.imag(p) == 0)
    apart, root = np.where(outside, x - p, 1.0), np.sqrt(x)
    above = np.where(outside, 1.0, p)
    x_slope = np.where(outside, (runtime.quotient(1.0, root) - y) / (2.0 * apart), special.elliprd(above, above, x) / -6.0)
    p_slope = np.where(outside, (y - root / np.where(outside, p, 1.0)) / (2.0 * apart), special.elliprd(x, above, above) / -3.0)
    return x_slope, p_slope


def _elliprf_partials(y: Any, x: Any, z: Any, p: Any) -> Any:
    return special.elliprd(z, p, x) / -6.0, special.elliprd(p, x, z) / -6.0, special.elliprd(x, z, p) / -6.0


def _elliprd_partials(y: Any, x: Any, z: Any, p: Any) -> Any:
    x_slope, z_slope = carlson(0, 3, 1, 3, 0, x, z, p, 1.0), carlson(0, 1, 3, 3, 0, x, z, p, 1.0)
    return -0.75 * x_slope, -0.75 * z_slope, -2.25 * carlson(0, 1, 1, 5, 0, x, z, p, 1.0)


def _elliprg_partials(y: Any, x: Any, z: Any, p: Any) -> Any:
    slopes = carlson(1, 3, 1, 1, 0, x, z, p, 1.0), carlson(1, 1, 3, 1, 0, x, z, p, 1.0), carlson(1, 1, 1, 3, 0, x, z, p, 1.0)
    return 0.125 * slopes[0], 0.125 * slopes[1], 0.125 * slopes[2]


def _elliprj_partials(y: Any, x: Any, y_: Any, z: Any, p: Any) -> Any:
    x_slope, y_slope = carlson(0, 3, 1, 1, 2, x, y_, z, p), carlson(0, 1, 3, 1, 2, x, y_, z, p)
    z_slope, p_slope = carlson(0, 1, 1, 3, 2, x, y_, z, p), carlson(0, 1, 1, 1, 4, x, y_, z, p)
    return -0.75 * x_slope, -0.75 * y_slope, -0.75 * z_slope, -1.5 * p_slope


def _carlson_partials(y: Any, k: Any, a: Any, b: Any, c: Any, d: Any, x: Any, y_: Any, z: Any, p: Any) -> Any:
    x_slope = -0.5 * a * carlson(k, a + 2, b, c, d, x, y_, z, p)
    y_slope = -0.5 * b * carlson(k, a, b + 2, c, d, x, y_, z, p)
    z_slope = -0.5 * c * carlson(k, a, b, c + 2, d, x, y_, z, p)
    return None, None, None, None, None, x_slope, y_slope, z_slope, -0.5 * d * carlson(k, a, b, c, d + 2, x, y_, z, p)


def _agm_partials(y: Any, a: Any, b: Any) -> Any:
    square = y * y * (2.0 / (3.0 * math.pi))
    a_slope = np.abs(a) * special.elliprd(0.0, b * b, a * a)
    return square * a_slope, square * np.abs(b) * special.elliprd(0.0, a * a, b * b)


RECORDS: tuple[Primitive, ...] = (
    scalar(special.ellipk, lambda y, m: _first_kind_slope(m), (_M,)),
    scalar(special.ellipkm1, lambda y, p: special.elliprd(0.0, 1.0, p) / -6.0, (_X,)),
    scalar(special.ellipe, lambda y, m: _second_kind_slope(m), (_M,)),
    scalar(special.ellipkinc, lambda y, phi, m: (1.0 / _height(phi, m), _ellipkinc_slope(phi, m)), (_PHI, _M)),
    scalar(special.ellipeinc, lambda y, phi, m: (_height(phi, m), _ellipeinc_slope(phi, m)), (_PHI, _M)),
    general(special.ellipj, _ellipj, (_PHI, _PART), elementwise=True),
    scalar(special.elliprc, _elliprc_partials, (_X, _COLUMN), (_X, _X), (_X, -_COLUMN), of_complex=True),
    scalar(special.elliprf, _elliprf_partials, (_X, _COLUMN, 0.8), of_complex=True),
    scalar(special.elliprd, _elliprd_partials, (_X, _COLUMN, 1.5), of_complex=True),
    scalar(special.elliprg, _elliprg_partials, (_X, _COLUMN, 1.5), of_complex=True),
    scalar(special.elliprj, _elliprj_partials, (_X, _COLUMN, 1.5, 0.9), of_complex=True),
    scalar(carlson, _carlson_partials, (0, 1, 3, 1, 2, _X, _COLUMN, 1.5, 0.9), of_complex=True),
    scalar(special.agm, _agm_partials, (_X, _COLUMN), (_X, _X)),
)

DEFINITIONS: tuple[Definition, ...] = ()
