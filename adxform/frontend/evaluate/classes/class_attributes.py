"""Attributes that an instance finds in its class: methods, properties, and what descriptors make."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, NoReturn

from adxform.errors import MissingRuleError
from adxform.frontend.derivative_operators import Decorated, Operator
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, has_dict, is_data_descriptor
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import from_outside, guard, is_kept, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, HasClass, Is, Owns
from adxform.ir.ops import Lit
from adxform.ir.spans import is_followed as is_code_followed
from adxform.primitives.table import lookup


def from_class(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """An attribute that an instance finds in its class."""
    if is_data_descriptor(find(type(cls), name)) and not hasattr(type, name):
        message = f"`{name}` is an attribute of a {cls.__name__} and a property of its metaclass {type(cls).__name__}"
        raise interp.error(message, "give one of them another name")
    if (set_to := places.in_classes(interp, cls, name)) is not None:
        return set_to
    if found is MISSING and cls.__module__.startswith("adxform."):  # what a function of SciPy's returns has more
        message = f"no derivative is followed through `{name}` of what this function of SciPy's returns"
        raise interp.error(message, "docs/scipy.md says which attributes are followed", MissingRuleError)
    if found is MISSING or isinstance(found, types.MemberDescriptorType):
        return interp.fail(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")
    if isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType):
        return _written_in_c(interp, value, cls, name, found)
    match found:
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
        case functools.singledispatchmethod():
            return dispatching(interp, value, cls, name, found)
        case Decorated():
            bound = Method(of_class(interp, cls, name, "__adx_function__"), (value,))
            kept = is_kept(interp, found, Access((("attribute", name),), Lit(cls)))
            return interp.heap.new("instance", type(found), ("__adx_function__", "__adx_boundary__"), (bound, Lit(kept)))
        case functools.cached_property() if isinstance(value, Ref):
            return _cached(interp, value, cls, name)
        case _ if isinstance(value, Ref) and is_written_in_python(found, "__get__"):
            return by_descriptor(interp, cls, name, found, "__get__", (value, rooted(cls)))
        case _ if hasattr(type(found), "__get__") and not isinstance(found, type):
            return _refused(interp, cls, name, found)
        case _:
            return of_class(interp, cls, name)


def is_written_in_python(found: Any, method: str) -> bool:
    """Whether `found` is a descriptor of the program's, whose `method`, ``__get__`` say, can be followed."""
    code = inspect.getattr_static(type(found), method, None)
    return isinstance(code, types.FunctionType) and is_code_followed(code)


def by_descriptor(interp: Interpreter, cls: type, name: str, found: Any, method: str, given: tuple[Value, ...]) -> Value:
    """What the `method` of `found`, the descriptor of the program's that `cls` has as `name`, does with what it is `given`."""
    owner = next(base for base in cls.__mro__ if name in vars(base))
    path = Access((("attribute", "__dict__"), ("item", name)), Lit(owner))
    guard(interp, path, Is(found))
    return interp.call(of_class(interp, type(found), method), (Static(found, path), *given), hint=name)


def dispatching(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """The method `name` of `value` that the class of its first argument chooses: what the class of `value` holds."""
    owner = next(base for base in cls.__mro__ if name in vars(base))
    path = Access((("attribute", "__dict__"), ("item", name)), Lit(owner))
    guard(interp, path, Is(found))
    return Method(Static(found, path), (value,))


def _written_in_c(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """A method written in C: that of a list or a dict which an object is as well, or one that every object has."""
    if (of_plain := own_containers.method(interp, value, found)) is not None:
        own_containers.watched(interp, cls, name, found)
        return of_plain
    if isinstance(value, Tuple) or is_followed(found):
        return Method(of_class(interp, cls, name), (value,))
    return _refused(interp, cls, name, found)


def _refused(interp: Interpreter, cls: type, name: str, found: Any) -> NoReturn:
    message = f"the attribute `{name}` of a {cls.__name__} is made by a {type(found).__name__}, which cannot be followed"
    raise interp.error(message, "write a plain method or property")


def _cached(interp: Interpreter, value: Ref, cls: type, name: str) -> Value:
    """What a ``cached_property`` makes, which the instance has from there on."""
    if not has_dict(cls):
        return interp.fail(TypeError, f"No '__dict__' attribute on '{cls.__name__}' instance to cache '{name}' property.")
    made = interp.call(of_class(interp, cls, name, "func"), (value,), hint=name)
    doubtful_keys.put(interp, value, name, made)
    return made


def of_super(interp: Interpreter, after: Value, value: Value, name: str) -> Value:
    """What ``super(after, value).name`` finds: in the classes of `value`, or that it is, behind `after` in their order."""
    bound = isinstance(value, Static | Lit) and isinstance(value.value, type)
    cls: type = value.value if isinstance(value, Static | Lit) and bound else class_held(value)
    if isinstance(value, Static) and value.access is not None and not bound:
        guard(interp, value.access, HasClass(cls))
    order = cls.__mro__
    for base in order[order.index(interp.static(after, "a class")) + 1 :]:
        found = vars(base).get(name, MISSING)
        if (set_to := places.load(interp, base, name)) is not None:
            return set_to
        if base is not object:
            guard(interp, Access((), Lit(base)), Owns(name, found is not MISSING))
        if isinstance(found, classmethod):
            return Method(of_class(interp, base, name, "__func__"), (value if bound else rooted(cls),))
        if found is not MISSING:
            return of_class(interp, base, name) if bound else from_class(interp, value, base, name, found)
    return interp.fail(AttributeError, f"'super' object has no attribute '{name}'")


def class_held(value: Value) -> type:
    """The class of an object of a class of the program's."""
    match value:
        case Ref(cls=cls) | Tuple(cls=cls):
            return cls
        case Static(found) | Lit(found):
            return type(found)
        case _:
            raise AssertionError(value)


def is_followed(method: types.MethodDescriptorType | types.WrapperDescriptorType) -> bool:
    """Whether `method`, written in C, is one that every object has and that is followed."""
    followed = ("__setattr__", "__delattr__", "__getattribute__", "__init__")
    return method.__objclass__ is object and method.__name__ in followed


def of_class(interp: Interpreter, cls: type, *names: str) -> Value:
    """An attribute of a class (and attributes of that), which a program may set anew: each call reads it again."""
    found: Any = cls
    access = Access((), Lit(cls))
    for name in names:
        found, access = getattr(found, name), access.to("attribute", name)
    return from_outside(interp, found, access)
