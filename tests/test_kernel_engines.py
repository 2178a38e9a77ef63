"""The machine code of a kernel goes with the kernel, and not before: each has an engine of LLVM's of its own."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite.binding import ExecutionEngine
from numba.core import config
from numba.core.registry import cpu_target

import adxform
from adxform.backends.numba.machine.engines import new_engine
from adxform.backends.numba.machine.kernels import kernel_from_either_end
from adxform.backends.numba.machine.linking import TIMED, Passing
from benchmarks.kept import made
from tests.test_machine_code import Folder

X = np.linspace(0.1, 1.0, 50)
LOADED = """
import gc
from llvmlite.binding import ExecutionEngine
from adxform.backends.numba.machine import code_cache, linking
from model import model
closed = []
dispose = ExecutionEngine._dispose
ExecutionEngine._dispose = lambda engine: closed.append(engine) or dispose(engine)
x = np.linspace(0.2, 2.0, 9)
prepared = adxform.prepare_gradient(model, x, engine="numba")
for _ in range(20):
    value = adxform.grad(model, engine="numba")(x)
    adxform.clear_cache()
    gc.collect()
np.testing.assert_array_equal(prepared(x), value)
assert len(closed) >= 18, len(closed)
told(value)
"""
MUTUAL = """
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
"""


def model(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(1, len(x)):
        total += np.tanh(x[i]) * x[i - 1] * 1.8125
    return total


@pytest.fixture
def engines(settled: None, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The engines that are made."""
    found: list[Any] = []
    start = ExecutionEngine.__init__

    def noted(engine: Any, ptr: Any, module: Any) -> None:
        start(engine, ptr, module)
        found.append(engine)

    monkeypatch.setattr(ExecutionEngine, "__init__", noted)
    return found


def forget() -> None:
    """Let go of what nobody else has."""
    adxform.clear_cache()
    gc.collect()
    gc.collect()


def function(number: int) -> Callable[..., Any]:
    """A function of its own."""
    (found,) = made(range(number, number + 1))
    return found  # type: ignore[no-any-return]


def test_machine_code_goes_when_the_cache_is_cleared(engines: list[Any]) -> None:
    adxform.grad(function(501), engine="numba")(X)
    assert engines
    assert not any(engine.closed for engine in engines)
    forget()
    assert all(engine.closed for engine in engines)


def test_what_is_prepared_keeps_its_machine_code(engines: list[Any]) -> None:
    prepared = adxform.prepare_gradient(model, X, engine="numba")
    expected = prepared(X)
    written = pickle.dumps(prepared)
    forget()
    assert not all(engine.closed for engine in engines)
    np.testing.assert_array_equal(prepared(X), expected)
    del prepared
    forget()
    assert all(engine.closed for engine in engines)
    np.testing.assert_array_equal(pickle.loads(written)(X), expected)
    np.testing.assert_allclose(expected, adxform.grad(model, engine="python")(X), rtol=1e-12)


def test_arrays_outlive_the_kernel_that_made_them(engines: list[Any]) -> None:
    arrays = adxform.value_and_grad(function(503), engine="numba")(X), adxform.jacobian(np.cumsum, engine="numba")(X)
    expected = pickle.loads(pickle.dumps(arrays))
    forget()
    assert engines
    assert all(engine.closed for engine in engines)
    np.testing.assert_equal(arrays, expected)


def test_what_is_deleted_with_a_kernel_may_run_it(engines: list[Any]) -> None:
    """The collector calls ``__del__`` of all that goes together in any order, and what was kept by one goes another time."""
    kept: list[Any] = []
    said: list[Any] = []

    class Keeping:
        run: Any

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            kept.append(self.run)

    class Running(Keeping):
        def __del__(self) -> None:
            said.append(self.run(X))

    older, first = Running(), Keeping()
    run = first.run = adxform.prepare_gradient(function(504), X, engine="numba")
    expected = run(X)
    del run, first
    forget()
    newer = Running()
    older.run = newer.run = kept.pop()
    older.itself, newer.itself = newer, older
    del older, newer
    forget()
    np.testing.assert_array_equal(said, [expected, expected])
    assert all(engine.closed for engine in engines)


def test_the_collector_does_not_see_who_holds_an_engine() -> None:
    codegen, held = new_engine()
    assert not gc.is_tracked(held)
    del held
    assert codegen._engine._ee.closed


def test_functions_of_users_stay(engines: list[Any]) -> None:
    users = numba.njit(lambda x: np.cumsum(x) * 2.5)
    expected = users(X)
    adxform.grad(function(505), engine="numba")(X)
    forget()
    np.testing.assert_array_equal(users(X), expected)
    assert not cpu_target.target_context.codegen()._engine._ee.closed


def test_what_calls_itself_stays_in_the_engine_of_numba() -> None:
    """Numba finds such functions by their names, in its engine alone."""
    names: dict[str, Any] = {}
    exec(MUTUAL, names)
    names["even"], names["odd"] = (kernel_from_either_end(names[name]) for name in ("even", "odd"))
    assert (names["even"](10), names["odd"](4)) == (True, False)
    forget()
    assert (names["even"](11), names["odd"](5)) == (False, True)


def test_code_from_the_disk_goes_as_well(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first, _, err = folder.run(LOADED)
    again, stats, err = folder.run(LOADED)
    assert (again, err) == (first, "")
    assert stats["machine_compiles"] == 0


def test_many_threads_compile_and_clear() -> None:
    expected = {number: adxform.grad(function(number), engine="python")(X) for number in (506, 507, 508)}
    errors: list[Any] = []

    def work(number: int) -> None:
        try:
            for _ in range(4):
                prepared = adxform.prepare_gradient(function(number), X, engine="numba")
                forget()
                np.testing.assert_allclose(prepared(X), expected[number], rtol=1e-12)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_has_engines_of_its_own(engines: list[Any]) -> None:
    prepared = adxform.prepare_gradient(function(509), X, engine="numba")
    expected = prepared(X)
    child = os.fork()
    if child == 0:
        same = bool(np.all(prepared(X) == expected))
        del prepared
        forget()
        os._exit(0 if same and all(engine.closed for engine in engines) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(prepared(X), expected)


def test_functions_of_a_module_share_a_manager_of_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    for timed in (False, True):
        monkeypatch.setattr(config, TIMED, timed)
        passing = Passing(cpu_target.target_context.codegen())
        first, second = (passing._function_pass_manager()[0] for _ in range(2))
        assert (first is second) is not timed
        passing.give_back()
        assert (first.closed, second.closed) == (True, True)
