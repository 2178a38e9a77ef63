"""Operators of objects: the special methods of their classes, found and called as Python does.

Numbers and arrays of exactly Python's and NumPy's classes are the rule table's. With any other object an operator means what a
method of a class says: the object's own, or the reflected one, the one of a subclass first. Such a method is followed like any
other function. What a class written in C says to an object is known for numbers and arrays: that they do not know it, or that
they take it for the number that it is (an instance of a subclass of ``float`` that changes nothing). The rest is refused where
it is used.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.classes.class_attributes import from_class
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_generated, is_native
from adxform.frontend.evaluate.outside.guards import guard, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, InnerPullback, Method, Ref, Static, Tuple, Value, is_unknown
from adxform.frontend.signature import python_class
from adxform.frontend.signature.access import Defines, Is, path_to
from adxform.ir.kinds import alternatives, scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_followed
from adxform.ir.types import Array, Object, Scalar
from adxform.primitives.definitions import FOLLOWED
from adxform.primitives.table import lookup

NUMBERS = (int, float, complex)
_BUILTIN = frozenset([float, int, bool, complex, tuple, list, dict, set, frozenset, np.ndarray, type(NotImplemented)])
_LEFT_ALONE = (types.ModuleType, str, bytes, type(None), type(...), np.dtype, slice, range, np.ufunc, Operator)
CONVERTS = {"__bool__": bool, "__float__": float, "__int__": int, "__index__": int}
"""What a method that converts an object has to return."""
CONVERSIONS = ("__float__", "__int__", "__index__", "__complex__", "__array__", "__array_ufunc__", "__array_function__",
               "__array_interface__", "__array_struct__", "__array_priority__", "__array_wrap__",
               "__array_finalize__")  # fmt: skip
_TO_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "__len__", "__getitem__", "__buffer__")
_SCALARS_GIVE_WAY = -1_000_000.0  # NumPy's priority of its numbers, and of what has none

MIRRORED = {
    "__lt__": "__gt__",
    "__gt__": "__lt__",
    "__le__": "__ge__",
    "__ge__": "__le__",
    "__eq__": "__eq__",
    "__ne__": "__ne__",
}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "** or pow()", "matmul": "@",
         "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
         "lt": "<", "le": "<=", "gt": ">", "ge": ">="}  # fmt: skip

_UNARY = {"__neg__": "unary -", "__pos__": "unary +", "__invert__": "unary ~", "__abs__": "abs()"}

Said = Literal["taken", "not implemented", "unknown", "as a number of Python"]
Way = Literal["as not equal", "by the run", "followed", "as C says", ""]


def is_object(value: Value) -> bool:
    """Whether `value` is an object that may have operators of its own: no plain number, array, text, class or function."""
    match value:
        case Ref(kind="instance", cls=cls):
            return not issubclass(cls, Operator)
        case Tuple(cls=cls):
            return cls is not tuple
        case Static(found) | Lit(found):
            if isinstance(found, type):
                return has_own_metaclass(found)
            plain = type(found) in _BUILTIN or isinstance(found, _LEFT_ALONE) or scalar_type(found) is not None
            return not plain and not inspect.isroutine(found) and not type(found).__module__.startswith("adxform.")
        case _:
            return False


def has_own_metaclass(cls: type) -> bool:
    """Whether what `cls` does as an object is for a metaclass of the user's to say."""
    return type(cls) is not type and type(cls).__module__.partition(".")[0] not in _WITH_METACLASSES


_WITH_METACLASSES = ("builtins", "abc", "_abc", "enum", "typing", "_ctypes", "numpy", "scipy", "adxform")
"""Modules whose metaclasses change no operator of a class."""


def class_of(value: Value) -> type | None:
    """The class of `value`, where it is known; of what may be a number or an array that of arrays."""
    match value:
        case Var(_, Scalar(dtype, weak)):
            return python_class(dtype, weak)
        case Var(_, Array()):
            return np.ndarray
        case Tuple(cls=cls) | Ref(cls=cls):
            return cls
        case Static(found) | Lit(found):
            return type(found)
        case FunctionValue() | InnerPullback():
            return types.FunctionType
        case Method():
            return types.MethodType
        case _:
            return None


