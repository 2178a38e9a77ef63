"""Rules compiled for the lengths that are equal in their arguments: right for every call, whatever is equal in that."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import PreparationMismatchError
from adxform.runtime.cache import EQUALITIES
from tests.corpus import lengths
from tests.corpus.case import Program, programs_of
from tests.oracle import central_jacobian, flat_function, float_leaves, pack

pytestmark = pytest.mark.usefixtures("interpreted")
Shapes = tuple[tuple[int, ...], ...]


def fields(ex, hz):  # type: ignore[no-untyped-def]
    e = ex.copy()
    e[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
    return np.sum(e * e) + np.sum(np.sin(hz))


def rows_and_columns(u):  # type: ignore[no-untyped-def]
    total = np.sum(u**3)
    for i in range(1, u.shape[0]):
        total += np.sum(u[i, 1:] * u[i - 1, :-1])
    return total


def outer(a, b):  # type: ignore[no-untyped-def]
    return np.sum(np.tanh(a[:, None] * b[None, :]) * b)


def told_by_lengths(a, b):  # type: ignore[no-untyped-def]
    if len(a) == len(b):
        return np.sum(a * b)
    return np.sum(a) * np.sum(b)


def about(points, at):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(points.shape[0]):
        away = points[i] - at
        total += np.sum(away**2 * np.cos(points[i]))
    return total


def in_space(points):  # type: ignore[no-untyped-def]
    place = np.zeros(3)
    for i in range(points.shape[0]):
        place = place * 0.9 + np.sin(points[i])
    return np.sum(place * place)


CASES: list[tuple[Callable[..., Any], list[Shapes]]] = [
    (fields, [((4, 4), (4, 4)), ((3, 5), (3, 5)), ((0, 3), (0, 3)), ((2, 2), (2, 2)), ((3, 4), (4, 3)), ((3, 3), (3, 4))]),
    (rows_and_columns, [((4, 4),), ((3, 5),), ((5, 3),), ((0, 0),), ((0, 2),), ((2, 0),)]),
    (outer, [((3,), (3,)), ((3,), (4,)), ((0,), (0,)), ((0,), (2,)), ((2,), (0,))]),
    (told_by_lengths, [((3,), (3,)), ((3,), (4,)), ((0,), (0,)), ((0,), (4,))]),
    (about, [((5, 3), (3,)), ((5, 2), (2,)), ((2, 7), (7,)), ((0, 3), (3,)), ((4, 4), (4,)), ((3, 0), (0,))]),
    (in_space, [((5, 3),), ((0, 3),), ((3, 3),)]),
]
ONES = [
    (in_space, ((2, 1),)),
    (fields, ((1, 1), (1, 1))),
    (fields, ((3, 1), (3, 1))),
    (outer, ((1,), (3,))),
    (outer, ((1,), (1,))),
]


def arrays(shapes: Shapes, seed: int = 0) -> list[Any]:
    """Arguments of these shapes."""
    chance = np.random.default_rng(seed)
    return [chance.normal(size=shape) for shape in shapes]


def outcome(run: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, or the class of what it raises."""
    try:
        return run(*args)
    except Exception as error:
        return type(error)


def agree(found: Any, expected: Any) -> None:
    """See that two outcomes are the same."""
    if isinstance(expected, type):
        assert found is expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("fn", "points"), CASES, ids=lambda part: getattr(part, "__name__", ""))
