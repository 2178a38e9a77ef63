"""What a prepared call is quickly answered by: nothing that the closer look refuses, and what has changed is seen."""

from __future__ import annotations

import linecache
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.prepared.calls.arguments import check_of
from adxform.api.prepared.calls.preparation import values_at
from adxform.errors import PreparationMismatchError
from adxform.runtime.counters import Tally
from tests.test_prepared_mismatch import ARGS, BAD_SEEDS, CASES, PAIR, SEEDED, WRONG, Case, summed

X = np.array([0.5, -1.0, 2.0])


def cubes(x: Any) -> Any:
    return np.sum(x**3)


def weighted(x: Any, w: Any) -> Any:
    return np.sum(np.sin(x) * w)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in ("gradient", "hvp")], ids=lambda case: case.name)
def test_the_quick_look_and_the_closer_one_say_the_same(case: Case) -> None:
    """Of every wrong argument, and of those that fit."""
    made = case.made().made
    assert made.quickly(ARGS, {}) is not None
    for args, kwargs, _ in WRONG.values():
        assert made.quickly(args, kwargs) is None
        assert made.closely(args, kwargs)[1]
    for args in (ARGS, (X, np.float64(1.5), *ARGS[2:]), (np.ones(7), *ARGS[1:]), (np.asfortranarray(X[::-1]), *ARGS[1:])):
        quick, (close, lines) = made.quickly(args, {}), made.closely(args, {})
        assert not lines
        assert quick is not None
        for one, other in zip(quick, close, strict=True):
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", BAD_SEEDS)
def test_wrong_vectors_are_not_quickly_taken(kind: str) -> None:
    p = adxform.prepare_hvp(summed, *PAIR, argnums=(0, 1))
    values = values_at(p.made.quickly(PAIR, {}), p.places)
    assert p._fitted((*PAIR, PAIR)) is not None
    assert p._fitted((*PAIR, BAD_SEEDS[kind])) is None
    assert [type(value) for value in values] == [np.ndarray, float]
    prepare, call, right = SEEDED["hvp"]
    p = prepare()
    call(p, right)
    with pytest.raises(PreparationMismatchError):
        call(p, BAD_SEEDS[kind])


def test_arguments_of_other_classes_are_looked_at_closely() -> None:
    class Mine(np.ndarray):
        pass

    p = adxform.prepare_gradient(cubes, X)
    for value in (X.view(Mine), np.ma.masked_array(X), [1.0, 2.0], 1.0, None, X.astype(">f8")):
        assert p.made.quickly((value,), {}) is None
    assert check_of(p.signature.args[0], iter([None]))(X, [])


OUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "of another dtype": lambda x: np.empty(3, np.float32),
    "of another shape": lambda x: np.empty((3, 1)),
    "longer": lambda x: np.empty(4),
    "the argument": lambda x: x,
    "a view of the argument": lambda x: x[::-1],
    "read-only": lambda x: np.broadcast_to(0.0, (3,)),
    "a list": lambda x: [0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("kind", OUTS)
def test_what_cannot_be_written_to_is_refused(kind: str) -> None:
    x, v = X.copy(), np.ones(3)
    gradient, product = adxform.prepare_gradient(cubes, x), adxform.prepare_hvp(cubes, x)
    for p, args in ((gradient, (x,)), (product, (x, v)), (product, (v, x))):
        p(*args, out=np.empty(3))
        with pytest.raises(PreparationMismatchError):
            p(*args, out=OUTS[kind](x))
        np.testing.assert_array_equal(x, X)


def test_every_array_that_can_be_written_to_is() -> None:
    gradient, product = adxform.prepare_gradient(cubes, X), adxform.prepare_hvp(cubes, X)
    matrix = np.zeros((3, 4))
    for out in (np.empty(3), matrix[:, 1], matrix[1, :3], np.empty(6)[::-2], np.empty(3)[::-1]):
        assert gradient(X, out=out) is out
        np.testing.assert_allclose(out, 3.0 * X**2)
        assert product(X, X, out=out) is out
        np.testing.assert_allclose(out, 6.0 * X**2)
    whole = np.arange(6.0)
    np.testing.assert_allclose(gradient(whole[:3], out=whole[3:]), [0.0, 3.0, 12.0])
    with pytest.raises(PreparationMismatchError):
        gradient(whole[1:4], out=whole[3:])


def test_results_are_no_memory_that_is_kept() -> None:
    p = adxform.prepare_gradient(cubes, X)
    out = np.empty(3)
    p(X, out=out)
    first = p(X)
    p(2.0 * X, out=np.empty(3))
    np.testing.assert_allclose(first, 3.0 * X**2)
    np.testing.assert_allclose(out, 3.0 * X**2)


def module(source: str) -> Any:
    """A module of its own, so that its names can be bound anew; with source that can be read."""
    made = types.ModuleType("apart")
    made.__dict__.update(np=np)
    linecache.cache["apart.py"] = len(source), None, source.splitlines(True), "apart.py"
    exec(compile(source, "apart.py", "exec"), made.__dict__)
    return made


SOURCE = """
def helper(a):
    return a * a

def other(a):
    return a * a * a

scale = 2.0

def f(x):
    return np.sum(helper(x)) * scale
"""


def test_what_is_bound_anew_is_seen_after_quick_calls() -> None:
    apart = module(SOURCE)
    p, q = adxform.prepare_gradient(apart.f, X), adxform.prepare_hvp(apart.f, X)
    out = np.empty(3)
    for scale in (2.0, 3.0, np.float64(4.0)):
        apart.scale = scale
        for found in (p(X), p(X, out=out)):
            np.testing.assert_allclose(found, 2.0 * X * scale)
        np.testing.assert_allclose(q(X, X), 2.0 * X * scale)
    apart.helper, kept = apart.other, apart.helper
    for call in (lambda: p(X), lambda: p(X, out=out), lambda: q(X, X), lambda: q(X, X, out=out), lambda: p.value_and_gradient(X)):
        with pytest.raises(PreparationMismatchError, match="`helper` was redefined since"):
            call()
    apart.helper = kept
    np.testing.assert_allclose(p(X), 2.0 * X * 4.0)
    kept.__code__ = apart.other.__code__
    with pytest.raises(PreparationMismatchError, match="`helper` was redefined since"):
        p(X)
    apart.scale = 2
    with pytest.raises(PreparationMismatchError, match="scale"):
        p(X)


def softened(a: Any) -> Any:
    return np.log1p(np.exp(a))


def elsewhere(a: Any) -> Any:
    return a * 2.0


def rounded(x: Any) -> Any:
    return np.sum(softened(x))


def test_rules_registered_later_are_seen_where_they_matter() -> None:
    p = adxform.prepare_gradient(rounded, X)
    expected = p(X)

    @adxform.rule(elsewhere)
    def _(a: Any) -> Any:
        return elsewhere(a), lambda y_ct: 2.0 * y_ct

    for _ in range(2):
        np.testing.assert_array_equal(p(X), expected)

    @adxform.rule(softened)
    def _(a: Any) -> Any:
        def pullback(y_ct: Any) -> Any:
            return y_ct / (1.0 + np.exp(-a))

        return softened(a), pullback

    for _ in range(2):
        with pytest.raises(PreparationMismatchError, match="a rule for"):
            p(X)


def test_threads_and_recursion_have_memory_of_their_own() -> None:
    p = adxform.prepare_hvp(weighted, X, X)
    starts = [np.full(3, float(i)) for i in range(8)]
    outs = [np.empty(3) for _ in starts]

    def work(i: int) -> None:
        for _ in range(200):
            p(starts[i], X, X, out=outs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for start, out in zip(starts, outs, strict=True):
        np.testing.assert_allclose(out, -np.sin(start) * X * X)


def test_errors_give_the_memory_back() -> None:
    p = adxform.prepare_gradient(inverted, np.eye(2))
    out = np.empty((2, 2))
    p(np.eye(2), out=out)
    for _ in range(3):
        with pytest.raises(np.linalg.LinAlgError):
            p(np.zeros((2, 2)), out=out)
    ((_, pool),) = p.made.buffered
    assert len(pool.free) == 1
    np.testing.assert_allclose(p(2.0 * np.eye(2), out=out), -0.25 * np.ones((2, 2)))


def inverted(a: Any) -> Any:
    return np.sum(np.linalg.inv(a))


def test_tallies_count_every_step_of_every_thread() -> None:
    tally = Tally()
    threads = [threading.Thread(target=lambda: [tally.step() for _ in range(10_000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tally.total(), tally.total()) == (40_000, 40_000)
    tally.reset()
    tally.step()
    assert (tally.total(), tally.total()) == (1, 1)


def test_dicts_have_the_same_keys_in_the_same_order() -> None:
    def f(d: Any) -> Any:
        return np.sum(d["w"] * X) + d[1]

    p = adxform.prepare_gradient(f, {"w": X, 1: 2.0}, engine="python")
    assert p.made.quickly(({"w": X, 1: 3.0},), {}) is not None
    for wrong in ({1: 3.0, "w": X}, {"w": X}, {"w": X, 1: 3.0, 2: 0.0}, {"w": X, 2: 3.0}, {}, [X, 3.0]):
        assert p.made.quickly((wrong,), {}) is None
    assert adxform.prepare_gradient(lambda d, x: x * 2.0, {}, 1.0, argnums=1)({}, 3.0) == 2.0
