"""Special methods of numbers and arrays that a program asks for by name: ``x.__add__(y)``, which is not ``x + y``.

Such a method answers for its own class alone: it says ``NotImplemented`` where the operator would go on to ask the other
operand, and a number of Python's takes one of NumPy's for one of its own.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
from adxform.frontend.lowering.operator_functions import BINARY, COMPARE
from adxform.ir.ops import Lit


@dataclass(frozen=True, slots=True)
class AskedByName:
    """The special method of a number or an array that stands for this function of `operator`, of two operands."""

    operator: Callable[..., Any]

    def __call__(self, *_: Any) -> Any:
        """Nothing that runs."""
        raise NotImplementedError  # programs are followed, and call the operator


def named(name: str) -> Any:
    """What the special method `name` of numbers and arrays is called as; ``None`` if `operator` does not have it."""
    found = vars(operator).get(name)
    if not isinstance(found, types.BuiltinFunctionType):
        return None
    return AskedByName(found) if found in OF_TWO else found


OF_TWO = frozenset({*BINARY.values(), *COMPARE.values()} - {operator.is_, operator.is_not})


def _asked(fn: Callable[..., Any]) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if len(args) != 2 or kwargs or not _answers(*args):
            message = f"`__{fn.__name__.rstrip('_')}__` of a number or an array is asked for by name, and may not answer for this"
            raise interp.error(message, f"write the operator, `{protocols.SIGNS.get(fn.__name__.rstrip('_'), fn.__name__)}`")
        return interp.call(Lit(fn), args, hint=hint)

    return handler


def _answers(owner: Value, other: Value) -> bool:
    """Whether the operator of the number or array `owner` has `other` for a number or an array, as it is."""
    cls, others = class_of(owner), class_of(other)
    if cls is None or others is None or protocols.is_object(other):
        return False
    if issubclass(cls, np.generic | np.ndarray):
        sequences = (list, tuple) if issubclass(cls, np.ndarray) else ()
        return issubclass(others, (*protocols.NUMBERS, np.generic, np.ndarray, *sequences))
    taken = {bool: (bool, int), int: (bool, int), float: (bool, int, float), complex: (bool, *protocols.NUMBERS)}.get(cls, ())
    return others in taken


TABLE: dict[Any, Handler] = {AskedByName(fn): _asked(fn) for fn in OF_TWO}
