"""Prepared derivatives in another process: read, they parse, build and compile nothing, and notice what has changed."""

from __future__ import annotations

import functools
import importlib.util
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import PreparationMismatchError
from adxform.runtime.persistence import versions

ROOT = Path(__file__).parent.parent
TEXT = """
import numpy as np
import adxform
from dataclasses import dataclass
K = 2.0
def helper(x):
    return np.sin(x) * K
def f(x, n=2):
    total = 0.0
    for i in range(1, x.shape[0]):
        if x[i] > 0.5:
            total += helper(x[i]) * x[i - 1] ** n
    return total
def powers(t):
    return t ** 2, {"cube": t ** 3}
@dataclass
class Line:
    slope: float
    def at(self, x):
        return np.sum(self.slope * x ** 2)
line = Line(3.0)
"""
X = np.linspace(0.2, 2.0, 4)
V = np.array([1.0, -1.0, 0.5, 2.0])
READ = """
import pickle, sys
sys.path[:0] = {paths!r}
import adxform
said = {{}}
for name, kept in pickle.load(sys.stdin.buffer).items():
    prepared, args = pickle.loads(kept)
    before, values = prepared.fingerprint(), prepared(*args)
    values = (values[0], values[1](1.0)) if name == "vjp" else values
    said[name] = before, prepared.fingerprint(), values
pickle.dump((said, adxform.stats()), sys.stdout.buffer)
"""
MAKERS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "gradient": (lambda m: adxform.prepare_gradient(m.f, X), (X,)),
    "static": (lambda m: adxform.prepare_gradient(m.f, X, 3), (X, 3)),
    "value_and_gradient": (lambda m: adxform.prepare_value_and_gradient(m.f, X), (X,)),
    "jvp": (lambda m: adxform.prepare_jvp(m.f, X, directions=2), ((X,), (V,))),
    "vjp": (lambda m: adxform.prepare_vjp(m.f, X, directions=2), (X,)),
    "jacobian": (lambda m: adxform.prepare_jacobian(m.helper, X), (X,)),
    "hvp": (lambda m: adxform.prepare_hvp(m.f, X, directions=2), (X, V)),
    "hessian": (lambda m: adxform.prepare_hessian(m.f, X), (X,)),
    "derivative": (lambda m: adxform.prepare_derivative(m.powers, 1.0), (2.0,)),
    "second_derivative": (lambda m: adxform.prepare_second_derivative(m.powers, 1.0), (2.0,)),
    "partial": (lambda m: adxform.prepare_gradient(functools.partial(m.f, n=3), X), (X,)),
    "method": (lambda m: adxform.prepare_gradient(m.line.at, X), (X,)),
    "nested": (lambda m: adxform.prepare_jacobian(adxform.grad(m.f), X), (X,)),
}


def load(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str = TEXT) -> ModuleType:
    file = folder / "edited_model.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("edited_model", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "edited_model", module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec.loader.exec_module(module)
    return module


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(np.array_equal(a, b))


def test_another_process_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(tmp_path, monkeypatch)
    prepared = {name: make(module) for name, (make, _) in MAKERS.items()}
    kept = {name: pickle.dumps((prepared[name], args)) for name, (_, args) in MAKERS.items()}
    script = READ.format(paths=[str(ROOT), str(tmp_path)])
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(kept), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    said, stats = pickle.loads(done.stdout)
    assert list(said) == list(MAKERS)
    for name, (before, after, values) in said.items():
        assert before == after == prepared[name].fingerprint(), name
        expected = prepared[name](*MAKERS[name][1])
        assert same(values, (expected[0], expected[1](1.0)) if name == "vjp" else expected), name
    assert [stats[key] for key in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]


@pytest.mark.parametrize("name", MAKERS)
def test_all_forms_survive(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, args = MAKERS[name]
    prepared = make(load(tmp_path, monkeypatch))
    again = pickle.loads(pickle.dumps(prepared))
    assert again.fingerprint() == prepared.fingerprint()
    assert again.source == prepared.source
    before = adxform.stats()
    for form in prepared.forms:
        assert same(getattr(again, form)(*form_args(form, args)), getattr(prepared, form)(*form_args(form, args)))
    after = adxform.stats()
    assert [after[key] - before[key] for key in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]
    with pytest.raises(PreparationMismatchError):
        again(*(("no number",) if len(args) == 1 else (("no number",), *args[1:])))
    assert pickle.loads(pickle.dumps(again)).fingerprint() == prepared.fingerprint()


def form_args(form: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    match form, args:
        case "cotangents", _:
            return args, 1.0
        case "batch", (_,):
            return args, np.ones(2)
        case "batch", (tuple() as primals, (v,)):
            return primals, (np.stack([v, v]),)
        case "batch", (x, v):
            return x, np.stack([v, v])
        case _:
            return args


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("np.sin(x) * K", "np.cos(x) * K"), "`helper` was redefined since"),
        (("K = 2.0", "K = 'two'"), "`K`"),
        (("x[i] > 0.5", "x[i] > 0.6"), "the function was redefined since"),
        (("def helper", "def helped"), "`helper` is gone since"),
    ],
)
def test_what_changed_is_said(change: tuple[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(adxform.prepare_gradient(load(tmp_path, monkeypatch).f, X))
    load(tmp_path, monkeypatch, TEXT.replace(*change))
    with pytest.raises(PreparationMismatchError, match=message):
        pickle.loads(data)


def test_numbers_are_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = adxform.prepare_gradient(load(tmp_path, monkeypatch).f, X)
    data = pickle.dumps(prepared)
    load(tmp_path, monkeypatch, TEXT.replace("K = 2.0", "K = 4.0"))
    np.testing.assert_allclose(pickle.loads(data)(X), 2.0 * prepared(X))


def test_other_versions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(adxform.prepare_gradient(load(tmp_path, monkeypatch).f, X))
    monkeypatch.setattr("adxform.api.prepared.pickling.environment", lambda: b"another")
    with pytest.raises(PreparationMismatchError, match="prepared under"):
        pickle.loads(data)


def test_a_rule_registered_since_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(tmp_path, monkeypatch)
    data = pickle.dumps(adxform.prepare_gradient(module.f, X))

    @adxform.rule(module.helper)
    def _(x):
        def pullback(y_ct):
            return 100.0 * y_ct

        return x + 1.0, pullback

    with pytest.raises(PreparationMismatchError, match="registered"):
        pickle.loads(data)
    prepared = adxform.prepare_gradient(module.f, X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prepared))(X), prepared(X))


@dataclass
class Stateful:
    rate: float

    def __call__(self, x):
        return self.rate * x * x


def test_an_instance_goes_with_its_state() -> None:
    again = pickle.loads(pickle.dumps(adxform.prepare_gradient(Stateful(3.0), 1.0)))
    assert again(2.0) == 12.0


def test_what_has_no_name_is_refused() -> None:
    with pytest.raises(pickle.PicklingError, match="define the function at the top of a module"):
        pickle.dumps(adxform.prepare_gradient(lambda x: x * x, 1.0))


def test_versions_tell_python_numpy_and_adxform() -> None:
    assert np.__version__ in versions.versions()
    assert adxform.__version__ in versions.versions()
