"""What ``engine="auto"`` chooses, what ``fastmath=False`` holds to, and where both may be said."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.backends.numba import backend, engine_policy
from adxform.backends.numba import compiled_rule as compiled
from adxform.backends.numba.compiled_rule import Guarded
from adxform.backends.protocol import Choice
from adxform.backends.python.loading import load
from adxform.errors import MissingExtraError
from adxform.frontend.derivative_operators import Engine, EngineName
from adxform.runtime.dispatch.derivation import DerivedRule
from benchmarks.race.problems import PROBLEMS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.linspace(0.3, 1.7, 900)
A = np.linspace(0.0, 1.0, 81).reshape(9, 9)


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_ENGINE", raising=False)


def loop(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * math.sin(x[i])
    return s


def until(x):
    s = x[0]
    while s < 100.0:
        s = s * s + 1.0
    return s


def in_steps(x):
    u = x.copy()
    for _ in range(len(x)):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def chain(x):
    return np.sum(np.exp(-(x**2)) * np.sin(x) / (1.0 + x**2))


def short(x):
    s = 0.0
    for i in range(3):
        s += x[i] * x[i]
    return s


def products(x):
    return np.sum(np.linalg.solve(A + np.eye(9), A @ (A @ x)))


def products_in_steps(x):
    for _ in range(len(x)):
        x = np.tanh(A @ np.linalg.solve(A + np.eye(9), x))
    return np.sum(x)


def noted(x):
    time.perf_counter()
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def chosen(fn: Callable[..., Any], engine: Engine, *args: Any) -> DerivedRule:
    return rule_of(fn, args or (X,), "reverse", 0, engine)[1]


AT_ONCE, PREPARED = Engine("auto"), Engine("auto", prepared=True)


@pytest.mark.parametrize("fn", [loop, until, in_steps], ids=lambda fn: fn.__name__)
def test_loops_are_compiled_at_once(fn: Callable[..., Any]) -> None:
    for engine in (AT_ONCE, PREPARED):
        rule = chosen(fn, engine)
        assert rule.choice.engine == Engine("numba")
        assert isinstance(rule.run, Guarded)
        assert rule.request.engine == engine


def test_array_expressions_are_compiled_where_they_are_prepared() -> None:
    assert chosen(chain, AT_ONCE).choice.engine == Engine("python")
    assert chosen(chain, PREPARED).choice.engine == Engine("numba")


@pytest.mark.parametrize("fn", [short, products, products_in_steps, noted], ids=lambda fn: fn.__name__)
def test_what_python_does_as_well_is_not_compiled(fn: Callable[..., Any]) -> None:
    rule = chosen(fn, AT_ONCE)
    assert rule.choice.engine == Engine("python")
    assert rule.choice.reason
    assert not isinstance(rule.run, Guarded)
    assert rule.text == chosen(fn, Engine("python")).text


def test_without_numba_python_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (backend, engine_policy):
        monkeypatch.setattr(module, "is_available", lambda: False)
    adxform.clear_cache()
    assert chosen(loop, AT_ONCE).choice == Choice(Engine("python"), "Numba is not installed")
    assert "engine: python, for Numba is not installed" in adxform.explain(loop, X)
    np.testing.assert_allclose(adxform.grad(loop)(X), np.sin(X) + X * np.cos(X))
    with pytest.raises(MissingExtraError, match="needs Numba"):
        adxform.grad(loop, engine="numba")
    adxform.clear_cache()


def test_the_environment_says_what_auto_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_ENGINE", "python")
    assert adxform.grad(loop).engine == Engine("python")
    assert adxform.grad(loop, engine="numba").engine == Engine("numba")
    assert adxform.prepare_gradient(chain, X).engine == Engine("python")
    monkeypatch.setenv("ADXFORM_ENGINE", "fortran")
    with pytest.raises(ValueError, match="ADXFORM_ENGINE is 'fortran'; it is one of auto, python, numba, interpret"):
        adxform.grad(loop)
    monkeypatch.setenv("ADXFORM_ENGINE", "")
    assert adxform.grad(loop).engine == AT_ONCE


def test_a_rule_is_derived_once_for_all_engines() -> None:
    adxform.clear_cache()
    one, other = chosen(loop, Engine("python")), chosen(loop, AT_ONCE)
    assert other.adjoint is one.adjoint
    assert other.run is not one.run
    one, other = chosen(short, Engine("python")), chosen(short, AT_ONCE)
    assert other.run is one.run


def test_what_auto_compiles_gives_what_python_gives() -> None:
    value, gradient = adxform.value_and_grad(loop)(X)
    expected = adxform.value_and_grad(loop, engine="python")(X)
    assert type(value) is type(expected[0])
    np.testing.assert_allclose(value, expected[0], rtol=1e-14)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-14)
    assert adxform.grad(loop)(X[:0]).shape == (0,)


def test_tangents_take_an_engine() -> None:
    engines: tuple[EngineName, ...] = ("auto", "python", "numba")
    found = [adxform.jvp(loop, (X,), (X[::-1].copy(),), engine=engine) for engine in engines]
    np.testing.assert_allclose(found, [found[1]] * 3, rtol=1e-13)


def test_a_compilation_that_fails_is_told_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: Any) -> Any:
        raise type("LoweringError", (Exception,), {"__module__": "numba.core.errors"})("no such instruction")

    monkeypatch.delenv("ADXFORM_STRICT")
    adxform.clear_cache()
    monkeypatch.setattr(compiled, "load", lambda generated: refused if "@kernel" in generated.text else load(generated))
    for _ in range(5):
        np.testing.assert_allclose(adxform.grad(loop)(X), np.sin(X) + X * np.cos(X))
    assert adxform.explain(loop, X).count("LoweringError: no such instruction") == 1
    adxform.clear_cache()


def test_operators_and_prepared_derivatives_keep_what_they_were_given() -> None:
    made = adxform.grad(loop, engine="numba", fastmath=False)
    again = pickle.loads(pickle.dumps(made))
    assert again.engine == made.engine == Engine("numba", fastmath=False)
    fast, strict = (adxform.prepare_gradient(short, X, engine="python", fastmath=fastmath) for fastmath in (True, False))
    assert fast.fingerprint() != strict.fingerprint()
    assert fast.source == strict.source


# -- fastmath ---------------------------------------------------------------------------------------------------------------


def rounding(x):
    s = 0.0
    for i in range(len(x)):
        s += math.exp(x[i]) * math.sin(x[i]) / (1.0 + x[i] * x[i])
    return s


def neighbours(x, k):
    u = x.copy()
    for _ in range(k):
        for i in range(1, len(x) - 1):
            u[i] = u[i] + 0.3 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i]
    s = 0.0
    for i in range(len(x)):
        s += u[i] ** 3
    return s


def shifted(x):
    y = np.zeros(len(x) + 2)
    y[1:-1] += x
    y[2:] += x * x
    y[:-2] += x * x * x
    s = 0.0
    for i in range(len(y)):
        s += y[i] * y[i]
    return s


STRICT = [(rounding, (np.random.default_rng(3).normal(size=501),)), (neighbours, (X, 4)), (shifted, (X,))]


@pytest.mark.parametrize(("fn", "args"), STRICT, ids=[fn.__name__ for fn, _ in STRICT])
def test_without_fastmath_loops_give_what_python_gives_bit_for_bit(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value, gradient = adxform.value_and_grad(fn, engine="numba", fastmath=False)(*args)
    expected = adxform.value_and_grad(fn, engine="python")(*args)
    assert value == expected[0]
    assert gradient.tobytes() == expected[1].tobytes()


def test_without_fastmath_nothing_is_reordered_or_approximated() -> None:
    fast, strict = (adxform.source(rounding, X, engine="numba", fastmath=fastmath) for fastmath in (True, False))
    assert "vector_math" in fast
    assert "add_up" in fast
    assert "vector_math" not in strict
    assert "add_up" not in strict
    fast, strict = (adxform.source(neighbours, X, 4, engine="numba", fastmath=fastmath) for fastmath in (True, False))
    assert fast != strict


@pytest.mark.parametrize("fastmath", [True, False])
def test_infinities_and_nan_are_those_of_the_primal(fastmath: bool) -> None:
    x = np.array([1.0, np.inf, -np.inf, np.nan, -0.0, 5e-324, 1e308])
    for fn in (loop_of_nothing_special, chain):
        value, gradient = adxform.value_and_grad(fn, engine="numba", fastmath=fastmath)(x)
        with np.errstate(all="ignore"):
            expected = adxform.value_and_grad(fn, engine="python")(x)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(gradient, expected[1], rtol=1e-12)
        assert (np.signbit(gradient) == np.signbit(expected[1]))[~np.isnan(gradient)].all()


def loop_of_nothing_special(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * np.exp(-x[i]) + np.arctan(x[i])
    return s


# -- explain ----------------------------------------------------------------------------------------------------------------


def told(name: str) -> list[str]:
    problem = PROBLEMS[name]
    arguments = problem.point(problem.make(problem.tiny))
    return adxform.explain(problem.function, *arguments, argnums=problem.wrt, engine="numba").splitlines()


def test_a_nest_of_products_tapes_nothing() -> None:
    lines = told("matmul-nest")
    assert "nothing is taped" in lines
    assert all(" recompute " in line for line in lines[1:3])
    assert lines[-1] == "compiled: 1 kernel"


def test_the_temporaries_of_a_sum_are_recomputed() -> None:
    lines = told("reduction")
    recomputed = [line.split("recompute")[0].split(maxsplit=1)[1].strip() for line in lines if " recompute " in line]
    assert {"difference: x[i] - y[i]", "square: difference * difference"} <= set(recomputed)
    assert "taped, x.shape[0] numbers each: np.log1p(square)" in lines


def test_a_stencil_is_gathered() -> None:
    lines = told("jacobi")
    assert "gathered instead of scattered: B_ct and A_ct" in lines
    assert "nothing is kept: the reverse sweep needs only what is there" in lines


def test_what_a_network_keeps_is_told_by_lengths() -> None:
    lines = told("lstm")
    (of_gates,) = [line for line in lines if "forget, ingate, outgate, change" in line]
    problem = PROBLEMS["lstm"]
    main, extra, _state, sequence = problem.make(problem.tiny)
    size = of_gates.removeprefix("taped, ").partition(" numbers each: ")[0]
    (layers, steps), b = (main.shape[0] // 2, sequence.shape[0] - 1), extra.shape[1]
    assert eval(size, {"main": main, "extra": extra, "state": _state, "sequence": sequence}) == layers * steps * b


def test_what_stays_in_python_is_told_with_the_reason() -> None:
    def mixed(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * math.sin(x[i])
        return s + np.sum(np.linalg.eigvalsh(np.outer(x, x)))

    lines = adxform.explain(mixed, X, engine="numba").splitlines()
    (left,) = [line for line in lines if line.startswith("in Python, for kernels have no form of it: ")]
    assert "np.linalg.eigvalsh" in left
    assert any(line.startswith("engine: python, for it has no loop") for line in adxform.explain(short, X).splitlines())


def test_what_is_kept_in_loops_of_unknown_length() -> None:
    def doubled(x):
        y = x
        while np.sum(y) < 100.0:
            y = y * y + 1.0
        return np.sum(y)

    assert any(line.startswith("taped, ? * x.shape[0] numbers each: y") for line in adxform.explain(doubled, X).splitlines())


def test_explain_says_of_each_loop_why_it_is_not_compiled() -> None:
    def both(x):
        total = 0.0
        for i in range(len(x)):
            total += np.sort(x)[i] * x[i]
        for i in range(3):
            total += x[i]
        return total

    first = both.__code__.co_firstlineno
    lines = adxform.explain(both, X).splitlines()
    assert f"a loop, line {first + 2}: around `np.argsort`, line {first + 3}: kernels have no form of it" in lines
    assert f"a loop, line {first + 4}: it could be compiled" in lines
    compiled = adxform.explain(both, X, engine="numba").splitlines()
    reason = f"around `np.argsort`, line {first + 3}: kernels have no form of it"
    assert f"in Python, {reason}: a loop, line {first + 2}" in compiled
    assert not any(line.startswith("a loop") for line in adxform.explain(both, X, engine="python").splitlines())


def test_what_is_written_out_pass_by_pass_makes_no_hundreds_of_kernels() -> None:
    def grid(x: Any, y: Any) -> Any:
        table = {}
        for i in range(9):
            for j in range(9):
                cost = (x[i] - y[j]) ** 2
                table[i, j] = cost + (min(table[i - 1, j], table[i, j - 1]) if i and j else 0.0)
        return table[8, 8]

    x = np.linspace(0.0, 1.0, 9)
    assert "kernel" not in adxform.source(adxform.grad(grid, engine="numba"), x, np.cos(x))
    np.testing.assert_array_equal(adxform.grad(grid, engine="numba")(x, np.cos(x)), adxform.grad(grid)(x, np.cos(x)))
