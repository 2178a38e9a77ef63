"""Untyped IR run with what the Python function that it was lowered from reaches by name."""

from __future__ import annotations

import builtins
import contextlib
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from adxform.analysis.stepping import interpret
from adxform.ir.ops import Function


def interpret_call(fn: Function, like: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call untyped `fn`, lowered from the Python function `like`, with the arguments and free variables of `like`."""
    bound = inspect.signature(like).bind(*args, **kwargs)
    bound.apply_defaults()
    plain = like.__func__ if isinstance(like, MethodType) else like
    assert isinstance(plain, FunctionType)
    cells = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
    scope: dict[str, Any] = {**vars(builtins), **plain.__globals__}
    for name, cell in cells:
        with contextlib.suppress(ValueError):  # not assigned yet
            scope[name] = cell.cell_contents
    values = list(bound.arguments.values())
    return interpret(fn, *([like.__self__] if isinstance(like, MethodType) else []), *values, free=scope)
