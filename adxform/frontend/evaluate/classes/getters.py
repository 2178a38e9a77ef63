"""What code of the program makes of an attribute that is read: properties, cached ones, ``__getattr__`` and descriptors.

Of an object from outside such code is followed where it may change something, or what it does would be done when a derivative is
made, and by each look at whether what was assumed still holds.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from adxform.frontend.calls.callbacks.reached import TooMuchCode, changes_of
from adxform.frontend.evaluate.classes.class_attributes import from_class, of_class
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_librarys, told_by
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Static, Value
from adxform.frontend.signature.access import Owns
from adxform.ir.ops import Block, Call, Lit, Op
from adxform.ir.packages import is_installed
from adxform.ir.spans import own_dict
from adxform.ir.walk import all_ops


def followed(interp: Interpreter, value: Static, name: str) -> Value | None:
    """What code of the program makes of the attribute `name` of an object from outside; ``None`` where none is followed."""
    owner = value.value
    cls: Any = type(owner)
    if isinstance(owner, type) or is_librarys(cls):
        return None
    found = find(cls, name)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return property_beside_getattr(interp, value, cls, name, found)
    held = name in own_dict(owner)
    if isinstance(found, functools.cached_property):
        guard(interp, value.access, Owns(name, held))
        return None if held else _cached(interp, value, name, found)
    code = told_by(owner, name)
    if code is None or _is_a_packages_module(owner, code) or _was_quiet(interp, types.MethodType(code, owner)):
        return None
    if code is find(cls, "__getattr__"):
        guard(interp, value.access, Owns(name, False))
        return interp.call(Method(of_class(interp, cls, "__getattr__"), (value,)), (Lit(name),), hint=name)
    message = f"reading `{name}` of a {cls.__name__} from outside runs `{code.__qualname__}`, which may change something"
    raise interp.error(message, "write a property or a method")


def changes_where_asked(owner: Any, name: str) -> bool:
    """Whether to ask `owner` for the attribute `name` may change something."""
    code = None if isinstance(owner, type) or is_librarys(type(owner)) else told_by(owner, name)
    return code is not None and not _is_quiet(types.MethodType(code, owner))


def _is_quiet(method: types.MethodType) -> bool:
    """Whether a call of `method` changes nothing."""
    try:
        changes = changes_of(method)
    except TooMuchCode:
        return False
    return not (changes.among or changes.names or changes.rebound)


def _is_a_packages_module(owner: Any, code: types.FunctionType) -> bool:
    """Whether `owner` is what a package has in the place of a module, for `code` to say what its names are: it is read as one."""
    return is_installed(code.__code__.co_filename) and any(owner is module for module in sys.modules.copy().values())


def _was_quiet(interp: Interpreter, method: types.MethodType) -> bool:
    """As `_is_quiet`, found once in a specialisation, of which no code of the program changes anything: a module may be long."""
    known = interp.knowledge.quiet
    key = method.__func__, id(method.__self__)
    if key not in known:
        known[key] = _is_quiet(method)
    return known[key]


def _cached(interp: Interpreter, value: Static, name: str, found: functools.cached_property[Any]) -> Value:
    """What a cached property makes, which its object keeps."""
    made = interp.call(of_class(interp, type(value.value), name, "func"), (value,), hint=name)
    places.store(interp, value, name, made)
    return made


def property_beside_getattr(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """What a property says; refused where it may raise an AttributeError and the class has ``__getattr__``, asked then."""
    own = cls.__module__.startswith("adxform.")  # whose properties raise no such error
    asked = not own and find(cls, "__getattr__") is not MISSING
    if asked and interp.level is not None:
        message = f"`{cls.__name__}` has `__getattr__`, which Python asks where the property `{name}` raises, in a `try`"
        raise interp.error(message, "read the property ahead of the `try`, or write a method in its place")
    before = len(interp.builder.ops)
    try:
        return from_class(interp, value, cls, name, found)
    finally:
        made = Block((), tuple(interp.builder.ops[before:]), ())
        if asked and any(map(_is_attribute_error, all_ops(made))):
            message = f"`{cls.__name__}` has `__getattr__`, which Python asks where the property `{name}` raises AttributeError"
            raise interp.error(message, "write a method in the place of the property")


def _is_attribute_error(op: Op) -> bool:
    """Whether `op` makes an AttributeError, or may raise one: it reads an attribute of what nothing is known of."""
    fn = op.fn.value if isinstance(op, Call) and isinstance(op.fn, Lit) else None
    return fn is getattr or (isinstance(fn, type) and issubclass(fn, AttributeError))
