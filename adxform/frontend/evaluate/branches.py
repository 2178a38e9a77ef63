"""Branches: what is known is decided now, the rest is written with joined values."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from adxform.frontend.containers.collecting import as_list_of_rows, become_floats, irregular, kind_on_paths, row_type
from adxform.frontend.containers.tuple_columns import kind_of
from adxform.frontend.evaluate import iteration, protocols
from adxform.frontend.evaluate.class_contents import MISSING, find
from adxform.frontend.evaluate.joins import Joiner, collect, instantiate
from adxform.frontend.evaluate.signals import Grows, Unreachable
from adxform.frontend.evaluate.sizes import note_origin
from adxform.frontend.evaluate.state import Env, Interpreter
from adxform.frontend.evaluate.values import (
    Collected,
    Columns,
    Contents,
    Elements,
    Heap,
    Maybe,
    Poison,
    Range,
    Ref,
    Static,
    Tuple,
    Value,
    View,
)
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, If, Lit, Operand, Raise, Var
from adxform.ir.spans import Span, is_user
from adxform.ir.types import BOOL, Array, Scalar, Type


def truth(interp: Interpreter, value: Value) -> bool | Operand:
    """Whether `value` is true: known, or a condition to ask at run time."""
    value = interp.use(value)
    match value:
        case Lit(literal):
            return bool(literal)
        case Var(type=Array()):  # its contents are read here and now: they may be others when it is asked again
            return interp.emit(bool, (value,), BOOL)
        case Var():
            return value
        case Maybe(present, held):
            return _both(interp, present, held)
        case Tuple() | Ref(kind="instance") | Static() if protocols.is_object(value):
            return _truth_of_object(interp, value)
        case Tuple(items):
            return bool(items)
        case Ref(kind="list") if interp.is_long(value):
            return truth(interp, iteration.length(interp, value))
        case Range():
            return truth(interp, iteration.length(interp, value))
        case Ref() | View(Ref()):
            return bool(interp.contents(value.of if isinstance(value, View) else value).keys)
        case Static(literal):
            return True if isinstance(literal, types.FunctionType | types.ModuleType | type) else bool(interp.settle(value))
        case _:
            return True


def _truth_of_object(interp: Interpreter, value: Tuple | Ref | Static) -> bool | Operand:
    """Whether an object is true, by what its class says, if anything."""
    for name in ("__bool__", "__len__"):
        method = protocols.special(interp, value, name)
        if isinstance(value, Static) and _is_library(find(type(value.value), name)):
            return interp.emit(bool, (interp.operand(value),), BOOL)
        if method is not None:
            found = interp.call(Lit(len), (value,)) if name == "__len__" else protocols.converted(interp, method, name)
            return truth(interp, found)
        if isinstance(value, Static) and find(type(value.value), name) is not MISSING:
            number = protocols.decayed(interp, value)
            return truth(interp, number) if number is not value else interp.emit(bool, (interp.operand(value),), BOOL)
    return bool(value.items) if isinstance(value, Tuple) else True


def _is_library(method: Any) -> bool:
    """Whether `method` is one of a library's, written in Python, as that of an `enum.Flag` is: the run asks it."""
    return isinstance(method, types.FunctionType) and not is_user(method)


def _both(interp: Interpreter, present: Value, held: Value) -> bool | Operand:
    """Whether a value is there and true."""
    if not isinstance(present, Var) or present in interp.assumed:
        return truth(interp, held) if present != Lit(False) else False

    def inside() -> list[Value]:
        cond = truth(interp, held)
        return [Lit(cond) if isinstance(cond, bool) else interp.emit(bool, (cond,), BOOL)]

    (found,) = branch(interp, present, inside, lambda: [Lit(False)], ["there"], interp.span)
    return truth(interp, found)


def run_if(interp: Interpreter, op: If, env: Env) -> None:
    """Run an `If`: the branch that is taken where that is known, else both."""
    cond = truth(interp, interp.value(op.cond, env))
    if isinstance(cond, bool):
        values = interp.run_block(op.then if cond else op.orelse, env)
    else:
        hints = [out.base for out in op.outs]
        values = branch(
            interp, cond, lambda: interp.run_block(op.then, env), lambda: interp.run_block(op.orelse, env), hints, op.span
        )
    env.update(zip(op.outs, values, strict=True))


