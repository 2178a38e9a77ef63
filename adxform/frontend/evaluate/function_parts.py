"""What tells the functions of a program apart, and what each has beside its code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from adxform.frontend.evaluate.values import FunctionValue, Method, OneFunction, Static, Value
from adxform.ir.ops import Lit


def code_of(function: Any) -> Any:
    """What tells functions apart of which a run chooses one: not what they captured, nor what is bound to them."""
    match function:
        case FunctionValue(fn):
            return "code", id(fn)
        case Method(fn, args, kwargs, partial):
            return "method", code_of(fn), len(args), tuple(name for name, _ in kwargs), partial
        case Static(value) | Lit(value):
            return "object", id(value)
        case _:
            return "other", id(function)


def is_function(value: Any) -> bool:
    """Whether `value` is a function, or a class, that the run may choose among others."""
    match value:
        case FunctionValue() | Method() | OneFunction():
            return True
        case Static(found) | Lit(found):
            return callable(found)
        case _:
            return False


def bound_in(function: FunctionValue | Method) -> tuple[Value, ...]:
    """What a function has beside its code: what it captured and its defaults, or what is bound, by place and by name."""
    if isinstance(function, FunctionValue):
        return tuple(value for _, value in (*function.captures, *function.defaults))
    return (function.fn, *function.args, *(value for _, value in function.kwargs))


def with_bound(function: Any, bound: Iterable[Any]) -> Any:
    """`function` with `bound` for what `bound_in` gives of it."""
    items = iter(bound)
    if isinstance(function, FunctionValue):
        captures, defaults = (tuple((name, next(items)) for name, _ in pairs) for pairs in (function.captures, function.defaults))
        return replace(function, captures=captures, defaults=defaults)
    fn = next(items)
    args = tuple(next(items) for _ in function.args)
    return replace(function, fn=fn, args=args, kwargs=tuple((name, next(items)) for name, _ in function.kwargs))