def _looked_up(interp: Interpreter, cls: type, name: str) -> Any:
    """As `find`; each call must find the same, or such a method as it reads anew."""
    found, access = find(cls, name), rooted(cls).access
    if is_native(found):
        guard(interp, path_to(access, ("attribute", name)), Is(getattr(cls, name)))
    else:
        guard(interp, access, Defines(name, found is not MISSING))
    return found


def special(interp: Interpreter, value: Value, name: str) -> Value | None:
    """The method `name` in the class of `value`, bound to it; ``None`` where there is none, or one written in C."""
    cls = class_of(value)
    if cls is None or not is_object(value):
        return None
    found = _looked_up(interp, cls, name)
    if found is None:  # the class says that it has no such operation
        return interp.fail(TypeError, f"'{cls.__name__}' object does not support {name}")
    if found is MISSING or is_native(found):
        return own_containers.method(interp, value, found)
    return from_class(interp, value, cls, name, found)


def converted(interp: Interpreter, method: Value, name: str, hint: str = "tmp") -> Value:
    """What `method`, which is `name` of an object, returns: of the class that Python asks for, or a `TypeError`."""
    found = interp.call(method, (), hint=hint)
    wanted, cls = CONVERTS[name], class_of(found)
    if cls is None or (isinstance(found, Var) and isinstance(found.type, Scalar) and len(alternatives(found.type)) > 1):
        raise interp.error(f"the class of what `{name}` returns cannot be told", f"convert it: `{wanted.__name__}(…)`")
    if not issubclass(cls, wanted):
        returned = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"
        interp.fail(TypeError, f"{name} should return {wanted.__name__}, returned {returned}")
    return found


def refused(interp: Interpreter, value: Value, what: str) -> AdxError:
    """The error for an object that is given to `what`, where only numbers and arrays can be followed."""
    cls = class_of(value)
    message = f"an object of class `{cls.__name__ if cls else 'object'}`, which is no plain number or array, is given to {what}"
    return interp.error(message, "convert it outside of the function, e.g. with `float(…)` or `np.asarray(…)`")


# -- numbers of subclasses -------------------------------------------------------------------------------------------


def decayed(interp: Interpreter, value: Value) -> Value:
    """`value`, an instance of a subclass of a number, as the number that it is; anything else as it is."""
    match value:
        case Static(found) | Lit(found) if isinstance(found, (*NUMBERS, np.generic)) and scalar_type(found) is None:
            if isinstance(value, Static):
                interp.pin(value)
            number = plain_number(found)
            return value if number is None else Lit(number)
        case _:
            return value


def as_number(interp: Interpreter, value: Value) -> Value:
    """As `decayed`, where nothing that the subclass says of conversions could be asked."""
    if isinstance(value, Tuple) and any(map(is_object, value.items)):
        return Tuple(tuple(as_number(interp, item) for item in value.items), value.cls)
    cls = class_of(value)
    if cls is None or not is_object(value) or not issubclass(cls, (*NUMBERS, np.generic)) or not _unchanged(cls):
        return value
    return decayed(interp, value)


def converts_itself(cls: type) -> bool:
    """Whether a class, of tuples, say, has a method that says which number or array its objects are."""
    return any(find(cls, name) is not MISSING for name in (*CONVERSIONS, "__floor__", "__ceil__", "__trunc__"))


def _unchanged(cls: type) -> bool:
    """Whether a subclass of a number leaves the conversions to others as they are."""
    own = cls.__mro__[: next(k for k, base in enumerate(cls.__mro__) if base.__module__ in ("builtins", "numpy"))]
    return not any(name in vars(base) for base in own for name in CONVERSIONS)


def plain_number(value: Any) -> Any:
    """The number of Python or NumPy that `value`, of a subclass, is; ``None`` where there is none of a supported kind."""
    match value:
        case np.generic():
            dtype = np.generic.dtype.__get__(value)
            return dtype.type(np.generic.item(value)) if dtype.kind in "biufc" else None
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case complex():
            return complex.__complex__(value)
        case _:
            return None


