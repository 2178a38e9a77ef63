"""Branches and loops of a traced function, made of the steps of their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adxform.ir.ops import UNDEFINED, For, If, Var, While
from adxform.sparse.pattern_branches import Branches
from adxform.sparse.pattern_memory import joined
from adxform.sparse.pattern_operands import Compiled, Frame, Getter, Operands, Step, Values
from adxform.sparse.pattern_values import tagged, untagged
from adxform.sparse.unbounded_loops import settled


def branch(trace: Branches, at: Operands, op: If, then_block: Compiled, orelse_block: Compiled) -> Step:
    """A condition."""
    condition = at.truth(op.cond)
    then, then_results = then_block
    orelse, orelse_results = orelse_block
    slots = at.places(op.outs)

    def run(frame: Frame, steps: list[Step], results: list[Getter]) -> list[Any]:
        for step in steps:
            step(frame)
        return [get(frame) for get in results]

    def both(frame: Frame) -> list[Any]:
        one, other = trace.either(lambda: run(frame, then, then_results), lambda: run(frame, orelse, orelse_results))
        return either_of(trace, op.outs, one, other)

    def step(frame: Frame) -> None:
        known = condition(frame)
        if known is None:
            found = both(frame)
        elif known:
            found = run(frame, then, then_results)
        else:
            found = run(frame, orelse, orelse_results)
        for slot, value in zip(slots, found, strict=True):
            frame[slot] = value

    return step


def either_of(trace: Branches, outs: Sequence[Var], one: Values | None, other: Values | None) -> list[Any]:
    """The values of `outs`, which are those of `one` or of `other`."""
    if one is None or other is None:
        return list(one if one is not None else other or ())
    return [either_value(trace, out, a, b) for out, a, b in zip(outs, one, other, strict=True)]


def either_value(trace: Branches, out: Var, a: Any, b: Any) -> Any:
    """A value of `out` that is `a` or `b`."""
    if a is b:
        return a
    if a is UNDEFINED.value or b is UNDEFINED.value:
        return b if a is UNDEFINED.value else a
    return untagged(joined(trace.graph, tagged(a, out.type), tagged(b, out.type)), out.type)


def counted(trace: Branches, at: Operands, op: For, body: Compiled) -> Step:
    """A loop over a range."""
    graph = trace.graph
    bounds, inits = [at.plain(bound) for bound in op.source], [at.plain(init) for init in op.inits]
    steps, results = body
    item, *carried = at.places(op.body.params)
    outs, breaks = at.places(op.outs), op.breaks
    more = at.truth(op.body.results[0]) if breaks else None
    results = results[breaks:]

    def passed(frame: Frame, i: int | None) -> list[Any]:
        frame[item] = i
        for step in steps:
            step(frame)
        return [get(frame) for get in results]

    def started(frame: Frame, i: int | None, values: list[Any]) -> list[Any]:
        for slot, value in zip(carried, values, strict=True):
            frame[slot] = value
        return passed(frame, i)

    def maybe(frame: Frame, i: int, values: list[Any]) -> list[Any]:
        one, other = trace.either(lambda: started(frame, i, values), lambda: values)
        return either_of(trace, op.outs, one, other)

    def step(frame: Frame) -> None:
        limits = [bound(frame) for bound in bounds]
        values = [init(frame) for init in inits]
        if None in limits:
            values = settled(trace, lambda given: started(frame, None, given), op.outs, values)
            limits = [0]
        sure = True
        for i in range(*limits):
            values = started(frame, i, values) if sure else maybe(frame, i, values)
            if more is not None:
                goes_on = more(frame)
                if goes_on is None:
                    sure = False
                elif not goes_on and sure:
                    break
            graph.flush()
        for slot, value in zip(outs, values, strict=True):
            frame[slot] = value

    return step


def conditional(trace: Branches, at: Operands, op: While, tests: Compiled, body: Compiled) -> Step:
    """A loop that a condition ends."""
    inits = [at.plain(init) for init in op.inits]
    test, _ = tests
    goes_on = at.truth(op.test.results[0])
    steps, results = body
    tested, carried, outs = at.places(op.test.params), at.places(op.body.params), at.places(op.outs)
    graph = trace.graph

    def asked(frame: Frame, values: list[Any]) -> bool | None:
        for slot, value in zip(tested, values, strict=True):
            frame[slot] = value
        for one in test:
            one(frame)
        known: bool | None = goes_on(frame)
        return known

    def passed(frame: Frame, values: list[Any]) -> list[Any]:
        for slot, value in zip(carried, values, strict=True):
            frame[slot] = value
        for one in steps:
            one(frame)
        return [get(frame) for get in results]

    def any_iteration(frame: Frame, values: list[Any]) -> list[Any]:
        asked(frame, values)
        return passed(frame, values)

    def step(frame: Frame) -> None:
        values = [init(frame) for init in inits]
        while known := asked(frame, values):
            values = passed(frame, values)
            graph.flush()
        if known is None:
            values = settled(trace, lambda given: any_iteration(frame, given), op.outs, values)
        for slot, value in zip(outs, values, strict=True):
            frame[slot] = value

    return step
