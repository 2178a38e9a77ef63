"""The functions of `cmath`: Python's complex numbers in and out."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from typing import Any

from adxform import runtime
from adxform.ir.ops import Operand
from adxform.ir.types import FLOAT, Scalar, Type
from adxform.primitives.declare import constant, general, scalar
from adxform.primitives.record import RAISES, Primitive

_COMPLEX = Scalar("complex128", weak=True)


def _log_partials(y: Any, x: Any, base: Any = None) -> Any:
    if base is None:
        return 1.0 / x
    return 1.0 / (x * cmath.log(base)), -y / (base * cmath.log(base))


def _gives_complex(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return _COMPLEX


def _gives_float(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return FLOAT


def _holomorphic(fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    return scalar(fn, body, *samples, result=_gives_complex, of_complex=True, **facets)


def _rect(r: Any, phi: Any) -> Any:
    z = cmath.rect(r, phi)

    def pullback(ct: Any) -> Any:
        turned = cmath.rect(1.0, phi) if math.isfinite(phi) else complex(math.nan, math.nan)
        return (ct * turned).real, (1.0j * ct * (r * turned)).real

    return z, pullback


_Z = 0.7 - 0.4j

RECORDS: tuple[Primitive, ...] = (
    _holomorphic(cmath.sqrt, lambda y, x: runtime.quotient(0.5, y), (_Z,), singular=True),
    _holomorphic(cmath.exp, lambda y, x: y, (_Z,)),
    _holomorphic(cmath.log, _log_partials, (_Z,), (_Z, 2.5 + 0.5j), effect=RAISES),
    _holomorphic(cmath.log10, lambda y, x: 1.0 / (x * cmath.log(10.0)), (_Z,), effect=RAISES),
    _holomorphic(cmath.sin, lambda y, x: cmath.cos(x), (_Z,)),
    _holomorphic(cmath.cos, lambda y, x: -cmath.sin(x), (_Z,)),
    _holomorphic(cmath.tan, lambda y, x: 1.0 + y * y, (_Z,)),
    _holomorphic(cmath.asin, lambda y, x: runtime.quotient(1.0, cmath.sqrt(1.0 - x * x)), (_Z,), singular=True),
    _holomorphic(cmath.acos, lambda y, x: -runtime.quotient(1.0, cmath.sqrt(1.0 - x * x)), (_Z,), singular=True),
    _holomorphic(cmath.atan, lambda y, x: 1.0 / (1.0 + x * x), (_Z,), effect=RAISES),
    _holomorphic(cmath.sinh, lambda y, x: cmath.cosh(x), (_Z,)),
    _holomorphic(cmath.cosh, lambda y, x: cmath.sinh(x), (_Z,)),
    _holomorphic(cmath.tanh, lambda y, x: 1.0 - y * y, (_Z,)),
    _holomorphic(cmath.asinh, lambda y, x: runtime.quotient(1.0, cmath.sqrt(1.0 + x * x)), (_Z,), singular=True),
    _holomorphic(
        cmath.acosh, lambda y, x: runtime.quotient(1.0, cmath.sqrt(x - 1.0) * cmath.sqrt(x + 1.0)), (_Z,), singular=True
    ),
    _holomorphic(cmath.atanh, lambda y, x: 1.0 / (1.0 - x * x), (_Z,), effect=RAISES),
    scalar(cmath.phase, lambda y, z: runtime.quotient(-1.0j, z), (_Z,), singular=True, result=_gives_float, of_complex=True),
    general(cmath.rect, _rect, (1.5, 0.7), result=_gives_complex, of_complex=True),
    *(constant(fn) for fn in (cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose)),
)
