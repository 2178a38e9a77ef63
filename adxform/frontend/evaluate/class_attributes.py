"""Attributes that an instance finds in its class: methods, properties, and what descriptors make."""

from __future__ import annotations

import functools
import types
from typing import Any

from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.outside import from_outside, is_kept, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Value
from adxform.frontend.signature.access import Access
from adxform.ir.ops import Lit
from adxform.primitives.table import lookup

MISSING = object()
"""What stands for an attribute that a class does not have."""


def from_class(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """An attribute that an instance finds in its class."""
    match found:
        case _ if found is MISSING:
            return interp.fail(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")
        case property():
            return interp.call(of_class(interp, cls, name, "fget"), (value,), hint=name)
        case staticmethod():
            return of_class(interp, cls, name)
        case classmethod():
            if lookup(getattr(cls, name)) is not None:
                return Static(getattr(cls, name), Access((("attribute", name),), Lit(cls)))
            return Method(of_class(interp, cls, name, "__func__"), (rooted(cls),))
        case types.FunctionType():
            return Method(of_class(interp, cls, name), (value,))
        case Operator():
            return Method(of_class(interp, cls, name), (value,))
        case _ if hasattr(found, "__adx_function__"):
            bound = Method(of_class(interp, cls, name, "__adx_function__"), (value,))
            kept = is_kept(interp, found, Access((("attribute", name),), Lit(cls)))
            return interp.heap.new("instance", type(found), ("__adx_function__", "__adx_boundary__"), (bound, Lit(kept)))
        case functools.cached_property() if isinstance(value, Ref):
            made = interp.call(of_class(interp, cls, name, "func"), (value,), hint=name)
            interp.write(value, interp.contents(value).put(name, made))
            return made
        case _ if hasattr(type(found), "__get__") and not isinstance(found, _READ):
            message = f"the attribute `{name}` of a {cls.__name__} is made by a {type(found).__name__}, which cannot be followed"
            raise interp.error(message, "write a plain method or property")
        case _:
            return of_class(interp, cls, name)


_READ = (types.MethodDescriptorType, types.WrapperDescriptorType, types.MemberDescriptorType, types.GetSetDescriptorType, type,
         types.BuiltinFunctionType)  # fmt: skip
"""What an instance finds in its class and is read there, though it may be a descriptor."""


def of_class(interp: Interpreter, cls: type, *names: str) -> Value:
    """An attribute of a class (and attributes of that), which a program may set anew: each call reads it again."""
    found: Any = cls
    access = Access((), Lit(cls))
    for name in names:
        found, access = getattr(found, name), access.to("attribute", name)
    return from_outside(interp, found, access)
