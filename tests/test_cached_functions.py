"""Functions under `functools.lru_cache` that a program makes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.testing import check_derivatives
from tests.tables.cell import Cell, judge
from tests.tables.cell import program as table_program

FOLLOWED: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
"""Programs, and what they are called with."""


def best_of_a_knapsack(v, w):
    weights = [1, 2, 1]

    @cache
    def best(i, cap):
        if i == len(weights):
            return 0.0
        out = best(i + 1, cap)
        if weights[i] <= cap:
            out = max(out, v[i] * w[i] + best(i + 1, cap - weights[i]))
        return out

    return best(0, 3)


FOLLOWED.append((best_of_a_knapsack, (np.array([0.3, 1.2, 0.5]), np.array([1.0, 2.0, 1.5]))))


def arrays_that_are_kept(x):
    @cache
    def basis(k):
        return x**k

    return np.sum(basis(2) * basis(1)) + np.sum(basis(2))


FOLLOWED.append((arrays_that_are_kept, (np.array([0.3, 1.2, 0.5]),)))


def an_old_value_is_kept(x):
    scale = 1.0

    @cache
    def f(k):
        return x[k] ** 2 * scale

    a = f(0)
    scale = 2.0
    return a + f(0)


FOLLOWED.append((an_old_value_is_kept, (np.array([0.3, 1.2, 0.5]),)))


def numbers_of_the_run(x):
    @cache
    def f(k):
        return x[k] ** 2 + k

    k = int(np.argmax(x))
    t = 0.0
    for i in range(len(x)):
        t += f(i) * f(k)
    return t


FOLLOWED.append((numbers_of_the_run, (np.array([0.3, 1.2, 0.5]),)))


def numbers_that_move(x):
    @cache
    def f(t):
        return np.sin(t) * t

    return f(x[0]) * f(x[1]) + f(x[0])


FOLLOWED.append((numbers_that_move, (np.array([0.3, 1.2, 0.5]),)))


def called_on_some_paths(x):
    @cache
    def f(t):
        return x[t] ** 2

    if x[0] > 1:
        y = f(0)
    else:
        y = f(1)
    return y + f(0) + f(1) * f(2)


FOLLOWED.append((called_on_some_paths, (np.array([0.3, 1.2, 0.5]),)))


def binomial_coefficients(n, q):
    @cache
    def binom(n, k):
        if k == 0 or k == n:
            return 1
        return binom(n - 1, k - 1) + binom(n - 1, k)

    return sum(binom(n, k) * q**k * (1 - q) ** (n - k) * k**2 for k in range(n + 1))


FOLLOWED.append((lambda q: binomial_coefficients(6, q), (0.3,)))


def made_anew_in_each_iteration(x):
    s = 0.0
    for k in range(3):

        @cache
        def term(j):
            return x[0] - s * 0.5 if j < 1 else 0.3 * term(j - 1) + x[k]

        s = s + term(3) * term(2)
    return s


FOLLOWED.append((made_anew_in_each_iteration, (np.array([0.3, 1.2, 0.5]),)))


def one_of_two(x):
    if x[0] > 0.1:

        @cache
        def term(j):
            return x[0] * j

    else:

        @cache
        def term(j):
            return x[1] * j

    return term(2) * term(3)


FOLLOWED.append((one_of_two, (np.array([0.3, 1.2, 0.5]),)))

CALLS = 0


def counted(u):
    global CALLS
    CALLS = CALLS + 1
    return u


def beside_a_counter_outside(x):
    @cache
    def term(k):
        return x[0] if k < 1 else 0.3 * term(k - 1) + 0.3

    return term(3) * counted(x[1]) * term(2)


FOLLOWED.append((beside_a_counter_outside, (np.array([0.3, 1.2, 0.5]),)))


def legendre_polynomials(n, q):
    @lru_cache
    def p(k):
        if k == 0:
            return 1.0
        if k == 1:
            return q
        return ((2 * k - 1) * q * p(k - 1) - (k - 1) * p(k - 2)) / k

    return sum(p(k) for k in range(n))


FOLLOWED.append((lambda q: legendre_polynomials(24, q), (0.4,)))


def a_sum_of_the_two_before(n, q):
    @cache
    def f(k):
        return q * k if k < 2 else f(k - 1) + f(k - 2) * 0.5

    return f(n)


FOLLOWED.append((lambda q: a_sum_of_the_two_before(30, q), (1.1,)))


def an_array_that_is_given_is_written(x):
    @cache
    def basis(k):
        return x**k

    b = basis(2)
    b[0] = 0.0
    return np.sum(basis(2))


def counts_its_calls(x):
    n = 0

    @cache
    def f(k):
        nonlocal n
        n += 1
        return x[k] ** 2

    return f(0) + f(0) + n


def an_array_that_is_read_is_written(x):
    y = x.copy()

    @cache
    def f(k):
        return y[k] ** 2

    a = f(0)
    y[0] = 5.0 * x[1]
    return a + f(0)


def equal_arguments_of_two_classes(x):
    @cache
    def f(t):
        return 3.0 if isinstance(t, bool) else 1.0

    return x[0] * f(1) + f(True) * x[1]


def prints(x):
    @cache
    def f(t):
        print("x")
        return t * 2

    return x[0] * f(1) + f(1) * x[1]


def draws(x):
    rng = np.random.default_rng(0)

    @cache
    def f(t):
        return t * rng.normal()

    return x[0] * f(1) + f(1) * x[1]


def reads_a_counter_outside(x):
    @cache
    def term(k):
        return x[0] * CALLS if k < 1 else 0.3 * term(k - 1) + 0.3

    return term(3) * counted(x[1]) * term(2)


LOG: list[int] = []


def reads_a_log_outside(x):
    LOG.clear()

    @cache
    def term(k):
        return x[0] * len(LOG) + k

    before = term(3)
    LOG.append(1)
    return before * term(3)


class Holder:
    def __init__(self, v):
        self.v = v


JUDGED: list[Callable[..., Any]] = []
"""Programs whose caches give what was, or lose it: each is right or refused."""


@JUDGED.append
def one_of_two_that_read_what_changes(x):
    n = Holder(x[0])

    @cache
    def f(t):
        return t * n.v

    @cache
    def g(t):
        return t + n.v

    h = f if x[2] > 1 else g
    before = h(2.0)
    n.v = x[1]
    return before * h(2.0)


@JUDGED.append
def one_of_two_that_were_called_before(x):
    k = x[0]

    @cache
    def f(t):
        return t * k

    @cache
    def g(t):
        return t + k

    before = f(2.0) + g(2.0)
    k = x[1]
    h = f if x[2] > 1 else g
    return before * h(2.0)


@JUDGED.append
def one_of_two_that_read_an_array(x):
    a = x.copy()

    @cache
    def f(t):
        return t * a[0]

    @cache
    def g(t):
        return t + a[1]

    h = f if x[2] > 1 else g
    before = h(2.0)
    a[0] = 5.0 * x[2]
    a[1] = x[0] * 3
    return before * h(2.0)


@JUDGED.append
def an_object_is_given_again_in_a_branch(x):
    @cache
    def f(t):
        return Holder(t * x[0])

    r = f(2.0)
    r.v = r.v * 2
    return f(2.0).v + r.v if x[1] > 1 else r.v


@JUDGED.append
def an_object_is_given_again_in_a_loop(x):
    @cache
    def f(t):
        return Holder(t * x[0])

    for v in x:
        r = f(2 if v > 1 else 3)
        r.v = r.v + v
    return f(2).v + f(3).v


@JUDGED.append
def objects_under_keys_of_the_run(x):
    @cache
    def f(t):
        return Holder(t * x[0])

    a, b = f(x[1]), f(x[1] * 1.0)
    a.v = a.v + 1
    return b.v * (2.0 if a is b else 3.0)


@JUDGED.append
def a_closure_that_counts_is_given_again(x):
    @cache
    def f(t):
        n = Holder(0)

        def g(v):
            n.v += 1
            return v * t * n.v

        return g

    r = f(2.0)(x[0])
    return r + f(2.0)(x[1]) if x[1] > 1 else r


@JUDGED.append
def an_object_is_lost_and_made_again(x):
    @lru_cache(maxsize=1)
    def f(t):
        return Holder(t * x[0])

    a = f(2.0)
    b = f(3.0)
    a.v = a.v + 1
    return f(2.0).v * b.v + a.v


@JUDGED.append
def an_array_is_lost_and_made_again(x):
    @lru_cache(maxsize=1)
    def f(t):
        return x * t

    a, b = f(2.0), f(3.0)
    return np.sum(a * b) * (2.0 if f(2.0) is a else 3.0)


@JUDGED.append
def keywords_in_another_order(x):
    k = x[0]

    @cache
    def f(a, b):
        return a * k + b

    r = f(a=1.0, b=2.0)
    k = x[1]
    return r * f(b=2.0, a=1.0)


def of_a_size(size: Any, between: str) -> Callable[..., Any]:
    """A program that calls a function again, under a cache of this size, after what is `between`."""
    lines = ["def f(x):", "    k = x[0]", f"    @lru_cache(maxsize={size})", "    def g(t):", "        return t * k"]
    lines += ["    r = g(2.0)", f"    {between}", "    k = x[1]", "    return r * g(2.0)"]
    return table_program("\n".join(lines) + "\n", lru_cache=lru_cache)


BETWEEN = ("pass", "r += g(3.0)", "r += g(3.0) + g(4.0)", "r += g(x[2])")


@pytest.mark.parametrize("place", [(0.3, 1.2, 0.5), (0.3, 0.7, 1.5)])
@pytest.mark.parametrize("asked", JUDGED)
def test_what_a_cache_gives_again_is_what_it_gave(asked: Callable[..., Any], place: tuple[float, ...]) -> None:
    found = judge(Cell(asked.__name__, asked, (np.array(place),)))
    assert found.kind != "wrong", found.reason


LOST = [(size, between) for size in (None, 0, -3, 1, 2) for between in BETWEEN]


@pytest.mark.parametrize(("size", "between"), [*LOST, (128, "for i in range(200): r += g(i + 9.0)")])
def test_what_a_cache_has_lost_is_computed_again(size: int | None, between: str) -> None:
    found = judge(Cell(between, of_a_size(size, between), (np.array([0.3, 1.2, 0.5]),)))
    assert found.kind != "wrong", found.reason


@pytest.mark.parametrize(("program", "given"), FOLLOWED)
def test_what_is_kept_is_what_is_computed_again(program: Callable[..., Any], given: tuple[Any, ...]) -> None:
    records = check_derivatives(program, *given)
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def test_whole_numbers_that_are_arguments_may_be_other_ones() -> None:
    gradient = adxform.grad(legendre_polynomials, argnums=1)
    for n in (2, 5, 9):
        expected = (legendre_polynomials(n, 0.4 + 1e-6) - legendre_polynomials(n, 0.4 - 1e-6)) / 2e-6
        assert np.isclose(gradient(n, 0.4), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "program",
    [
        an_array_that_is_given_is_written,
        counts_its_calls,
        an_array_that_is_read_is_written,
        equal_arguments_of_two_classes,
        prints,
        draws,
        reads_a_counter_outside,
        reads_a_log_outside,
    ],
)
def test_what_a_cache_would_keep_otherwise_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(AdxError) as caught:
        adxform.grad(program)(np.array([0.3, 1.2, 0.5]))
    assert caught.value.span is not None
    assert caught.value.span.line > 0


def test_zeros_of_both_signs_are_one_key() -> None:
    def f(x):
        @cache
        def sign(t):
            return np.copysign(1.0, t) * x[0]

        return sign(0.0 * x[0]) + 3 * sign(0.0 * x[1])

    assert judge(Cell("zeros of one sign", f, (np.array([0.3, 1.2]),))).kind == "right"
    with pytest.raises(AdxError, match=r"-0\.0") as refused:
        adxform.value_and_grad(f)(np.array([0.3, -1.2]))
    assert refused.value.span.line
