"""What elementwise functions do to dependences: they unite their operands at each place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call
from adxform.ir.types import is_float
from adxform.primitives.facets import ADDITIVE, Algebra
from adxform.primitives.table import meaning_of
from adxform.sparse.calls import Handler, Tracing, filled, run
from adxform.sparse.graph import CONST, ZERO, GiveUp, Graph
from adxform.sparse.pattern_values import Flow, NotKnown, common_shape, concrete, ids_of


def product(graph: Graph, a: Any, b: Any) -> Any:
    """The ids of a product: zero where one factor is."""
    found = graph.unions(a, b)
    if type(found) is int:
        return ZERO if a == ZERO or b == ZERO else found
    return np.where(np.equal(a, ZERO) | np.equal(b, ZERO), ZERO, found)


def united(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What `fn`, an elementwise function, makes of its operands."""
    if not is_float(call.outs[0].type):
        return filled(call, common_shape(args), CONST)
    floats = [ids_of(arg) for arg in (*args, *kwargs.values()) if not isinstance(arg, str | None)]
    found: Any = floats[0]
    algebra = meaning_of(fn).algebra
    if algebra is Algebra.PRODUCT and len(floats) == 2:
        return Flow(product(trace.graph, *floats))
    for ids in floats[1:]:
        found = trace.graph.unions(found, ids)
    if algebra is Algebra.QUOTIENT:
        found = np.where(np.equal(floats[0], ZERO), ZERO, found)
    elif algebra not in ADDITIVE and fn is not float:
        found = np.maximum(found, CONST)
    elif found is floats[0] and isinstance(found, np.ndarray):
        found = found.copy()
    return Flow(found)


def _masked_product(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Flow(product(trace.graph, ids_of(args[0]), ids_of(args[1])))


def _where(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 3:
        raise GiveUp("how many places are chosen is not known")
    if not is_float(call.outs[0].type):
        try:
            return run(np.where, [concrete(arg) for arg in args], {})
        except NotKnown:
            return filled(call, common_shape(args), CONST)
    a, b = ids_of(args[1]), ids_of(args[2])
    try:
        return Flow(np.where(concrete(args[0]), a, b))
    except NotKnown:
        return Flow(np.array(np.broadcast_to(trace.graph.unions(a, b), common_shape(args))))


HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        np.where: _where,
        runtime.masked_product: _masked_product,
    }
)