@pytest.mark.parametrize("again", [False, True])
def test_every_pattern_of_lengths(fn: Callable[..., Any], points: list[Shapes], again: bool) -> None:
    """In either order of points, for gradients, prepared ones, also read from bytes, and products."""
    points = points[::-1] if again else points
    first = arrays(next(shapes for shapes in points if not isinstance(outcome(fn, *arrays(shapes)), type)))
    plain, compiled = adxform.prepare_gradient(fn, *first), adxform.prepare_gradient(fn, *first, engine="numba")
    before = compiled.fingerprint()
    read = pickle.loads(pickle.dumps(compiled))
    for shapes in (*points, *points):
        args, v = arrays(shapes), arrays(shapes, 1)[0]
        expected = outcome(plain, *args)
        agree(outcome(adxform.grad(fn, engine="numba"), *args), expected)
        for prepared in (compiled, read):
            agree(outcome(prepared, *args), expected)
            out = np.full(shapes[0], np.nan)
            agree(outcome(lambda *given: prepared(*given, out=out), *args), expected)
        agree(outcome(adxform.hvp(fn, engine="numba"), *args, v), outcome(adxform.hvp(fn), *args, v))
        if not isinstance(expected, type) and args[0].size:
            shape = args[0].shape
            slope, error = central_jacobian(lambda x: np.atleast_1d(fn(x.reshape(shape), *args[1:])), args[0].ravel())
            np.testing.assert_allclose(expected.ravel(), slope.ravel(), atol=1e-7 + 10.0 * error)
    assert compiled.fingerprint() == before == read.fingerprint()


@pytest.mark.parametrize(("fn", "shapes"), ONES)
def test_lengths_of_one(fn: Callable[..., Any], shapes: Shapes) -> None:
    args = arrays(shapes)
    agree(outcome(adxform.grad(fn, engine="numba"), *args), outcome(adxform.grad(fn), *args))
    with pytest.raises(PreparationMismatchError):
        adxform.prepare_gradient(fn, *arrays(tuple((4,) * len(shape) for shape in shapes)), engine="numba")(*args)


def five(a, b, c, d):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(a)) * np.sum(b * b) * np.sum(np.cos(c)) * np.sum(d * d)


def test_more_patterns_than_there_are_forms() -> None:
    prepared = adxform.prepare_gradient(five, *arrays(((2,), (2,), (2,), (2,))), engine="numba")
    patterns = [(2, 2, 2, 3), (2, 2, 3, 3), (2, 3, 3, 3), (2, 3, 2, 3), (3, 2, 2, 3), (2, 3, 4, 5), (2, 2, 2, 2), (5, 3, 5, 4)]
    for pattern in patterns:
        args = arrays(tuple((n,) for n in pattern))
        agree(prepared(*args), adxform.grad(five)(*args))
        agree(adxform.grad(five, engine="numba")(*args), adxform.grad(five)(*args))
    assert len(prepared.made.others) <= EQUALITIES


def gradient_inside(u, v):  # type: ignore[no-untyped-def]
    return np.sum(adxform.grad(fields)(u, v) * v)


@pytest.mark.parametrize("shapes", [((3, 3), (3, 3)), ((2, 4), (2, 4)), ((4, 2), (4, 2))])
def test_inside_a_function(shapes: Shapes) -> None:
    args = arrays(shapes)
    agree(adxform.grad(gradient_inside, engine="numba")(*args), adxform.grad(gradient_inside)(*args))


def test_equal_lengths_need_no_broadcasting() -> None:
    args = arrays(((4, 4), (4, 4)))
    assert "unbroadcast" not in adxform.source(fields, *args, engine="numba")


def test_an_engine_that_does_not_compile_has_one_form() -> None:
    square, oblong = arrays(((4, 4), (4, 4))), arrays(((3, 5), (3, 5)))
    assert adxform.source(fields, *square) == adxform.source(fields, *oblong)
    assert adxform.prepare_gradient(fields, *square).made.fits is None


def test_strict_preparations_take_every_length() -> None:
    prepared = adxform.prepare_gradient(fields, *arrays(((4, 4), (4, 4))), engine="numba")
    for shapes in (((3, 5), (3, 5)), ((2, 2), (2, 2))):
        prepared.check(*arrays(shapes))
        agree(prepared(*arrays(shapes)), adxform.grad(fields)(*arrays(shapes)))
    with pytest.raises(PreparationMismatchError):
        prepared(*arrays(((4, 4), (4, 1))))