def branch(
    interp: Interpreter,
    cond: Operand,
    then: Callable[[], list[Value]],
    orelse: Callable[[], list[Value]],
    hints: list[str],
    span: Span,
) -> list[Value]:
    """Write an `If` and return its joined values."""
    outer, start = interp.builder, interp.heap
    builders: list[Builder] = []
    heaps: list[Heap] = []
    results: list[list[Value] | None] = []
    assumed = interp.assumed
    for side, known in zip((then, orelse), _assumptions(interp, cond), strict=True):
        interp.builder, interp.heap = outer.nested(), start.copy()
        interp.assumed = assumed | known
        try:
            results.append(side())
        except Unreachable:
            results.append(None)
        finally:
            builders.append(interp.builder)
            heaps.append(interp.heap)
            interp.builder = outer
            interp.assumed = assumed
    interp.heap = start
    if results == [None, None]:
        outer.emit(If((), cond, builders[0].block((), ()), builders[1].block((), ()), span))
        raise Unreachable
    reached = [values is not None for values in results]
    lefts, rights = ([UNDEFINED] * len(hints) if values is None else values for values in results)
    origin = interp.origins.get(cond) if isinstance(cond, Var) else None
    joiner = Joiner(interp.fresh_dim, params=origin or frozenset())
    if all(reached) and not joiner.params:
        for left, right in zip(lefts, rights, strict=True):
            _level_lists(interp, (left, right), builders, heaps)
    templates = [joiner.merge(a, heaps[0], b, heaps[1], start) for a, b in zip(lefts, rights, strict=True)]
    changed = changed_objects(start, heaps)
    growing = (_other_items(interp, ref, start, heaps) for ref in changed if all(reached) and not joiner.params)
    if any(grows is not None and as_list_of_rows(interp, grows) for grows in growing):
        return branch(interp, cond, then, orelse, hints, span)
    if all(reached) and not joiner.params:
        for ref in changed:
            _level_lists(interp, (ref, ref), builders, heaps)
    merged = [_merge_side(joiner, ref, heaps, start, reached) for ref in changed]
    outs: list[Var] = []

    def make(hint: str) -> Callable[[Type], Var]:
        def variable(type_: Type) -> Var:
            outs.append(Var(interp.names.fresh(hint), type_))
            return outs[-1]

        return variable

    values = [instantiate(template, make(hint), interp.heap) for template, hint in zip(templates, hints, strict=True)]
    for ref, template in zip(changed, merged, strict=True):
        interp.heap.contents[ref] = instantiate(template, make(hint_of(ref)), interp.heap)
    sides: list[tuple[Operand, ...]] = []
    for builder, heap, own, ends in zip(builders, heaps, (lefts, rights), reached, strict=True):
        interp.builder = builder
        found: list[Operand] = []
        for template, value in zip(templates, own, strict=True):
            found += collect(template, value, heap, interp.operand)
        for ref, template in zip(changed, merged, strict=True):
            found += collect(template, heap.contents[ref] if ends else UNDEFINED, heap, interp.operand)
        sides.append(tuple(found))
    interp.builder = outer
    _learn(interp, outs, sides, cond)
    outer.emit(If(tuple(outs), cond, builders[0].block((), sides[0]), builders[1].block((), sides[1]), span))
    return values


def _assumptions(interp: Interpreter, cond: Operand) -> tuple[frozenset[Var], frozenset[Var]]:
    """What is not ``None`` on either side of a branch."""
    if not isinstance(cond, Var):
        return frozenset(), frozenset()
    absent = interp.negated.get(cond)
    return frozenset((cond,)), frozenset() if absent is None else frozenset((absent,))


def changed_objects(start: Heap, heaps: list[Heap]) -> list[Ref]:
    """The objects of `start` whose contents differ in one of `heaps`."""
    return [ref for ref, contents in start.contents.items() if any(heap.contents[ref] is not contents for heap in heaps)]


