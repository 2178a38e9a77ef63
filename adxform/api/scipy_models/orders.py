"""A number that has derivatives of the first three orders: one of the fourth is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.declare import primitive, scalar
from adxform.primitives.record import Primitive


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


RECORDS: tuple[Primitive, ...] = (
    scalar(to_third_order, lambda y, x: first_slope(x), (2.0,)),
    scalar(first_slope, lambda y, x: second_slope(x), (2.0,)),
    scalar(second_slope, lambda y, x: third_slope(x), (2.0,)),
    primitive(third_slope, None),
)