def gates(w, x):  # type: ignore[no-untyped-def]
    b = len(x)
    total = np.zeros(b)
    for _ in range(2):
        total = np.tanh(x * w[:b] + w[b : 2 * b]) * w[2 * b :] + total
    return np.sum(total)


def window(w, x, start, stop):  # type: ignore[no-untyped-def]
    return np.sum(x * w[start:stop] ** 2)


def halves(m, k):  # type: ignore[no-untyped-def]
    left, right = m[:, :k], m[:, k:]
    return np.sum(left * m[:, 1:3]) + np.sum(right * m[0, :2])


def stored(u, v, a, b):  # type: ignore[no-untyped-def]
    u = u.copy()
    u[a:b] = v * v
    u[a + 1 : b] += v[1:]
    return np.sum(u**3)


def of_one(u, v, a, b):  # type: ignore[no-untyped-def]
    u = u.copy()
    u[a:b] = v[1:]
    u[:3] += v[:-1]
    return np.sum(u**3)


def literal(u, v):  # type: ignore[no-untyped-def]
    u = u * 1.0
    u[0:2] = v * u[1:3]
    u[1:3] += v
    u[-2:] *= v
    return np.sum(u**3) + np.sum(u[:2] * v)


def by_index(u, v, places):  # type: ignore[no-untyped-def]
    u = u.copy()
    for i in range(2):
        u[places[i] : places[i] + len(v)] += v
    return np.sum(u**3)


def in_a_branch(w, x, k):  # type: ignore[no-untyped-def]
    part = w[:k]
    if k > 2:
        return np.sum(x * part)
    return np.sum(part**2)


def by_rows(m, v, k):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(m.shape[0]):
        total += np.sum(v * m[i, i : i + k] * m[i, k:])
    return total


def packed(theta, v, k):  # type: ignore[no-untyped-def]
    first, rows = theta[:k], theta[k : 3 * k].reshape(k, 2)
    changed = rows.copy()
    changed[:, 0] += v
    return np.sum(np.sin(first)[:, None] * changed) + np.sum(rows[:, 0] * v) + np.sum((np.zeros(k) + v * v) ** 2 * first)


def counted(theta, k, a):  # type: ignore[no-untyped-def]
    total = np.sum((theta[:k] + np.ones(k)) ** 3)
    if theta.shape[0] > 4:
        total += np.sum(np.zeros((a, 2)) + theta[:k, None]) + np.sum(theta[a : 2 * a] * theta[:a])
    for i in range(k):
        total += np.sum(theta[:a] * theta[i : i + a])
    return total


SLICES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (gates, [(9, 3), (8, 3), (7, 3), (10, 3), (5, 3), (0, 0), (2, 0), (4, 2), (3, 4), (6, 2)]),
    (window, [(6, 3, 1, 4), (6, 3, 3, 9), (6, 3, 4, 5), (6, 3, -3, 6), (6, 3, -5, -2), (6, 3, 0, 3), (6, 0, 4, 2)]),
    (window, [(6, 0, 9, 9), (6, 3, 2, 4), (6, 3, -9, 3), (6, 3, 5, 20), (6, 2, 0, -4), (0, 0, 0, 0), (0, 0, 3, 5), (3, 3, 0, 7)]),
    (halves, [((2, 4), 2), ((3, 4), 2), ((3, 4), 3), ((3, 4), 1), ((3, 4), -2), ((3, 4), 9), ((2, 2), 0)]),
    (stored, [(6, 3, 1, 4), (6, 3, 3, 9), (6, 3, -3, 6), (6, 3, 0, 3), (6, 3, 1, 5), (6, 3, -9, 3), (6, 0, 4, 2), (3, 3, 0, 3)]),
    (of_one, [(6, 3, 1, 3), (6, 2, 1, 4), (6, 2, 1, 2), (6, 3, 1, 4), (2, 2, 0, 1), (6, 4, 1, 4)]),
    (literal, [(4, 2), (4, 3), (2, 2), (3, 2), (5, 0), (0, 0)]),
    (by_index, [(6, 2, np.array([1, 3])), (6, 2, np.array([1, 5])), (6, 2, np.array([-2, 0])), (6, 2, np.array([-1, 0]))]),
    (packed, [(9, 3, 3), (9, 4, 3), (6, 2, 2), (12, 2, 4), (2, 2, 2), (0, 0, 0), (9, 3, -3), (9, 3, 20), (0, 3, 0)]),
    (packed, [(9, 3, 3), (3, 4, 1), (3, 3, 1), (5, 2, 2), (7, 0, 0)]),
    (counted, [(9, 3, 3), (9, 3, 2), (9, 3, 1), (9, 1, 3), (9, 1, 1), (4, 2, 1), (3, 3, 1), (9, 0, 0), (9, 2, -2), (0, 0, 3)]),
    (in_a_branch, [(5, 3, 3), (5, 3, 2), (5, 3, 1), (5, 3, 4), (2, 3, 3), (5, 3, -2), (0, 0, 4)]),
    (by_rows, [((3, 5), 3, 2), ((3, 6), 3, 3), ((2, 4), 2, 2), ((3, 5), 2, 3), ((4, 4), 2, 2), ((0, 4), 2, 2), ((1, 4), 2, 2)]),
]


