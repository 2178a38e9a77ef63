"""What compiling is worth: programs of many calls are left to Python where they are small, and the sizes alone decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api import checked_engine
from adxform.backends.numba.worth import Estimate, spared
from adxform.backends.protocol import BOUND, CALLS, DOUBT, Worth
from adxform.runtime.dispatch.application import apply
from benchmarks.race.problems import PROBLEMS
from tests.tables.cell import program


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_ENGINE")


def helper(u, k):
    s = 0.0
    for i in range(1, u.shape[0]):
        s += k * (u[i] - u[i - 1]) ** 2
    for i in range(u.shape[0]):
        if u[i] > 0.5:
            s += np.sin(u[i]) * k
    for i in range(u.shape[0] - 2):
        s += u[i] * u[i + 1] * u[i + 2]
    return s


def many_calls(count: int) -> Callable[..., Any]:
    lines = [f"    t += helper(x * {i + 1}.0, k + {i})" for i in range(count)]
    return program("\n".join(("def f(x, k):", "    t = 0.0", *lines, "    return t\n")), helper=helper)


def call(f: Callable[..., Any], *args: Any, mode: str = "reverse", prepared: bool = False) -> Any:
    engine = checked_engine("auto", True)
    return apply(f, args, {}, 0, engine if not prepared else type(engine)("auto", prepared=True), mode)


SMALL, LARGE = np.linspace(0.113, 1.037, 20), np.linspace(0.113, 1.037, 20_000)


@pytest.mark.parametrize("mode", ["reverse", "forward", "hvp"])
def test_many_calls_of_a_helper_are_left_to_python_where_they_are_small(mode: str) -> None:
    f = many_calls(40)
    for _ in range(2):  # neither what came before nor the order has a say
        assert call(f, SMALL, 0.3, mode=mode).engine.name == "python"
        assert call(f, LARGE, 0.3, mode=mode).engine.name == "auto"


def test_one_call_is_compiled_from_some_hundred_numbers_on() -> None:
    f = many_calls(1)
    assert call(f, SMALL, 0.3).engine.name == "python"
    assert call(f, LARGE[:400], 0.3).engine.name == "auto"


def test_prepared_derivatives_are_compiled_as_asked() -> None:
    assert call(many_calls(40), SMALL, 0.3, prepared=True).engine.name == "auto"


def test_derivatives_of_many_calls_are_right_at_all_sizes() -> None:
    f = many_calls(12)
    adxform.clear_cache()
    for x in (SMALL, SMALL[:7]):
        step = 1e-6 * np.cos(np.arange(len(x)))
        slope = (f(x + step, 0.3) - f(x - step, 0.3)) / 2
        np.testing.assert_allclose(adxform.grad(f)(x, 0.3) @ step, slope, rtol=1e-7)
        np.testing.assert_array_equal(adxform.grad(f)(x, 0.3), adxform.grad(f, engine="python")(x, 0.3))
    assert adxform.stats()["rule_builds"] < 5


def test_the_estimate_is_told() -> None:
    told = adxform.explain(many_calls(40), SMALL, 0.3)
    assert f"engine: python, for {CALLS} calls do not pay back what compiling takes" in told
    assert "estimate: compiling takes about" in told
    assert "estimate:" in adxform.explain(helper, SMALL, 0.3)
    assert "estimate:" not in adxform.explain(helper, SMALL, 0.3, engine="python")


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if problem.kind == "gradient"])
def test_problems_of_the_race_that_loop_are_compiled_as_ever(name: str) -> None:
    problem = PROBLEMS[name]
    args = problem.make(problem.sizes[0])
    found = apply(problem.function, args, {}, problem.wrt, checked_engine("auto", True))
    engine = adxform.explain(problem.function, *args, argnums=problem.wrt)
    looping = "no loop to speak of" not in engine and found.engine.name == "auto"
    assert looping == ("engine: numba" in engine)
    assert looping == (name in LOOPING)


LOOPING = (
    "rosenbrock", "jacobi", "heat", "seidel", "relax", "gmm-loops", "lstm", "matmul-nest", "reduction", "time-loop", "chain",
    "fdtd", "adi", "sum-loop", "sum-sin-loop", "sin-cos-exp-loop", "cholesky-loops", "durbin",
)  # fmt: skip


def nested(x, n, m):
    total = 0.0
    for _ in range(n):
        for j in range(0, m, 2):
            total += x[j % len(x)]
    return total


def triangle(x, n, m):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += x[i] * x[j]
    return total


def halved(x, n, m):
    total = 0.0
    for i in range((len(x) - 1) // 2):
        total += x[i]
    return total


@pytest.mark.parametrize(
    ("f", "small", "large", "ratio"),
    [
        (nested, (SMALL, 10, 100), (SMALL, 100, 100), 10),
        (nested, (SMALL, 10, 100), (SMALL, 10, 1000), 10),
        (triangle, (SMALL, 200, 0), (SMALL, 2000, 0), 100),
        (halved, (SMALL, 0, 0), (LARGE, 0, 0), 1000),
    ],
)
def test_steps_grow_as_the_work_does(f: Callable[..., Any], small: tuple[Any, ...], large: tuple[Any, ...], ratio: float) -> None:
    def steps(args: tuple[Any, ...]) -> float:
        found = call(f, *args)
        sizes = [value.shape if isinstance(value, np.ndarray) else value for value in found.inputs()]
        return spared(found.entry.specialized.function, sizes)

    assert steps(large) / steps(small) == pytest.approx(ratio, rel=0.15)


def test_what_the_estimates_leave_open_is_compiled_where_that_is_brief() -> None:
    assert Worth(10.0, 10.0 / CALLS).pays
    assert not Worth(10.1, 10.0 / CALLS).pays
    assert Worth(BOUND, BOUND / DOUBT / CALLS * 1.01).pays
    assert not Worth(BOUND, BOUND / DOUBT / CALLS * 0.99).pays
    assert not Worth(0.01, 0.0).pays


def test_nobody_asks_for_sizes_where_nothing_loops() -> None:
    straight = Estimate(call(lambda x: np.sum(np.sin(x) * x), SMALL).entry.specialized.function)
    assert straight.pays("reverse", lambda: pytest.fail("nobody asks for the sizes"))
