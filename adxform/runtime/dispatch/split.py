"""A joint reverse function cut at its turning point: a forward part now, a backward part later, any number of times.

What lives across the cut is the tape: the backward part takes it as arguments. It may undo stores and pop stacks while it runs,
so what it could change is saved once and put back in place after each run, which keeps every view of it right.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.backends.choice import choose, realise
from adxform.backends.protocol import Backend
from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.backends.registry import PLAIN, backend_of
from adxform.frontend.derivative_operators import PYTHON, Engine
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Op, Var
from adxform.ir.types import Stack
from adxform.ir.walk import free_variables, outs, reads_with_blocks
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import has_memory, is_removable
from adxform.runtime.dispatch.buffered_rules import BufferedRule, buffered_later
from adxform.runtime.dispatch.own_tape import inputs_kept, own_tape

Contents = tuple[Any, Any]
Ops = tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class CutRule:
    """Both parts. `forward` returns `results` results and then the tape; `backward` takes the tape and the cotangents.

    `changed` are the positions on the tape of what `backward` may change, and whether it changes the arrays on a stack. It takes
    cotangents for `directions` vectors, and returns `gradients` results for all of them. `buffered` is the form of `backward`
    that writes into buffers, where it will run many times. The inputs at the places `kept` the function keeps outside of itself.
    """

    forward: Generated
    backward: Generated
    run_forward: Callable[..., Any]
    run_backward: Callable[..., Any]
    results: int
    tape: int
    gradients: int
    changed: tuple[tuple[int, bool], ...]
    buffered: BufferedRule | None
    directions: int = 1
    kept: frozenset[int] = frozenset()


def cut(
    joint: Function, inputs: int, results: int, surroundings: Surroundings, engine: Engine = PYTHON, *, often: bool
) -> CutRule:
    """`joint`, of which the first `inputs` parameters and `results` results belong to the forward part, in two parts on `engine`.

    `often`: the backward part will run many times, so what it would compute without the seeds goes to the forward part.
    """
    engine = choose(joint, engine)[0].engine
    backend = backend_of(engine)
    joint = _with_own_tape(backend.before_cut(joint, engine), inputs, results)
    classes = alias_classes(joint)
    ahead, later = halves(joint, inputs, results, often)
    tape = tuple(free_variables(later))
    base = joint.name.removesuffix("_vjp")
    first, last = (
        replace(joint, name=base + ending, body=body)
        for ending, body in (
            ("_forward", replace(ahead, results=(*ahead.results, *tape))),
            ("_pullback", replace(later, params=(*tape, *later.params))),
        )
    )
    touched, own = changes(joint, later, classes)
    changed: list[tuple[int, bool]] = []
    for i, var in enumerate(tape):
        if has_memory(var) and (class_ := classes.of(var)) in touched:
            inside = own.elements.get(own.of(var))  # unknown where only helpers reach it
            changed.append((i, inside is None or inside in own.written | own.exposed or classes.elements.get(class_) in touched))
    form = buffered_later(joint, ahead, later, tape, surroundings, once(backend)) if often else None
    counts = results, len(tape), len(later.results)
    forward, run_forward = realise(backend, backend.lower(first, engine), surroundings, aliases=classes)
    backend = backend if may_repeat(tape, changed, classes) else once(backend)
    backward, run_backward = realise(backend, backend.lower(last, engine), surroundings, aliases=classes)
    kept = inputs_kept(joint, joint.params[:inputs])
    return CutRule(forward, backward, run_forward, run_backward, *counts, tuple(changed), form, kept=kept)


def once(backend: Backend) -> Backend:
    """What runs a function once and for all, where `backend` may begin anew."""
    return PLAIN if backend.compiles else backend


def may_repeat(tape: Sequence[Var], changed: Sequence[tuple[int, bool]], classes: Aliases) -> bool:
    """Whether a backward part may be compiled: it can run a second time with the same `tape`, on which nothing shares memory.

    What is compiled is looked at by itself, as a function whose parameters are apart.
    """
    held = [classes.of(var) for var in tape if has_memory(var)]
    return not changed and len(set(held)) == len(held) and not any(isinstance(var.type, Stack) for var in tape)


def widened(
    parts: CutRule,
    joint: Function,
    batched: Function,
    inputs: int,
    results: int,
    surroundings: Surroundings,
    engine: Engine = PYTHON,
    *,
    often: bool,
) -> CutRule:
    """`parts`, those of `joint`, with the backward part of `batched`, which is `joint` for several vectors.

    It is `parts` itself where each vector needs memory that the forward part makes for one.
    """
    engine = choose(joint, engine)[0].engine
    backend = backend_of(engine)
    joint, batched = (_with_own_tape(backend.before_cut(one, engine), inputs, results) for one in (joint, batched))
    one = halves(joint, inputs, results, often)[1]
    ahead, more = halves(batched, inputs, results, often)
    tape = tuple(free_variables(one))
    if not one.results or not set(tape).issuperset(free_variables(more)):
        return parts
    body = replace(more, params=(*tape, *more.params))
    directions = len(more.results) // len(one.results)
    name = f"{joint.name.removesuffix('_vjp')}_pullback_{directions}"
    classes = alias_classes(batched)
    form = buffered_later(batched, ahead, more, tape, surroundings, once(backend)) if often else None
    backend = backend if may_repeat(tape, parts.changed, classes) else once(backend)
    backward, run = realise(backend, backend.lower(replace(batched, name=name, body=body), engine), surroundings, aliases=classes)
    return replace(parts, backward=backward, run_backward=run, gradients=len(more.results), buffered=form, directions=directions)


def _with_own_tape(joint: Function, inputs: int, results: int) -> Function:
    return own_tape(joint, turning(joint, joint.params[inputs:]), inputs, results)


def halves(joint: Function, inputs: int, results: int, often: bool) -> tuple[Block, Block]:
    """The ops of `joint` up to its turning point, with its early results, and the others, which take cotangents: see `cut`."""
    seeds = joint.params[inputs:]
    at = turning(joint, seeds)
    before, copies = private_seeds(joint.body.ops[:at], seeds)
    after = (*copies, *joint.body.ops[at:])
    if often:
        classes = alias_classes(joint)
        early, after = parted(after, seeds, changes(joint, Block(seeds, after, ()), classes)[0], classes)
        before += early
    return Block(joint.params[:inputs], before, joint.results[:results]), Block(seeds, after, joint.results[results:])


def changes(joint: Function, later: Block, classes: Aliases) -> tuple[set[int], Aliases]:
    """The classes of `joint` that its ops in `later` may write to, and the classes of those ops alone."""
    tape = free_variables(later)
    own = alias_classes(replace(joint, body=replace(later, params=(*tape, *later.params))))
    return {classes.of(var) for written in own.written | own.exposed for var in own.members(written)}, own


def parted(ops: Sequence[Op], seeds: Iterable[Var], touched: Container[int], classes: Aliases) -> tuple[Ops, Ops]:
    """Those of `ops` that compute nothing of `seeds`, and read and return nothing of the classes `touched`; and the others."""
    waiting: set[Var] = set(seeds)
    early: list[Op] = []
    late: list[Op] = []
    for op in ops:
        taken = reads_with_blocks(op)
        fixed = any(has_memory(var) and classes.of(var) in touched for var in (*taken, *outs(op)))
        if fixed or not taken or not is_removable(op) or not waiting.isdisjoint(taken):
            late.append(op)
            waiting.update(outs(op))
        else:
            early.append(op)
    return tuple(early), tuple(late)


def turning(joint: Function, seeds: tuple[Var, ...]) -> int:
    """The position of the first op of the reverse sweep: the marked one, or the first that reads a cotangent."""
    for position, op in enumerate(joint.body.ops):
        if isinstance(op, Call) and op.fn == Lit(intrinsics.turning_point):
            return position + 1
        if any(var in seeds for var in reads_with_blocks(op)) and not is_private(op):
            return position
    return len(joint.body.ops)


def private_seeds(ops: Ops, seeds: tuple[Var, ...]) -> tuple[Ops, Ops]:
    """`ops` without the private copies of `seeds`, which are not there yet when the forward part runs; and these copies."""
    copies = tuple(op for op in ops if is_private(op) and any(var in seeds for var in reads_with_blocks(op)))
    return (tuple(op for op in ops if op not in copies), copies) if copies else (ops, ())


def is_private(op: Op) -> bool:
    """Whether `op` copies an argument that is written."""
    return isinstance(op, Call) and op.fn == Lit(runtime.private)


def as_tuple(found: Any, count: int) -> tuple[Any, ...]:
    """The `count` results of a generated function, of which one comes bare and none as ``None``."""
    if count == 1:
        return (found,)
    return tuple(found) if count else ()


def saved(values: Iterable[tuple[Any, bool]]) -> list[Contents]:
    """Every array in `values`, every list in them and in one another, with a copy of its contents.

    Of the arrays in a list those that come with ``True``.
    """
    found: list[Contents] = []
    seen: set[int] = set()
    pending = list(values)
    while pending:
        value, deep = pending.pop()
        if isinstance(value, list | tuple):
            pending.extend((item, deep) for item in value if deep or isinstance(item, list | tuple))
        if id(value) in seen or not isinstance(value, np.ndarray | list):
            continue
        seen.add(id(value))
        if isinstance(value, list):
            found.append((value, list(value)))
        elif value.flags.writeable:
            found.append((value, value.copy()))
    return found


def put_back(contents: Iterable[Contents]) -> None:
    """Give arrays and lists the contents that `saved` found in them."""
    for value, copy in contents:
        if isinstance(value, list):
            value[:] = copy
        else:
            value[...] = copy
