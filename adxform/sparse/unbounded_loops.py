"""A loop of which only a run can tell how many passes it makes.

One iteration is run on sets that stand for those of any iteration: each float that the loop carries, and each element that it
writes, is a node that holds what it was before the loop and, by an edge back, what an iteration makes of it. Which elements those
are, and which whole numbers differ from iteration to iteration, is found by running iterations until nothing new shows; only the
last one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from adxform.ir.ops import UNDEFINED, Var
from adxform.ir.types import Array, Scalar, is_float
from adxform.sparse.graph import FIRST, GiveUp, Graph, root_of
from adxform.sparse.pattern_memory import MANY, Log, Many, Note, drop, joined, put, stack_effects, taken_back
from adxform.sparse.pattern_values import UNTOLD, ids_of, tagged

MOST = 12


class Ends(Exception):
    """The traced program raises an error."""


class TraceState(Protocol):
    """What is needed of the trace."""

    graph: Graph
    log: Log | None


class Carried:
    """A variable that the loop carries: `start` before it, `entry` in any iteration, `varies` once one was seen to change it."""

    def __init__(self, var: Var, start: Any) -> None:
        self.var, self.start = var, start
        self.entry = start
        self.varies = isinstance(var.type, Scalar) and is_float(var.type)
        self.like: Any = start

    def enter(self, graph: Graph) -> Any:
        """The value in any iteration."""
        self.entry = self.start
        if self.varies:
            match self.var.type:
                case Scalar() if is_float(self.var.type):
                    self.entry = int(graph.fresh(1)[0])
                    self._tie(graph, self.start)
                case Array() if is_float(self.var.type):
                    self.entry = graph.fresh(np.size(self.like)).reshape(np.shape(self.like))
                    graph.freeze(self.start, self.entry)
                    self._tie(graph, self.start)
                case Array():
                    self.entry = np.full(np.shape(self.like), UNTOLD)
                    graph.freeze(self.start, self.entry)
                case Scalar():
                    self.entry = None
                case _:
                    raise GiveUp("a loop exchanges what it works on")
        return self.entry

    def changed(self, result: Any) -> bool:
        """Whether `result`, what an iteration made of it, is something that was not known to vary."""
        known = self.like if self.varies else self.start
        if isinstance(self.var.type, Array) and known is not UNDEFINED.value and np.shape(result) != np.shape(known):
            raise GiveUp("an array grows in a loop")
        if self.varies:
            return False
        same = result is self.entry or (isinstance(self.var.type, Scalar) and result == self.entry)
        self.varies, self.like = not same, result
        return not same

    def leave(self, graph: Graph, result: Any) -> None:
        """Let the value in any iteration hold what an iteration made of it."""
        if self.varies and isinstance(self.var.type, Array):
            graph.freeze(result)
        if self.varies and is_float(self.var.type):
            self._tie(graph, result)

    def _tie(self, graph: Graph, value: Any) -> None:
        if value is not UNDEFINED.value:
            graph.tie(self.entry, ids_of(tagged(value, self.var.type)))


def settled(
    trace: TraceState, run: Callable[[list[Any]], Sequence[Any]], outs: Sequence[Var], values: Sequence[Any]
) -> list[Any]:
    """What `outs` hold after any number of iterations from `values`; ``run(values)`` makes one. The memory is as after it too."""
    carried = [Carried(out, value) for out, value in zip(outs, values, strict=True)]
    outer = trace.log
    regions: dict[Any, Note] = {}
    roots: list[Any] = []
    for number in range(MOST):
        log: Log = []
        trace.log = log
        try:
            entries = _entered(trace.graph, regions, log)
            results = _results(run, [one.enter(trace.graph) for one in carried])
            news = [one.changed(result) for one, result in zip(carried, results, strict=False)]
        finally:
            trace.log = outer
        found = {key_of(note): note for note in log if not isinstance(note.x, list)}
        new = {key: note for key, note in found.items() if key not in regions}
        known = {id(root) for root in roots}
        fresh = {key: note for key, note in new.items() if not number or id(root_of(note.x)) in known}
        changed = any(news)
        if not changed and not fresh and number:
            break
        taken_back(log)
        regions |= fresh if number and not changed else new
        roots += [root_of(note.x) for note in found.values()]
    else:
        raise GiveUp("a loop does something new at every iteration")
    for one, result in zip(carried, results, strict=False):
        one.leave(trace.graph, result)
    _left(trace.graph, entries)
    if outer is not None:
        outer += log
    _settle_stacks(trace.graph, log, outer)
    return [one.entry for one in carried]


def _results(run: Callable[[list[Any]], Sequence[Any]], values: list[Any]) -> Sequence[Any]:
    """What an iteration makes of `values`: nothing, where it raises an error."""
    try:
        return run(values)
    except Ends:
        return ()


def _left(graph: Graph, entries: list[tuple[Note, Any]]) -> None:
    """Let memory hold what it holds before any iteration, which stands for what the last one left there as well."""
    for note, entry in entries:
        if note.flow:
            graph.tie(entry, note.x[note.index])
        note.x[note.index] = entry


def _entered(graph: Graph, regions: dict[Any, Note], log: Log) -> list[tuple[Note, Any]]:
    """Let what is written hold what it may hold in any iteration."""
    entries: list[tuple[Note, Any]] = []
    for note in regions.values():
        old = np.copy(note.x[note.index])
        log.append(Note(note.x, note.index, old, note.flow))
        entry = np.full(old.shape, UNTOLD)
        if note.flow:
            entry = graph.fresh(old.size).reshape(old.shape)
            active = old >= FIRST
            graph.link(entry[active], old[active])
        note.x[note.index] = entry
        entries.append((note, entry))
    return entries


def _settle_stacks(graph: Graph, log: Log, outer: Log | None) -> None:
    """What an iteration put on a stack is there any number of times; what it took of such values, others took the rest of."""
    for stack, (lost, on) in stack_effects(log):
        if lost:
            raise GiveUp("a loop takes more off the tape than it can tell")
        for _ in on:
            drop(stack, outer)
        if on:
            value = on[0]
            for other in on[1:]:
                value = joined(graph, value, other)
            put(stack, Many(value), outer)
    emptied = {id(note.x): note.x for note in log if note.index is MANY and isinstance(note.x, list)}
    for stack in emptied.values():
        if stack and isinstance(stack[-1], Many):
            drop(stack, outer)


def key_of(note: Note) -> Any:
    """What tells apart the places that notes are about."""
    x = note.x
    place = repr(note.index)
    return id(root_of(x)), x.__array_interface__["data"][0], x.shape, x.strides, place
