"""Values as operands of typed ops, and values that are wholly known."""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections.abc import Iterable
from typing import Any

from adxform import runtime
from adxform.frontend.containers import list_arrays, lists_of_lists
from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.outside.guards import pin
from adxform.frontend.evaluate.outside.settled import is_listed, may_change
from adxform.frontend.evaluate.set_orders import rebuilt, refuse_unordered
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    FunctionValue,
    InnerPullback,
    Maybe,
    Method,
    Once,
    Range,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    View,
    is_undefined,
)
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Object, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.unruled import shown


def operand(interp: Interpreter, value: Value) -> Operand:
    """`value` as an operand of a typed op."""
    match value:
        case Var() | Lit():
            refuse_unordered(interp, value.value if isinstance(value, Lit) else None)
            return value
        case Maybe():
            return operand(interp, interp.given(value))
        case Tuple(items, cls):
            parts = tuple(operand(interp, item) for item in items)
            return Pack("tuple", parts) if cls is tuple else _packed(interp, cls, *parts)
        case Slice(start, stop, step):
            return Pack("slice", tuple(operand(interp, part) for part in (start, stop, step)))
        case View() | Once() | Range():
            return _made_there(interp, value)
        case Ref() if (found := _of_object(interp, value)) is not None:
            return found
        case Static():
            return Lit(pin(interp, value))
        case Method(Static() | Lit() as fn, args) if all(isinstance(arg, Static | Lit) for arg in args) and not value.kwargs:
            return Lit(_bound(value, fn.value, tuple(interp.static(arg, "an argument") for arg in args)))
        case FunctionValue() | Method() | InnerPullback():
            raise interp.error(
                "a local function is passed to a function that adxform cannot follow", "call it directly, or write the loop out"
            )
        case _:
            interp.use(value)
            raise interp.error("this value is used where adxform cannot follow it", "use numbers, arrays, tuples, lists or dicts")


def _bound(method: Method, fn: Any, args: tuple[Any, ...]) -> Any:
    """The method itself, which says what it is, or the partial application."""
    binds = not method.partial and len(args) == 1 and hasattr(type(fn), "__get__")
    return fn.__get__(args[0], type(args[0])) if binds else functools.partial(fn, *args)


def _made_there(interp: Interpreter, value: View | Once | Range) -> Operand:
    """A view of a dict, an iterator or a range, made where it is used."""
    match value:
        case View(of, part):
            return _packed(interp, getattr(dict, part), operand(interp, of))
        case Once():
            left = interp.items(value)
            walks.leave(interp, value, "a function that adxform cannot look into was given it")
            return _packed(interp, iter, Pack("tuple", tuple(operand(interp, item) for item in left)))
        case Range(start, stop, step):
            return interp.emit(range, tuple(operand(interp, part) for part in (start, stop, step)), Object())


def _of_object(interp: Interpreter, value: Ref) -> Operand | None:
    """A list, dict, set or dataclass as an operand; no other instance is one."""
    match value:
        case Ref(kind="list"):
            if (seen := interp.seen(value)) is not value:
                return operand(interp, seen)
            filled = interp.filled(value)
            if filled is not None:
                return list_arrays.so_far(interp, filled)
            if interp.portions(value) is not None:
                return interp.operand(lists_of_lists.as_array(interp, value))
            return Pack("list", tuple(operand(interp, item) for item in interp.contents(value).items))
        case Ref(kind="dict"):
            contents = interp.contents(value)
            pairs = zip(contents.keys, contents.items, strict=True)
            pack = Pack("dict", tuple(part for key, item in pairs for part in (Lit(key), operand(interp, item))))
            given = (pack,) if value.meta is None else (operand(interp, value.meta), pack)
            return pack if value.cls is dict else _packed(interp, value.cls, *given)
        case Ref(kind="set"):
            if (seen := interp.seen(value)) is not value:
                return operand(interp, seen)
            given = rebuilt(interp, interp.contents(value))
            return interp.emit(set, (Pack("tuple", tuple(map(Lit, given))) if type(given) is tuple else Lit(given),), Object())
        case Ref(cls=cls) if dataclasses.is_dataclass(cls) or cls is types.SimpleNamespace:
            contents = interp.contents(value)
            kept = {key: operand(interp, item) for key, item in zip(contents.keys, contents.items, strict=True)}
            if cls is types.SimpleNamespace:
                return _packed(interp, cls, **kept)
            return _packed(interp, runtime.record, Lit(cls), **kept)
        case _:
            return None


