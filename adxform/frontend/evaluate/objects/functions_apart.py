"""What tells the functions and objects apart of which a run chooses one."""

from __future__ import annotations

from typing import Any

from adxform.frontend.evaluate.values import FunctionValue, Method, OneOf, Ref, Static, Tuple
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Object

NUMBER = ("number",)
"""What all numbers and arrays have in common."""


def code_key(function: Any) -> Any:
    """What is the same of functions of one code, whatever they captured and what is bound to them."""
    match function:
        case FunctionValue(fn):
            return "code", id(fn)
        case Method(fn, args, kwargs, partial):
            return "method", code_key(fn), len(args), tuple(name for name, _ in kwargs), partial
        case _ if is_number(function):
            return NUMBER
        case Static(value) | Lit(value):
            return "object", id(value)
        case Tuple(items, cls):
            return "tuple", cls, len(items)
        case Ref(shared=True, cls=cls):
            return of_class(cls)
        case Ref():
            return "made", id(function)
        case _:
            return "other", id(function)


def of_class(cls: type) -> Any:
    """What objects of one class have in common that paths have made, each its own: after them one stands for all."""
    return "of", cls


def is_number(value: Any) -> bool:
    """Whether `value` is a number or an array."""
    match value:
        case Var(_, type_):
            return not isinstance(type_, Object)
        case Lit(found):
            return scalar_type(found) is not None
        case _:
            return False


def is_function(value: Any) -> bool:
    """Whether `value` is a function, or a class, that the run may choose among others."""
    match value:
        case FunctionValue() | Method() | OneOf():
            return True
        case Static(found) | Lit(found):
            return callable(found)
        case _:
            return False


def is_choosable(value: Any) -> bool:
    """Whether `value` is a function, or an object from outside that a program knows by its attributes and methods."""
    return is_function(value) or (isinstance(value, Static) and value.value is not None)
