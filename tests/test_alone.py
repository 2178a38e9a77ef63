"""Saved source runs in another process: what no import reaches is given to it by keyword."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats
from scipy.special import expit

import adxform
from adxform.api.source import rule_of

LAGS = (1, 2)
SCALE = 3.0
WEIGHTS = np.array([0.5, 0.25, 0.125])
RNG = np.random.default_rng(3)
DICE = random.Random(4)
ROOT = Path(adxform.__file__).parent.parent
RUN = """
import pickle, sys
text, entry, inputs, externals = pickle.loads(sys.stdin.buffer.read())
assert not any(name.startswith("adxform") for name in sys.modules)
namespace = {}
exec(compile(text, "saved", "exec"), namespace)
sys.stdout.buffer.write(pickle.dumps(namespace[entry](*inputs, **externals)))
"""


def noise_from_a_generator(x):
    return np.sum(x * RNG.normal(size=3))


def shuffled_by_the_global_state(x):
    np.random.seed(3)
    order = np.arange(3)
    np.random.shuffle(order)
    return np.sum(x[order] * np.random.randn(3))


def functions_of_scipy(x):
    return (
        np.sum(x * expit(np.arange(3.0)))
        * np.sum(scipy.special.gammaln(np.arange(1.0, 3.0)))
        * np.sum(scipy.stats.norm.pdf(np.arange(2.0)))
    )


def identity_matrix(x):
    return np.sum(np.eye(3) @ x)


def numbers_and_arrays_from_outside(x):
    return SCALE * np.sum(x) + sum(x[lag] for lag in LAGS) + WEIGHTS @ x


def two_generators_of_one_class(x):
    random.seed(3)
    return x[0] * random.random() + x[1] * DICE.random()


def recursion_over_a_generator(x):
    def walk(y, n):
        return y if n == 0 else walk(y * float(RNG.integers(1, 9)), n - 1)

    return walk(x[0], len(x))


PROGRAMS = [
    noise_from_a_generator,
    shuffled_by_the_global_state,
    functions_of_scipy,
    identity_matrix,
    numbers_and_arrays_from_outside,
    two_generators_of_one_class,
    recursion_over_a_generator,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_saved_source_runs_in_another_process(program: Callable[..., Any]) -> None:
    x = np.array([1.5, -2.0, 0.5])
    call, rule = rule_of(program, (x,), "reverse", 0)
    assert rule.text == adxform.source(program, x)
    externals = dict(rule.generated.externals)
    assert all(f"# {name}: " in rule.text for name in externals)
    given = pickle.dumps((rule.text, rule.generated.entry, [*call.inputs(), 1.0], copy.deepcopy(externals)))
    expected = rule.run(*call.inputs(), 1.0)
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=given, capture_output=True, check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
    )
    for got, wanted in zip(pickle.loads(done.stdout), expected, strict=True):
        assert np.array_equal(got, wanted)


def test_names_of_what_no_import_reaches() -> None:
    x = np.ones(3)
    text = adxform.source(noise_from_a_generator, x)
    assert "# RNG: an object of numpy.random._generator.Generator, which no import reaches; given by keyword" in text
    assert "RNG.normal(size=3)" in text
    text = adxform.source(shuffled_by_the_global_state, x)
    assert "np.random.shuffle(order)" in text
    text = adxform.source(functions_of_scipy, x)
    assert "from scipy.special import expit, gammaln" in text
    assert "from scipy.stats import norm" in text
    text = adxform.source(numbers_and_arrays_from_outside, x)
    assert "# SCALE, LAGS_0, LAGS_1, WEIGHTS: read outside of the function at every call" in text


@pytest.mark.parametrize("name", ["<run_path>", "my-model", "class", "models.my-model"])
def test_what_no_import_statement_can_name_is_given(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import numpy as np\n"
        "class Gain:\n    k = 3.0\n    def __call__(self, t): return t\n"
        "def told(t): return np.array(t)\n"
        "def f(x): return np.sin(x) * Gain.k + x * float(np.apply_along_axis(told, 0, np.ones(2))[0])\n",
        encoding="utf-8",
    )
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    assert adxform.grad(module.f)(0.0) == 4.0
