"""Which lists, dicts and tuples are one object, of those that each call finds outside, is given, and makes."""

from __future__ import annotations

from adxform.frontend.evaluate.control_flow.joins import same
from adxform.frontend.evaluate.objects.functions_apart import code_key, is_function
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.records.knowledge import Given
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    FoundOutside,
    FunctionValue,
    Maybe,
    Method,
    OneOf,
    Poison,
    Ref,
    Static,
    Tuple,
    Value,
)
from adxform.frontend.signature.access import HasClass, SameAs
from adxform.ir.kinds import scalar_type, settled_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Scalar


def one_object(interp: Interpreter, a: Value, b: Value) -> bool | None:
    """Whether two containers or functions are one object, which each call must find so; ``None`` where that cannot be told."""
    if a is b:
        return True
    one, other = interp.identity(a), interp.identity(b)
    match one, other:
        case FoundOutside(value, access), FoundOutside(another, way):
            guard(interp, access, SameAs(way, value is another))
            return value is another
        case Given(number), Given(second) if number is not None and second is not None:
            return number == second
    for value, another in ((a, b), (b, a)):
        if isinstance(value, OneOf):
            codes = {code_key(fn) for fn in value.things}
            among = another.things if isinstance(another, OneOf) else (another,)
            return None if any(is_function(fn) and code_key(fn) in codes for fn in among) else False
    if isinstance(a, Ref) and isinstance(b, Ref) and (a.kind, a.cls) == (b.kind, b.cls):
        met = one is not None and other is not None
        joined = _is_joined(a, one) or _is_joined(b, other)
        return None if met or (joined and _may_meet(interp, a, b)) else False
    return None if _may_be_alike(interp, a, b) else False


def _may_be_alike(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether two values, of which not both are objects that the program made, may be one by what they are."""
    match a, b:
        case Tuple(), Tuple():
            return _may_be_one(interp, a, b)
        case (Ref() as held, Static(found)) | (Static(found), Ref() as held):
            return interp.identity(held) is not None and type(found) is held.cls
        case (FunctionValue(fn), FunctionValue(known)) | (Method(FunctionValue(fn)), Method(FunctionValue(known))):
            return fn is known  # either may stand for what paths have
        case Method(fn, partial=partial), Method(known, partial=also) if partial is also:
            return _same_function(fn, known)
    return False


def _same_function(fn: Value, other: Value) -> bool:
    """Whether two known functions are one."""
    return isinstance(fn, Static | Lit) and isinstance(other, Static | Lit) and fn.value is other.value


def refuse_other_names(interp: Interpreter) -> None:
    """Raise where a container in the arguments is changed that may be one which the function also reads as one from outside.

    Raises:
        UnsupportedOperationError: it reads one of the same class with the same keys, or as many items.
    """
    for ref, (keys, span) in interp.changed.items():
        held = [
            known.access
            for value, known in interp.identities.values()
            if isinstance(known, FoundOutside)
            and isinstance(value, Ref)
            and value.cls is ref.cls
            and interp.contents(value).keys == keys
        ]
        held += [
            guard.access for guard in interp.outer.guards if guard.expectation == HasClass(ref.cls) and ref.kind == "instance"
        ]
        if held:
            message = (
                f"this {ref.cls.__name__}, an argument, is changed, and may be the same object as `{held[0]}`, which is read"
            )
            raise interp.error(message, "change a copy of the argument, or pass what is read as an argument", span=span)


def _is_joined(ref: Ref, known: FoundOutside | Given | None) -> bool:
    """Whether `ref` stands for what several paths have."""
    return ref.shared and known is None


def _may_meet(interp: Interpreter, a: Ref, b: Ref) -> bool:
    """Whether two objects, of which one stands for what several paths have, may be one, by all that each may be."""
    if a.kind == "list":  # which may be an item of one that an array holds
        return True
    others, behind = interp.heap.others(a), interp.heap.others(b)
    if others is None or behind is None or not others.isdisjoint((b, *behind)):
        return True
    return all(any(interp.identity(ref) is not None for ref in (one, *rest)) for one, rest in ((a, others), (b, behind)))


def _may_be_one(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether nothing tells that what is in one place of two tuples differs."""
    match a, b:
        case Tuple(items, cls), Tuple(others, other_cls):
            alike = cls is other_cls and len(items) == len(others)
            return alike and all(_may_be_one(interp, *pair) for pair in zip(items, others, strict=True))
        case (Var(), Var()):
            return type(a.type) is type(b.type)
        case (Var(_, Scalar() as type_), Lit(value)) | (Lit(value), Var(_, Scalar() as type_)):
            return scalar_type(value) == settled_type(type_)
        case (Ref(), Ref()):
            return one_object(interp, a, b) is not False
        case (Poison() | Maybe() | OneOf(), _) | (_, Poison() | Maybe() | OneOf()):
            return True
        case _:
            return same(a, b)
