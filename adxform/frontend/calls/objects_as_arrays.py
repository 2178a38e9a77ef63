"""Objects of which NumPy makes arrays by their ``__array__``: where a function of NumPy is given one, that is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Static, Value, is_unknown
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import own_attribute
from adxform.ir.types import Array, Scalar
from adxform.primitives.declare import method_asked

_TAKE_OVER = ("__array_ufunc__", "__array_function__", "__array_priority__", "__array_wrap__")
"""What lets a class say more of functions of NumPy than which array it is."""


def as_arrays(interp: Interpreter, fn: Any, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """`args` of `fn` with the arrays that objects say they are, where NumPy asks them."""
    module = "numpy" if isinstance(fn, np.ufunc) else str(own_attribute(fn, "__module__"))
    if module == "_operator" and not any(map(_is_numpys, args)):  # Python asks the objects themselves
        return args
    if module != "_operator" and module.partition(".")[0] != "numpy":
        return args
    return tuple(_as_array(interp, method_asked(fn), arg) for arg in args)


def _is_numpys(value: Value) -> bool:
    """Whether `value` is an array, or a number of NumPy's."""
    match value:
        case Var(_, Array()) | Var(_, Scalar(weak=False)):
            return True
        case Lit(found) | Static(found):
            return isinstance(found, np.generic | np.ndarray)
        case _:
            return False


def _as_array(interp: Interpreter, name: str, value: Value) -> Value:
    """`value`, or the array that it says it is where the function called `name` asks that, and not for a method of this name."""
    cls = protocols.class_of(value)
    if cls is None or not protocols.is_object(value) or issubclass(cls, (*protocols.NUMBERS, np.generic, np.ndarray, tuple)):
        return value
    if cls.__module__.startswith("adxform.") or any(find(cls, one) is not MISSING for one in (*_TAKE_OVER, name)):
        return value
    method = protocols.special(interp, value, "__array__")
    if method is None:
        return value
    found = interp.call(method, ())
    if not _is_numpys(found) and not is_unknown(found):
        raise interp.error("whether `__array__` of an object returns an array cannot be told", "make it one: `np.asarray(…)`")
    return found
