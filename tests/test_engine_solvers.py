"""Solvers and factorisations in kernels: the machine code for all layouts and lengths, and the kernels that they are in."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numba
import numpy as np
import pytest

import adxform
from adxform import runtime
from adxform.backends.numba import kernel_solvers
from adxform.backends.numba.machine.kernels import kernel_from_either_end
from tests.test_engine_products import LAYOUTS, differences

SIZES = (0, 1, 2, 3, 20, 70)


def machine(*ranks: int) -> Callable[..., Any]:
    """Compiles for arrays of these ranks, of any layout, at the first call."""
    types = [tuple(numba.types.Array(numba.types.float64, rank, "A") for rank in ranks)]

    def compiling(fn: Callable[..., Any]) -> Callable[..., Any]:
        made = cache(lambda: numba.njit(types)(fn))
        return lambda *args: made()(*args)

    return compiling


def solve(a, b, lu, out):  # type: ignore[no-untyped-def]
    kernel_solvers.factor(a, lu)
    kernel_solvers.solve(lu, b, out)


def solve_transposed(a, b, lu, out):  # type: ignore[no-untyped-def]
    kernel_solvers.factor(a, lu)
    kernel_solvers.solve_transposed(lu, b, out)


@cache
def compiled(fn: Callable[..., Any], rank: int) -> Callable[..., Any]:
    return machine(2, rank, 2, rank)(fn)


def solved(a: Any, b: Any, turned: bool = False) -> Any:
    out = room(*b.shape)
    compiled(solve_transposed if turned else solve, b.ndim)(a, b, room(a.shape[0] + 1, a.shape[1]), out)
    return out


@machine(2, 2, 2)
def invert(a, lu, out):  # type: ignore[no-untyped-def]
    kernel_solvers.factor(a, lu)
    kernel_solvers.invert(lu, out)


def inverted(a: Any) -> Any:
    out = room(*a.shape)
    invert(a, room(a.shape[0] + 1, a.shape[1]), out)
    return out


@machine(2, 2)
def measure(a, lu):  # type: ignore[no-untyped-def]
    kernel_solvers.factor(a, lu)
    return kernel_solvers.determinant(lu), kernel_solvers.sign_of_determinant(lu), kernel_solvers.log_of_determinant(lu)


def determinants(a: Any) -> Any:
    return measure(a, room(a.shape[0] + 1, a.shape[1]))


@machine(2, 2)
def root(a, out):  # type: ignore[no-untyped-def]
    kernel_solvers.cholesky(a, out)


def rooted(a: Any) -> Any:
    out = room(*a.shape)
    root(a, out)
    return out


def room(*shape: int) -> Any:
    return np.full(shape, np.nan)


def positive(a: Any) -> Any:
    """A symmetric matrix with positive eigenvalues."""
    return a @ a.T + np.eye(len(a))


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "spread"])
@pytest.mark.parametrize("n", SIZES)
def test_every_layout_and_size(n: int, layout: str) -> None:
    chance, laid = np.random.default_rng(n), LAYOUTS[layout]
    a = laid(chance.normal(size=(n, n)))
    for shape in ((n,), (n, 3), (n, 0), (n, 1)):
        b = laid(chance.normal(size=shape))
        np.testing.assert_allclose(solved(a, b), np.linalg.solve(a, b), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(solved(a, b, True), np.linalg.solve(a.T, b), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(inverted(a), np.linalg.inv(a), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(determinants(a), (np.linalg.det(a), *np.linalg.slogdet(a)), rtol=1e-9)
    expected = np.linalg.cholesky(positive(a))
    given = laid(positive(a))
    given[np.triu_indices(n, 1)] = np.nan  # which nobody reads
    np.testing.assert_allclose(rooted(given), expected, rtol=1e-9, atol=1e-12)


@machine(2, 2, 2)
def differentiate(factor, ct, out):  # type: ignore[no-untyped-def]
    kernel_solvers.cholesky_cotangent(factor, ct, out)


def of_cholesky(factor: Any, ct: Any) -> Any:
    out = room(*ct.shape)
    differentiate(factor, ct, out)
    return out


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "spread"])
@pytest.mark.parametrize("n", [*SIZES, 31, 32, 33, 64, 65])
def test_cotangents_of_cholesky(n: int, layout: str) -> None:
    chance, laid = np.random.default_rng(n), LAYOUTS[layout]
    a, ct, a_t = positive(chance.normal(size=(n, n)) / max(n, 1) ** 0.5), chance.normal(size=(n, n)), chance.normal(size=(n, n))
    found = of_cholesky(laid(np.linalg.cholesky(a)), laid(ct))
    np.testing.assert_allclose(found, runtime.cholesky_cotangent(np.linalg.cholesky(a), ct), rtol=1e-9, atol=1e-11)
    ahead, behind = (np.linalg.cholesky(a + step * (a_t + a_t.T)) for step in (1e-5, -1e-5))
    np.testing.assert_allclose(np.sum(found * (a_t + a_t.T)), np.sum(ct * (ahead - behind)) / 2e-5, rtol=1e-5, atol=1e-5)
    assert not np.triu(found, 1).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_cotangents_of_cholesky_give_up(bad: float) -> None:
    factor, ct = np.tril(np.full((40, 40), 0.5)) + np.eye(40), np.ones((40, 40))
    for place in ((0, 0), (39, 39), (3, 36), (36, 3)):
        odd = np.zeros((40, 40))
        odd[place] = bad
        for given in ((factor + odd, ct), (factor, ct + odd)):
            with pytest.raises(ValueError, match="not solved"):
                of_cholesky(*given)
    for given in ((factor.T, ct), (factor, ct[:3]), (factor[:3], ct[:3]), (factor * 0.0, ct)):
        with pytest.raises(ValueError, match="not solved"):
            of_cholesky(*given)


SINGULAR = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [4.0, 4.0, 4.0]])


def test_determinants_of_singular_and_large_matrices() -> None:
    assert determinants(SINGULAR) == determinants(np.zeros((2, 2))) == (0.0, 0.0, -np.inf)
    huge = np.diag([1e200, 1e200, 1e-300])
    np.testing.assert_allclose(determinants(huge)[0], np.linalg.det(huge), rtol=1e-12)
    with np.errstate(over="ignore"):
        assert determinants(huge * 1e100)[0] == np.linalg.det(huge * 1e100) == np.inf


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 2, 20])
def test_what_is_not_finite_gives_up(n: int, bad: float) -> None:
    for place in {(0, 0), (n - 1, 0), (n - 1, n - 1)}:
        a = np.eye(n)
        a[place] = bad
        for run in (inverted, determinants, rooted, partial(solved, b=np.ones(n)), partial(solved, np.eye(n))):
            with pytest.raises(ValueError, match="not solved"):
                run(a)
        with pytest.raises(ValueError, match="not solved"):
            solved(np.eye(n), a[place[0]])


@pytest.mark.parametrize(
    "run",
    [
        lambda: solved(np.eye(2) * 1e-300, np.full(2, 1e300)),
        lambda: inverted(np.eye(2) * 5e-324),
        lambda: solved(SINGULAR, np.ones(3)),
        lambda: solved(SINGULAR, np.ones((3, 2)), True),
        lambda: inverted(SINGULAR),
        lambda: rooted(SINGULAR * 0.0),
        lambda: rooted(-np.eye(1)),
        lambda: rooted(np.ones((3, 2))),
        lambda: inverted(np.ones((2, 3))),
        lambda: determinants(np.ones((3, 2))),
        lambda: determinants(np.ones((0, 2))),
        lambda: solved(np.eye(3), np.ones(2)),
        lambda: solved(np.eye(3), np.ones((4, 3))),
        lambda: solved(np.eye(1), np.ones(3)),
    ],
)
def test_where_numpy_does_something_else_kernels_give_up(run: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="not solved"):
        run()


@pytest.mark.usefixtures("settled")
def test_what_gives_up_keeps_no_reference() -> None:
    given = [np.ones((20, 20)), np.ones((20, 2)), room(21, 20), room(20, 2)]
    run = kernel_from_either_end(solve)
    counts = []
    for _ in range(6):
        with pytest.raises(ValueError, match="not solved"):
            run(*given)
        gc.collect()
        counts.append([sys.getrefcount(x) for x in given])
    assert counts[-1] == counts[0]


def process(x, y, noise):  # type: ignore[no-untyped-def]
    squares = np.sum(x * x, 1)
    k = np.exp(-0.5 * (squares[:, None] + squares[None, :] - 2.0 * (x @ x.T))) + noise * np.eye(x.shape[0])
    return -0.5 * (y @ np.linalg.solve(k, y)) - np.sum(np.log(np.diag(np.linalg.cholesky(k))))


def mixed(a, b):  # type: ignore[no-untyped-def]
    s = a @ a.T + np.eye(a.shape[0])
    _, size = np.linalg.slogdet(s)
    return np.sum(np.linalg.solve(s, b) * b) + size + np.linalg.det(s) + np.sum(np.linalg.inv(a.T + 3.0 * s) ** 2)


def in_a_loop(a, b, steps):  # type: ignore[no-untyped-def]
    x = b.copy()
    for _ in range(steps):
        x = np.sin(np.linalg.solve(a.T, x)) + np.linalg.solve(a, b)
    return x @ x


def written_between(a, b):  # type: ignore[no-untyped-def]
    m = a.copy()
    x = np.linalg.solve(m, b)
    m[0] = m[0] * 2.0 + 1.0
    y = np.linalg.solve(m, b)
    turned = m.T
    m[:, 1:2] += 0.5
    return np.sum(x * np.linalg.solve(turned, y)) + np.linalg.det(m)


def chosen(a, b, plain):  # type: ignore[no-untyped-def]
    x = np.linalg.solve(a, b)
    m = a + 0.0
    if plain > 0.0:
        m[0, 0] = m[0, 0] * 3.0
        x = x + np.linalg.solve(m, x)
    return np.sum(np.linalg.solve(m.T, x) ** 2)


R = np.random.default_rng(3)
M, V, W = R.normal(size=(6, 6)) + 3.0 * np.eye(6), R.normal(size=6), R.normal(size=(6, 2))
CASES: list[tuple[Any, tuple[Any, ...], tuple[int, ...]]] = [
    (process, (R.normal(size=(6, 3)), R.normal(size=6), 0.3), (0, 1)),
    (process, (np.zeros((0, 2)), np.zeros(0), 0.3), (0, 1)),
    (mixed, (M, V), (0, 1)),
    (mixed, (np.asfortranarray(M)[:, ::-1], W[::-1]), (0, 1)),
    (in_a_loop, (M, V, 3), (0, 1)),
    (in_a_loop, (M, V, 0), (0, 1)),
    (written_between, (M, V), (0, 1)),
    (chosen, (M, V, 1.0), (0, 1)),
    (chosen, (M, M, -1.0), (0, 1)),
]


@pytest.mark.parametrize(("fn", "args", "wrt"), CASES, ids=[f"{case[0].__name__}-{k}" for k, case in enumerate(CASES)])
def test_gradients_are_kernels(fn: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    prepared = adxform.prepare_gradient(fn, *args, argnums=wrt, engine="numba")
    expected = adxform.grad(fn, argnums=wrt, engine="python")(*args)
    slopes = differences(lambda *given: fn(*given, *args[len(wrt) :]), *args[: len(wrt)])
    for one, other, slope in zip(prepared(*args), expected, slopes, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(one, slope, rtol=1e-4, atol=1e-4)
    text = adxform.source(fn, *args, argnums=wrt, engine="numba")
    assert "np.linalg" not in text


@pytest.mark.parametrize("fn", [process, mixed, written_between])
def test_products_with_hessians(fn: Callable[..., Any]) -> None:
    args = next(case[1] for case in CASES if case[0] is fn)
    v = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    expected = adxform.hvp(fn, engine="python")(*args, v)
    np.testing.assert_allclose(adxform.hvp(fn, engine="numba")(*args, v), expected, rtol=1e-7, atol=1e-9)
    ahead, behind = (adxform.grad(fn, engine="python")(args[0] + step * v, *args[1:]) for step in (1e-5, -1e-5))
    np.testing.assert_allclose(expected, (ahead - behind) / 2e-5, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_factors_are_shared_until_the_matrix_is_written() -> None:
    def factorings(fn: Callable[..., Any], *rest: int) -> int:
        return adxform.source(fn, M, V, *rest, argnums=(0, 1), engine="numba").count("    factor(")

    assert factorings(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2) + np.linalg.det(a)) == 1
    assert factorings(in_a_loop, 2) == 1
    assert factorings(written_between) > 3


def test_errors_are_those_of_numpy() -> None:
    mixing = adxform.grad(mixed, argnums=(0, 1), engine="numba")
    with pytest.raises(ValueError, match=r"mismatch|size"):
        mixing(M, np.ones(3))
    rooting = adxform.grad(lambda a: np.sum(np.linalg.cholesky(a) ** 3), engine="numba")
    assert np.isfinite(rooting(np.eye(3))).all()
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        rooting(-np.eye(3))
    inverse = adxform.grad(lambda a: np.sum(np.sin(np.linalg.inv(a))), engine="numba")
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        inverse(SINGULAR)
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        inverse(np.ones((2, 3)))


def unneeded(a, b):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(b)) + 0.0 * float(np.sum(np.linalg.inv(a)) > 0.0)


def test_an_inverse_that_only_the_value_needs_raises_as_ever() -> None:
    run = adxform.grad(unneeded, argnums=1, engine="numba")
    np.testing.assert_allclose(run(M, V), np.cos(V))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        run(SINGULAR, V)


def test_not_a_number_in_gradients() -> None:
    for place in ((1, 2), (3, 3)):
        a = M.copy()
        a[place] = np.nan
        for fn in (mixed, in_a_loop):
            rest = (V, 2)[: 1 + (fn is in_a_loop)]
            with np.errstate(all="ignore"):
                expected = adxform.grad(fn, engine="python")(a, *rest)
                np.testing.assert_array_equal(adxform.grad(fn, engine="numba")(a, *rest), expected)
