"""Compiled derivatives that are called as ever: what their kernels work in is kept, what they return is not."""

from __future__ import annotations

import pickle
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.compiled_rule import Guarded
from benchmarks.race.problems import PROBLEMS

pytest.importorskip("numba")


def swing(x: Any, steps: Any) -> Any:
    """A time loop, which is taped."""
    angle, speed = x[0], x[1]
    total = 0.0
    for _ in range(steps):
        speed = speed - 0.01 * np.sin(angle)
        angle = angle + 0.01 * speed
        total = total + angle * angle
    return total


def smooth(x: Any, steps: Any) -> Any:
    """A loop over arrays with a tape of arrays."""
    u = x.copy()
    for _ in range(steps):
        v = np.zeros(u.shape[0])
        v[1:-1] = u[2:] * u[:-2]
        u = np.sin(u + 0.1 * v)
    return np.sum(u * u)


def divide(x: Any, steps: Any) -> Any:
    """A tape, and a division of Python's own that raises at zero."""
    total = 0.0
    y = 1.0
    for i in range(steps):
        y = y * float(x[i % 2])
        total = total + y * y
    return total / float(x[0])


PROGRAMS: list[tuple[Callable[..., Any], int]] = [(swing, 2), (smooth, 6), (divide, 2)]
IDS = [function.__name__ for function, _ in PROGRAMS]


def gradient_of(function: Callable[..., Any], count: int) -> tuple[Any, Callable[..., Any]]:
    """The compiled gradient, and the same in Python, for `count` numbers and a number of steps."""
    compiled = adxform.prepare_gradient(function, numbers(count), 5, engine="numba")
    assert isinstance(compiled.plan.rule.run, Guarded)
    assert compiled.plan.rule.run.workspaces
    return compiled, adxform.grad(function, engine="python")


def numbers(count: int, seed: int = 3) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 1.5, size=count)


def pools_of_kernels(prepared: Any) -> list[Any]:
    """The pools with workspaces of kernels: tuples of what their lengths were, and arrays."""
    return [pool for pool in prepared.made.pools.pools if pool and isinstance(pool[0], tuple)]


def held(prepared: Any) -> list[Any]:
    """The arrays in the workspaces of kernels that `prepared` keeps."""
    found = [one for pool in pools_of_kernels(prepared) for work in pool for one in work]
    return [one for one in found if isinstance(one, np.ndarray)]


@pytest.mark.parametrize(("function", "count"), PROGRAMS, ids=IDS)
def test_results_are_new_at_each_call_and_what_is_between_is_kept(function: Any, count: int) -> None:
    compiled, plain = gradient_of(function, count)
    found, then = [], []
    for seed in range(4):
        found.append(compiled(numbers(count, seed), 7))
        then.append(plain(numbers(count, seed), 7))
    kept = held(compiled)
    assert kept
    for one, expected in zip(found, then, strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-12)
        assert sum(np.shares_memory(one, other) for other in (*found, *kept)) == 1
    assert all(one is other for one, other in zip(held(compiled), kept, strict=True))
    compiled(numbers(count), 7)
    assert all(one is other for one, other in zip(held(compiled), kept, strict=True))


@pytest.mark.parametrize(("function", "count"), PROGRAMS, ids=IDS)
def test_lengths_may_differ_from_call_to_call(function: Any, count: int) -> None:
    compiled, plain = gradient_of(function, count)
    for steps in (7, 0, 1, 50, 2, 0, 7):
        np.testing.assert_allclose(compiled(numbers(count), steps), plain(numbers(count), steps), rtol=1e-12)


def test_arrays_of_other_lengths() -> None:
    compiled, plain = gradient_of(smooth, 6)
    for count in (6, 2, 40, 0, 3, 6):
        np.testing.assert_allclose(compiled(numbers(count), 4), plain(numbers(count), 4), rtol=1e-12)
    for other in (numbers(12)[::2], numbers(12)[::-1][:6]):
        np.testing.assert_allclose(compiled(other, 4), plain(other, 4), rtol=1e-12)


@pytest.mark.parametrize(("function", "count"), PROGRAMS, ids=IDS)
def test_nothing_of_one_call_is_seen_by_the_next(function: Any, count: int) -> None:
    compiled, plain = gradient_of(function, count)
    with np.errstate(all="ignore"):
        assert np.isnan(compiled(np.full(count, np.nan), 7)).any()
        compiled(np.full(count, np.inf), 7)
    assert held(compiled)
    for one in held(compiled):
        one.fill(np.nan)
    np.testing.assert_allclose(compiled(numbers(count), 7), plain(numbers(count), 7), rtol=1e-12)


