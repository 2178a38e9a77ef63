"""Sets of whole numbers, texts and tuples of those that only a run can tell: sets of the run, in its order.

visited.add(k)                  # set.add(visited, k)
for k in visited: …             # for k in runtime.elements(visited): …
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.frontend.containers import collecting, list_kinds, object_lists, tuple_columns
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.objects.object_contents import Columns, Contents, HeldByRun
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Tuple, Value
from adxform.ir.kinds import alternatives, scalar_type
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, is_inexact
from adxform.primitives.comparisons import EQUALITY, ORDERING

_CHANGING = frozenset({"add", "discard", "remove", "clear", "update", "difference_update", "intersection_update"})
"""Methods that change a set and give nothing."""
_GIVING = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_IN_PLACE = {"ior": "update", "iand": "intersection_update", "isub": "difference_update"}
_ASKING = frozenset({"issubset", "issuperset", "isdisjoint"})


@dataclass(frozen=True, slots=True)
class ElementKind:
    """What the elements of a set are: whole numbers of `type`, tuples with these `fields`, or texts and other objects."""

    type: Scalar | None = None
    fields: tuple[ElementKind, ...] = ()


def elements_of(value: Value) -> ElementKind | None:
    """What `value` is as an element of a set; ``None`` of what a set of the run does not hold."""
    match value:
        case Var(_, Scalar() as type_):
            whole = not is_inexact(type_) and len(alternatives(type_)) == 1
            return ElementKind(Scalar(type_.dtype, type_.weak)) if whole else None
        case Var(_, Object()):
            return ElementKind()
        case Lit(int() as number):
            return ElementKind(scalar_type(number))
        case Lit(str()):
            return ElementKind()
        case Tuple(items, cls) if cls is tuple and items:
            parts = [elements_of(item) for item in items]
            return None if None in parts else ElementKind(fields=tuple(part for part in parts if part is not None))
        case _:
            return None


def only_run_knows(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is an element of which only the run knows what it is, if parameters do not tell."""
    match value:
        case Var(_, Scalar() | Object()):
            return elements_of(value) is not None and not interp.integers.followed(value)
        case Tuple(items):
            return elements_of(value) is not None and any(only_run_knows(interp, item) for item in items)
        case _:
            return False


def begun(interp: Interpreter, ref: Ref, elements: ElementKind) -> bool:
    """Whether the run can have, and from here on has, the set `ref` that the function made."""
    held = interp.heap.contents.get(ref)
    if isinstance(held, HeldByRun):
        return bool(held.of == elements)
    if not isinstance(held, Contents) or ref.kind != "set" or ref.cls is not set or ref.outside or ref.shared:
        return False
    if interp.identity(ref) is not None or any(elements_of(item) != elements for item in held.items):
        return False
    interp.hold(ref, HeldByRun(interp.emit(set, (interp.operand(ref),), Object(), "elements"), elements))
    return True


def changed(interp: Interpreter, ref: Ref, fn: Any, args: tuple[Value, ...]) -> bool:
    """Whether a set is changed by the method `fn`, given what only the run knows: the run has it from here on."""
    if fn in (set.add, set.remove, set.discard):
        elements = elements_of(args[0]) if only_run_knows(interp, args[0]) else None
    elif fn is set.update and len(args) == 1 and (given := made(interp, args[0])) is not None:
        args = (interp.seen(given),)
        elements = interp.of_run.sets[args[0]] if isinstance(args[0], Var) else None
    else:
        return False
    if elements is None or not interp.loops.chooses or not begun(interp, ref, elements):
        interp.loops.would_choose |= elements is not None and not interp.loops.chooses
        return False
    interp.call(Lit(fn), (ref, *args), wanted=False)
    return True


def made(interp: Interpreter, given: Value) -> Ref | None:
    """``set(given)`` of a list of which only the run knows the items, or of items some of which only that knows."""
    value = walks.opened(interp, given)
    if isinstance(value, Var) and value in interp.of_run.lists:
        return new(interp, ElementKind(), set, value)
    filled, columns = interp.filled(value), interp.columns(value)
    if filled is not None and isinstance(value, Ref):
        number = list_kinds.row_type(filled)
        whole = isinstance(number, Scalar) and not is_inexact(number) and not filled.kinds
        return (
            new(interp, ElementKind(Scalar(number.dtype, filled.weak)), set, given_to_unknown(interp, value)) if whole else None
        )
    if columns is not None:
        return _of_columns(interp, columns)
    held = interp.heap.contents.get(value) if isinstance(value, Ref) and value.kind == "list" else value
    if not isinstance(held, Contents | Tuple) or not any(only_run_knows(interp, item) for item in held.items):
        return None
    kinds = {elements_of(item) for item in held.items}
    found = kinds.pop()
    if kinds or found is None:
        return None
    return new(interp, found, set, Pack("tuple", tuple(map(interp.operand, held.items))))


