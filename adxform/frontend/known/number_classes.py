"""Of which class and dtype numbers are, and numbers of the classes of Python."""

from __future__ import annotations

import itertools
import numbers
import operator
import warnings
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of, is_container, name_of
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Maybe, Ref, Static, Tuple, Value, is_unknown
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives, one_of, scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, FLOAT, INT, Array, Object, Scalar, is_complex, rank


def _iscomplexobj(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether something is of complex numbers, as far as its type tells; a rule takes what may be one for one."""
    type_ = number_type(args[0]) if len(args) == 1 and not kwargs else None
    if not isinstance(type_, Array | Scalar):
        return None
    only_a_run_tells = isinstance(type_, Scalar) and len(set(map(is_complex, alternatives(type_)))) > 1
    return None if only_a_run_tells and not interp.in_library() else Lit(is_complex(type_))


def _isscalar(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    match args[0]:
        case Var(_, Scalar()):
            return Lit(True)
        case Var(_, Array(_, None)):
            return None
        case Lit(found) | Static(found):
            return Lit(bool(np.isscalar(found)))
        case value if is_unknown(value):
            return None
        case Ref(kind="instance", cls=cls):
            return Lit(issubclass(cls, numbers.Number))
        case Maybe(present, held):
            found = _isscalar(interp, (held,), kwargs, hint)
            return present if found == Lit(True) else found
        case _:
            return Lit(False)


def kinds_of(interp: Interpreter, value: Value) -> tuple[str, ...]:
    """The dtypes that a number or an array may have; none where nothing is known of it."""
    match value:
        case Var(_, Scalar() as type_):
            return tuple(kind.dtype for kind in alternatives(type_))
        case Var(_, Array(dtype)):
            return (dtype,)
        case Lit(number) if scalar_type(number) is not None:
            return (np.asarray(number).dtype.name,)
        case Tuple() | Ref(kind="list"):
            return kinds_of(interp, interp.call(Lit(np.array), (value,)))
        case _:
            return ()


def _dtype_of(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The dtype of an array of a number; of one that may be whole or a float, the run asks whether it has a fraction."""
    (number,) = args
    kinds = {np.dtype(kind) for kind in kinds_of(interp, number)}
    if len(kinds) > 1 and isinstance(number, Var) and _floats(kinds):
        fraction = interp.call(Lit(operator.ne), (number, interp.call(Lit(np.floor), (number,))))
        interp.require(interp.operand(fraction), runtime.whole_number)
        kinds = _floats(kinds)
    if len(kinds) > 1:
        raise interp.error("the dtype depends on the kind of a number, which only a run can tell", "convert it: `float(…)`")
    return Lit(kinds.pop()) if kinds else interp.attribute(interp.call(Lit(np.asarray), (number,)), "dtype")


def _widest(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """A number in the dtype that all it may be have together; anything else as it is."""
    kinds = kinds_of(interp, args[0])
    return interp.call(Lit(np.result_type(*kinds).type), args) if kinds else args[0]


def _python_number(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """A number as one of Python's, of whichever kinds it may be; anything else as it is."""
    (number,) = args
    if isinstance(number, Lit):
        return Lit(runtime.python_number(number.value))
    if not isinstance(number, Var) or not isinstance(number.type, Scalar):
        return number
    kinds = alternatives(number.type)
    if all(kind.weak for kind in kinds):
        return number
    own = (Scalar(_OWN[np.dtype(kind.dtype).kind], weak=True) for kind in kinds)
    return interp.emit(runtime.python_number, (number,), one_of(own), hint)


_OWN = {"b": "bool", "i": "int64", "u": "int64", "f": "float64", "c": "complex128"}
"""The dtype of Python's own number of each kind."""


def _floats(kinds: set[np.dtype[Any]]) -> set[np.dtype[Any]]:
    """The one dtype of floats among `kinds`, where all others are of whole numbers; else none."""
    floats = {kind for kind in kinds if kind.kind == "f"}
    return floats if len(floats) == 1 and all(kind.kind in "biuf" for kind in kinds) else set()


def _result_type(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The dtype that arrays and numbers have together, where their types tell."""
    kinds = [_numbers_like(arg) for arg in args]
    if kwargs or not all(kinds):
        return None
    found = {np.result_type(*one) for one in itertools.product(*kinds)}
    if len(found) > 1:
        raise interp.error("the dtype depends on the kind of a number, which only a run can tell", "convert it: `float(…)`")
    return Lit(found.pop())


def _numbers_like(value: Value) -> list[Any]:
    """What promotes others as `value` does: a dtype, or a number of Python's; one for each kind that it may be of."""
    match value:
        case Var(_, Scalar() as type_):
            return [np.dtype(one.dtype).type(0).item() if one.weak else np.dtype(one.dtype) for one in alternatives(type_)]
        case Var(_, Array(dtype)):
            return [np.dtype(dtype)]
        case Lit(found) if scalar_type(found) is not None or isinstance(found, np.dtype | type):
            return [found]
        case _:
            return []


def _refuses_arrays() -> bool:
    """Whether an array with axes is no number to Python, however few elements it has: so it is from NumPy 2.4 on."""
    try:
        with warnings.catch_warnings(action="ignore"):
            float(np.zeros(1))
    except TypeError:
        return True
    return False


_REFUSES_ARRAYS = _refuses_arrays()


def _has_axes(value: Value) -> bool:
    """Whether `value` is known to be an array with axes."""
    type_ = number_type(value)
    return type_ is not None and bool(rank(type_))


def _number(cls: Any, type_: Scalar) -> Handler:
    """``int``, ``float`` and ``bool`` of a value of which nothing is known give an inactive number."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        args = (*args, *kwargs.values())  # the base
        texts = class_of(args[0]) in (str, bytes, bytearray, object, None) if args else True
        if len(args) > 1 and not texts:
            return interp.fail(TypeError, "int() can't convert non-string with explicit base")
        if (number := _number_of_text(interp, cls, args)) is not None:
            return number
        if args and cls is not bool and protocols.is_object(args[0]):
            return _number_of_object(interp, cls, type_, args, kwargs, hint)
        if args and cls is not bool and _REFUSES_ARRAYS and _has_axes(args[0]):
            return interp.fail(TypeError, "only 0-dimensional arrays can be converted to Python scalars")
        if args and isinstance(args[0], Var):
            if isinstance(args[0].type, Object):
                return interp.emit(cls, tuple(map(interp.operand, args)), type_, hint)
            if args[0].type == type_:
                return args[0]
        if cls is bool and args:
            cond = truth(interp, args[0])
            if isinstance(cond, bool):
                return Lit(cond)
            return None if cond == args[0] else interp.emit(bool, (cond,), BOOL, hint)
        known = class_of(args[0]) if args else None
        if known is not None and is_container(known) and not issubclass(known, str | bytes):
            return interp.fail(TypeError, f"{cls.__name__}() argument must be a string or a real number, not '{name_of(known)}'")
        return None

    return handler


def _number_of_text(interp: Interpreter, cls: Any, args: Args) -> Value | None:
    """The number that a known text is, or what Python raises where it is none; ``None`` for anything else."""
    given = [arg.value for arg in args if isinstance(arg, Lit)]
    if not given or len(given) < len(args) or type(given[0]) is not str:
        return None
    try:
        return Lit(cls(*given))
    except (TypeError, ValueError) as error:
        return interp.fail(type(error), str(error))


def _number_of_object(interp: Interpreter, cls: Any, type_: Scalar, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``float(x)`` or ``int(x)`` of an object: by its method, else by a run."""
    if are_static(interp, (*args, *kwargs.values())):
        return None
    x, *rest = args
    for name in (f"__{cls.__name__}__", "__index__"):
        method = protocols.special(interp, x, name)
        if method is not None:
            return interp.call(Lit(cls), (protocols.converted(interp, method, name, hint), *rest), kwargs, hint=hint)
    number = protocols.decayed(interp, x)
    if number is not x:
        return interp.call(Lit(cls), (number, *rest), kwargs, hint=hint)
    return interp.emit(cls, (interp.operand(x), *map(interp.operand, rest)), type_, hint)


TABLE: dict[Any, Handler] = {
    np.isscalar: _isscalar,
    np.iscomplexobj: _iscomplexobj,
    np.result_type: _result_type,
    intrinsics.dtype_of: _dtype_of,
    intrinsics.widest: _widest,
    runtime.python_number: _python_number,
    int: _number(int, INT),
    float: _number(float, FLOAT),
    bool: _number(bool, BOOL),
}