def filled(point: tuple[Any, ...], fn: Callable[..., Any]) -> list[Any]:
    """The arguments of `fn` at a point: arrays of the lengths that come first, then integers."""
    integers = sum(
        name in ("start", "stop", "a", "b", "k", "places") for name in fn.__code__.co_varnames[: fn.__code__.co_argcount]
    )
    count = len(point) - integers
    return [*arrays(tuple(n if isinstance(n, tuple) else (n,) for n in point[:count])), *point[count:]]


@pytest.mark.parametrize(("fn", "points"), SLICES, ids=lambda part: getattr(part, "__name__", ""))
def test_slices_with_variable_bounds(fn: Callable[..., Any], points: list[tuple[Any, ...]]) -> None:
    """Clipped ones, those that count from the end, are of one element that is spread, empty, or too short."""
    first = filled(points[0], fn)
    plain, compiled = adxform.prepare_gradient(fn, *first), adxform.prepare_gradient(fn, *first, engine="numba")
    read = pickle.loads(pickle.dumps(compiled))
    for point in (*points, *points[::-1]):
        args = filled(point, fn)
        agree(outcome(adxform.grad(fn, engine="numba"), *args), outcome(adxform.grad(fn), *args))
        expected = outcome(plain, *args)
        for run in (compiled, read):
            agree(outcome(run, *args), expected)
        if not isinstance(expected, type):
            out = np.full(args[0].shape, np.nan)
            agree(compiled(*args, out=out), expected)
            agree(out, expected)
            v = np.cos(np.arange(float(args[0].size))).reshape(args[0].shape)
            agree(adxform.hvp(fn, engine="numba")(*args, v), adxform.hvp(fn)(*args, v))


def test_slices_of_a_known_length_are_loops() -> None:
    source = adxform.source(gates, *filled((9, 3), gates), engine="numba")
    assert "unbroadcast" not in source
    assert ":" not in "".join(line.partition("w[")[2] for line in source.splitlines())
    assert "check_holds" in source


def test_parameters_packed_in_a_vector_are_loops() -> None:
    source = adxform.source(packed, *filled((9, 3, 3), packed), engine="numba")
    assert not any(name in source for name in ("unbroadcast", "broadcast_like", "shares_memory", "np.sin"))
    assert "check_holds(k != 1)" in source


@pytest.mark.parametrize("shape", [(5, 4), (5, 2), (2, 5), (2, 0)])
def test_coordinates_that_do_not_fit_raise_as_ever(shape: tuple[int, ...]) -> None:
    prepared = adxform.prepare_gradient(in_space, np.ones((4, 3)), engine="numba")
    prepared(np.ones((4, 3)))
    for call in (prepared, adxform.grad(in_space, engine="numba"), adxform.grad(in_space)):
        with pytest.raises(ValueError, match="broadcast"):
            call(np.ones(shape))