# -- operators -------------------------------------------------------------------------------------------------------


def binary(interp: Interpreter, fn: Callable[..., Any], a: Value, b: Value, hint: str) -> Value | None:
    """``fn(a, b)``, of which one is an object; ``None`` where that is left to the rule table, which refuses what it must."""
    left, right = class_of(a), class_of(b)
    if left is None or right is None or not (is_object(a) or is_object(b)):
        return None
    name = fn.__name__.rstrip("_")
    own, reflected = f"__{name}__", f"__r{name}__"
    tries = [(a, own, b)]
    if left is not right:
        first = issubclass(right, left) and find(right, reflected) is not find(left, reflected)
        tries.insert(0 if first else 1, (b, reflected, a))
    return _first_answer(interp, fn, tries, (a, b), hint)


def _first_answer(
    interp: Interpreter,
    fn: Callable[..., Any],
    tries: list[tuple[Value, str, Value]],
    operands: tuple[Value, Value],
    hint: str,
) -> Value | None:
    """What the first of the methods `tries` returns that does not say ``NotImplemented``."""
    left_open = False
    for owner, method, other in tries:
        cls = class_of(owner)
        assert cls is not None
        found = _looked_up(interp, cls, method)
        if found is None:
            return interp.fail(TypeError, f"unsupported operand type for {method}")
        if found is MISSING:
            continue
        if cls is Fraction and method not in ("__pow__", "__rpow__") and issubclass(class_of(other) or type, float | complex):
            return interp.call(Lit(fn), tuple(_fraction_as_float(interp, value) for value in operands), hint=hint)
        if _is_unseen(found) and is_object(owner):
            return _left_to_the_run(interp, fn, operands, hint)
        if not is_native(found) and is_object(owner):
            answer = _called(interp, owner, method, other, hint)
            if answer is not None:
                return answer
            continue
        answers = _native_answer(owner, cls, other)
        if answers == "unknown":
            _refuse_own_operator(interp, tries)
            return None
        if answers in ("taken", "as a number of Python"):
            return interp.call(Lit(fn), _as_taken(interp, owner, cls, operands, whole=answers == "taken"), hint=hint)
        left_open = left_open or not issubclass(cls, (*NUMBERS, np.generic, np.ndarray))
    return None if left_open else _unsupported(interp, fn, operands)


def _as_taken(interp: Interpreter, owner: Value, cls: type, operands: tuple[Value, Value], *, whole: bool) -> tuple[Value, ...]:
    """The operands as the method of `owner`, of `cls`, takes them: the `whole` of them converted, or `owner` made a number."""
    if whole:
        return tuple(_taken(interp, cls, value) for value in operands)
    number = interp.call(interp.attribute(owner, "item"), ())
    return tuple(number if value is owner else value for value in operands)


def _unsupported(interp: Interpreter, fn: Callable[..., Any], operands: tuple[Value, Value]) -> Value:
    """Raise as Python does where no operand has the operator."""
    a, b = (class_of(value) for value in operands)
    names = f"'{a.__name__ if a else ''}' and '{b.__name__ if b else ''}'"
    return interp.fail(TypeError, f"unsupported operand type(s) for {SIGNS.get(fn.__name__.rstrip('_'), fn.__name__)}: {names}")


def _refuse_own_operator(interp: Interpreter, tries: list[tuple[Value, str, Value]]) -> None:
    """Raise where NumPy's operator makes an array of a tuple, since that has an operator of its own."""
    for owner, method, _ in tries:
        if isinstance(owner, Tuple) and not is_native(found := find(owner.cls, method)) and found is not MISSING:
            raise refused(interp, owner, "an operator of NumPy")


def _taken(interp: Interpreter, cls: type, value: Value) -> Value:
    """`value` as the operators of `cls`, a class of numbers or a subclass, take it: Python's know Python's numbers only."""
    value = decayed(interp, value)
    numpy = issubclass(class_of(value) or object, np.generic) and not issubclass(cls, np.generic | np.ndarray)
    return interp.call(interp.attribute(value, "item"), ()) if numpy else value


