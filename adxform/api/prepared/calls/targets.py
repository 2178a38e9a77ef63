"""A straight call that writes its result into arrays of the caller's, where it would make them.

    x_ct = empty(n)    # if type(x_ct) is not ndarray or x_ct.dtype is not dtype or x_ct.shape != (n,): …

What a kernel makes goes there afterwards:

    x_ct = kernel(x)
    out[...] = x_ct
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.backends.python.written_syntax import LOAD, STORE, call, compare, different, either, loaded, negated
from adxform.runtime.dispatch.execution import overlap

Constant = Callable[[str, Any], ast.expr]


@dataclass(frozen=True, slots=True)
class Target:
    """Where an array of the result goes: the variable `name`, which holds the caller's, and the argument that is `like` it.

    `maker` is what would make it. Where there is none, it is copied from the variable `made`.
    """

    name: str
    made: str
    like: str
    maker: ast.Call | None


@dataclass(frozen=True, slots=True)
class Targets:
    """The arrays of a result; `inputs` are those that it is computed from."""

    found: Sequence[Target]
    inputs: Sequence[str]
    fresh: Callable[[str], str]
    constant: Constant
    giving_up: ast.stmt

    def refuse(self, *tests: ast.expr) -> ast.stmt:
        """Give up where one of `tests` is true."""
        return ast.If(either(tests), [self.giving_up], [])

    def returned(self, value: ast.expr) -> ast.expr:
        """The result `value`, in the caller's arrays."""
        match value:
            case ast.Name(name):
                return loaded(next((target.name for target in self.found if target.made == name), name))
            case ast.Tuple(items):
                return ast.Tuple([self.returned(item) for item in items], LOAD)
            case _:
                return value

    def taken(self, source: ast.expr, value: ast.expr) -> Iterator[ast.stmt]:
        """Take `source`, the caller's, which is to be like what is `returned`: arrays, tuples, ``None`` for what is neither."""
        match value:
            case ast.Name(name) if self.is_target(name):
                yield ast.Assign([ast.Name(name, STORE)], source)
            case ast.Tuple(items):
                cls = call(loaded("type"), source)
                wrong = compare(cls, ast.IsNot, self.constant("tuple", tuple))
                yield self.refuse(wrong, different(call(loaded("len"), source), ast.Constant(len(items))))
                parts = [
                    item.id if isinstance(item, ast.Name) and self.is_target(item.id) else self.fresh("part") for item in items
                ]
                yield ast.Assign([ast.Tuple([ast.Name(part, STORE) for part in parts], STORE)], source)
                for part, item in zip(parts, items, strict=True):
                    if not isinstance(item, ast.Name) or item.id != part:
                        yield from self.taken(loaded(part), item)
            case _:
                yield self.refuse(compare(source, ast.IsNot, ast.Constant(None)))

    def is_target(self, name: str) -> bool:
        """Whether the variable `name` holds an array of the caller's."""
        return any(target.name == name for target in self.found)

    def checks(self, target: Target) -> ast.stmt:
        """Give up where the caller's array is not like that of the result.

        Where machine code writes to it, that sees to it that it lies row by row and can be written to.
        """
        value = loaded(target.name)
        wrong = [compare(call(loaded("type"), value), ast.IsNot, self.constant("ndarray", np.ndarray))]
        if target.maker is not None:
            shape = target.maker.args[0]
            lengths: ast.expr = shape if isinstance(shape, ast.Tuple) else ast.Tuple([shape], LOAD)
        else:
            lengths = ast.Attribute(loaded(target.like), "shape", LOAD)
            wrong += [negated(ast.Attribute(ast.Attribute(value, "flags", LOAD), flag, LOAD)) for flag in ("writeable", "forc")]
        return self.refuse(
            *wrong,
            compare(ast.Attribute(value, "dtype", LOAD), ast.IsNot, self.constant("dtype", np.dtype(float))),
            different(ast.Attribute(value, "shape", LOAD), lengths),
        )

    def apart(self) -> Iterator[ast.stmt]:
        """Give up where an array shares memory with an input or another one.

        None does where each has its own memory, and each input its own or another array's: that is quickly told.
        """
        targets, owners = [target.name for target in self.found], []
        for name in self.inputs:
            owners.append(owner := self.fresh("owner"))
            base = ast.Attribute(loaded(name), "base", LOAD)
            yield ast.Assign([ast.Name(owner, STORE)], base)
            yield ast.If(
                compare(loaded(owner), ast.Is, ast.Constant(None)), [ast.Assign([ast.Name(owner, STORE)], loaded(name))], []
            )
        pairs = [(target, other) for i, target in enumerate(targets) for other in (*self.inputs, *targets[:i])]
        tests = [owns(loaded(name)) for name in (*targets, *owners)]
        tests += [
            compare(loaded(target), ast.IsNot, loaded(other))
            for i, target in enumerate(targets)
            for other in (*owners, *targets[:i])
        ]
        closer = either([call(self.constant("overlap", overlap), loaded(one), loaded(other)) for one, other in pairs])
        quick = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        yield self.refuse(ast.BoolOp(ast.And(), [negated(quick), closer]))

    def in_place(self, body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
        """`body` with checks in the place of what makes the arrays, which are cleared once all fit; others are copied at its end.

        ``None`` where that is too late.
        """
        copied = [target for target in self.found if target.maker is None]
        found = [self.checks(target) for target in copied]
        waiting, seen = {target.name: target for target in self.found if target.maker is not None}, list[str]()
        if not waiting:
            found += self.settled()
        for stmt in body:
            name = maker_of(stmt)
            if name not in waiting:
                if waiting and any(isinstance(node, ast.Name) and node.id in seen for node in ast.walk(stmt)):
                    return None
                found.append(stmt)
                continue
            found.append(self.checks(waiting.pop(name)))
            seen.append(name)
            if not waiting:
                found += self.settled()
        whole = ast.Constant(...)
        return found + [ast.Assign([ast.Subscript(loaded(target.name), whole, STORE)], loaded(target.made)) for target in copied]

    def settled(self) -> Iterator[ast.stmt]:
        """What there is to do once the caller's arrays are known to be like those of the result."""
        if len(self.found) + len(self.inputs) > 1:
            yield from self.apart()
        for target in self.found:
            if target.maker is not None and is_cleared(target.maker):
                yield ast.Expr(call(ast.Attribute(loaded(target.name), "fill", LOAD), ast.Constant(0.0)))


def targets_of(
    value: ast.expr,
    body: Sequence[ast.stmt],
    stores: Mapping[str, int],
    inputs: Sequence[str],
    like: Mapping[str, str],
    fresh: Callable[[str], str],
    constant: Constant,
    giving_up: ast.stmt,
) -> Targets | None:
    """Where the arrays of the result `value` of `body` go, each a variable that is like an argument; ``None`` where one is none.

    `stores` says how often a name is assigned.
    """
    makers: dict[str, ast.Call] = {}
    for stmt in body:
        name = maker_of(stmt)
        if name is not None and stores[name] == 1:
            assert isinstance(stmt, ast.Assign)
            assert isinstance(stmt.value, ast.Call)
            makers[name] = stmt.value
    parts = [*parts_of(value)]
    names = [part.id for part in parts if isinstance(part, ast.Name) and part.id in like]
    if any(name in stores for name in inputs) or not names or len({*names}) < len(names):
        return None
    if any(isinstance(part, ast.List | ast.Dict) for part in parts):
        return None
    found = [Target(name if name in makers else fresh("out"), name, like[name], makers.get(name)) for name in names]
    return Targets(found, inputs, fresh, constant, giving_up)


def maker_of(stmt: ast.stmt) -> str | None:
    """The name of the array of floats that this statement makes, if it does no more."""
    match stmt:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "empty" | "zeros"), [_], [])):
            return name
        case _:
            return None


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
