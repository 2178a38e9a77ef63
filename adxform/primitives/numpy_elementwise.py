"""NumPy's elementwise functions, by their partial derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Lit
from adxform.primitives.declare import constant, general, linear, scalar, views_array
from adxform.primitives.python_operators import larger_partials, may_have_pole, power_partials, power_slope, smaller_partials
from adxform.primitives.record import Primitive
from adxform.primitives.tails import arctan_partial


def inverse(d: Any) -> Any:
    """``1 / d``, infinite and without a warning where `d` is zero (a lane that may be masked)."""
    return runtime.quotient(1.0, d)


def _reciprocal(x: Any) -> Any:
    """``1 / x``: of a number of Python's own, too, it is infinite at zero, where NumPy's functions return something."""
    return 1.0 / x if np.ndim(x) > 0 else inverse(x)


def _divide_partials(y: Any, a: Any, b: Any) -> Any:
    if np.ndim(y) > 0:
        return 1.0 / b, -y / b
    return inverse(b), -runtime.quotient(y, b)


def _sqrt_slope(y: Any, x: Any) -> Any:
    return runtime.quotient(0.5, y)


def _fmax_partials(y: Any, a: Any, b: Any) -> Any:
    taken = np.logical_or(a >= b, np.isnan(b))
    return taken, np.logical_not(taken)


def _fmin_partials(y: Any, a: Any, b: Any) -> Any:
    taken = np.logical_or(a <= b, np.isnan(b))
    return taken, np.logical_not(taken)


def _logaddexp_partials(y: Any, a: Any, b: Any) -> Any:
    """By the difference: far out, less the sum of both, which is rounded, a number is the other slope too."""
    return np.exp(-np.logaddexp(0.0, b - a)), np.exp(-np.logaddexp(0.0, a - b))


def _logaddexp2_partials(y: Any, a: Any, b: Any) -> Any:
    return np.exp2(-np.logaddexp2(0.0, b - a)), np.exp2(-np.logaddexp2(0.0, a - b))


def _clip_partials(y: Any, x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    if a_min is None and a_max is None:
        return 1.0, None, None
    if a_min is None:
        return x <= a_max, None, x > a_max
    if a_max is None:
        return x >= a_min, x < a_min, None
    below = np.logical_and(x < a_min, a_min < a_max)
    inside = np.logical_and(x >= a_min, x <= a_max)
    return inside, below, np.logical_not(np.logical_or(inside, below))


def _np_clip_partials(y: Any, x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    low = a_min if min is None else min
    high = a_max if max is None else max
    return _clip_partials(y, x, low, high)


def _method_clip_partials(y: Any, x: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    return _clip_partials(y, x, min, max)


def _where(condition: Any, a: Any, b: Any) -> Any:
    def pullback(ct: Any) -> Any:
        a_ct = runtime.unbroadcast(np.where(condition, ct, 0.0), a)
        b_ct = runtime.unbroadcast(np.where(condition, 0.0, ct), b)
        return None, a_ct, b_ct

    return np.where(condition, a, b), pullback


def _where_tangent(y: Any, args: Any, args_t: Any) -> Any:
    return runtime.broadcast_like(np.where(args[0], args_t[1], args_t[2]), y)


_REAL = np.array([0.5, -1.5, 2.0])
_COLUMN = np.array([[1.25], [-0.7]])
_POSITIVE = np.array([0.5, 1.5, 2.0])
_UNIT = np.array([0.5, -0.25, 0.75])
_ABOVE_ONE = np.array([1.5, 2.5, 7.0])

_UNARY = (
    scalar(np.negative, lambda y, x: -1.0, (_REAL,)),
    scalar(np.positive, lambda y, x: 1.0, (_REAL,)),
    scalar(np.absolute, lambda y, x: np.sign(x), (_REAL,)),
    scalar(np.fabs, lambda y, x: np.sign(x), (_REAL,)),
    scalar(np.square, lambda y, x: 2.0 * x, (_REAL,)),
    scalar(np.sqrt, _sqrt_slope, (_POSITIVE,), singular=True),
    scalar(np.cbrt, lambda y, x: inverse(3.0 * y * y), (_REAL,), singular=True),
    scalar(np.reciprocal, lambda y, x: -y * y, (_REAL,), singular=True),
    scalar(np.exp, lambda y, x: y, (_REAL,)),
    scalar(np.exp2, lambda y, x: y * math.log(2.0), (_REAL,)),
    scalar(np.expm1, lambda y, x: y + 1.0, (_REAL,)),
    scalar(np.log, lambda y, x: _reciprocal(x), (_POSITIVE,), singular=True),
    scalar(np.log2, lambda y, x: _reciprocal(x * math.log(2.0)), (_POSITIVE,), singular=True),
    scalar(np.log10, lambda y, x: _reciprocal(x * math.log(10.0)), (_POSITIVE,), singular=True),
    scalar(np.log1p, lambda y, x: _reciprocal(1.0 + x), (_POSITIVE,), singular=True),
    scalar(np.sin, lambda y, x: np.cos(x), (_REAL,)),
    scalar(np.cos, lambda y, x: -np.sin(x), (_REAL,)),
    scalar(np.tan, lambda y, x: 1.0 + y * y, (_REAL,)),
    scalar(np.arcsin, lambda y, x: inverse(np.sqrt(1.0 - x * x)), (_UNIT,), singular=True),
    scalar(np.arccos, lambda y, x: -inverse(np.sqrt(1.0 - x * x)), (_UNIT,), singular=True),
    scalar(np.arctan, arctan_partial, (_REAL,)),
    scalar(np.sinh, lambda y, x: np.cosh(x), (_REAL,)),
    scalar(np.cosh, lambda y, x: np.sinh(x), (_REAL,)),
    scalar(np.tanh, lambda y, x: 1.0 - y * y, (_REAL,)),
    scalar(np.arcsinh, lambda y, x: 1.0 / np.hypot(x, 1.0), (_REAL,)),
    scalar(np.arccosh, lambda y, x: inverse(np.sqrt(x - 1.0) * np.sqrt(x + 1.0)), (_ABOVE_ONE,), singular=True),
    scalar(np.arctanh, lambda y, x: inverse(1.0 - x * x), (_UNIT,), singular=True),
    scalar(np.degrees, lambda y, x: math.degrees(1.0), (_REAL,)),
    scalar(np.rad2deg, lambda y, x: math.degrees(1.0), (_REAL,)),
    scalar(np.radians, lambda y, x: math.radians(1.0), (_REAL,)),
    scalar(np.deg2rad, lambda y, x: math.radians(1.0), (_REAL,)),
    scalar(np.sinc, lambda y, x: runtime.sinc_slope(1, x), (_REAL,), (0.0,)),
    scalar(runtime.sinc_slope, lambda y, n, x: (None, runtime.sinc_slope(n + 1, x)), (1, _REAL), (2, 0.0)),
    scalar(np.nan_to_num, lambda y, x, copy=True, nan=0.0, posinf=None, neginf=None: np.isfinite(x), (_REAL,)),
    scalar(np.conjugate, lambda y, x: 1.0, (_REAL,)),
    linear(np.ndarray.conj, lambda ct, x: ct, (_REAL,), effect=views_array),
)

_BINARY = (
    scalar(np.add, lambda y, a, b: (1.0, 1.0), (_REAL, _COLUMN)),
    scalar(np.subtract, lambda y, a, b: (1.0, -1.0), (_REAL, _COLUMN)),
    scalar(np.multiply, lambda y, a, b: (b, a), (_REAL, _COLUMN)),
    scalar(np.divide, _divide_partials, (_REAL, _COLUMN), singular=lambda args: not isinstance(args[1], Lit)),
    scalar(np.power, power_partials, (_POSITIVE, _COLUMN), (_REAL, 2), singular=may_have_pole),
    scalar(np.float_power, power_partials, (_POSITIVE, _COLUMN), singular=may_have_pole),
    scalar(
        np.remainder,
        lambda y, a, b: (1.0, -np.floor_divide(a, b)),
        (_REAL, _COLUMN),
        singular=lambda args: not isinstance(args[1], Lit),
    ),
    scalar(
        np.fmod,
        lambda y, a, b: (1.0, -np.trunc(a / b if np.ndim(y) > 0 else runtime.quotient(a, b))),
        (_REAL, _COLUMN),
        singular=lambda args: not isinstance(args[1], Lit),
    ),
    scalar(np.maximum, larger_partials, (_REAL, _COLUMN), (_REAL, 0.0)),
    scalar(np.minimum, smaller_partials, (_REAL, _COLUMN), (_REAL, 0.0)),
    scalar(np.fmax, _fmax_partials, (_REAL, _COLUMN)),
    scalar(np.fmin, _fmin_partials, (_REAL, _COLUMN)),
    scalar(np.logaddexp, _logaddexp_partials, (_REAL, _COLUMN), singular=True),
    scalar(np.logaddexp2, _logaddexp2_partials, (_REAL, _COLUMN), singular=True),
    scalar(np.copysign, lambda y, a, b: (np.sign(a) * np.copysign(1.0, b), 0.0), (_REAL, _COLUMN)),
    scalar(np.nextafter, lambda y, a, b: (1.0, 0.0), (_REAL, _COLUMN)),
    scalar(np.ldexp, lambda y, x, n: (np.ldexp(1.0, n), None), (_REAL, 3)),
    scalar(np.heaviside, lambda y, x, at_zero: (0.0, np.equal(x, 0)), (_REAL, _COLUMN)),
    scalar(np.clip, _np_clip_partials, (_REAL, -1.0, 1.0), (_REAL, None, 1.0), (_REAL, _COLUMN, 1.5)),
    scalar(np.ndarray.clip, _method_clip_partials, (_REAL, -1.0, 1.0)),
)

_INTERNAL = (
    scalar(
        runtime.quotient, lambda y, a, b: (runtime.quotient(1.0, b), -runtime.quotient(y, b)), (_REAL, _COLUMN), singular=True
    ),
    scalar(
        runtime.power,
        lambda y, a, b: (power_slope(a, b), y * runtime.log_or_zero(a)),
        (_POSITIVE, _COLUMN),
        singular=True,
    ),
    scalar(runtime.log_or_zero, lambda y, x: runtime.ratio(1.0, x), (_POSITIVE,)),
)

_OTHER = (
    general(np.where, _where, (_REAL > 0, _REAL, _COLUMN), (_REAL > 0, _REAL, 0.0), tangent=_where_tangent),
    linear(np.float64, lambda ct, x: ct, (1.5,), (_REAL,), effect=views_array),
    *(linear(kind, lambda ct, x: ct, effect=views_array) for kind in (np.float16, np.float32)),
    linear(np.longdouble, lambda ct, x: ct, (1.5,), effect=views_array),
    linear(np.real, lambda ct, x: ct, (_REAL,), effect=views_array),
)

_CONSTANT = (
    np.sign,
    np.floor,
    np.ceil,
    np.trunc,
    np.rint,
    np.fix,
    np.round,
    np.around,
    np.ndarray.round,
    np.floor_divide,
    np.isnan,
    np.isinf,
    np.isfinite,
    np.isneginf,
    np.isposinf,
    np.signbit,
    np.isclose,
    np.allclose,
    np.array_equal,
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.logical_not,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
    np.isin,
    np.int64,
    np.int32,
    np.bool,
)

RECORDS: tuple[Primitive, ...] = (*_UNARY, *_BINARY, *_INTERNAL, *_OTHER, *(constant(fn) for fn in _CONSTANT))
