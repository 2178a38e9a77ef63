"""Rules of functions that write into their arguments: right wherever one call site runs many times before its pullbacks."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError, UnsupportedOperationError
from adxform.primitives import table
from benchmarks.memory import BUFFERS, peak_and_kept
from tests.writing_rules import (
    PROGRAMS,
    arguments,
    growing,
    looped,
    multiply_into,
    multiply_into_rule,
    once,
    recursive,
    rotate_into,
)

ALL = (0, 1, 2)
ROOT = Path(__file__).parent.parent


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Forget the rules that a test registers."""
    before = table.own
    yield
    table.own = before
    table._version += 1


def called(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """`f` on copies: it writes to its arguments."""
    return f(*(arg.copy() for arg in args))


def slope(f: Callable[..., Any], args: tuple[Any, ...], along: tuple[Any, ...], step: float = 1e-5) -> Any:
    ahead, behind = (tuple(arg + sign * step * v for arg, v in zip(args, along, strict=True)) for sign in (1.0, -1.0))
    return (called(f, ahead) - called(f, behind)) / (2.0 * step)


def paired(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
    return sum(np.sum(a * b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_every_mode_against_differences(f: Callable[..., Any]) -> None:
    args, along, other = arguments(), arguments(seed=1), arguments(seed=2)
    kept = [arg.copy() for arg in args]
    gradient, product = adxform.grad(f, argnums=ALL), adxform.hvp(f, argnums=ALL)
    found = gradient(*args)
    np.testing.assert_allclose(paired(found, along), slope(f, args, along), rtol=1e-6)
    value, tangent = adxform.jvp(f, args, along)
    np.testing.assert_allclose(value, called(f, args), rtol=1e-14)
    np.testing.assert_allclose(tangent, paired(found, along), rtol=1e-11)
    second = slope(lambda *moved: paired(gradient(*moved), other), args, along)
    for mode in ("forward-over-reverse", "reverse-over-reverse"):
        np.testing.assert_allclose(paired(adxform.hvp(f, argnums=ALL, mode=mode)(*args, along), other), second, rtol=2e-5)
    np.testing.assert_allclose(paired(product(*args, along), other), paired(product(*args, other), along), rtol=1e-10)
    for arg, before in zip(args, kept, strict=True):
        np.testing.assert_array_equal(arg, before)


@pytest.mark.parametrize(
    ("f", "way"),
    [(recursive, {"engine": "interpret"}), (growing, {"checkpoint_steps": 2}), (looped, {"engine": "numba"})],
    ids=["interpret", "checkpoints", "numba"],
)
def test_other_ways_to_run_it(f: Callable[..., Any], way: dict[str, Any]) -> None:
    pytest.importorskip("numba")
    args = arguments()
    for one, other in zip(adxform.grad(f, argnums=ALL, **way)(*args), adxform.grad(f, argnums=ALL)(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS[:4], ids=lambda f: f.__name__)
def test_prepared_calls_of_growing_and_shrinking_sizes(f: Callable[..., Any]) -> None:
    gradient = adxform.prepare_gradient(f, *arguments(), argnums=ALL)
    for rows, inner, columns in ((3, 4, 2), (5, 6, 4), (2, 3, 2), (5, 6, 4), (6, 2, 3)):
        args = arguments(rows, inner, columns, seed=rows)
        expected, targets = adxform.grad(f, argnums=ALL)(*args), tuple(map(np.empty_like, args))
        gradient(*args, out=targets)
        for one, other in zip(targets, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_pullbacks_in_any_order_long_after_their_calls() -> None:
    points = [arguments(seed=seed) for seed in range(4)]
    prepared = adxform.prepare_vjp(looped, *points[0])
    pullbacks = [prepared(*point)[1] for point in points]
    for place in (2, 0, 3, 1, 1, 2):
        expected = adxform.grad(looped, argnums=ALL)(*points[place])
        for one, other in zip(pullbacks[place](1.0), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def refused_late(C: Any, A: Any, B: Any, limit: float) -> Any:
    """An exception leaves after some calls have run, and before their pullbacks."""
    total = 0.0
    for _ in range(4):
        multiply_into(C, A, B)
        B *= 2.0
        if np.sum(C * C) > limit:
            raise ArithmeticError("too much")
        total += np.sum(C**3)
    return total


def test_calls_after_an_exception() -> None:
    args, targets = arguments(), tuple(map(np.empty_like, arguments()))
    gradient = adxform.prepare_gradient(refused_late, *args, 1e9, argnums=ALL)
    expected = gradient(*args, 1e9)
    for _ in range(3):
        for limit in (1e-3, 1e2):
            with pytest.raises(ArithmeticError):
                gradient(*args, limit, out=targets)
        gradient(*args, 1e9, out=targets)
        for one, other in zip(targets, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(args[0], arguments()[0])
    assert peak_and_kept(lambda: gradient(*args, 1e9, out=targets))[1] == 0


def test_threads() -> None:
    points = [arguments(seed=seed) for seed in range(3)]
    gradient = adxform.prepare_gradient(looped, *points[0], argnums=ALL)
    expected = [gradient(*point) for point in points]
    wrong: list[str] = []

    def work(point: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
        targets = tuple(map(np.empty_like, point))
        for _ in range(60):
            gradient(*point, out=targets)
            wrong.extend("differs" for one, other in zip(targets, wanted, strict=True) if not np.array_equal(one, other))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(points, expected, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("f", [once, looped])
def test_a_warm_prepared_call_makes_no_array(f: Callable[..., Any]) -> None:
    """However long the arrays are: the memory that the rule writes over is kept in memory that the derivative keeps."""
    peaks = []
    for size in (16, 96):
        args = arguments(size, 2 * size, size)
        targets = tuple(map(np.empty_like, args))
        gradient = adxform.prepare_gradient(f, *args, argnums=ALL, engine="python")
        peak, kept = peak_and_kept(lambda gradient=gradient, args=args, targets=targets: gradient(*args, out=targets))  # type: ignore[misc]
        assert kept == 0
        peaks.append(peak)
    assert max(peaks) < BUFFERS / 8


def test_a_call_of_what_does_not_move_stays_and_its_source_runs_alone(tmp_path: Path) -> None:
    def weighted(w: Any, C: Any, A: Any, B: Any) -> Any:
        multiply_into(C, A, B)
        return np.sum(w * C)

    args = arguments()
    w, before = np.ones((3, 2)), args[0].copy()
    np.testing.assert_allclose(adxform.grad(weighted)(w, *args), args[1] @ args[2])
    np.testing.assert_array_equal(args[0], before)
    names: dict[str, Any] = {}
    text = adxform.source(weighted, w, *args)
    assert "runtime.ContentsAfter(multiply_into, (0,))(C, A, B)" in text
    exec(text, names)
    np.testing.assert_allclose(names["weighted_vjp"](w, *args, 1.0)[1], args[1] @ args[2])


def test_another_process_reads_a_prepared_derivative(tmp_path: Path) -> None:
    args = arguments()
    gradient = adxform.prepare_gradient(looped, *args, argnums=ALL)
    file = tmp_path / "prepared"
    file.write_bytes(pickle.dumps((gradient, args)))
    text = (
        "import pickle, sys, tests.writing_rules, adxform\n"
        f"prepared, args = pickle.load(open({str(file)!r}, 'rb'))\n"
        "pickle.dump((prepared(*args), adxform.stats()['rule_builds']), sys.stdout.buffer)"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, check=True)
    found, builds = pickle.loads(done.stdout)
    assert builds == 0
    for one, other in zip(found, gradient(*args), strict=True):
        np.testing.assert_array_equal(one, other)


def overlapping(x: Any) -> Any:
    multiply_into(x[:, :2], x[:, 1:3], np.eye(2))
    return np.sum(x**2)


def beside(x: Any) -> Any:
    multiply_into(x[:, :2], x[:, 2:], np.eye(2))
    return np.sum(x**2)


def itself(x: Any) -> Any:
    multiply_into(x, x, np.eye(4))
    return np.sum(x**2)


def used(x: Any) -> Any:
    y = multiply_into(x[:, :2], x[:, 2:], np.eye(2))
    return np.sum(x**2) if y is None else 0.0


def into_a_list(x: Any) -> Any:
    multiply_into([[0.0, 0.0]] * 4, x[:, 2:], np.eye(2))  # type: ignore[arg-type]
    return np.sum(x**2)


def test_what_shares_memory_is_refused_by_the_run() -> None:
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(adxform.grad(beside)(x), np.hstack((np.zeros((3, 2)), 4.0 * x[:, 2:])))
    for f in (overlapping, itself):
        with pytest.raises(UnsupportedOperationError, match="shares memory with another argument") as caught:
            adxform.grad(f)(x)
        assert caught.value.span.line == f.__code__.co_firstlineno + 1


@pytest.mark.parametrize(("f", "message"), [(used, "is used"), (into_a_list, "is no array of its own")])
def test_what_its_rule_does_not_cover_is_refused(f: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(MissingRuleError, match=message) as caught:
        adxform.grad(f)(np.ones((4, 4)))
    assert caught.value.span.line == f.__code__.co_firstlineno + 1


@pytest.mark.usefixtures("own_rules")
def test_a_rule_that_does_not_say_that_its_function_writes_is_refused() -> None:
    """It was once dropped with what it writes, as the call of a function whose result nobody reads."""
    adxform.rule(multiply_into, replaces=True)(multiply_into_rule)
    with pytest.raises(MissingRuleError, match="for something else than its result") as caught:
        adxform.grad(once)(*arguments())
    assert "writes=(0,)" in str(caught.value)


class Scaler:
    def __init__(self, by: float) -> None:
        self.by = by

    def into(self, y: Any, x: Any) -> None:
        y[...] = self.by * x * x


def scaled(y: Any, x: Any) -> Any:
    for _ in range(2):
        SCALER.into(y, x)
        x = x * y
    return np.sum(y * x)


SCALER = Scaler(2.0)


@pytest.mark.usefixtures("own_rules")
def test_a_bound_method_and_a_tangent_of_its_own() -> None:
    def tangent(y: Any, args: Any, args_t: Any) -> Any:
        return 4.0 * args[1] * args_t[1]

    adxform.rule(SCALER.into, writes=(0,), tangent=tangent)(lambda y, x: (2.0 * x * x, lambda ct: (None, 4.0 * ct * x)))
    y, x, v = np.ones(3), np.array([0.3, 0.5, -0.4]), np.array([1.0, 2.0, 3.0])
    expected = 1920.0 * x**14  # of 128 x ** 15
    np.testing.assert_allclose(adxform.grad(scaled, argnums=1)(y, x), expected, rtol=1e-13)
    np.testing.assert_allclose(adxform.jvp(scaled, (y, x), (0.0 * v, v))[1], expected @ v, rtol=1e-13)
    np.testing.assert_allclose(adxform.grad(scaled)(y, x), 0.0)
    np.testing.assert_allclose(adxform.hvp(scaled, argnums=1)(y, x, v), 26880.0 * x**13 * v, rtol=1e-13)


def scale_into(y: Any, x: Any) -> None:
    y *= x


@pytest.mark.usefixtures("own_rules")
def test_check_rule_judges_what_is_written() -> None:
    """A rule that says nothing of the old contents is wrong where the new ones depend on them."""
    adxform.check_rule(multiply_into, [arguments()])
    adxform.check_rule(rotate_into, [(np.ones(3), np.arange(3.0), 0.3)])
    adxform.rule(scale_into, writes=(0,))(lambda y, x: (y * x, lambda ct: (ct * x, ct * y)))
    adxform.check_rule(scale_into, [(np.ones(3), np.arange(3.0))])
    adxform.rule(scale_into, writes=(0,))(lambda y, x: (y * x, lambda ct: (None, ct * y)))
    with pytest.raises(AssertionError, match="forward differs"):
        adxform.check_rule(scale_into, [(np.ones(3), np.arange(3.0))])