@pytest.mark.parametrize("engine", ["numba", "python"])
@pytest.mark.parametrize("program", [*programs_of(lengths)], ids=lambda program: program.name)
def test_lengths_that_follow_from_numbers(program: Program, engine: Any) -> None:
    """One prepared gradient is right for all of them, in arrays of its own and in those that it is given."""
    prepared = adxform.prepare_value_and_gradient(
        program.function, *program.points[0].args, argnums=program.wrt, engine=engine, strict=False
    )
    for point in (*program.points, program.points[0]):
        value, gradient = prepared(*point.args)
        flat, x = flat_function(program.function, point.args, program.wrt)
        jacobian = central_jacobian(flat, x)[0].reshape(-1)
        np.testing.assert_allclose(value, program.function(*point.args), rtol=1e-12)
        np.testing.assert_allclose(pack(float_leaves(gradient)), jacobian, rtol=1e-6, atol=1e-8)
        if all(isinstance(one, np.ndarray) for one in gradient):
            out = tuple(np.full_like(one, np.nan) for one in gradient)
            for _ in range(2):
                prepared(*point.args, out=(None, out))
                np.testing.assert_allclose(pack(float_leaves(out)), jacobian, rtol=1e-6, atol=1e-8)


SLICED = ("x[5:]", "x[:-5]", "x[3:-2]", "x[1:][4:]", "x[::-1][5:]")
DONE: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda y, x: np.mean(y * y),
    "mean of products": lambda y, x: np.mean(np.outer(y, x)) + np.sum(x),
    "mean along": lambda y, x: np.sum(np.mean(np.outer(x, y), axis=1) * x),
    "deviation": lambda y, x: np.std(y * 2.0) + x[0],
    "variance": lambda y, x: np.var(np.sin(y)),
    "average": lambda y, x: np.average(y * x[0]),
    "greatest": lambda y, x: np.max(y * y),
    "least along": lambda y, x: np.sum(np.min(np.outer(x, y), axis=1)),
    "over the length": lambda y, x: np.sum(y * y) / len(y),
    "times the size": lambda y, x: np.sum(x * x) * y.size + np.sum(y),
    "joined": lambda y, x: np.sum(np.concatenate([y * y, x]) ** 2),
    "running": lambda y, x: np.sum(np.cumsum(y * y)) + x[0],
    "filled": lambda y, x: np.sum(np.full(y.shape[0], 2.0) * y) + np.zeros_like(y).sum() + x[0],
    "differences": lambda y, x: np.mean(np.diff(y * y)),
    "product": lambda y, x: np.prod(y * y) * x[0],
    "length": lambda y, x: np.linalg.norm(y * y) + x[0],
}


def sliced(text: str, done: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    take: dict[str, Callable[[Any], Any]] = {
        "x[5:]": lambda x: done(x[5:], x),
        "x[:-5]": lambda x: done(x[:-5], x),
        "x[3:-2]": lambda x: done(x[3:-2], x),
        "x[1:][4:]": lambda x: done(x[1:][4:], x),
        "x[::-1][5:]": lambda x: done(x[::-1][5:], x),
    }
    return take[text]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text", SLICED)
@pytest.mark.parametrize("done", DONE)
def test_slices_of_too_few_elements_are_empty(text: str, done: str) -> None:
    """``x[5:]`` of three elements has length zero, not minus two, whatever is done with it: 16 ways, compiled."""
    fn = sliced(text, DONE[done])
    compiled = adxform.prepare_value_and_gradient(fn, np.ones(9), engine="numba")
    plain = adxform.prepare_value_and_gradient(fn, np.ones(9), engine="python")
    for n in (9, 6, 5, 4, 3, 2):
        x = np.linspace(0.5, 1.5, n)
        found, expected, value = outcome(compiled, x), outcome(plain, x), outcome(fn, x)
        if isinstance(value, type):
            assert found is expected is value
        else:
            agree(found[0], value)
            agree(found[0], expected[0])
            agree(found[1], expected[1])
