"""Branches and loops: what is static is decided now, the rest is written with joined values."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adxform.errors import UnsupportedOperationError
from adxform.frontend import collecting, iteration
from adxform.frontend.collecting import Grows, growth
from adxform.frontend.joins import Joiner, collect, instantiate, slots
from adxform.frontend.signals import Promote, Unreachable
from adxform.frontend.sizes import note_origin
from adxform.frontend.values import Collected, Contents, Heap, Poison, Range, Ref, Reversed, Static, Tuple, Value
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, For, If, Lit, Operand, Raise, Var, While
from adxform.ir.types import Array, Dim, Scalar, Type
from adxform.source import Span

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Env, Interpreter

_PASSES = 12
_UNROLL = 256


def truth(interp: Interpreter, value: Value) -> bool | Operand:
    """Whether `value` is true: known, or a condition to ask at run time."""
    value = interp.use(value)
    match value:
        case Lit(literal):
            return bool(literal)
        case Var():
            return value
        case Tuple(items):
            return bool(items)
        case Ref(kind="instance", cls=cls):
            for method in ("__bool__", "__len__"):
                if hasattr(cls, method):
                    return truth(interp, interp.call(interp.attribute(value, method), ()))
            return True
        case Ref(kind="list") if interp.filled(value) is not None:
            return truth(interp, iteration.length(interp, value))
        case Range():
            return truth(interp, iteration.length(interp, value))
        case Ref():
            return bool(interp.contents(value).keys)
        case Static(literal):
            return True if isinstance(literal, types.FunctionType | types.ModuleType | type) else bool(interp.pin(value))
        case _:
            return True


# -- If ---------------------------------------------------------------------------------------------------------------


def run_if(interp: Interpreter, op: If, env: Env) -> None:
    """Run an `If`: the branch that is taken where that is known, else both."""
    cond = truth(interp, interp.value(op.cond, env))
    if isinstance(cond, bool):
        values = interp.run_block(op.then if cond else op.orelse, env)
    else:
        hints = [out.base for out in op.outs]
        values = branch(interp, cond, lambda: interp.run_block(op.then, env), lambda: interp.run_block(op.orelse, env), hints, op.span)
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
    for side in (then, orelse):
        interp.builder, interp.heap = outer.nested(), start.copy()
        try:
            results.append(side())
        except Unreachable:
            results.append(None)
        finally:
            builders.append(interp.builder)
            heaps.append(interp.heap)
            interp.builder = outer
    interp.heap = start
    if results == [None, None]:
        outer.emit(If((), cond, builders[0].block((), ()), builders[1].block((), ()), span))
        raise Unreachable
    reached = [values is not None for values in results]
    lefts, rights = ([UNDEFINED] * len(hints) if values is None else values for values in results)
    origin = interp.origins.get(cond) if isinstance(cond, Var) else None
    joiner = Joiner(interp.fresh_dim, params=origin or frozenset())
    templates = [joiner.merge(a, heaps[0], b, heaps[1], start) for a, b in zip(lefts, rights, strict=True)]
    changed = _changed(start, heaps)
    merged = [_merge_side(joiner, ref, heaps, start, reached) for ref in changed]
    outs: list[Var] = []

    def make(hint: str) -> Callable[[Type], Var]:
        def variable(type_: Type) -> Var:
            outs.append(Var(interp.names.fresh(hint), type_))
            return outs[-1]

        return variable

    values = [instantiate(template, make(hint), interp.heap) for template, hint in zip(templates, hints, strict=True)]
    for ref, template in zip(changed, merged, strict=True):
        interp.heap.contents[ref] = instantiate(template, make(_hint(ref)), interp.heap)
    sides: list[tuple[Operand, ...]] = []
    for side, (builder, heap, own) in enumerate(zip(builders, heaps, (lefts, rights), strict=True)):
        interp.builder = builder
        found: list[Operand] = []
        for template, value in zip(templates, own, strict=True):
            found += collect(template, value, heap, interp.operand)
        for ref, template in zip(changed, merged, strict=True):
            found += collect(template, heap.contents[ref] if reached[side] else UNDEFINED, heap, interp.operand)
        sides.append(tuple(found))
    interp.builder = outer
    _learn(interp, outs, sides, cond)
    outer.emit(If(tuple(outs), cond, builders[0].block((), sides[0]), builders[1].block((), sides[1]), span))
    return values


def _changed(start: Heap, heaps: list[Heap]) -> list[Ref]:
    return [ref for ref, contents in start.contents.items() if any(heap.contents[ref] is not contents for heap in heaps)]


def _merge_side(joiner: Joiner, ref: Ref, heaps: list[Heap], start: Heap, reached: list[bool]) -> Any:
    if all(reached):
        return joiner.merge_contents(heaps[0].contents[ref], heaps[0], heaps[1].contents[ref], heaps[1], start)
    heap = heaps[reached.index(True)]
    contents: Any = heap.contents[ref]
    if isinstance(contents, Poison):
        return contents
    return Contents(contents.keys, tuple(joiner.escape(item, heap, start) for item in contents.items))


def _hint(ref: Ref) -> str:
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


# -- loops ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _State:
    """Where a specialisation stands, to try a loop another way."""

    builder: Builder
    ops: int
    heap: Heap
    frames: int
    collected: int

    @classmethod
    def of(cls, interp: Interpreter) -> _State:
        return cls(interp.builder, len(interp.builder.ops), interp.heap.copy(), len(interp.frames), len(interp.collected))

    def restore(self, interp: Interpreter) -> None:
        interp.builder = self.builder
        del interp.builder.ops[self.ops :]
        interp.heap = self.heap.copy()
        del interp.frames[self.frames :]
        del interp.collected[self.collected :]


def run_for(interp: Interpreter, op: For, env: Env) -> None:
    """Run a `For`: item by item where the items are known, else as a loop."""
    source = interp.use(interp.value(op.source[0], env))
    inits = [interp.value(init, env) for init in op.inits]
    items = iteration.known_items(interp, source)
    if items is not None:
        outs = unrolled(interp, op, items, inits, env)
    else:
        outs = _dynamic_for(interp, op, source, inits, env)
    env.update(zip(op.outs, outs, strict=True))


def _dynamic_for(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env) -> list[Value]:
    saved = _State.of(interp)
    try:
        return _loop(interp, op, source, inits, env)
    except (UnsupportedOperationError, Grows) as reason:
        saved.restore(interp)
        trips = iteration.literal_trips(interp, source)
        if trips is None or trips > _UNROLL:
            if isinstance(reason, Grows):
                return _collecting(interp, op, source, inits, env, reason)
            params = iteration.promotable(interp, source)
            if trips is None and params:
                raise Promote(params) from None
            raise
        items = [iteration.item_at(interp, source, Lit(k)) for k in range(trips)]
        return unrolled(interp, op, items, inits, env)


def unrolled(interp: Interpreter, op: For, items: list[Value], inits: list[Value], env: Env) -> list[Value]:
    """Run the body once for each item."""
    carried = inits
    for position, item in enumerate(items):
        env.update(zip(op.body.params, (item, *carried), strict=True))
        carried = interp.run_block(op.body, env)
        if op.breaks:
            going, *carried = carried
            cond = truth(interp, going)
            if cond is False:
                break
            if cond is not True:
                rest, now = items[position + 1 :], carried
                hints = [out.base for out in op.outs]
                return branch(interp, cond, lambda: unrolled(interp, op, rest, now, env), lambda: now, hints, op.span)
    return carried


def _collecting(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env, growing: Grows) -> list[Value]:
    """Run a loop that fills lists."""
    fills: dict[Ref, Collected] = {}
    while True:
        ref = growing.ref
        contents = None if growing.item is None or op.breaks else collecting.start(interp, ref, growing.item, source)
        if contents is None:
            params = iteration.promotable(interp, source)
            if params:
                raise Promote(params)
            message = f"how many items this {ref.cls.__name__} has after the loop cannot be told"
            raise interp.error(message, "append one number on each pass, or fill an array", span=op.span)
        fills[ref] = contents
        saved = _State.of(interp)
        try:
            values = _loop(interp, op, source, inits, env, fills)
        except Grows as another:
            saved.restore(interp)
            growing = another
            continue
        for ref, contents in fills.items():
            interp.heap.contents[ref] = replace(contents, count=contents.total, done=True)  # type: ignore[assignment]
        return values


def _loop(
    interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env, fills: dict[Ref, Collected] | None = None
) -> list[Value]:
    trip = iteration.trip(interp, source, op.body.params[0].base)

    def body(carried: list[Value], index: Var) -> list[Value]:
        env.update(zip(op.body.params, (trip.item(index), *carried), strict=True))
        return interp.run_block(op.body, env)

    def step(carried: list[Value]) -> tuple[tuple[Var, ...], list[Value], list[Operand]]:
        index = Var(interp.names.fresh(trip.hint), trip.type)
        start = _first_pass(interp, source, index) if fills else index
        for ref, contents in (fills or {}).items():
            here = replace(contents, count=iteration.add(interp, start, contents.count))
            interp.heap.contents[ref] = here  # type: ignore[assignment]
        results = body(carried, index)
        for ref, contents in (fills or {}).items():
            now: Any = interp.heap.contents[ref]
            if not isinstance(now, Collected) or now.passed != contents.passed + 1:
                raise interp.error("this list does not get one item on each pass of the loop", "append once, unconditionally", span=op.span)
            interp.heap.contents[ref] = kept[ref]
        if not op.breaks:
            return (index,), results, []
        going = truth(interp, results[0])
        return (index,), results[1:], [Lit(going) if isinstance(going, bool) else going]

    kept = {ref: interp.heap.contents[ref] for ref in fills or ()}
    hints = [param.base for param in op.body.params[1:]]
    fixed = _fixpoint(interp, inits, hints, step)
    block = fixed.builder.block((*fixed.own, *fixed.params), (*fixed.conditions, *fixed.yields))
    interp.builder.emit(For(fixed.outs, (trip.start, trip.stop, trip.step), fixed.inits, block, op.breaks, op.span))
    return fixed.values


def reduce_loop(interp: Interpreter, source: Value, start: Value, step: Callable[[Value, Value], Value], hint: str) -> Value:
    """Carry one value over the items of `source`, in a loop."""
    trip = iteration.trip(interp, source, "i")

    def once(carried: list[Value]) -> tuple[tuple[Var, ...], list[Value], list[Operand]]:
        index = Var(interp.names.fresh(trip.hint), trip.type)
        return (index,), [step(carried[0], trip.item(index))], []

    fixed = _fixpoint(interp, [start], [hint], once)
    block = fixed.builder.block((*fixed.own, *fixed.params), fixed.yields)
    interp.builder.emit(For(fixed.outs, (trip.start, trip.stop, trip.step), fixed.inits, block, False, interp.span))
    return fixed.values[0]


def _first_pass(interp: Interpreter, source: Value, index: Var) -> Value:
    """How many passes came before the one with `index`."""
    match source:
        case Range(start, _, Lit(1)):
            return iteration.subtract(interp, index, start)
        case Range(start, _, step):
            return interp.call(Lit(operator.floordiv), (iteration.subtract(interp, index, start), step))
        case Reversed(Range() | Var() as items):
            last = iteration.subtract(interp, iteration.length(interp, items), Lit(1))
            first = items.start if isinstance(items, Range) else Lit(0)
            return iteration.subtract(interp, iteration.add(interp, last, first), index)
        case _:
            return index


def run_while(interp: Interpreter, op: While, env: Env) -> None:
    """Run a `While`."""
    inits = [interp.value(init, env) for init in op.inits]
    saved = _State.of(interp)
    try:
        outs = _while(interp, op, inits, env)
    except (UnsupportedOperationError, Grows) as reason:
        saved.restore(interp)
        known = _unrolled_while(interp, op, inits, env)
        if known is None:
            if not isinstance(reason, Grows):
                raise
            message = f"how many items this {reason.ref.cls.__name__} has after the loop cannot be told"
            raise interp.error(message, "fill an array of known length", span=op.span) from None
        outs = known
    env.update(zip(op.outs, outs, strict=True))


def _unrolled_while(interp: Interpreter, op: While, inits: list[Value], env: Env) -> list[Value] | None:
    carried = inits
    for _ in range(_UNROLL):
        env.update(zip(op.test.params, carried, strict=True))
        (test,) = interp.run_block(op.test, env)
        cond = truth(interp, test)
        if cond is False:
            return carried
        if cond is not True:
            return None
        env.update(zip(op.body.params, carried, strict=True))
        carried = interp.run_block(op.body, env)
    return None


def _while(interp: Interpreter, op: While, inits: list[Value], env: Env) -> list[Value]:
    def step(carried: list[Value]) -> tuple[tuple[Var, ...], list[Value], list[Operand]]:
        env.update(zip(op.body.params, carried, strict=True))
        return (), interp.run_block(op.body, env), []

    hints = [param.base for param in op.body.params]
    fixed = _fixpoint(interp, inits, hints, step)
    outer, before = interp.builder, interp.heap
    tests, values = fixed.again(interp)
    interp.builder, interp.heap = outer.nested(), before.copy()
    for ref, contents in fixed.heap_of(interp, tests).items():
        interp.heap.contents[ref] = contents
    env.update(zip(op.test.params, values, strict=True))
    held = interp.heap.copy()
    (test,) = interp.run_block(op.test, env)
    cond = truth(interp, test)
    if _changed(held, [interp.heap]):
        raise interp.error("the condition of this loop changes a list, a dict or an object", "change it in the body", span=op.span)
    block = interp.builder.block(tests, (Lit(cond) if isinstance(cond, bool) else cond,))
    interp.builder, interp.heap = outer, before
    body = fixed.builder.block(fixed.params, fixed.yields)
    outer.emit(While(fixed.outs, fixed.inits, block, body, op.span))
    return fixed.values


@dataclass(slots=True)
class _Fixed:
    """A loop body whose parameters have types that hold on every pass."""

    own: tuple[Var, ...]
    params: tuple[Var, ...]
    inits: tuple[Operand, ...]
    yields: tuple[Operand, ...]
    conditions: tuple[Operand, ...]
    outs: tuple[Var, ...]
    values: list[Value]
    builder: Builder
    templates: list[Any]
    heap_templates: dict[Ref, Any]
    hints: list[str]

    def again(self, interp: Interpreter) -> tuple[tuple[Var, ...], list[Value]]:
        """Another set of parameters (those of a `While`'s test) and the values that they make."""
        made = tuple(Var(interp.names.fresh(param.base), param.type) for param in self.params)
        source = iter(made)
        values = [instantiate(template, lambda _: next(source), interp.heap) for template in self.templates]
        return made, values

    def heap_of(self, interp: Interpreter, made: tuple[Var, ...]) -> dict[Ref, Any]:
        """The contents of changed objects in terms of the parameters `made`."""
        source = iter(made[sum(len(list(slots(template))) for template in self.templates) :])
        return {ref: instantiate(template, lambda _: next(source), interp.heap) for ref, template in self.heap_templates.items()}


def _fixpoint(
    interp: Interpreter,
    inits: list[Value],
    hints: list[str],
    step: Callable[[list[Value]], tuple[tuple[Var, ...], list[Value], list[Operand]]],
) -> _Fixed:
    """Run a loop body on ever more general parameters until it yields what they hold."""
    outer, start = interp.builder, interp.heap
    known = len(interp.lengths)
    owned: set[str] = set()

    def local(dim: Dim) -> bool:
        return dim.base in interp.lengths[known:]

    joiner = Joiner(interp.fresh_dim, owned=owned, local=local)
    templates = [joiner.generalise(init, start, numbers=True) for init in inits]
    heap_templates: dict[Ref, Any] = {}
    for _ in range(_PASSES):
        params: list[Var] = []

        def variable(hint: str, into: list[Var] = params) -> Callable[[Type], Var]:
            def make(type_: Type) -> Var:
                into.append(Var(interp.names.fresh(hint), type_))
                return into[-1]

            return make

        interp.builder, interp.heap = outer.nested(), start.copy()
        values = [instantiate(t, variable(hint), interp.heap) for t, hint in zip(templates, hints, strict=True)]
        for ref, template in heap_templates.items():
            interp.heap.contents[ref] = instantiate(template, variable(_hint(ref)), interp.heap)
        before = interp.heap.copy()
        own: tuple[Var, ...] = ()
        conditions: list[Operand] = []
        reached = True
        try:
            own, yields, conditions = step(values)
        except Unreachable:
            yields, reached = [UNDEFINED] * len(inits), False
        builder, heap = interp.builder, interp.heap
        merged = [joiner.merge(t, before, value, heap, before) for t, value in zip(templates, yields, strict=True)]
        merged_heap = dict(heap_templates)
        for ref in _changed(before, [heap]) if reached else []:
            if ref not in start.contents:
                continue
            init_contents: Any = start.contents[ref]
            grows = growth(interp, ref, before.contents[ref], heap.contents[ref])
            if grows is not None:
                raise grows
            if ref in merged_heap:
                old = merged_heap[ref]
            elif isinstance(init_contents, Poison):
                old = init_contents
            else:
                old = Contents(
                    init_contents.keys, tuple(joiner.generalise(item, start, numbers=True) for item in init_contents.items)
                )
            merged_heap[ref] = joiner.merge_contents(old, before, heap.contents[ref], heap, before)
        if merged == templates and merged_heap == heap_templates:
            break
        templates, heap_templates = merged, merged_heap
    else:
        interp.builder, interp.heap = outer, start
        raise interp.error("the types of this loop's variables do not settle", "give them one type before the loop")
    found: list[Operand] = []
    interp.builder = builder
    for template, value in zip(templates, yields, strict=True):
        found += collect(template, value, heap, interp.operand)
    for ref, template in heap_templates.items():
        found += collect(template, heap.contents[ref] if reached else UNDEFINED, heap, interp.operand)
    interp.builder, interp.heap = outer, start
    firsts: list[Operand] = []
    for template, value in zip(templates, inits, strict=True):
        firsts += collect(template, value, start, interp.operand)
    for ref, template in heap_templates.items():
        firsts += collect(template, start.contents[ref], start, interp.operand)
    outs: list[Var] = []
    renamed: dict[str, Dim] = {}

    def out(hint: str) -> Callable[[Type], Var]:
        def make(type_: Type) -> Var:
            outs.append(Var(interp.names.fresh(hint), _renamed(interp, type_, owned, renamed)))
            return outs[-1]

        return make

    results = [instantiate(t, out(hint), interp.heap) for t, hint in zip(templates, hints, strict=True)]
    for ref, template in heap_templates.items():
        interp.heap.contents[ref] = instantiate(template, out(_hint(ref)), interp.heap)
    return _Fixed(
        own, tuple(params), tuple(firsts), tuple(found), tuple(conditions), tuple(outs), results, builder, templates, heap_templates, hints
    )


def _renamed(interp: Interpreter, type_: Type, owned: set[str], renamed: dict[str, Dim]) -> Type:
    """The type after the loop: a length that changes from pass to pass is another one there."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    shape = []
    for size in type_.shape:
        if isinstance(size, Dim) and size.base in owned:
            fresh = interp.fresh_dim()
            renamed.setdefault(size.base, fresh)
            shape.append(Dim(renamed[size.base].base, size.offset))
        else:
            shape.append(size)
    return Array(type_.dtype, tuple(shape))
