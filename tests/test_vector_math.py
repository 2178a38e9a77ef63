"""Forms of elementary functions: within two units in the last place of mpmath, NumPy's special values, and in vectors."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpmath")
pytest.importorskip("numba")

from adxform.backends.numba.vector_math import vector_form
from adxform.backends.numba.vector_math.catalogue import FORMS
from adxform.passes.loops import vector_forms
from tests.vector_cases import BINARY, CASES, RANDOM, Case, applied, around, domain, looped, narrow, spread, ulps, uniform
from tests.vector_coefficients import TARGET, rendered

ULPS = 2.0
SPECIAL = np.array([math.nan, math.inf, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 710.0, 745.0, 746.0, 1e22, 2.0**53, 2.0**53 + 2])
SPECIAL = np.concatenate([SPECIAL, [1e308, 5e-324, 1e-310, 1e-200, 1e200]])
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_double_precision(case: Case) -> None:
    loop = looped(case.name)
    errors = ulps(applied(loop, case.points), case.exact, case.points)
    worst = int(np.argmax(errors))
    assert errors[worst] <= ULPS, (errors[worst], [float(p[worst]) for p in case.points])


def same_class(a: float, b: float) -> bool:
    """Return whether two numbers are both NaN, or agree in infinity, zero and sign and are otherwise close."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b) or a == 0.0 or b == 0.0:
        return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)
    return abs(a - b) <= 4.0 * math.ulp(b)


@pytest.mark.parametrize("name", [name for name in FORMS if hasattr(np, name)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_special_values_are_those_of_numpy(name: str) -> None:
    points: tuple[np.ndarray, ...] = (SPECIAL,)
    if name in BINARY:
        points = tuple(grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL))
    got, expected = applied(looped(name), points), getattr(np, name)(*points)
    wrong = [args for *args, a, b in zip(*points, got, expected, strict=True) if not same_class(a, b)]
    assert not wrong


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "expit",
            [(0.0, 0.5), (math.inf, 1.0), (-math.inf, 0.0), (math.nan, math.nan), (800.0, 1.0), (-800.0, 0.0), (-745.0, 5e-324)],
        ),
        (
            "erf",
            [(0.0, 0.0), (-0.0, -0.0), (math.inf, 1.0), (-math.inf, -1.0), (math.nan, math.nan), (30.0, 1.0), (5e-324, 5e-324)],
        ),
        ("erfc", [(0.0, 1.0), (-0.0, 1.0), (math.inf, 0.0), (-math.inf, 2.0), (math.nan, math.nan), (28.0, 0.0), (-28.0, 2.0)]),
        ("ndtr", [(0.0, 0.5), (math.inf, 1.0), (-math.inf, 0.0), (math.nan, math.nan), (40.0, 1.0), (-40.0, 0.0)]),
    ],
)
def test_special_values_of_special_functions(name: str, expected: list[tuple[float, float]]) -> None:
    got = applied(looped(name), (np.array([x for x, _ in expected]),))
    assert all(same_class(a, b) for a, (_, b) in zip(got, expected, strict=True)), got


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_single_precision(case: Case) -> None:
    points = narrow(case)
    out = applied(looped(case.name), points)
    assert out.dtype == np.float32
    assert np.max(ulps(out, case.exact, points)) <= 1.0


@pytest.mark.parametrize("name", FORMS)
def test_loops_are_vectors(name: str) -> None:
    loop = looped(name)
    applied(loop, (np.ones(1), np.ones(1)) if name in BINARY else (np.ones(1),))
    text = loop.inspect_llvm(loop.nopython_signatures[0].args)
    assert re.search(r"= fmul (contract )?<\d+ x double>", text)
    if name in {"sin", "cos", "tan"}:
        assert re.search(r"call (contract )?<\d+ x double> @adxform_\w+_beyond_\d+\(", text)
    for line in text.splitlines():  # what is called for elements one by one is only what scalar_fallback.py calls
        called = re.search(r"call .*double @(\w+)\(", line)
        assert called is None or called[1].startswith("adxform_") or called[1].startswith("llvm"), line


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_angles(name: str) -> None:
    far = domain(spread(2.0**20, 1e308), around(2.0**20, 1e22, 2.0**1000), uniform(-5, 5))
    RANDOM.shuffle(far)
    errors = ulps(applied(looped(name), (far,)), next(case.exact for case in CASES if case.name == name), (far,))
    assert np.max(errors) <= ULPS


@pytest.mark.parametrize("name", ["expm1", "log2", "power", "tan", "arcsinh"])
def test_a_callers_fast_mathematics_does_not_reach_inside(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    assert np.array_equal(applied(looped(name), case.points), applied(looped(name, fastmath=True), case.points))


def test_coefficients_are_those_derived() -> None:
    assert TARGET.read_text(encoding="utf-8") == rendered()


def test_lookup() -> None:
    special = pytest.importorskip("scipy.special")
    for function in (np.exp, math.exp, np.arctan2, math.atan2, np.power, math.pow, special.erf, special.expit):
        assert vector_form(function) is not None
    assert vector_form(np.asin) is vector_form(math.asin) is FORMS["arcsin"].load()
    assert vector_form(np.sort) is None
    assert np.exp in vector_forms.VECTOR_FORMS
    assert set(vector_forms.FORMS) == set(FORMS)


def alone(*arguments: str, **environment: str) -> str:
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": root} | environment,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numba_is_not_imported_before_a_form_is_asked_for() -> None:
    assert alone("-c", "import sys, adxform.backends.numba.vector_math; print('numba' in sys.modules)").strip() == "False"


PLAIN_PROCESSOR = """
import numpy as np
from tests.vector_cases import CASES, applied, looped, ulps
for case in CASES:
    if case.name in {"exp", "tan", "power"}:
        points = tuple(p[::4] for p in case.points)
        worst = np.max(ulps(applied(looped(case.name), points), case.exact, points))
        assert worst <= 2.0, (case.name, worst)
from tests.test_engine_reciprocal_division import quotients
x = np.arange(-50.0, 50.0)
assert (quotients(x, 49.0, np.empty(100)) == x / 49.0).all()
"""


def test_processors_without_fused_operations() -> None:
    alone("-c", PLAIN_PROCESSOR, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
