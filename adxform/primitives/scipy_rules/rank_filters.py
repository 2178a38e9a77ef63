"""The filters of `scipy.ndimage` that choose among neighbours: what they give moves as the element does that is chosen.

Only the order of the elements says which one that is. Of equal ones it is one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import ndimage as calls


def _around(name: str) -> Callable[..., Any]:
    def body(
        input: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: Any = 0,
    ) -> Any:
        return np.ravel(input)[calls.chosen(name, input, size, footprint, None, mode, 0.0, origin)]

    return body


def _at_a_share(name: str) -> Callable[..., Any]:
    def chosen(input: Any, share: Any, size: Any, footprint: Any, mode: Any, origin: Any) -> Any:
        return np.ravel(input)[calls.chosen(name, input, share, size, footprint, None, mode, 0.0, origin)]

    def percentile(
        input: Any,
        percentile: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: Any = 0,
    ) -> Any:
        return chosen(input, percentile, size, footprint, mode, origin)

    def rank(
        input: Any,
        rank: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: Any = 0,
    ) -> Any:
        return chosen(input, rank, size, footprint, mode, origin)

    return rank if name == "rank_filter" else percentile


def _along(name: str) -> Callable[..., Any]:
    def body(
        input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
    ) -> Any:
        return np.ravel(input)[calls.chosen(name, input, size, axis, None, mode, 0.0, origin)]

    return body


def _places_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return Array("int64", args[1].type.shape) if isinstance(args[1], Var) and isinstance(args[1].type, Array) else None


RECORDS: tuple[Primitive, ...] = (constant(calls.chosen, result=_places_type, sequences=True),)

_WITHIN = {"output": (None,), "cval": (), "mode": ("reflect", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap")}

DEFINITIONS: tuple[Definition, ...] = tuple(
    Definition(getattr(ndimage, name), made(name), Value.OWN, sequences=True, only=_WITHIN)
    for made, names in (
        (_around, ("median_filter", "maximum_filter", "minimum_filter")),
        (_at_a_share, ("percentile_filter", "rank_filter")),
        (_along, ("maximum_filter1d", "minimum_filter1d")),
    )
    for name in names
)
