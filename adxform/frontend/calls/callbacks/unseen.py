"""What code that adxform cannot look into may change: of what it is given, and of what it reaches by itself."""

from __future__ import annotations

import array
import collections
import copy
import operator
import types
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import may_write
from adxform.errors import GlobalMutationError
from adxform.frontend.calls.callbacks.reached import TooMuchCode, changes_of, widest
from adxform.frontend.checks.handed_over import HandedArray, Shown, UnseenCall
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.parts import stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Tuple, Value, is_unknown
from adxform.ir.ops import Var
from adxform.ir.spans import own_attribute, written_in
from adxform.ir.types import Array
from adxform.primitives.writing_options import is_off, writing_options


def hand_over(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Mapping[str, Value], *, wanted: bool) -> None:
    """Note what `fn`, which cannot be looked into, may change when it is called with `args` and `kwargs`.

    Of one whose result is `wanted`, note what it may read as well.

    Raises:
        GlobalMutationError: it is given a list, a dict or a set from outside the function, of which it would have a copy.
        UnsupportedOperationError: it is given one that the function made, of which the changes would be lost.
    """
    values = tuple(_flat((*args, *kwargs.values())))
    call = _call_of(interp, fn, values, writes=_changes(interp, fn, args, kwargs))
    if wanted:
        interp.to_check.shown.append(Shown(call.to, call.span, (*call.called, *call.given)))
    if call.among and any(map(is_unknown, values)):
        stored_items.refuse_handed_on(interp)
    if wanted and _may_hand_on(interp, fn, values):
        interp.to_check.handed_on.append(call.to)
    interp.to_check.unseen.append(call if call.among else replace(call, given=()))
    for value in values if call.among else ():
        match value:
            case Ref() if isinstance(own_attribute(fn, "__self__"), np.ufunc):  # which writes to arrays alone
                continue
            case Ref(kind=kind) if kind != "instance" or object in call.among:
                _refuse(interp, value, call.to)
            case Var(_, Array()):
                interp.to_check.handed_arrays.append(HandedArray(value, call.to, call.span))


def _call_of(interp: Interpreter, fn: Any, values: tuple[Value, ...], *, writes: bool) -> UnseenCall:
    """The call of `fn`, which by itself `writes` to what it is given or not, with `values`."""
    name = own_attribute(fn, "__qualname__") or own_attribute(fn, "__name__") or type(fn).__name__
    called = (fn, *(one for one in map(_function_of, values) if one is not None))
    try:
        among = widest((object,) if writes else (), *(changes_of(one).among for one in called))
    except TooMuchCode:
        message = f"what `{name}` may change cannot be told: too much code is reached by it"
        raise interp.error(message, "call it outside of the function, and pass what it returns") from None
    own = own_attribute(fn, "__self__")
    given = (*(value.value for value in values if isinstance(value, Static)), *(() if own is None else (own,)))
    return UnseenCall(name, interp.span, called, given, among)


def _may_hand_on(interp: Interpreter, fn: Any, values: tuple[Value, ...]) -> bool:
    """Whether what `fn` gives may hold a list or a dict that is among `values`, or in one of these: NumPy's only compute."""
    if written_in(fn).partition(".")[0] in ("numpy", "scipy") or isinstance(fn, np.ufunc):
        return False
    boxes = [value for value in values if isinstance(value, Ref) and value.kind in ("list", "dict") and not value.outside]
    return any((isinstance(fn, type) and fn not in _COPYING) or _holds_boxes(interp, box) for box in boxes)


_COPYING = (
    *(list, tuple, set, frozenset, dict, str, bool, bytes, bytearray, array.array),
    *(collections.deque, collections.UserList, collections.Counter),
)
"""Classes of which an object holds the items that it is given, and not the list or dict that they come in."""


def _holds_boxes(interp: Interpreter, box: Ref) -> bool:
    contents: Any = interp.heap.contents[box]
    if not isinstance(contents, Contents):
        return bool(getattr(contents, "nested", True))
    parts = list(_flat(contents.items))
    return any(isinstance(part, Ref) and (part.kind != "list" or part.cls is list) for part in parts)


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
        name = interp.of_run.methods.get(args[0], "")
    if may_write(fn, name) or fn in (copy.copy, ChainMap):  # the latter share what they are given
        return True
    options = writing_options(fn, len(args), tuple(kwargs))
    return any(not is_off(args[one] if isinstance(one, int) else kwargs[one]) for one in options)


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
