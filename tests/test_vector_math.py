"""Forms of elementary functions: within two units in the last place of mpmath, NumPy's special values, and in vectors."""

from __future__ import annotations

import functools
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mp = pytest.importorskip("mpmath")
numba = pytest.importorskip("numba")

from adxform.engine.vector_math import VECTOR_FORMS, vector_form  # noqa: E402
from adxform.engine.vector_math.table import _FORMS  # noqa: E402
from tests.vector_coefficients import TARGET, rendered  # noqa: E402

COUNT = 400
ULPS = 2.0
RANDOM = np.random.default_rng(7)


def uniform(low: float, high: float, count: int = COUNT) -> np.ndarray:
    return RANDOM.uniform(low, high, count)


def spread(low: float, high: float, count: int = COUNT) -> np.ndarray:
    """Return numbers of both signs, their exponents uniform."""
    return np.exp(RANDOM.uniform(math.log(low), math.log(high), count)) * RANDOM.choice([-1.0, 1.0], count)


def around(*points: float) -> np.ndarray:
    """Return the floats next to each point, and some a little farther off, on both sides."""
    steps = np.concatenate([np.arange(-3, 4), spread(1.0, 1e12, 20)])
    return np.concatenate([p + steps * np.spacing(p) for p in points])


def domain(*pieces: np.ndarray, low: float = -math.inf, high: float = math.inf) -> np.ndarray:
    x = np.concatenate(pieces)
    return x[(x >= low) & (x <= high)]


@dataclass(frozen=True)
class Case:
    """A form, its exact value by mpmath, and where it is tried."""

    name: str
    exact: Callable[..., Any]
    points: tuple[np.ndarray, ...]


EVERYWHERE = domain(spread(1e-320, 1e308), spread(1e-3, 1e3))
NEAR_ZERO = spread(1e-320, 1.0)
MULTIPLES = np.round(uniform(-6e5, 6e5)) * (math.pi / 2)
TURNS = domain(uniform(-10, 10), uniform(-1e6, 1e6), MULTIPLES, around(math.pi / 4, math.pi / 2, math.pi, 22.0, 355.0), NEAR_ZERO)
POSITIVE = domain(abs(spread(1e-320, 1e308)), 1.0 + spread(1e-16, 0.5), around(1.0, 0.5**0.5, 2.0**0.5, 2.0), uniform(0.3, 3.0))
UNIT = domain(uniform(-1, 1), NEAR_ZERO, 1.0 - abs(spread(1e-16, 1.0)), around(0.5, 1.0), low=-1.0, high=1.0)
GROWING = domain(uniform(-2, 2), uniform(-711, 711), NEAR_ZERO, around(1.0, 709.78, 710.47), high=710.4)
CASES = (
    Case("exp", mp.exp, (domain(uniform(-745, 709.7), uniform(-1, 1), NEAR_ZERO, around(-708.4, -745.1)),)),
    Case("exp2", lambda x: mp.mpf(2) ** x, (domain(uniform(-1074, 1023.9), uniform(-1, 1), NEAR_ZERO),)),
    Case("expm1", mp.expm1, (domain(uniform(-60, 709.7), uniform(-1, 1), NEAR_ZERO, around(0.3466, -0.3466)),)),
    Case("expit", lambda x: 1 / (1 + mp.exp(-x)), (domain(uniform(-745, 60), uniform(-4, 4), NEAR_ZERO),)),
    Case("log", mp.log, (POSITIVE,)),
    Case("log2", lambda x: mp.log(x) / mp.log(2), (POSITIVE,)),
    Case("log10", mp.log10, (POSITIVE,)),
    Case("log1p", mp.log1p, (domain(EVERYWHERE, NEAR_ZERO, uniform(-1, 2), around(-0.29, 0.41, 1.0), low=-0.9999999),)),
    Case("sin", mp.sin, (TURNS,)),
    Case("cos", mp.cos, (TURNS,)),
    Case("tan", mp.tan, (TURNS,)),
    Case("arcsin", mp.asin, (UNIT,)),
    Case("arccos", mp.acos, (UNIT,)),
    Case("arctan", mp.atan, (domain(EVERYWHERE, NEAR_ZERO, uniform(-3, 3), around(0.6, 1.67)),)),
    Case("arctan2", mp.atan2, (domain(EVERYWHERE, uniform(-1, 1)), domain(spread(1e-320, 1e308), uniform(-1, 1, 2 * COUNT)))),
    Case("sinh", mp.sinh, (GROWING,)),
    Case("cosh", mp.cosh, (GROWING,)),
    Case("tanh", mp.tanh, (domain(uniform(-2, 2), uniform(-25, 25), NEAR_ZERO, around(0.625)),)),
    Case("arcsinh", mp.asinh, (domain(EVERYWHERE, NEAR_ZERO, uniform(-3, 3), around(0.5)),)),
    Case("arccosh", mp.acosh, (domain(1.0 + abs(spread(1e-16, 1e300)), uniform(1, 3), around(2.0, 2.0**28)),)),
    Case("arctanh", mp.atanh, (domain(UNIT, low=-0.9999999999999999, high=0.9999999999999999),)),
    Case(
        "power",
        lambda x, y: x**y,
        (
            domain(abs(spread(1e-3, 1e3)), abs(spread(1e-320, 1e308)), 1.0 + spread(1e-12, 1e-3)),
            domain(uniform(-100, 100), uniform(-1, 1), spread(1.0, 1e5)),
        ),
    ),
    Case("hypot", mp.hypot, (domain(EVERYWHERE, uniform(-1, 1)), domain(EVERYWHERE, uniform(-1, 1)))),
    Case("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (domain(EVERYWHERE, uniform(-8, 8)),)),
    Case("erf", mp.erf, (domain(uniform(-6, 6), uniform(-1.2, 1.2), NEAR_ZERO, around(1.0)),)),
    Case("erfc", mp.erfc, (domain(uniform(-6, 27.2), uniform(0, 2), NEAR_ZERO, around(0.3)),)),
    Case("ndtr", mp.ncdf, (domain(uniform(-38.5, 9), uniform(-2, 2), NEAR_ZERO),)),
    Case("logaddexp", lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), (uniform(1, 700), uniform(1, 700))),
    Case("logaddexp2", lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2), (uniform(1, 700), uniform(1, 700))),
)
BINARY = {"arctan2", "hypot", "logaddexp", "logaddexp2", "power"}
SPECIAL = np.array([math.nan, math.inf, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 710.0, 745.0, 746.0, 1e22, 2.0**53, 2.0**53 + 2])
SPECIAL = np.concatenate([SPECIAL, [1e308, 5e-324, 1e-310, 1e-200, 1e200]])
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])


