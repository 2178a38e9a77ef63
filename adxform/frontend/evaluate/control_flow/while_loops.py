"""Loops that go on as long as a test holds: written out where it is known, else carried by a loop of the run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from adxform.errors import UnsupportedOperationError
from adxform.frontend.containers import list_arrays
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow.alike_lists import holds_lists
from adxform.frontend.evaluate.control_flow.attempted_loops import hands_on, while_handing_on
from adxform.frontend.evaluate.control_flow.attempts import received
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.fixpoint import find_fixpoint
from adxform.frontend.evaluate.control_flow.retries import (
    UNROLL,
    Standing,
    before_choosing,
    collected,
    is_long,
    refuse_foreign,
    uncountable,
)
from adxform.frontend.evaluate.control_flow.templates import changed_objects
from adxform.frontend.evaluate.signals import Grows, Lost, Promote, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import Value
from adxform.ir.ops import Lit, Operand, Var, While
from adxform.ir.spans import Span


@dataclass(frozen=True, slots=True)
class Turns:
    """A loop that goes on as long as a test holds: what the values are called that it carries, the test, and the body."""

    hints: list[str]
    test: Callable[[list[Value]], Value]
    body: Callable[[list[Value]], list[Value]]
    span: Span


def run_while(interp: Interpreter, op: While, env: Env) -> None:
    """Run a `While`."""
    if interp.level is not None and not hands_on(op.body):
        inner, names = while_handing_on(interp, op)
        run_while(interp, inner, env)
        env.update(zip(op.outs, received(interp, names, [env[out] for out in inner.outs[1:]]), strict=True))
        return

    def test(carried: list[Value]) -> Value:
        env.update(zip(op.test.params, carried, strict=True))
        (found,) = interp.run_block(op.test, env)
        return found

    def body(carried: list[Value]) -> list[Value]:
        env.update(zip(op.body.params, carried, strict=True))
        return interp.run_block(op.body, env)

    turns = Turns([param.base for param in op.body.params], test, body, op.span)
    outs = run_turns(interp, turns, [interp.value(init, env) for init in op.inits])
    env.update(zip(op.outs, outs, strict=True))


def run_turns(interp: Interpreter, turns: Turns, inits: list[Value]) -> list[Value]:
    """What a loop carries in the end, in the first of the ways to run it that can be followed."""
    return before_choosing(interp, lambda: _run_turns(interp, turns, inits))


def _run_turns(interp: Interpreter, turns: Turns, inits: list[Value]) -> list[Value]:
    saved = Standing.of(interp)
    try:
        with one_way(interp):
            return _while(interp, turns, inits)
    except Lost:
        saved.restore(interp)
        return _while(interp, turns, inits)
    except (UnsupportedOperationError, Grows) as reason:
        saved.restore(interp)
        filled = collected(
            interp, reason, lambda: _is_long(interp, turns, inits), partial(_collecting_while, interp, turns, inits)
        )
        if filled is not None:
            return filled
        with one_way(interp):
            known = _unrolled_while(interp, turns, inits)
        if known is None:
            saved.restore(interp)
            if not isinstance(reason, Grows):
                cond = truth(interp, turns.test(inits))
                if isinstance(cond, Var) and (params := interp.integers.followed(cond)):
                    raise Promote(params) from None
                saved.restore(interp)
                if interp.refused is None:
                    raise
                _while(interp, turns, inits)
                raise
            known = _collecting_while(interp, turns, inits, reason)
        return known


def _collecting_while(interp: Interpreter, turns: Turns, inits: list[Value], growing: Grows) -> list[Value]:
    """Run a loop in which lists grow."""
    while True:
        refuse_foreign(interp, growing)
        if not list_arrays.as_list_of_rows(interp, growing) and not holds_lists(interp, growing):
            raise uncountable(interp, growing, turns.span)
        saved = Standing.of(interp)
        try:
            return _while(interp, turns, inits)
        except Grows as another:
            saved.restore(interp)
            growing = another


def _unrolled_while(interp: Interpreter, turns: Turns, inits: list[Value]) -> list[Value] | None:
    carried = inits
    for _ in range(UNROLL):
        cond = truth(interp, turns.test(carried))
        if cond is False:
            return carried
        if cond is not True:
            return None
        carried = turns.body(carried)
    return None


def _is_long(interp: Interpreter, turns: Turns, carried: list[Value]) -> bool:
    """Whether a loop whose test is known before the run is long, written out."""
    start = len(interp.builder.last().ops)
    with one_way(interp), suppress(UnsupportedOperationError, Grows, Lost):
        for _ in range(UNROLL):
            if truth(interp, turns.test(carried)) is not True:
                return False
            carried = turns.body(carried)
            if is_long(len(interp.builder.last().ops) - start):
                return True
    return False


def _while(interp: Interpreter, turns: Turns, inits: list[Value]) -> list[Value]:
    def step(carried: list[Value], own: tuple[Var, ...]) -> tuple[list[Value], list[Operand]]:
        return turns.body(carried), []

    fixed = find_fixpoint(interp, inits, turns.hints, step)
    outer, before = interp.builder, interp.heap
    interp.builder, interp.heap = outer.nested(), before.copy()
    tests, values = fixed.again(interp)
    held = interp.heap.copy()
    try:
        cond = truth(interp, turns.test(values))
    except Unreachable:  # as it is asked for the first time, with what came before it there
        interp.builder, interp.heap = outer, before
        turns.test(inits)
        raise
    if changed_objects(held, [interp.heap]):
        raise interp.error(
            "the condition of this loop changes a list, a dict or an object", "change it in the body", span=turns.span
        )
    block = interp.builder.block(tests, (Lit(cond) if isinstance(cond, bool) else cond,))
    interp.builder, interp.heap = outer, before
    body = fixed.builder.block(fixed.params, fixed.yields)
    outer.emit(While(fixed.outs, fixed.inits, block, body, turns.span))
    return fixed.values
