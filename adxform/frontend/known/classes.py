"""Attributes by name, classes of values, and what makes callables."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import operator
import sys
import types
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Known, Kwargs
from adxform.frontend.evaluate import attributes
from adxform.frontend.evaluate.classes import getters, protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.classes.protocols import class_of
from adxform.frontend.evaluate.classes.python_classes import VIEWS, stands_in
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import from_outside, guard, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    FunctionValue,
    InnerPullback,
    Method,
    Once,
    Range,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    View,
    is_unknown,
)
from adxform.frontend.signature import python_class, refused_arrays
from adxform.frontend.signature.access import Access, Defines, Derives, Fits, Has
from adxform.frontend.signature.class_meaning import changes
from adxform.frontend.types import forgotten_kinds
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.definition import StandIn
from adxform.primitives.definitions.flat_entries import FlatEntries
from adxform.threads.locks import imported


def _setattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    attributes.store(interp, args[0], interp.static(args[1], "an attribute name"), args[2])
    return NONE


def _set_global(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``name = value`` under ``global name``."""
    scope = interp.frames[-1].scope
    name = interp.static(args[0], "the name of a variable")
    if scope is None:
        raise interp.outside_write(f"the global variable `{name}`")
    places.store(interp, places.module_of(interp, scope.fn, scope.access), name, args[1])
    return NONE


def _setattr_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__setattr__(x, name, value)``, which asks no ``__setattr__`` of the class."""
    match args:
        case (Ref(kind="instance") | Static() as owner, name, value) if not kwargs:
            attributes.store_by_object(interp, owner, interp.static(name, "an attribute name"), value)
            return NONE
        case _:
            return None


def _getattribute_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__getattribute__(x, name)``, which asks no ``__getattribute__`` of the class."""
    match args:
        case (Ref(kind="instance", cls=cls) as owner, name) if not kwargs and find(cls, "__getattr__") is MISSING:
            return attributes.load_by_object(interp, owner, interp.static(name, "an attribute name"))
        case _:
            return None


def _delattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    attributes.delete(interp, args[0], interp.static(args[1], "an attribute name"))
    return NONE


def _delattr_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__delattr__(x, name)``, which asks no ``__delattr__`` of the class."""
    match args:
        case (Ref(kind="instance") as owner, name) if not kwargs:
            attributes.delete_by_object(interp, owner, interp.static(name, "an attribute name"))
            return NONE
        case (Static(), _):
            return _delattr(interp, args, kwargs, hint)
        case _:
            return None


def _init_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return NONE if len(args) == 1 and isinstance(args[0], Ref) and not kwargs else None


def _super(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``super(cls, x)``, of which attributes are read."""
    match args:
        case (Static(cls) | Lit(cls), Ref(kind="instance") | Tuple() | Static() | Lit()) if isinstance(cls, type):
            return interp.heap.new("instance", super, ("__thisclass__", "__self__"), args)
        case ():
            return interp.fail(RuntimeError, "super(): no arguments")
        case _:
            raise interp.error("this form of `super` cannot be followed", "name the base class: `Base.method(self, …)`")


_BESIDE_TUPLES = ("__add__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_OF_TUPLES = {
    "__len__": len,
    "__iter__": iter,
    **{name: getattr(operator, name) for name in ("__contains__", "__getitem__", "__mul__", *_BESIDE_TUPLES)},
}
"""Methods of tuples by the functions that ask them."""


