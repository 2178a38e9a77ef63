"""What code that adxform cannot look into may change: of what it is given, and of what it reaches by itself."""

from __future__ import annotations

import copy
import operator
import types
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import OFF, may_write, writing_options
from adxform.errors import GlobalMutationError
from adxform.frontend.calls.reached import changes_of, widest
from adxform.frontend.checks.handed_over import HandedArray, Shown, UnseenCall
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Tuple, Value
from adxform.ir.ops import Var
from adxform.ir.types import Array


def hand_over(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Mapping[str, Value], *, wanted: bool) -> None:
    """Note what `fn`, which cannot be looked into, may change when it is called with `args` and `kwargs`.

    Of one whose result is `wanted`, note what it may read as well.

    Raises:
        GlobalMutationError: it is given a list, a dict or a set from outside the function, of which it would have a copy.
        UnsupportedOperationError: it is given one that the function made, of which the changes would be lost.
    """
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    given = (*args, *kwargs.values())
    called = (fn, *(one for one in map(_function_of, _flat(given)) if one is not None))
    among = widest((object,) if _changes(interp, fn, args, kwargs) else (), *(changes_of(one).among for one in called))
    own = getattr(fn, "__self__", None)
    values = tuple(_flat((*given, *(() if own is None else (Static(own),)))))
    handed = tuple(value.value for value in values if isinstance(value, Static) and among)
    if wanted:
        objects = (value.value for value in values if isinstance(value, Static))
        interp.shown.append(Shown(name, interp.span, (*called, *objects)))
    interp.unseen.append(UnseenCall(name, interp.span, called, handed, among))
    for value in values if among else ():
        match value:
            case Ref() if isinstance(own, np.ufunc):  # which writes to arrays alone
                continue
            case Ref(kind=kind) if kind != "instance" or object in among:
                _refuse(interp, value, name)
            case Var(_, Array()):
                interp.handed_arrays.append(HandedArray(value, name, interp.span))


def _function_of(value: Value) -> Any:
    """The function that `value` is, which code that is given it may call; ``None`` if it is none."""
    match value:
        case Static(function) if callable(function):
            return function
        case Method(Static(types.FunctionType() as function), (Static(owner), *_)):
            return types.MethodType(function, owner)
        case _:
            return None


def _changes(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> bool:
    """Whether `fn` itself may change what it is given, or the object that it is a method of."""
    name = ""
    if fn is operator.call and isinstance(args[0], Static):
        fn = args[0].value
    elif fn is operator.call and isinstance(args[0], Var):
        name = interp.methods.get(args[0], "")
    if may_write(fn, name) or fn in (copy.copy, ChainMap):  # the latter share what they are given
        return True
    options = writing_options(fn, len(args), tuple(kwargs))
    return any((args[one] if isinstance(one, int) else kwargs[one]) not in OFF for one in options)


def _flat(values: Iterable[Value]) -> Iterator[Value]:
    """`values`, and those in tuples."""
    for value in values:
        if isinstance(value, Tuple):
            yield from _flat(value.items)
        else:
            yield value


def _refuse(interp: Interpreter, ref: Ref, name: str) -> None:
    if ref.outside:
        message = f"a {ref.cls.__name__} from outside the function is passed to `{name}`, which may change it"
        raise interp.error(message, "do that outside of the function, or pass a tuple", GlobalMutationError)
    if ref.kind != "instance" or is_mutable_dataclass(ref.cls):
        message = f"a {ref.cls.__name__} is passed to `{name}`, which adxform cannot look into and which may change it"
        raise interp.error(message, "pass its fields, or make the class frozen" if ref.kind == "instance" else "pass a tuple")


def is_mutable_dataclass(cls: type) -> bool:
    """Whether `cls` is one of dataclasses whose fields may be set."""
    return is_dataclass(cls) and not cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
