"""Products of vectors and matrices in kernels: the machine code for all layouts and lengths, and the kernels that they are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import adxform
from adxform.engine.machine_products import FORMS
from adxform.engine.products import RANKS, product

EXTENTS = [(2, 3, 4), (9, 10, 11), (40, 35, 50), (0, 3, 2), (2, 0, 3), (3, 2, 0), (1, 1, 1)]
EXTENTS += [(1, 200, 1), (200, 1, 3), (1, 1, 300), (30, 30, 1)]
PILES = {(3, 3): [(3, 3), (1, 3), (3, 1), (0, 0)], (3, 2): [(3, 1), (0, 1)], (2, 3): [(1, 3), (1, 0)], (3, 1): [(3, 1), (0, 1)]}


def filled(x: Any, values: Any) -> Any:
    """`x` with `values`."""
    x[...] = values
    return x


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
