"""What `clear_cache` gives back, and what stays bounded where cells are run anew by the thousand."""

from __future__ import annotations

import gc
import linecache
import weakref
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.frontend.lowering import lower
from adxform.runtime import cache

X = np.linspace(0.1, 1.0, 5)
CELL = """
def f(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * {number}.5
    return total
"""


def run_cell(names: dict[str, Any], number: int) -> Any:
    """The function of a cell, which takes the place of the one that was run before."""
    file, text = f"<cell {number}>", CELL.format(number=number)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names)
    return names["f"]


def generated_files() -> set[str]:
    """The files of generated text that tracebacks find."""
    return {file for file in linecache.cache if file.startswith("<adxform f_")}


def test_clear_cache_gives_back_rules_text_and_what_was_lowered() -> None:
    names: dict[str, Any] = {"np": np}
    rules = []
    adxform.clear_cache()
    gc.collect()
    gc.collect()
    before = generated_files()
    for number in range(5):
        f = run_cell(names, number)
        np.testing.assert_allclose(adxform.grad(f)(X), np.cos(X) * (number + 0.5))
        rules.append(weakref.ref(adxform.api.source.rule_of(f, (X,), "reverse", 0)[1].run))
    assert len(generated_files()) >= len(before) + 5
    assert len(lower._lowered._found) >= 5
    del f
    names.clear()
    adxform.clear_cache()
    gc.collect()
    gc.collect()
    assert [rule() for rule in rules] == [None] * 5
    assert generated_files() <= before
    assert not lower._lowered._found


@pytest.mark.parametrize("wrapped", [lambda f: f, adxform.grad], ids=["function", "operator"])
def test_clear_cache_gives_back_rules_of_functions_that_are_still_there(wrapped: Any) -> None:
    adxform.clear_cache()
    functions = [wrapped(run_cell({"np": np}, number)) for number in range(5)]
    entries = []
    for f in functions:
        adxform.jvp(f, (X,), (X,))
        adxform.jvp(f, (X,), (X,))
        entries.append(weakref.ref(adxform.api.source.rule_of(f, (X,), "forward", 0)[0].entry))
    adxform.clear_cache()
    gc.collect()
    gc.collect()
    assert [entry() for entry in entries] == [None] * 5


def test_cells_that_are_run_anew_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ORPHANS", 10)
    names: dict[str, Any] = {"np": np}
    adxform.clear_cache()
    for number in range(250):
        adxform.grad(run_cell(names, number))(X)
    assert len(cache._buckets) <= 1.5 * 20 + 2 * cache.GLANCE
    adxform.clear_cache()


def test_a_function_that_is_there_keeps_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ORPHANS", 10)
    names: dict[str, Any] = {"np": np}
    adxform.clear_cache()
    f = run_cell(names, 1000)
    adxform.grad(f)(X)
    for number in range(150):
        adxform.grad(run_cell(names, number))(X)
    before = adxform.stats()["rule_builds"]
    adxform.grad(f)(X)
    adxform.grad(f)(X.astype(np.float32))  # another signature: only this is made
    assert adxform.stats()["rule_builds"] - before <= 1
    adxform.clear_cache()


def test_kernels_go_with_their_rules() -> None:
    pytest.importorskip("numba")
    from numba.core.registry import CPUDispatcher

    names: dict[str, Any] = {"np": np}
    others: set[int] = set()

    def kernels() -> list[str]:
        gc.collect()
        gc.collect()
        found = [each for each in gc.get_objects() if type(each) is CPUDispatcher and "f_vjp" in each.__name__]
        return [each.__name__ for each in found if id(each) not in others]

    f = run_cell(names, 2000)
    adxform.clear_cache()
    kept = [each for each in gc.get_objects() if type(each) is CPUDispatcher]  # of other tests, whose functions live on
    others.update(map(id, kept))
    np.testing.assert_allclose(adxform.grad(f, engine="numba")(X), np.cos(X) * 2000.5)
    assert kernels()
    del f
    names.clear()
    adxform.clear_cache()
    assert not kernels()