def _of_columns(interp: Interpreter, columns: Columns) -> Ref | None:
    fields, parts = [], []
    for part in columns.lists:
        filled = interp.filled(part)
        number = None if filled is None else list_kinds.row_type(filled)
        if filled is None or not isinstance(number, Scalar) or is_inexact(number) or filled.kinds or columns.cls is not tuple:
            return None
        fields.append(ElementKind(Scalar(number.dtype, filled.weak)))
        parts.append(given_to_unknown(interp, part))
    return new(interp, ElementKind(fields=tuple(fields)), runtime.set_of_tuples, *parts)


def new(interp: Interpreter, elements: ElementKind, fn: Callable[..., Any], *operands: Operand) -> Ref:
    """The set that `fn` makes in the run."""
    ref = interp.heap.new("set", set, (), ())
    interp.heap.contents[ref] = HeldByRun(interp.emit(fn, operands, Object(), "elements"), elements)
    return ref


def listed(interp: Interpreter, value: Value) -> Value:
    """`value`; of a set of the run, the list of its elements, in the order of the run."""
    if not isinstance(value, Var) or (elements := interp.of_run.sets.get(value)) is None:
        return value
    found = _listed(interp, value, elements, "items")
    interp.loops.walked_as[found] = value, "elements"
    return found


def _listed(interp: Interpreter, box: Var, elements: ElementKind, hint: str, *places: int) -> Ref:
    if elements.fields:
        parts = (_listed(interp, box, part, hint, *places, k) for k, part in enumerate(elements.fields))
        return tuple_columns.made(interp, Columns(tuple(parts)))
    given: tuple[Operand, ...] = (box, *map(Lit, places))
    if elements.type is None:
        return object_lists.new(interp, interp.emit(runtime.elements, given, Object(), hint))
    numbers = Array(elements.type.dtype, (interp.integers.fresh_dim(),))
    items = interp.emit(runtime.whole_elements, (Lit(elements.type.dtype), *given), numbers, hint)
    return collecting.new_list(interp, items, weak=elements.type.weak)


def call(
    interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value], hint: str
) -> Value | None:
    """The result of `fn`, a method of sets or an operator, of a set of the run; ``None`` for any other call."""
    if kwargs or not any(isinstance(arg, Var) and arg in interp.of_run.sets for arg in args):
        return None
    name = getattr(fn, "__name__", "")
    if fn is operator.contains:
        return interp.emit(fn, tuple(map(interp.operand, args)), BOOL, hint)
    if fn is set and len(args) == 1:
        return new(interp, _common(interp, args), fn, interp.operand(args[0]))
    if not all(_is_set(interp, arg) for arg in args):
        return _of_element(interp, fn, args)
    if getattr(operator, name, None) is fn and name in _IN_PLACE:
        return _of_element(interp, getattr(set, _IN_PLACE[name]), args) and args[0]
    if getattr(set, name, None) is not fn and (getattr(operator, name, None) is not fn or len(args) != 2):
        return None
    if Lit(fn) in EQUALITY | ORDERING or name in _ASKING:
        return interp.emit(fn, tuple(map(interp.operand, args)), BOOL, hint)
    if getattr(operator, name, None) is fn or name in _GIVING:
        return new(interp, _common(interp, args), fn, *map(interp.operand, args))
    return _of_element(interp, fn, args)


def _of_element(interp: Interpreter, fn: Any, args: tuple[Value, ...]) -> Value | None:
    """What a method gives that changes the set `args[0]` of the run; ``None`` of any other."""
    owner, *given = args
    name = getattr(fn, "__name__", "")
    if not isinstance(owner, Var) or owner not in interp.of_run.sets or getattr(set, name, None) is not fn:
        return None
    if name not in _CHANGING:
        return None
    if interp.parts_walked(owner):
        raise interp.walked_change("set")
    if name == "add" and elements_of(given[0]) != interp.of_run.sets[owner]:
        raise interp.error("the elements of this set are of several kinds", "make them one kind: `int(…)`, or texts")
    if name in ("update", "difference_update", "intersection_update"):
        _common(interp, args)
    interp.builder.emit(Call((), Lit(fn), tuple(map(interp.operand, args)), (), interp.span))
    return NONE


def _is_set(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is a set of the run, or one that the function made."""
    return (isinstance(value, Var) and value in interp.of_run.sets) or (isinstance(value, Ref) and value.kind == "set")


def _common(interp: Interpreter, args: tuple[Value, ...]) -> ElementKind:
    """What the elements of all of several sets are."""
    found: set[ElementKind | None] = set()
    for arg in args:
        if isinstance(arg, Var):
            found.add(interp.of_run.sets.get(arg))
        elif isinstance(arg, Ref):
            found.update(elements_of(item) for item in interp.contents(arg).items)
    if len(found) != 1 or None in found:
        raise interp.error("the elements of these sets are of several kinds", "make them one kind: `int(…)`, or texts")
    return next(one for one in found if one is not None)
