"""Statements to ops, and what becomes of the rest of a body that a statement may leave.

Where one side of an ``if`` always leaves, the rest moves into the other side. Where a statement leaves only sometimes
(a ``return`` in a loop, say), the rest runs under the condition ``going``.
"""

from __future__ import annotations

import importlib
import operator
from typing import Any, Literal

import gast

from adxform.errors import UnsupportedSyntaxError
from adxform.frontend.lowering.closures import close
from adxform.frontend.lowering.expressions import (
    assign,
    lower_argument,
    lower_call_statement,
    lower_condition,
    lower_defaults,
    lower_expression,
)
from adxform.frontend.lowering.local_classes import lower_class
from adxform.frontend.lowering.loop_exits import lower_for, lower_while
from adxform.frontend.lowering.managers_in_place import IsContextManager
from adxform.frontend.lowering.names import exits, leaves
from adxform.frontend.lowering.operator_functions import INPLACE
from adxform.frontend.lowering.patterns import lower_match
from adxform.frontend.lowering.scope import (
    FALSE,
    FLAGS,
    GOING,
    KEEP_GOING,
    NESTING,
    RESULT,
    RUNNING,
    TRUE,
    UNTAKEN,
    State,
    attribute,
    branch,
    describe,
)
from adxform.frontend.lowering.try_statements import lower_left, lower_try
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Call, Lit, Operand, Pack, Raise


def lower_function_body(state: State, body: list[Any]) -> Operand:
    """Fill `state` with the body of a ``def``; return what the function returns."""
    lower_statements(state, body)
    running = state.env[RUNNING]
    if state.dead:
        return UNDEFINED
    if running == TRUE:
        return Lit(None)
    if running != FALSE:  # it may have come to its end
        ended, returned = state.nested(), state.nested()
        ended.bind(RESULT, Lit(None))
        branch(state, running, ended, returned, state.builder.span)
    return state.env[RESULT]


def lower_statements(state: State, body: list[Any]) -> None:
    """Append the statements of one body."""
    position = 0
    while position < len(body) and not state.dead and state.env[GOING] != FALSE:
        if state.env[GOING] != TRUE:
            stop = len(body) if state.depth < NESTING else _after_exit(body, position)
            _lower_guarded(state, body[position:stop])
            position = stop
            continue
        node = body[position]
        position += 1
        if isinstance(node, gast.If) and position < len(body) and state.depth < NESTING and exits(node):
            then, orelse = leaves(node.body), leaves(node.orelse)
            if then != orelse:
                rest = body[position:]
                _lower_if(state, node, node.body if then else [*node.body, *rest], [*node.orelse, *rest] if then else node.orelse)
                return
        try:
            _lower_statement(state, node)
        except UnsupportedSyntaxError as error:
            state.scope.refused.append(error)


def _after_exit(body: list[Any], position: int) -> int:
    """Where the first statement from `position` on that may leave the body ends."""
    return next((k + 1 for k in range(position, len(body)) if exits(body[k])), len(body))


def _lower_guarded(state: State, body: list[Any]) -> None:
    """Append statements that run only if nothing has left the body before them."""
    going = state.env[GOING]
    on, off = state.nested(), state.nested()
    on.assume_going()
    for name in FLAGS:
        if off.env[name] == going:
            off.env[name] = FALSE
    lower_statements(on, body)
    branch(state, going, on, off, state.at(body[0]))
    for name in FLAGS if on.dead else ():  # what follows an exception is reached by what had left alone
        if off.env[name] == FALSE:
            state.bind(name, FALSE)


def _lower_if(state: State, node: Any, body: list[Any], orelse: list[Any]) -> None:
    if state.depth >= NESTING and len(orelse) == 1 and isinstance(orelse[0], gast.If):
        _lower_chain(state, node, body, orelse)
        return
    cond = lower_condition(state, node.test)
    sides = state.nested(), state.nested()
    for side, statements in zip(sides, (body, orelse), strict=True):
        lower_statements(side, statements)
    branch(state, cond, *sides, state.at(node))


