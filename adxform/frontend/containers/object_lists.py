"""Lists of texts and other objects, as many as only a run can tell: lists of the run, into which nothing is put that moves.

log = []                        # log = list(())
log.append(f"step {k}: {f}")    # list.append(log, "".join(…))
"""

from __future__ import annotations

import builtins
import enum
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

from adxform import runtime
from adxform.frontend.evaluate.objects.object_contents import Contents, HeldByRun
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Ref, Slice, Static, Tuple, Value
from adxform.ir import intrinsics
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Block, Call, If, Lit, Operand, Pack, Var
from adxform.ir.types import BOOL, INT, Object, Scalar, is_inexact
from adxform.ir.walk import variables_of
from adxform.primitives.definitions.of_python import iterations, keyed_items

_CHANGING = frozenset({"append", "extend", "insert", "remove", "reverse", "clear"})
"""Methods that change a list and give nothing."""


def are_objects(interp: Interpreter, items: Iterable[Value]) -> bool:
    """Whether a list of the run can hold `items`, which are not all numbers: what carries no derivative and is not changed."""
    given = tuple(interp.seen(item) for item in items)
    return all(map(_is_object, given)) and not all(map(_is_number, given))


def _is_object(item: Value) -> bool:
    match item:
        case Var(_, type_):
            return isinstance(type_, Object) or (isinstance(type_, Scalar) and not is_inexact(type_))
        case Lit(found):
            return not callable(found)
        case Static(found):
            return isinstance(found, enum.Enum)
        case Maybe(_, value):
            return _is_object(value)
        case Tuple(items):
            return all(map(_is_object, items))
        case _:
            return False


def _is_number(item: Value) -> bool:
    if isinstance(item, Lit):
        return scalar_type(item.value) is not None
    return isinstance(item, Var) and isinstance(item.type, Scalar)


def begun(interp: Interpreter, ref: Ref) -> bool:
    """Whether the run can have, and from here on has, the list `ref` that the function made, with what is in it."""
    contents = interp.heap.contents.get(ref)
    if isinstance(contents, HeldByRun):
        return True
    if not isinstance(contents, Contents) or ref.kind != "list" or ref.cls is not list or ref.outside or ref.shared:
        return False
    if interp.identity(ref) is not None or not all(_is_object(interp.seen(item)) for item in contents.items):
        return False
    items = Pack("tuple", tuple(_operand(interp, item) for item in contents.items))
    interp.hold(ref, HeldByRun(_made(interp, list, items)))
    return True


def _made(interp: Interpreter, fn: Any, *operands: Operand) -> Var:
    return interp.emit(fn, operands, Object(), "objects")


def new(interp: Interpreter, var: Var, cls: type = list) -> Ref:
    """The list (or tuple) that the run has in `var`, and nobody else has."""
    ref = interp.heap.new("list", cls, (), ())
    interp.heap.contents[ref] = HeldByRun(var)
    return ref


_PYTHONS = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)


