"""Calls of classes: named tuples, dataclasses, and classes of the user."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import types
from collections import Counter
from collections.abc import Iterable
from typing import Any

from adxform.frontend.calls.opaque import opaque
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.classes.class_attributes import of_class
from adxform.frontend.evaluate.classes.class_contents import find, is_generated, is_native, is_of_objects, refuse_named_tuple
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.one_of_several import on_each
from adxform.frontend.evaluate.folding import fold
from adxform.frontend.evaluate.operands import are_static, known
from adxform.frontend.evaluate.outside.guards import constant, from_outside, guard, rooted
from adxform.frontend.evaluate.parts import stored_attributes
from adxform.frontend.evaluate.pure_functions import is_pure
from adxform.frontend.evaluate.set_orders import as_constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, OneOf, Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, Raises, default_of
from adxform.ir.ops import Lit
from adxform.ir.spans import is_followed, written_in

Kwargs = dict[str, Value]
_NAMESPACE: Any = types.SimpleNamespace
_MAKE = ("collections", "namedtuple.<locals>._make")


def construct(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """``cls(*args, **kwargs)``"""
    if (member := _member(interp, cls, args, kwargs)) is not None:
        return member
    if find(type(cls), "__call__") is not type.__call__:
        return opaque(interp, cls, args, kwargs, hint, wanted)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(interp, cls, args, kwargs)
    if inspect.isabstract(cls) and _plain_new(cls):
        names = ", ".join(sorted(cls.__abstractmethods__))  # type: ignore[attr-defined]
        return interp.fail(TypeError, f"Can't instantiate abstract class {cls.__name__} with abstract methods {names}")
    init: Any = find(cls, "__init__")
    if (plain := own_containers.plain_class(cls)) is not None and not (cls is Counter and _counts(interp, args)):
        return _container(interp, cls, plain, init, (args, kwargs), hint)
    if init is _NAMESPACE.__init__ and cls.__new__ is _NAMESPACE.__new__ and not args:
        return interp.heap.new("instance", cls, tuple(kwargs), tuple(kwargs.values()))
    followed = not issubclass(cls, BaseException) and _plain_new(cls)
    if followed and (owner := _dataclass_of(cls)) is not None:
        return _dataclass(interp, cls, owner, args, kwargs)
    if followed and isinstance(init, types.FunctionType) and is_followed(init):
        return _initialised(interp, cls, interp.heap.new("instance", cls, (), ()), args, kwargs, hint)
    if isinstance(cls.__new__, types.FunctionType) and _is_users(cls.__new__) and is_of_objects(cls):
        interp.begins_objects = True
        if not interp.knowledge.follows_new and are_static(interp, (*args, *kwargs.values())):
            return opaque(interp, cls, args, kwargs, hint, wanted)
        return _by_new(interp, cls, args, kwargs, hint)
    return _by_call(interp, cls, args, kwargs, hint, wanted)


def _is_users(fn: types.FunctionType) -> bool:
    """Whether the text of `fn` is read, and it is none of Python's own: a fraction of constants is one."""
    return is_followed(fn) and written_in(fn).partition(".")[0] not in sys.stdlib_module_names


