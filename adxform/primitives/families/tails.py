"""Functions that level off, arc tangents and error functions: far out their slopes vanish, and what squares do there is not used.

The square of the argument is infinite where its root still is a number, and so would be how it moves, which times a slope of
zero is none; at infinity itself, the end of a censored interval, so is the argument. So each slope is a primitive of its own
that states, by products of what is in range, how it moves; its value is computed as ever.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.declare import scalar
from adxform.primitives.record import Primitive

_ROOT = math.sqrt(0.5)
_HALF_ROOT = 0.5 * _ROOT


def arctan_partial(y: Any, x: Any) -> Any:
    """The slope of the arc tangent `y` of `x`."""
    return intrinsics.valued(1.0 / (1.0 + x * x), runtime.arctan_slope(x))


def _arctan_slope_partial(y: Any, x: Any) -> Any:
    slope = arctan_partial(y, x)
    return -2.0 * runtime.masked_product(x, slope) * slope


def gaussian_of(x: Any) -> Any:
    """The slope of ``math.erf`` at `x`."""
    return intrinsics.valued(1.1283791670955126 * math.exp(-x * x), runtime.gaussian(x))


def gaussian(x: Any) -> Any:
    """The slope of ``scipy.special.erf`` at `x`."""
    return intrinsics.valued(2.0 / math.sqrt(math.pi) * np.exp(-x * x), runtime.gaussian(x))


def normal_density(x: Any) -> Any:
    """The slope of ``scipy.special.ndtr`` at `x`."""
    return intrinsics.valued(np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi), _HALF_ROOT * runtime.gaussian(_ROOT * x))


def _gaussian_partial(y: Any, x: Any) -> Any:
    return -2.0 * runtime.masked_product(x, gaussian(x))


RECORDS: tuple[Primitive, ...] = (
    scalar(runtime.arctan_slope, _arctan_slope_partial, (0.7,), (np.array([0.5, -1.5, 2.0]),), of_complex=True),
    scalar(runtime.gaussian, _gaussian_partial, (0.7,), (np.array([0.5, -1.5, 2.0]),), of_complex=True),
)
