"""The functions of `math`: Python floats in, Python floats out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Operand
from adxform.ir.types import FLOAT, Type
from adxform.primitives.declare import constant, general, scalar
from adxform.primitives.facets import Kernel
from adxform.primitives.families.python_operators import power_slope
from adxform.primitives.families.tails import arctan_partial, gaussian_of
from adxform.primitives.record import RAISES, Primitive


def _log_partials(y: Any, x: Any, base: Any = None) -> Any:
    if base is None:
        return 1.0 / x
    return 1.0 / (x * math.log(base)), -y / (base * math.log(base))


def _python_float(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    """The type of the result, also where tiny samples lie outside the domain."""
    return FLOAT


def _known(fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """A function that is the same wherever it is computed: when a derivative is made, or in a kernel."""
    return scalar(fn, body, *samples, folds=True, kernel=Kernel.FLOATS, **facets)


def _modf(x: Any) -> Any:
    def pullback(fraction_ct: Any, whole_ct: Any) -> Any:
        return math.ldexp(fraction_ct, 0)  # a number of Python: what comes may be one of NumPy, or an array without axes

    return math.modf(x), pullback


def _frexp(x: Any) -> Any:
    mantissa, exponent = math.frexp(x)

    def pullback(mantissa_ct: Any, exponent_ct: Any) -> Any:
        return math.ldexp(mantissa_ct, -exponent)

    return (mantissa, exponent), pullback


_WHOLE = (math.isclose, math.gcd, math.factorial, math.comb, math.isqrt, math.perm, math.lcm)

RECORDS: tuple[Primitive, ...] = (
    _known(math.sqrt, lambda y, x: runtime.quotient(0.5, y), (2.5,), singular=True, nowhere_flat=True),
    scalar(math.cbrt, lambda y, x: runtime.quotient(1.0, 3.0 * y * y), (2.5,), (-1.5,), singular=True, nowhere_flat=True),
    _known(math.exp, lambda y, x: y, (0.5,)),
    scalar(math.exp2, lambda y, x: y * math.log(2.0), (0.5,)),
    _known(math.expm1, lambda y, x: y + 1.0, (0.5,)),
    _known(math.log, _log_partials, (2.5,), (2.5, 3.5), effect=RAISES, result=_python_float, nowhere_flat=True, arity=1),
    _known(math.log1p, lambda y, x: 1.0 / (1.0 + x), (2.5,), effect=RAISES),
    _known(math.log2, lambda y, x: 1.0 / (x * math.log(2.0)), (2.5,), effect=RAISES, nowhere_flat=True),
    _known(math.log10, lambda y, x: 1.0 / (x * math.log(10.0)), (2.5,), effect=RAISES, nowhere_flat=True),
    _known(math.sin, lambda y, x: math.cos(x), (0.7,)),
    _known(math.cos, lambda y, x: -math.sin(x), (0.7,)),
    _known(math.tan, lambda y, x: 1.0 + y * y, (0.7,)),
    _known(math.asin, lambda y, x: runtime.quotient(1.0, math.sqrt(1.0 - x * x)), (0.3,), singular=True),
    _known(math.acos, lambda y, x: -runtime.quotient(1.0, math.sqrt(1.0 - x * x)), (0.3,), singular=True),
    _known(math.atan, arctan_partial, (0.7,), total=True),
    _known(math.sinh, lambda y, x: math.cosh(x), (0.7,)),
    _known(math.cosh, lambda y, x: math.sinh(x), (0.7,)),
    _known(math.tanh, lambda y, x: 1.0 - y * y, (0.7,), total=True),
    scalar(math.asinh, lambda y, x: 1.0 / math.hypot(x, 1.0), (0.7,), kernel=Kernel.FLOATS, total=True),
    scalar(
        math.acosh,
        lambda y, x: runtime.quotient(1.0, math.sqrt(x - 1.0) * math.sqrt(x + 1.0)),
        (1.7,),
        singular=True,
        effect=RAISES,
        result=_python_float,
        kernel=Kernel.FLOATS,
    ),
    scalar(math.atanh, lambda y, x: 1.0 / (1.0 - x * x), (0.3,), effect=RAISES, kernel=Kernel.FLOATS),
    _known(math.fabs, lambda y, x: np.sign(x), (0.7,), (-0.7,), total=True),
    scalar(
        math.pow,
        lambda y, a, b: (power_slope(a, b), y * runtime.log_or_zero(a)),
        (1.5, 2.5),
        (1.5, -0.5),
        singular=True,
        effect=RAISES,
        result=_python_float,
        kernel=Kernel.FLOATS,
    ),
    _known(
        math.copysign, lambda y, a, b: (math.copysign(1.0, a) * math.copysign(1.0, b), 0.0), (1.5, -2.5), (-1.5, -2.0), total=True
    ),
    scalar(
        math.fmod,
        lambda y, a, b: (1.0, -np.rint(runtime.quotient(a - y, b))),
        (7.3, 2.5),
        (-7.3, 2.5),
        effect=RAISES,
        result=_python_float,
    ),
    scalar(
        math.remainder,
        lambda y, a, b: (1.0, -np.rint(runtime.quotient(a - y, b))),
        (7.3, 2.5),
        effect=RAISES,
        result=_python_float,
    ),
    scalar(math.degrees, lambda y, x: math.degrees(1.0), (0.7,), folds=True),
    scalar(math.radians, lambda y, x: math.radians(1.0), (0.7,), folds=True),
    _known(math.erf, lambda y, x: gaussian_of(x), (0.7,), total=True),
    _known(math.erfc, lambda y, x: -gaussian_of(x), (0.7,), total=True),
    scalar(math.gamma, lambda y, x: y * runtime.polygamma(0, x), (2.7,), (-1.3,), kernel=Kernel.FLOATS),
    scalar(math.lgamma, lambda y, x: runtime.polygamma(0, x), (2.7,), (-1.3,), effect=RAISES, kernel=Kernel.FLOATS),
    scalar(runtime.polygamma, lambda y, n, x: (None, runtime.polygamma(n + 1, x)), (0, 2.7), (1, 0.3), (0, -1.3)),
    scalar(math.nextafter, lambda y, a, b: (1.0, 0.0), (1.5, 2.5)),
    scalar(math.ldexp, lambda y, x, n: (math.ldexp(1.0, n), None), (1.5, 3), effect=RAISES),
    general(math.modf, _modf, (-1.75,), constant=(1,)),
    general(math.frexp, _frexp, (-1.75,), constant=(1,)),
    constant(math.ulp),
    *(constant(fn, effect=RAISES, folds=True) for fn in (math.floor, math.ceil, math.trunc)),
    *(constant(fn, folds=True, total=True, kernel=Kernel.FLOATS) for fn in (math.isnan, math.isinf, math.isfinite)),
    *(constant(fn) for fn in _WHOLE),
)
