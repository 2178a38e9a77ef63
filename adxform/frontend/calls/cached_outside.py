"""What functions under `functools.lru_cache`, made outside, have kept: tables, grids and objects that are made once.

    @lru_cache                      k, mask = what every call finds that `wavenumbers` has kept for 64,
    def wavenumbers(n): ...         as it finds what a global variable holds

    k, mask = wavenumbers(64)

A derivative makes the call where it looks for what is outside, ahead of the function: what is kept is the same.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from adxform.frontend.evaluate.outside.guards import from_outside, pin
from adxform.frontend.evaluate.signals import Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_user

_PLAIN = (bool, int, float, str, bytes, type(None))


def found(interp: Interpreter, value: Static | Lit, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value | None:
    """What a function under a cache has kept for constants; ``None`` where the run has to call it."""
    fn: Any = value.value
    access = value.access if isinstance(value, Static) else None
    if access is None or kwargs or type(fn) is not functools._lru_cache_wrapper or not _is_written(fn.__wrapped__):
        return None
    if interp.knowledge.places or interp.knowledge.containers:  # it may read what the program sets before
        return None
    given = _constants(interp, args)
    if given is None:
        return None
    try:
        kept = fn(*(arg.value for arg in given))
        again = fn(*(arg.value for arg in given))
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception:  # the run raises it where it stands
        return None
    return from_outside(interp, kept, access.to("call", given)) if kept is again else None


def _is_written(fn: Any) -> bool:
    return isinstance(fn, types.FunctionType) and is_user(fn)


def _constants(interp: Interpreter, args: tuple[Value, ...]) -> tuple[Lit, ...] | None:
    """The arguments as constants, which lengths of arguments and other parameters are where they have to be."""
    params = [interp.integers.followed(arg) for arg in args if isinstance(arg, Var)]
    known = [_constant(interp, arg) for arg in args if not isinstance(arg, Var)]
    given = tuple(arg for arg in known if arg is not None)
    if not all(params) or len(given) < len(known):
        return None
    if params:
        raise Promote(frozenset().union(*params))
    return given


def _constant(interp: Interpreter, arg: Value) -> Lit | None:
    match arg:
        case Static(access=access) if access is not None:  # the object that a method is of
            return Lit(pin(interp, arg))
        case Lit(value) if type(value) in _PLAIN:
            return arg
        case Tuple(items, cls) if cls is tuple:
            parts = [_constant(interp, item) for item in items]
            return None if None in parts else Lit(tuple(part.value for part in parts if part is not None))
        case _:
            return None
