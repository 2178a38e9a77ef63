"""Calls of compiled derivatives: gradients leave out the value, but nothing that might raise."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import PreparationMismatchError

pytest.importorskip("numba")


def rosenbrock(x: Any) -> Any:
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def with_a_logarithm(x: Any, c: float) -> Any:
    total = math.log(c)
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def with_a_quotient(x: Any, c: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i] + 1.0 / c
    return total


def with_a_load(x: Any, w: Any) -> Any:
    total = w[3]
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def small(x: float, y: float) -> float:
    a = math.sin(x) * y
    b = math.exp(a) + x * x
    return a * b + math.tanh(b) * y


def same(one: Any, other: Any) -> None:
    """The same classes, and numbers up to rounding."""
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_gradient_and_value(size: int) -> None:
    x = np.linspace(-1.0, 2.0, size)
    compiled = adxform.prepare_gradient(rosenbrock, np.ones(3), engine="numba", strict=False)
    plain = adxform.prepare_gradient(rosenbrock, x)
    same(compiled(x), plain(x))
    value, gradient = compiled.value_and_gradient(x)
    assert value == pytest.approx(rosenbrock(x))
    same(gradient, plain(x))
    out, other = np.empty(size), np.empty(size)
    same(compiled(x, out=out), plain(x, out=other))
    assert "total" not in compiled.source or size == 1


def test_numbers_keep_their_classes() -> None:
    for args in ((0.3, 0.7), (np.float64(0.3), 0.7)):
        compiled = adxform.value_and_grad(small, (0, 1), engine="numba")
        same(compiled(*args), adxform.value_and_grad(small, (0, 1))(*args))
        same(adxform.grad(small, engine="numba")(*args), adxform.grad(small)(*args))


@pytest.mark.parametrize(
    ("f", "fine", "wrong", "error"),
    [
        (with_a_logarithm, 2.0, -1.0, ValueError),
        (with_a_quotient, 2.0, 0.0, ZeroDivisionError),
        (with_a_load, np.ones(4), np.ones(3), IndexError),
    ],
)
def test_what_the_value_raises_the_gradient_raises(f: Callable[..., Any], fine: Any, wrong: Any, error: type[Exception]) -> None:
    x = np.array([1.0, 2.0, 3.0])
    prepared = adxform.prepare_gradient(f, x, fine, engine="numba")
    np.testing.assert_array_equal(prepared(x, fine), 2.0 * x)
    with pytest.raises(error):
        prepared(x, wrong)
    with pytest.raises(error):
        prepared.value_and_gradient(x, wrong)
    np.testing.assert_array_equal(prepared(x, fine), 2.0 * x)


def weighted(p: Any, a: Any, k: int = 2) -> Any:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * p["w"][i] ** k + p["b"][0] * p["b"][1] * a[i]
    return total


PARAMS = {"w": np.array([0.5, -1.0, 2.0]), "b": [0.3, 0.7]}
A = np.array([1.0, 2.0, -3.0])


def test_structures_are_taken_apart_and_put_together() -> None:
    compiled = adxform.prepare_gradient(weighted, PARAMS, A, argnums=(0, 1), engine="numba")
    expected = adxform.prepare_gradient(weighted, PARAMS, A, argnums=(0, 1))(PARAMS, A)
    found = compiled(PARAMS, A)
    assert isinstance(found[0]["b"], list)
    np.testing.assert_allclose(found[0]["w"], expected[0]["w"])
    np.testing.assert_allclose(found[0]["b"], expected[0]["b"], atol=1e-15)
    np.testing.assert_allclose(found[1], expected[1])
    assert list(found[0]) == ["w", "b"]
    for args in (({**PARAMS, "b": (0.3, 0.7)}, A), ({"b": PARAMS["b"], "w": A}, A), (PARAMS, A[:1]), (PARAMS,), (PARAMS, [1.0])):
        with pytest.raises(PreparationMismatchError):
            compiled(*args)


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_a_call_takes_what_it_was_prepared_for(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_STRICT")  # of bytes in the other order Numba has no arrays
    prepared = adxform.prepare_gradient(rosenbrock, A, engine=engine)
    base = np.arange(12.0)
    views = [base[::2], base[::-1], np.asfortranarray(base.reshape(3, 4))[1], base[2:9]]
    read_only = np.arange(5.0)
    read_only.flags.writeable = False
    for x in [*views, read_only, base.astype(">f8")]:
        expected = adxform.grad(rosenbrock)(x)
        found = prepared(x)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        assert found.flags.writeable
        assert not np.may_share_memory(found, x)
    wrong = (base.astype(np.float32), base[:1], base.reshape(3, 4), list(base), 1.0)
    for x in wrong:
        with pytest.raises(PreparationMismatchError):
            prepared(x)
    with pytest.raises(PreparationMismatchError):
        prepared(A, A)
    with pytest.raises(PreparationMismatchError):
        prepared()


def test_gradients_are_memory_of_their_own() -> None:
    prepared = adxform.prepare_gradient(rosenbrock, A, engine="numba")
    first = prepared(A)
    kept = first.copy()
    first[:] = 7.0
    np.testing.assert_array_equal(prepared(A), kept)
    np.testing.assert_array_equal(A, [1.0, 2.0, -3.0])


def test_threads_share_a_prepared_derivative() -> None:
    prepared = adxform.prepare_value_and_gradient(rosenbrock, A, engine="numba")
    general = adxform.value_and_grad(rosenbrock, engine="python")

    def answers(seed: int) -> bool:
        x = np.random.default_rng(seed).normal(size=2 + 37 * seed)
        expected, slope = general(x)
        out = np.empty_like(x)
        kept = [prepared(x) for _ in range(20)] + [prepared(x, out=(None, out)) for _ in range(20)]
        return all(np.allclose(value, expected) and np.allclose(gradient, slope) for value, gradient in kept)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(answers, [*range(12)] * 2))


scale = 2.0


def scaled(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += helped(x[i]) * scale
    return total


def helped(v: Any) -> Any:
    return v * v


def test_what_is_around_is_read_and_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = adxform.prepare_gradient(scaled, A, engine="numba")
    np.testing.assert_allclose(prepared(A), 4.0 * A)
    monkeypatch.setitem(globals(), "scale", 3.0)
    np.testing.assert_allclose(prepared(A), 6.0 * A)
    monkeypatch.setitem(globals(), "helped", np.sin)
    with pytest.raises(PreparationMismatchError):
        prepared(A)
    monkeypatch.undo()
    np.testing.assert_allclose(prepared(A), 4.0 * A)
    adxform.clear_cache()
    np.testing.assert_allclose(prepared(A), 4.0 * A)


def both_ways(x: Any) -> Any:
    y = x * 2.0
    return np.sum(y), y


def test_what_comes_beside_the_value() -> None:
    compiled = adxform.prepare_gradient(both_ways, A, has_aux=True, engine="numba")
    gradient, beside = compiled(A)
    np.testing.assert_array_equal(gradient, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(beside, 2.0 * A)
    (value, _), _ = adxform.prepare_value_and_gradient(both_ways, A, has_aux=True, engine="numba")(A)
    assert value == 0.0


def test_products_with_vectors() -> None:
    v = np.array([0.3, -0.2, 0.9])
    compiled, expected = adxform.prepare_hvp(rosenbrock, A, engine="numba"), adxform.prepare_hvp(rosenbrock, A)
    for x, w in ((A, v), (np.arange(8.0)[::2], np.ones(4)), (A, v[::-1])):
        np.testing.assert_allclose(compiled(x, w), expected(x, w))
    for w in (v[:2], v.astype(np.float32), list(v), 1.0, (v,)):
        with pytest.raises(PreparationMismatchError):
            compiled(A, w)
    both = adxform.prepare_hvp(weighted, PARAMS, A, argnums=(0, 1), engine="numba")
    vector = ({"w": v, "b": [1.0, 2.0]}, v)
    found, right = both(PARAMS, A, vector), adxform.prepare_hvp(weighted, PARAMS, A, argnums=(0, 1))(PARAMS, A, vector)
    np.testing.assert_allclose(found[0]["w"], right[0]["w"])
    np.testing.assert_allclose(found[0]["b"], right[0]["b"], atol=1e-15)
    np.testing.assert_allclose(found[1], right[1])
    with pytest.raises(PreparationMismatchError):
        both(PARAMS, A, ({"w": v[:2], "b": [1.0, 2.0]}, v))
