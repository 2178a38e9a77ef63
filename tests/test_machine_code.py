"""Machine code on the disk: a second process compiles nothing, and whatever is there, the values are those of a first one."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.registry import cpu_target

import adxform
from adxform.backends.numba.machine.code_cache import read
from adxform.backends.numba.machine.linking import Passing

ROOT = Path(__file__).parent.parent
PROLOGUE = """
import json, pickle, sys
import numpy as np
import adxform
def told(*values):
    print(json.dumps([[float(v).hex() for v in np.ravel(value)] for value in values]))
    print(json.dumps(adxform.stats()))
"""
MODEL = """
import numpy as np
def model(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += np.exp(x[i]) * x[i - 1]
    return total / np.sum(x * x)
"""
DERIVE = """
from model import model
x = np.linspace(0.2, 2.0, 9)
prepared = adxform.prepare_gradient(model, x, engine="numba")
told(prepared(x), adxform.grad(model, engine="numba")(x[::2]), adxform.grad(model, engine="numba")(x[:0]))
"""
PICKLED = """
from model import model
file = "prepared.pickle"
x = np.linspace(0.2, 2.0, 9)
if sys.argv[1:] == ["write"]:
    with open(file, "wb") as stream:
        pickle.dump(adxform.prepare_gradient(model, x, engine="numba"), stream)
with open(file, "rb") as stream:
    told(pickle.load(stream)(x))
"""
NAMED_ALIKE = """
import one, other
x = np.array([0.5, 1.5, 2.0])
which = [one.f, other.f] if sys.argv[1:] == ["both"] else [one.f if sys.argv[1:] == ["one"] else other.f]
told(*[adxform.grad(f, engine="numba")(x) for f in which])
"""

SHARED = """
import numba
from adxform.backends.numba.machine.kernels import kernel_from_either_end
@numba.njit(error_model="numpy", nogil=True)
def shared(x, n, power, kind):
    total = 0.0
    for i in range(n):
        if kind == 3:
            total += np.sin(x[i] * 2.0) ** power
            total /= 1.0 + np.cosh(total) * np.arctan(x[i]) + np.exp(-total) + np.log1p(x[i]) + np.sinh(x[i])
        elif kind == 5:
            total -= np.cos(x[i] + total) * np.tanh(x[i]) + np.exp(x[i]) / (1.0 + x[i] ** power)
        else:
            total += x[i]
    return total
def first(x, m, kind):
    total = 0.0
    for j in range(m):
        total += shared(x, j, 7.0, kind) * shared(x, j + 1, 7.0, kind)
        total *= shared(x, m - j, 7.0, kind) + 1.0
        total -= shared(x, m, 7.0, kind) * shared(x, m - 1, 7.0, kind)
    return total
def second(x, n, power, kind):
    return shared(x, n, power, kind) - 2.0 * shared(x, n - 2, power, kind)
x = np.linspace(0.1, 1.0, 5)
kernel_from_either_end(first)(x, 3, 5)
found = [numba.njit(second)(x, 4, 2.0, kind) for kind in (4, 5, 3)]
shared = shared.py_func
np.testing.assert_allclose(found, [second(x, 4, 2.0, kind) for kind in (4, 5, 3)], rtol=1e-13)
told(*found)
"""

PRODUCTS = """
def layers(w, v, x):
    h = np.tanh(w @ x)
    return np.sum(h @ v) + np.sum(h.T @ h)
w, v, x = np.sin(np.arange(400.0)).reshape(20, 20), np.cos(np.arange(20.0)), np.linspace(-1.0, 1.0, 400).reshape(20, 20)
found = adxform.grad(layers, argnums=(0, 1, 2), engine="numba")(w, v, x)
expected = adxform.grad(layers, argnums=(0, 1, 2), engine="python")(w, v, x)
for one, other in zip(found, expected):
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
told(*found)
"""
SPECIAL = """
from scipy import special
def exported_and_loops(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += special.gammaln(x[i]) * special.psi(x[i])
    return total
told(adxform.grad(exported_and_loops, engine="numba")(np.linspace(0.2, 2.0, 9)))
"""


class Folder:
    """Programs of the user and the cache that they share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "model.py").write_text(MODEL)

    def run(self, text: str, *args: str, **environment: str) -> tuple[list[list[str]], dict[str, int], str]:
        """What a process tells of values and of counters, and what it says on the standard error."""
        script = self.folder / "script.py"
        script.write_text(PROLOGUE + text)
        inherited = {**os.environ, "ADXFORM_CACHE_DIR": str(self.folder / "cache"), "ADXFORM_STRICT": "", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, str(script), *args],
            env={**inherited, **environment},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        values, stats = done.stdout.splitlines()
        return json.loads(values), json.loads(stats), done.stderr

    def entries(self) -> sqlite3.Connection:
        """The file of the cache."""
        return sqlite3.connect(self.folder / "cache" / "rules" / "cache.db")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def first(folder: Folder) -> list[list[str]]:
    """The values of a process with an empty cache."""
    values, stats, err = folder.run(DERIVE)
    assert err == ""
    assert stats["machine_compiles"] >= 3  # the kernel for two layouts, the form of the exponential
    assert stats["disk_writes"] >= 5
    return values


def test_a_second_process_compiles_nothing(folder: Folder, first: list[list[str]]) -> None:
    values, stats, err = folder.run(DERIVE)
    assert err == ""
    assert values == first
    assert [stats[name] for name in ("rule_builds", "py_compiles", "machine_compiles", "disk_writes")] == [0, 0, 0, 0]


def test_special_functions_are_found_in_every_process(folder: Folder) -> None:
    (first, compiled, _), (second, read_back, err) = folder.run(SPECIAL), folder.run(SPECIAL)
    assert err == ""
    assert second == first
    assert (compiled["machine_compiles"], read_back["machine_compiles"]) == (1, 0)


def test_a_setting_of_the_compiler_is_seen(folder: Folder, first: list[list[str]]) -> None:
    values, stats, _ = folder.run(DERIVE, NUMBA_OPT="1", NUMBA_LOOP_VECTORIZE="0")
    assert stats["machine_compiles"] > 0
    for one, other in zip(values, first, strict=True):
        assert [float.fromhex(v) for v in one] == pytest.approx([float.fromhex(v) for v in other], rel=1e-12)


def test_it_can_be_switched_off(folder: Folder, first: list[list[str]]) -> None:
    values, stats, _ = folder.run(DERIVE, ADXFORM_CACHE_DIR="off")
    assert values == first
    assert stats["machine_compiles"] > 0
    assert stats["disk_writes"] == 0


def test_damaged_code_is_compiled_anew(folder: Folder, first: list[list[str]]) -> None:
    with folder.entries() as connection:
        rows: list[tuple[int, bytes]] = connection.execute("select rowid, value from Cache").fetchall()
        code = [(rowid, bytearray(value)) for rowid, value in rows if b"CompileResult" in value or b"_rebuild_env" in value]
        assert len(code) >= 3
        for rowid, value in code:
            value[len(value) // 2] ^= 255
            connection.execute("update Cache set value = ? where rowid = ?", (bytes(value), rowid))
    connection.close()
    values, stats, err = folder.run(DERIVE)
    assert values == first
    assert stats["machine_compiles"] >= 3
    assert stats["rule_builds"] == 0
    assert err.count("CacheWarning:") == 1
    values, stats, err = folder.run(DERIVE)
    assert values == first
    assert stats["machine_compiles"] == 0
    assert err == ""


def test_a_pickled_derivative_compiles_nothing(folder: Folder, first: list[list[str]]) -> None:
    wrote, _, _ = folder.run(PICKLED, "write")
    found, stats, _ = folder.run(PICKLED)
    assert found == wrote == first[:1]
    assert stats["machine_compiles"] == 0
    found, stats, _ = folder.run(PICKLED, ADXFORM_CACHE_DIR="off")
    assert found == wrote
    assert stats["machine_compiles"] > 0


def test_kernels_of_one_name_are_kept_apart(folder: Folder) -> None:
    source = (
        "import numpy as np\ndef f(x):\n    total = 0.0\n    for i in range(x.shape[0]):\n        total += {}\n    return total\n"
    )
    (folder.folder / "one.py").write_text(source.format("x[i] ** 2"))
    (folder.folder / "other.py").write_text(source.format("x[i] ** 3"))
    (one,), _, _ = folder.run(NAMED_ALIKE, "one")
    (other,), _, _ = folder.run(NAMED_ALIKE, "other")
    both, stats, _ = folder.run(NAMED_ALIKE, "both")
    assert [float.fromhex(value) for value in one] == [1.0, 3.0, 4.0]
    assert [float.fromhex(value) for value in other] == [0.75, 6.75, 12.0]
    assert both == [one, other]
    assert stats["machine_compiles"] == 0


@pytest.mark.parametrize("outside", [["a_function_that_no_library_has"], []])
def test_what_does_not_fit_the_process_is_not_read(outside: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_STRICT")
    made: tuple[Any, ...] = ()
    assert read(pickle.dumps((outside, made)), cpu_target.target_context) is None


def test_what_ran_passes_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    note = Passing._noted
    monkeypatch.setattr(Passing, "_noted", lambda codegen, found: made.append(found) or note(codegen, found))
    adxform.grad(lambda x: sum(v * 1.40625 for v in x), engine="numba")(np.ones(3))
    assert {type(manager).__name__ for manager, _ in made} == {"FunctionPassManager", "ModulePassManager"}
    assert all(manager.closed for manager, _ in made)


def test_what_a_kernel_hides_is_not_what_others_call(folder: Folder) -> None:
    """A function, of which a kernel has a copy for what it calls it with, is called by the user's own code as well."""
    _, _, err = folder.run(SHARED)
    assert err == ""


def test_code_that_calls_blas_finds_it_in_another_process(folder: Folder) -> None:
    values, stats, err = folder.run(PRODUCTS)
    assert err == ""
    assert stats["machine_compiles"] >= 1
    again, stats, err = folder.run(PRODUCTS)
    assert (again, err) == (values, "")
    assert stats["machine_compiles"] == 0