def _fraction_as_float(interp: Interpreter, value: Value) -> Value:
    """`value`, a fraction as the float that its operators make of it where the other operand is one."""
    match value:
        case Static(Fraction() as found) | Lit(Fraction() as found):
            return Lit(float(interp.pin(value) if isinstance(value, Static) else found))
        case _:
            return decayed(interp, value)


def _called(interp: Interpreter, owner: Value, method: str, other: Value, hint: str) -> Value | None:
    """What the special method says to `other`; ``None`` if ``NotImplemented``."""
    cls = class_of(owner)
    if cls is not None and is_generated(find(cls, method)):
        return _compared_by_fields(interp, cls, owner, method, other, hint)
    bound = special(interp, owner, method)
    assert bound is not None
    result = interp.call(bound, (other,), hint=hint)
    if isinstance(result, Var) and is_unknown(result):
        return interp.emit(runtime.answered, (result,), Object(), hint)
    return None if isinstance(result, Static | Lit) and result.value is NotImplemented else result


def _is_unseen(method: Any) -> bool:
    """Whether a special method is of a library, without a definition: it is not followed, and may say ``NotImplemented``."""
    if not isinstance(method, types.FunctionType) or is_generated(method) or is_followed(method):
        return False
    return lookup(method) is None and method not in FOLLOWED


def _left_to_the_run(interp: Interpreter, fn: Callable[..., Any], operands: tuple[Value, Value], hint: str) -> Value:
    """``fn(*operands)``, of which Python finds the method that answers."""
    return interp.emit(fn, tuple(map(interp.operand, operands)), Object(), hint)


def _compared_by_fields(interp: Interpreter, cls: type, owner: Value, method: str, other: Value, hint: str) -> Value | None:
    """What a comparison says that `dataclasses` wrote: objects of one class are compared as the tuples of their fields."""
    if class_of(other) is not cls:
        return None
    writer: Any = next(base for base in cls.__mro__ if method in vars(base))
    names = [field.name for field in dataclasses.fields(writer) if field.compare]
    sides = tuple(Tuple(tuple(interp.attribute(value, name) for name in names)) for value in (owner, other))
    return interp.call(Lit(getattr(operator, method.strip("_"))), sides, hint=hint)


def _native_answer(owner: Value, cls: type, other: Value) -> Said:
    """What an operator that `cls`, written in C, has for its instance `owner` does with `other`."""
    others = class_of(other)
    assert others is not None
    if issubclass(cls, np.generic | np.ndarray):
        return _answer_of_numpy(owner, cls, other, others)
    for number, taken in ((int, (int,)), (float, (int, float)), (complex, NUMBERS)):
        if issubclass(cls, number):
            return "taken" if issubclass(others, taken) else "not implemented"
    if any(issubclass(cls, kind) and issubclass(others, kind) for kind in (tuple, list, dict, (set, frozenset))):
        return "unknown"
    return "not implemented" if cls in _BUILTIN or issubclass(cls, tuple) else "unknown"


def _answer_of_numpy(owner: Value, cls: type, other: Value, others: type) -> Said:
    if is_object(owner):  # a subclass, whose operators are NumPy's
        simple = issubclass(cls, np.generic) and _unchanged(cls)
        return "taken" if simple and (not is_object(other) or (issubclass(others, NUMBERS) and _unchanged(others))) else "unknown"
    protocol = find(others, "__array_ufunc__")
    if protocol is None:
        return "not implemented"
    if protocol is not MISSING and not issubclass(others, np.generic):
        return "unknown"
    priority = getattr(other.value if isinstance(other, Static | Lit) else others, "__array_priority__", _SCALARS_GIVE_WAY)
    if not issubclass(others, (*NUMBERS, np.generic)) or not _unchanged(others):
        is_array = issubclass(cls, np.ndarray)
        if isinstance(owner, Var) and owner.type == Array("float64", None) and _SCALARS_GIVE_WAY < priority <= 0.0:
            return "unknown"
        if priority > (0.0 if is_array else _SCALARS_GIVE_WAY):
            return "not implemented"
        arrayed = is_array or any(find(others, name) is not MISSING for name in _TO_ARRAYS)
        return "unknown" if arrayed or issubclass(others, (*NUMBERS, np.generic)) else "as a number of Python"
    return "taken"


