"""Calls that are made now: of pure functions, on known values."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.errors import MissingRuleError
from adxform.frontend.evaluate.operands import known
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.pure_functions import is_pure, stays
from adxform.frontend.evaluate.set_orders import note_orders, note_result
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple, Value
from adxform.frontend.types.samples import run
from adxform.ir.spans import is_user

Kwargs = dict[str, Value]


def fold(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The value of a pure call on known values; ``None`` where it raises, makes an array, or may call a function of the user."""
    try:
        values, named = [known(interp, arg) for arg in args], {key: known(interp, arg) for key, arg in kwargs.items()}
        given = (*values, *named.values())
        if not is_pure(fn, given) or any(map(calls_users, (fn, *given))):
            return None
        result = run(fn, values, named)
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception:
        return None
    note_orders(interp, fn, (*values, *named.values()))
    note_result(interp, result, (*values, *named.values()))
    return result_value(interp, result)


def result_value(interp: Interpreter, result: Any) -> Value | None:
    """A value computed now; ``None`` for what must be made anew by each call, as all that a program may change."""
    if isinstance(result, list):
        items = [result_value(interp, item) for item in result]
        return None if any(item is None for item in items) else interp.new_list(tuple(item for item in items if item is not None))
    if isinstance(result, tuple):
        parts = [result_value(interp, item) for item in result]
        return (
            None
            if any(part is None for part in parts)
            else Tuple(tuple(part for part in parts if part is not None), type(result))
        )
    return constant(interp, result) if stays(result) else None


def run_now(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The value of a function of a rule module on known values: it is ours, so it is pure; ``None`` for what a run makes."""
    try:
        result = fn(*(known(interp, arg) for arg in args), **{key: known(interp, arg) for key, arg in kwargs.items()})
    except NotImplementedError as error:
        raise interp.error(str(error), "write it another way", MissingRuleError) from None
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception as error:
        return interp.fail(type(error), str(error))
    return None if isinstance(result, np.ndarray) else constant(interp, result)


def calls_users(fn: Any) -> bool:
    """Whether a call of `fn` runs code of the user, which each call of the derivative has to run."""
    match fn:
        case types.FunctionType():
            return is_user(fn)
        case types.MethodType():
            return calls_users(fn.__func__)
        case functools.partial():
            return any(map(calls_users, (fn.func, *fn.args, *fn.keywords.values())))
        case np.vectorize():
            return calls_users(fn.pyfunc)
        case type():
            return False
        case _:
            call = type(fn).__call__ if callable(fn) else None
            return isinstance(call, types.FunctionType) and is_user(call)