def _method_of_tuple(name: str) -> Handler:
    """The method `name` of tuples, called by its name: the operator on the tuple as such; beside anything else, refused."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if not args or not isinstance(args[0], Tuple) or kwargs:
            return None
        plain = tuple(Tuple(arg.items) if isinstance(arg, Tuple) else arg for arg in args)
        if name in _BESIDE_TUPLES and not (len(plain) == 2 and isinstance(plain[1], Tuple)):
            raise interp.error(f"`{name}` of a tuple and of what is none", "write the operator")
        return interp.call(Lit(_OF_TUPLES[name]), plain, hint=hint)

    return handler


def _getattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    name = interp.static(args[1], "an attribute name")
    if len(args) == 3 and is_unknown(args[0]):
        return _unknown_or(interp, args, hint)
    if len(args) == 3 and not _has(interp, args[0], name):
        return args[2]
    return interp.attribute(args[0], name, hint)


def _unknown_or(interp: Interpreter, args: Args, hint: str) -> Answer:
    """``getattr(x, name, default)`` of an object of which nothing is known."""
    operands = tuple(map(interp.operand, args))
    if any(is_inexact(var.type) for var in variables(operands[2])):
        message = "whether an object of which nothing is known has an attribute decides between that and floats"
        raise interp.error(message, "ask `hasattr` first, in a condition")
    return interp.emit(getattr, operands, Object(), hint)


def _hasattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if is_unknown(args[0]):
        return interp.emit(hasattr, tuple(map(interp.operand, args)), BOOL, hint)
    return Lit(_has(interp, args[0], interp.static(args[1], "an attribute name")))


def _has(interp: Interpreter, value: Value, name: str) -> bool:
    match value:
        case Var(_, Array()):
            return _of_instances(np.ndarray, name)
        case Var(_, Scalar(dtype, weak)):
            return _of_instances(python_class(dtype, weak), name)
        case Ref(kind="instance") | Tuple():
            return _object_has(interp, value, name)
        case Ref(cls=cls):
            return _of_instances(cls, name)
        case Static(found, access):
            return _found(interp, found, name, access)
        case Lit(found):
            return hasattr(found, name)
        case Once() | View() | Range() | Slice() if (known := _class_of(interp, value)) is not None:
            return _of_instances(known, name)
        case _:
            raise interp.error(
                f"whether this value has `{name}` cannot be told", "test its class instead, or leave the default out"
            )


def _of_instances(cls: type, name: str) -> bool:
    """Whether instances of `cls`, without attributes of their own, have `name`: what only the class has does not count."""
    return find(cls, name) is not MISSING


def _object_has(interp: Interpreter, value: Ref | Tuple, name: str) -> bool:
    """Whether an object that the function makes has the attribute `name`, where nothing has to run to tell."""
    cls = value.cls
    found = find(cls, name)
    known = isinstance(value, Ref) and interp.contents(value).get(name) is not None
    there = found is not MISSING and not isinstance(found, types.MemberDescriptorType)
    asked = None
    if isinstance(find(cls, "__getattribute__"), types.FunctionType):
        asked = "`__getattribute__`"
    elif isinstance(found, property | functools.cached_property) or _is_own_descriptor(found):
        asked = f"a {type(found).__name__}, which may raise"
    elif not known and not there and find(cls, "__getattr__") is not MISSING:
        asked = "`__getattr__`"
    if asked is not None:
        message = f"whether an object of `{cls.__name__}` has `{name}` is told by {asked}"
        way = (
            "write a property or a method in its place" if asked == "`__getattribute__`" else f"read `.{name}` without a default"
        )
        raise interp.error(message, f"ask its class, `hasattr({cls.__name__}, {name!r})`, or {way}")
    if not known:
        guard(interp, Access((), Lit(cls)), Defines(name, found is not MISSING))
    return known or there


def _is_own_descriptor(found: Any) -> bool:
    """Whether what a class holds is an object of a class of the user that decides what reading the attribute means."""
    return isinstance(find(type(found), "__get__"), types.FunctionType)


def _found(interp: Interpreter, owner: Any, name: str, access: Access | None) -> bool:
    """Whether `owner`, which a program may change, has the attribute `name` now; each call asks again."""
    if places.is_set(interp, owner, name):
        return True
    if getters.changes_where_asked(owner, name):
        message = f"asked whether it has `{name}`, an object of `{type(owner).__name__}` may change something"
        raise interp.error(message, f"ask its class, or read `.{name}` without a default")
    try:
        there = hasattr(owner, name)
    except Exception as error:
        message = f"asked whether it has `{name}`, an object of `{type(owner).__name__}` raises {type(error).__name__}: {error}"
        raise interp.error(message, "ask its class, or ask outside of the function") from error
    guard(interp, access, Has(name, there))
    return there


def _isinstance(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cls = _class_of(interp, args[0])
    if cls is None:
        return None
    classes = _classes(interp, args[1])
    if cls is np.ndarray and any(map(_is_kind_of_array, classes if isinstance(classes, tuple) else (classes,))):
        raise interp.error("of which subclass of arrays an array is cannot be told", "test it outside of the function")
    if not interp.in_own_code and stands_in(cls) and _is_asked_of_scipy(classes):
        raise interp.error(_STANDS_IN, "ask what it has, `hasattr(…)`, or ask outside of the function")
    given = args[0]
    if (asked := _instance_check(cls, classes)) is not None:
        raise interp.error(asked, "compare the class itself: `type(x) is C`")
    if (protocol := _protocol_in(classes)) is not None and (isinstance(given, Static) or changes(cls)):
        return _fits(interp, given, cls, classes, protocol)
    try:
        found = _derives(interp, cls, classes)
    except TypeError:
        return _asked(interp, given, classes)
    if isinstance(given, Var) and isinstance(given.type, Scalar):
        kinds = {issubclass(python_class(kind.dtype, kind.weak), classes) for kind in alternatives(given.type)}
        if len(kinds) > 1:
            raise interp.error("the class of this number depends on the run", "convert it, e.g. with `float(…)`")
        (found,) = kinds
    return Lit(found)


def _fits(interp: Interpreter, given: Value, cls: type, classes: Any, protocol: type) -> Answer:
    """Whether `given`, of class `cls`, is an instance of one of `classes`; what it has of its own may make it fit `protocol`."""
    match given:
        case Static(found, access):
            there = isinstance(found, classes)
            guard(interp, access, Fits(Lit(classes), there))
            return Lit(there)
        case _ if _class_fits(interp, cls, classes):
            return Lit(True)
        case _:
            message = f"whether an object has the attributes of the protocol `{protocol.__name__}` cannot be told of its class"
            raise interp.error(message, "ask for the attributes, `hasattr(…)`, or for a class")


def _class_fits(interp: Interpreter, cls: type, classes: Any) -> bool:
    """Whether all objects of `cls` are instances of one of `classes`, whatever attributes they have of their own."""
    try:
        return issubclass(cls, classes) and _derives(interp, cls, classes)
    except TypeError:  # no class is asked about a protocol with data
        return False


def _protocol_in(classes: Any) -> type | None:
    """The first of `classes` of which objects are instances by what they have."""
    if isinstance(classes, tuple):
        return next(filter(None, map(_protocol_in, classes)), None)
    return classes if isinstance(classes, type) and getattr(classes, "_is_protocol", False) else None


def _asked(interp: Interpreter, given: Value, classes: Any) -> Answer:
    """Whether `given` is an instance of what no class can be asked of: a protocol with data."""
    if is_static(interp, given):
        return interp.evaluate(isinstance, (interp.static(given, "an object"), classes))
    try:
        isinstance(None, classes)
    except TypeError as error:
        return interp.fail(TypeError, str(error))
    message = "whether this is an instance of a protocol with data cannot be told of its class"
    raise interp.error(message, "ask for the attributes, `hasattr(…)`, or for a class")


def _is_kind_of_array(cls: Any) -> bool:
    """Whether `cls` is a class of arrays that an argument can be of; those of the latter two are refused."""
    arrays = isinstance(cls, type) and issubclass(cls, np.ndarray) and cls is not np.ndarray
    return arrays and not issubclass(cls, refused_arrays())


def _instance_check(cls: type, classes: Any) -> str | None:
    """Why it is for a metaclass to say whether an object of class `cls` is an instance of one of `classes`; else ``None``."""
    for one in classes if isinstance(classes, tuple) else (classes,):
        if isinstance(one, tuple):
            inner = _instance_check(cls, one)
            if inner is not None:
                return inner
        elif isinstance(one, type) and one is not cls:
            hooks = [name for name in ("__instancecheck__", "__subclasscheck__") if _own(one, name)]
            if hooks:
                return f"the metaclass of `{one.__name__}` defines `{hooks[0]}`"
    return None


def _own(cls: type, name: str) -> bool:
    """Whether the metaclass of `cls` is one of the user's that defines `name`."""
    return protocols.has_own_metaclass(cls) and isinstance(find(type(cls), name), types.FunctionType)


