"""A straight call that writes its result into arrays of the caller's, where it would make them.

x_ct = empty(n)    # if type(x_ct) is not ndarray or x_ct.dtype is not dtype or x_ct.shape != (n,): …
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.prepared.expressions import LOAD, STORE, call, compare, different, either, loaded, negated
from adxform.running import overlap

Constant = Callable[[str, Any], ast.expr]


@dataclass(frozen=True, slots=True)
class Targets:
    """The arrays of a result, by name, and what would make each; `inputs` are the arrays that it is computed from."""

    makers: Mapping[str, ast.Call]
    inputs: Sequence[str]
    constant: Constant
    giving_up: ast.stmt

    def refuse(self, *tests: ast.expr) -> ast.stmt:
        """Give up where one of `tests` is true."""
        return ast.If(either(tests), [self.giving_up], [])

    def taken(self, source: ast.expr, value: ast.expr, fresh: Callable[[str], str]) -> Iterator[ast.stmt]:
        """Take `source`, the caller's, which is to be like the result `value`: arrays, tuples, ``None`` for what is neither."""
        match value:
            case ast.Name(name):
                yield ast.Assign([ast.Name(name, STORE)], source)
            case ast.Tuple(items):
                cls = call(loaded("type"), source)
                wrong = compare(cls, ast.IsNot, self.constant("tuple", tuple))
                yield self.refuse(wrong, different(call(loaded("len"), source), ast.Constant(len(items))))
                parts = [item.id if isinstance(item, ast.Name) else fresh("part") for item in items]
                yield ast.Assign([ast.Tuple([ast.Name(part, STORE) for part in parts], STORE)], source)
                for part, item in zip(parts, items, strict=True):
                    if not isinstance(item, ast.Name):
                        yield from self.taken(loaded(part), item, fresh)
            case _:
                yield self.refuse(compare(source, ast.IsNot, ast.Constant(None)))

    def checks(self, name: str) -> ast.stmt:
        """Give up where the array `name` is not like the one that would be made.

        Machine code sees to it that it lies row by row and can be written to.
        """
        value, shape = loaded(name), self.makers[name].args[0]
        lengths = shape if isinstance(shape, ast.Tuple) else ast.Tuple([shape], LOAD)
        return self.refuse(
            compare(call(loaded("type"), value), ast.IsNot, self.constant("ndarray", np.ndarray)),
            compare(ast.Attribute(value, "dtype", LOAD), ast.IsNot, self.constant("dtype", np.dtype(float))),
            different(ast.Attribute(value, "shape", LOAD), lengths),
        )

    def apart(self) -> ast.stmt:
        """Give up where an array shares memory with an input or another one.

        None does where each has its own memory, and each input its own or another array's: that is quickly told.
        """
        targets = [*self.makers]
        pairs = [(target, other) for i, target in enumerate(targets) for other in (*self.inputs, *targets[:i])]
        tests = [compare(loaded(target), ast.IsNot, loaded(other)) for target, other in pairs]
        tests += [compare(base_of(other), ast.IsNot, loaded(target)) for target, other in pairs if other in self.inputs]
        tests += [owns(loaded(target)) for target in targets]
        tests += [owns(ast.IfExp(compare(base_of(x), ast.Is, ast.Constant(None)), loaded(x), base_of(x))) for x in self.inputs]
        closer = either([call(self.constant("overlap", overlap), loaded(one), loaded(other)) for one, other in pairs])
        quick = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        return self.refuse(ast.BoolOp(ast.And(), [negated(quick), closer]))

    def in_place(self, body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
        """`body` with checks in the place of what makes the arrays, which are cleared once all fit.

        ``None`` where that is too late.
        """
        found: list[ast.stmt] = []
        waiting, seen = dict(self.makers), list[str]()
        for stmt in body:
            name = maker_of(stmt)
            if name not in waiting:
                if waiting and any(isinstance(node, ast.Name) and node.id in seen for node in ast.walk(stmt)):
                    return None
                found.append(stmt)
                continue
            found.append(self.checks(name))
            seen.append(name)
            del waiting[name]
            if not waiting:
                found += [self.apart()] if len(self.makers) + len(self.inputs) > 1 else []
                zeros = [one for one, maker in self.makers.items() if is_cleared(maker)]
                found += [ast.Expr(call(ast.Attribute(loaded(one), "fill", LOAD), ast.Constant(0.0))) for one in zeros]
        return found


def targets_of(
    value: ast.expr,
    body: Sequence[ast.stmt],
    stores: Mapping[str, int],
    inputs: Sequence[str],
    constant: Constant,
    giving_up: ast.stmt,
) -> Targets | None:
    """The arrays of the result `value` of `body`, each made by a statement of its own; ``None`` where one is not.

    `stores` says how often a name is assigned.
    """
    makers: dict[str, ast.Call] = {}
    for stmt in body:
        name = maker_of(stmt)
        if name is not None:
            assert isinstance(stmt, ast.Assign)
            assert isinstance(stmt.value, ast.Call)
            makers[name] = stmt.value
    names = [node.id for part in parts_of(value) if isinstance(node := part, ast.Name)]
    if any(name in stores for name in inputs):
        return None
    if not names or len({*names}) < len(names) or any(name not in makers or stores[name] > 1 for name in names):
        return None
    if any(isinstance(part, ast.List | ast.Dict) for part in parts_of(value)):
        return None
    return Targets({name: makers[name] for name in names}, inputs, constant, giving_up)


def maker_of(stmt: ast.stmt) -> str | None:
    """The name of the array of floats that this statement makes, if it does no more."""
    match stmt:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "empty" | "zeros"), [_], [])):
            return name
        case _:
            return None


def base_of(name: str) -> ast.expr:
    """``name.base``: the array that has the memory of one that has none."""
    return ast.Attribute(loaded(name), "base", LOAD)


def owns(array: ast.expr) -> ast.expr:
    """Whether `array` has its own memory."""
    return ast.Attribute(ast.Attribute(array, "flags", LOAD), "owndata", LOAD)


def is_cleared(maker: ast.Call) -> bool:
    """Whether it makes zeros."""
    return isinstance(maker.func, ast.Attribute) and maker.func.attr == "zeros"


def parts_of(value: ast.expr) -> Iterator[ast.expr]:
    """What tuples in `value` hold."""
    if isinstance(value, ast.Tuple):
        for item in value.elts:
            yield from parts_of(item)
    else:
        yield value