def in_place(interp: Interpreter, fn: Callable[..., Any], a: Value, b: Value, hint: str) -> Value | None:
    """What the name ``a`` is after ``a op= b``, by a method for that; ``None`` where there is none, or it says so."""
    name, cls = f"__{fn.__name__}__", class_of(a)
    if cls is None or not is_object(a):
        return None
    if issubclass(cls, np.ndarray) and is_native(find(cls, name)):
        raise refused(interp, a, f"`{SIGNS.get(fn.__name__.removeprefix('i'), fn.__name__)}=`")
    return _called(interp, a, name, b, hint) if special(interp, a, name) is not None else None


def unary(interp: Interpreter, fn: Callable[..., Any], x: Value, hint: str) -> Value | None:
    """``fn(x)`` of an object; ``None`` where that is left to the rule table."""
    name = f"__{fn.__name__.rstrip('_')}__"
    if not is_object(x):
        return None
    method = special(interp, x, name)
    if method is not None:
        return interp.call(method, (), hint=hint)
    cls = class_of(x)
    if cls is not None and find(cls, name) is MISSING:
        return interp.fail(TypeError, f"bad operand type for {_UNARY[name]}: '{cls.__name__}'")
    number = decayed(interp, x)
    return None if number is x else interp.call(Lit(fn), (number,), hint=hint)


def compared(interp: Interpreter, fn: Callable[..., Any], a: Value, b: Value, hint: str) -> Value | None:
    """``fn(a, b)``, a comparison of which one side is an object; ``None`` where that is left to others."""
    left, right = class_of(a), class_of(b)
    if left is None or right is None or not (is_object(a) or is_object(b)):
        return None
    name = f"__{fn.__name__}__"
    tries = [(a, name, b), (b, MIRRORED[name], a)]
    if left is not right and issubclass(right, left):
        tries.reverse()
    for owner, method, other in tries:
        cls = class_of(owner)
        assert cls is not None
        answer: Value | None = None
        match _way_of_comparing(_looked_up(interp, cls, method), cls, is_object(owner)):
            case "by the run":
                return _left_to_the_run(interp, fn, (a, b), hint)
            case "as not equal":
                equal = _called(interp, owner, "__eq__", other, hint)
                answer = None if equal is None else interp.call(Lit(operator.not_), (equal,), hint=hint)
            case "followed":
                answer = _called(interp, owner, method, other, hint)
            case "as C says":
                alike = any(issubclass(left, kind) and issubclass(right, kind) for kind in (tuple, types.SimpleNamespace))
                said = "unknown" if alike else _native_answer(owner, cls, other)
                if said == "taken":
                    return interp.call(Lit(fn), (decayed(interp, a), decayed(interp, b)), hint=hint)
                if said != "not implemented":
                    return None
        if answer is not None:
            return answer
    if name in ("__eq__", "__ne__"):
        return None if type(a) is type(b) else Lit(name == "__ne__")
    message = f"'{SIGNS[fn.__name__]}' not supported between instances of '{left.__name__}' and '{right.__name__}'"
    return interp.fail(TypeError, message)


def _way_of_comparing(found: Any, cls: type, of_object: bool) -> Way:
    """What is done with the method `found` in `cls` for a comparison, maybe `of_object`; nothing if all objects have it."""
    if of_object and found is object.__ne__ and not is_native(find(cls, "__eq__")):
        return "as not equal"
    if of_object and _is_unseen(found):
        return "by the run"
    if of_object and found is not MISSING and not is_native(found):
        return "followed"
    return "as C says" if getattr(found, "__objclass__", object) is not object else ""
