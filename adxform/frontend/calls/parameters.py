"""Binds arguments to parameters as Python does."""

from __future__ import annotations

from collections.abc import Callable

from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple, Value
from adxform.ir.ops import Function


def bind(
    interp: Interpreter,
    name: str,
    fn: Function,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    default: Callable[[str], Value | None],
) -> tuple[Value, ...]:
    """The value of each parameter of `fn`; a call that Python refuses raises `TypeError` at run time."""
    rest, named = list(args), dict(kwargs)
    bound: list[Value] = []
    for param, kind in zip(fn.params, fn.kinds, strict=True):
        key = param.base
        match kind:
            case "VAR_POSITIONAL":
                bound.append(Tuple(tuple(rest)))
                rest = []
                continue
            case "VAR_KEYWORD":
                bound.append(interp.heap.new("dict", dict, tuple(named), tuple(named.values())))
                named = {}
                continue
            case "POSITIONAL_ONLY" | "POSITIONAL_OR_KEYWORD" if rest:
                if key in named and kind == "POSITIONAL_OR_KEYWORD":
                    interp.fail(TypeError, f"{name}() got multiple values for argument '{key}'")
                bound.append(rest.pop(0))
                continue
            case "POSITIONAL_OR_KEYWORD" | "KEYWORD_ONLY" if key in named:
                bound.append(named.pop(key))
                continue
            case _:
                value = default(key)
                if value is None:
                    value = interp.fail(TypeError, f"{name}() missing a required argument: '{key}'")
                bound.append(value)
    if rest:
        interp.fail(TypeError, f"{name}() takes {len(args) - len(rest)} positional arguments but {len(args)} were given")
    if named:
        interp.fail(TypeError, f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    return tuple(bound)
