"""Functions under `functools.singledispatch`: which of those registered a call runs, by the class of its argument."""

from __future__ import annotations

import functools
import types
from typing import Any

from adxform.frontend.evaluate.classes.protocols import class_of
from adxform.frontend.evaluate.outside.guards import from_outside, guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, Holds, path_to
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar


def _sample(value: Any) -> None:
    """Nothing: what `functools` makes of it has the code by which others are known."""


_CODE = getattr(functools.singledispatch(_sample), "__code__", None)


def chosen(interp: Interpreter, fn: Any, access: Access | None, args: tuple[Value, ...]) -> Value | None:
    """The function that a call of `fn` with `args` runs; ``None`` where `fn` is no such function, or only the run knows which."""
    if isinstance(fn, functools.singledispatchmethod):
        found = chosen(interp, fn.dispatcher, path_to(access, ("attribute", "dispatcher")), args[1:])
        if found is None:
            message = "which method is called is chosen by a class that only the run knows"
            raise interp.error(message, "choose it yourself: `if isinstance(x, …)`")
        return found
    if not isinstance(fn, types.FunctionType) or fn.__code__ is not _CODE or not args:
        return None
    cls, made = _class_told(args[0]), dict(fn.__dict__)
    if cls is None or not {"dispatch", "registry"} <= made.keys():
        return None
    found, registry = made["dispatch"](cls), path_to(access, ("attribute", "registry"))
    guard(interp, registry, Holds(Lit(tuple(made["registry"]))))
    key = next((key for key, one in made["registry"].items() if one is found), None)
    return None if key is None else from_outside(interp, found, path_to(registry, ("item", key)))


def _class_told(value: Value) -> type | None:
    """The class of `value`, where it is the same at each run."""
    match value:
        case Var(_, Scalar() as type_) if len(alternatives(type_)) > 1:
            return None
        case Var(_, Array(_, None)):
            return None
        case Var() | Lit() | Static() | Ref() | Tuple():
            return class_of(value)
        case _:
            return None