def _by_new(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    """What the `__new__` of a class gives, which may be any object; its `__init__` is called where that is of the class."""
    made = interp.call(of_class(interp, cls, "__new__"), (rooted(cls), *args), kwargs, hint)
    return _initialised(interp, cls, made, args, kwargs, hint)


def _initialised(interp: Interpreter, cls: type, made: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    """What was made for a call of `cls`, by its `__new__` or as such, after its `__init__` where it is an object of `cls`."""

    def initialised(one: Value) -> Value:
        return _initialised(interp, cls, one, args, kwargs, hint)

    match made:
        case OneOf():
            return on_each(interp, made, initialised, hint)
        case Maybe(present, held):
            there = interp.operand(present)
            return branch(interp, there, lambda: [initialised(held)], lambda: [NONE], [hint], interp.span)[0]
        case Ref(kind="instance", cls=own) | Static(object(__class__=own)) if issubclass(own, cls):
            init = find(own, "__init__")
        case _:
            return made
    if init is object.__init__:
        return made
    result = interp.call(of_class(interp, own, "__init__"), (made, *args), kwargs, hint, False)
    if interp.force(result) != NONE:
        return interp.fail(TypeError, "__init__() should return None")
    return made


def _counts(interp: Interpreter, args: tuple[Value, ...]) -> bool:
    """Whether the run makes a `Counter`: it counts things, or could not be followed as a dict of counts that may move."""
    if any(not isinstance(arg, Ref) or not issubclass(arg.cls, dict) for arg in args):
        return True
    interp.makes_counters = True
    return not interp.knowledge.follows_counters


def _by_call(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """What a class makes whose code is not followed: computed now of constants, an object without a trace, or left to the run."""
    constants = tuple(as_constant(interp, arg) for arg in args) if cls is str else args
    pure = not issubclass(cls, BaseException) and is_pure(cls)
    if pure and are_static(interp, (*constants, *kwargs.values())):
        found = fold(interp, cls, constants, kwargs)
        if found is not None:
            return found
    if find(cls, "__init__") is object.__init__ and _plain_new(cls) and cls.__module__ != "builtins":
        if args or kwargs:
            return interp.fail(TypeError, f"{cls.__name__}() takes no arguments")
        return interp.heap.new("instance", cls, (), ())
    return opaque(interp, cls, args, kwargs, hint, wanted)


def _container(
    interp: Interpreter, cls: type, plain: type, init: Any, given: tuple[tuple[Value, ...], Kwargs], hint: str
) -> Value:
    """An object of a class of the program's whose objects are lists or dicts."""
    if dataclasses.is_dataclass(cls) or not (is_native(init) or is_followed(init)):
        raise interp.error(f"how a {cls.__name__} is made cannot be followed", "write an `__init__`")
    ref = own_containers.made(interp, cls, plain)
    result = interp.call(interp.attribute(ref, "__init__"), *given, hint, False)
    if interp.force(result) != NONE:
        return interp.fail(TypeError, "__init__() should return None")
    return ref


def _member(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The member of an enumeration that has a known value: ``Method("rk4")``; ``None`` of other calls."""
    one = type(cls) is enum.EnumMeta and len(args) == 1 and not kwargs and are_static(interp, args)
    if not one or find(cls, "_missing_") is not vars(enum.Enum)["_missing_"]:
        return None
    value = known(interp, args[0])
    member = next(
        (one for one in vars(cls)["_member_map_"].values() if type(one.value) is type(value) and one.value == value), None
    )
    return None if member is None else constant(interp, member)


def _defaults_of_tuple(interp: Interpreter, cls: Any) -> Kwargs:
    """The values that a named tuple takes for fields that are not given: those of its `__new__`, which a program may set."""
    made = Access((("attribute", "__new__"), ("attribute", "__defaults__")), Lit(cls))
    values = from_outside(interp, cls.__new__.__defaults__, made)
    items = values.items if isinstance(values, Tuple) else ()
    return dict(zip(cls._fields[len(cls._fields) - len(items) :], items, strict=True))


def _plain_new(cls: Any) -> bool:
    return cls.__new__ is object.__new__


def _named_tuple(interp: Interpreter, cls: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """An object of a named tuple, whose fields are what it is called with."""
    refuse_named_tuple(interp, cls)
    for name, plain in (("__new__", is_generated(cls.__new__)), ("__init__", cls.__init__ is object.__init__)):
        if not plain:
            message = f"the named tuple `{cls.__name__}` defines `{name}`"
            raise interp.error(message, "compute the fields in a function that calls the class with them")
    given = _bound(interp, cls.__new__, args, kwargs)
    fields: tuple[str, ...] = cls._fields
    if len(given) <= len(fields):
        given = {**_defaults_of_tuple(interp, cls), **given}
    _require(interp, cls.__new__, given, fields)
    return Tuple(tuple(given[field] for field in fields), cls)


def makes_of_items(fn: Any) -> bool:
    """Whether `fn` is the ``_make`` that `namedtuple` wrote for a class."""
    return isinstance(fn, types.FunctionType) and (fn.__module__, fn.__code__.co_qualname) == _MAKE


def made_of_items(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """``cls._make(iterable)``: an object of a named tuple whose fields are the items of one iterable."""
    cls, items = interp.static(args[0], "a class"), kwargs.get("iterable", *args[1:])
    refuse_named_tuple(interp, cls)
    given = interp.items(interp.call(Static(iter), (items,)))
    if len(given) != len(cls._fields):
        return interp.fail(TypeError, f"Expected {len(cls._fields)} arguments, got {len(given)}")
    return Tuple(tuple(given), cls)


def _signature(fn: Any) -> inspect.Signature:
    """The parameters of a method that was generated, without their annotations, which may be names of nothing yet."""
    bare = types.FunctionType(fn.__code__, {}, fn.__name__, fn.__defaults__, fn.__closure__)
    bare.__kwdefaults__ = fn.__kwdefaults__
    return inspect.signature(bare)


def _bound(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Kwargs:
    """What a call of `fn`, a method that was generated, gives its parameters by name; what does not fit raises."""
    try:
        return dict(_signature(fn).bind_partial(NONE, *args, **kwargs).arguments)
    except TypeError as error:
        interp.fail(TypeError, f"{fn.__qualname__}() {error}")
        raise


def _require(interp: Interpreter, fn: Any, given: Kwargs, wanted: Iterable[str]) -> None:
    """Let a call of `fn` raise that gives none of the parameters `wanted` for which there is no default."""
    missing = next((name for name in wanted if name not in given), None)
    if missing is not None:
        of_parameter = Access((("default", missing),), Lit(fn))
        guard(interp, of_parameter, Raises(LookupError, missing))
        interp.fail(TypeError, f"{fn.__qualname__}() missing a required argument: '{missing}'")


def _dataclass_of(cls: type) -> Any:
    """The class, `cls` or a base of it, whose ``__init__`` that of `cls` is, if `dataclasses` made it."""
    owner = next(base for base in cls.__mro__ if "__init__" in vars(base))
    generated = "__dataclass_fields__" in vars(owner) and is_generated(vars(owner)["__init__"])
    return owner if generated else None


def _default_of(interp: Interpreter, cls: Any, field: dataclasses.Field[Any]) -> Value:
    """The default of a field of a dataclass: that of the parameter, if it is one of `__init__`."""
    if field.init:
        of_parameter = Access((("attribute", "__init__"), ("default", field.name)), Lit(cls))
        return from_outside(interp, of_parameter.read(cls), of_parameter)
    stated = Access((("attribute", "__dataclass_fields__"), ("item", field.name), ("attribute", "default")), Lit(cls))
    return from_outside(interp, field.default, stated)


def _dataclass(interp: Interpreter, cls: type, owner: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """What the ``__init__`` that `dataclasses` wrote for `owner` does to an object of `cls`."""
    ref = interp.heap.new("instance", cls, (), ())
    initialise(interp, owner, (ref, *args), kwargs)
    return ref


def initialises(fn: Any, args: tuple[Value, ...]) -> Any:
    """The class whose ``__init__`` a call of `fn` is, if `dataclasses` made it and the function makes the object."""
    match args:
        case (Ref(kind="instance", cls=cls), *_) if is_generated(fn) and fn.__name__ == "__init__":
            return next((base for base in cls.__mro__ if vars(base).get("__init__") is fn), None)
        case _:
            return None


def initialise(interp: Interpreter, owner: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """What the ``__init__`` that `dataclasses` wrote for `owner` does to the object that is its first argument."""
    ref, *others = args
    assert isinstance(ref, Ref)
    given = _bound(interp, owner.__init__, tuple(others), kwargs)
    store = stored_attributes.store_by_object if owner.__dataclass_params__.frozen else stored_attributes.store
    passed_on: list[Value] = []
    for field in owner.__dataclass_fields__.values():
        value = given.get(field.name)
        if value is None:
            value = _default(interp, owner, field)
        if value is None and field.init and str(field._field_type) != "_FIELD_CLASSVAR":
            _require(interp, owner.__init__, given, (field.name,))
        if str(field._field_type) == "_FIELD_INITVAR":
            passed_on.append(NONE if value is None else value)
        elif value is not None:
            store(interp, ref, field.name, value)
    if "__post_init__" in owner.__init__.__code__.co_names:
        interp.call(interp.attribute(ref, "__post_init__"), tuple(passed_on), {}, "tmp", False)
    return NONE


def _default(interp: Interpreter, owner: Any, field: dataclasses.Field[Any]) -> Value | None:
    """What a field is where it is not given; ``None`` where the object has no such attribute of its own."""
    in_class = not field.init and isinstance(find(owner, field.name), type(field.default))  # and is read there
    if str(field._field_type) == "_FIELD_CLASSVAR":  # type: ignore[attr-defined]
        return None
    if field.default_factory is not dataclasses.MISSING:
        return interp.call(constant(interp, field.default_factory), ())
    if field.init:
        return _default_of(interp, owner, field) if _has_default(owner.__init__, field.name) else None
    return None if field.default is dataclasses.MISSING or in_class else _default_of(interp, owner, field)


def _has_default(fn: Any, name: str) -> bool:
    """Whether the parameter `name` of `fn` has a default now: a program may set other ones."""
    try:
        default_of(fn, name)
    except LookupError:
        return False
    return True