def _packed(interp: Interpreter, fn: Any, *parts: Operand, **named: Operand) -> Var:
    """The object that the run makes of `parts` by `fn`; what moves in them is in it."""
    made = interp.emit(fn, parts, Object(), "rest" if fn is iter else "tmp", named)
    if any(_moves(interp, var) for part in (*parts, *named.values()) for var in variables(part)):
        interp.of_run.packed.add(made)
    return made


def _moves(interp: Interpreter, var: Var) -> bool:
    """Whether `var` may carry a derivative, or is an object that was made here of what may."""
    return is_inexact(var.type) or var in interp.of_run.packed


def whole(interp: Interpreter, value: Value) -> Operand:
    """`value` as an operand whose rule has derivatives by all that it holds, of instances too."""
    match value:
        case Tuple(items, cls) if cls is not tuple:
            return _instance(interp, cls, cls._fields, items)  # type: ignore[attr-defined]
        case Tuple(items):
            return Pack("tuple", tuple([whole(interp, item) for item in items]))
        case Ref(kind="list") if interp.filled(value) is None and interp.columns(value) is None:
            return Pack("list", tuple([whole(interp, item) for item in interp.contents(value).items]))
        case Ref(kind="dict", cls=cls) if cls is dict:
            contents = interp.contents(value)
            pairs = zip(contents.keys, contents.items, strict=True)
            return Pack("dict", tuple([part for key, item in pairs for part in (Lit(key), whole(interp, item))]))
        case Ref(kind="instance", cls=cls) if _is_made_plainly(cls):
            contents = interp.contents(value)
            return _instance(interp, cls, contents.keys, contents.items)
        case _:
            return operand(interp, value)


def _is_made_plainly(cls: Any) -> bool:
    """Whether an instance of `cls` is what its attributes are."""
    return cls.__new__ is object.__new__ and not issubclass(cls, Operator)


def _instance(interp: Interpreter, cls: type, names: Iterable[Any], items: Iterable[Value]) -> Pack:
    named = [(Lit(name), whole(interp, item)) for name, item in zip(names, items, strict=True)]
    return Pack("instance", (Lit(cls), *(part for pair in named for part in pair)))


def given_to_unknown(interp: Interpreter, value: Value) -> Operand:
    """`value` as code gets it that adxform cannot look into: a list is one, though the program keeps an array in its place."""
    if isinstance(value, Ref) and interp.portions(value) is not None:
        message = "a list of lists of which only a run can tell how many there are is given to a function"
        raise interp.error(message, "give it an array of them, or join them: `sum(lists, [])`")
    found = operand(interp, value)
    filled = interp.filled(value)
    if filled is None or not isinstance(value, Ref):
        return found
    if filled.kinds:
        message = "a list of whole numbers beside floats, of which derivatives have a float for each, is given to a function"
        raise interp.error(message, "make all of them floats, `0.0` for `0`")
    return _packed(interp, runtime.sequence, found, Lit(value.cls), Lit(filled.nested), Lit(filled.weak))


def is_static(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is wholly known now."""
    match value:
        case Lit():
            return not is_undefined(value)
        case Static(found):
            return is_listed(found) or not may_change(found)
        case Tuple(items):
            return are_static(interp, items)
        case Slice(start, stop, step) | Range(start, stop, step):
            return are_static(interp, (start, stop, step))
        case Ref(kind="list" | "dict", cls=cls) if cls is not collections.deque:
            return (
                interp.seen(value) is value
                and interp.filled(value) is None
                and interp.columns(value) is None
                and interp.portions(value) is None
                and interp.doubtful(value) is None
                and are_static(interp, interp.contents(value).items)
            )
        case _:
            return False


def are_static(interp: Interpreter, values: Iterable[Value]) -> bool:
    """Whether all `values` are wholly known now."""
    return all(is_static(interp, value) for value in values)


def known(interp: Interpreter, value: Value) -> Any:
    """The object that a static `value` is."""
    match value:
        case Range(start, stop, step):
            return range(*(known(interp, part) for part in (start, stop, step)))
        case Ref(kind="dict"):
            contents = interp.contents(value)
            items = {key: known(interp, item) for key, item in zip(contents.keys, contents.items, strict=True)}
            return value.cls(items) if value.meta is None else value.cls(interp.static(value.meta, "a default"), items)
        case _:
            return interp.static(value, "an argument")


def refuse_keeping(interp: Interpreter, kept: Iterable[Var]) -> None:
    """Raise where a float is given to an object that adxform cannot look into: it would come back without its derivative."""
    for var in kept:
        if _moves(interp, var):
            message = f"{shown(var)} is kept in an object that adxform cannot follow"
            raise interp.error(message, "keep it in a list, a dict, an array or a dataclass")