def _classes(interp: Interpreter, value: Value) -> Any:
    if isinstance(value, Tuple):
        return tuple(_classes(interp, item) for item in value.items)
    return interp.static(value, "a class")


def _issubclass(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cls, classes = interp.static(args[0], "a class"), _classes(interp, args[1])
    for one in classes if isinstance(classes, tuple) else (classes,):
        if isinstance(one, type) and _own(one, "__subclasscheck__"):
            raise interp.error(f"the metaclass of `{one.__name__}` defines `__subclasscheck__`", "compare the classes themselves")
    try:
        return Lit(_derives(interp, cls, classes))
    except TypeError as error:
        return interp.fail(TypeError, str(error))


def _derives(interp: Interpreter, cls: type, classes: Any) -> bool:
    """Whether `cls`, whose bases a program may set and which may be registered later, is a subclass of one of `classes`."""
    found = issubclass(cls, classes)
    guard(interp, rooted(cls).access, Derives(Lit(classes), found))
    return found


def _class_of(interp: Interpreter, value: Value) -> type | None:
    match value:
        case Var(_, Array(_, None)):
            raise interp.error("whether this is a number or an array cannot be told", "give it one kind on every path")
        case Slice():
            return slice
        case Range():
            return range
        case View(part=part):
            return VIEWS[part]
        case Once(cls=cls):
            if cls is None:
                raise interp.error("of which class this iterator is cannot be told", "make it a list, and ask that")
            return cls
        case Method():
            return _class_of_method(interp, value)
        case Ref(cls=cls) if cls is FlatEntries:
            return np.flatiter
        case Ref(cls=cls) if issubclass(cls, StandIn) and not interp.in_own_code:
            raise interp.error("of which class this object of NumPy is cannot be told", "ask outside of the function")
        case _:
            return class_of(value)


def _class_of_method(interp: Interpreter, method: Method) -> type:
    """The class of a partial application, of a method written in Python, or of one written in C."""
    if method.partial:
        return functools.partial
    fn = method.fn
    if isinstance(fn, FunctionValue) or (isinstance(fn, Static | Lit) and isinstance(fn.value, types.FunctionType)):
        return types.MethodType
    if isinstance(fn, Static | Lit) and isinstance(fn.value, types.MethodDescriptorType | types.BuiltinFunctionType | Known):
        return types.BuiltinMethodType
    raise interp.error("of which class this method is cannot be told", "ask `callable(…)`")


def _type(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cls = _class_of(interp, args[0]) if len(args) == 1 else None
    forgotten_kinds.refuse_class(interp, args)
    if len(args) == 1 and isinstance(args[0], Var) and isinstance(args[0].type, Scalar) and len(args[0].type.kinds) > 1:
        raise interp.error("the class of this number depends on the run", "convert it, e.g. with `float(…)`")
    if cls is not None and stands_in(cls) and not interp.in_own_code:
        raise interp.error(_STANDS_IN, "ask what it has, `hasattr(…)`, or ask outside of the function")
    return None if cls is None else rooted(cls)


_STANDS_IN = "the class is asked of an object for which adxform has one of its own, that stands for SciPy's"


def _is_asked_of_scipy(classes: Any) -> bool:
    """Whether one of `classes` is of SciPy's, or one that such a class is made of, or fits."""
    if isinstance(classes, tuple):
        return any(map(_is_asked_of_scipy, classes))
    home = getattr(classes, "__module__", "").partition(".")[0]
    return classes is dict or home in ("scipy", "collections", "typing", "abc") or isinstance(classes, types.UnionType)


def _callable(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    match args[0]:
        case FunctionValue() | Method() | InnerPullback():
            return Lit(True)
        case Static() | Lit() | Ref() | Tuple() if (cls := class_of(args[0])) is not None:
            there = find(cls, "__call__") is not MISSING
            guard(interp, rooted(cls).access, Defines("__call__", there))
            return Lit(there)
        case value if is_unknown(value):
            return interp.emit(callable, (interp.operand(value),), BOOL, hint)
        case _:
            return Lit(False)


def _import(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    name, package = (interp.static(arg, "a module name") for arg in (*args, NONE)[:2])
    module, name = imported(name, package), importlib.util.resolve_name(name, package)
    held = Access((("attribute", "modules"), ("item", name)), Lit(sys))
    return from_outside(interp, module, held if sys.modules.get(name) is module else Access((), Lit(module)))


def _partial(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if not args:
        return interp.fail(TypeError, "type 'partial' takes at least one argument")
    return Method(args[0], args[1:], tuple(kwargs.items()), partial=True)


def _replace(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``dataclasses.replace``: the class is called with the fields of an object, and with those that change."""
    match args:
        case (Ref(cls=cls) as given,) if dataclasses.is_dataclass(cls):
            fields = dataclasses.fields(cls)
            own = getattr(cls, "__replace__", None)  # which Python has from 3.13 on
            asks = any(str(field._field_type) == "_FIELD_INITVAR" for field in cls.__dataclass_fields__.values())  # type: ignore[attr-defined]
            if asks or getattr(own, "__module__", "dataclasses") != "dataclasses":
                return None
            if any(not field.init and field.name in kwargs for field in fields):
                return None
            kept = [field.name for field in fields if field.init and field.name not in kwargs]
            return interp.call(Static(cls), (), {**{name: interp.attribute(given, name) for name in kept}, **kwargs}, hint)
        case _:
            return None


def _refused(fn: Any) -> Handler:
    """What sees the names or the text of the program that runs, which is another one here."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        raise interp.error(f"`{fn.__name__}` is not supported", "use the names themselves")

    return handler


def _update_wrapper(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The wrapper as it is: names and docstrings matter to nobody here."""
    return args[0] if args else kwargs["wrapper"]


def _change_of_class(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    raise interp.outside_write("a class")


TABLE: dict[Any, Handler] = {
    super: _super,
    **{fn: _refused(fn) for fn in (locals, globals, eval, exec, dir)},
    setattr: _setattr,
    intrinsics.set_global: _set_global,
    object.__setattr__: _setattr_of_object,
    type.__setattr__: _change_of_class,
    type.__delattr__: _change_of_class,
    delattr: _delattr,
    object.__delattr__: _delattr_of_object,
    object.__getattribute__: _getattribute_of_object,
    object.__init__: _init_of_object,
    **{getattr(tuple, name): _method_of_tuple(name) for name in _OF_TUPLES},
    getattr: _getattr,
    hasattr: _hasattr,
    isinstance: _isinstance,
    issubclass: _issubclass,
    type: _type,
    callable: _callable,
    importlib.import_module: _import,
    functools.partial: _partial,
    functools.update_wrapper: _update_wrapper,
    dataclasses.replace: _replace,
}