def _other_items(interp: Interpreter, ref: Ref, start: Heap, heaps: list[Heap]) -> Grows | None:
    """What the items of a list become on a path: floats where they were whole numbers, or another number of tuples on each."""
    sides: list[Any] = [heap.contents[ref] for heap in (start, *heaps)]
    if all(isinstance(side, Collected) and side.done for side in sides):
        dtype = row_type(sides[0]).dtype
        return next((irregular(ref, side) for side in sides[1:] if row_type(side).dtype != dtype), None)
    known = [side for side in sides if isinstance(side, Contents)]
    if ref.kind != "list" or ref.outside or ref.shared or not isinstance(sides[0], Contents):
        return None
    if any(isinstance(side, Columns) for side in sides):
        return next(
            Grows(ref, kind_of(interp, heap, side))
            for heap, side in zip(heaps, sides[1:], strict=True)
            if isinstance(side, Columns)
        )
    if len(known) < len(sides) or known[1].keys == known[2].keys:
        return None
    kind = kind_on_paths(interp, sides, (start, *heaps))
    return Grows(ref, kind) if kind.fields else None


def _level_lists(interp: Interpreter, values: tuple[Value, Value], builders: list[Builder], heaps: list[Heap]) -> None:
    """Make lists on both paths arrays of their items where they have another number of them on each, or floats on one only."""
    left, right = values
    if not (isinstance(left, Ref) and isinstance(right, Ref) and left.kind == right.kind == "list" and left.cls is right.cls):
        return
    sides: list[Any] = [heap.contents[ref] for ref, heap in zip((left, right), heaps, strict=True)]
    for side in sides:
        same = isinstance(side, Collected) and isinstance(sides[0], Collected) and side.buffer == sides[0].buffer
        if isinstance(side, Collected) and not side.done and not (same and side.counted):
            if left is right:
                raise irregular(left, side)
            return
    known = [side for side in sides if isinstance(side, Contents)]
    if not all(isinstance(side, Contents | Collected) for side in sides):
        return
    if len(known) == 2 and known[0].keys == known[1].keys:
        return
    longest = [side for side in sides if isinstance(side, Collected)]
    target = next((side for side in longest if any(become_floats(other, side) for other in longest)), next(iter(longest), None))
    item = kind_on_paths(interp, sides, heaps) if target is None else irregular(left, target).item
    outer = interp.builder, interp.heap
    for ref, side, builder, heap in zip((left, right), sides, builders, heaps, strict=True):
        interp.builder, interp.heap = builder, heap
        other = isinstance(side, Contents) or (target is not None and become_floats(side, target))
        if other and not ref.outside and not ref.shared:
            as_list_of_rows(interp, Grows(ref, item))
    interp.builder, interp.heap = outer


def _merge_side(joiner: Joiner, ref: Ref, heaps: list[Heap], start: Heap, reached: list[bool]) -> Any:
    if all(reached):
        return joiner.merge_contents(heaps[0].contents[ref], heaps[0], heaps[1].contents[ref], heaps[1], start)
    heap = heaps[reached.index(True)]
    contents: Any = heap.contents[ref]
    if isinstance(contents, Poison | Collected | Columns | Elements):
        return joiner.rows(contents) if isinstance(contents, Collected) else contents
    return Contents(contents.keys, tuple(joiner.escape(item, heap, start) for item in contents.items))


def hint_of(ref: Ref) -> str:
    """A name for what `ref` holds."""
    return ref.cls.__name__.lower() + "_item" if ref.kind != "instance" else "field"


def _learn(interp: Interpreter, outs: list[Var], sides: list[tuple[Operand, ...]], cond: Operand) -> None:
    """Note which joined integers are a length, and which follow from parameters alone."""
    for out, left, right in zip(outs, *sides, strict=True):
        if not isinstance(out.type, Scalar):
            continue
        sizes = [interp.sizes.get(side) if isinstance(side, Var) else None for side in (left, right)]
        if sizes[0] is not None and sizes[0] == sizes[1]:
            interp.sizes[out] = sizes[0]
        note_origin(interp, out, (left, right, cond))


def run_raise(interp: Interpreter, value: Operand, env: Env) -> None:
    """Write a `Raise`."""
    known = interp.use(interp.value(value, env))
    match known:
        case Static(cls) if isinstance(cls, type) and issubclass(cls, BaseException):
            known = interp.builder.call(cls, span=interp.span)
        case Lit(cls) if isinstance(cls, type) and issubclass(cls, BaseException):
            known = interp.builder.call(cls, span=interp.span)
        case _:
            pass
    interp.builder.emit(Raise(interp.operand(known), interp.span))
