"""What functions under `functools.lru_cache`, made outside, have kept: arrays, tuples, tables and objects, found at each call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

FACTOR = 2.0
X = np.array([0.3, 0.4, 0.5, 0.2])


@cache
def tables(n):
    k = np.arange(n) * FACTOR
    return k, k**2, {"sum": k.sum()}, [1.0, 2.0]


@cache
def weights(n):
    return np.ones(n) * 3


@lru_cache
def number(n, kind="x"):
    return 2.0 * n


@lru_cache(maxsize=1)
def latest(n):
    return np.full(3, float(n))


@lru_cache
def log():
    return []


class Mesh:
    def __init__(self, n):
        self.x, self.n = np.linspace(0, 1, n), n

    def lift(self, f):
        return f * self.x + self.n


@cache
def mesh(n):
    return Mesh(n)


@cache
def raises(n):
    raise ValueError("no")


class Model:
    @lru_cache  # noqa: B019
    def of_object(self, n):
        return np.ones(n) * 2

    @staticmethod
    @lru_cache
    def static(n):
        return np.ones(n) * 2

    @classmethod
    @lru_cache
    def of_class(cls, n):
        return np.ones(n) * 2


MODEL = Model()


def several_results(x):
    k, squares, sums, pair = tables(4)
    return np.sum(k * squares * x) + sums["sum"] * x[0] + pair[1] * x[1] ** 2


def by_the_length_of_an_argument(x):
    return weights(len(x)) @ x**2


def numbers(x):
    return number(3) * x[0] + number(3, "y") * x[1]


def one_place(x):
    return latest(1) @ x[:3] + latest(2) @ x[1:]


def an_object(x):
    return np.sum(mesh(4).lift(x) ** 2)


def by_methods(x):
    return MODEL.of_object(4) @ x + Model.static(4) @ x**2 + MODEL.static(4) @ x + Model.of_class(4) @ x**3


def in_a_loop(x):
    total = 0.0
    for n in range(1, 5):
        total = total + weights(n).sum() * x[n - 1]
    return total


def counted_by_what_moves(x):
    return number(int(x[1] * 10 + 0.5)) * x[1]


PROGRAMS = (
    several_results,
    by_the_length_of_an_argument,
    numbers,
    one_place,
    an_object,
    by_methods,
    in_a_loop,
    counted_by_what_moves,
)
CACHES = (tables, weights, number, latest, log, mesh, Model.of_object, Model.static)


def cleared() -> None:
    for one in CACHES:
        one.cache_clear()


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", ["python", "numba"])
def test_what_is_kept_is_found(f: Callable[..., Any], engine: Any) -> None:
    cleared()
    expected = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    cleared()
    derived = adxform.value_and_grad(f, engine=engine)
    for _ in range(2):
        value, gradient = derived(X)
        assert value == pytest.approx(f(X), rel=1e-15)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6)
        cleared()


def test_what_is_kept_stays_as_long_as_the_cache_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cleared()
    derived = adxform.grad(several_results)
    first = derived(X)
    monkeypatch.setattr(f"{__name__}.FACTOR", 5.0)
    np.testing.assert_array_equal(derived(X), first)
    cleared()
    now = derived(X)
    expected = [(several_results(X + 1e-6 * e) - several_results(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(now, expected, rtol=1e-6)
    assert not np.allclose(now, first)
    cleared()


def test_each_length_has_what_is_kept_for_it() -> None:
    derived = adxform.grad(by_the_length_of_an_argument)
    for n in (4, 2, 4, 3):
        np.testing.assert_array_equal(derived(np.ones(n)), np.full(n, 6.0))


def changes_a_list(x):
    log().append(1)
    return x[0] * len(log())


def writes_an_array(x):
    table = weights(4)
    table[0] = 5.0
    return table @ x


def raises_on_another_path(x):
    return np.sum(x) if x[0] > 0 else raises(3)


@pytest.mark.parametrize("f", [changes_a_list, writes_an_array, raises_on_another_path])
def test_what_is_kept_is_not_changed(f: Callable[..., Any]) -> None:
    cleared()
    with pytest.raises(AdxError) as caught:
        adxform.grad(f)(X)
    assert caught.value.span.line
    assert log() == []
    np.testing.assert_array_equal(weights(4), np.full(4, 3.0))
