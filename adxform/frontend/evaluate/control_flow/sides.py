"""The two sides of a branch: each is run on a heap of its own, and what they end with is joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adxform.frontend.evaluate.control_flow import joined_objects
from adxform.frontend.evaluate.control_flow.alike_lists import Before, is_held_anew, made_alike
from adxform.frontend.evaluate.control_flow.joined_objects import Paths
from adxform.frontend.evaluate.control_flow.joins import Joiner
from adxform.frontend.evaluate.control_flow.noted_choices import Side, note_choices, renew_chosen
from adxform.frontend.evaluate.control_flow.templates import Joined, changed_objects
from adxform.frontend.evaluate.levels import unwatched
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.presence import There, note_joined, tells
from adxform.frontend.evaluate.signals import Unreachable
from adxform.frontend.evaluate.sizes import note_origin
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import OneOf, Ref, Value
from adxform.ir.ops import UNDEFINED, If, Operand, Var
from adxform.ir.spans import Span
from adxform.ir.types import BOOL, Scalar, Type


def both(
    interp: Interpreter,
    cond: Operand,
    then: Callable[[], list[Value]],
    orelse: Callable[[], list[Value]],
    hints: list[str],
    span: Span,
) -> list[Value]:
    """Write an `If` and return its joined values."""
    start = interp.heap
    if isinstance(cond, Var):
        interp.integers.part_of_branches |= interp.integers.part_of(cond)
    sides = [run_side(interp, run, known) for run, known in zip((then, orelse), _assumptions(interp, cond), strict=True)]
    values = join(interp, cond, sides, start, hints, span)
    return both(interp, cond, then, orelse, hints, span) if values is None else values


def join(
    interp: Interpreter,
    cond: Operand,
    sides: list[Side],
    start: Heap,
    hints: list[str],
    span: Span,
    before: Before = None,
) -> list[Value] | None:
    """Write the `If` of two `sides` that began with the heap `start`, which is the interpreter's: return their joined values.

    ``None``, and nothing written, where a list from before is held anew: they are to be run again.
    """
    with unwatched(interp):  # what makes arrays of lists raises nothing
        return _written(interp, cond, sides, start, hints, span, before)


def _written(
    interp: Interpreter,
    cond: Operand,
    sides: list[Side],
    start: Heap,
    hints: list[str],
    span: Span,
    before: Before,
) -> list[Value] | None:
    outer = interp.builder
    if all(side.values is None for side in sides):
        outer.emit(If((), cond, sides[0].builder.block((), ()), sides[1].builder.block((), ()), span))
        raise Unreachable
    renew_chosen(interp, sides, start)
    joined = _joined(interp, cond, sides, start, hints, before)
    if joined is None:
        return None
    refuse_outgrown(interp, joined)
    outs: list[Var] = []

    def out(hint: str, type_: Type) -> Var:
        outs.append(Var(interp.names.fresh(hint), type_))
        return outs[-1]

    values = joined.instantiate(out, interp.heap)
    results: list[tuple[Operand, ...]] = []
    for side in sides:
        interp.builder = side.builder
        results.append(joined.collect(side.values, side.heap, interp.operand))
    if all(side.values is not None for side in sides):
        places = note_choices(interp, cond, values, joined.held, sides, start)
        results = [(*result, *(place[k] for _, place in places)) for k, result in enumerate(results)]
        outs += [which for which, _ in places]
    interp.builder = outer
    _learn(interp, outs, results, cond)
    true, false = (side.builder.block((), result) for side, result in zip(sides, results, strict=True))
    outer.emit(If(tuple(outs), cond, true, false, span))
    return values


def refuse_outgrown(interp: Interpreter, joined: Joined) -> None:
    """Refuse trees of objects of which only the run knows where they branch, beyond a few levels."""
    if joined.has_outgrown():
        message = "objects that hold others of their class, which only the run chooses, are nested too deep to be followed"
        raise interp.error(message, "keep them in lists, and in place of each link its place there")


def run_side(interp: Interpreter, run: Callable[[], list[Value]], known: There) -> Side:
    """A side of a branch, on a heap of its own; `known` are not ``None`` there."""
    outer, start, assumed = interp.builder, interp.heap, interp.assumed
    interp.builder, interp.heap, interp.assumed = outer.nested(), start.copy(), assumed | known
    values: list[Value] | None
    try:
        values = [interp.left(value) if isinstance(value, OneOf) else value for value in run()]
    except Unreachable:
        values = None
    finally:
        builder, interp.builder, interp.assumed = interp.builder, outer, assumed
    side = Side(values, builder, interp.heap)
    interp.heap = start
    return side


def _joined(
    interp: Interpreter, cond: Operand, sides: list[Side], start: Heap, hints: list[str], before: Before
) -> Joined | None:
    """What the values and the changed objects of both sides are together; ``None`` where a list from before is held anew."""
    joiner = _joiner(interp, cond)
    lefts, rights = ([UNDEFINED] * len(hints) if side.values is None else side.values for side in sides)
    heaps = [side.heap for side in sides]
    if joiner.params or any(side.values is None for side in sides):  # nothing is to be made alike
        changed = changed_objects(start, heaps)
        if any(is_held_anew(interp, ref, start, heaps, before) for ref in changed):
            return None
    elif (alike := made_alike(interp, (lefts, rights), sides, start, before)) is not None:
        changed = alike
    else:
        return None
    paths = Paths(heaps[0], heaps[1], start)
    values = [joiner.merge(a, b, paths) for a, b in zip(lefts, rights, strict=True)]
    return Joined(values, {ref: _merge_side(joiner, ref, sides, start) for ref in changed}, hints)


def _joiner(interp: Interpreter, cond: Operand) -> Joiner:
    """What joins the paths between which `cond` decides."""
    origin = interp.integers.origins.get(cond) if isinstance(cond, Var) else None
    lengths = interp.integers.of_lengths.get(cond) if isinstance(cond, Var) else None
    return Joiner(
        interp.integers.uneven_dim,
        params=origin or frozenset(),
        lengths=lengths or frozenset(),
        keeps_axes=lengths is not None and bool(lengths) and lengths <= interp.integers.few,
        collects=interp.collects,
    )


def _assumptions(interp: Interpreter, cond: Operand) -> tuple[There, There]:
    """What is there on either side of a branch."""
    return tells(interp.told, cond)


def _merge_side(joiner: Joiner, ref: Ref, sides: list[Side], start: Heap) -> Any:
    """The template of what `ref` holds after `sides`, of which at least one ends."""
    ends = [side.heap for side in sides if side.values is not None]
    contents: Any = ends[0].contents[ref]
    if len(ends) > 1:
        return joined_objects.merge_contents(joiner, ref, contents, ends[1].contents[ref], Paths(ends[0], ends[1], start))
    return joined_objects.after_one_path(joiner, contents, ends[0], start)


def _learn(interp: Interpreter, outs: list[Var], sides: list[tuple[Operand, ...]], cond: Operand) -> None:
    """Note which joined integers are a length, which follow from parameters alone, and what joined conditions tell."""
    for out, left, right in zip(outs, *sides, strict=True):
        interp.integers.note_part(out, (left, right, cond))
        if isinstance(out.type, Scalar) and out.type.dtype == BOOL.dtype:
            note_joined(interp.told, out, cond, (left, right))
        if interp.of_run.is_text(left) and interp.of_run.is_text(right):
            interp.of_run.made[out] = str
        if not isinstance(out.type, Scalar):
            continue
        sizes = [interp.integers.sizes.get(side) if isinstance(side, Var) else None for side in (left, right)]
        if sizes[0] is not None and sizes[0] == sizes[1]:
            interp.integers.sizes[out] = sizes[0]
            interp.integers.counted.update({out} if {left, right} <= interp.integers.counted else ())
            interp.integers.cut_at_zero.update(() if interp.integers.cut_at_zero.isdisjoint((left, right)) else {out})
        note_origin(interp, out, (left, right, cond))
