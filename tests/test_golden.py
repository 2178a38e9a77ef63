"""Golden files: the shape of generated source, one file per case: the primal, then ``# --- vjp``, then what is emitted.

The oracle runs first, so that a golden file never holds a wrong derivative. ``pytest --update-golden`` writes them.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from tests.oracle import central_jacobian, flat_function, float_leaves, pack

FOLDER = Path(__file__).parent / "golden"
MARK = "\n# --- vjp\n"
CASES = sorted(FOLDER.glob("*.py"))


def primal_of(path: Path) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the function that a golden file is named after, and its `EXAMPLE` arguments."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    head = path.read_text(encoding="utf-8").partition(MARK)[0]
    exec(compile(head, str(path), "exec"), module.__dict__)
    example: tuple[Any, ...] = module.__dict__["EXAMPLE"]
    function: Callable[..., Any] = module.__dict__[path.stem]
    return function, example


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    function, example = primal_of(path)
    wrt = tuple(i for i, value in enumerate(example) if float_leaves(value))
    jacobian, _ = central_jacobian(*flat_function(function, example, wrt))
    value, gradient = adxform.value_and_grad(function, argnums=wrt)(*example)
    assert value == function(*copy.deepcopy(example))
    scale = max(1.0, float(np.max(np.abs(jacobian), initial=0.0)))
    assert np.max(np.abs(pack(float_leaves(gradient)) - jacobian[0]), initial=0.0) <= 1e-8 * scale
    text = adxform.source(function, *example, mode="reverse", argnums=wrt)
    head, _, expected = path.read_text(encoding="utf-8").partition(MARK)
    if update_golden:
        path.write_text(f"{head}{MARK}{text}", encoding="utf-8")
        return
    assert text == expected


DIFFERING = {
    ast.JoinedStr: "places and quotes inside, since 3.12",
    ast.ListComp: "inlined into the function, since 3.12",
    ast.DictComp: "inlined into the function, since 3.12",
    ast.ClassDef: "texts lose their indentation, since 3.13; type parameters, since 3.12",
    ast.FunctionDef: "texts lose their indentation, since 3.13; type parameters, since 3.12",
    ast.Lambda: "arguments have defaults in the tree, since 3.13",
    ast.Starred: "in subscripts, since 3.11",
    ast.NamedExpr: "bindings of comprehensions, since 3.12",
    ast.While: "where loops end in the code, since 3.12",
}
"""What versions of Python read, compile or spell differently, and since when; golden files are the same, to the byte, on each."""


@pytest.mark.parametrize("construct", DIFFERING, ids=lambda construct: construct.__name__)
def test_a_golden_file_holds_what_versions_of_python_treat_differently(construct: type[ast.AST]) -> None:
    heads = (path.read_text(encoding="utf-8").partition(MARK)[0] for path in CASES)
    assert any(isinstance(node, construct) for head in heads for node in ast.walk(ast.parse(head)))


def test_there_are_cases() -> None:
    assert len(CASES) >= 12
