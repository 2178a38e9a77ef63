"""``try``: what may raise is one side of an `If`, and what is done then the other; ``finally`` comes after both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from adxform.frontend.lowering.expressions import lower_expression
from adxform.frontend.lowering.names import bound_names, exits
from adxform.frontend.lowering.scope import (
    COMPLETED,
    DEFINED,
    ERROR,
    FALSE,
    FLAGS,
    GOING,
    PENDING,
    TRUE,
    State,
    Statements,
    base_of,
    branch,
    unknown_value,
)
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Lit, Operand, Pack, Raise, Var

Leave = Callable[[State, Operand, Operand], Operand]
"""Appends the leaving of a manager, given whether there is an exception, and it: returns whether there still is."""


def lower_try(state: State, node: gast.Try, lower_statements: Statements) -> None:
    """Append a ``try``."""
    if not node.finalbody:
        _lower_handled(state, node, lower_statements)
        return

    def inside(body: State) -> None:
        if node.handlers:
            _lower_handled(body, node, lower_statements)
        else:
            lower_statements(body, node.body)

    parts = [*node.body, *node.handlers, *node.orelse]
    waiting = _Waiting.after(state, node, (Lit(intrinsics.completes),), parts, inside, reads=True)
    lower_statements(state, node.finalbody)
    waiting.go_on(state, node, left=any(map(exits, node.finalbody)))


def lower_left(state: State, node: Any, manager: Operand, body: list[Any], lower_statements: Statements, leave: Leave) -> None:
    """Append the `body` of a ``with`` of `manager`, and `leave`, which happens however control leaves it."""
    waiting = _Waiting.after(
        state, node, (Lit(intrinsics.inside), manager), body, lambda inner: lower_statements(inner, body), reads=False
    )
    if not state.dead:
        waiting.pending = leave(state, waiting.pending, waiting.error)
        waiting.go_on(state, node, left=False)


def _lower_handled(state: State, node: gast.Try, lower_statements: Statements) -> None:
    """A ``try`` without ``finally``."""
    completed = f"{COMPLETED}.{state.depth}"
    body, caught, condition = _sides(state, (Lit(intrinsics.completes),), node.body)
    lower_statements(body, node.body)
    if node.orelse:
        body.bind(completed, FALSE if body.dead else body.env[GOING])
        caught.bind(completed, FALSE)
    error = caught.params[0]
    caught.handling = error
    _lower_handlers(caught, node, list(node.handlers), error, lower_statements)
    branch(state, condition, body, caught, state.at(node))
    if node.orelse and not state.dead:
        done = state.env.pop(completed)
        state.written.pop(completed, None)
        on, off = state.nested(), state.nested()
        on.assume_going()
        lower_statements(on, node.orelse)
        branch(state, done, on, off, state.at(node))


def _lower_handlers(state: State, node: Any, handlers: list[Any], error: Var, lower_statements: Statements) -> None:
    if not handlers:
        state.builder.emit(Raise(error, state.at(node)))
        state.dead = True
        return
    handler, *others = handlers
    if handler.type is None:
        _lower_handler(state, handler, error, lower_statements)
        return
    classes = lower_expression(state, handler.type)
    handled = state.builder.call(intrinsics.is_handled, error, classes, hint="handled", span=state.at(handler))
    on, off = state.nested(), state.nested()
    _lower_handler(on, handler, error, lower_statements)
    _lower_handlers(off, node, others, error, lower_statements)
    branch(state, handled, on, off, state.at(handler))


def _lower_handler(state: State, handler: Any, error: Var, lower_statements: Statements) -> None:
    name = None if handler.name is None else state.scope.mangle(getattr(handler.name, "id", handler.name))
    if name is not None:
        state.bind(name, error)
    lower_statements(state, handler.body)
    if name is not None and not state.dead:
        state.bind(name, UNDEFINED)


def _sides(state: State, kind: tuple[Operand, ...], nodes: Sequence[Any]) -> tuple[State, State, Operand]:
    """The side for what may raise, with `nodes`; the side for what is done then, whose parameters are the exception and the
    variables as they were then; and the condition of the `If`."""
    own = [name for name in map(state.scope.mangle, bound_names(nodes)) if name not in state.scope.declared]
    bound = [name for name in own if state.cell(name) is None]
    names = (*bound, *(DEFINED.format(name) for name in bound if name in state.scope.asks))
    initial = [state.env.get(name, unknown_value(name)) for name in names]
    body, caught = state.nested(), state.nested()
    body.attempted = body.attempted | frozenset(names)
    caught.params = (caught.builder.var("error"), *(caught.builder.var(base_of(name)) for name in names))
    for name, var, value in zip(names, caught.params[1:], initial, strict=True):
        if name in bound and value in state.scope.doubtful:
            state.scope.doubtful.add(var)
        caught.assume(name, var)
    return body, caught, Pack("tuple", (*kind, Lit(names), *initial))


class _Waiting:
    """What goes on after a ``finally``: an exception, a ``return``, ``break`` or ``continue``, or the next statement."""

    def __init__(self, flags: dict[str, Operand], pending: Operand, error: Operand) -> None:
        self.flags = flags
        self.pending = pending
        self.error = error

    @classmethod
    def after(
        cls,
        state: State,
        node: Any,
        kind: tuple[Operand, ...],
        parts: Sequence[Any],
        run: Callable[[State], None],
        *,
        reads: bool,
    ) -> _Waiting:
        """Append `parts` by `run`; what follows, which `reads` their variables or does not, runs whatever happens in them."""
        body, caught, condition = _sides(state, kind, parts)
        body.read_later = body.read_later or reads
        pending, error = (f"{name}.{state.depth}" for name in (PENDING, ERROR))  # they nest
        body.bind(pending, FALSE)
        body.bind(error, UNDEFINED)
        run(body)
        for name in FLAGS if reads else ():  # a pending exception goes on whatever these say; a manager may swallow it
            if isinstance(body.env[name], Lit):
                caught.bind(name, body.env[name])
        caught.bind(pending, TRUE)
        caught.bind(error, caught.params[0])
        branch(state, condition, body, caught, state.at(node))
        waiting = cls({name: state.env[name] for name in FLAGS}, state.env.pop(pending), state.env.pop(error))
        for name in (pending, error):
            state.written.pop(name, None)
        if any(flag != TRUE for flag in waiting.flags.values()):
            state.flag(*FLAGS, value=TRUE)
        return waiting

    def go_on(self, state: State, node: Any, *, left: bool) -> None:
        """Append that; nothing if the ``finally`` has `left` by a statement of its own."""
        if state.dead:
            return
        if left:
            on, off = state.nested(), state.nested()
            on.assume_going()
            self._resume(on, node)
            branch(state, state.env[GOING], on, off, state.at(node))
        else:
            self._resume(state, node)

    def _resume(self, state: State, node: Any) -> None:
        for name, value in self.flags.items():
            if state.env[name] != value:
                state.bind(name, value)
        if self.pending == FALSE:
            return
        ends, goes = state.nested(), state.nested()
        ends.builder.emit(Raise(self.error, ends.at(node)))
        ends.dead = True
        branch(state, self.pending, ends, goes, state.at(node))
