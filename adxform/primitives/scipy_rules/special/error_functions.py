"""Error functions, Dawson's and Fresnel's integrals, and the normal distribution.

Source: DLMF, chapter 7.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.complex_numbers import real_part
from adxform.primitives.declare import general, scalar, series
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.families.tails import gaussian, normal_density
from adxform.primitives.record import Primitive
from adxform.runtime.special_scalars import dawsn_slope_at, erfcx_slope_at, mills_at, mills_excess_at
from adxform.runtime.special_slopes import dawsn_slope, erfcx_slope, mills, mills_excess

_REAL = np.array([0.5, -1.5, 2.0])
_UNIT = np.array([0.2, -0.45, 0.8])
_PART = np.array([0.2, 0.55, 1.7])
_COLUMN = np.array([[1.25], [0.7]])
_Z = np.array([0.7 - 0.4j, -0.6 + 0.8j])
_TWO_PI = 2.0 * math.pi


def _voigt_partials(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    """By the slope of the Faddeeva function; that in `sigma` because the function is homogeneous, of degree minus one."""
    width = sigma * math.sqrt(2.0)
    slope = -1j * erfcx_slope(1, (gamma - 1j * x) / width) / (width * sigma * math.sqrt(_TWO_PI))
    x_slope, gamma_slope = np.real(slope), -np.imag(slope)
    return x_slope, -(y + x * x_slope + gamma * gamma_slope) / sigma, gamma_slope


def _fresnel(x: Any) -> Any:
    def pullback(s_ct: Any, c_ct: Any) -> Any:
        angle = math.pi / 2.0 * x * x
        return s_ct * np.sin(angle) + c_ct * np.cos(angle)

    return special.fresnel(x), pullback


def _modfresnelp(x: Any) -> Any:
    f, k = special.modfresnelp(x)

    def pullback(f_ct: Any, k_ct: Any) -> Any:
        k_slope = -2j * x * k - np.exp(-0.25j * math.pi) / math.sqrt(math.pi)
        return real_part(-f_ct * np.exp(1j * x * x) + k_ct * k_slope)

    return (f, k), pullback


def _modfresnelm(x: Any) -> Any:
    f, k = special.modfresnelm(x)

    def pullback(f_ct: Any, k_ct: Any) -> Any:
        k_slope = 2j * x * k - np.exp(0.25j * math.pi) / math.sqrt(math.pi)
        return real_part(-f_ct * np.exp(-1j * x * x) + k_ct * k_slope)

    return (f, k), pullback


def _owens_t_partials(y: Any, h: Any, a: Any) -> Any:
    beside = 1.0 + a * a
    h_slope = -np.exp(-0.5 * h * h) * special.erf(a * h * math.sqrt(0.5)) / (2.0 * math.sqrt(_TWO_PI))
    return h_slope, np.exp(-0.5 * h * h * beside) / (_TWO_PI * beside)


RECORDS: tuple[Primitive, ...] = (
    scalar(special.erf, lambda y, x: gaussian(x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.erfc, lambda y, x: -gaussian(x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.erfi, lambda y, x: 2.0 / math.sqrt(math.pi) * np.exp(x * x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.erfcx, lambda y, x: erfcx_slope(1, x), (_REAL,), (_Z,), of_complex=True),
    scalar(
        erfcx_slope, lambda y, n, x: (None, erfcx_slope(n + 1, x)), (1, _REAL), (2, _Z), of_complex=True, **series(erfcx_slope_at)
    ),
    scalar(special.dawsn, lambda y, x: dawsn_slope(1, x), (_REAL,), (_Z,), of_complex=True),
    scalar(
        dawsn_slope, lambda y, n, x: (None, dawsn_slope(n + 1, x)), (1, _REAL), (2, _Z), of_complex=True, **series(dawsn_slope_at)
    ),
    scalar(special.wofz, lambda y, z: -1j * erfcx_slope(1, -1j * z), (_Z,), of_complex=True),
    scalar(special.erfinv, lambda y, x: math.sqrt(math.pi) / 2.0 * np.exp(y * y), (_UNIT,), singular=True),
    scalar(special.erfcinv, lambda y, x: -math.sqrt(math.pi) / 2.0 * np.exp(y * y), (_PART,), singular=True),
    scalar(special.voigt_profile, _voigt_partials, (_REAL, _COLUMN, 0.6), singular=True),
    general(special.fresnel, _fresnel, (_REAL,), (0.7,), elementwise=True, of_complex=True),
    general(special.modfresnelp, _modfresnelp, (_PART,), elementwise=True, of_complex=True),
    general(special.modfresnelm, _modfresnelm, (_PART,), elementwise=True, of_complex=True),
    scalar(special.ndtr, lambda y, x: normal_density(x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.ndtri, lambda y, p: math.sqrt(_TWO_PI) * np.exp(0.5 * y * y), (np.array([0.2, 0.55, 0.9]),), singular=True),
    scalar(special.log_ndtr, lambda y, x: mills(x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.ndtri_exp, lambda y, x: runtime.quotient(1.0, mills(y)), (np.array([-0.2, -2.5]),), singular=True),
    scalar(mills, lambda y, x: -y * mills_excess(x), (_REAL,), (_Z,), of_complex=True, **series(mills_at)),
    scalar(mills_excess, lambda y, x: 1.0 - mills(x) * y, (_REAL,), (_Z,), of_complex=True, **series(mills_excess_at)),
    scalar(special.owens_t, _owens_t_partials, (_REAL, _COLUMN)),
)

DEFINITIONS: tuple[Definition, ...] = ()
