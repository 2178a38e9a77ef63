"""Nested functions: what they capture, and that capturing by value is what Python would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from adxform.errors import AdxError, GlobalMutationError, UnsupportedSyntaxError, together
from adxform.frontend.lowering.late_binding import refuse_late_binding
from adxform.frontend.lowering.names import bindings, body_of, free_names, parameters, walk_scope
from adxform.frontend.lowering.scope import DEFINED, TRUE, Scope, State
from adxform.frontend.lowering.source_text import FunctionSource
from adxform.ir.ops import UNDEFINED, Closure, Function, Operand, Var
from adxform.ir.prune import prune
from adxform.ir.walk import Names

Body = Callable[[State], Operand]
"""Fills the block of a function; returns its result."""


def build_function(source: FunctionSource, lower_body: Body) -> Function:
    """The untyped `Function` of a definition, whose body `lower_body` fills."""
    scope = _scope(source)
    fn = _filled(scope, lower_body)
    while not scope.asks.issuperset(scope.unsure):  # names without a value on some path are read: ask for it first
        scope = replace(_scope(source), asks=scope.asks | frozenset(scope.unsure))
        fn = _filled(scope, lower_body)
    if scope.brief:
        refuse_late_binding(fn, scope.brief)
    return fn


def _filled(scope: Scope, lower_body: Body) -> Function:
    node = scope.source.node
    state = State.entry(scope)
    params: list[Var] = []
    kinds: list[str] = []
    for arg, kind, _ in parameters(node.args):
        name = scope.mangle(arg.id)
        params.append(state.builder.var(name))
        kinds.append(kind)
        state.env[name] = params[-1]
        if name in scope.asks:
            state.env[DEFINED.format(name)] = TRUE
    try:
        result = lower_body(state)
    except Exception as error:
        if scope.refused:  # what came after a statement that is not there may fail in any way
            raise together([*scope.refused, *([error] if isinstance(error, UnsupportedSyntaxError) else [])]) from None
        raise
    if scope.refused:
        raise together(scope.refused)
    name = "anonymous" if isinstance(node, gast.Lambda) else node.name
    return prune(Function(name, state.block(tuple(params), (result,)), tuple(kinds), (), scope.source.span(node)))


def _scope(source: FunctionSource) -> Scope:
    node, names = source.node, Names()
    walked = list(walk_scope(body_of(node)))
    declared: set[str] = set()
    refused: list[AdxError] = []
    deleted: set[str] = set()
    for inner in walked:
        if isinstance(inner, gast.Name) and isinstance(inner.ctx, gast.Del):
            deleted.add(inner.id)
        if isinstance(inner, gast.Nonlocal):
            help_ = "return the new value and assign it where the function is called"
            refused.append(_error(source, inner, "`nonlocal` is not supported", help_))
        if isinstance(inner, gast.Global):
            declared.update(inner.names)
    scope = Scope(source, names, {}, source.outer - declared, {}, refused, frozenset(map(str, declared)))
    scope = replace(scope, asks=frozenset(map(scope.mangle, deleted)))
    for arg, _, _ in parameters(node.args):
        scope.bound.setdefault(scope.mangle(arg.id), []).append((arg.lineno, arg.col_offset))
    for name, inner in bindings(walked):
        if name in declared:
            if not isinstance(inner, gast.Name) or isinstance(inner.ctx, gast.Del):
                help_ = "assign to it, or do that outside of the function"
                refused.append(_error(source, inner, f"the global variable `{name}` is bound so", help_, GlobalMutationError))
            continue
        scope.bound.setdefault(scope.mangle(name), []).append((inner.lineno, inner.col_offset))
    return scope


def _error(source: FunctionSource, node: Any, message: str, help_: str, cls: type[AdxError] = UnsupportedSyntaxError) -> AdxError:
    return cls(message, span=source.span(node), help=help_)


def close(state: State, node: Any, defaults: tuple[tuple[str, Operand], ...], lower_body: Body) -> Var:
    """Append the `Closure` of a nested ``def`` or ``lambda`` in `state`; return the function.

    Captures are by value. That is what Python does, as long as nothing is assigned to a captured name afterwards.
    """
    scope = state.scope
    name = scope.mangle(node.name) if isinstance(node, gast.FunctionDef) else ""
    out = state.builder.var(name or "function")
    captures = tuple(
        capture
        for captured in map(scope.mangle, free_names(node))
        if captured in state.env or captured in scope.bound or captured in scope.outer
        for capture in (((captured, out),) if captured == name else _capture(state, node, captured))
    )
    _refuse_rebinding(state, node, [captured for captured, _ in captures], name)
    if any(captured in state.loop for captured, _ in captures if captured != name):
        scope.brief[out] = None
    source = replace(scope.source, node=node, outer=frozenset(captured for captured, _ in captures))
    fn = build_function(source, lower_body)
    state.builder.emit(Closure(out, fn, captures, defaults, state.at(node)))
    return out


def _capture(state: State, node: Any, name: str) -> tuple[tuple[str, Operand], ...]:
    """What a nested function takes along for `name`: its value, and whether it has one where that is not sure."""
    value = state.env.get(name, UNDEFINED)
    if value == UNDEFINED and name in state.scope.bound:
        help_ = f"define `{name}` above the function that uses it, or pass it as an argument"
        raise state.scope.error(node, f"a nested function uses `{name}`, which is assigned only later", help_)
    defined = DEFINED.format(name)
    if name in state.scope.asks and (flag := state.env[defined]) != TRUE:
        return (name, value), (defined, flag)
    if defined in state.scope.outer:
        return (name, state.free_name(name, node)), (defined, state.free_name(defined, node))
    return ((name, state.read(name, node)),)


def _refuse_rebinding(state: State, node: Any, captured: list[str], own: str) -> None:
    end = node.end_lineno, node.end_col_offset
    for name in captured:
        places = state.scope.bound.get(name, [])
        later = next((place for place in places if place > end), None)
        if later is not None or (name == own and len(places) > 1):
            where = f"on line {later[0]}" if later else "elsewhere"
            help_ = f"use another name {where}, or pass `{name}` to the function as an argument"
            raise state.scope.error(node, f"a nested function uses `{name}`, which is assigned again {where}", help_)