def test_names_that_are_bound_again_do_not_change_what_is_kept() -> None:
    """The Python parts between kernels, and other kernels, use the names of what one worked in for other arrays."""
    problem = PROBLEMS["hvp-gmm"]
    arguments = problem.make(problem.sizes[0])
    point = problem.point(arguments)
    compiled = adxform.prepare_hvp(problem.function, *point, engine="numba")
    expected = adxform.prepare_hvp(problem.function, *point, engine="python")(*arguments)
    np.testing.assert_allclose(compiled(*arguments), expected, rtol=1e-9)

    def kept() -> list[int]:
        return [id(array) for pool in pools_of_kernels(compiled) for work in pool for array in work[1:]]

    before = kept()
    assert len(compiled.made.pools.pools) > 1
    assert len(set(before)) == len(before)
    for _ in range(2):
        np.testing.assert_allclose(compiled(*arguments), expected, rtol=1e-9)
        assert kept() == before


def test_a_call_that_raises_takes_its_memory_with_it() -> None:
    compiled, plain = gradient_of(divide, 2)
    expected = plain(numbers(2), 9)
    for _ in range(3):
        np.testing.assert_allclose(compiled(numbers(2), 9), expected, rtol=1e-12)
        with pytest.raises(ZeroDivisionError):
            compiled(np.zeros(2), 9)
    np.testing.assert_allclose(compiled(numbers(2), 9), expected, rtol=1e-12)


def test_threads_do_not_meet() -> None:
    compiled, plain = gradient_of(swing, 2)
    points = [numbers(2, seed) for seed in range(6)]
    expected = [plain(point, 3_000) for point in points]
    wrong: list[int] = []
    ready = threading.Barrier(len(points))

    def work(place: int) -> None:
        ready.wait()
        for turn in range(30):
            steps = 3_000 if turn % 3 else 10
            found = compiled(points[place], steps)
            if steps == 3_000 and not np.allclose(found, expected[place], rtol=1e-12, atol=0.0):
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(points))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    places = [id(one) for one in held(compiled)]
    assert len(places) == len(set(places))


def test_a_call_inside_another_has_memory_of_its_own() -> None:
    compiled, _ = gradient_of(swing, 2)
    compiled(numbers(2), 7)
    (place,) = pools_of_kernels(compiled)
    taken = place.pop()
    compiled(numbers(2), 7)
    place.append(taken)
    assert len(place) == 2
    assert {id(one) for one in place[0][1:]}.isdisjoint(id(one) for one in place[1][1:])


def test_it_is_released() -> None:
    compiled, plain = gradient_of(swing, 2)
    size, x = 8 * 100_000, numbers(2)
    expected = plain(x, 100_000)

    def peak() -> int:
        tracemalloc.start()
        np.testing.assert_allclose(compiled(x, 100_000), expected, rtol=1e-9)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak() > size
    assert peak() < size / 10
    compiled.release()
    assert not held(compiled)
    assert peak() > size


def test_it_stays_behind_where_a_preparation_goes_to_another_process() -> None:
    compiled, plain = gradient_of(swing, 2)
    before = len(pickle.dumps(compiled))
    compiled(numbers(2), 50_000)
    assert len(pickle.dumps(compiled)) < before + 1_000
    other = pickle.loads(pickle.dumps(compiled))
    assert not held(other)
    np.testing.assert_allclose(other(numbers(2), 7), plain(numbers(2), 7), rtol=1e-12)


def test_every_kind_of_derivative_keeps_it() -> None:
    x, v = numbers(6), numbers(6, 5)
    value_and_gradient = adxform.prepare_value_and_gradient(smooth, x, 5, engine="numba")
    named = adxform.prepare_value_and_gradient(smooth, x, steps=5, engine="numba")
    product = adxform.prepare_hvp(smooth, x, 5, engine="numba")
    along = adxform.prepare_jvp(lambda x: smooth(x, 5), x, engine="numba")
    back = adxform.prepare_vjp(lambda x: smooth(x, 5), x, engine="numba")
    plain = adxform.grad(smooth, engine="python")(x, 5)
    second = adxform.hvp(smooth, engine="python")(x, 5, v)
    calls: list[tuple[Any, Callable[[], Any], Any]] = [
        (value_and_gradient, lambda: value_and_gradient(x, 5)[1], plain),
        (named, lambda: named(x, steps=5)[1], plain),
        (product, lambda: product(x, 5, v), second),
        (product, lambda: product.gradient_and_hvp(x, 5, v)[1], second),
        (along, lambda: along((x,), (v,))[1], plain @ v),
        (back, lambda: back.cotangents((x,), 1.0)[0], plain),
    ]
    for prepared, call, expected in calls:
        for _ in range(3):
            np.testing.assert_allclose(call(), expected, rtol=1e-10)
        kept = held(prepared)
        result = call()
        np.testing.assert_allclose(call(), result, rtol=0)
        assert all(one is other for one, other in zip(held(prepared), kept, strict=True))
        assert not any(np.shares_memory(result, one) for one in kept)
    assert held(value_and_gradient)
    assert held(named)
    assert held(product)


def test_where_nothing_is_worked_in_nothing_is_kept() -> None:
    prepared = adxform.prepare_gradient(lambda x: np.sum(np.sin(x) * x), numbers(9), engine="numba")
    prepared(numbers(9))
    assert not held(prepared)
