"""Rules that are built once for each kind of arguments: right in every mode, and what they hold is never written to."""

from __future__ import annotations

import contextvars
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError, UnsupportedOperationError
from adxform.primitives import table
from benchmarks.memory import BUFFERS, peak_and_kept
from tests import staged_programs
from tests.staged_programs import PROGRAMS, blend, blend_rule, looped, straight

ROOT = Path(__file__).parent.parent
X, V = np.array([0.3, -0.7, 1.1]), np.array([1.0, 0.5, -2.0])


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Forget the rules that a test registers."""
    before = table.own
    yield
    table.own = before
    table._version += 1


def slope(f: Callable[[Any], Any], x: Any, v: Any, step: float = 1e-5) -> Any:
    return (f(x + step * v) - f(x - step * v)) / (2.0 * step)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_every_mode_against_differences(f: Callable[[Any], Any]) -> None:
    gradient = adxform.grad(f)
    np.testing.assert_allclose(gradient(X) @ V, slope(f, X, V), rtol=1e-7)
    np.testing.assert_allclose(adxform.jvp(f, (X,), (V,)), (f(X), gradient(X) @ V), rtol=1e-11)
    curved = slope(gradient, X, V)
    for mode in ("forward-over-reverse", "reverse-over-reverse", "forward-over-forward"):
        np.testing.assert_allclose(adxform.hvp(f, mode=mode)(X, V), curved, rtol=1e-6)
    hessian = adxform.hessian(f)(X)
    np.testing.assert_allclose(adxform.prepare_hvp_same_point(f, X)(V), curved, rtol=1e-6)
    np.testing.assert_allclose(adxform.prepare_hvp(f, X, directions=2).batch(X, np.eye(3)), hessian, rtol=1e-12)
    np.testing.assert_allclose(adxform.prepare_hessian(f, X, sparse=True)(X).toarray(), hessian, rtol=1e-12)
    third = adxform.grad(lambda x: adxform.hvp(f)(x, V) @ V)(X) @ V
    np.testing.assert_allclose(third, slope(lambda x: adxform.hvp(f)(x, V) @ V, X, V), rtol=1e-5)


@pytest.mark.parametrize("way", [{"engine": "interpret"}, {"engine": "numba"}, {"checkpoint_steps": 2}], ids=str)
def test_other_ways_to_run_it(way: dict[str, Any]) -> None:
    pytest.importorskip("numba")
    np.testing.assert_allclose(adxform.grad(looped, **way)(X), adxform.grad(looped)(X), rtol=1e-12)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_is_built_once_for_each_kind_of_arguments() -> None:
    built: list[tuple[Any, ...]] = []

    def scaled(x: Any, by: float, times: int) -> Any:
        return by * times * x

    @adxform.staged_rule(scaled)
    def build(x: Any, by: Any, times: Any) -> Any:
        built.append((x, by, times))
        whole = times.value
        return lambda x, by, times: (by * whole * x, lambda ct: (by * whole * ct, np.sum(ct * x) * whole, None))

    def again(x: Any) -> Any:
        y = scaled(x, 0.5, times=2) + scaled(scaled(x * x, x[0], 2), 1.5, 3)
        return np.sum(y * y) + scaled(x[0], 0.5, 2)

    for _ in range(2):
        np.testing.assert_allclose(adxform.grad(again)(X) @ V, slope(again, X, V), rtol=1e-7)
        adxform.grad(lambda x: np.sum(scaled(x, 0.5, 2)))(X.astype(np.float32))
        adxform.hvp(again)(X, V)
        adxform.prepare_gradient(again, X)(X)
        adxform.clear_cache()
    number, two = ("float64", 0, None), ("int64", 0, 2)
    array, single = ("float64", 1, None), ("float32", 1, None)
    expected = [(array, number, two), (array, number, ("int64", 0, 3)), (single, number, two), (number, number, two)]
    assert sorted(built) == sorted(expected)


def test_a_loop_asks_once_for_what_the_rule_holds() -> None:
    text = adxform.source(looped, X)
    before, inside = text.split("    for _ in range(3):")[0], text.split("    for _ in range(3):")[1]
    assert before.count("runtime.staged(blend_rule, 'nodes', ('float64', 1, None), ('int64', 0, 5))") == 1
    assert "5))" not in inside
    names: dict[str, Any] = {}
    exec(text, names)
    np.testing.assert_array_equal(names["looped_vjp"](X, 1.0)[1], adxform.grad(looped)(X))


def test_a_warm_prepared_call_makes_no_array() -> None:
    peaks = []
    for size in (100, 20_000):
        x = np.linspace(-1.0, 1.0, size)
        out, gradient = np.empty(size), adxform.prepare_gradient(straight, x, engine="python")
        peak, kept = peak_and_kept(lambda x=x, out=out, gradient=gradient: gradient(x, out=out))  # type: ignore[misc]
        np.testing.assert_allclose(out, adxform.grad(straight)(x), rtol=1e-12)
        assert kept == 0
        peaks.append(peak)
    assert max(peaks) < BUFFERS


def test_another_process_builds_the_rule_again_and_nothing_else(tmp_path: Path) -> None:
    file, gradient = tmp_path / "prepared", adxform.prepare_gradient(looped, X)
    file.write_bytes(pickle.dumps((gradient, X)))
    text = (
        "import pickle, sys, adxform\nfrom tests import staged_programs\nbuilt, plain = [], staged_programs.quadrature\n"
        f"prepared, x = pickle.load(open({str(file)!r}, 'rb'))\n"
        "staged_programs.quadrature = lambda order: (built.append(order), plain(order))[1]\n"
        "pickle.dump(([prepared(x) for _ in range(2)], built, adxform.stats()['rule_builds']), sys.stdout.buffer)"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, check=True)
    found, built, derived = pickle.loads(done.stdout)
    assert (sorted(built), derived) == ([4, 5], 0)
    for one in found:
        np.testing.assert_array_equal(one, gradient(X))


def doubled(x: Any) -> Any:
    return 2.0 * x


def through_doubled(x: Any) -> Any:
    y = doubled(x)
    y[0] += 1.0
    return np.sum(y * y) + np.sum(doubled(x * x))


class Plan:
    """What a rule may hold: arrays in attributes and lists."""

    def __init__(self) -> None:
        self.scale = np.full(3, 0.5)
        self.parts = [np.zeros(3), np.full(3, 1.5)]

    def run(self, x: Any) -> Any:
        return self.scale * x + self.parts[1] * x


def build_plan(x: Any) -> Any:
    plan, table = Plan(), {"ones": np.ones(3)}
    return lambda x: (plan.run(x), lambda ct: (table["ones"] * plan.run(ct),))


def build_value(x: Any) -> Any:
    """The value is the array that the rule holds, which the program then writes to."""
    zero = np.zeros(3)
    return lambda x: (zero[:3], lambda ct: (0.0 * ct,))


def build_unseen(x: Any) -> Any:
    """Code that nobody can look into returns one array again and again, in both sweeps."""
    buffer, run = np.empty(3), contextvars.copy_context().run

    def fill(x: Any) -> Any:
        np.multiply(x, 2.0, out=buffer)
        return buffer

    return lambda x: (run(fill, x), lambda ct: (run(fill, ct),))


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize("build", [build_plan, build_unseen], ids=lambda build: build.__name__)
def test_what_a_rule_may_hold(build: Callable[..., Any]) -> None:
    adxform.staged_rule(doubled)(build)
    expected = 8.0 * X + 4.0 * X
    expected[0] += 4.0
    for _ in range(2):
        np.testing.assert_allclose(adxform.grad(through_doubled)(X), expected, rtol=1e-14)


def chain(x: Any) -> Any:
    total = 0.0
    for _ in range(3):
        x = doubled(x) * x
        total += np.sum(x * doubled(x))
    return total


def plain_chain(x: Any) -> Any:
    total = 0.0
    for _ in range(3):
        x = 2.0 * x * x
        total += np.sum(x * 2.0 * x)
    return total


@pytest.mark.usefixtures("own_rules")
def test_unseen_code_that_returns_the_same_memory_in_a_loop() -> None:
    """The first rule of this kind found on each tape what the last iteration had left."""
    adxform.staged_rule(doubled)(build_unseen)
    np.testing.assert_allclose(adxform.grad(chain)(X), adxform.grad(plain_chain)(X), rtol=1e-13)


@pytest.mark.usefixtures("own_rules")
def test_a_value_is_no_array_that_the_rule_holds() -> None:
    adxform.staged_rule(doubled)(build_value)
    for _ in range(2):
        value, _ = adxform.value_and_grad(through_doubled)(X)
        assert value == 1.0


HELD = SimpleNamespace(count=0)


def build_writing(x: Any) -> Any:
    work = np.zeros(3)

    def rule(x: Any) -> Any:
        work[...] = x
        return 2.0 * work, lambda ct: (2.0 * ct,)

    return rule


def build_writing_back(x: Any) -> Any:
    work = np.zeros(3)

    def rule(x: Any) -> Any:
        def pullback(ct: Any) -> Any:
            work[...] = ct
            return (2.0 * work,)

        return 2.0 * x, pullback

    return rule


def build_counting(x: Any) -> Any:
    counter = SimpleNamespace(calls=0)

    def rule(x: Any) -> Any:
        counter.calls = counter.calls + 1
        return 2.0 * x, lambda ct: (2.0 * ct,)

    return rule


def build_failing(x: Any) -> Any:
    raise ValueError("not of these")


def build_nothing(x: Any) -> Any:
    return 2.0


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (build_writing, MissingRuleError, "writes to an array that it was built with, which belongs to all its calls"),
        (build_writing_back, MissingRuleError, "writes to an array that it was built with, which belongs to all its calls"),
        (build_counting, UnsupportedOperationError, "sets a place outside of the function"),
        (build_failing, MissingRuleError, "could not be built: ValueError: not of these"),
        (build_nothing, MissingRuleError, "built as float, which is no function"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_refused(build: Callable[..., Any], error: type[AdxError], message: str) -> None:
    adxform.staged_rule(doubled)(build)
    with pytest.raises(error, match=message) as caught:
        adxform.grad(through_doubled)(X)
    assert caught.value.span.line


@pytest.mark.usefixtures("own_rules")
def test_a_builder_cannot_be_told_of_an_object() -> None:
    def scaled(x: Any, how: Any) -> Any:
        return 2.0 * x

    adxform.staged_rule(scaled)(lambda x, how: lambda x, how: (2.0 * x, lambda ct: (2.0 * ct, None)))
    assert adxform.grad(lambda x: np.sum(scaled(x, "fast")))(X)[0] == 2.0
    assert adxform.grad(lambda x: np.sum(scaled(x, (2, 0.5))))(X)[0] == 2.0
    with pytest.raises(MissingRuleError, match="neither a number, an array, text nor a tuple"):
        adxform.grad(lambda x: np.sum(scaled(x, np.sin)))(X)


def remembering(x: Any) -> Any:
    if getattr(HELD, "buffer", np.empty(0)).shape != np.shape(x):
        HELD.buffer = np.empty(np.shape(x))
    np.multiply(x, 2.0, out=HELD.buffer)
    return HELD.buffer


@pytest.mark.usefixtures("own_rules")
def test_a_function_that_returns_the_same_memory_at_each_call_is_refused() -> None:
    adxform.rule(remembering)(lambda x: (remembering(x), lambda ct: (2.0 * ct,)))
    with pytest.raises(MissingRuleError, match="returns the same memory at each call"):
        adxform.grad(lambda x: np.sum(remembering(x) * remembering(x * x)))(X)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_that_is_registered_anew_is_built_anew() -> None:
    def build(x: Any) -> Any:
        factor = staged_programs.FACTOR  # type: ignore[attr-defined]
        return lambda x: (factor * x, lambda ct: (factor * ct,))

    gradient = adxform.grad(lambda x: np.sum(doubled(x)))
    for factor in (2.0, 3.0):
        staged_programs.FACTOR = factor  # type: ignore[attr-defined]
        adxform.staged_rule(doubled)(lambda x, build=build: build(x))
        assert gradient(X)[0] == factor


POINT, ALONG = np.linspace(0.2, 1.4, 7), np.linspace(1.0, -1.0, 7)
MATRIX = np.random.default_rng(0).normal(size=(2, 7))


def of_seven(x: Any) -> Any:
    return MATRIX @ x, np.sum(x[:7] ** 2)


def fixed(x: Any) -> Any:
    y, squares = of_seven(x * x)
    return np.sum(np.outer(y, x)) * squares + of_seven(x)[0][1]


@pytest.mark.usefixtures("own_rules")
def test_a_function_of_one_length_is_told_by_its_rule() -> None:
    @adxform.staged_rule(of_seven)
    def build(x: Any) -> Any:
        matrix = MATRIX.copy()
        return lambda x: ((matrix @ x, np.sum(x**2)), lambda y_ct, s_ct: (matrix.T @ y_ct + 2.0 * s_ct * x,))

    np.testing.assert_allclose(adxform.grad(fixed)(POINT) @ ALONG, slope(fixed, POINT, ALONG), rtol=1e-8)
    np.testing.assert_allclose(adxform.hvp(fixed)(POINT, ALONG), slope(adxform.grad(fixed), POINT, ALONG), rtol=1e-6)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        adxform.grad(fixed)(np.ones(4))
    adxform.rule(of_seven)(lambda x: ((MATRIX @ x, np.sum(x**2)), lambda y_ct, s_ct: (MATRIX.T @ y_ct + 2.0 * s_ct * x,)))
    with pytest.raises(AdxError, match="reads the array `MATRIX` outside of its arguments"):
        adxform.grad(fixed)(POINT)


def test_check_rule_judges_a_staged_rule() -> None:
    adxform.check_rule(blend, [(X, 4)])
    assert table.lookup(blend).derivative.body is blend_rule  # type: ignore[union-attr]
