"""Programs nobody wrote: aliases, views, writes and rebindings in random order inside loops and branches.

Each statement of the functions in `tests.templates` is a template: a program is a random tree of them with their
names exchanged.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import linecache
import math
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.templates import matrices, scalars, vectors

ARRAYS = ("x", "p", "q", "r")
NUMBERS = ("a", "b")


def templates(function: Callable[..., Any]) -> tuple[ast.stmt, ...]:
    """Return the statements of a function's body."""
    tree = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tuple(tree.body[1:])


@dataclass(frozen=True)
class Family:
    """Templates that go together, and a helper that they call."""

    simple: Sequence[ast.stmt]
    blocks: Sequence[ast.stmt]
    frame: Sequence[ast.stmt]
    helper: Callable[..., Any]


def family(module: types.ModuleType) -> Family:
    """Return the templates of a module."""
    return Family(templates(module.simple), templates(module.blocks), templates(module.frame), module.helper)


SCALARS, VECTORS, MATRICES = family(scalars), family(vectors), family(matrices)


class Filled(ast.NodeTransformer):
    """A template with its names exchanged and its ``...`` statements replaced."""

    def __init__(self, names: dict[str, str], draw: Callable[[], list[ast.stmt]]) -> None:
        self.names = names
        self.draw = draw

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.AST:
        if isinstance(node.value, ast.Constant) and node.value.value is Ellipsis:
            return self.draw()
        return self.generic_visit(node)


def filled(template: ast.stmt, names: dict[str, str], draw: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
    """Return the statements that `template` becomes."""
    result = Filled(names, draw).visit(copy.deepcopy(template))
    return result if isinstance(result, list) else [result]


@st.composite
def bodies(draw: st.DrawFn, of: Family, depth: int = 0) -> list[ast.stmt]:
    """Draw a list of statements."""
    statements: list[ast.stmt] = []
    for _ in range(draw(st.integers(1, 4))):
        nested = depth < 2 and draw(st.integers(0, 3)) == 0
        template = draw(st.sampled_from(of.blocks if nested else of.simple))
        arrays = draw(st.permutations(ARRAYS))
        numbers = draw(st.permutations(NUMBERS))
        names = dict(zip("uvw", arrays, strict=False)) | dict(zip("st", numbers, strict=True))
        statements += filled(template, names, lambda: draw(bodies(of, depth + 1)))
    return statements


@st.composite
def programs(draw: st.DrawFn, of: Family) -> str:
    """Draw the source of a program `program(x, a, n)`."""
    body = [piece for statement in of.frame for piece in filled(statement, {}, lambda: draw(bodies(of)))]
    arguments = ast.arguments([], [ast.arg(name) for name in ("x", "a", "n")], None, [], [], None, [])
    function = ast.FunctionDef("program", arguments, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(function, "type_params", [])  # noqa: B010 - Python 3.12 and later
    return ast.unparse(ast.fix_missing_locations(ast.Module([function], []))) + "\n"


COUNT = itertools.count()


def compiled(text: str, of: Family) -> Callable[..., Any]:
    """Return the function `program` of a source text, which `inspect` can find."""
    file = f"<random program {next(COUNT)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"math": math, "np": np, "helper": of.helper, "__name__": "random_program"}
    exec(compile(text, file, "exec"), namespace)
    program: Callable[..., Any] = namespace["program"]
    return program
