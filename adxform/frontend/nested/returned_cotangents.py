"""What the pullback of a user's rule returns, checked once, where the rule is expanded for a kind of arguments.

A cotangent has the shape of its argument. What the types tell is refused here; where only a run can tell, it is asked there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import MissingRuleError
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Tuple, Value
from adxform.ir.ops import Function, Lit, Operand, Var
from adxform.ir.types import Array, Object, Scalar, Type, is_inexact, rank
from adxform.ir.walk import all_ops
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import has_memory, writes
from adxform.primitives.unruled import is_users, title


def cotangents(interp: Interpreter, body: Callable[..., Any], returned: Value, args: tuple[Value, ...]) -> Iterator[Operand]:
    """One operand per leaf of the positional arguments; ``None`` where there is no derivative."""
    items = returned.items if isinstance(returned, Tuple) else (returned,)
    if len(args) == 1 and len(items) != 1 and isinstance(args[0], Tuple):
        items = (returned,)
    if is_users(body) and len(items) > len(args):
        message = f"the pullback of {title(body)} returns {len(items)} cotangents for {len(args)} arguments"
        raise interp.error(message, "return a tuple with one cotangent for each positional argument", MissingRuleError)
    for place, (arg, item) in enumerate(zip(args, (*items, *(NONE for _ in args)), strict=False)):
        for leaf, part in _paired(interp, arg, item):
            if part is None:
                message = f"the pullback of {title(body)} returns a cotangent of another structure than argument {place}"
                way = "return one number or array for each in the argument; for an object, a dict by the names of its fields"
                raise interp.error(message, way, MissingRuleError)
            yield _fitting(interp, body, place, leaf, part) if is_users(body) else interp.operand(part)


def _paired(interp: Interpreter, arg: Value, item: Value | None) -> Iterator[tuple[Value, Value | None]]:
    """Each leaf of an argument with its cotangent in `item`, or with ``None`` where that has another structure.

    What is left out of a dict has no derivative, and a dict by names will do for the cotangent of any object.
    """
    parts = _parts(interp, arg)
    if parts is None:
        yield arg, item if item is None or _parts(interp, item) is None else None
        return
    given = {} if item == NONE or item is None else _parts(interp, item)
    if given is not None and isinstance(arg, Tuple) and isinstance(item, Ref) and item.kind == "dict":
        parts = dict(zip(getattr(arg.cls, "_fields", parts), parts.values(), strict=True))
    by_place = item != NONE and (isinstance(arg, Tuple) or (isinstance(arg, Ref) and arg.kind == "list"))
    unlike = item is None or given is None or not given.keys() <= parts.keys() or (by_place and len(given) != len(parts))
    for key, part in parts.items():
        yield from _paired(interp, part, None if unlike or given is None else given.get(key, NONE))


def _parts(interp: Interpreter, value: Value) -> dict[Any, Value] | None:
    """The parts of a structure by place, key or name; ``None`` for what is none."""
    match value:
        case Tuple(items):
            return dict(enumerate(items))
        case Ref(kind="list"):
            return dict(enumerate(interp.contents(value).items))
        case Ref(kind="dict" | "instance"):
            contents = interp.contents(value)
            return dict(zip(contents.keys, contents.items, strict=True))
        case _:
            return None


def _fitting(interp: Interpreter, body: Callable[..., Any], place: int, leaf: Value, part: Value) -> Operand:
    """`part`, given that it can be the cotangent of `leaf`; with a check at run time where only that can tell."""
    if part == NONE or not isinstance(leaf, Var) or not is_inexact(leaf.type):
        return Lit(None)
    found = number_type(part)
    if found is None:
        raise _unfit(interp, body, place, "what is no number or array")
    if isinstance(part, Lit) and part.value == 0 and rank(leaf.type) != 0:
        return interp.operand(interp.call(Lit(np.zeros_like), (leaf,)))
    if isinstance(part, Lit) and part.value != 0:
        raise _unfit(interp, body, place, f"the constant {part.value!r}, which does not depend on the cotangent of the result")
    if isinstance(found, Scalar | Array) and np.dtype(found.dtype).kind in "cbiu" and not _is_complex(leaf.type):
        raise _unfit(interp, body, place, f"values of type {found.dtype}")
    if _is_certain(found, leaf.type):
        whole = isinstance(found, Array) and isinstance(leaf.type, Scalar)
        return interp.operand(interp.call(Lit(operator.getitem), (part, Lit(()))) if whole else part)
    ranks = rank(found), rank(leaf.type)
    if None not in ranks and ranks[0] != ranks[1] and not isinstance(found, Object):
        raise _unfit(interp, body, place, f"{_shown(ranks[0])} for {_shown(ranks[1])}")
    return interp.emit(runtime.cotangent, (interp.operand(part), leaf, Lit(title(body)), Lit(place)), leaf.type, "ct")


def _unfit(interp: Interpreter, body: Callable[..., Any], place: int, what: str) -> MissingRuleError:
    message = f"the pullback of {title(body)} returns {what} as the cotangent of argument {place}"
    help_ = "return floats of exactly the argument's shape: see `adxform.runtime.unbroadcast`"
    return MissingRuleError(message, span=interp.span, help=help_)


def _is_complex(type_: Type) -> bool:
    return isinstance(type_, Scalar | Array) and np.dtype(type_.dtype).kind == "c"


def _is_certain(found: Type, wanted: Type) -> bool:
    """Whether values of type `found` have the shape of those of type `wanted`."""
    if isinstance(found, Object):
        return False
    if rank(found) == 0 and rank(wanted) == 0:
        return True
    return isinstance(found, Array) and isinstance(wanted, Array) and found.shape is not None and found.shape == wanted.shape


def _shown(axes: int | None) -> str:
    return "one number" if axes == 0 else f"an array of {axes} ax{'i' if axes == 1 else 'e'}s"


def refuse_writes(
    interp: Interpreter, body: Callable[..., Any], fn: Function, given: tuple[Var, ...], what: str, owner: str = "the caller"
) -> None:
    """Raise where `fn`, a part of a rule, writes to the memory `given`, which is its `owner`'s: `what` says so."""
    classes = alias_classes(fn)
    owned = {classes.of(var) for var in given if has_memory(var) and not isinstance(var.type, Object)}
    for op in all_ops(fn.body):
        if any(classes.of(var) in owned for var in writes(op)):
            message = f"{what.format(title(body))}, which belongs to {owner}"
            raise interp.error(message, "write to a copy of it", MissingRuleError, span=op.span)
