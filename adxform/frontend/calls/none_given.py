"""Calls that are given what may be ``None``: what raises then, what asks for that, and what the run refuses."""

from __future__ import annotations

import operator

import numpy as np

from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Method, Static, Value
from adxform.ir.ops import Lit, Var


def on_both_paths(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value | None:
    """A call that asks whether an argument is ``None``, on the path where it is and on the other; ``None`` for other calls."""
    if isinstance(fn, Method):
        return on_both_paths(interp, fn.fn, (*fn.args, *args), {**dict(fn.kwargs), **kwargs}, hint)
    if not isinstance(fn, Static | Lit) or fn.value not in (isinstance, hasattr, operator.contains, np.clip, np.ndarray.clip):
        return None
    place = next((place for place, arg in enumerate(args) if isinstance(arg, Maybe)), None)
    maybe = None if place is None else args[place]
    if place is None or not isinstance(maybe, Maybe):
        return None

    def of(value: Value) -> Value:
        return interp.call(fn, (*args[:place], value, *args[place + 1 :]), kwargs, hint)

    if not isinstance(maybe.present, Var) or maybe.present in interp.assumed:
        return of(NONE if maybe.present == Lit(False) else maybe.value)
    return branch(interp, maybe.present, lambda: [of(maybe.value)], lambda: [of(NONE)], [hint], interp.span)[0]
