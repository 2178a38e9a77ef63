"""A joint reverse function cut at its turning point: a forward part now, a backward part later, any number of times.

What lives across the cut is the tape: the backward part takes it as arguments. It may undo stores and pop stacks while it runs,
so a call saves what it could change and puts it back in place, which keeps every view of it right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform.backend.emit import Generated, emit
from adxform.backend.loading import load
from adxform.backend.references import Surroundings
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Var
from adxform.ir.types import Scalar
from adxform.ir.walk import blocks, free_variables, reads
from adxform.rules.alias import alias_classes


@dataclass(frozen=True, slots=True)
class CutRule:
    """Both parts. `forward` returns `results` results and then the tape; `backward` takes the tape and the cotangents."""

    forward: Generated
    backward: Generated
    run_forward: Callable[..., Any]
    run_backward: Callable[..., Any]
    results: int
    tape: int
    gradients: int
    changed: tuple[int, ...]


def cut(joint: Function, inputs: int, results: int, surroundings: Surroundings) -> CutRule:
    """`joint`, of which the first `inputs` parameters and `results` results are the primal's, in two parts."""
    seeds = joint.params[inputs:]
    at = turning(joint, seeds)
    later = Block(seeds, joint.body.ops[at:], joint.results[results:])
    tape = tuple(free_variables(later))
    base = joint.name.removesuffix("_vjp")
    ahead = Block(joint.params[:inputs], joint.body.ops[:at], (*joint.results[:results], *tape))
    classes = alias_classes(joint)
    forward, backward = (
        emit(replace(joint, name=base + ending, body=body), aliases=classes, surroundings=surroundings)
        for ending, body in (("_forward", ahead), ("_pullback", replace(later, params=(*tape, *seeds))))
    )
    touched = classes.written | classes.exposed
    changed = tuple(i for i, var in enumerate(tape) if not isinstance(var.type, Scalar) and classes.of(var) in touched)
    gradients = len(later.results)
    return CutRule(forward, backward, load(forward), load(backward), results, len(tape), gradients, changed)


def turning(joint: Function, seeds: tuple[Var, ...]) -> int:
    """The position of the first op of the reverse sweep: the marked one, or the first that reads a cotangent."""
    for position, op in enumerate(joint.body.ops):
        if isinstance(op, Call) and op.fn == Lit(intrinsics.turning_point):
            return position + 1
        inside = (var for block in blocks(op) for var in free_variables(block))
        if any(var in seeds for var in (*reads(op), *inside)):
            return position
    return len(joint.body.ops)


def as_tuple(found: Any, count: int) -> tuple[Any, ...]:
    """The `count` results of a generated function, of which one comes bare and none as ``None``."""
    if count == 1:
        return (found,)
    return tuple(found) if count else ()


def saved(values: Iterator[Any]) -> list[tuple[Any, Any]]:
    """Every array and list in `values`, and in the lists among them, with a copy of its contents."""
    found: list[tuple[Any, Any]] = []
    seen: set[int] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, list | tuple):
            pending.extend(value)
        if id(value) in seen or not isinstance(value, np.ndarray | list):
            continue
        seen.add(id(value))
        if isinstance(value, list):
            found.append((value, list(value)))
        elif value.flags.writeable:
            found.append((value, value.copy()))
    return found


def put_back(contents: list[tuple[Any, Any]]) -> None:
    """Give arrays and lists the contents that `saved` found in them."""
    for value, copy in contents:
        if isinstance(value, list):
            value[:] = copy
        else:
            value[...] = copy
