"""A prepared call as straight-line code, written for one signature: its checks, and the rule, where its backend has code for it.

    def rosenbrock_vjp_call(args):
        try:
            x, = args
            if type(x) is not ndarray or x.dtype != dtype:
                return miss
            n, = x.shape
            if n == 1:
                return miss
            if reached or table.own is not rules or function.__code__ is not code:
                if not surroundings_fit():
                    return miss
            x_ct = empty(n)
            try:
                machine(x, x_ct)
            except TypeError:
                rosenbrock_vjp_kernel(x, x_ct)
            count()
            return x_ct
        except Exception:
            return miss

How the code of a rule is called by the shortest way, its backend knows. The function answers what the general way through
`Preparation` answers, or gives up: then that says what is wrong, or that nothing is. A rule that raises runs again there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from adxform.api.prepared.calls.fast_path_writer import BUILTINS, Expected, Writer, writer_around
from adxform.api.prepared.calls.targets import targets_of
from adxform.backends.protocol import FastPathCode
from adxform.backends.python.written_syntax import LOAD, loaded
from adxform.frontend.signature import Fixed, Leaf, Node, Tree
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Array, Scalar, Type, is_inexact
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import effect_of
from adxform.runtime.dispatch.derivation import DerivedRule

Answer = Callable[[tuple[Any, ...]], Any]


def entrance(expected: Expected) -> Callable[[tuple[Any, ...]], list[Any] | None]:
    """What takes the positional arguments of a call to what rules take; to ``None`` where that takes a closer look."""
    writer = Writer(expected, None)
    hints = iter([f"{param}_leaf" for param in "xyzuvw"])
    leaves = writer.checks(lambda: writer.fresh(next(hints, "leaf")))
    writer.body.append(ast.Return(ast.List([*map(loaded, leaves)], LOAD)))
    return writer.written("entrance")


def answer(
    expected: Expected,
    rule: DerivedRule,
    returns: Callable[[list[ast.expr]], ast.expr | None],
    into: Sequence[Lit | int | None] | None = None,
) -> Callable[..., Any] | None:
    """What answers a call with what `returns` makes of the results of `rule`, which is compiled; `MISS` where it does not fit.

    With `into` it takes arrays for the result after the arguments; these are, of each result of the rule, the parameter that it
    is like. ``None`` where there can be no such function.
    """
    code = code_of(rule)
    value = None if code is None else returns([*code.found])
    if code is None or value is None:
        return None
    writer = writer_around(code, expected)
    names = iter(code.params)
    writer.checks(lambda: next(names))
    if next(names, None) is not None:
        return None
    if into is None:
        writer.body += [*writer.run_once(code, code.body, code.params), writer.looked_up(code, ast.Return(value))]
        return writer.written(f"{rule.generated.entry}_call")
    arrays = {i: name for i, name in enumerate(code.params) if isinstance(rule.optimised.params[i].type, Array)}
    like = dict[str, str]()
    for part, place in zip(code.found, into, strict=True):
        if isinstance(place, int) and place in arrays:
            if not isinstance(part, ast.Name):
                return None
            like[part.id] = arrays[place]
    given = [*arrays.values()]
    targets = targets_of(value, code.body, code.stores, given, like, writer.fresh, writer.constant, writer.giving_up())
    body = None if targets is None else targets.in_place(code.body)
    if targets is None or body is None:
        return None
    out, value = writer.fresh("out"), targets.returned(value)
    body = [*targets.taken(loaded(out), value), *body]
    made = [target.name for target in targets.found if target.maker is not None]
    writer.body += [*writer.run_once(code, body, [*code.params, *made], writer.giving_up())]
    writer.body.append(writer.looked_up(code, ast.Return(value)))
    return writer.written(f"{rule.generated.entry}_into", out)


def code_of(rule: DerivedRule) -> FastPathCode | None:
    """The function of `rule` as a part of another one; ``None`` where it cannot be, or had better be called."""
    if rule.private or rule.request.scratch:
        return None
    code = rule.backend.fast_path(rule.run, rule.generated, rule.returned)
    return code if code is not None and BUILTINS.isdisjoint({*code.stores, *code.params}) else None


def structured(tree: Tree, parts: Iterator[ast.expr]) -> ast.expr | None:
    """The display of a gradient with the structure `tree` and the leaves `parts`, as `leaf_flattening.placed` makes it."""
    match tree:
        case Leaf(type=type_):
            return next(parts) if is_inexact(type_) else ast.Constant(None)
        case Fixed(lit):
            return ast.Constant(0.0 if isinstance(lit.value, float | complex) else None)
        case Node(kind, cls, keys, children, None) if cls in (tuple, list, dict):
            items = [structured(child, parts) for child in children]
            known = [item for item in items if item is not None]
            if len(known) < len(items):
                return None
            if kind == "dict":
                plain = all(isinstance(key, str | int) for key in keys)
                return ast.Dict([ast.Constant(key) for key in keys], known) if plain else None
            return ast.Tuple(known, LOAD) if kind == "tuple" else ast.List(known, LOAD)
        case _:
            return None


def is_settled(rule: DerivedRule, places: Iterable[int], types: Sequence[Type]) -> bool:
    """Whether results of `rule` are, as they come, what `leaf_flattening.settled` makes of gradients of leaves of `types`.

    Numbers are of the leaf's class, and each array is made by an operation that returns new memory, which nothing else shares.
    """
    fn = rule.optimised
    classes = alias_classes(fn)
    makers = {op.outs[0]: op for op in fn.body.ops if isinstance(op, Call) and len(op.outs) == 1}
    shared = [classes.of(var) for var in (*fn.params, *fn.body.results) if isinstance(var, Var) and isinstance(var.type, Array)]

    def settled(result: Any, type_: Type) -> bool:
        if not isinstance(result, Var):
            return False
        match type_, result.type:
            case Scalar("float64", weak), Scalar("float64", other):
                return weak or not other
            case Array(dtype, shape), Array(found, tuple() as own) if shape and own and dtype == found:
                maker = makers.get(result)
                made = maker is not None and not effect_of(maker).views and not effect_of(maker).opaque
                return made and shared.count(classes.of(result)) == 1
            case _:
                return False

    return all(settled(fn.body.results[place], type_) for place, type_ in zip(places, types, strict=True))
