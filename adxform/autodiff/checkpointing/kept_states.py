"""States of loops whose iterations run again: how many are kept, on which stacks, and what brings each of them back."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adxform import runtime
from adxform.autodiff.reverse.cotangents import WHOLE
from adxform.autodiff.reverse.reversed_loops import LoopReversal
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Operand, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import BOOL, INT, Scalar, Type, is_complex, is_inexact
from adxform.ir.walk import free_variables, rename_block
from adxform.runtime import revolve

Carried = Mapping[int, Operand]


@dataclass(frozen=True, slots=True)
class Iterations:
    """A loop as iterations that can run again: each takes `params` to `results`, and later ones need those at `places`.

    Those of `copied` get memory of their own; the contents of the arrays `memory` belong to the state as well. `index` is what
    the user calls the number of an iteration in the range `source`. `by_layout`: the layout of memory decides what is a view.
    States are kept on the stacks `kept`, their numbers on `numbers`.
    """

    index: Var | None
    source: tuple[Operand, ...]
    params: tuple[Var, ...]
    results: tuple[Operand, ...]
    places: tuple[int, ...]
    copied: frozenset[int]
    memory: tuple[Var, ...]
    by_layout: bool
    numbers: Var
    kept: tuple[Var, ...]
    span: Span

    @property
    def state(self) -> tuple[Var, ...]:
        """The variables that are kept, in the order of their stacks."""
        return (*(self.params[place] for place in self.places), *self.memory)


class StateKeeping(LoopReversal):
    """Keeps the states of loops on the way forward, and brings them back on the way in reverse."""

    def budget(self, op: For | While, loop: Iterations, inits: Carried, f: Builder) -> Operand:
        """How many states may be kept."""
        assert op.snapshots is not None
        if op.snapshots.memory is None:
            return Lit(op.snapshots.count)
        state = (*inits.values(), *loop.memory)
        return f.call(revolve.snapshots_within, Lit(op.snapshots.memory), *state, type=INT, hint="free")

    def run_to(
        self,
        target: Operand,
        at: Operand,
        free: Operand,
        inits: Carried,
        ends: tuple[Var, ...],
        loop: Iterations,
        ops: tuple[Op, ...],
        b: Builder,
    ) -> Var:
        """Append the loop that runs iterations, of `ops`, from `at` to `target`, and keeps states; return what is then free.

        `inits` are the values at the start by place, and `ends` the variables for those at the end.
        """
        carried, tested, stepped = (
            tuple(Var(self.names.fresh(loop.params[place].name), self.passed_on(loop, place)) for place in inits)
            for _ in range(3)
        )
        (at_in, at_test, at_out), (free_in, free_test, free_out) = (
            tuple(Var(self.names.fresh(hint), INT) for _ in range(3)) for hint in ("at", "free")
        )
        test, body = Builder(self.names, loop.span), Builder(self.names, loop.span)
        more = test.call(operator.lt, at_test, target, type=BOOL)
        now = dict(zip(inits, carried, strict=True))
        self.keep(at_in, tuple(self.kept_values(now, loop, body)), loop, body)
        left = body.call(operator.sub, free_in, Lit(1), type=INT, hint="free")
        to = body.call(revolve.next_snapshot, at_in, target, left, type=INT, hint="to")
        k, numbering = self.numbered(loop)
        step = Block(
            (k, *(loop.params[place] for place in inits)),
            (*numbering, *ops),
            tuple(loop.results[place] for place in inits),
        )
        read = taken_by(ops, loop.results)
        begun = tuple(var if loop.params[place] in read else inits[place] for place, var in now.items())
        body.emit(For(stepped, (at_in, to, Lit(1)), begun, self.copy_of(step), False, loop.span))
        b.emit(
            While(
                (at_out, free_out, *ends),
                (at, free, *inits.values()),
                test.block((at_test, free_test, *tested), (more,)),
                body.block((at_in, free_in, *carried), (to, left, *stepped)),
                loop.span,
            )
        )
        return free_out

    def passed_on(self, loop: Iterations, place: int) -> Type:
        """The type of what is carried at `place`, on its way from one iteration to another: these may make it longer."""
        result = loop.results[place]
        return self.common(loop.params[place].type, [result.type] if isinstance(result, Var) else [])

    def restore(self, k: Var, free: Var, loop: Iterations, again: tuple[Op, ...], b: Builder) -> Var:
        """Append what brings the state back that iteration `k` begins with; return what is then free."""
        types = (*(self.passed_on(loop, place) for place in loop.places), *(var.type for var in loop.memory))
        at, *values = (
            b.call(intrinsics.pop, stack, type=type_, hint=hint)
            for stack, type_, hint in (
                (loop.numbers, INT, "at"),
                *((stack, type_, var.base) for stack, type_, var in zip(loop.kept, types, loop.state, strict=True)),
            )
        )
        count = len(loop.places)
        for var, value in zip(loop.memory, values[count:], strict=True):
            b.effect(operator.setitem, var, WHOLE, value)
        more = b.call(operator.add, free, Lit(1), type=INT, hint="free")
        inits = dict(zip(loop.places, values[:count], strict=True))
        return self.run_to(k, at, more, inits, tuple(loop.params[place] for place in loop.places), loop, again, b)

    def keep_first(self, count: Operand, state: list[Operand], free: Operand, loop: Iterations, b: Builder) -> Var:
        """Append what keeps the first state where there is an iteration at all; return how many more may be kept."""
        some = b.call(operator.gt, count, Lit(0), type=BOOL)
        then = b.nested()
        self.keep(Lit(0), tuple(state), loop, then)
        left = then.call(operator.sub, free, Lit(1), type=INT, hint="free")
        after = b.var("free", INT)
        b.emit(If((after,), some, then.block((), (left,)), Block((), (), (free,)), loop.span))
        return after

    def kept_values(self, now: Carried, loop: Iterations, b: Builder) -> list[Operand]:
        """The state, of which `now` has what is carried, as it can be kept: copies of what the iterations write to."""
        copy = runtime.private if loop.by_layout else np.ndarray.copy
        values = [(now[place], place in loop.copied) for place in loop.places]
        values += [(var, True) for var in loop.memory]
        return [
            b.call(copy, value, type=value.type, hint=value.base)
            if is_copied and isinstance(value, Var)
            else _of_type(value, var, b)
            for var, (value, is_copied) in zip(loop.state, values, strict=True)
        ]

    def keep(self, at: Operand, state: tuple[Operand, ...], loop: Iterations, b: Builder) -> None:
        """Append what puts the `state` at iteration `at` on the stacks."""
        for stack, value in zip((loop.numbers, *loop.kept), (at, *state), strict=True):
            b.effect(intrinsics.push, stack, value)

    def numbered(self, loop: Iterations) -> tuple[Var, tuple[Op, ...]]:
        """A variable for the number of an iteration, and the ops that compute from it what the user calls its index."""
        if loop.index is None:
            return Var(self.names.fresh("k"), INT), ()
        start, _, step = loop.source
        if start == Lit(0) and step == Lit(1):
            return loop.index, ()
        b = Builder(self.names, loop.span)
        k = b.var("k", INT)
        offset = k if step == Lit(1) else b.call(operator.mul, k, step, type=INT, hint="offset")
        b.emit(Call((loop.index,), Lit(operator.add), (start, offset), (), loop.span))
        return k, tuple(b.ops)

    def copy_of(self, block: Block) -> Block:
        """`block` with variables of its own."""
        return rename_block(block, {}, lambda var: Var(self.names.fresh(var.name), var.type))


def taken_by(ops: tuple[Op, ...], results: tuple[Operand, ...]) -> dict[Var, None]:
    """What an iteration of these `ops`, with these `results`, reads and does not make."""
    return free_variables(Block((), ops, results))


def _of_type(value: Operand, var: Var, b: Builder) -> Operand:
    """`value`, kept for `var`: a whole number as one of its type, for what is kept tells whether a tangent is beside it."""
    if not (isinstance(var.type, Scalar) and is_inexact(var.type)):
        return value
    into = complex if is_complex(var.type) else float
    if isinstance(value, Lit):
        return Lit(into(value.value)) if type(value.value) is int else value
    if isinstance(value, Var) and isinstance(value.type, Scalar) and not is_inexact(value.type):
        return b.call(into if var.type.weak else np.dtype(var.type.dtype).type, value, type=var.type, hint=var.base)
    return value
