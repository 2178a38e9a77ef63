"""What is written is noted, so that both branches of a condition that only a run can tell start from the same memory.

Stacks are those of reverse mode: what a branch or a loop pushes, the branch or loop that undoes it pops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.sparse.graph import GiveUp, Graph
from adxform.sparse.pattern_values import OPAQUE, UNTOLD, Flow, Integers, ids_of

PUSH, POP, MANY = "push", "pop", "many"
Effect = tuple[int, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Note:
    """``x[index]`` was `old` before it was written; the stack `x` got a value (`PUSH`), lost `old` (`POP`), or was found to
    hold `Many`. `flow`: of ids.
    """

    x: Any
    index: Any
    old: Any
    flow: bool = True


Log = list[Note]


@dataclass(frozen=True, slots=True)
class Many:
    """On a stack: any number of values, each like `value`, that a loop pushed whose passes only a run can tell."""

    value: Any


@dataclass(frozen=True, slots=True)
class Either:
    """On a stack: what one branch of a condition pushed, while the other pushed nothing."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a branch left behind: the contents of what it wrote; by stack, how many values it took off and what it put on."""

    log: Log
    finals: tuple[Any, ...]
    stacks: tuple[tuple[Any, Effect], ...]


def taken_back(log: Log) -> Written:
    """The effects in `log`, which are undone."""
    finals = tuple(None if isinstance(note.x, list) else np.copy(note.x[note.index]) for note in log)
    written = Written(log, finals, stack_effects(log))
    for note in reversed(log):
        if not isinstance(note.x, list):
            note.x[note.index] = note.old
        elif note.index is PUSH:
            note.x.pop()
        elif note.index is POP:
            note.x.append(note.old)
    return written


def stack_effects(log: Log) -> tuple[tuple[Any, Effect], ...]:
    """The stacks that were used, how many of the values that were there each lost, and what is there instead."""
    levels: dict[int, list[Any]] = {}
    for note in log:
        if isinstance(note.x, list):
            entry = levels.setdefault(id(note.x), [note.x, 0, 0])
            entry[1] += {PUSH: 1, POP: -1, MANY: 0}[note.index]
            entry[2] = min(entry[1:])
    return tuple((stack, (-low, tuple(stack[len(stack) - (level - low) :]))) for stack, level, low in levels.values())


def merge(graph: Graph, one: Written, other: Written, log: Log | None) -> None:
    """Let the memory be what the one or the other left, from the state before both."""
    arrays = [note for note in (*one.log, *other.log) if not isinstance(note.x, list)]
    if arrays:
        before = [Note(note.x, note.index, np.copy(note.x[note.index]), note.flow) for note in arrays]
        _redo(one)
        left = [np.copy(note.x[note.index]) for note in arrays]
        for note in reversed(before):
            note.x[note.index] = note.old
        _redo(other)
        right = [np.copy(note.x[note.index]) for note in arrays]
        for note, a, b in zip(arrays, left, right, strict=True):
            note.x[note.index] = graph.unions(a, b) if note.flow else np.where(a == b, a, UNTOLD)
        if log is not None:
            log += before
    if log is not None:
        log += [note for note in (*one.log, *other.log) if note.index is MANY and isinstance(note.x, list)]
    stacks = {id(stack): stack for written in (one, other) for stack, _ in written.stacks}
    for key, stack in stacks.items():
        effects = [{id(used): effect for used, effect in written.stacks}.get(key, (0, ())) for written in (one, other)]
        _merge_stack(graph, stack, effects[0], effects[1], log)


def _redo(written: Written) -> None:
    for note, final in zip(written.log, written.finals, strict=True):
        if not isinstance(note.x, list):
            note.x[note.index] = final


def _merge_stack(graph: Graph, stack: list[Any], one: Effect, other: Effect, log: Log | None) -> None:
    (lost, on), (lost_too, on_too) = one, other
    most = max(lost, lost_too)
    skipped = stack[len(stack) - most : len(stack) - min(lost, lost_too)]
    if not all(isinstance(value, Either) for value in skipped) or (skipped and (on if lost < lost_too else on_too)):
        raise GiveUp("its branches leave the tape at different places")
    for _ in range(most):
        drop(stack, log)
    if len(on) == len(on_too):
        for a, b in zip(on, on_too, strict=True):
            put(stack, joined(graph, a, b), log)
    elif on and on_too:
        raise GiveUp("its branches leave more or less on the tape")
    else:
        put(stack, Either(on or on_too), log)


def put(stack: list[Any], value: Any, log: Log | None) -> None:
    """Push `value`."""
    stack.append(value)
    if log is not None:
        log.append(Note(stack, PUSH, None))


def drop(stack: list[Any], log: Log | None) -> Any:
    """Pop a value as it lies there."""
    if not stack:
        raise GiveUp("it takes more off the tape than there is")
    value = stack.pop()
    if log is not None:
        log.append(Note(stack, POP, value))
    return value


def pop(stack: list[Any], log: Log | None) -> Any:
    """Pop a value: one of those that a branch pushed, or one like those that a loop pushed, which stay."""
    while stack and isinstance(stack[-1], Either):
        for value in drop(stack, log).values:
            put(stack, value, log)
    if stack and isinstance(stack[-1], Many):
        if log is None:
            raise GiveUp("it takes one value off a tape that a loop filled")
        log.append(Note(stack, MANY, None))
        return stack[-1].value
    return drop(stack, log)


def joined(graph: Graph, a: Any, b: Any) -> Any:
    """A value that is `a` or `b`."""
    if a is b:
        return a
    match a, b:
        case Many(x), Many(y):
            return Many(joined(graph, x, y))
        case Either(x), Either(y) if len(x) == len(y):
            return Either(tuple(joined(graph, one, other) for one, other in zip(x, y, strict=True)))
        case (Flow(), Flow() | float()) | (float(), Flow()):
            return _joined_flows(graph, ids_of(a), ids_of(b))
        case (Integers(dtype=dtype), _) | (_, Integers(dtype=dtype)):
            return _joined_wholes(graph, a, b, dtype)
        case float(), float() if repr(a) != repr(b):
            return Flow(graph.union(ids_of(a), ids_of(b)))
        case bool() | int() | np.number() | np.bool(), bool() | int() | np.number() | np.bool():
            return a if type(a) is type(b) and a == b else Integers(None, np.asarray(a).dtype.name)
        case _:
            if type(a) is type(b) and not isinstance(a, list | dict | np.ndarray) and a == b:
                return a
            if isinstance(a, list) or isinstance(b, list):
                raise GiveUp("it has two tapes under one name")
            return OPAQUE


def _joined_flows(graph: Graph, a: Any, b: Any) -> Flow:
    if np.shape(a) != np.shape(b):
        raise GiveUp("an array has one of two shapes")
    if a is b:
        return Flow(a)
    found = graph.unions(a, b)
    graph.freeze(a, b, found)
    return Flow(found)


def _joined_wholes(graph: Graph, a: Any, b: Any, dtype: str) -> Integers:
    one, other = (value.values if isinstance(value, Integers) else value for value in (a, b))
    if one is other or one is None or other is None:
        return Integers(one if one is other else None, dtype)
    if np.shape(one) != np.shape(other):
        raise GiveUp("an array has one of two shapes")
    found = np.where(np.equal(one, other), one, UNTOLD)
    graph.freeze(one, other, found)
    return Integers(found, dtype)
