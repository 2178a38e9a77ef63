"""No handler of the front end takes another's place: within a table each function stands once, across tables all are asked."""

from __future__ import annotations

import ast
import inspect
import operator
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from adxform.frontend import known
from adxform.frontend.known import KNOWN, in_turn

SEVERAL = {operator.truediv, operator.matmul, operator.pow}
"""What several tables know: of objects by their operators, of eigenvalues by what they are followed as."""


def keys_as_written(module: ModuleType) -> Iterator[Any]:
    """The functions of the table of `module`, each as often as its parts have it."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "TABLE":
            assert isinstance(node.value, ast.Dict | ast.DictComp), module
            parts = [node.value] if isinstance(node.value, ast.DictComp) else node.value.values
            keys: list[ast.expr | None] = [None] if isinstance(node.value, ast.DictComp) else node.value.keys
            for key, part in zip(keys, parts, strict=True):
                made = eval(compile(ast.Expression(part if key is None else key), module.__file__ or "", "eval"), vars(module))
                yield from made if key is None else (made,)


@pytest.mark.parametrize("module", known._MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_each_function_stands_once_in_a_table(module: ModuleType) -> None:
    found = Counter(keys_as_written(module))
    assert set(found) == set(module.TABLE)
    assert [fn for fn, count in found.items() if count > 1] == []


def test_which_functions_several_tables_know_is_stated() -> None:
    found = Counter(fn for module in known._MODULES for fn in module.TABLE)
    assert {fn for fn, count in found.items() if count > 1} == SEVERAL
    assert set(found) == set(KNOWN)


def test_handlers_of_one_function_are_asked_in_turn() -> None:
    asked = []

    def first(*args: Any) -> Any:
        asked.append("first")

    def second(*args: Any) -> Any:
        asked.append("second")
        return "answer"

    def third(*args: Any) -> Any:
        asked.append("third")

    interp: Any = None
    table = in_turn([{abs: first}, {abs: second, len: third}, {abs: third}])
    assert table[abs](interp, (), {}, "") == "answer"
    assert table[len](interp, (), {}, "") is None
    assert asked == ["first", "second", "third"]
