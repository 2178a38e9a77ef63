"""Context managers that a function makes by `contextlib.contextmanager`, written out in the place of their ``with``.

with scaled(s) as z:                    v = s
    y = x * z                           try:
                                            z = v * 2          # where the generator has its `yield`
of a `scaled` that does                     y = x * z
    try:                                finally:
        yield v * 2                         used.append(v)
    finally:
        used.append(v)

So what the body raises is for the handlers around the ``yield``, as in Python. A generator is written out that has one ``yield``,
in no loop and no branch; and the body may be left only where nothing comes after that but a ``finally``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from adxform.frontend.lowering.names import SCOPES, bound_names, exits, local_names, parameters, walk_scope

OTHERS = (
    gast.Return,
    gast.YieldFrom,
    gast.Global,
    gast.Import,
    gast.ImportFrom,
    gast.ClassDef,
    gast.AsyncFunctionDef,
    gast.Await,
)


STOPS = ("StopIteration", "next")
"""What raises, or catches, what is another exception once it leaves a generator."""


class IsContextManager(gast.Expr):  # type: ignore[misc]
    """A statement in the place of a manager that was written out: its decorator is that of `contextlib`."""


def written_out(node: Any) -> Any:
    """`node`, a function, with each manager written out that it makes and only enters, and so in the functions inside it."""
    if not any(map(_is_decorated, gast.walk(node))):
        return node
    node = copy.deepcopy(node)
    for inner in [one for one in gast.walk(node) if isinstance(one, gast.FunctionDef)]:
        _write_out(inner)
    return node


def _is_decorated(node: Any) -> bool:
    if not isinstance(node, gast.FunctionDef) or len(node.decorator_list) != 1:
        return False
    return gast.dump(node.decorator_list[0]).count("'contextmanager'") == 1 and not isinstance(node.decorator_list[0], gast.Call)


def _write_out(fn: gast.FunctionDef) -> None:
    for block in list(_blocks(fn)):
        for made in [one for one in block if _is_decorated(one)]:
            after = block[block.index(made) + 1 :]
            if _is_only_entered(fn, made, after) and _fits(fn, made):
                _Entering(made).visit(fn)
                block[block.index(made)] = gast.copy_location(IsContextManager(value=made.decorator_list[0]), made)


def _blocks(fn: gast.FunctionDef) -> Iterator[list[Any]]:
    """The lists of statements of `fn`: its body, and those inside of the statements there."""
    yield fn.body
    for one in walk_scope(fn.body):
        for _, inner in () if isinstance(one, SCOPES) else gast.iter_fields(one):
            if isinstance(inner, list) and inner and isinstance(inner[0], gast.stmt):
                yield inner


def _managers(fn: gast.FunctionDef, made: gast.FunctionDef) -> list[tuple[gast.With, list[Any]]]:
    """Each ``with`` of `fn` that enters `made`, with its items that do."""
    managers = [one for one in walk_scope(fn.body) if isinstance(one, gast.With)]
    found = [(one, [item for item in one.items if _enters(item, made.name)]) for one in managers]
    return [(one, items) for one, items in found if items]


def _is_only_entered(fn: gast.FunctionDef, made: gast.FunctionDef, after: list[Any]) -> bool:
    """Whether the name of `made` is bound once in `fn`, and read only where a ``with`` of the statements `after` it enters it."""
    names = [one for one in gast.walk(fn) if isinstance(one, gast.Name) and one.id == made.name]
    once = list(bound_names(fn.body)).count(made.name) == 1 and made.name not in (arg.id for arg, _, _ in parameters(fn.args))
    managers, reached = _managers(fn, made), {id(one) for one in walk_scope(after)}
    entered = sum(len(items) for manager, items in managers if id(manager) in reached)
    return once and len(names) == entered and all(isinstance(name.ctx, gast.Load) for name in names)


def _fits(fn: gast.FunctionDef, made: gast.FunctionDef) -> bool:
    """Whether `made` can be written out wherever `fn` enters it."""
    plain, managers = _plain_yield(made), _managers(fn, made)
    if plain is None or not _is_own_of(fn, made) or _may_lack_variables(made):
        return False
    if any(_arguments(made, item.context_expr) is None for _, items in managers for item in items):
        return False
    return plain or not any(exits(one) for manager, _ in managers for one in manager.body)


def _may_lack_variables(made: gast.FunctionDef) -> bool:
    """Whether a variable of `made` may have no value where it is read: written out, it would have that of the time before."""
    shared = {name for one in walk_scope(made.body) if isinstance(one, gast.Nonlocal) for name in one.names}
    return bool(set(bound_names(made.body)) - set(_surely_bound(made.body)) - shared)


def _surely_bound(body: Sequence[Any]) -> Iterator[str]:
    """The names that `body` binds on every path on which they may be read."""
    for one in body:
        match one:
            case gast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=last):
                nodes = walk_scope([*handlers, *last])
                elsewhere = {part.id for part in nodes if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Load)}
                yield from (name for name in _surely_bound([*inner, *orelse]) if name not in elsewhere)
                yield from _surely_bound(last)
                yield from (handler.name.id for handler in handlers if handler.name is not None)
            case gast.With(body=inner, items=items):
                yield from bound_names(items)
                yield from _surely_bound(inner)
            case gast.If() | gast.For() | gast.While() | gast.Match():
                continue
            case _:
                yield from bound_names([one])


def _enters(item: Any, name: str) -> bool:
    call = item.context_expr
    return isinstance(call, gast.Call) and isinstance(call.func, gast.Name) and call.func.id == name


def _is_own_of(fn: gast.FunctionDef, made: gast.FunctionDef) -> bool:
    """Whether all variables that the generator `made` shares by ``nonlocal`` are those of `fn`."""
    shared = [name for one in walk_scope(made.body) if isinstance(one, gast.Nonlocal) for name in one.names]
    return set(shared) <= set(local_names(fn))


def _is_plain(made: gast.FunctionDef) -> bool:
    """Whether `made` takes parameters by their names, and has one ``yield`` and nothing that leaves it otherwise."""
    defaults = [*made.args.defaults, *(one for one in made.args.kw_defaults if one is not None)]
    if made.args.vararg or made.args.kwarg or not all(isinstance(one, gast.Constant) for one in defaults):
        return False
    inside = list(walk_scope(made.body))
    others = any(isinstance(one, OTHERS) or (isinstance(one, gast.Name) and one.id in STOPS) for one in inside)
    return not others and sum(isinstance(one, gast.Yield) for one in inside) == 1


def _plain_yield(made: gast.FunctionDef) -> bool | None:
    """Whether nothing comes after the one ``yield`` but what a ``finally`` does; ``None`` where `made` is not written out."""
    if not _is_plain(made):
        return None
    plain, body = True, list(made.body)
    while True:
        place = next((k for k, one in enumerate(body) if any(isinstance(part, gast.Yield) for part in gast.walk(one))), None)
        if place is None:
            return None
        plain = plain and place == len(body) - 1
        match body[place]:
            case gast.Expr(value=gast.Yield()):
                return plain
            case gast.Try(body=inner, orelse=orelse):
                plain, body = plain and not orelse, list(inner)
            case gast.With(body=inner):
                body = list(inner)
            case _:
                return None


def _arguments(made: gast.FunctionDef, call: gast.Call) -> list[tuple[str, Any]] | None:
    """Each parameter of a generator with what a call gives for it; ``None`` where the call does not fit, or has ``*`` in it."""
    if any(isinstance(one, gast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    places = [(arg.id, kind, default) for arg, kind, default in parameters(made.args)]
    positional = [name for name, kind, _ in places if kind != "KEYWORD_ONLY"]
    given: dict[str, Any] = dict(zip(positional, call.args, strict=False))
    named = {one.arg: one.value for one in call.keywords}
    by_name = {name for name, kind, _ in places if kind != "POSITIONAL_ONLY"}
    if len(call.args) > len(positional) or given.keys() & named.keys() or not named.keys() <= by_name:
        return None
    given = {**given, **named}
    missing = {name: default for name, _, default in places if name not in given}
    return None if None in missing.values() else [*given.items(), *missing.items()]


class _Entering(gast.NodeTransformer):  # type: ignore[misc]
    """Writes out the generator `made` where a ``with`` enters it."""

    def __init__(self, made: gast.FunctionDef) -> None:
        self.made = made
        self.count = 0

    def visit_FunctionDef(self, node: Any) -> Any:
        return node if node is self.made else self.generic_visit(node)

    def visit_With(self, node: Any) -> Any:
        self.generic_visit(node)
        item, *others = node.items
        if others and any(_enters(one, self.made.name) for one in node.items):
            inner = gast.copy_location(gast.With(others, node.body, None), node)
            found = self.visit_With(inner)
            node = gast.copy_location(gast.With([item], found if isinstance(found, list) else [found], None), node)
        return self._in_place(node, item) if _enters(item, self.made.name) else node

    def _in_place(self, node: Any, item: Any) -> list[Any]:
        self.count += 1
        shared = {name for one in walk_scope(self.made.body) if isinstance(one, gast.Nonlocal) for name in one.names}
        names = {name: f"{self.made.name}_{self.count}_{name}" for name in local_names(self.made) if name not in shared}
        given = _arguments(self.made, item.context_expr) or []
        made = [_assigned(gast.Name(names[name], gast.Store(), None, None), value, item.context_expr) for name, value in given]
        body = [_Renaming(names).visit(copy.deepcopy(one)) for one in self.made.body]
        for one in (inner for statement in (*made, *body) for inner in gast.walk(statement)):
            if isinstance(one, gast.Name) and not isinstance(one.ctx, gast.Load):  # functions made before the end see it change
                one.lineno = one.end_lineno = node.end_lineno
                one.col_offset = one.end_col_offset = node.end_col_offset
        return [*made, *_with_body(body, item, node.body)]


class _Renaming(gast.NodeTransformer):  # type: ignore[misc]
    """Gives the variables of a generator other `names`, in the functions inside it too."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: Any) -> Any:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Nonlocal(self, node: Any) -> Any:
        return gast.copy_location(gast.Pass(), node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return self._inside(node)

    def visit_Lambda(self, node: Any) -> Any:
        return self._inside(node)

    def _inside(self, node: Any) -> Any:
        own = local_names(node)
        if isinstance(node, gast.FunctionDef):
            node.name = self.names.get(node.name, node.name)
        return _Renaming({name: other for name, other in self.names.items() if name not in own}).generic_visit(node)


def _with_body(statements: Sequence[Any], item: Any, body: list[Any]) -> Iterator[Any]:
    """`statements` with the body of a ``with`` where they have the ``yield``."""
    for one in statements:
        match one:
            case gast.Expr(value=gast.Yield(value=value)):
                value = gast.copy_location(gast.Constant(None, None), one) if value is None else value
                target = item.optional_vars
                yield gast.copy_location(gast.Expr(value), one) if target is None else _assigned(target, value, one)
                yield from body
            case gast.Try() | gast.With():
                one.body = list(_with_body(one.body, item, body))
                yield one
            case _:
                yield one


def _assigned(target: Any, value: Any, at: Any) -> Any:
    made = gast.copy_location(gast.Assign([target], value, None), at)
    return gast.fix_missing_locations(made)
