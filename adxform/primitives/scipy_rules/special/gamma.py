"""The gamma function and what is made of it: factorials, binomial coefficients, zeta functions.

Source: DLMF, chapters 5 (gamma), 25 (zeta).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.declare import constant, scalar, series
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import RAISES, Primitive
from adxform.runtime.special_scalars import polygamma_at, zeta_at
from adxform.runtime.special_slopes import polygamma

_POSITIVE = np.array([0.5, 1.5, 2.25])
_COLUMN = np.array([[1.25], [0.7]])
_EITHER = np.array([0.3, 2.5, -1.4])
_Z = np.array([0.7 - 0.4j, -1.3 + 0.8j])


def _rgamma_slope(y: Any, x: Any) -> Any:
    """To the left by reflection (DLMF 5.5.3), which is finite at the poles of the gamma function, where this one is zero."""
    left = np.real(x) < 0.5
    whole = np.where(left, np.rint(np.real(x)), 0.0)
    sign = 1.0 - 2.0 * np.mod(whole, 2.0)
    part, mirrored = x - whole, 1.0 - np.where(left, x, 0.5)
    beside = np.cos(np.pi * part) - np.sin(np.pi * part) / np.pi * special.psi(mirrored)
    return np.where(left, sign * special.gamma(mirrored) * beside, -y * special.psi(np.where(left, 1.0, x)))


def _is_pole(x: Any) -> Any:
    """Whether `x` is a pole of the gamma function."""
    return np.logical_and(x <= 0, x == np.floor(x))


def _poch_partials(y: Any, z: Any, m: Any) -> Any:
    """At a pole of the denominator by its reciprocal, which is finite; at one of both, by reflection, for whole numbers `m`."""
    above, below = _is_pole(z + m), _is_pole(z)
    both, alone = np.logical_and(above, below), np.logical_and(below, np.logical_not(above))
    top = np.where(above, 1.0, z + m)
    plain = y * (special.psi(top) - special.psi(np.where(below, 1.0, z)))
    reflected = y * (special.psi(np.where(both, 1.0 - z - m, 1.0)) - special.psi(np.where(both, 1.0 - z, 1.0)))
    place = np.where(alone, z, -1.0)
    beside = special.gamma(top) * (special.psi(top) * special.rgamma(place) + _rgamma_slope(special.rgamma(place), place))
    z_slope = np.where(both, reflected, np.where(alone, beside, plain))
    return np.where(np.logical_and(above, np.logical_not(below)), np.nan, z_slope), y * special.psi(z + m)


def _beta_partials(y: Any, a: Any, b: Any) -> Any:
    both = special.psi(a + b)
    return y * (special.psi(a) - both), y * (special.psi(b) - both)


def _betaln_partials(y: Any, a: Any, b: Any) -> Any:
    both = special.psi(a + b)
    return special.psi(a) - both, special.psi(b) - both


def _binom_partials(y: Any, n: Any, k: Any) -> Any:
    """Where `k` is larger than `n` by a whole number, by the reciprocal of the gamma function, which is finite."""
    pole = _is_pole(n - k + 1.0)
    rest = special.psi(np.where(pole, 1.0, n - k + 1.0))
    place = np.where(pole, n - k + 1.0, 0.0)
    upper, lower = special.psi(n + 1.0), special.psi(k + 1.0)
    top = special.gamma(np.where(pole, n + 1.0, 1.0)) * special.rgamma(k + 1.0)
    value, slope = special.rgamma(place), _rgamma_slope(special.rgamma(place), place)
    n_slope = np.where(pole, top * (upper * value + slope), y * (upper - rest))
    return n_slope, np.where(pole, -top * (lower * value + slope), y * (rest - lower))


def _polygamma_partials(y: Any, n: Any, x: Any) -> Any:
    return None, polygamma(n + 1, x)


def _zeta_partials(y: Any, x: Any, q: Any = None) -> Any:
    return None if q is None else (None, -x * special.zeta(x + 1.0, q))


def _multigammaln_partials(y: Any, a: Any, d: Any) -> Any:
    slope = 0.0 * a
    for j in range(int(d)):
        slope = slope + special.psi(a - 0.5 * j)
    return slope, None


def _double(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """As the first argument, in double precision: tiny samples lie outside of the domain."""
    match args[0]:
        case Var(type=Array(shape=shape)):
            return Array("float64", shape)
        case _:
            return Scalar("float64")


def _whole(*numbers: Any) -> tuple[int, ...]:
    """The integers that `numbers` are."""
    if any(np.ndim(number) > 0 for number in numbers):
        unsupported("arrays of integers with `exact=True`")
    found = tuple([int(number) for number in numbers])
    for number, whole in zip(numbers, found, strict=True):
        if whole != number:
            raise ValueError("non-integer arguments with `exact=True` are not supported")
    return found


def _choices(n: int, k: int) -> int:
    """How many ways there are to choose `k` of `n` things, none for numbers that say nothing."""
    return 0 if k > n or n < 0 or k < 0 else math.comb(n, k)


def _comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    if exact:
        n, m = _whole(N, k)
        if repetition:
            return 1 if m == 0 and n >= 0 else _choices(n + m - 1, m)
        return _choices(n, m)
    if repetition:
        return special.binom(N + k - 1.0, k)
    inside = np.logical_and(np.logical_and(k <= N, N >= 0), k >= 0)
    return np.where(inside, special.binom(N, k), 0.0)


def _perm(N: Any, k: Any, exact: Any = False) -> Any:
    if exact:
        n, m = _whole(N, k)
        return 0 if m > n or n < 0 or m < 0 else math.perm(n, m)
    inside = np.logical_and(np.logical_and(k <= N, N >= 0), k >= 0)
    return np.where(inside, special.poch(N - k + 1.0, k), 0.0)


def _factorial(n: Any, exact: Any = False, extend: Any = "zero") -> Any:
    if extend != "zero":
        unsupported("scipy.special.factorial has a derivative with extend='zero' only")
    if exact:
        (m,) = _whole(n)
        return 0 if m < 0 else math.factorial(m)
    return np.where(n < 0, 0.0, special.gamma(np.where(n < 0, 1.0, n) + 1.0))


RECORDS: tuple[Primitive, ...] = (
    scalar(special.gamma, lambda y, x: y * special.psi(x), (_EITHER,), (_Z,), of_complex=True),
    scalar(special.gammaln, lambda y, x: special.psi(x), (_EITHER,)),
    scalar(special.loggamma, lambda y, x: special.psi(x), (_POSITIVE,), (_Z,), of_complex=True),
    constant(special.gammasgn),
    scalar(special.rgamma, _rgamma_slope, (_EITHER,), (np.array([0.0, -1.0, -2.0, -3.0]),), (_Z,), of_complex=True),
    scalar(special.psi, lambda y, x: polygamma(1, x), (_EITHER,), (_Z,), of_complex=True),
    scalar(special.polygamma, _polygamma_partials, (1, _EITHER), (3, _POSITIVE), **series(polygamma_at)),
    scalar(polygamma, _polygamma_partials, (1, _EITHER), (1, _Z), (2, _POSITIVE), of_complex=True, **series(polygamma_at)),
    scalar(special.poch, _poch_partials, (_POSITIVE, _COLUMN), singular=True),
    scalar(special.beta, _beta_partials, (_POSITIVE, _COLUMN)),
    scalar(special.betaln, _betaln_partials, (_POSITIVE, _COLUMN)),
    scalar(special.binom, _binom_partials, (_POSITIVE + 3.0, _COLUMN), singular=True),
    scalar(special.multigammaln, _multigammaln_partials, (_POSITIVE + 2.0, 3), result=_double, effect=RAISES),
    scalar(special.zeta, _zeta_partials, (2.5, _POSITIVE), (np.array([1.5, 3.0]), _COLUMN), **series(zeta_at)),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(special.comb, _comb, Value.OWN),
    Definition(special.perm, _perm, Value.OWN),
    Definition(special.factorial, _factorial, Value.OWN),
)
