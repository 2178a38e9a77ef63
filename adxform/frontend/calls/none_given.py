"""Calls that are given what may be ``None``: what raises then, what asks for that, and what the run refuses."""

from __future__ import annotations

import functools
import operator
import types

import numpy as np

from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Method, Ref, Static, Value
from adxform.frontend.known import subscripts
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.primitives.raising import refuses_none


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


def takes_none(fn: Value, args: tuple[Value, ...]) -> bool:
    """Whether a call of `fn` may go on with values that may be ``None``: it looks for that, or passes them on."""
    match fn:
        case Static(found) | Lit(found):
            user = isinstance(found, types.FunctionType | types.MethodType | functools.partial | Known)
            holds = found is operator.setitem and (isinstance(args[0], Ref) or subscripts.holds_floats(args[0]))
            ours = getattr(found, "__module__", "") == intrinsics.__name__
            return (user and not ours) or holds or (isinstance(found, type) and _is_user_class(found)) or found in _NONE_AWARE
        case Var():
            return False
        case Method(inner, bound):
            return takes_none(inner, (*bound, *args))
        case _:
            return True


def refuses_it(fn: Value, place: int) -> bool:
    """Whether `fn` raises where its argument at `place` is ``None``."""
    return isinstance(fn, Static | Lit) and refuses_none(fn.value, place)


_NONE_AWARE = (operator.is_, operator.is_not, operator.eq, operator.ne, operator.not_, operator.truth, bool, setattr,
               functools.partial, intrinsics.apply, intrinsics.chain, intrinsics.merge, intrinsics.merge_named,
               list, tuple, dict, zip)  # fmt: skip


def _is_user_class(cls: type) -> bool:
    """Whether `cls` is a class whose instances are followed."""
    return cls.__module__.partition(".")[0] not in ("builtins", "numpy", "scipy", "math")