def _lower_chain(state: State, node: Any, body: list[Any], orelse: list[Any]) -> None:
    """Append the arms of a long ``if … elif …`` one after the other, each under the condition that none before was taken."""
    arms: list[tuple[Any, list[Any]]] = [(node, body)]
    while len(orelse) == 1 and isinstance(orelse[0], gast.If):
        arms.append((orelse[0], orelse[0].body))
        orelse = orelse[0].orelse
    untaken = f"{UNTAKEN}.{state.depth}"  # chains nest
    state.bind(untaken, TRUE)
    for arm, statements in arms:
        open_, closed = state.nested(), state.nested()
        cond = lower_condition(open_, arm.test)
        taken, passed = open_.nested(), open_.nested()
        taken.bind(untaken, FALSE)
        lower_statements(taken, statements)
        branch(open_, cond, taken, passed, open_.at(arm))
        branch(state, state.env[untaken], open_, closed, state.at(arm))
    rest, closed = state.nested(), state.nested()
    lower_statements(rest, orelse)
    branch(state, state.env.pop(untaken), rest, closed, state.at(node))
    state.written.pop(untaken)


def _lower_statement(state: State, node: Any) -> None:
    match node:
        case gast.Assign(targets=targets, value=value):
            _lower_assignment(state, targets, value)
        case gast.AugAssign():
            _lower_augmented(state, node)
        case gast.AnnAssign(target=target, value=value):
            if value is not None:
                _lower_assignment(state, [target], value)
        case gast.Expr(value=gast.Constant()) | gast.Pass() | gast.Global() | gast.Nonlocal():
            pass
        case gast.Expr(value=gast.Call() as call):
            lower_call_statement(state, call)
        case IsContextManager(value=value):
            state.builder.effect(intrinsics.is_context_manager, lower_expression(state, value))
        case gast.Expr(value=value):
            lower_expression(state, value)
        case gast.Return(value=value):
            result = Lit(None) if value is None else lower_expression(state, value, "result")
            state.bind(RESULT, result)
            state.flag(GOING, KEEP_GOING, RUNNING)
        case gast.Break():
            state.flag(GOING, KEEP_GOING)
        case gast.Continue():
            state.flag(GOING)
        case gast.Assert() | gast.Raise():
            _lower_raise(state, node)
        case gast.Delete(targets=targets):
            for target in targets:
                _delete(state, target)
        case gast.Import() | gast.ImportFrom():
            _lower_import(state, node)
        case _:
            _lower_compound(state, node)


def _lower_compound(state: State, node: Any) -> None:
    """Append a statement that has statements inside."""
    match node:
        case gast.If():
            _lower_if(state, node, node.body, node.orelse)
        case gast.For():
            lower_for(state, node, lower_statements)
        case gast.While():
            lower_while(state, node, lower_statements)
        case gast.Match():
            lower_match(state, node, lower_statements)
        case gast.With():
            _lower_with(state, node)
        case gast.Try():
            lower_try(state, node, lower_statements)
        case gast.FunctionDef():
            _lower_def(state, node)
        case gast.ClassDef():
            lower_class(state, node)
        case _:
            help_ = "move it out of the differentiated function, or give the function around it a rule with `adxform.rule`"
            raise state.scope.error(node, f"{describe(node)} is not supported", help_)


def _lower_assignment(state: State, targets: list[Any], value: Any) -> None:
    first = targets[0]
    pairs = _parts(first, value)
    if pairs and (len(targets) == 1 or isinstance(value, gast.Tuple)):
        kind: Literal["list", "tuple"] = "list" if isinstance(value, gast.List) else "tuple"
        result: Operand = Pack(kind, tuple(lower_expression(state, part, _hint(own)) for own, part in pairs))
    else:
        result = lower_expression(state, value, _hint(first))
    for target in targets:
        assign(state, target, result)


def _parts(target: Any, value: Any) -> list[tuple[Any, Any]]:
    """The parts of a target and those of the display that is assigned to it, where there are as many."""
    displays = gast.Tuple | gast.List
    if not isinstance(target, displays) or not isinstance(value, displays) or len(target.elts) != len(value.elts):
        return []
    pairs = list(zip(target.elts, value.elts, strict=True))
    return [] if any(isinstance(item, gast.Starred) for pair in pairs for item in pair) else pairs


def _hint(target: Any) -> str:
    return target.id if isinstance(target, gast.Name) else "tmp"


def _lower_augmented(state: State, node: gast.AugAssign) -> None:
    inplace = INPLACE[type(node.op)]
    match node.target:
        case gast.Name(id=name):
            name = state.scope.mangle(name)
            old = state.read(name, node.target)
            value = lower_expression(state, node.value)
            state.bind(name, state.builder.call(inplace, old, value, hint=name, span=state.at(node)))
        case gast.Subscript(value=base, slice=index):
            owner, where = lower_expression(state, base), lower_argument(state, index)
            item = state.builder.call(operator.getitem, owner, where, span=state.at(node.target))
            value = lower_expression(state, node.value)
            new = state.builder.call(inplace, item, value, span=state.at(node))
            state.builder.effect(operator.setitem, owner, where, new)
        case gast.Attribute(value=base, attr=name):
            owner = lower_expression(state, base)
            item = attribute(state, node.target, owner, name)
            value = lower_expression(state, node.value)
            new = state.builder.call(inplace, item, value, span=state.at(node))
            state.builder.effect(setattr, owner, Lit(state.scope.mangle(name)), new)
        case _:
            raise AssertionError(node.target)


