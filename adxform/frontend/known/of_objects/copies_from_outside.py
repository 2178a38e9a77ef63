"""Copies of objects from outside: settings and templates that a function copies and then changes.

settings = copy.copy(DEFAULTS)      an object of the function's own, whose attributes are read from `DEFAULTS`
settings.rate = x
"""

from __future__ import annotations

import enum
import itertools
import types
from typing import Any

import numpy as np

from adxform.frontend.evaluate.classes.class_contents import find, is_native
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Value
from adxform.frontend.signature.access import HasClass, Holds, SameAs, path_to
from adxform.frontend.signature.class_meaning import is_changeable
from adxform.ir.ops import Lit
from adxform.ir.spans import own_dict

_NO_COPIES = (type, types.ModuleType, types.FunctionType, BaseException, enum.Enum, list, dict, set, tuple, np.ndarray)


def made_of(interp: Interpreter, value: Value) -> Ref | None:
    """An object of the function's own with the attributes of one from outside; ``None`` of what the run has to copy."""
    if not isinstance(value, Static) or value.access is None:
        return None
    owner, access = value.value, value.access
    cls: Any = type(owner)
    if isinstance(owner, _NO_COPIES) or not (is_changeable(cls) or cls is types.SimpleNamespace) or not _keeps_a_dict(cls):
        return None
    held = own_dict(owner)
    guard(interp, access, HasClass(cls))
    guard(interp, path_to(access, ("attribute", "__dict__")), Holds(Lit(tuple(held))))
    changing = [name for name, part in held.items() if not isinstance(part, bool | int | float | complex | str | None)]
    for one, other in itertools.combinations(changing, 2):  # what is held twice would be two copies
        if held[one] is held[other]:
            return None
        guard(interp, access.to("attribute", one), SameAs(access.to("attribute", other), False))
    return interp.heap.new("instance", cls, tuple(held), tuple(interp.attribute(value, name) for name in held))


def _keeps_a_dict(cls: type) -> bool:
    """Whether objects of `cls` have all that they hold in a dict, and are copied as Python copies them."""
    slots = any(vars(base).get("__slots__") for base in cls.__mro__)
    own = any(not is_native(found) for hook in _HOOKS if (found := find(cls, hook)) is not None and callable(found))
    return not slots and not own and cls.__dictoffset__ != 0


_HOOKS = ("__copy__", "__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__",
          "__getnewargs_ex__", "__getattr__", "__getattribute__")  # fmt: skip
"""What may say that an object is copied in another way, or what it holds."""
