"""Attributes of functions that the program makes: ``reached.terminal = True``."""

from __future__ import annotations

import types

from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Ref, Value
from adxform.ir.ops import Lit


def none_yet(interp: Interpreter) -> Ref:
    """What holds the attributes of a function that is made now."""
    return interp.heap.new("instance", types.SimpleNamespace, (), ())


def has(interp: Interpreter, value: FunctionValue, name: str) -> bool:
    """Whether the function has an attribute `name`: one of every function's, or one that the program has set."""
    if hasattr(types.FunctionType, name):
        return True
    there = doubtful_keys.is_there(interp, _own(interp, value, name), name)
    if not isinstance(there, Lit):
        raise interp.error(f"only the run knows whether a function has the attribute `{name}`", "set it on every path")
    return bool(there.value)


def load(interp: Interpreter, value: FunctionValue, name: str) -> Value:
    """The attribute `name` that the program has set."""
    found = doubtful_keys.attribute(interp, _own(interp, value, name), name)
    return interp.fail(AttributeError, f"'function' object has no attribute '{name}'") if found is None else found


def store(interp: Interpreter, value: FunctionValue, name: str, new: Value) -> None:
    """``value.name = new``"""
    doubtful_keys.put(interp, _own(interp, value, name), name, new)


def delete(interp: Interpreter, value: FunctionValue, name: str) -> None:
    """``del value.name``"""
    if not has(interp, value, name):
        interp.fail(AttributeError, f"'function' object has no attribute '{name}'")
    doubtful_keys.drop(interp, _own(interp, value, name), name)


def _own(interp: Interpreter, value: FunctionValue, name: str) -> Ref:
    if hasattr(types.FunctionType, name):
        raise interp.error(f"the attribute `{name}` of a function cannot be followed", "keep it in a variable")
    if value.own is None or value.own not in interp.heap.contents:
        message = f"only the run knows which function was made, and so its attribute `{name}`"
        raise interp.error(message, "make the function, and set its attributes, ahead of the condition or the loop")
    return value.own
