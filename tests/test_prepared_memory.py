"""Calls with `out=`: the same numbers as without, in memory that the preparation keeps and never gives away."""

from __future__ import annotations

import copy
import functools
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.frontend.signature import Node, meta_of, parts
from adxform.primitives.record import Constant, Effect, Partials, Primitive
from adxform.runtime.dispatch.result_structures import assemble
from benchmarks import memory
from benchmarks.memory import BY_COLUMNS, DERIVATIVES, peak_and_kept, warm
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.test_corpus import SCALAR_PROGRAMS, quiet

SCALAR = [program for program in SCALAR_PROGRAMS if program.raises is None]
PREPARE: dict[str, Callable[..., Any]] = {
    "gradient": adxform.prepare_gradient,
    "hvp": adxform.prepare_hvp,
    "hessian": adxform.prepare_hessian,
    "jacobian": adxform.prepare_jacobian,
}
FORMS = {
    "gradient": ("__call__", "value_and_gradient"),
    "hvp": ("__call__", "gradient_and_hvp", "value_gradient_and_hvp"),
    "hessian": ("__call__", "value_gradient_and_hessian"),
    "jacobian": ("__call__", "value_and_jacobian"),
}


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """`value` with `change` made to each of its leaves."""
    found = parts(value)
    if found is None:
        return change(value)
    structure, keys, children = found
    items = [mapped(change, child) for child in children]
    return assemble(Node(structure, type(value), keys, (), meta_of(value)), items)


def leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    mapped(found.append, value)
    return found


