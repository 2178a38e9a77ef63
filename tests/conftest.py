"""Switches of the test suite."""

from __future__ import annotations

import gc
import os

import pytest

import adxform
from adxform import runtime
from adxform.engine import scalars
from tests.corpus.case import Program

collect_ignore_glob = ["golden/*"]

# The IR is verified between the stages of every derivative that a test builds, and after each pass.
os.environ.setdefault("ADXFORM_VERIFY", "1")
# Derivatives run on Python unless a test says otherwise: thousands of them would be compiled.
os.environ.setdefault("ADXFORM_ENGINE", "python")
# A failure of a test is to be seen whole.
os.environ.setdefault("ADXFORM_TRACEBACK", "full")
# Nothing is kept from one run to the next, and nothing is written beside the repository.
os.environ["ADXFORM_CACHE_DIR"] = "off"
# Trees and IR come and go by the thousand, few in circles: looking for those at the usual intervals took a tenth of the time.
gc.set_threshold(50_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden` and `--compile-all`."""
    parser.addoption(
        "--update-golden", action="store_true", help="write the generated source into tests/golden, once the oracle agrees"
    )
    parser.addoption(
        "--compile-all", action="store_true", help="compile every program of the corpus, in every mode: half an hour"
    )


def program_of(item: pytest.Item | None) -> str:
    """The name of the program of the corpus that a test is about, if it is about one."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return next((value.name for value in params.values() if isinstance(value, Program)), "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of one program next to one another, after all else: one worker derives what they share, once."""
    first = {"": 0}
    items.sort(key=lambda item: first.setdefault(program_of(item), len(first)))


def pytest_collection_finish() -> None:
    """Leave tens of thousands of tests, and all that was imported, out of collections: each walked through a million objects."""
    leave_out_of_collections()


def leave_out_of_collections() -> None:
    """Collect, and have no later collection walk through what is there."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget what was derived of a program after its last test: thousands of rules would stay in memory."""
    if program_of(item) and program_of(item) != program_of(nextitem):
        adxform.clear_cache()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def settled() -> None:
    """Leave what is there out of collections: to walk through all that thousands of tests have made takes a second or two."""
    leave_out_of_collections()


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave kernels to CPython, where numbers divided by zero are infinite as in machine code."""
    kernels = pytest.importorskip("adxform.engine.kernels")
    for name in ("kernel", "kernel_from_either_end"):
        monkeypatch.setattr(getattr(kernels, name), "__code__", (lambda fn: fn).__code__)
    monkeypatch.setattr(kernels.compile_for, "__code__", (lambda compiled, types: compiled).__code__)
    monkeypatch.setattr(scalars.quotient, "__code__", (lambda a, b: runtime.quotient(a, b)).__code__)
    monkeypatch.setattr(scalars.power, "__code__", (lambda a, b: runtime.power(a, b)).__code__)
