"""The syntax of a function that was generated, for what is put together with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from adxform.backends.protocol import FastPathCode, Host
from adxform.backends.python.emit import Generated


def function_of(generated: Generated) -> ast.FunctionDef:
    """The syntax of the function that was generated, without its helpers."""
    (found,) = (stmt for stmt in ast.parse(generated.text).body if getattr(stmt, "name", None) == generated.entry)
    assert isinstance(found, ast.FunctionDef)
    return found


def fast_path_code(
    generated: Generated, count: int, function: Any, direct: Callable[[Sequence[ast.stmt], Host], Iterator[ast.stmt]]
) -> FastPathCode | None:
    """The statements of the `function` that was `generated` and has `count` results; ``None`` where it returns in their midst."""
    tree = function_of(generated)
    *body, last = tree.body
    if not isinstance(last, ast.Return) or any(isinstance(node, ast.Return) for stmt in body for node in ast.walk(stmt)):
        return None
    found = (last.value,) if count == 1 else tuple(last.value.elts) if isinstance(last.value, ast.Tuple) else ()
    results = tuple([part for part in found if part is not None])
    known = {**function.__globals__, **(function.__kwdefaults__ or {})}
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    around = {name: known[name] for name in names if name in known}
    return FastPathCode(tuple([arg.arg for arg in tree.args.args]), tuple(body), results, around, direct)