def call(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value | None:
    """The result of `fn`, a method of lists, a builtin or an operator, of a list of the run; ``None`` for any other call."""
    if not isinstance(fn, _PYTHONS):  # an object with operators of its own may be equal to anything
        return None
    if len(args) == 1 and fn in (list, sorted, max, min):
        args = (_keys(interp, args[0]),)
    if not any(_is_of_run(interp, arg) for arg in args):
        return None
    if kwargs:
        return _extreme(interp, fn, args[0], kwargs, hint) if fn in (max, min) and kwargs.keys() == {"key"} else None
    for followed in (_told, _made_of_lists, _changing):
        found = followed(interp, fn, args, hint)
        if found is not None:
            return found
    return _of_method(interp, fn, args, hint) if _is_of_run(interp, args[0]) else None


def _made_of_lists(interp: Interpreter, fn: Any, args: tuple[Value, ...], hint: str) -> Value | None:
    """The list that `fn` makes of lists of the run: one after the other, some of the items, all of them, or in order."""
    match fn, args:
        case (intrinsics.chain, _) if all(_is_of_run(interp, arg) or _are_known_objects(interp, arg) for arg in args):
            return new(interp, _made(interp, runtime.chained, *map(interp.operand, args)), tuple)
        case (operator.add, (_, _)) if all(_is_list(interp, arg) for arg in args):
            return new(interp, _made(interp, fn, *map(interp.operand, args)))
        case (operator.getitem, (_, Slice())) | ((builtins.list | builtins.sorted | list.copy), (_,)):
            return new(interp, _made(interp, fn, *map(interp.operand, args)))
        case _:
            return None


def _changing(interp: Interpreter, fn: Any, args: tuple[Value, ...], hint: str) -> Value | None:
    """What `fn` gives that changes a list of the run otherwise than by one of its methods that give nothing."""
    owner, *others = args
    if not _is_of_run(interp, owner):
        return None
    match fn, others:
        case (list.pop, index):
            place = index[0] if index else Lit(-1)
            item = interp.call(Lit(operator.getitem), (owner, place), hint=hint)
            _change(interp, operator.delitem, (owner, place))
            return item
        case ((operator.setitem | operator.delitem), _):
            return _change(interp, fn, args)
        case ((operator.iadd | operator.iconcat), [_]):
            return call(interp, list.extend, args, {}, hint) and owner
        case _:
            return None


def _told(interp: Interpreter, fn: Any, args: tuple[Value, ...], hint: str) -> Value | None:
    """What `fn` asks of a list of the run: whether it has an item, or equals another one, and where it has a key."""
    match fn, args:
        case ((keyed_items.place_under | keyed_items.is_under), (owner, key)) if _is_of_run(interp, owner):
            under = fn is keyed_items.is_under
            operands = interp.operand(owner), interp.operand(key)
            return interp.emit(runtime.is_key if under else runtime.place_of_key, operands, BOOL if under else INT, hint)
        case (operator.contains, (owner, item)) if _is_of_run(interp, owner):
            return interp.emit(fn, (interp.operand(owner), _operand(interp, item)), BOOL, hint)
        case ((operator.eq | operator.ne), (_, _)) if all(_is_list(interp, arg) for arg in args):
            return interp.emit(fn, tuple(map(interp.operand, args)), BOOL, hint)
        case _:
            return None


def _is_of_run(interp: Interpreter, value: Value) -> bool:
    return isinstance(value, Var) and value in interp.of_run.lists


def _are_known_objects(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is a tuple, or a list whose items are known one by one, of what a list of the run can hold."""
    held = interp.heap.contents.get(value) if isinstance(value, Ref) and value.cls is list else value
    return isinstance(held, Tuple | Contents) and all(_is_object(interp.seen(item)) for item in held.items)


def _keys(interp: Interpreter, value: Value) -> Value:
    """`value`; the list of its keys where it is a dict of which only the run knows these, and that has them."""
    keyed = interp.keyed(value)
    return value if keyed is None else interp.seen(keyed.keys)


def _extreme(interp: Interpreter, fn: Any, items: Value, kwargs: dict[str, Value], hint: str) -> Value:
    """The largest or smallest item of a list of the run by a ``key``."""
    some = interp.operand(interp.call(Lit(operator.gt), (interp.call(Lit(len), (items,)), Lit(0))))
    interp.require(some, ValueError, f"{fn.__name__}() iterable argument is empty")
    rest = interp.call(Lit(operator.getitem), (items, Slice(Lit(1), NONE, NONE)))
    first = interp.call(Lit(operator.getitem), (items, Lit(0)))
    meaning = iterations.largest if fn is max else iterations.smallest
    return interp.call(Static(meaning), (rest, first, kwargs["key"]), hint=hint)


def _of_method(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], hint: str) -> Value | None:
    name = getattr(fn, "__name__", "")
    if getattr(list, name, None) is not fn:
        return None
    if name in _CHANGING:
        return _change(interp, fn, args)
    return interp.emit(fn, tuple(map(interp.operand, args)), INT, hint) if name in ("index", "count") else None


def _change(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...]) -> Value:
    """Let the run change its list by `fn`, which gives nothing."""
    operands = tuple(_operand(interp, arg) for arg in args)
    interp.refuse_keeping(variables_of(operands))
    interp.builder.emit(Call((), Lit(fn), operands, (), interp.span))
    return NONE


def _operand(interp: Interpreter, value: Value) -> Operand:
    """`value` as the run has it; of what may be ``None``, what it is."""
    if isinstance(value, Maybe) and isinstance(value.present, Var):
        if isinstance(value.value, Var) and isinstance(value.value.type, Object):  # which has no value where it is None
            found = Var(interp.names.fresh("item"), Object())
            there, absent = (Block((), (), (one,)) for one in (value.value, Lit(None)))
            interp.builder.emit(If((found,), value.present, there, absent, interp.span))
            return found
        return interp.emit(runtime.value_or_none, (value.present, interp.operand(value.value)), Object(), "item")
    return interp.operand(value)


def _is_list(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is a list of the run, or one that the function made."""
    return _is_of_run(interp, value) or (isinstance(value, Ref) and value.cls is list)


def in_order(interp: Interpreter, part: Value, order: Value) -> Ref:
    """A new list of the items of a list of the run, in the `order` of an array of places."""
    return new(interp, interp.emit(runtime.in_order, (interp.operand(part), interp.operand(order)), Object(), "objects"))