def targets(value: Any) -> Any:
    """Arrays for the arrays of a result, full of NaN, and ``None`` for everything else."""

    def target(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return None
        return np.full_like(leaf, np.nan) if leaf.dtype.kind == "f" else np.full_like(leaf, -77)

    return mapped(target, value)


def tangents(value: Any, rng: np.random.Generator) -> Any:
    """A vector for `value`."""

    def tangent(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray | np.floating):
            return None if leaf.dtype.kind != "f" else rng.normal(size=leaf.shape).astype(leaf.dtype)[()]
        return float(rng.normal()) if isinstance(leaf, float) else None

    return mapped(tangent, value)


def close(found: Any, expected: Any) -> None:
    """Assert that two results are the same up to rounding: sums into memory of another layout may be taken in another order."""
    assert len(leaves(found)) == len(leaves(expected))
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        if other is None or isinstance(other, str):
            assert one == other
        else:
            assert np.shape(one) == np.shape(other)
            assert np.result_type(one) == np.result_type(other)
            single = np.result_type(other) in (np.float32, np.float16)
            np.testing.assert_allclose(one, other, rtol=1e-4 if single else 1e-11, atol=1e-4 if single else 1e-11)


CASES = [(kind, program) for kind in PREPARE for program in SCALAR[:: 1 if kind in ("gradient", "hvp") else 5]]


@pytest.mark.parametrize(("kind", "program"), CASES, ids=lambda value: getattr(value, "name", value))
@quiet
def test_the_same_numbers_wherever_they_go(kind: str, program: Program) -> None:
    rng = np.random.default_rng(11)
    f, wrt = program.function, program.wrt
    prepared = PREPARE[kind](f, *program.points[0].fresh(), argnums=wrt, strict=False)
    held: list[tuple[Any, Any]] = []
    for point in (*program.points, *program.points):
        args = point.fresh()
        if kind == "hvp":
            args = (*args, tuple(tangents(args[i], rng) for i in wrt))
        before = copy.deepcopy(args)
        for form in FORMS[kind]:
            call = getattr(prepared, form)
            expected = call(*args)
            out = targets(expected)
            found = call(*args, out=out)
            close(found, expected)
            for one, other in zip(leaves(found), leaves(out), strict=False):
                assert other is None or one is other
            if type(out) is tuple and out:
                part = call(*args, out=(None, *out[1:]))
                close(part, expected)
                held.append((part[0], copy.deepcopy(part[0])))
        close(args, before)
    for part, then in held:
        close(part, then)


@pytest.mark.parametrize("program", SCALAR, ids=lambda program: program.name)
@quiet
def test_products_at_one_point_are_the_same_wherever_they_go(program: Program) -> None:
    rng = np.random.default_rng(11)
    f, wrt = program.function, program.wrt
    q = adxform.prepare_hvp_same_point(f, *program.points[0].fresh(), argnums=wrt, strict=False)
    held: list[tuple[Any, Any]] = []
    for point in (*program.points, *program.points):
        args = point.fresh()
        here = q.at(*args)
        for _ in range(3):
            v = tuple(tangents(args[i], rng) for i in wrt)
            before = copy.deepcopy(v)
            expected = here(v)
            out = targets(expected)
            found = here(v, out=out)
            close(found, expected)
            close(v, before)
            for one, other in zip(leaves(found), leaves(out), strict=False):
                assert other is None or one is other
            part = here(v, out=(None, *out[1:]))
            close(part, expected)
            held.append((part[0], copy.deepcopy(part[0])))
            close(here(v), expected)
    for part, then in held:
        close(part, then)


def stacked(trees: list[Any]) -> Any:
    """Vectors as a batch."""
    columns = iter([np.stack(column) if column[0] is not None else None for column in zip(*map(leaves, trees), strict=True)])
    return mapped(lambda _: next(columns), trees[0])


BATCHES = ("jvp", "vjp", "hvp", "hvp_same_point")
MANY = [
    (kind, program)
    for kind in BATCHES
    for program in (SCALAR if kind.startswith("hvp") else [program for program in PROGRAMS if program.raises is None])[::4]
]


@pytest.mark.parametrize(("kind", "program"), MANY, ids=lambda value: getattr(value, "name", value))
@quiet
def test_batches_are_the_same_wherever_they_go(kind: str, program: Program) -> None:
    rng = np.random.default_rng(11)
    f, wrt = program.function, program.wrt
    options = {"directions": 3, "strict": False, **({"argnums": wrt} if kind.startswith("hvp") else {})}
    prepared = getattr(adxform, f"prepare_{kind}")(f, *program.points[0].fresh(), **options)
    for point in (*program.points, *program.points):
        args = point.fresh()
        call: Callable[..., Any]
        match kind:
            case "jvp":
                likes: Any = args
                call = functools.partial(prepared.batch, args)
            case "vjp":
                likes = prepared(*point.fresh())[0]
                call = functools.partial(prepared.batch, args)
            case "hvp":
                likes = tuple(args[i] for i in wrt)
                call = functools.partial(prepared.batch, *args)
            case _:
                likes = tuple(args[i] for i in wrt)
                call = prepared.at(*args).batch
        for count in (5, 1, 3):
            vectors = [tangents(likes, rng) for _ in range(count)]
            if not any(leaf is not None for leaf in leaves(vectors[0])):
                pytest.skip("nothing is differentiated")
            batch = stacked(vectors)
            before = copy.deepcopy((args, batch))
            expected = call(batch)
            out = targets(expected)
            found = call(batch, out=out)
            close(found, expected)
            for one, other in zip(leaves(found), leaves(out), strict=False):
                assert other is None or one is other
            close((args, batch), before)
            if kind == "vjp":
                alone = prepared.cotangents(args, vectors[0])
                close(prepared.cotangents(args, vectors[0], out=targets(alone)), alone)
            if isinstance(out, tuple) and out:
                part = call(batch, out=(None, *out[1:]))
                held = copy.deepcopy(part[0])
                call(stacked([tangents(likes, rng) for _ in range(count)]), out=out)
                close(part[0], held)


@pytest.mark.parametrize("program", SCALAR[::9], ids=lambda program: program.name)
@pytest.mark.parametrize("kind", ["hvp", "hessian"])
@quiet
def test_forward_over_forward_is_the_same_wherever_it_goes(kind: str, program: Program) -> None:
    rng = np.random.default_rng(11)
    args = program.points[0].fresh()
    options = {"argnums": program.wrt, "mode": "forward-over-forward"}
    prepared = PREPARE[kind](program.function, *args, **options)
    vector = (tuple(tangents(args[i], rng) for i in program.wrt),) if kind == "hvp" else ()
    for form in FORMS[kind]:
        call = getattr(prepared, form)
        expected = call(*args, *vector)
        for _ in range(2):
            out = targets(expected)
            found = call(*args, *vector, out=out)
            close(found, expected)
            for one, other in zip(leaves(found), leaves(out), strict=False):
                assert other is None or one is other


# -- memory -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", memory.PROGRAMS)
@pytest.mark.parametrize("kind", DERIVATIVES)
def test_a_warm_call_makes_no_array(f: Any, kind: str) -> None:
    (small, none), (large, nothing) = (peak_and_kept(warm(kind, f, n)) for n in (10_000, 90_000))
    assert (none, nothing) == (0, 0)
    assert abs(large - small) < 1_000


@pytest.mark.parametrize("f", memory.PROGRAMS)
@pytest.mark.parametrize("kind", BY_COLUMNS)
def test_a_warm_matrix_makes_no_array(f: Any, kind: str) -> None:
    (small, none), (large, nothing) = (peak_and_kept(warm(kind, f, n)) for n in (64, 144))
    assert (none, nothing) == (0, 0)
    assert large - small < 9 * 8 * 144  # NumPy's buffers, of up to 8192 numbers


def test_memory_is_made_once_for_the_lengths_of_the_call() -> None:
    f = memory.stepped
    x, w = np.random.default_rng(3).normal(size=(2, 50))
    p = adxform.prepare_gradient(f, x, w)

    def made(x: Any, w: Any) -> int:
        before = adxform.stats()["buffer_allocs"]
        p(x, w, out=np.empty_like(x))
        return adxform.stats()["buffer_allocs"] - before

    assert made(x, w) > 0
    assert made(w, x) == 0
    assert made(x[:40], w[:40]) > 0
    assert made(w[:40], x[:40]) == 0


# -- lent, not given ------------------------------------------------------------------------------------------------------


def test_threads_have_memory_of_their_own() -> None:
    f = memory.stepped
    points = np.random.default_rng(3).normal(size=(16, 2, 300))
    p = adxform.prepare_value_and_gradient(f, *points[0])
    expected = [p(x, w) for x, w in points]
    wrong: list[int] = []
    start = threading.Barrier(16)

    def work(k: int) -> None:
        x, w = points[k]
        out = np.empty(300)
        start.wait()
        for _ in range(40):
            out[:] = np.nan
            value, _ = p(x, w, out=(None, out))
            if value != expected[k][0] or not np.array_equal(out, expected[k][1]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class MoodError(Exception):
    """Raised by `moody`."""


MOOD: list[Any] = [None]


def mood() -> None:
    """What `MOOD` does."""
    if MOOD[0] is not None:
        MOOD[0]()


adxform.register(Primitive(mood, "mood", Constant(), Effect(opaque=True)))


def moody(x, w):
    y = x.copy()
    for i in range(3):
        y[1:] = y[1:] * w[:-1] + y[:-1]
        if i == 1:
            mood()
        y = np.sin(y)
    return np.sum(y * x)


def test_threads_share_a_point() -> None:
    rng = np.random.default_rng(3)
    x, w, *vectors = rng.normal(size=(10, 300))
    for f in (memory.stepped, memory.elementwise):
        q = adxform.prepare_hvp_same_point(f, x, w)
        expected = [q(v) for v in vectors]
        wrong: list[int] = []
        start = threading.Barrier(8)

        def work(k: int, q: Any = q, start: Any = start, expected: Any = expected, wrong: list[int] = wrong) -> None:
            out = np.empty(300)
            start.wait()
            for _ in range(40):
                out[:] = np.nan
                q(vectors[k], out=out)
                if not np.array_equal(out, expected[k]):
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_call_inside_a_call_has_memory_of_its_own() -> None:
    x, w, v = np.random.default_rng(3).normal(size=(3, 20))
    p = adxform.prepare_gradient(moody, x, w)
    expected, inner = p(x, w), p(v, x)
    out, other = np.empty((2, 20))

    def again() -> None:
        MOOD[0] = None
        p(v, x, out=other)

    for _ in range(3):
        MOOD[0] = again
        p(x, w, out=out)
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(other, inner)


def test_calls_go_on_after_an_exception() -> None:
    x, w, v = np.random.default_rng(3).normal(size=(3, 20))
    p, h = adxform.prepare_hvp(moody, x, w), adxform.prepare_hessian(moody, x, w)
    expected, matrix = p(x, w, v), h(x, w)
    out, table = np.empty(20), np.empty((20, 20))

    def fail() -> None:
        raise MoodError

    for _ in range(2):
        MOOD[0] = fail
        with pytest.raises(MoodError):
            p(x, w, v, out=out)
        with pytest.raises(MoodError):
            h(x, w, out=table)
        calls = iter(range(3))
        MOOD[0] = lambda calls=calls: next(calls, None) is None and fail()
        with pytest.raises(MoodError):
            h(x, w, out=table)
        MOOD[0] = None
        np.testing.assert_array_equal(p(x, w, v, out=out), expected)
        np.testing.assert_array_equal(h(x, w, out=table), matrix)


def test_what_is_returned_is_the_callers() -> None:
    def f(x, w):
        y = np.sin(x) * w
        rows = [y, y[::2], x]
        return np.sum(y * y), {"y": y, "rows": rows, "same": y, "twice": np.stack((x, w))}

    x, w = np.random.default_rng(3).normal(size=(2, 8))
    p = adxform.prepare_gradient(f, x, w, has_aux=True)
    (_, first), (_, second) = p(x, w), p(w, x)
    out = np.empty(8)
    held, kept = p(x, w, out=(out, None))
    assert held is out
    p(w, x, out=(out, None))
    close(kept, first)
    assert not any(np.may_share_memory(a, b) for a in leaves(kept) for b in (x, w, out))
    aux = targets(first)
    _, found = p(w, x, out=(None, aux))
    close(found, second)
    assert found["y"] is aux["y"]
    assert found["rows"][1] is aux["rows"][1]


KEPT: list[tuple[Any, Any]] = []


def noted(x: Any) -> Any:
    """Keep `x`, and its contents as they are now."""
    KEPT.append((x, x.copy()))
    return 0.5 * x


def halved(x: Any) -> Any:
    """A function with a rule that keeps what it is given."""
    return noted(x)


def bounded(x: Any) -> Any:
    """The same behind a boundary."""
    return noted(x)


@adxform.rule(bounded, boundary=True)
def _(x):
    def pullback(y_ct):
        return 0.5 * y_ct

    return bounded(x), pullback


def unknown(x: Any) -> None:
    """A function that may do anything."""
    noted(x)


adxform.register(Primitive(halved, "halved", Partials(lambda y, x: 0.5)))
adxform.register(Primitive(unknown, "unknown", Constant(), Effect(opaque=True)))


def through_a_rule(x, w):
    return np.sum(halved(x * w) ** 2)


def through_a_loop(x, w):
    y = x * w
    for _ in range(3):
        y = halved(y) + 0.1 * np.sin(y)
    return np.sum(y * y)


def through_a_boundary(x, w):
    y = x * w
    for _ in range(3):
        y = bounded(y) + 0.1 * np.sin(y)
    return np.sum(y * y)


def through_an_unknown_function(x, w):
    y = x * w
    for _ in range(3):
        y = 0.5 * y + 0.1 * np.sin(y)
        unknown(y)
    return np.sum(y * y)


@pytest.mark.parametrize("f", [through_a_rule, through_a_loop, through_a_boundary, through_an_unknown_function])
def test_what_a_users_function_keeps_stays_as_it_is(f: Any) -> None:
    x, w, v = np.random.default_rng(3).normal(size=(3, 6))
    p, h = adxform.prepare_gradient(f, x, w), adxform.prepare_hvp(f, x, w)
    KEPT.clear()
    q = adxform.prepare_hvp_same_point(f, x, w)
    for scale in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(q(scale * v, out=np.empty(6)), scale * h(x, w, v), rtol=1e-13)
    for scale in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(p(scale * x, w, out=np.empty(6)), p(scale * x, w), rtol=1e-14)
        np.testing.assert_allclose(h(scale * x, w, v, out=np.empty(6)), h(scale * x, w, v), rtol=1e-13)
    assert KEPT
    for kept, then in KEPT:
        np.testing.assert_array_equal(kept, then)


def test_results_that_are_arguments_or_one_another() -> None:
    def linear(x, w):
        return np.dot(x, w)

    def square(x, w):
        return 0.5 * np.dot(x, x) + np.sum(w)

    x, w, v = np.random.default_rng(3).normal(size=(3, 6))
    a, b = np.empty((2, 6))
    adxform.prepare_gradient(linear, x, w, argnums=(0, 1))(x, w, out=(a, b))
    np.testing.assert_array_equal((a, b), (w, x))
    fresh, _ = adxform.prepare_gradient(linear, x, w, argnums=(0, 1))(x, w, out=(None, b))
    assert not np.may_share_memory(fresh, w)
    h = adxform.prepare_hvp(square, x, w)
    np.testing.assert_array_equal(h(x, w, v, out=a), v)
    h.gradient_and_hvp(x, w, v, out=(a, b))
    np.testing.assert_array_equal((a, b), (x, v))
    np.testing.assert_array_equal(adxform.prepare_hessian(square, x, w)(x, w, out=np.empty((6, 6))), np.eye(6))


@pytest.mark.parametrize(
    "make", [np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2], lambda a: a[::-1].copy()[::-1], np.ascontiguousarray]
)
def test_targets_and_arguments_of_any_layout(make: Any) -> None:
    def f(x, w):
        y = x * w
        y[1:] += y[:-1] ** 2
        return np.sum(np.tanh(y).T @ x)

    x, w, v = np.random.default_rng(3).normal(size=(3, 4, 5))
    expected, matrix = adxform.grad(f)(x, w), adxform.hessian(f)(x, w)
    out, table = make(np.full((4, 5), np.nan)), np.full((5, 4, 5, 4), np.nan).T
    given = make(x), make(w)
    np.testing.assert_allclose(adxform.prepare_gradient(f, x, w)(*given, out=out), expected, rtol=1e-12)
    product = adxform.prepare_hvp(f, x, w)(*given, make(v), out=out)
    np.testing.assert_allclose(product, adxform.hvp(f)(x, w, v), rtol=1e-12)
    assert product is out
    np.testing.assert_allclose(adxform.prepare_hessian(f, x, w)(*given, out=table), matrix, rtol=1e-12)
    columns = np.full((5, 4, 5, 4), np.nan).T
    found = adxform.prepare_jacobian(adxform.grad(f), x, w, mode="forward")(*given, out=columns)
    np.testing.assert_allclose(found, matrix, rtol=1e-12)


def test_arguments_are_left_alone() -> None:
    def f(x, w):
        x *= w
        x[0] = 3.0
        return np.sum(x * x)

    x, w, v = np.random.default_rng(3).normal(size=(3, 6))
    kept = x.copy()
    out = np.empty(6)
    for _ in range(3):
        p = adxform.prepare_hvp(f, x, w)
        np.testing.assert_array_equal(p(x, w, v, out=out), p(x, w, v))
    np.testing.assert_array_equal(x, kept)


def test_lengths_of_zero_one_and_many() -> None:
    f = memory.helped
    p = adxform.prepare_gradient(lambda x, w: np.sum(np.sin(x) * w), np.ones(3), np.ones(3))
    for n in (3, 0, 5, 0, 3):
        x, w = np.random.default_rng(n).normal(size=(2, n))
        np.testing.assert_array_equal(p(x, w, out=np.full(n, np.nan)), p(x, w))
    h = adxform.prepare_hessian(f, np.ones(3), np.ones(3))
    for n in (3, 2, 5, 3):
        x, w = np.random.default_rng(n).normal(size=(2, n))
        np.testing.assert_array_equal(h(x, w, out=np.full((n, n), np.nan)), h(x, w))


# -- built once -----------------------------------------------------------------------------------------------------------


def test_everything_is_built_when_it_is_prepared() -> None:
    x, w, v = np.random.default_rng(3).normal(size=(3, 9))
    f = memory.stepped
    prepared = adxform.prepare_hvp(f, x, w)
    mark, before = prepared.fingerprint(), adxform.stats()
    prepared(x, w, v, out=np.empty(9))
    again = pickle.loads(pickle.dumps(prepared))
    again.gradient_and_hvp(x, w, v, out=(np.empty(9), np.empty(9)))
    after = adxform.stats()
    assert [after[name] - before[name] for name in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]
    assert prepared.fingerprint() == again.fingerprint() == mark
    np.testing.assert_array_equal(again(x, w, v, out=np.empty(9)), prepared(x, w, v))
    products = adxform.prepare_hvp_same_point(f, x, w)
    mark, before = products.fingerprint(), adxform.stats()
    again = pickle.loads(pickle.dumps(products))
    np.testing.assert_array_equal(again(v, out=np.empty(9)), products(v))
    np.testing.assert_array_equal(again.at(w, x)(v, out=np.empty(9)), products.at(w, x)(v, out=np.empty(9)))
    after = adxform.stats()
    assert [after[name] - before[name] for name in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]
    assert products.fingerprint() == again.fingerprint() == mark
