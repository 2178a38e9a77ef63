"""Integrals of elementary functions, of Bessel's and of Airy's: their slopes are what is integrated.

Source: DLMF, chapters 6 (exponential, sine), 8.19.13 (of whole order), 9.10 (Airy), 10.22 and 10.43 (Bessel), 25.12.2
(dilogarithm).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.declare import general, scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

_X = np.array([0.5, 1.5, 4.0])
_REAL = np.array([0.5, -1.5, 2.0])
_Z = np.array([0.7 - 0.4j, 1.6 + 0.8j])


def _expn_partials(y: Any, n: Any, x: Any) -> Any:
    """The order below; below none there is minus the first, which is elementary."""
    below_none = np.exp(-x) * (1.0 + x) / (x * x)
    return None, np.where(n == 0, -below_none, -special.expn(np.maximum(n - 1, 0), x))


def _spence_partial(y: Any, z: Any) -> Any:
    """Around one, where logarithm and divisor are zero, by the series of their ratio."""
    near = np.abs(z - 1.0) < 0.5
    series = special.hyp2f1(1.0, 1.0, 2.0, np.where(near, 1.0 - z, 0.0))
    return np.where(near, -series, np.log(np.where(near, 2.0, z)) / (1.0 - np.where(near, 2.0, z)))


def _pair(fn: Callable[..., Any], first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """Of a function with two results that have these slopes."""

    def rule(x: Any) -> Any:
        def pullback(first_ct: Any, second_ct: Any) -> Any:
            return first_ct * first(x) + second_ct * second(x)

        return fn(x), pullback

    return rule


def _itairy(x: Any) -> Any:
    def pullback(ai_ct: Any, bi_ct: Any, ai_left_ct: Any, bi_left_ct: Any) -> Any:
        ai, _, bi, _ = special.airy(x)
        ai_left, _, bi_left, _ = special.airy(-x)
        return ai_ct * ai + bi_ct * bi + ai_left_ct * ai_left + bi_left_ct * bi_left

    return special.itairy(x), pullback


def _i0_less_one(x: Any) -> Any:
    """``(i0(x) - 1) / x``, around zero by its series."""
    near = np.abs(x) < 1.0
    small = np.where(near, x, 0.0)
    series: Any = 1.0
    for k in range(9, 1, -1):
        series = 1.0 + 0.25 * small * small / (k * k) * series
    far = np.where(near, 1.0, x)
    return np.where(near, 0.25 * small * series, (special.i0(far) - 1.0) / far)


_PAIRS = (
    (special.sici, lambda x: special.spherical_jn(0, x), lambda x: np.cos(x) / x),
    (special.shichi, lambda x: special.spherical_in(0, x), lambda x: np.cosh(x) / x),
    (special.itj0y0, special.j0, special.y0),
    (special.it2j0y0, lambda x: special.besselpoly(0.5 * x, 0.0, 1.0), lambda x: -special.y0(x) / x),
    (special.iti0k0, special.i0, special.k0),
    (special.it2i0k0, _i0_less_one, lambda x: -special.k0(x) / x),
)
_OF_COMPLEX = (special.sici, special.shichi)

RECORDS: tuple[Primitive, ...] = (
    scalar(special.exp1, lambda y, x: -np.exp(-x) / x, (_X,), (_Z,), of_complex=True),
    scalar(special.expi, lambda y, x: np.exp(x) / x, (_REAL,), (_Z,), of_complex=True),
    scalar(special.expn, _expn_partials, (2, _X), (0, _X), singular=True),
    scalar(special.spence, _spence_partial, (_X,), (np.array([1.0, 0.9, 1.2, 7.0]),), (_Z,), singular=True, of_complex=True),
    *(
        general(fn, _pair(fn, first, second), (_X,), elementwise=True, singular=True, of_complex=fn in _OF_COMPLEX)
        for fn, first, second in _PAIRS
    ),
    scalar(special.itstruve0, lambda y, x: special.struve(0, x), (_X,)),
    scalar(special.it2struve0, lambda y, x: -special.struve(0, x) / x, (_X,), singular=True),
    scalar(special.itmodstruve0, lambda y, x: special.modstruve(0, x), (_X,)),
    general(special.itairy, _itairy, (_X,), elementwise=True),
)

DEFINITIONS: tuple[Definition, ...] = ()
