"""Nested functions: what they capture, by value where that is what Python would do, and else as cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gast

from adxform.errors import AdxError, GlobalMutationError, UnsupportedSyntaxError, together
from adxform.frontend.lowering.generator_functions import Walk, is_generator, shell_of, walked_body
from adxform.frontend.lowering.late_binding import refuse_late_binding
from adxform.frontend.lowering.names import SCOPES, bindings, body_of, free_names, parameters, walk_scope
from adxform.frontend.lowering.scope import DEFINED, TRUE, Scope, State, base_of
from adxform.frontend.lowering.source_text import FunctionSource
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Closure, Function, Operand, Var
from adxform.ir.prune import prune
from adxform.ir.walk import Names

Body = Callable[[State, Any], Operand]
"""Fills the block of a function with the definition that it is given; returns its result."""


def build_function(source: FunctionSource, lower_body: Body) -> Function:
    """The untyped `Function` of a definition, whose body `lower_body` fills."""
    if not source.walk and is_generator(source.node):
        return build_function(replace(source, node=shell_of(source.node)), _making(source.node, lower_body))
    scope = _scope(source)
    fn = _filled(scope, lower_body)
    while not (_keeps_to_iterations(scope, fn) and scope.asks.issuperset(scope.unsure) and scope.cells.issuperset(scope.rebound)):
        asks, cells = scope.asks | frozenset(scope.unsure), scope.cells | frozenset(scope.rebound)
        scope = replace(_scope(source), asks=asks - cells, cells=cells)
        fn = _filled(scope, lower_body)
    return fn


def _making(node: gast.FunctionDef, lower_body: Body) -> Body:
    """The body of the function that makes the generator of `node`."""

    def lower(state: State, shell: Any) -> Operand:
        bodies = (close(state, walked_body(node, walk), (), lower_body, walk) for walk in ("whole", "part"))
        given = (state.read(state.scope.mangle(arg.id), node) for arg, _, _ in parameters(shell.args))
        return state.builder.call(intrinsics.new_generator, *bodies, *given, hint="items", span=state.at(node))

    return lower


def _keeps_to_iterations(scope: Scope, fn: Function) -> bool:
    """Whether no nested function outlives the iteration whose variables it captures; else these have to be cells, if they can."""
    try:
        refuse_late_binding(fn, scope.brief)
    except UnsupportedSyntaxError:
        names = dict.fromkeys(name for captured in scope.brief.values() for name in captured)
        if not scope.bound.keys() >= names.keys() or scope.cells >= names.keys():
            raise
        scope.rebound.update(names)
        return False
    return True


def _filled(scope: Scope, lower_body: Body) -> Function:
    node = scope.source.node
    state = State.entry(scope)
    params: list[Var] = []
    kinds: list[str] = []
    for arg, kind, _ in parameters(node.args):
        name = scope.mangle(arg.id)
        params.append(state.builder.var(base_of(name)))
        kinds.append(kind)
        if name in scope.cells:
            continue
        state.env[name] = params[-1]
        if name in scope.asks:
            state.env[DEFINED.format(name)] = TRUE
    for name in sorted(scope.cells.intersection(scope.bound)):
        state.cells[name] = state.builder.call(intrinsics.Cell, hint=name)
    for param in params:
        if param.name in state.cells:
            state.bind(param.name, param)
    try:
        result = lower_body(state, node)
    except Exception as error:
        if scope.refused:  # what came after a statement that is not there may fail in any way
            raise together([*scope.refused, *([error] if isinstance(error, UnsupportedSyntaxError) else [])]) from None
        raise
    if scope.refused:
        raise together(scope.refused)
    name = "anonymous" if isinstance(node, gast.Lambda) else node.name
    return prune(Function(name, state.block(tuple(params), (result,)), tuple(kinds), (), scope.source.span(node)))


def _outside(source: FunctionSource, node: gast.Nonlocal) -> list[str]:
    """Which of the variables that `node` declares are no cells: the functions that have them have returned."""
    return [name for name in node.names if name not in source.cells]


def _written_outside(source: FunctionSource, node: gast.Nonlocal) -> AdxError:
    help_ = "return the new value and assign it where the function is called"
    message = f"the variable `{_outside(source, node)[0]}` of a function that has returned is written"
    return _error(source, node, message, help_, GlobalMutationError)


def _assigned_within(nodes: list[Any]) -> Iterator[str]:
    """The variables that functions among `nodes` share by ``nonlocal``, at any depth."""
    within = (one for nested in nodes if isinstance(nested, SCOPES) for one in gast.walk(nested))
    return (name for one in within if isinstance(one, gast.Nonlocal) for name in one.names)


def _scope(source: FunctionSource) -> Scope:
    node, names = source.node, Names()
    walked = list(walk_scope(body_of(node)))
    declared = {name for inner in walked if isinstance(inner, gast.Global) for name in inner.names}
    nonlocals = [inner for inner in walked if isinstance(inner, gast.Nonlocal)]
    shared = {name for inner in nonlocals for name in inner.names}
    deleted = {inner.id for inner in walked if isinstance(inner, gast.Name) and isinstance(inner.ctx, gast.Del)}
    refused = [
        _written_outside(source, inner) for inner in walked if isinstance(inner, gast.Nonlocal) and _outside(source, inner)
    ]
    scope = Scope(source, names, {}, source.outer - declared, {}, refused, frozenset(map(str, declared)))
    for arg, _, _ in parameters(node.args):
        scope.bound.setdefault(scope.mangle(arg.id), []).append((arg.lineno, arg.col_offset))
    for name, inner in bindings(walked):
        if name in shared:
            continue
        if name in declared:
            stored = isinstance(inner, gast.Name) and isinstance(inner.ctx, gast.Store)
            if not stored and not isinstance(inner, gast.Import | gast.ImportFrom):
                help_ = "assign to it, or do that outside of the function"
                refused.append(_error(source, inner, f"the global variable `{name}` is bound so", help_, GlobalMutationError))
            continue
        scope.bound.setdefault(scope.mangle(name), []).append((inner.lineno, inner.col_offset))
    cells = frozenset(map(scope.mangle, _assigned_within(walked))).intersection(scope.bound)
    return replace(scope, asks=frozenset(map(scope.mangle, deleted)) - cells, cells=cells)


def _error(source: FunctionSource, node: Any, message: str, help_: str, cls: type[AdxError] = UnsupportedSyntaxError) -> AdxError:
    return cls(message, span=source.span(node), help=help_)


def close(state: State, node: Any, defaults: tuple[tuple[str, Operand], ...], lower_body: Body, walk: Walk = "") -> Var:
    """Append the `Closure` of a nested ``def`` or ``lambda`` in `state`, or of the body of a generator; return the function.

    Captures are by value, which is what Python does as long as nothing is assigned to a captured name afterwards; or cells.
    """
    scope = state.scope
    name = scope.mangle(node.name) if isinstance(node, gast.FunctionDef) and not walk else ""
    out = state.builder.var(name or walk or "function")
    captures = tuple(
        capture
        for captured in map(scope.mangle, free_names(node))
        if captured in state.env or captured in scope.bound or captured in scope.outer
        for capture in (((captured, out),) if captured == name and name not in state.cells else _capture(state, node, captured))
    )
    cells = frozenset(captured for captured, _ in captures if state.cell(captured) is not None)
    _note_rebinding(state, node, [captured for captured, _ in captures if captured not in cells], name)
    brief = tuple(one for one, _ in captures if one in state.loop and one != name and one not in cells)
    if brief:
        scope.brief[out] = brief
    source = replace(scope.source, node=node, outer=frozenset(captured for captured, _ in captures), cells=cells, walk=walk)
    fn = build_function(source, lower_body)
    state.builder.emit(Closure(out, fn, captures, defaults, state.at(node), bool(brief)))
    return out


def _capture(state: State, node: Any, name: str) -> tuple[tuple[str, Operand], ...]:
    """What a nested function takes along for `name`: its value, and whether it has one where that is not sure."""
    cell = state.cell(name)
    if cell is not None:
        return ((name, cell),)
    value = state.env.get(name, UNDEFINED)
    if value == UNDEFINED and name in state.scope.bound:
        state.scope.rebound[name] = None
        return ((name, value),)
    defined = DEFINED.format(name)
    if name in state.scope.asks and (flag := state.env[defined]) != TRUE:
        return (name, value), (defined, flag)
    if defined in state.scope.outer:
        return (name, state.free_name(name, node)), (defined, state.free_name(defined, node))
    return ((name, state.read(name, node)),)


def _note_rebinding(state: State, node: Any, captured: list[str], own: str) -> None:
    """Note which of the variables that a function captures by value it must have as cells: they are assigned after it is made.

    The name of a function with decorators is: what they return goes by it, and is what the function finds there.
    """
    end = node.end_lineno, node.end_col_offset
    for name in captured:
        places = state.scope.bound.get(name, [])
        if any(place > end for place in places) or (name == own and (len(places) > 1 or node.decorator_list)):
            state.scope.rebound[name] = None
