"""A number that has derivatives of the first three orders: one of the fourth is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from adxform.ir.ops import Operand
from adxform.ir.types import Scalar, Type
from adxform.primitives.declare import primitive, scalar
from adxform.primitives.record import RAISES, Primitive
from adxform.runtime.run_time_checks import without_derivative


def to_third_order(x: Any) -> Any:
    """`x` itself."""
    return x


def first_slope(x: Any) -> Any:
    """That of `to_third_order`: one."""
    return 1.0 if np.ndim(x) == 0 else np.ones_like(x)


def second_slope(x: Any) -> Any:
    """That of `first_slope`: zero."""
    return 0.0 if np.ndim(x) == 0 else np.zeros_like(x)


def third_slope(x: Any) -> Any:
    """That of `second_slope`: zero, of which there is none."""
    return 0.0 if np.ndim(x) == 0 else np.zeros_like(x)


def to_first_order(x: Any) -> Any:
    """`x` itself, of which the run refuses a derivative of the second order."""
    return x


def only_slope(x: Any) -> Any:
    """That of `to_first_order`: one."""
    return 1.0


def no_slope(x: Any) -> Any:
    """That of `only_slope`, which there is not."""
    raise without_derivative("an integral up to where its integrand has no slope has derivatives of the first order only")


RECORDS: tuple[Primitive, ...] = (
    scalar(to_third_order, lambda y, x: first_slope(x), (2.0,)),
    scalar(first_slope, lambda y, x: second_slope(x), (2.0,)),
    scalar(second_slope, lambda y, x: third_slope(x), (2.0,)),
    primitive(third_slope, None),
)


def _number(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Scalar("float64", False)


FIRST_ORDER: tuple[Primitive, ...] = (
    scalar(to_first_order, lambda y, x: only_slope(x), (2.0,)),
    scalar(only_slope, lambda y, x: no_slope(x), (2.0,)),
    primitive(no_slope, None, effect=RAISES, result=_number),
)
