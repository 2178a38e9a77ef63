"""Calls of classes: named tuples, dataclasses, and classes of the user."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from adxform.frontend.calls.opaque import opaque
from adxform.frontend.evaluate.class_attributes import of_class
from adxform.frontend.evaluate.folding import fold, is_pure, is_user
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.outside import constant, from_outside
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple, Value
from adxform.frontend.signature.access import Access
from adxform.ir.ops import Lit

Kwargs = dict[str, Value]


def construct(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """``cls(*args, **kwargs)``"""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        fields: tuple[str, ...] = cls._fields
        values = {**dict(zip(fields, args, strict=False)), **kwargs}
        if len(values) < len(fields):
            values = {**_defaults_of_tuple(interp, cls), **values}
        return Tuple(tuple(values[field] for field in fields), cls)
    if dataclasses.is_dataclass(cls) and _generated_init(cls):
        return _construct_dataclass(interp, cls, args, kwargs)
    init = cls.__init__  # type: ignore[misc]
    if isinstance(init, types.FunctionType) and is_user(init) and not issubclass(cls, BaseException) and _plain_new(cls):
        ref = interp.heap.new("instance", cls, (), ())
        interp.call(of_class(interp, cls, "__init__"), (ref, *args), kwargs, hint, False)
        return ref
    if not issubclass(cls, BaseException) and is_pure(cls) and all(is_static(interp, arg) for arg in (*args, *kwargs.values())):
        found = fold(interp, cls, args, kwargs)
        if found is not None:
            return found
    if init is object.__init__ and _plain_new(cls) and not args and not kwargs and cls.__module__ != "builtins":
        return interp.heap.new("instance", cls, (), ())
    return opaque(interp, cls, args, kwargs, hint, wanted)


def _defaults_of_tuple(interp: Interpreter, cls: Any) -> Kwargs:
    """The values that a named tuple takes for fields that are not given: those of its `__new__`, which a program may set."""
    made = Access((("attribute", "__new__"), ("attribute", "__defaults__")), Lit(cls))
    values = from_outside(interp, cls.__new__.__defaults__, made)
    items = values.items if isinstance(values, Tuple) else ()
    return dict(zip(cls._fields[len(cls._fields) - len(items) :], items, strict=True))


def _plain_new(cls: Any) -> bool:
    return cls.__new__ is object.__new__


def _generated_init(cls: type) -> bool:
    return getattr(cls.__init__, "__code__", None) is None or cls.__init__.__code__.co_filename == "<string>"  # type: ignore[misc]


def _default_of(interp: Interpreter, cls: Any, field: dataclasses.Field[Any]) -> Value:
    """The default of a field of a dataclass: that of the parameter, if it is one of `__init__`."""
    if field.init:
        of_parameter = Access((("attribute", "__init__"), ("default", field.name)), Lit(cls))
        return from_outside(interp, of_parameter.read(cls), of_parameter)
    stated = Access((("attribute", "__dataclass_fields__"), ("item", field.name), ("attribute", "default")), Lit(cls))
    return from_outside(interp, field.default, stated)


def _construct_dataclass(interp: Interpreter, cls: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    fields = [field for field in dataclasses.fields(cls) if field.init]
    positional = [field.name for field in fields if not field.kw_only]
    values: Kwargs = {**dict(zip(positional, args, strict=False)), **kwargs}
    items: Kwargs = {}
    for field in dataclasses.fields(cls):
        if field.init and field.name in values:
            items[field.name] = values[field.name]
        elif field.default is not dataclasses.MISSING:
            items[field.name] = _default_of(interp, cls, field)
        elif field.default_factory is not dataclasses.MISSING:
            items[field.name] = interp.call(constant(interp, field.default_factory), ())
        elif field.init:
            return interp.fail(TypeError, f"{cls.__name__}.__init__() missing the argument '{field.name}'")
    ref = interp.heap.new("instance", cls, tuple(items), tuple(items.values()))
    if hasattr(cls, "__post_init__"):
        interp.call(of_class(interp, cls, "__post_init__"), (ref,), {}, "tmp", False)
    return ref
