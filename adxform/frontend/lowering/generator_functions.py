"""Generator functions, as functions that make a generator of two others: its body for a walk to the end, and for a part of one.

``yield v`` is ``yielded(v)``, a call that gives `v` to whoever walks over the generator and says whether the walk goes on. In a
body that may be left it is ``if not yielded(v): return``, so that all that holds of a ``return`` holds of it.
"""

from __future__ import annotations

import copy
from typing import Any, Literal

import gast

from adxform.frontend.lowering.names import SCOPES, body_of, parameters, walk_scope
from adxform.ir import intrinsics

Walk = Literal["", "whole", "part"]
"""Which body of a generator a function is: for a walk to its end, or for one that may be left; or none."""

_ITEM = "?item"


def is_generator(node: Any) -> bool:
    """Whether a definition is that of a generator function."""
    yields = (gast.Yield, gast.YieldFrom)
    return isinstance(node, gast.FunctionDef) and any(isinstance(inner, yields) for inner in walk_scope(body_of(node)))


def shell_of(node: gast.FunctionDef) -> gast.FunctionDef:
    """The function that makes the generator: with the parameters of `node`, and nothing in it."""
    shell: gast.FunctionDef = copy.copy(node)
    shell.body = []
    return shell


def walked_body(node: gast.FunctionDef, walk: Walk) -> gast.FunctionDef:
    """The body of a generator as a function of the values of its parameters, for a `walk`."""
    args = gast.arguments([arg for arg, _, _ in parameters(node.args)], [], None, [], [], None, [])
    made: gast.FunctionDef = copy.copy(node)
    made.args, made.decorator_list = args, []
    made.body = _Yields(walk).statements(copy.deepcopy(node.body))
    return made


def as_function(node: gast.GeneratorExp) -> gast.Lambda:
    """A generator expression as the function that Python makes of it: of what its outermost loop goes through."""
    outermost, *inside = node.generators
    source, given = gast.Name("?source", gast.Param(), None, None), gast.Name("?source", gast.Load(), None, None)
    first = gast.comprehension(outermost.target, given, outermost.ifs, outermost.is_async)
    inner = gast.GeneratorExp(node.elt, [first, *inside])
    function = gast.Lambda(gast.arguments([source], [], None, [], [], None, []), inner)
    for made in (source, given, first, inner, function):
        gast.copy_location(made, node)
    return function


class _Yields(gast.NodeTransformer):  # type: ignore[misc]
    """Writes ``yield`` as a call, where it is a statement or its value is assigned to a name: no one sends it any."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def statements(self, body: list[Any]) -> list[Any]:
        """What becomes of the statements of a body."""
        found: list[Any] = []
        for node in body:
            new = self.visit(node)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_Expr(self, node: gast.Expr) -> Any:
        """``yield v`` and ``yield from source``"""
        match node.value:
            case gast.Yield(value=value):
                return self._given(node, value)
            case gast.YieldFrom(value=source):
                item, target = gast.Name(_ITEM, gast.Load(), None, None), gast.Name(_ITEM, gast.Store(), None, None)
                loop = gast.For(target, source, [self._given(node, item)], [], None)
                for made in (item, target, loop):
                    gast.copy_location(made, node.value)
                return loop
            case _:
                return node

    def visit_Assign(self, node: gast.Assign) -> Any:
        """``name = yield v``: nothing is sent, so that it is ``None``."""
        match node:
            case gast.Assign(targets=[gast.Name()], value=gast.Yield(value=value)):
                none = gast.copy_location(gast.Constant(None, None), node)
                return [self._given(node, value), gast.copy_location(gast.Assign(node.targets, none, None), node)]
            case _:
                return node

    def visit(self, node: Any) -> Any:
        """Functions and classes inside have statements of their own."""
        return node if isinstance(node, SCOPES) else super().visit(node)

    def _given(self, node: Any, value: Any) -> Any:
        none, fn = gast.Constant(None, None), gast.Constant(intrinsics.yielded, None)
        call = gast.Call(fn, [none if value is None else value], [])
        no, back = gast.UnaryOp(gast.Not(), call), gast.Return(None)
        given = gast.Expr(call) if self.walk == "whole" else gast.If(no, [back], [])
        for made in (none, fn, call, no, back, given):
            gast.copy_location(made, node)
        return given
