"""Calls of what ``operator.itemgetter``, ``attrgetter`` and ``methodcaller`` make, by what Python does in them."""

from __future__ import annotations

import functools
import operator
from typing import Any

from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple, Value
from adxform.ir.ops import Lit

GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def call_getter(interp: Interpreter, fn: Any, of: Value) -> Value:
    """The items or the attributes of `of` that `fn`, one of `GETTERS`, gets, or the result of the method that it calls."""
    reduced: Any = fn.__reduce__()
    made, given = reduced[:2]
    if isinstance(fn, operator.methodcaller):
        named = made.keywords if isinstance(made, functools.partial) else {}
        name, *args = (*made.args, *given) if isinstance(made, functools.partial) else given
        kwargs = {key: constant(interp, arg) for key, arg in named.items()}
        return interp.call(interp.attribute(of, name), tuple(constant(interp, arg) for arg in args), kwargs)
    if isinstance(fn, operator.attrgetter):
        parts = [functools.reduce(interp.attribute, name.split("."), of) for name in given]
    else:
        parts = [interp.call(Lit(operator.getitem), (of, constant(interp, item))) for item in given]
    return parts[0] if len(parts) == 1 else Tuple(tuple(parts))
