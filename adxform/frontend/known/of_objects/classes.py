"""Classes of values, and what makes callables."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import operator
import sys
import types
import typing
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Known, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.classes.protocols import class_of
from adxform.frontend.evaluate.classes.python_classes import VIEWS, stands_in
from adxform.frontend.evaluate.operands import is_static
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
from adxform.frontend.signature.access import Access, Defines, Derives, Fits, HasClass
from adxform.frontend.signature.class_meaning import changes
from adxform.frontend.types import forgotten_kinds
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Scalar
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries
from adxform.primitives.definitions.definition import StandIn
from adxform.threads.locks import imported


def _isinstance(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if isinstance(args[0], Var) and isinstance(args[0].type, Array) and args[0].type.shape is None:
        return _is_number_or_array(interp, args[0], args[0].type, _classes(interp, args[1]))
    cls = class_as_found(interp, args[0])
    if cls is None and isinstance(args[0], Var) and args[0] in interp.of_run.generators:
        return _of_a_generator(interp.of_run.generators[args[0]], _classes(interp, args[1]))
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


def _is_number_or_array(interp: Interpreter, given: Var, type_: Array, classes: Any) -> Answer:
    """Whether what may be a number or an array is an instance of one of `classes`: the run is asked where that differs."""
    weak = (False, True) if type_.dtype in ("bool", "int64", "float64", "complex128") else (False,)
    kinds = () if _protocol_in(classes) else (np.ndarray, *(python_class(type_.dtype, own) for own in weak))
    array, *numbers = (issubclass(kind, classes) for kind in kinds) if kinds else (False,)
    if len(set(numbers)) != 1:
        raise interp.error("the class of this number depends on the run", "convert it, e.g. with `float(…)`")
    if numbers[0] is array:
        return Lit(array)
    asked = interp.emit(isinstance, (given, Lit(np.ndarray)), BOOL)
    return asked if array else interp.call(Lit(operator.not_), (asked,))


def _of_a_generator(cls: type, classes: Any) -> Answer:
    """Whether a generator of random numbers of class `cls`, or of one that derives from it, is an instance of `classes`."""
    among = classes if isinstance(classes, tuple) else (classes,)
    if any(not isinstance(one, type) or (one is not cls and issubclass(one, cls)) for one in among):
        return None
    return Lit(issubclass(cls, among))


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


def class_as_found(interp: Interpreter, value: Value) -> type | None:
    """The class of `value`, where it is known; refused where it may be a number or an array."""
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
    cls = class_as_found(interp, args[0]) if len(args) == 1 else None
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
    made_of = classes in (dict, tuple)
    return made_of or home in ("scipy", "collections", "typing", "abc") or isinstance(classes, types.UnionType)


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
    try:
        module = imported(name, package)
    except ImportError as error:
        return interp.fail(type(error), str(error))
    name = importlib.util.resolve_name(name, package)
    held = Access((("attribute", "modules"), ("item", name)), Lit(sys))
    return from_outside(interp, module, held if sys.modules.get(name) is module else Access((), Lit(module)))


def _partial(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if not args:
        return interp.fail(TypeError, "type 'partial' takes at least one argument")
    return Method(args[0], args[1:], tuple(kwargs.items()), partial=True)


def _replace(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``dataclasses.replace``: the class is called with the fields of an object, and with those that change."""
    given = args[0] if len(args) == 1 else NONE
    cls = given.cls if isinstance(given, Ref) else type(given.value) if isinstance(given, Static) else None
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    fields = dataclasses.fields(cls)
    own = getattr(cls, "__replace__", None)  # which Python has from 3.13 on
    asks = any(str(field._field_type) == "_FIELD_INITVAR" for field in cls.__dataclass_fields__.values())  # type: ignore[attr-defined]
    if asks or getattr(own, "__module__", "dataclasses") != "dataclasses":
        return None
    if any(not field.init and field.name in kwargs for field in fields):
        return None
    if isinstance(given, Static):
        guard(interp, given.access, HasClass(cls))
    kept = [field.name for field in fields if field.init and field.name not in kwargs]
    return interp.call(Static(cls), (), {**{name: interp.attribute(given, name) for name in kept}, **kwargs}, hint)


def _refused(fn: Any) -> Handler:
    """What sees the names or the text of the program that runs, which is another one here."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        raise interp.error(f"`{fn.__name__}` is not supported", "use the names themselves")

    return handler


def _update_wrapper(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The wrapper as it is: names and docstrings matter to nobody here."""
    return args[0] if args else kwargs["wrapper"]


def _cast(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The value as it is: what type it is said to have matters to type checkers alone."""
    return args[1] if len(args) == 2 else kwargs["val"]


def _assert_type(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The value as it is, as of `typing.cast`."""
    return args[0] if args else kwargs["val"]


def _names_here(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``locals()`` where the names are certain that have a value there."""
    fn, names = args
    return names if isinstance(fn, Static | Lit) and fn.value is locals else interp.call(fn, (), hint=hint)


TABLE: dict[Any, Handler] = {
    typing.cast: _cast,
    typing.assert_type: _assert_type,
    intrinsics.names_here: _names_here,
    **{fn: _refused(fn) for fn in (locals, globals, eval, exec, dir)},
    isinstance: _isinstance,
    issubclass: _issubclass,
    type: _type,
    callable: _callable,
    importlib.import_module: _import,
    functools.partial: _partial,
    functools.update_wrapper: _update_wrapper,
    dataclasses.replace: _replace,
}
