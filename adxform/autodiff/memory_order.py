"""Calls whose result has its elements in an order that the layout of an array in memory decides: ``order="K"`` and ``"A"``.

A tangent or a cotangent may lie in memory another way than the array that it belongs to, so no derivative follows such an order.
Of copies (`np.copy`, `astype`, `np.array`) the order says only how they lie in memory: no element changes its place.
"""

from __future__ import annotations

from adxform.errors import MissingRuleError
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import rank
from adxform.primitives.declare import name_of
from adxform.primitives.facets import Moves
from adxform.primitives.signatures import by_name
from adxform.primitives.table import record_of

STATED_ORDERS = frozenset({None, "C", "c", "F", "f"})
"""The orders that do not depend on how the array lies in memory."""


def order_of(call: Call) -> Operand:
    """What `call` gives for the parameter `order`, ``"C"`` where it gives nothing."""
    assert isinstance(call.fn, Lit)
    return by_name(call.fn.value, call.args, dict(call.kwargs)).get("order", Lit("C"))


def follows_memory(call: Call) -> bool:
    """Whether the order of the elements in the result of `call` may depend on how its first argument lies in memory.

    An array of one axis has its elements in one order, however it lies there.
    """
    if not isinstance(call.fn, Lit) or record_of(call.fn.value).moves is not Moves.RESHAPE:
        return False
    array, order = call.args[0], order_of(call)
    if not isinstance(array, Var) or rank(array.type) in (0, 1):
        return False
    return not isinstance(order, Lit) or order.value not in STATED_ORDERS


def in_memory_order(call: Call) -> MissingRuleError:
    """The error for a `call` that follows memory."""
    assert isinstance(call.fn, Lit)
    order = order_of(call)
    said = f"order={order.value!r}" if isinstance(order, Lit) else "an order that is not known"
    message = (
        f"the elements of `{name_of(call.fn.value)}` with {said} come as the array lies in memory, which no derivative follows"
    )
    return MissingRuleError(message, span=call.span, help="say order='C' or order='F'")
