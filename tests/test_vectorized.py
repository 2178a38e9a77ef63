"""`np.vectorize`: what is followed is right in both modes, and its values are those of the plain call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.testing import check_derivatives
from tests.tables.cell import Cell, judge

X = np.array([0.35, 0.95, -0.45, 1.25])
SCALE = 2.0
squares = np.vectorize(lambda v: v**2 if v > 0.0 else v)
product_and_difference = np.vectorize(lambda a, b: (a * b, a - b))
polynomial = np.vectorize(lambda t, c: sum(ci * t**i for i, ci in enumerate(c)), excluded=["c", 1])


@np.vectorize(otypes=[float])
def power(v: Any, k: int = 2) -> Any:
    """A power where `v` is positive."""
    return v**k if v > 0 else 0


class Spring:
    """A force that an object has as a function of arrays."""

    triple = np.vectorize(lambda v: v * 3.0)

    def __init__(self, k: Any) -> None:
        self.k = k
        self.curve = np.vectorize(self.force)

    def force(self, v: Any) -> Any:
        """The force at one place."""
        return self.k * v * v if v > 0.5 else self.k * v


SPRING = Spring(2.0)


def made_inside(x):
    return np.sum(np.vectorize(lambda v: v**2 if v > 0.0 else v)(x))


def from_a_global(x):
    return np.sum(squares(x) * x)


def by_a_decorator(x):
    @np.vectorize
    def bent(v):
        for _ in range(3):
            v = v - 0.1 * v * v
            if v < 0:
                return 0.0
        return v * x[0]

    return np.sum(bent(x) * x)


def by_a_decorator_with_types(x):
    @np.vectorize(otypes=[float])
    def bent(v):
        return 0 if v < 0 else v * x[1]

    return np.sum(bent(x)) + np.sum(bent(x[:0]))


def with_defaults_and_names(x):
    return np.sum(power(x) * power(x, 3) * power(x, k=2) + power(x[0])) + np.sum(power(x[4:]))


def several_results(x):
    a, b = product_and_difference(x[:, None], x)
    return np.sum(a * b * np.arange(16.0).reshape(4, 4))


def left_as_it_is(x):
    return np.sum(polynomial(x, x[:2]) ** 2) + np.sum(polynomial(x, c=x[:2]))


def of_objects(x):
    return np.sum(SPRING.curve(x) * SPRING.triple(x)) + np.sum(np.vectorize(Spring.triple.pyfunc)(x))


def appends(x):
    seen = []
    found = np.vectorize(lambda v: (seen.append(v), v * v)[1])(x)
    return np.sum(found) * seen[-1] + len(seen) * seen[0] * seen[1]


def solves(x):
    def root(a):
        t = 1.0
        while abs(t * t - a * a - 1) > 1e-12:
            t = t - (t * t - a * a - 1) / (2 * t)
        return t

    return np.sum(np.vectorize(root)(x))


def calls_itself(x):
    def nested(v, n):
        return v if n == 0 else v * nested(v, n - 1) + 1.0

    return np.sum(np.vectorize(nested)(x, 3)) + np.sum(np.vectorize(nested)(x, np.array([1, 2, 0, 1])))


def of_builtins(x):
    return np.sum(np.vectorize(math.exp)(x)) + np.sum(np.vectorize(max)(x, 0.5)) + np.sum(np.vectorize(abs)([x[0], x[2]]))


def in_a_loop(x):
    total = 0.0
    f = np.vectorize(lambda v: v * total)
    for i in range(3):
        total = total + x[i]
        total = total + np.sum(f(x[i:]))
    return total


def written_afterwards(x):
    y = x.copy()
    z = np.vectorize(lambda v: v * v)(y)
    z[1] *= x[0]
    y[0] = 5.0
    return np.sum(z * y)


def complex_results(x):
    f = np.vectorize(lambda z: z * z + 1j)
    return np.sum(np.abs(f(x + 1j * x[::-1]))) + float(f(x[0]).real)


def of_whole_numbers(x):
    f = np.vectorize(lambda v: 0 if v < 0 else v * v)
    return np.sum(f(x))


def from_python(x):
    bent = np.frompyfunc(lambda v, w: v * w if v > w else v - w, 2, 1)
    return np.sum(bent(x, 0.4).astype(float) * bent(np.outer(x, x), x).astype(np.float64))


def several_from_python(x):
    product, difference = np.frompyfunc(lambda v, w: (v * w, v - w), 2, 2)(x, x[::-1].copy())
    return np.sum(product.astype(float) * difference.astype(float)) * product.shape[0]


def numbers_of_one_class_or_another(x):
    each = np.frompyfunc(lambda t, u: t * u if t > 0.4 else u / 2, 2, 1)
    chosen = each(x, max(x[1], 0.9)).astype(float)
    found = each(x, sum(t for t in x if t > 0.5)).astype(float)
    none = each(x, sum(t for t in x if t > 5.0)).astype(float)
    return np.sum(chosen * x) + np.sum(found) * x[0] + np.sum(none)


def numbers_from_python(x):
    return np.frompyfunc(lambda v: v * v, 1, 1)(x[0]) * np.frompyfunc(math.sin, 1, 1)(0.5)


def results_that_are_none(x):
    one, two = np.vectorize(lambda v: (v, None if v < 0 else v * v))(x)
    three = np.vectorize(lambda v: v**3 if v > 0 else None, otypes=[float])(x[::-1])
    return np.nansum(two) * np.sum(one) + np.nansum(three)


@pytest.mark.parametrize(
    "function",
    [
        *(made_inside, from_a_global, by_a_decorator, by_a_decorator_with_types, with_defaults_and_names, several_results),
        *(left_as_it_is, of_objects, appends, solves, calls_itself, of_builtins, in_a_loop, written_afterwards),
        *(complex_results, of_whole_numbers, results_that_are_none),
        *(from_python, several_from_python, numbers_from_python, numbers_of_one_class_or_another),
    ],
)
def test_it_is_followed(function: Callable[..., Any]) -> None:
    records = check_derivatives(function, X.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]
    value, _ = adxform.value_and_grad(function)(X.copy())
    assert type(value) is type(function(X.copy()))
    assert value == function(X.copy())


def test_types_are_those_of_the_first_result() -> None:
    def f(x: Any) -> Any:
        return np.vectorize(lambda v: v * v + 1 / 3)(x)

    single = X.astype(np.float32)
    value, pullback = adxform.vjp(f, single)
    assert value.dtype == np.float32
    assert np.array_equal(value, f(single))
    (cotangent,) = pullback(np.ones_like(single))
    assert cotangent == pytest.approx(2.0 * single, rel=1e-6)


@pytest.mark.parametrize("first", [-0.5, 0.0])
def test_a_first_result_that_may_be_whole_is_refused_by_the_run(first: float) -> None:
    x = np.array([first, 0.9, 1.2])
    with pytest.raises(AdxError, match="first result"):
        adxform.grad(of_whole_numbers)(x)
    with pytest.raises(AdxError, match="first result"):
        adxform.jvp(of_whole_numbers, (x,), (x,))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: np.sum(np.vectorize(lambda v: v * v, signature="()->()")(x)), "signature="),
        (lambda x: np.sum(np.vectorize(lambda v: v * v, cache=True)(x)), "cache=True"),
        (lambda x: np.sum(np.vectorize(lambda v: [v, v], otypes=[float, float])(x)[0]), "as many numbers"),
        (lambda x: np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x)), "Objects"),
        (lambda x: np.frompyfunc(lambda v: v * v, 1, 1)(x).sum(), "array of objects"),
        (lambda x: np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x, out=None).astype(float)), "frompyfunc"),
    ],
)
def test_the_rest_is_refused_by_its_name(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(AdxError, match=said) as caught:
        adxform.grad(function)(X)
    assert caught.value.help


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.vectorize(lambda v: v)(x[4:])),
        lambda x: np.sum(np.vectorize(lambda v: (v, v), otypes=[float])(x)),
        lambda x: np.sum(np.vectorize(lambda v: x * v)(x)),
        lambda x: np.sum(np.vectorize(lambda v, w: v * w)(x, x[:3])),
    ],
)
def test_what_numpy_raises_is_raised(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError) as plain:
        function(X)
    with pytest.raises(ValueError, match=str(plain.value)[:20]):
        adxform.grad(function)(X)


def scaled(v: Any) -> Any:
    """A number by a variable of the module."""
    return SCALE * v * v


def test_what_changes_outside_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    spring, outer = Spring(1.0), np.vectorize(scaled)

    def f(x: Any) -> Any:
        return np.sum(spring.curve(x)) + np.sum(outer(x)) + np.sum(np.vectorize(scaled)(x))

    def right() -> bool:
        steps = 1e-6 * np.eye(4)
        slopes = [(f(X + step) - f(X - step)) / 2e-6 for step in steps]
        return bool(np.allclose(adxform.grad(f)(X), slopes, rtol=1e-7))

    assert right()
    spring.k = 3.0
    assert right()
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert right()
    outer.pyfunc = lambda v: v**3
    assert right()
    spring.curve = np.vectorize(lambda v: 7.0 * v)
    assert right()
    monkeypatch.setitem(globals(), "scaled", lambda v: -v)
    assert right()


BY_ROWS: dict[str, Callable[[Any], Any]] = {
    "m": lambda m: m,
    "m[:, 1:]": lambda m: m[:, 1:],
    "m[::-1]": lambda m: m[::-1],
    "m.T.copy()": lambda m: m.T.copy(),
    "m[:1].T": lambda m: m[:1].T,
    "m[0][None, :]": lambda m: m[0][None, :],
    "m[:, 0][:, None]": lambda m: m[:, 0][:, None],
    "m[:, None, :]": lambda m: m[:, None, :],
}
OTHERWISE: dict[str, Callable[[Any], Any]] = {
    "m.T": lambda m: m.T,
    "np.asfortranarray(m)": np.asfortranarray,
    "np.broadcast_to(m[0], (3, 3))": lambda m: np.broadcast_to(m[0], (3, 3)),
    "m.T[:, None, :]": lambda m: m.T[:, None, :],
    "m[:, ::-1].T": lambda m: m[:, ::-1].T,
}


@pytest.mark.parametrize("given", [*BY_ROWS, *OTHERWISE])
def test_a_function_that_keeps_state_is_called_in_the_order_of_numpy_or_not_at_all(given: str) -> None:
    laid_out = (BY_ROWS | OTHERWISE)[given]

    def f(x: Any) -> Any:
        last = [0.0]

        def each(a: Any) -> Any:
            last[0] = last[0] * 0.5 + a
            return last[0] * a

        m = laid_out(np.outer(x, x * x))
        return np.sum(np.vectorize(each, otypes=[float])(m) * np.cos(np.arange(m.size)).reshape(m.shape))

    def g(x: Any) -> Any:
        last = [0.0]

        def each(a: Any) -> Any:
            last[0] = last[0] * 0.5 + a
            return last[0] * a

        m = laid_out(np.outer(x, x * x))
        return np.sum(np.frompyfunc(each, 1, 1)(m).astype(float) * np.cos(np.arange(m.size)).reshape(m.shape))

    verdict = judge(Cell(given, g, (np.array([0.6, 1.3, 0.9]),)))
    assert verdict.kind == ("right" if given in BY_ROWS and given != "m[::-1]" else "refused"), verdict.reason
    verdict = judge(Cell(given, f, (np.array([0.6, 1.3, 0.9]),)))
    assert verdict.kind == ("right" if given in BY_ROWS else "refused"), verdict.reason
    assert given in BY_ROWS or "rows do not lie one after the other" in verdict.reason
