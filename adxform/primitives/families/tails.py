"""Functions that level off, arc tangents and error functions: far out their slopes vanish, and what squares do there is not used.

The square of the argument is infinite where its root still is a number, and so would be how it moves, which times a slope of
zero is none. So each slope is a primitive of its own that states, by products of what is in range, how it moves; its value is
computed as ever.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.declare import scalar
from adxform.primitives.record import Primitive


def arctan_partial(y: Any, x: Any) -> Any:
    """The slope of the arc tangent `y` of `x`."""
    return intrinsics.valued(1.0 / (1.0 + x * x), runtime.arctan_slope(x))


def _arctan_slope_partial(y: Any, x: Any) -> Any:
    slope = arctan_partial(y, x)
    return -2.0 * (x * slope) * slope


def gaussian_of(x: Any) -> Any:
    """The slope of ``math.erf`` at `x`."""
    return intrinsics.valued(1.1283791670955126 * math.exp(-x * x), runtime.gaussian(x))


def _gaussian_partial(y: Any, x: Any) -> Any:
    return -2.0 * (x * gaussian_of(x))


RECORDS: tuple[Primitive, ...] = (
    scalar(runtime.arctan_slope, _arctan_slope_partial, (0.7,), (np.array([0.5, -1.5, 2.0]),), of_complex=True),
    scalar(runtime.gaussian, _gaussian_partial, (0.7,), (-1.5,)),
)
