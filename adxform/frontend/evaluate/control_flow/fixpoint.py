"""Loop bodies on ever more general parameters, until they yield what they hold."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from adxform.frontend.containers.list_arrays import growth, rebinding
from adxform.frontend.evaluate.control_flow import joined_objects
from adxform.frontend.evaluate.control_flow.joined_objects import Paths
from adxform.frontend.evaluate.control_flow.joins import Joiner
from adxform.frontend.evaluate.control_flow.sides import refuse_outgrown
from adxform.frontend.evaluate.control_flow.templates import Joined, changed_objects
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import Collected
from adxform.frontend.evaluate.signals import Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Value
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Lit, Operand, Var
from adxform.ir.types import Array, Dim, Object, Size, Type

_PASSES = 12


@dataclass(slots=True)
class SettledLoop:
    """A loop body whose parameters have types that hold on every iteration."""

    own: tuple[Var, ...]
    params: tuple[Var, ...]
    inits: tuple[Operand, ...]
    yields: tuple[Operand, ...]
    conditions: tuple[Operand, ...]
    outs: tuple[Var, ...]
    values: list[Value]
    builder: Builder
    joined: Joined

    def again(self, interp: Interpreter) -> tuple[tuple[Var, ...], list[Value]]:
        """Another set of parameters (those of a `While`'s test) and the values that they make; objects hold theirs."""
        made = tuple(Var(interp.names.fresh(param.base), param.type) for param in self.params)
        source = iter(made)
        return made, self.joined.instantiate(lambda _hint, _type: next(source), interp.heap)


Step = Callable[[list[Value], tuple[Var, ...]], tuple[list[Value], list[Operand]]]
"""Runs a loop body on the values that it is given and its own parameters; returns what it yields, and its conditions."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One run of a loop body: its parameters, the heap `before` it and after it, and what it yields, if it gets to its end."""

    own: tuple[Var, ...]
    params: tuple[Var, ...]
    before: Heap
    yields: list[Value] | None
    conditions: list[Operand]
    builder: Builder
    heap: Heap


def find_fixpoint(
    interp: Interpreter,
    inits: list[Value],
    hints: list[str],
    step: Step,
    counted: Container[Ref] = (),
    index: tuple[str, Type] | None = None,
) -> SettledLoop:
    """Run a loop body on ever more general parameters until it yields what they hold.

    `counted` are the lists to which the loop appends at most one item on each iteration. `index`: the hint and type of a
    parameter before these, of a counted loop.
    """
    outer, start = interp.builder, interp.heap
    known = len(interp.integers.bases)
    owned: set[str] = set()

    def local(dim: Dim) -> bool:
        return dim.base in interp.integers.bases[known:]

    joiner = Joiner(interp.integers.uneven_dim, owned=owned, local=local, collects=interp.collects)
    joined = Joined([joiner.generalise(init, numbers=True) for init in inits], {}, hints)
    texts = _texts_in(interp, inits)
    for _ in range(_PASSES):
        interp.builder, interp.heap = outer.nested(), start.copy()
        run = _run(interp, joined, step, index, texts)
        for init, value in zip(inits, run.yields, strict=True) if run.yields is not None else ():
            rebound = rebinding(interp, init, start, value, run.heap)
            if rebound is not None:
                raise rebound
        merged = _merged(interp, joiner, joined, run, start, counted)
        still = texts if run.yields is None else texts & _texts_in(interp, run.yields)
        settled = merged == joined and merged.may_be_one() == joined.may_be_one() and still == texts
        joined, texts = merged, still
        refuse_outgrown(interp, joined)
        if settled:
            break
    else:
        interp.builder, interp.heap = outer, start
        raise interp.error("the types of this loop's variables do not settle", "give them one type before the loop")
    interp.builder = run.builder
    yields = joined.collect(run.yields, run.heap, interp.operand)
    interp.builder, interp.heap = outer, start
    firsts = joined.collect(inits, start, interp.operand)
    outs: list[Var] = []
    renamed: dict[str, Dim] = {}

    def out(hint: str, type_: Type) -> Var:
        outs.append(Var(interp.names.fresh(hint), _renamed(interp, type_, owned, renamed)))
        return outs[-1]

    values = joined.instantiate(out, interp.heap)
    _note_texts(interp, values, texts)
    return SettledLoop(run.own, run.params, firsts, yields, tuple(run.conditions), tuple(outs), values, run.builder, joined)


def _texts_in(interp: Interpreter, values: Sequence[Value]) -> frozenset[int]:
    """The places of those of `values` that are known to be texts."""
    return frozenset(k for k, value in enumerate(values) if isinstance(value, Var | Lit) and interp.of_run.is_text(value))


def _note_texts(interp: Interpreter, values: Sequence[Value], texts: Iterable[int]) -> None:
    """Note that what only the run knows of `values` at these places are texts."""
    interp.of_run.made.update({value: str for k in texts if isinstance(value := values[k], Var) and value.type == Object()})


def _run(interp: Interpreter, joined: Joined, step: Step, index: tuple[str, Type] | None, texts: Iterable[int]) -> _Pass:
    """An iteration of a loop body on parameters for the slots of `joined`, of which some are `texts`."""
    params: list[Var] = []

    def param(hint: str, type_: Type) -> Var:
        params.append(Var(interp.names.fresh(hint), type_))
        return params[-1]

    values = joined.instantiate(param, interp.heap)
    _note_texts(interp, values, texts)
    before, assumed = interp.heap.copy(), interp.assumed
    own = () if index is None else (Var(interp.names.fresh(index[0]), index[1]),)
    yields: list[Value] | None
    try:
        yields, conditions = step(values, own)
    except Thrown:
        raise interp.error("an exception is raised in a loop that is not the program's own", "write the loop out") from None
    except Unreachable:
        yields, conditions = None, [Lit(False)]
    finally:
        interp.assumed = assumed
    return _Pass(own, tuple(params), before, yields, conditions, interp.builder, interp.heap)


def _merged(interp: Interpreter, joiner: Joiner, joined: Joined, run: _Pass, start: Heap, counted: Container[Ref]) -> Joined:
    """`joined`, made as general as what an iteration yields. Raises `Grows` where a list is not as long as it was."""
    before, heap = run.before, run.heap
    yields = [UNDEFINED] * len(joined.values) if run.yields is None else run.yields
    paths = Paths(before, heap, start)
    values = [joiner.merge(t, value, paths) for t, value in zip(joined.values, yields, strict=True)]
    held = dict(joined.held)
    for ref in changed_objects(before, [heap]) if run.yields is not None else []:
        if ref not in start.contents:
            continue
        grows = growth(interp, ref, before.contents[ref], heap.contents[ref], owned=ref in counted)
        if grows is not None:
            raise grows
        old = held[ref] if ref in held else joined_objects.alone(joiner, start.contents[ref])
        merged = joined_objects.merge_contents(joiner, ref, old, heap.contents[ref], paths)
        held[ref] = replace(merged, passed=0) if isinstance(merged, Collected) else merged
    return Joined(values, held, joined.hints)


def _renamed(interp: Interpreter, type_: Type, owned: set[str], renamed: dict[str, Dim]) -> Type:
    """The type after the loop: a length that changes from iteration to iteration is another one there."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    shape: list[Size] = []
    for size in type_.shape:
        if isinstance(size, Dim) and size.base in owned:
            fresh = interp.integers.uneven_dim()
            renamed.setdefault(size.base, fresh)
            shape.append(Dim(renamed[size.base].base, size.offset))
        else:
            shape.append(size)
    return Array(type_.dtype, tuple(shape))
