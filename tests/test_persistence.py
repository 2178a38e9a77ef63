"""The cache on the disk: a second process starts without a build, every change is seen, no defect of the disk is an error."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import adxform
from adxform.primitives import table
from adxform.runtime.persistence import disk, store, versions
from benchmarks.stress import stress

ROOT = Path(__file__).parent.parent
PROLOGUE = """
import json, sys, warnings
import numpy as np
import adxform
def told(*values):
    print(json.dumps([[float(v) for v in np.ravel(value)] for value in values]))
    print(json.dumps(adxform.stats()))
"""
MODEL = """
K = 3.0
def helper(x):
    return K * np.sin(x)
def model(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        if x[i] > 0.5:
            total += helper(x[i]) * x[i - 1]
    return total / np.sum(x)
x = np.linspace(0.2, 2.0, 5)
"""
DERIVE = """
out, pullback = adxform.vjp(model, x)
told(adxform.grad(model)(x), adxform.jvp(model, (x,), (x,))[1], pullback(1.0)[0], adxform.hessian(model)(x))
"""


class Script:
    """A program of the user, run in processes of its own, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.file = folder / "script.py"

    def run(self, text: str = MODEL + DERIVE, **environment: str) -> tuple[list[Any], dict[str, int], str]:
        """What `text` tells of values and of counters, and what it says on the standard error."""
        self.file.write_text(PROLOGUE + textwrap.dedent(text))
        done = self.start(**environment)
        out, err = done.communicate(timeout=120)
        assert done.returncode == 0, err
        values, stats = out.splitlines()
        return json.loads(values), json.loads(stats), err

    def start(self, **environment: str) -> subprocess.Popen[str]:
        """The process."""
        own = {"ADXFORM_CACHE_DIR": str(self.cache), "ADXFORM_STRICT": "", "PYTHONPATH": str(ROOT)}
        plain = {"PYTHONMALLOC": "pymalloc"}  # `-X dev` for its warnings: what it checks of memory takes a third of the time
        env = {**os.environ, **own, **plain, **environment}
        return subprocess.Popen(
            [sys.executable, "-X", "dev", str(self.file)], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


def built(stats: dict[str, int]) -> list[int]:
    return [stats[name] for name in ("rule_builds", "source_parses", "py_compiles")]


def test_a_second_process_builds_nothing(script: Script) -> None:
    values, stats, err = script.run()
    assert err == ""
    assert min(built(stats)) > 0
    assert stats["disk_writes"] >= 4
    again, stats, err = script.run()
    assert err == ""
    assert again == values
    assert built(stats) == [0, 0, 0]
    assert stats["disk_hits"] >= 4
    assert stats["disk_writes"] == 0


@pytest.mark.parametrize("value", ["", "off", "OFF"])
def test_it_can_be_switched_off(script: Script, value: str) -> None:
    for _ in range(2):
        _, stats, err = script.run(ADXFORM_CACHE_DIR=value)
        assert err == ""
        assert stats["rule_builds"] > 0
        assert stats["disk_writes"] == 0
    assert list(script.folder.iterdir()) == [script.file]


def test_no_library_is_imported_before_it_is_needed(script: Script) -> None:
    text = """
    loaded = [name in sys.modules for name in ("sqlite3", "diskcache", "platformdirs")]
    told(loaded)
    """
    assert script.run(text)[0] == [[0.0, 0.0, 0.0]]


def warned_once(err: str) -> bool:
    return err.count("CacheWarning:") == 1 and "Error" not in err


@pytest.mark.parametrize("damage", ["flipped", "cut", "garbage", "empty", "pages", "folder"])
def test_damaged_files_are_no_error(script: Script, damage: str) -> None:
    values, _, _ = script.run()
    file = script.cache / "rules" / "cache.db"
    data = bytearray(file.read_bytes())
    match damage:
        case "flipped":
            start = data.find(b"adxform.ir.ops")
            while start >= 0:
                data[start] ^= 255
                start = data.find(b"adxform.ir.ops", start)
        case "cut":
            del data[len(data) // 2 :]
        case "garbage":
            data[:] = bytes(range(256)) * 64
        case "empty":
            data.clear()
        case "pages":
            data[4096::97] = bytes(len(range(4096, len(data), 97)))
        case _:
            pass
    file.write_bytes(data)
    if damage == "folder":
        file.unlink()
        file.mkdir()
    found, _, err = script.run()
    assert found == values
    assert warned_once(err) or damage == "empty", err
    found, stats, err = script.run()
    assert found == values
    if damage != "folder":
        assert err == ""
        assert built(stats) == [0, 0, 0]


def test_a_folder_that_cannot_be_written_is_no_error(script: Script) -> None:
    values, _, _ = script.run(ADXFORM_CACHE_DIR="off")
    for folder in (script.file / "cache", Path("/proc/adxform")):
        found, stats, err = script.run(ADXFORM_CACHE_DIR=str(folder))
        assert found == values
        assert stats["disk_writes"] == 0
        assert warned_once(err), err


def test_a_full_disk_is_no_error(script: Script) -> None:
    """No file may grow beyond 40 KiB, as if the disk were full."""
    pytest.importorskip("resource")
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (40960, 40960))\n"
    values, stats, err = script.run(MODEL + limit + DERIVE)
    assert values == script.run(ADXFORM_CACHE_DIR="off")[0]
    assert stats["rule_builds"] > 0
    assert warned_once(err), err
    assert script.run()[0] == values


def test_a_size_that_is_none_is_said_once(script: Script) -> None:
    _, stats, err = script.run(ADXFORM_CACHE_SIZE="plenty")
    assert warned_once(err)
    assert stats["disk_writes"] > 0


def test_other_versions_are_not_asked(script: Script) -> None:
    values, _, _ = script.run()
    older = "np.__version__ = '1.0.0'\n"
    found, stats, err = script.run(older + MODEL + DERIVE)
    assert found == values
    assert stats["rule_builds"] > 0
    assert warned_once(err)
    assert "NumPy 1.0.0" in err
    found, stats, err = script.run(older + MODEL + DERIVE)
    assert err == ""
    assert built(stats) == [0, 0, 0]
    assert built(script.run()[1]) == [0, 0, 0]


def test_processes_at_once(script: Script) -> None:
    """Processes that begin on one cold cache derive the same, and none of them fails or says anything."""
    script.file.write_text(PROLOGUE + MODEL + DERIVE)
    running = [script.start() for _ in range(4)]
    done = [process.communicate(timeout=300) for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert {err for _, err in done} == {""}
    assert len({out.splitlines()[0] for out, _ in done}) == 1


def test_stress() -> None:
    """A small part of what `make stress` does: see `benchmarks.stress`."""
    tally = stress(rounds=2, processes=3)
    assert not tally.faults, "\n".join(tally.faults)


def test_threads_and_forks(script: Script) -> None:
    text = (
        MODEL
        + """
import os, threading
found = []
threads = [threading.Thread(target=lambda: found.append(adxform.grad(model)(x))) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    child = os.fork()
if child == 0:
    adxform.hessian(model)(x)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
told(*found, adxform.hessian(model)(x))
"""
    )
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    values, stats, err = script.run(text)
    assert err == ""
    assert values[0] == values[1] == values[2] == values[3]
    assert stats["disk_hits"] >= 1
    again, stats, err = script.run(text)
    assert err == ""
    assert again == values
    assert built(stats) == [0, 0, 0]


# In this process: a module that is loaded anew after memory has been cleared sees what another process would.


def forget_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "own", {})
    table._version += 1
    monkeypatch.setattr(versions, "_rules", {})


class Module:
    """A module of the user that is edited and loaded again."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.file = folder / "edited.py"
        self.edits = 0

    def load(self, text: str) -> tuple[list[Any], dict[str, int]]:
        """What `text` tells, and the counters, when nothing is in memory."""
        self.file.write_text(PROLOGUE + textwrap.dedent(text))
        self.edits += 1
        os.utime(self.file, (self.edits, self.edits))
        forget_rules(self.monkeypatch)
        adxform.clear_cache()
        spec = importlib.util.spec_from_file_location("edited", self.file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["edited"] = module
        with contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
            warnings.simplefilter("error")
            spec.loader.exec_module(module)
        values, stats = said.getvalue().splitlines()
        return json.loads(values), json.loads(stats)

    def derived(self, text: str) -> list[Any]:
        """What `text` tells without the disk."""
        before = os.environ["ADXFORM_CACHE_DIR"]
        os.environ["ADXFORM_CACHE_DIR"] = "off"
        try:
            return self.load(text)[0]
        finally:
            os.environ["ADXFORM_CACHE_DIR"] = before


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ADXFORM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "_warned", [])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget_rules(monkeypatch)
    monkeypatch.setitem(sys.modules, "edited", types.ModuleType("edited"))
    adxform.clear_cache()
    yield tmp_path
    adxform.clear_cache()
    store.close()


@pytest.fixture
def module(here: Path, monkeypatch: pytest.MonkeyPatch) -> Module:
    return Module(here, monkeypatch)


@pytest.mark.parametrize(
    "change",
    [
        ("K * np.sin(x)", "K * np.cos(x)"),
        ("K = 3.0", "K = 3"),
        ("K = 3.0", "K = np.float32(3.0)"),
        ("def helper(x)", "def helper(x, *, unused=0)"),
        ("total / np.sum(x)", "total / np.sum(x * x)"),
        ("x[i] > 0.5", "x[i] > 0"),
        ("import numpy", "import numpy  # a comment"),
        ("def helper(x):", "@adxform.differentiable\ndef helper(x):"),
        ("    return K * np.sin(x)", "    return K * np.sin(x)\nhelper_2 = helper\ndef helper(x): return helper_2(x) * 2"),
    ],
    ids=lambda change: change[1][:30],
)
def test_changes_are_seen(module: Module, change: tuple[str, str]) -> None:
    """What a process finds on the disk is what it would have derived itself."""
    module.load(MODEL + DERIVE)
    changed = (MODEL + DERIVE).replace(*change)
    found, _ = module.load(changed)
    assert found == module.derived(changed)
    found, stats = module.load(changed)
    assert found == module.derived(changed)
    assert built(stats) == [0, 0, 0]
    assert module.load(MODEL + DERIVE)[0] == module.derived(MODEL + DERIVE)


LAYERS = """
class Layer:
    def act(self, v):
        return np.sin(v)
    def loss(self, x):
        return self.act(x) * x
    def __call__(self, x):
        return self.loss(x) + x
layer, other = Layer(), Layer()
"""


@pytest.mark.parametrize(
    "asked", ["adxform.grad(layer.loss)(1.0)", "adxform.grad(layer)(1.0)", "adxform.jvp(lambda x: layer(x), (1.0,), (1.0,))[1]"]
)
@pytest.mark.parametrize(
    "change",
    ["layer.act = np.exp", "layer.act = other.loss", "Layer.act = staticmethod(np.exp)", "other.act = np.cos"],
)
def test_what_an_instance_has_in_the_place_of_a_method_is_seen(module: Module, change: str, asked: str) -> None:
    module.load(LAYERS + f"told({asked})\n")
    changed = LAYERS + f"{change}\ntold({asked})\n"
    assert module.load(changed)[0] == module.derived(changed)
    assert module.load(LAYERS + f"told({asked})\n")[0] == module.derived(LAYERS + f"told({asked})\n")


def test_a_second_process_sees_what_an_instance_has_of_its_own(script: Script) -> None:
    asked = "told(adxform.grad(layer.loss)(1.0))\n"
    (before,), _, _ = script.run(LAYERS + asked)
    (same,), stats, _ = script.run(LAYERS + asked)
    (after,), _, _ = script.run(LAYERS + "if True: layer.act = np.exp\n" + asked)
    assert same == before == pytest.approx([math.sin(1.0) + math.cos(1.0)])
    assert stats["disk_hits"] > 0
    assert after == pytest.approx([2.0 * math.e])


def test_values_are_read_at_every_call(module: Module) -> None:
    values, _ = module.load(MODEL + DERIVE)
    doubled, stats = module.load((MODEL + DERIVE).replace("K = 3.0", "K = 6.0"))
    assert built(stats) == [0, 0, 0]
    assert doubled[0] == pytest.approx([2.0 * v for v in values[0]])


def test_closures_and_static_arguments(module: Module) -> None:
    text = """
    def power(k, kind):
        def f(x, n):
            return np.sum(x ** n) * k if kind == "a" else np.sum(x) * k
        return f
    x = np.arange(1.0, 4.0)
    told(*[adxform.grad(power(k, kind))(x, n) for k in (1, 1.0, True) for kind in "ab" for n in (2, 2.0, 3)])
    """
    values, _ = module.load(text)
    again, stats = module.load(text)
    assert again == values == module.derived(text)
    assert built(stats) == [0, 0, 0]


def test_nested_operators_methods_and_classes(module: Module) -> None:
    text = """
    from dataclasses import dataclass
    from functools import partial
    @dataclass
    class Line:
        slope: float
        power: int = 2
        def at(self, x):
            return self.slope * x ** self.power
    def newton(x):
        return x - adxform.grad(Line(2.0).at)(x) / adxform.grad(adxform.grad(Line(3.0).at))(x)
    def area(line, x):
        return line.at(x) * x
    told(adxform.grad(newton)(3.0), adxform.grad(Line(0.5).at)(2.0), adxform.grad(partial(area, Line(2.0)))(1.0))
    """
    values, _ = module.load(text)
    again, stats = module.load(text)
    assert again == values
    assert built(stats) == [0, 0, 0]
    changed = text.replace("self.slope * x", "self.slope + x")
    found, stats = module.load(changed)
    assert found == module.derived(changed) != values


def test_registered_rules_are_part_of_the_key(module: Module) -> None:
    text = """
    def slope(x):
        return 1.0 * x
    def black_box(x):
        return x * x
    @adxform.rule(black_box)
    def _(x):
        def pullback(y_ct):
            return 100.0 * slope(x) * y_ct
        return x * x, pullback
    def f(x):
        return black_box(x)
    told(adxform.grad(f)(3.0))
    """
    assert module.load(text)[0] == [[300.0]]
    found, stats = module.load(text)
    assert found == [[300.0]]
    assert built(stats) == [0, 0, 0]
    assert module.load(text.replace("100.0 *", "10.0 *"))[0] == [[30.0]]
    assert module.load(text.replace("1.0 * x", "2.0 * x"))[0] == [[600.0]]
    assert module.load(text.replace("@adxform.rule(black_box)", ""))[0] == [[6.0]]


def test_rules_made_of_what_is_stated_are_part_of_the_key(module: Module) -> None:
    text = """
    import math
    def slope(x):
        return 1.0 * x
    def black_box(x):
        return math.floor(x * x) * 1.0
    def other(x):
        return math.floor(x * x) * 1.0
    adxform.tangent_rule(black_box, lambda y, args, args_t: 100.0 * slope(args[0]) * args_t[0])
    adxform.reference_rule(other, lambda x: 3.0 * x * slope(x))
    def f(x):
        return black_box(x) + other(x)
    told(adxform.grad(f)(3.0))
    """
    assert module.load(text)[0] == [[318.0]]
    found, stats = module.load(text)
    assert found == [[318.0]]
    assert built(stats) == [0, 0, 0]
    assert module.load(text.replace("100.0 *", "10.0 *"))[0] == [[48.0]]
    assert module.load(text.replace("1.0 * x\n    def", "2.0 * x\n    def"))[0] == [[636.0]]


def test_a_helper_of_a_rule_that_changes_under_way_is_another_rule(module: Module) -> None:
    text = """
    def slope(x):
        return x
    def black_box(x):
        return x * x
    @adxform.rule(black_box)
    def _(x):
        def pullback(y_ct):
            return slope(x) * y_ct
        return x * x, pullback
    def f(x):
        return black_box(x)
    def g(x):
        return black_box(x) + 1.0
    adxform.grad(f)(3.0)
    def slope(x):
        return 2.0 * x
    told(adxform.grad(g)(3.0))
    """
    values, stats = module.load(text)
    assert values == [[6.0]]
    assert stats["disk_writes"] == 2
    assert module.load(text.replace("    adxform.grad(f)(3.0)\n", ""))[0] == [[6.0]]


def test_what_has_no_name_is_not_written(module: Module) -> None:
    text = """
    class Opaque:
        def __call__(self, x):
            return 2
    tools = {"size": Opaque()}
    rng = np.random.default_rng(0)
    def f(x, generator):
        return x * generator.integers(1, 2)
    told(adxform.grad(f)(3.0, rng))
    """
    for _ in range(2):
        values, stats = module.load(text)
        assert values == [[1.0]]
        assert stats["rule_builds"] > 0
        assert stats["disk_writes"] == 0


def square(x):
    return x * x


def test_memory_cleared_is_read_again(here: Path) -> None:
    assert adxform.grad(square)(3.0) == 6.0
    adxform.clear_cache()
    assert adxform.grad(square)(4.0) == 8.0
    assert built(adxform.stats()) == [0, 0, 0]
    assert adxform.stats()["disk_hits"] == 2


def test_another_entry_in_its_place_is_recognised(here: Path) -> None:
    where = store.store()
    assert where is not None
    where.put(b"a", b"one")
    where.put(b"b", b"two")
    where._do(lambda cache: cache.set(b"a", cache.get(b"b")), None)
    with pytest.warns(store.CacheWarning, match="damaged"):
        assert where.get(b"a") is None
    assert where.get(b"a") is None
    assert where.get(b"b") == b"two"
    assert not where.add(b"b", b"three")


def test_sources_that_changed_since_the_start_switch_it_off(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_STARTED", 0.0)
    versions.environment.cache_clear()
    try:
        assert versions.environment() is None
        assert adxform.grad(square)(3.0) == 6.0
        assert adxform.stats()["disk_writes"] == 0
    finally:
        versions.environment.cache_clear()


def test_rules_that_cannot_be_told_switch_it_off(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = object()

    def black_box(x):
        return x

    record = table.Primitive(black_box, "black_box", table.General(lambda x: (secret, x)))
    table.register(record)
    assert versions.registered_rules() is None
    assert disk.shelf_for((), adxform.frontend.signature.Signature(())) is None


def test_the_size_is_bounded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_CACHE_SIZE", "200KB")
    where = store.store()
    assert where is not None
    for k in range(100):
        assert where.put(b"%d" % k, bytes(10_000))
    assert where.summary()[1] < 300_000
    assert where.get(b"99") == bytes(10_000)
    assert where.get(b"0") is None
