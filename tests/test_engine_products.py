"""Products of vectors and matrices in kernels: the machine code for all layouts and lengths, and the kernels that they are in."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import adxform
from adxform.backends.numba.machine.kernels import kernel_from_either_end
from adxform.backends.numba.machine.products import FORMS
from adxform.passes.linalg.kernel_products import RANKS
from adxform.runtime.kernel_arrays import product, swapped

EXTENTS = [(2, 3, 4), (9, 10, 11), (40, 35, 50), (0, 3, 2), (2, 0, 3), (3, 2, 0), (1, 1, 1)]
EXTENTS += [(1, 200, 1), (200, 1, 3), (1, 1, 300), (30, 30, 1)]
PILES = {(3, 3): [(3, 3), (1, 3), (3, 1), (0, 0)], (3, 2): [(3, 1), (0, 1)], (2, 3): [(1, 3), (1, 0)], (3, 1): [(3, 1), (0, 1)]}


def filled(x: Any, values: Any) -> Any:
    """`x` with `values`."""
    x[...] = values
    return x


def differences(fn: Callable[..., Any], *args: Any) -> list[Any]:
    """The gradient of `fn` with respect to each argument by central differences."""
    found = []
    for at, arg in enumerate(args):
        slope = np.zeros(arg.shape)
        for index in np.ndindex(arg.shape):
            one, other = (np.array(arg, copy=True) for _ in range(2))
            one[index] += 1e-5
            other[index] -= 1e-5
            slope[index] = (fn(*args[:at], one, *args[at + 1 :]) - fn(*args[:at], other, *args[at + 1 :])) / 2e-5
        found.append(slope)
    return found


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "part": lambda x: filled(np.zeros([n + 3 for n in x.shape])[tuple(slice(1, 1 + n) for n in x.shape)], x),
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "strided": lambda x: filled(np.zeros([2 * n for n in x.shape])[tuple([slice(None, None, 2)] * x.ndim)], x),
    "spread": lambda x: np.lib.stride_tricks.as_strided(x, x.shape, (0, *x.strides[1:])),
}


def operands(ranks: tuple[int, int]) -> Iterator[tuple[Any, Any]]:
    """Pairs of these ranks of all extents."""
    chance = np.random.default_rng(0)
    for m, k, n in EXTENTS:
        for first, second in PILES.get(ranks, [(1, 1)]):
            left = {1: (k,), 2: (m, k), 3: (first, m, k)}[ranks[0]]
            right = {1: (k,), 2: (k, n), 3: (second, k, n)}[ranks[1]]
            yield chance.normal(size=left), chance.normal(size=right)


def into(a, b, out):  # type: ignore[no-untyped-def]
    return product(a, b, out)


def number(a, b):  # type: ignore[no-untyped-def]
    return product(a, b)


def machine(ranks: tuple[int, int]) -> Callable[..., Any]:
    """`product` compiled for arrays of these ranks, of any layout."""
    given = [numba.types.Array(numba.types.float64, rank, "A") for rank in ranks]
    if not RANKS[ranks]:
        return numba.njit(numba.types.float64(*given))(number)
    out = numba.types.Array(numba.types.float64, RANKS[ranks], "A")
    return numba.njit(out(*given, out))(into)


@pytest.mark.parametrize("ranks", FORMS, ids=str)
def test_every_layout_and_extent(ranks: tuple[int, int]) -> None:
    run = machine(ranks)
    for a, b in operands(ranks):
        for left in LAYOUTS.values():
            for right in LAYOUTS.values():
                x, y = left(a), right(b)
                expected = x @ y
                room = (np.full(expected.shape, np.nan),) if RANKS[ranks] else ()
                found = run(x, y, *room)
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
                assert not room or np.may_share_memory(found, room[0]) or not found.size


def test_not_a_number_and_infinities() -> None:
    run = machine((2, 2))
    for n in (3, 20):
        a, b = np.zeros((n, n)), np.zeros((n, n))
        a[0, 1], a[1, 2], b[2, 0] = np.nan, np.inf, -np.inf
        with np.errstate(invalid="ignore"):
            expected = a @ b
        np.testing.assert_array_equal(run(a, b, np.full((n, n), np.nan)), expected)


@pytest.mark.parametrize(
    ("a", "b", "out"),
    [
        ((3, 4), (3, 4), (3, 4)),
        ((3, 4), (4, 3), (3, 4)),
        ((2, 3, 4), (3, 4, 3), (2, 3, 3)),
        ((3, 4), (3,), (3,)),
        ((4,), (3, 4), (4,)),
    ],
)
def test_lengths_that_do_not_fit(a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="not a product"):
        machine((len(a), len(b)))(np.ones(a), np.ones(b), np.ones(out))


def test_what_blas_cannot_count_raises() -> None:
    """The one row of this matrix is a row of a larger one, the next row of which would lie 32 GiB behind it."""
    row = np.lib.stride_tricks.as_strided(np.ones((1, 200)), (1, 200), (2**35, 8))
    with pytest.raises(ValueError, match="not a product"):
        machine((2, 1))(row, np.ones(200), np.ones(1))
    with pytest.raises(ValueError, match="not a product"):
        machine((2, 2))(row, np.ones((200, 3)), np.ones((1, 3)))


def layers(w, v, x):  # type: ignore[no-untyped-def]
    h = np.tanh(w @ x)
    return np.sum((h.T @ v) ** 2) + np.vdot(h[0], h[1])


def steps(a, x, n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        x = np.tanh(a @ x) + x @ a.T
    return x @ x


def batched(a, b):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(a @ b)) + np.sum((a @ np.swapaxes(a, 1, 2)) ** 2)


A = np.linspace(-1.0, 1.0, 12)
CASES = [
    (layers, (A[:6].reshape(2, 3), A[:2], A.reshape(3, 4)[:, :2]), (0, 1, 2)),
    (layers, (np.asfortranarray(A[:6].reshape(2, 3)), A[4:8:2], np.zeros((3, 2))), (0, 2)),
    (steps, (A[:9].reshape(3, 3), A[:3], 4), (0, 1)),
    (batched, (A.reshape(2, 2, 3), A.reshape(2, 3, 2)), (0, 1)),
    (batched, (A.reshape(2, 2, 3), A[:6].reshape(3, 2)), (0, 1)),
]


@pytest.mark.parametrize(("fn", "args", "wrt"), CASES, ids=[f"{case[0].__name__}-{k}" for k, case in enumerate(CASES)])
def test_gradients_with_products_are_kernels(fn: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    with np.errstate(all="ignore"):
        expected = adxform.grad(fn, argnums=wrt)(*args)
    for one, other in zip(adxform.grad(fn, argnums=wrt, engine="numba")(*args), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    text = adxform.source(fn, *args, argnums=wrt, engine="numba")
    assert fn is steps or (text.count("@kernel") == 1 and "@ " not in text)


@pytest.mark.usefixtures("settled")
def test_what_gives_up_keeps_no_reference() -> None:
    run = kernel_from_either_end(into)
    for ranks in [ranks for ranks in RANKS if RANKS[ranks]]:
        given = [np.ones((20,) * rank) for rank in (*ranks, RANKS[ranks])]
        given[2] = given[2][..., :3]
        counts = []
        for _ in range(6):
            with pytest.raises(ValueError, match="not a product"):
                run(*given)
            gc.collect()
            counts.append([sys.getrefcount(x) for x in given])
        assert counts[-1] == counts[0]


def with_itself(a, x):  # type: ignore[no-untyped-def]
    b = a.copy()
    np.matmul(a, b, out=b)
    x = b @ x
    np.dot(b, b.T, out=b)
    return np.sum(np.sin(b @ a)) + np.sum(a @ a.T @ x) + x @ a @ x


@pytest.mark.parametrize("n", [0, 1, 2, 20])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_operands_that_share_memory_in_every_layout(layout: str, n: int) -> None:
    a = LAYOUTS[layout](np.random.default_rng(n).normal(size=(n, n)) / max(n, 1))
    x = a[0] if n else np.ones(0)
    expected = adxform.grad(with_itself, argnums=(0, 1), engine="python")(a, x)
    for found in (adxform.grad(with_itself, argnums=(0, 1), engine="numba")(a, x), differences(with_itself, a, x)):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_not_a_number_in_gradients() -> None:
    a, x = np.random.default_rng(0).normal(size=(20, 20)), np.ones(20)
    a[3, 4], x[2] = np.nan, np.inf
    with np.errstate(all="ignore"):
        expected = adxform.grad(with_itself, argnums=(0, 1), engine="python")(a, x)
        found = adxform.grad(with_itself, argnums=(0, 1), engine="numba")(a, x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_what_does_not_fit_raises_as_ever() -> None:
    compiled = adxform.grad(layers, argnums=0, engine="numba")
    with pytest.raises(ValueError, match="mismatch"):
        compiled(np.ones((2, 3)), np.ones(2), np.ones((4, 2)))


def unneeded(a, b, n):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(b)) + 0.0 * float(np.sum(a[:n] @ np.ones((2, 2)) > 0.0))


def test_a_product_that_only_the_value_needs_raises_as_ever() -> None:
    compiled = adxform.grad(unneeded, argnums=1, engine="numba")
    np.testing.assert_allclose(compiled(np.ones(5), np.ones(4), 2), np.cos(np.ones(4)))
    with pytest.raises(ValueError, match="mismatch"):
        compiled(np.ones(5), np.ones(4), 3)


def turned(x):  # type: ignore[no-untyped-def]
    return swapped(x)


def held(x):  # type: ignore[no-untyped-def]
    return swapped(swapped(x.copy())[..., ::2])


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 1), (1, 1, 1), (0, 3, 4), (2, 0, 3), (2, 3, 4, 5)])
def test_the_last_two_axes_exchanged(shape: tuple[int, ...]) -> None:
    """A view as NumPy's is, of every layout; what a kernel made stays while the view does, and goes with it."""
    x = np.random.default_rng(0).normal(size=shape)
    view, own = kernel_from_either_end(turned), kernel_from_either_end(held)
    for given in (x, np.asfortranarray(x), x[::-1], x.T, x[..., ::2]):
        expected = np.swapaxes(given, -1, -2)
        found = view(given)
        assert found.shape == expected.shape
        assert found.size == 0 or found.strides == expected.strides
        assert found.size == 0 or np.shares_memory(found, given)
        before = sys.getrefcount(given)
        for _ in range(5):
            np.testing.assert_array_equal(own(given), np.swapaxes(expected[..., ::2], -1, -2))
        assert sys.getrefcount(given) == before
