"""Loops: what they carry, and how ``break``, ``continue`` and ``return`` inside them become conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gast

from adxform.frontend.lowering.expressions import assign, lower_argument, lower_condition, lower_truth
from adxform.frontend.lowering.names import bound_names, breaks, exits, is_endless
from adxform.frontend.lowering.scope import (
    DEFINED,
    FALSE,
    GOING,
    KEEP_GOING,
    RESULT,
    RUNNING,
    TRUE,
    State,
    Statements,
    base_of,
    branch,
    choose,
    unknown_value,
)
from adxform.frontend.lowering.set_displays import lower_walked
from adxform.ir.ops import UNDEFINED, For, Lit, Operand, Var, While


@dataclass(frozen=True, slots=True)
class _Carried:
    """What a loop carries: the names that it binds and, where it can be left early, the conditions and the result."""

    names: tuple[str, ...]
    early: bool

    @classmethod
    def by(cls, state: State, node: Any) -> _Carried:
        target = [node.target] if isinstance(node, gast.For) else []
        bound = map(state.scope.mangle, bound_names([*target, *node.body]))
        own = [name for name in bound if name not in state.scope.declared]
        names = tuple(name for name in own if state.cell(name) is None)
        asked = tuple(DEFINED.format(name) for name in names if name in state.scope.asks)
        return cls((*names, *asked), breaks(node) or any(exits(inner) for inner in node.body))

    def inits(self, state: State) -> tuple[Operand, ...]:
        early = (TRUE, TRUE, UNDEFINED) if self.early else ()
        return (*(state.env.get(name, unknown_value(name)) for name in self.names), *early)

    def fresh(self, state: State) -> tuple[Var, ...]:
        """A variable for each; the names are bound to theirs in `state`."""
        made = self.made(state)
        self.bind(state, made)
        return made

    def made(self, state: State) -> tuple[Var, ...]:
        """A variable for each."""
        early = ("keep_going", "running", "result") if self.early else ()
        return tuple(state.builder.var(base_of(name)) for name in (*self.names, *early))

    def bind(self, state: State, made: Sequence[Var]) -> None:
        """Bind the names to those `made` for them, in `state`."""
        for name, var in zip(self.names, made, strict=False):
            state.bind(name, var)

    def yields(self, body: State) -> tuple[Operand, ...]:
        values = [unknown_value(name) if body.gone(name) else body.env[name] for name in self.names]
        if not self.early:
            return tuple(values)
        flags = (FALSE, FALSE) if body.dead else (body.env[KEEP_GOING], body.env[RUNNING])
        return (*values, *flags, body.env[RESULT])

    def left(self, body: State) -> tuple[Operand, ...]:
        """What the names have after an iteration that comes to its end."""
        return tuple(Lit(None) if body.gone(name) else body.env[name] for name in self.names)

    def doubt(self, state: State, given: Sequence[Operand], made: Sequence[Var]) -> None:
        """Note which variables are without a value where those that are `given` to them are."""
        state.scope.doubtful.update(
            var for var, value in zip(made, given[: len(self.names)], strict=False) if value in state.scope.doubtful
        )


def lower_for(state: State, node: gast.For, lower_statements: Statements) -> None:
    """Append a ``for`` loop."""
    source = lower_walked(state, node.iter, lower_argument)
    span = state.at(node)
    carried = _Carried.by(state, node)
    inits = carried.inits(state)
    body = _inside(state, carried)
    params = carried.fresh(body)
    carried.doubt(state, inits, params)
    target = node.target
    item = body.builder.var(base_of(state.scope.mangle(target.id)) if isinstance(target, gast.Name) else "item")
    assign(body, target, item)
    lower_statements(body, node.body)
    results = carried.yields(body)
    stops = carried.early and results[-3] != TRUE
    condition = (results[-3],) if stops else ()
    outs = carried.made(state)
    carried.doubt(state, inits, outs)
    carried.doubt(state, carried.left(body), outs)
    state.builder.emit(For(outs, (source,), inits, body.block((item, *params), (*condition, *results)), stops, span))
    carried.bind(state, outs)
    _go_on(state, node, body, outs, lower_statements)


def lower_while(state: State, node: gast.While, lower_statements: Statements) -> None:
    """Append a ``while`` loop. A condition that binds names is tested inside the body instead."""
    if any(isinstance(inner, gast.NamedExpr) for inner in gast.walk(node.test)):
        node = _test_inside(state, node)
    span = state.at(node)
    carried = _Carried.by(state, node)
    inits = carried.inits(state)
    test = _inside(state, carried)
    test_params = carried.fresh(test)
    carried.doubt(state, inits, test_params)
    condition = _lower_test(test, node, test_params[-3] if carried.early else TRUE)
    body = _inside(state, carried)
    body_params = carried.fresh(body)
    carried.doubt(state, inits, body_params)
    lower_statements(body, node.body)
    outs = carried.made(state)
    carried.doubt(state, () if is_endless(node) else inits, outs)
    carried.doubt(state, carried.left(body), outs)
    test_block = test.block(test_params, (condition,))
    state.builder.emit(While(outs, inits, test_block, body.block(body_params, carried.yields(body)), span))
    carried.bind(state, outs)
    if is_endless(node) and not carried.early:
        state.dead = True
    else:
        _go_on(state, node, body, outs, lower_statements)


def _inside(state: State, carried: _Carried) -> State:
    inner = state.nested()
    inner.loop = inner.loop | frozenset(carried.names)
    inner.env[RESULT] = UNDEFINED
    return inner


def _lower_test(test: State, node: gast.While, keep_going: Operand) -> Operand:
    """The condition of an iteration: that nothing has stopped the loop, and then the user's own."""
    if keep_going == TRUE:
        return lower_condition(test, node.test)
    if is_endless(node):
        return keep_going
    return choose(test, node.test, keep_going, lambda side: lower_truth(side, node.test, "tmp"), lambda _: FALSE, "tmp")


def _test_inside(state: State, node: gast.While) -> gast.While:
    if node.orelse:
        help_ = "assign before the loop and at its end"
        raise state.scope.error(node.test, "`:=` in the condition of a `while … else` is not supported", help_)
    leave = gast.If(gast.UnaryOp(gast.Not(), node.test), [gast.Break()], [])
    forever = gast.While(gast.Constant(True, None), [leave, *node.body], [])
    for made in (leave, leave.test, leave.body[0], forever.test):
        gast.copy_location(made, node.test)
    loop: gast.While = gast.copy_location(forever, node)
    return loop


def _go_on(state: State, node: Any, body: State, outs: tuple[Var, ...], lower_statements: Statements) -> None:
    """What follows a loop: its ``else``, and the conditions under which the rest of the function runs."""
    stopped = body.env[KEEP_GOING] != TRUE
    if body.env[RUNNING] != TRUE:
        _, running, result = outs[-3:]
        ends_by_return = isinstance(node, gast.While) and is_endless(node) and not breaks(node)
        state.flag(GOING, KEEP_GOING, RUNNING, value=FALSE if ends_by_return else running)
        state.bind(RESULT, result)
    if not node.orelse or is_endless(node):
        return
    if not stopped:
        lower_statements(state, node.orelse)
        return
    completed, broken = state.nested(), state.nested()
    completed.assume_going()
    lower_statements(completed, node.orelse)
    branch(state, outs[-3], completed, broken, state.at(node))