@functools.cache
def looped(name: str, **options: Any) -> Any:
    """Return a compiled loop that calls a form for each element."""
    form = _FORMS[name].load()

    @numba.njit(error_model="numpy", **options)
    def unary(x: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = form(x[i])

    @numba.njit(error_model="numpy", **options)
    def binary(x: Any, y: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = form(x[i], y[i])

    return binary if name in BINARY else unary


def applied(loop: Any, points: tuple[np.ndarray, ...]) -> np.ndarray:
    out = np.empty_like(points[0])
    loop(*points, out)
    return out


def ulps(got: np.ndarray, exact: Callable[..., Any], points: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the errors in units in the last place of the exact values; infinite where one of the two is not finite alone."""
    one = np.finfo(got.dtype)
    errors = []
    with mp.workdps(60):
        for found, *args in zip(got, *points, strict=True):
            value = exact(*(mp.mpf(float(a)) for a in args))
            if abs(value) > float(one.max):
                errors.append(0.0 if math.isinf(found) else math.inf)
                continue
            unit = mp.mpf(
                max(math.ldexp(1.0, mp.frexp(value)[1] - one.nmant - 1) if value else 0.0, float(one.smallest_subnormal))
            )
            errors.append(float(abs(mp.mpf(float(found)) - value) / unit))
    return np.array(errors)


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


@pytest.mark.parametrize("name", [name for name in _FORMS if hasattr(np, name)])
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
    small = np.all([(abs(p) > 1e-37) & (abs(p) < 1e38) for p in case.points], axis=0)
    points = tuple(p[small][::3].astype(np.float32) for p in case.points)
    out = applied(looped(case.name), points)
    assert out.dtype == np.float32
    kept = np.isfinite(out)
    assert np.max(ulps(out[kept], case.exact, tuple(p[kept] for p in points))) <= 1.0


@pytest.mark.parametrize("name", _FORMS)
def test_loops_are_vectors(name: str) -> None:
    loop = looped(name)
    applied(loop, (np.ones(1), np.ones(1)) if name in BINARY else (np.ones(1),))
    text = loop.inspect_llvm(loop.nopython_signatures[0].args)
    assert re.search(r"= fmul (contract )?<\d+ x double>", text)
    for line in text.splitlines():  # what is called for elements one by one is only what rescue.py calls
        called = re.search(r"call .*double @(\w+)\(", line)
        assert called is None or called[1].startswith("adxform_") or called[1].startswith("llvm"), line


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_angles(name: str) -> None:
    far = domain(spread(2.0**20, 1e308), around(2.0**20, 1e22, 2.0**1000), uniform(-5, 5))
    RANDOM.shuffle(far)
    errors = ulps(applied(looped(name), (far,)), getattr(mp, name), (far,))
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
    assert vector_form(np.asin) is vector_form(math.asin) is _FORMS["arcsin"].load()
    assert vector_form(np.sort) is None
    assert np.exp in VECTOR_FORMS


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
    assert alone("-c", "import sys, adxform.engine.vector_math; print('numba' in sys.modules)").strip() == "False"


PLAIN_PROCESSOR = """
import numpy as np
from tests.test_vector_math import CASES, applied, looped, ulps
for case in CASES:
    if case.name in {"exp", "tan", "power"}:
        points = tuple(p[::4] for p in case.points)
        worst = np.max(ulps(applied(looped(case.name), points), case.exact, points))
        assert worst <= 2.0, (case.name, worst)
"""


def test_processors_without_fused_operations() -> None:
    alone("-c", PLAIN_PROCESSOR, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
