"""Expressions to operands: evaluated left to right, each operation an op of the block."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from adxform.frontend.lowering.closures import close
from adxform.frontend.lowering.comprehensions import (
    Lowering,
    lower_comprehension,
    lower_generator,
    lower_kept_generator,
    lower_search,
    lower_sum,
)
from adxform.frontend.lowering.local_names import names_here
from adxform.frontend.lowering.names import parameters
from adxform.frontend.lowering.operator_functions import BINARY, COMPARE, UNARY
from adxform.frontend.lowering.scope import State, attribute, choose, describe
from adxform.frontend.lowering.set_displays import lower_set
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit, Operand, Pack


def lower_expression(state: State, node: Any, hint: str = "tmp") -> Operand:
    """Append the ops of the expression `node`; return its value, named `hint` where it is new."""
    match node:
        case gast.Constant(value=value):
            return Lit(value)
        case gast.Name(id=name):
            return state.read(state.scope.mangle(name), node)
        case gast.BinOp() | gast.UnaryOp() | gast.Compare() | gast.Subscript() | gast.Attribute():
            return _lower_operation(state, node, hint)
        case gast.BoolOp(op=op, values=values):
            return _lower_boolean(state, node, values, isinstance(op, gast.And), hint, lower_expression)
        case gast.IfExp(test=test, body=body, orelse=orelse):
            cond = lower_condition(state, test)
            return choose(
                state,
                node,
                cond,
                lambda side: lower_expression(side, body, hint),
                lambda side: lower_expression(side, orelse, hint),
                hint,
            )
        case gast.Call():
            return _lower_call(state, node, hint, wanted=True)
        case gast.Tuple() | gast.List() | gast.Set() | gast.Dict():
            return _lower_display(state, node, hint)
        case gast.Slice():
            return Pack(
                "slice",
                tuple(
                    Lit(None) if part is None else lower_expression(state, part) for part in (node.lower, node.upper, node.step)
                ),
            )
        case gast.JoinedStr():
            return _lower_text(state, node, hint)
        case gast.NamedExpr(target=target, value=value):
            result = lower_expression(state, value, target.id)
            state.bind(state.scope.mangle(target.id), result)
            return result
        case gast.Lambda():
            return close(state, node, lower_defaults(state, node), lambda inner, own: lower_expression(inner, own.body))
        case gast.ListComp() | gast.SetComp() | gast.DictComp():
            return lower_comprehension(state, _LOWERING, node, hint)
        case gast.GeneratorExp():
            return lower_kept_generator(state, _LOWERING, node, hint)
        case _:
            raise state.scope.error(node, f"{describe(node)} is not supported", "write it with supported syntax")


def lower_argument(state: State, node: Any) -> Operand:
    """As `lower_expression`, for a value used once, at once: list and dict displays are built where they are used."""
    match node:
        case gast.List(elts=items) if not any(isinstance(item, gast.Starred) for item in items):
            return Pack("list", tuple(lower_argument(state, item) for item in items))
        case gast.Tuple(elts=items) if not any(isinstance(item, gast.Starred) for item in items):
            return Pack("tuple", tuple(lower_argument(state, item) for item in items))
        case gast.Dict(keys=keys, values=values) if None not in keys:
            return Pack("dict", tuple(lower_argument(state, part) for pair in zip(keys, values, strict=True) for part in pair))
        case _:
            return lower_expression(state, node)


def lower_defaults(state: State, node: Any) -> tuple[tuple[str, Operand], ...]:
    """The defaults of a nested function, by parameter name, evaluated where it is defined."""
    found = [(arg.id, default) for arg, _, default in parameters(node.args) if default is not None]
    return tuple((state.scope.mangle(name), lower_expression(state, default)) for name, default in found)


def _lower_operation(state: State, node: Any, hint: str) -> Operand:
    match node:
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int() | float() | complex() as value)) if not isinstance(
            value, bool
        ):
            return Lit(-value)
        case gast.UnaryOp(op=op, operand=operand):
            value = lower_expression(state, operand)
            return state.builder.call(UNARY[type(op)], value, hint=hint, span=state.at(node))
        case gast.BinOp(left=left, op=op, right=right):
            operands = lower_expression(state, left), lower_expression(state, right)
            return state.builder.call(BINARY[type(op)], *operands, hint=hint, span=state.at(node))
        case gast.Subscript(value=value, slice=index):
            operands = lower_expression(state, value), lower_argument(state, index)
            return state.builder.call(operator.getitem, *operands, hint=hint, span=state.at(node))
        case gast.Attribute(value=value, attr=name):
            return attribute(state, node, lower_expression(state, value), name)
        case gast.Compare(left=left, ops=ops, comparators=comparators):
            return _lower_comparison(state, node, lower_expression(state, left), list(zip(ops, comparators, strict=True)), hint)
        case _:
            raise AssertionError(node)


def _lower_comparison(state: State, node: Any, left: Operand, rest: list[tuple[Any, Any]], hint: str) -> Operand:
    (op, comparator), *more = rest
    right = lower_argument(state, comparator) if isinstance(op, gast.In | gast.NotIn) else lower_expression(state, comparator)
    span = state.at(node)
    if isinstance(op, gast.In | gast.NotIn):
        result = state.builder.call(operator.contains, right, left, hint="tmp" if isinstance(op, gast.NotIn) else hint, span=span)
        if isinstance(op, gast.NotIn):
            result = state.builder.call(operator.not_, result, hint=hint, span=span)
    else:
        result = state.builder.call(COMPARE[type(op)], left, right, hint=hint, span=span)
    if not more:
        return result
    return choose(state, node, result, lambda side: _lower_comparison(side, node, right, more, hint), lambda _: result, hint)


def lower_condition(state: State, node: Any, hint: str = "tmp") -> Operand:
    """The operand that says whether the expression `node` is true: of ``queue and steps < 60`` no queue is the value."""
    if isinstance(node, gast.BoolOp):
        return _lower_boolean(state, node, node.values, isinstance(node.op, gast.And), hint, lower_truth)
    return lower_expression(state, node, hint)


def lower_truth(state: State, node: Any, hint: str) -> Operand:
    """The truth value of the expression `node`, beside others that are no more than that."""
    value = lower_condition(state, node, hint)
    if isinstance(node, gast.BoolOp | gast.Compare) or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)):
        return value
    return state.builder.call(operator.truth, value, hint=hint, span=state.at(node))


def _lower_boolean(
    state: State, node: Any, values: list[Any], conjunction: bool, hint: str, lower: Callable[[State, Any, str], Operand]
) -> Operand:
    first, *rest = values
    left = lower(state, first, hint)
    if not rest:
        return left

    def go_on(side: State) -> Operand:
        return _lower_boolean(side, node, rest, conjunction, hint, lower)

    def stop(_: State) -> Operand:
        return left

    return choose(state, node, left, go_on, stop, hint) if conjunction else choose(state, node, left, stop, go_on, hint)


def _lower_display(state: State, node: Any, hint: str) -> Operand:
    """Tuples are values; a list, set or dict is an object, made once."""
    if isinstance(node, gast.Dict):
        parts = lower_pairs(state, list(zip(node.keys, node.values, strict=True)))
        whole = parts if isinstance(parts, Pack) else None
        return parts if whole is None else state.builder.call(dict, whole, hint=hint, span=state.at(node))
    if isinstance(node, gast.Set):
        return lower_set(state, node, hint, lower_expression)
    if any(isinstance(item, gast.Starred) for item in node.elts):
        items = lower_items(state, node.elts, lower_expression)
    else:
        items = Pack("tuple", tuple(lower_expression(state, item) for item in node.elts))
    return state.builder.call(list, items, hint=hint, span=state.at(node)) if isinstance(node, gast.List) else items


def lower_items(state: State, nodes: list[Any], lower: Callable[[State, Any], Operand]) -> Operand:
    """A sequence with ``*`` parts, as one tuple."""
    parts: list[Operand] = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            parts.append(_lower_unpacked(state, node.value))
        elif parts and isinstance(parts[-1], Pack) and parts[-1].kind == "list":
            parts[-1] = Pack("list", (*parts[-1].items, lower(state, node)))
        else:
            parts.append(Pack("list", (lower(state, node),)))
    parts = [Pack("tuple", part.items) if isinstance(part, Pack) and part.kind == "list" else part for part in parts]
    if len(parts) == 1 and isinstance(parts[0], Pack):
        return parts[0]
    return state.builder.call(intrinsics.chain, *parts) if parts else Pack("tuple", ())


def _lower_unpacked(state: State, node: Any) -> Operand:
    """What ``*`` takes apart: a generator runs to its end there."""
    return (
        lower_comprehension(state, _LOWERING, node, "items")
        if isinstance(node, gast.GeneratorExp)
        else lower_expression(state, node)
    )


def lower_pairs(state: State, pairs: list[tuple[Any, Any]], merge: Callable[..., dict[Any, Any]] = intrinsics.merge) -> Operand:
    """A mapping with ``**`` parts (a pair without key), as one dict that `merge` makes."""
    parts: list[Operand] = []
    items: list[Operand] = []
    for key, value in pairs:
        if key is None:
            parts += [Pack("dict", tuple(items)), lower_expression(state, value)]
            items = []
        else:
            items += [lower_expression(state, key), lower_expression(state, value)]
    last = Pack("dict", tuple(items))
    parts = [part for part in (*parts, last) if part != Pack("dict", ())]
    return state.builder.call(merge, *parts) if any(key is None for key, _ in pairs) else last


def lower_call_statement(state: State, node: gast.Call) -> None:
    """Append a call whose result nobody wants."""
    _lower_call(state, node, "tmp", wanted=False)


def _lower_call(state: State, node: gast.Call, hint: str, *, wanted: bool) -> Operand:
    if wanted and _is_of_generator(state, node, "sum"):
        return lower_sum(state, _LOWERING, node, hint)
    if wanted and (_is_of_generator(state, node, "any") or _is_of_generator(state, node, "all")):
        return lower_search(state, _LOWERING, node, hint)
    fn = lower_expression(state, node.func)
    kwargs: tuple[tuple[str, Operand], ...] = ()
    if any(isinstance(arg, gast.Starred) for arg in node.args) or any(keyword.arg is None for keyword in node.keywords):
        alone = len(node.args) == 1 and isinstance(node.args[0], gast.Starred)
        items = _lower_unpacked(state, node.args[0].value) if alone else lower_items(state, node.args, lower_argument)
        named = [(None if keyword.arg is None else gast.Constant(keyword.arg, None), keyword.value) for keyword in node.keywords]
        args: tuple[Operand, ...] = (fn, items, lower_pairs(state, named, intrinsics.merge_named))
        fn = Lit(intrinsics.apply)
    elif (names := names_here(state, node)) is not None:
        fn, args = Lit(intrinsics.names_here), (fn, names)
    else:
        args = tuple(_lower_call_argument(state, node.func, fn, arg) for arg in node.args) or _implied(state, node)
        kwargs = tuple((keyword.arg, lower_argument(state, keyword.value)) for keyword in node.keywords)
    outs = (state.builder.var(hint),) if wanted else ()
    state.builder.emit(Call(outs, fn, args, kwargs, state.at(node)))
    return outs[0] if outs else Lit(None)


def _implied(state: State, node: gast.Call) -> tuple[Operand, ...]:
    """What ``super()`` is given by Python: the class that the method is written in, and the first argument of the method."""
    scope, named = state.scope, isinstance(node.func, gast.Name) and node.func.id == "super"
    first = next(iter(parameters(scope.source.node.args)), None)
    if not named or "super" in state.env or "super" in scope.bound or first is None or "__class__" not in scope.outer:
        return ()
    return state.free_name("__class__", node), state.read(scope.mangle(first[0].id), node)


def _is_of_generator(state: State, node: gast.Call, name: str) -> bool:
    """Whether `node` is ``name(… for … in …)``, by a name found outside."""
    match node:
        case gast.Call(func=gast.Name(id=found), args=[gast.GeneratorExp()], keywords=[]) if found == name:
            return _is_found_outside(state, name)
        case _:
            return False


def _lower_call_argument(state: State, callee: Any, fn: Operand, node: Any) -> Operand:
    """An argument; a generator runs to its end first where a builtin is given it that takes all of its items at once."""
    builtin = isinstance(callee, gast.Name) and callee.id in _AT_ONCE
    if builtin and isinstance(node, gast.GeneratorExp) and _is_found_outside(state, callee.id):
        state.builder.effect(intrinsics.takes_all, fn, span=state.at(callee))
        return lower_generator(state, _LOWERING, node)
    return lower_argument(state, node)


_AT_ONCE = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "max", "min", "any", "all"})


def _is_found_outside(state: State, name: str) -> bool:
    return not (name in state.env or name in state.scope.bound or name in state.scope.outer)


def _lower_text(state: State, node: gast.JoinedStr, hint: str) -> Operand:
    """An f-string: its parts formatted and joined."""
    parts: list[Operand] = []
    conversions: dict[int, Callable[..., Any]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    for part in node.values:
        if isinstance(part, gast.FormattedValue):
            value = lower_expression(state, part.value)
            if part.conversion in conversions:
                value = state.builder.call(conversions[part.conversion], value)
            spec = () if part.format_spec is None else (_lower_text(state, part.format_spec, "tmp"),)
            parts.append(state.builder.call(format, value, *spec, span=state.at(node)))
        else:
            parts.append(Lit(part.value))
    if all(isinstance(part, Lit) for part in parts):
        return Lit("".join(part.value for part in parts if isinstance(part, Lit)))
    return (
        parts[0]
        if len(parts) == 1
        else state.builder.call(str.join, Lit(""), Pack("list", tuple(parts)), hint=hint, span=state.at(node))
    )


def assign(state: State, target: Any, value: Operand) -> None:
    """Append the assignment of `value` to any target."""
    match target:
        case gast.Name(id=name):
            state.bind(state.scope.mangle(name), value)
        case gast.Starred(value=inner):
            assign(state, inner, value)
        case gast.Tuple(elts=targets) | gast.List(elts=targets):
            places = [k for k, item in enumerate(targets) if isinstance(item, gast.Starred)]
            if isinstance(value, Pack) and value.kind in ("tuple", "list") and len(value.items) == len(targets) and not places:
                items: list[Operand] = list(value.items)
            else:
                span = state.at(target)
                starred = (Lit(places[0]),) if places else ()
                whole = state.builder.call(intrinsics.unpack, value, Lit(len(targets)), *starred, span=span)
                named = [item.value if isinstance(item, gast.Starred) else item for item in targets]
                hints = [item.id if isinstance(item, gast.Name) else "item" for item in named]
                items = [
                    state.builder.call(operator.getitem, whole, Lit(k), hint=hint, span=span) for k, hint in enumerate(hints)
                ]
            for item, part in zip(targets, items, strict=True):
                assign(state, item, part)
        case gast.Subscript(value=base, slice=index):
            operands = lower_expression(state, base), lower_argument(state, index)
            state.builder.effect(operator.setitem, *operands, value, span=state.at(target))
        case gast.Attribute(value=base, attr=name):
            owner = lower_expression(state, base)
            state.builder.effect(setattr, owner, Lit(state.scope.mangle(name)), value, span=state.at(target))
        case _:
            raise state.scope.error(
                target, f"assignment to {describe(target)} is not supported", "assign to names, items or attributes"
            )


_LOWERING = Lowering(lower_expression, lower_argument, lower_condition, assign)
