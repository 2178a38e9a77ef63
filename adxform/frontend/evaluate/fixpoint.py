"""Loop bodies on ever more general parameters, until they yield what they hold."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from typing import Any

from adxform.frontend.containers.collecting import growth, rebinding
from adxform.frontend.evaluate.branches import changed_objects, hint_of
from adxform.frontend.evaluate.joins import Joiner, collect, instantiate, slots
from adxform.frontend.evaluate.signals import Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Collected, Columns, Contents, Elements, Poison, Ref, Value
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Lit, Operand, Var
from adxform.ir.types import Array, Dim, Size, Type

_PASSES = 12


@dataclass(slots=True)
class SettledLoop:
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


def find_fixpoint(
    interp: Interpreter,
    inits: list[Value],
    hints: list[str],
    step: Callable[[list[Value], tuple[Var, ...]], tuple[list[Value], list[Operand]]],
    counted: Container[Ref] = (),
    index: tuple[str, Type] | None = None,
) -> SettledLoop:
    """Run a loop body on ever more general parameters until it yields what they hold.

    `counted` are the lists to which the loop appends at most one item on each pass. `index`: the hint and type of a parameter
    before these, of a counted loop.
    """
    outer, start = interp.builder, interp.heap
    known = len(interp.lengths)
    owned: set[str] = set()

    def local(dim: Dim) -> bool:
        return dim.base in interp.lengths[known:]

    assumed = interp.assumed
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
            interp.heap.contents[ref] = instantiate(template, variable(hint_of(ref)), interp.heap)
        before = interp.heap.copy()
        own = () if index is None else (Var(interp.names.fresh(index[0]), index[1]),)
        conditions: list[Operand] = []
        reached = True
        try:
            yields, conditions = step(values, own)
        except Unreachable:
            yields, conditions, reached = [UNDEFINED] * len(inits), [Lit(False)], False
        finally:
            interp.assumed = assumed
        builder, heap = interp.builder, interp.heap
        for init, value in zip(inits, yields, strict=True) if reached else ():
            rebound = rebinding(interp, init, start, value, heap)
            if rebound is not None:
                raise rebound
        merged = [joiner.merge(t, before, value, heap, before) for t, value in zip(templates, yields, strict=True)]
        merged_heap = dict(heap_templates)
        for ref in changed_objects(before, [heap]) if reached else []:
            if ref not in start.contents:
                continue
            init_contents: Any = start.contents[ref]
            grows = growth(interp, ref, before.contents[ref], heap.contents[ref], owned=ref in counted)
            if grows is not None:
                raise grows
            if ref in merged_heap:
                old = merged_heap[ref]
            elif isinstance(init_contents, Poison | Columns | Elements):
                old = init_contents
            elif isinstance(init_contents, Collected):
                old = joiner.rows(init_contents)
            else:
                old = Contents(
                    init_contents.keys, tuple(joiner.generalise(item, start, numbers=True) for item in init_contents.items)
                )
            merged_heap[ref] = joiner.merge_contents(old, before, heap.contents[ref], heap, before)
            if isinstance(merged_heap[ref], Collected):
                merged_heap[ref] = replace(merged_heap[ref], passed=0)
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
        interp.heap.contents[ref] = instantiate(template, out(hint_of(ref)), interp.heap)
    return SettledLoop(
        own,
        tuple(params),
        tuple(firsts),
        tuple(found),
        tuple(conditions),
        tuple(outs),
        results,
        builder,
        templates,
        heap_templates,
        hints,
    )


def _renamed(interp: Interpreter, type_: Type, owned: set[str], renamed: dict[str, Dim]) -> Type:
    """The type after the loop: a length that changes from pass to pass is another one there."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    shape: list[Size] = []
    for size in type_.shape:
        if isinstance(size, Dim) and size.base in owned:
            fresh = interp.fresh_dim()
            renamed.setdefault(size.base, fresh)
            shape.append(Dim(renamed[size.base].base, size.offset))
        else:
            shape.append(size)
    return Array(type_.dtype, tuple(shape))