def _lower_with(state: State, node: gast.With) -> None:
    """Append the body between the entering and the leaving of its managers, which happens however control leaves the body."""
    item, *others = node.items
    place = item.context_expr
    manager, target = lower_expression(state, place, "manager"), item.optional_vars
    hint = target.id if isinstance(target, gast.Name) else "entered"
    value = state.builder.call(intrinsics.enter, manager, hint=hint, span=state.at(place))
    body: list[Any] = node.body
    if others:
        body = [gast.copy_location(gast.With(others, node.body, None), node)]
    if target is not None:
        assign(state, target, value)

    def leave(after: State, pending: Operand, error: Operand) -> Operand:
        return after.builder.call(intrinsics.leave, manager, pending, error, hint="pending", span=after.at(place))

    lower_left(state, node, manager, body, lower_statements, leave)


def _lower_raise(state: State, node: Any) -> None:
    if isinstance(node, gast.Raise):
        if node.exc is None and state.handling is None:
            help_ = "give the handler's exception to the function, and raise that"
            raise state.scope.error(node, "`raise` alone, outside of a handler, is not supported", help_)
        value = state.handling if node.exc is None else lower_expression(state, node.exc)
        assert value is not None
        if node.cause is not None:
            cause = lower_expression(state, node.cause)
            value = state.builder.call(intrinsics.raised_from, value, cause, hint="error", span=state.at(node))
        state.builder.emit(Raise(value, state.at(node)))
        state.dead = True
    elif __debug__:
        cond = lower_condition(state, node.test)
        holds, fails = state.nested(), state.nested()
        message = () if node.msg is None else (lower_expression(fails, node.msg),)
        error = fails.builder.call(AssertionError, *message, hint="error", span=fails.at(node))
        fails.builder.emit(Raise(error, fails.at(node)))
        fails.dead = True
        branch(state, cond, holds, fails, state.at(node))


def _delete(state: State, target: Any) -> None:
    match target:
        case gast.Name(id=name):
            state.read(state.scope.mangle(name), target)
            cell = state.cell(state.scope.mangle(name))
            if cell is not None:
                state.builder.effect(intrinsics.empty, cell, span=state.at(target))
            else:
                state.bind(state.scope.mangle(name), UNDEFINED)
        case gast.Tuple(elts=targets) | gast.List(elts=targets):
            for inner in targets:
                _delete(state, inner)
        case gast.Subscript(value=base, slice=index):
            operands = lower_expression(state, base), lower_argument(state, index)
            state.builder.effect(operator.delitem, *operands, span=state.at(target))
        case gast.Attribute(value=base, attr=name):
            owner = lower_expression(state, base)
            state.builder.effect(delattr, owner, Lit(state.scope.mangle(name)), span=state.at(target))
        case _:
            raise AssertionError(target)


def _lower_def(state: State, node: gast.FunctionDef) -> None:
    decorators = [lower_expression(state, decorator) for decorator in node.decorator_list]
    value: Operand = close(state, node, lower_defaults(state, node), lambda inner, own: lower_function_body(inner, own.body))
    for decorator in reversed(decorators):
        out = state.builder.var(node.name)
        state.builder.emit(Call((out,), decorator, (value,), (), state.at(node)))
        value = out
    state.bind(state.scope.mangle(node.name), value)


def _lower_import(state: State, node: Any) -> None:
    span = state.at(node)
    if isinstance(node, gast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            module = state.builder.call(importlib.import_module, Lit(alias.name), hint=alias.asname or top, span=span)
            if top != alias.name:
                module = state.builder.call(importlib.import_module, Lit(top), hint=top, span=span)
            for name in alias.name.split(".")[1:] if alias.asname is not None else ():
                module = attribute(state, node, module, name)
            state.bind(state.scope.mangle(alias.asname or top), module)
        return
    package = (state.read("__package__", node),) if node.level else ()
    path = "." * (node.level or 0) + (node.module or "")
    module = state.builder.call(importlib.import_module, Lit(path), *package, hint="module", span=span)
    for alias in node.names:
        value = attribute(state, node, module, alias.name)
        state.bind(state.scope.mangle(alias.asname or alias.name), value)
