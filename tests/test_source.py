"""The definition of a function is found, and never another one."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from adxform.errors import SourceUnavailableError
from adxform.frontend.lowering.lower import lower
from adxform.frontend.lowering.source_text import find_source
from adxform.runtime import counters
from tests.interpret import interpret_call


def test_lambdas_on_one_line_are_told_apart() -> None:
    first, second, outer, constant = (lambda x: x + 1), (lambda x: x + 1), (lambda x: lambda y: x * y), (lambda: 3)
    columns = [find_source(fn).node.col_offset for fn in (first, second, outer, outer(1), constant)]
    assert columns == sorted(set(columns))
    assert [interpret_call(lower(fn), fn, 4) for fn in (first, outer(5))] == [5, 20]


def test_no_source() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x):\n    return x", scope)
    for fn in (scope["f"], len, np.sin, int):
        with pytest.raises(SourceUnavailableError) as caught:
            lower(fn)
        assert caught.value.code == "ADX101"


def test_a_changed_file_is_noticed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "changing_module.py"
    file.write_text("def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("changing_module")
    file.write_text("def f(x):\n    return x + 2\n\n")
    with pytest.raises(SourceUnavailableError, match="has changed"):
        lower(module.f)


def test_lowering_is_done_once_per_code() -> None:
    def make(k):
        return lambda x: x * k

    lower(make(1))
    before = counters.snapshot()["source_parses"]
    assert lower(make(2)) is lower(make(3))
    assert counters.snapshot()["source_parses"] == before
