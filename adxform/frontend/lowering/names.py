"""What names a piece of syntax binds and reads, and where control may leave it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gast

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
SCOPES = (*_FUNCTIONS, gast.ClassDef)
_LEAVES = (gast.Constant, gast.expr_context, gast.operator, gast.unaryop, gast.boolop, gast.cmpop)


def walk_scope(nodes: Sequence[Any]) -> Iterator[Any]:
    """Every node of `nodes` in order, without the bodies of nested functions and classes."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, SCOPES):
            outside = [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())]
            if isinstance(node, _FUNCTIONS):
                outside += [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
            stack += reversed(outside)
        elif not isinstance(node, _LEAVES):
            stack += reversed(list(gast.iter_child_nodes(node)))


def bindings(walked: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Each name that nodes bind in their own scope, which is `walked`, with the node that binds it, in order."""
    inside: set[int] = set()  # targets of comprehensions, which have a scope of their own
    for node in walked:
        match node:
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                inside.update(id(name) for part in node.generators for name in gast.walk(part.target))
            case gast.Name(ctx=gast.Store() | gast.Del()) if id(node) not in inside:
                yield node.id, node
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
                yield node.name, node
            case gast.MatchAs(name=str() as name) | gast.MatchStar(name=str() as name) | gast.MatchMapping(rest=str() as name):
                yield name, node
            case gast.Import() | gast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0], node
            case _:
                pass


def bound_names(nodes: Sequence[Any]) -> dict[str, None]:
    """The names that `nodes` bind in their own scope, in order of first binding."""
    return dict.fromkeys(name for name, _ in bindings(walk_scope(nodes)))


def parameters(args: gast.arguments) -> list[tuple[gast.Name, str, gast.AST | None]]:
    """Each parameter with its `inspect` kind and its default, in signature order."""
    positional = [(arg, "POSITIONAL_ONLY") for arg in args.posonlyargs] + [(arg, "POSITIONAL_OR_KEYWORD") for arg in args.args]
    missing = [None] * (len(positional) - len(args.defaults))
    found: list[tuple[gast.Name, str, gast.AST | None]] = [
        (arg, kind, default) for (arg, kind), default in zip(positional, [*missing, *args.defaults], strict=True)
    ]
    if args.vararg is not None:
        found.append((args.vararg, "VAR_POSITIONAL", None))
    found += [(arg, "KEYWORD_ONLY", default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    if args.kwarg is not None:
        found.append((args.kwarg, "VAR_KEYWORD", None))
    return found


def body_of(fn: gast.FunctionDef | gast.Lambda) -> list[Any]:
    """The statements of a ``def``; the expression of a ``lambda`` as a list."""
    return [fn.body] if isinstance(fn, gast.Lambda) else list(fn.body)


def local_names(fn: gast.FunctionDef | gast.Lambda) -> dict[str, None]:
    """The names that belong to `fn` itself: its parameters and what its body binds, less its ``global`` names."""
    body = body_of(fn)
    names = dict.fromkeys(arg.id for arg, _, _ in parameters(fn.args)) | bound_names(body)
    for node in walk_scope(body):
        if isinstance(node, gast.Global | gast.Nonlocal):
            for name in node.names:
                names.pop(name, None)
    return names


def free_names(fn: gast.FunctionDef | gast.Lambda) -> dict[str, None]:
    """The names that `fn`, or a function inside it, reads from outside, in order of first use."""
    own = local_names(fn)
    found: dict[str, None] = {}
    inside: dict[int, None] = {}
    for node in walk_scope(body_of(fn)):
        match node:
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                targets = {name.id for part in node.generators for name in gast.walk(part.target) if isinstance(name, gast.Name)}
                outside = {id(name) for name in gast.walk(node.generators[0].iter)}
                names = (name for name in gast.walk(node) if isinstance(name, gast.Name) and id(name) not in outside)
                inside.update(dict.fromkeys(id(name) for name in names if name.id in targets))
            case gast.Nonlocal(names=names):
                found.update(dict.fromkeys(names))
            case gast.Name(ctx=gast.Load()) if node.id not in own and id(node) not in inside:
                found.setdefault(node.id)
            case gast.FunctionDef() | gast.Lambda():
                found.update(dict.fromkeys(name for name in free_names(node) if name not in own and name not in found))
            case _:
                pass
    return found


def exits(node: Any) -> bool:
    """Whether a ``return``, ``break`` or ``continue`` may leave the statement `node` for what surrounds it."""
    stack: list[tuple[Any, bool]] = [(node, False)]
    while stack:
        inner, in_loop = stack.pop()
        match inner:
            case gast.Return():
                return True
            case gast.Break() | gast.Continue():
                if not in_loop:
                    return True
            case gast.If() | gast.With() | gast.Try() | gast.ExceptHandler() | gast.Match() | gast.match_case():
                stack.extend((child, in_loop) for child in gast.iter_child_nodes(inner))
            case gast.For() | gast.While():
                stack.extend((child, True) for child in inner.body)
                stack.extend((child, in_loop) for child in inner.orelse)
            case _:
                pass
    return False


def breaks(loop: gast.For | gast.While) -> bool:
    """Whether a ``break`` belongs to `loop`."""
    stack: list[Any] = list(loop.body)
    while stack:
        inner = stack.pop()
        match inner:
            case gast.Break():
                return True
            case gast.If() | gast.With() | gast.Try() | gast.ExceptHandler() | gast.Match() | gast.match_case():
                stack.extend(gast.iter_child_nodes(inner))
            case gast.For() | gast.While():
                stack.extend(inner.orelse)
            case _:
                pass
    return False


def is_endless(node: Any) -> bool:
    """Whether `node` is ``while True``."""
    return isinstance(node, gast.While) and isinstance(node.test, gast.Constant) and bool(node.test.value)


def is_irrefutable(case: Any) -> bool:
    """Whether a ``case`` is taken whatever the subject is."""
    pattern = case.pattern
    while isinstance(pattern, gast.MatchOr | gast.MatchAs) and case.guard is None:
        inner = pattern.patterns[-1] if isinstance(pattern, gast.MatchOr) else pattern.pattern
        if inner is None:
            return True
        pattern = inner
    return False


def leaves(body: Sequence[Any]) -> bool:
    """Whether control never reaches the end of `body`."""
    for node in body:
        match node:
            case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
                return True
            case gast.If() if leaves(node.body) and leaves(node.orelse):
                return True
            case gast.While() if is_endless(node) and not breaks(node):
                return True
            case gast.With() if leaves(node.body):
                return True
            case gast.Match() if is_irrefutable(node.cases[-1]) and all(leaves(case.body) for case in node.cases):
                return True
            case _:
                pass
    return False
