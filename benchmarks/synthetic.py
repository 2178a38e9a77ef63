"""Functions of any length, depth and order, written as syntax trees and saved as modules so that they have source."""

from __future__ import annotations

import ast
import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = tempfile.TemporaryDirectory(prefix="adxform-bench-", ignore_cleanup_errors=True)


def load(name: str, body: list[ast.stmt]) -> Callable[..., Any]:
    """Return ``def name(x)`` with the given body, imported from a file of its own."""
    parameter = ast.arguments([], [ast.arg("x")], None, [], [], None, [])
    function = ast.FunctionDef(name, parameter, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        function.type_params = []
    module = ast.Module([ast.Import([ast.alias("numpy", "np")]), function], [])
    path = Path(FOLDER.name) / f"{name}.py"
    path.write_text(ast.unparse(ast.fix_missing_locations(module)) + "\n")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    found: Callable[..., Any] = getattr(loaded, name)
    return found


def variable(name: str) -> ast.Name:
    """Return a use of a variable."""
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """Return ``name = value``."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def numpy_call(function: str, argument: ast.expr) -> ast.expr:
    """Return ``np.function(argument)``."""
    return ast.Call(ast.Attribute(variable("np"), function, ast.Load()), [argument], [])


def straight_line(statements: int) -> Callable[..., Any]:
    """Return a function of that many assignments, each ``v_k = np.sin(v_{k-1}) + 0.5 * v_{k-3}``: three operations."""
    names = ["x"]
    body: list[ast.stmt] = []
    for k in range(1, statements + 1):
        recent = numpy_call("sin", variable(names[-1]))
        earlier = ast.BinOp(ast.Constant(0.5), ast.Mult(), variable(names[max(0, len(names) - 3)]))
        names.append(f"v{k}")
        body.append(assign(names[-1], ast.BinOp(recent, ast.Add(), earlier)))
    return load(f"straight_{statements}", [*body, ast.Return(numpy_call("sum", variable(names[-1])))])


def nested_loops(depth: int) -> Callable[..., Any]:
    """Return a function of `depth` loops over the elements of `x`, one in another, each updating one carried number."""
    element = ast.Subscript(variable("x"), variable(f"i{depth}"), ast.Load())
    product = ast.BinOp(ast.BinOp(variable("total"), ast.Mult(), ast.Constant(0.5)), ast.Add(), numpy_call("sin", element))
    body: list[ast.stmt] = [assign("total", ast.BinOp(product, ast.Mult(), element))]
    for level in range(depth, 0, -1):
        size = ast.Subscript(ast.Attribute(variable("x"), "shape", ast.Load()), ast.Constant(0), ast.Load())
        loop = ast.For(ast.Name(f"i{level}", ast.Store()), ast.Call(variable("range"), [size], []), body, [])
        body = [loop]
    return load(f"nested_{depth}", [assign("total", ast.Constant(0.0)), *body, ast.Return(variable("total"))])
