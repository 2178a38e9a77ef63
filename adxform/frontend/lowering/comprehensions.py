"""Comprehensions and generators to loops: a list that is filled, a sum that is added up, a search that ends, items given.

Their parts are expressions, of which these are parts in turn: how an expression is lowered is told as a `Lowering`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from adxform.frontend.lowering.closures import close
from adxform.frontend.lowering.generator_functions import as_function
from adxform.frontend.lowering.names import bound_names
from adxform.frontend.lowering.scope import DEFINED, INLINED_COMPREHENSIONS, State, attribute, branch, choose, unknown_value
from adxform.frontend.lowering.set_displays import lower_walked
from adxform.ir import intrinsics
from adxform.ir.ops import Call, For, Lit, Operand, Pack


@dataclass(frozen=True, slots=True)
class Lowering:
    """How what a comprehension is made of is lowered: its items, what it goes through, its conditions and its targets."""

    expression: Callable[[State, Any], Operand]
    argument: Callable[[State, Any], Operand]
    condition: Callable[[State, Any], Operand]
    assign: Callable[[State, Any, Operand], None]


def lower_comprehension(state: State, by: Lowering, node: Any, hint: str, source: Operand | None = None) -> Operand:
    """A list that the loop appends to. The set, dict and generator forms are made of that list."""
    bound = _bound_inside(state, node)
    items = state.builder.call(list, hint=hint if isinstance(node, gast.ListComp) else "items", span=state.at(node))

    def append(inner: State) -> None:
        if isinstance(node, gast.DictComp):
            value: Operand = Pack("tuple", (by.expression(inner, node.key), by.expression(inner, node.value)))
        else:
            value = by.expression(inner, node.elt)
        method = attribute(inner, node, items, "append")
        inner.builder.emit(Call((), method, (value,), (), inner.at(node)))

    _walk_items(state, by, node, node.generators, bound, append, source)
    make = {gast.SetComp: set, gast.DictComp: dict}.get(type(node))
    return items if make is None else state.builder.call(make, items, hint=hint, span=state.at(node))


def lower_sum(state: State, by: Lowering, node: gast.Call, hint: str) -> Operand:
    """``sum`` of a generator: a loop that adds up, if the name means the builtin; else a call."""
    generator = node.args[0]
    bound = _bound_inside(state, generator)
    callee = by.expression(state, node.func)
    total = "??" + hint  # no name of `choose`, which the conditions and the items may use meanwhile

    def add(inner: State) -> None:
        item = by.expression(inner, generator.elt)
        inner.bind(total, inner.builder.call(operator.add, inner.env[total], item, hint=hint, span=inner.at(generator)))

    def add_up(side: State) -> Operand:
        side.bind(total, Lit(0))
        _walk_items(side, by, generator, generator.generators, (total, *bound), add)
        side.written.pop(total)
        return side.env.pop(total)

    def call(side: State) -> Operand:
        items = lower_comprehension(side, by, generator, "items")
        out = side.builder.var(hint)
        side.builder.emit(Call((out,), callee, (items,), (), side.at(node)))
        return out

    builtin = state.builder.call(operator.is_, callee, Lit(sum), span=state.at(node))
    return choose(state, node, builtin, add_up, call, hint)


def lower_search(state: State, by: Lowering, node: gast.Call, hint: str) -> Operand:
    """``any`` or ``all`` of a generator: where only a run goes through its source a loop that ends when it knows; else a call."""
    generator = node.args[0]
    _check_comprehension(state, generator)
    callee = by.expression(state, node.func)
    source = lower_walked(state, generator.generators[0].iter, by.argument)
    found = "??" + hint  # no name of `choose`, see `lower_sum`
    decides = operator.truth if node.func.id == "any" else operator.not_

    def look(inner: State) -> None:
        item = by.expression(inner, generator.elt)
        inner.bind(found, inner.builder.call(decides, item, hint=hint, span=inner.at(generator)))

    def search(side: State) -> Operand:
        side.bind(found, Lit(False))
        _walk_items(side, by, generator, generator.generators, (found,), look, source, until=found)
        side.written.pop(found)
        return side.builder.call(decides, side.env.pop(found), hint=hint, span=side.at(node))

    def call(side: State) -> Operand:
        items = lower_generator(side, by, generator, source, (Lit(True),))
        out = side.builder.var(hint)
        side.builder.emit(Call((out,), callee, (items,), (), side.at(node)))
        return out

    searches = state.builder.call(intrinsics.searches, callee, source, span=state.at(node))
    return choose(state, node, searches, search, call, hint)


def lower_generator(
    state: State, by: Lowering, node: gast.GeneratorExp, source: Operand | None = None, searched: tuple[Operand, ...] = ()
) -> Operand:
    """A generator that runs to its end where it stands, of `source` where that is given; `searched`: as `lower_search` asks."""
    begins = state.builder.call(intrinsics.generator_begins, hint="begins", span=state.at(node))
    items = lower_comprehension(state, by, node, "items", source)
    return state.builder.call(intrinsics.generator, items, begins, *searched, hint="items", span=state.at(node))


def lower_kept_generator(state: State, by: Lowering, node: gast.GeneratorExp, hint: str) -> Operand:
    """A generator that is kept: of two functions, to its end and until it is left, of what its outermost loop goes through."""
    _check_comprehension(state, node)
    source = lower_walked(state, node.generators[0].iter, by.argument)
    function = as_function(node)
    whole = close(state, function, (), lambda inner, own: _give_items(inner, by, own.body, ""), "whole")
    part = close(state, function, (), lambda inner, own: _give_items(inner, by, own.body, "??left"), "part")
    return state.builder.call(intrinsics.new_generator, whole, part, source, hint=hint, span=state.at(node))


def _give_items(state: State, by: Lowering, node: gast.GeneratorExp, left: str) -> Operand:
    """Fill the body of a generator; if it may be left, it ends when the name `left` is true."""

    def give(inner: State) -> None:
        item = by.expression(inner, node.elt)
        going = inner.builder.call(intrinsics.yielded, item, hint="going", span=inner.at(node.elt))
        if left:
            inner.bind(left, inner.builder.call(operator.not_, going, hint="left", span=inner.at(node.elt)))

    if left:
        state.bind(left, Lit(False))
    _walk_items(state, by, node, node.generators, (left,) if left else (), give, until=left)
    return Lit(None)


def _bound_inside(state: State, node: Any) -> tuple[str, ...]:
    """The variables of the function that a comprehension sets by ``:=``, which its loops carry, and whether they have a value."""
    inside = [inner for inner in gast.walk(node) if isinstance(inner, gast.NamedExpr)]
    _check_comprehension(state, node, inside)
    names = dict.fromkeys(state.scope.mangle(inner.target.id) for inner in inside)
    asked = [DEFINED.format(name) for name in names if name in state.scope.asks]
    for name in (*names, *asked):
        state.env.setdefault(name, unknown_value(name))
    return (*names, *asked)


def _check_comprehension(state: State, node: Any, bound: Sequence[Any] = ()) -> None:
    for inner in gast.walk(node):
        if (isinstance(inner, gast.NamedExpr) and inner not in bound) or (
            isinstance(inner, gast.comprehension) and inner.is_async
        ):
            where = inner if isinstance(inner, gast.NamedExpr) else node
            raise state.scope.error(where, "this form of comprehension is not supported", "write the comprehension as a loop")


def _walk_items(
    state: State,
    by: Lowering,
    node: Any,
    parts: list[Any],
    carried: tuple[str, ...],
    visit: Callable[[State], None],
    source: Operand | None = None,
    until: str = "",
) -> None:
    """Append the loops and conditions of a comprehension around `visit`; the loops carry the names `carried`.

    The outermost goes through `source`, where that is given. All end when the name `until` is true.
    """
    if not parts:
        visit(state)
        return
    part, *rest = parts
    if source is None:
        source = lower_walked(state, part.iter, by.argument)
    inits = tuple(state.env[name] for name in carried)
    body = state.nested()
    body.comprehension |= not INLINED_COMPREHENSIONS or isinstance(node, gast.GeneratorExp)
    targets = frozenset(map(state.scope.mangle, bound_names([part.target])))
    body.loop = body.loop | targets
    body.cells = {name: cell for name, cell in body.cells.items() if name not in targets}
    item = body.builder.var(state.scope.mangle(part.target.id) if isinstance(part.target, gast.Name) else "item")
    params = tuple(body.builder.var(name.lstrip("?")) for name in carried)
    body.env |= dict(zip(carried, params, strict=True))
    by.assign(body, part.target, item)
    _walk_conditions(body, by, node, part.ifs, rest, carried, visit, until)
    going = (body.builder.call(operator.not_, body.env[until], hint="going", span=body.at(node)),) if until else ()
    block = body.block((item, *params), (*going, *(body.env[name] for name in carried)))
    outs = tuple(state.builder.var(name.lstrip("?")) for name in carried)
    state.builder.emit(For(outs, (source,), inits, block, bool(until), state.at(node)))
    for name, out in zip(carried, outs, strict=True):
        state.bind(name, out)


def _walk_conditions(
    state: State,
    by: Lowering,
    node: Any,
    tests: list[Any],
    rest: list[Any],
    carried: tuple[str, ...],
    visit: Callable[[State], None],
    until: str,
) -> None:
    if not tests:
        _walk_items(state, by, node, rest, carried, visit, until=until)
        return
    cond = by.condition(state, tests[0])
    then, orelse = state.nested(), state.nested()
    _walk_conditions(then, by, node, tests[1:], rest, carried, visit, until)
    branch(state, cond, then, orelse, state.at(node))
