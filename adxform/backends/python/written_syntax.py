"""Python's syntax in few words, for functions that are written for one signature."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

LOAD, STORE = ast.Load(), ast.Store()


class Measured(ast.NodeTransformer):
    """Has the lengths of arrays read from the variables that hold them."""

    def __init__(self, lengths: Mapping[str, Sequence[str]]) -> None:
        self.lengths = lengths

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``x.shape[1]``: the variable."""
        match node:
            case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(int() as axis)) if name in self.lengths:
                return loaded(self.lengths[name][axis])
            case _:
                self.generic_visit(node)
                return node


class Found(ast.NodeTransformer):
    """Has what `modules` hold, by the names that they go by, found ahead of the call: `constant` says where it is then."""

    def __init__(self, modules: Mapping[str, ModuleType], constant: Callable[[str, Any], ast.expr]) -> None:
        self.modules, self.constant = modules, constant

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``np.empty``: a variable."""
        match node:
            case ast.Attribute(ast.Name(name), attr, ast.Load()) if name in self.modules:
                return self.constant(attr, getattr(self.modules[name], attr))
            case _:
                self.generic_visit(node)
                return node


def loaded(name: str) -> ast.expr:
    """The variable `name`."""
    return ast.Name(name, LOAD)


def call(fn: ast.expr, *args: ast.expr) -> ast.expr:
    """``fn(*args)``"""
    return ast.Call(fn, [*args], [])


def compare(left: ast.expr, kind: type[ast.cmpop], right: ast.expr) -> ast.expr:
    """A comparison."""
    return ast.Compare(left, [kind()], [right])


def different(left: ast.expr, right: ast.expr) -> ast.expr:
    """``left != right``"""
    return compare(left, ast.NotEq, right)


def negated(test: ast.expr) -> ast.expr:
    """``not test``"""
    return ast.UnaryOp(ast.Not(), test)


def either(tests: Sequence[ast.expr]) -> ast.expr:
    """Whether one of `tests` is true."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), [*tests])
