"""NumPy's elementwise functions, by their partial derivatives."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import is_complex
from adxform.primitives.complex_numbers import conjugate
from adxform.primitives.declare import constant, floating, general, linear, scalar, views_array
from adxform.primitives.facets import Algebra, Chooses, Gives, Kernel, Moves, Sign, Views
from adxform.primitives.families.python_operators import (
    absolute_slope,
    larger_partials,
    may_have_pole,
    power_partials,
    power_slope,
    smaller_partials,
    squared_size_slope,
)
from adxform.primitives.families.tails import arctan_partial
from adxform.primitives.record import PURE, Effect, Primitive
from adxform.runtime import kernel_scalars


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


def _arcsinh_slope(y: Any, x: Any) -> Any:
    return 1.0 / (np.sqrt(1.0 + x * x) if np.iscomplexobj(x) else np.hypot(x, 1.0))


def _conjugate_transpose(ct: Any, x: Any) -> Any:
    return conjugate(ct) if np.iscomplexobj(x) else ct


def _views_real(call: Call) -> Effect:
    """A view of what is real; the conjugate of what is not is an array of its own."""
    first = call.args[0]
    return PURE if isinstance(first, Var) and is_complex(first.type) else views_array(call)


def _views_complex(call: Call) -> Effect:
    """A view of what is complex; of what is real, zeros that do not move, and that NumPy lets nobody write to."""
    first = call.args[0]
    return views_array(call) if isinstance(first, Var) and is_complex(first.type) else PURE


def _fmax_partials(y: Any, a: Any, b: Any) -> Any:
    taken = np.logical_or(a >= b, np.isnan(b))
    return taken, np.logical_not(taken)


def _fmin_partials(y: Any, a: Any, b: Any) -> Any:
    taken = np.logical_or(a <= b, np.isnan(b))
    return taken, np.logical_not(taken)


def _logaddexp_partials(y: Any, a: Any, b: Any) -> Any:
    """By the difference: far out, less the sum of both, which is rounded, a number is the other slope too."""
    return np.exp(-np.logaddexp(0.0, b - a)), np.exp(-np.logaddexp(0.0, a - b))


def _modf(x: Any) -> Any:
    def pullback(fraction_ct: Any, whole_ct: Any) -> Any:
        return fraction_ct

    return np.modf(x), pullback


def _frexp(x: Any) -> Any:
    mantissa, exponent = np.frexp(x)

    def pullback(mantissa_ct: Any, exponent_ct: Any) -> Any:
        return np.ldexp(mantissa_ct, -exponent)

    return (mantissa, exponent), pullback


def _logaddexp2_partials(y: Any, a: Any, b: Any) -> Any:
    return np.exp2(-np.logaddexp2(0.0, b - a)), np.exp2(-np.logaddexp2(0.0, a - b))


def _copysign_partials(y: Any, a: Any, b: Any) -> Any:
    return np.sign(1.0 * a) * np.copysign(1.0, b), 0.0  # truths have no sign


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


def _np_clip_partials(y: Any, x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low = a_min if min is None else min
    high = a_max if max is None else max
    return _clip_partials(y, x, low, high)


def _method_clip_partials(y: Any, x: Any, min: Any = None, max: Any = None) -> Any:
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
_APART = np.array([0.75, -1.5, 2.25])
_POSITIVE = np.array([0.5, 1.5, 2.0])
_UNIT = np.array([0.5, -0.25, 0.75])
_ABOVE_ONE = np.array([1.5, 2.5, 7.0])


def _as_operator(
    fn: np.ufunc, spelled: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any
) -> Primitive:
    """What is written with an operator on numbers, and means there what that does."""
    return scalar(fn, body, *samples, spelled=spelled, kernel=Kernel.FLOATS, **facets)


def _steep(
    fn: np.ufunc, body: Callable[..., Any], *samples: tuple[Any, ...], least: Sign = Sign.ABOVE, **facets: Any
) -> Primitive:
    """A root or a logarithm: its slope is never zero, and infinite where the argument is not `least` as large."""
    return floating(fn, body, *samples, singular=True, nowhere_flat=True, finite_from=(0, least), **facets)


def _exact(fn: np.ufunc, body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """What gives whole numbers of whole numbers, exactly."""
    return scalar(fn, body, *samples, gives=Gives.SAME, kernel=Kernel.FLOATS, **facets)


def _holomorphic(fn: np.ufunc, body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """What has a complex derivative, by the same formula."""
    return floating(fn, body, *samples, of_complex=True, **facets)


def _either(fn: np.ufunc, body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """One of two operands, element by element."""
    return _exact(fn, body, *samples, chooses=Chooses.EITHER, **facets)


def _clipping(fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...]) -> Primitive:
    """An element, or a bound."""
    return scalar(fn, body, *samples, chooses=Chooses.SOME, takes_out=True, gives=Gives.OWN, kernel=Kernel.FORM)


_UNARY = (
    _as_operator(np.negative, operator.neg, lambda y, x: -1.0, (_REAL,), of_complex=True),
    _exact(
        np.positive, lambda y, x: 1.0, (_REAL,), algebra=Algebra.IDENTITY, keeps_sign=True, beside_memory=True, of_complex=True
    ),
    _as_operator(np.absolute, builtins.abs, absolute_slope, (_REAL,), of_complex=True, complex_form=abs),
    floating(np.fabs, absolute_slope, (_REAL,), sign=Sign.NOT_BELOW, beside_memory=True),
    _exact(
        np.square,
        lambda y, x: 2.0 * x,
        (_REAL,),
        wrapped_form=kernel_scalars.wrapped_square,
        power=2,
        sign=Sign.NOT_BELOW,
        beside_memory=True,
        in_lanes=True,
        of_complex=True,
    ),
    _steep(np.sqrt, _sqrt_slope, (_POSITIVE,), power=0.5, keeps_sign=True, in_lanes=True, of_complex=True, complex_form=np.sqrt),
    _steep(np.cbrt, lambda y, x: inverse(3.0 * y * y), (_REAL,), keeps_sign=True),
    scalar(runtime.squared_size, squared_size_slope, (np.array([0.5, -1.5, 2.0]),), of_complex=True),
    _holomorphic(np.reciprocal, lambda y, x: -y * y, (_REAL,), power=-1, singular=True, finite_from=(0, Sign.ABOVE)),
    _holomorphic(np.exp, lambda y, x: y, (_REAL,), sign=Sign.NOT_BELOW, complex_form=kernel_scalars.complex_exponential),
    _holomorphic(np.exp2, lambda y, x: y * math.log(2.0), (_REAL,), sign=Sign.NOT_BELOW),
    _holomorphic(np.expm1, lambda y, x: y + 1.0, (_REAL,)),
    _steep(np.log, lambda y, x: _reciprocal(x), (_POSITIVE,), of_complex=True),
    _steep(np.log2, lambda y, x: _reciprocal(x * math.log(2.0)), (_POSITIVE,), of_complex=True),
    _steep(np.log10, lambda y, x: _reciprocal(x * math.log(10.0)), (_POSITIVE,), of_complex=True),
    _steep(np.log1p, lambda y, x: _reciprocal(1.0 + x), (_POSITIVE,), least=Sign.NOT_BELOW, of_complex=True),
    _holomorphic(np.sin, lambda y, x: np.cos(x), (_REAL,)),
    _holomorphic(np.cos, lambda y, x: -np.sin(x), (_REAL,)),
    _holomorphic(np.tan, lambda y, x: 1.0 + y * y, (_REAL,)),
    _holomorphic(np.arcsin, lambda y, x: inverse(np.sqrt(1.0 - x * x)), (_UNIT,), singular=True),
    _holomorphic(np.arccos, lambda y, x: -inverse(np.sqrt(1.0 - x * x)), (_UNIT,), singular=True),
    _holomorphic(np.arctan, arctan_partial, (_REAL,)),
    _holomorphic(np.sinh, lambda y, x: np.cosh(x), (_REAL,)),
    _holomorphic(np.cosh, lambda y, x: np.sinh(x), (_REAL,), sign=Sign.ABOVE),
    _holomorphic(np.tanh, lambda y, x: 1.0 - y * y, (_REAL,)),
    _holomorphic(np.arcsinh, _arcsinh_slope, (_REAL,)),
    _holomorphic(np.arccosh, lambda y, x: inverse(np.sqrt(x - 1.0) * np.sqrt(x + 1.0)), (_ABOVE_ONE,), singular=True),
    _holomorphic(np.arctanh, lambda y, x: inverse(1.0 - x * x), (_UNIT,), singular=True),
    scalar(np.degrees, lambda y, x: math.degrees(1.0), (_REAL,), gives=Gives.FLOAT),
    floating(np.rad2deg, lambda y, x: math.degrees(1.0), (_REAL,)),
    scalar(np.radians, lambda y, x: math.radians(1.0), (_REAL,), gives=Gives.FLOAT),
    floating(np.deg2rad, lambda y, x: math.radians(1.0), (_REAL,)),
    scalar(np.sinc, lambda y, x: runtime.sinc_slope(1, x), (_REAL,), (0.0,)),
    scalar(runtime.sinc_slope, lambda y, n, x: (None, runtime.sinc_slope(n + 1, x)), (1, _REAL), (2, 0.0)),
    scalar(
        np.nan_to_num, lambda y, x, copy=True, nan=0.0, posinf=None, neginf=None: np.isfinite(x), (_REAL,), chooses=Chooses.SOME
    ),
    linear(np.conjugate, _conjugate_transpose, (_REAL,), complex_form=np.conjugate),
    *(
        linear(method, _conjugate_transpose, (_REAL,), effect=_views_real, moves=Moves.PART)
        for method in (np.ndarray.conj, np.ndarray.conjugate)
    ),
)

_BINARY = (
    _as_operator(np.add, operator.add, lambda y, a, b: (1.0, 1.0), (_REAL, _COLUMN), of_complex=True),
    _as_operator(np.subtract, operator.sub, lambda y, a, b: (1.0, -1.0), (_REAL, _COLUMN), of_complex=True),
    _as_operator(np.multiply, operator.mul, lambda y, a, b: (b, a), (_REAL, _COLUMN), of_complex=True),
    _as_operator(
        np.divide,
        operator.truediv,
        _divide_partials,
        (_REAL, _COLUMN),
        singular=lambda args: not isinstance(args[1], Lit),
        of_complex=True,
    ),
    _as_operator(
        np.power,
        operator.pow,
        power_partials,
        (_POSITIVE, _COLUMN),
        (_REAL, 2),
        singular=may_have_pole,
        of_complex=True,
        wrapped_form=kernel_scalars.wrapped_power,
    ),
    scalar(np.float_power, power_partials, (_POSITIVE, _COLUMN), singular=may_have_pole, of_complex=True),
    floating(
        np.remainder,
        lambda y, a, b: (1.0, -np.floor_divide(a, b)),
        (_REAL, _COLUMN),
        singular=lambda args: not isinstance(args[1], Lit),
        form=kernel_scalars.remainder,
    ),
    scalar(
        np.fmod,
        lambda y, a, b: (1.0, -np.trunc(a / b if np.ndim(y) > 0 else runtime.quotient(a, b))),
        (_REAL, _COLUMN),
        singular=lambda args: not isinstance(args[1], Lit),
    ),
    _either(np.maximum, larger_partials, (_REAL, _COLUMN), (_REAL, 0.0), beside_memory=True, form=runtime.larger),
    _either(np.minimum, smaller_partials, (_REAL, _COLUMN), (_REAL, 0.0), beside_memory=True, form=runtime.smaller),
    _either(np.fmax, _fmax_partials, (_REAL, _COLUMN)),
    _either(np.fmin, _fmin_partials, (_REAL, _COLUMN)),
    floating(np.logaddexp, _logaddexp_partials, (_REAL, _COLUMN), singular=True),
    floating(np.logaddexp2, _logaddexp2_partials, (_REAL, _COLUMN), singular=True),
    floating(np.copysign, _copysign_partials, (_REAL, _COLUMN), beside_memory=True),
    scalar(np.nextafter, lambda y, a, b: (1.0, 0.0), (_REAL, _COLUMN)),
    scalar(np.ldexp, lambda y, x, n: (np.ldexp(1.0, n), None), (_REAL, 3)),
    general(np.modf, _modf, (_APART,), (-1.75,), elementwise=True, constant=(1,)),
    general(np.frexp, _frexp, (_APART,), (-1.75,), elementwise=True, constant=(1,)),
    scalar(np.heaviside, lambda y, x, at_zero: (0.0, np.equal(x, 0)), (_REAL, _COLUMN), chooses=Chooses.SOME),
    _clipping(np.clip, _np_clip_partials, (_REAL, -1.0, 1.0), (_REAL, None, 1.0), (_REAL, _COLUMN, 1.5)),
    _clipping(np.ndarray.clip, _method_clip_partials, (_REAL, -1.0, 1.0)),
)

_INTERNAL = (
    scalar(
        runtime.quotient,
        lambda y, a, b: (runtime.quotient(1.0, b), -runtime.quotient(y, b)),
        (_REAL, _COLUMN),
        singular=True,
        algebra=Algebra.QUOTIENT,
        gives=Gives.FLOAT,
        finite_from=(1, Sign.ABOVE),
        kernel=Kernel.FORM,
        form=kernel_scalars.quotient,
        complex_form=kernel_scalars.quotient,
        takes_out=True,
        of_complex=True,
    ),
    scalar(
        runtime.power,
        lambda y, a, b: (power_slope(a, b), y * runtime.log_or_zero(a)),
        (_POSITIVE, _COLUMN),
        singular=True,
        algebra=Algebra.POWER,
        finite_from=(0, Sign.ABOVE),
        gives=Gives.POWER,
        kernel=Kernel.FORM,
        form=kernel_scalars.power,
        takes_out=True,
        of_complex=True,
    ),
    scalar(
        runtime.log_or_zero,
        lambda y, x: runtime.ratio(1.0, x),
        (_POSITIVE,),
        kernel=Kernel.FORM,
        form=kernel_scalars.log_or_zero,
        takes_out=True,
        of_complex=True,
    ),
)

_OTHER = (
    general(
        np.where,
        _where,
        (_REAL > 0, _REAL, _COLUMN),
        (_REAL > 0, _REAL, 0.0),
        tangent=_where_tangent,
        broadcasts=True,
        chooses=Chooses.SOME,
        beside_memory=True,
        gives=Gives.OWN,
        kernel=Kernel.FORM,
        form=kernel_scalars.chosen,
        open_integers=True,
        of_complex=True,
    ),
    linear(
        np.float64,
        lambda ct, x: ct,
        (1.5,),
        (_REAL,),
        effect=views_array,
        moves=Moves.CONVERT,
        view=Views.BY_LAYOUT,
        faithful=True,
        keeps_sign=True,
        kernel=Kernel.FORM,
        open_integers=True,
    ),
    linear(np.float16, lambda ct, x: ct, effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT),
    linear(np.float32, lambda ct, x: ct, effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT, open_integers=True),
    linear(np.longdouble, lambda ct, x: ct, (1.5,), effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT),
    linear(np.real, lambda ct, x: ct, (_REAL,), effect=views_array, moves=Moves.PART, kernel=Kernel.FLOATS, complex_form=np.real),
    linear(np.imag, lambda ct, x: -1.0j * ct, (_REAL,), effect=_views_complex, moves=Moves.PART, complex_form=np.imag),
    linear(np.complex64, lambda ct, x: ct, effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT),
    *(
        linear(dtype, lambda ct, x: ct, (_REAL,), effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT)
        for dtype in (np.complex128, np.clongdouble)
    ),
)

_CONSTANT = (
    constant(np.sign, gives=Gives.FLOAT, kernel=Kernel.FLOATS, beside_memory=True, of_complex=False),
    *(constant(fn, gives=Gives.FLOAT, kernel=Kernel.FLOATS, beside_memory=True) for fn in (np.floor, np.ceil, np.trunc, np.rint)),
    *(constant(fn, gives=Gives.TEST, kernel=Kernel.FLOATS) for fn in (np.isnan, np.isinf, np.isfinite)),
    constant(np.signbit, kernel=Kernel.FLOATS),
    constant(np.round, takes_out=True, open_integers=True, gives=Gives.FLOAT, kernel=Kernel.FLOATS, arity=1),
    *(
        constant(fn, open_integers=True, gives=Gives.FLOAT, kernel=Kernel.FLOATS, form=np.round, arity=1)
        for fn in (np.around, np.ndarray.round)
    ),
    *(constant(fn, gives=Gives.TEST, kernel=Kernel.FLOATS) for fn in (np.isneginf, np.isposinf)),
    *(constant(fn) for fn in (np.fix, np.floor_divide, np.isclose)),
    *(constant(fn) for fn in (np.allclose, np.array_equal, np.isin, np.int64, np.int32, np.bool)),
)

_TRUTHS = (
    constant(np.equal, spelled=operator.eq, kernel=Kernel.FLOATS),
    constant(np.not_equal, spelled=operator.ne, kernel=Kernel.FLOATS),
    constant(np.less, spelled=operator.lt, kernel=Kernel.FLOATS),
    constant(np.less_equal, spelled=operator.le, kernel=Kernel.FLOATS),
    constant(np.greater, spelled=operator.gt, kernel=Kernel.FLOATS),
    constant(np.greater_equal, spelled=operator.ge, kernel=Kernel.FLOATS),
    constant(np.logical_and, spelled=operator.and_, kernel=Kernel.TRUTHS),
    constant(np.logical_or, spelled=operator.or_, kernel=Kernel.TRUTHS),
    constant(np.logical_xor, spelled=operator.xor),
    constant(np.logical_not, spelled=operator.not_, kernel=Kernel.TRUTHS),
    constant(np.bitwise_and, spelled=operator.and_),
    constant(np.bitwise_or, spelled=operator.or_),
    constant(np.bitwise_xor, spelled=operator.xor),
    constant(np.invert, spelled=operator.not_),
    *(constant(fn) for fn in (np.left_shift, np.right_shift, np.bitwise_count, np.gcd, np.lcm, np.spacing)),
)

RECORDS: tuple[Primitive, ...] = (*_UNARY, *_BINARY, *_INTERNAL, *_OTHER, *_CONSTANT, *_TRUTHS)
