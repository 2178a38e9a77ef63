"""Elements in an order that memory decides: refused by name in both modes; the memory order of copies changes no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError

WEIGHTS = np.arange(4.0)
A = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
T = np.array([[1.0, 10.0], [100.0, 1000.0]])


def by_memory(a: Any) -> Any:
    return np.sum(a.ravel("K") * WEIGHTS)


def by_a_parameter(a: Any, order: str) -> Any:
    return np.sum(a.flatten(order) * WEIGHTS)


BY_MEMORY: tuple[Callable[[Any], Any], ...] = (
    by_memory,
    lambda a: np.sum(a.ravel(order="A") * WEIGHTS),
    lambda a: np.sum(np.ravel(a, "k") * WEIGHTS),
    lambda a: np.sum(a.flatten("K") * WEIGHTS),
    lambda a: np.sum((a * a).flatten(order="A") * WEIGHTS),
    lambda a: np.sum(a.reshape(-1, order="A") * WEIGHTS),
    lambda a: np.sum(np.reshape(a, (4,), "A") * WEIGHTS),
    lambda a: np.sum(a.copy("K").ravel("K") * WEIGHTS),
    lambda a: by_a_parameter(a, "A"),
)
DERIVATIVES: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "jvp": lambda f: adxform.jvp(f, (A,), (T,)),
    "grad": lambda f: adxform.grad(f)(A),
    "vjp": lambda f: adxform.vjp(f, A),
    "columns": lambda f: adxform.jacobian(f, mode="forward")(A),
    "rows": lambda f: adxform.jacobian(f, mode="reverse")(A),
    "hvp": lambda f: adxform.hvp(f)(A, T),
    "hvp by forward sweeps": lambda f: adxform.hvp(f, mode="forward-over-forward")(A, T),
    "sparse": lambda f: adxform.prepare_jacobian(f, A, sparse=True),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("place", range(len(BY_MEMORY)))
def test_an_order_of_memory_is_refused_by_name(place: int, derivative: str) -> None:
    with pytest.raises(MissingRuleError, match=r"with order='[KAk]' come as the array lies in memory") as caught:
        DERIVATIVES[derivative](BY_MEMORY[place])
    assert caught.value.help == "say order='C' or order='F'"
    assert caught.value.span.file == __file__


@pytest.mark.parametrize("order", ["C", "c", "F", "f", None])
def test_stated_orders_have_both_modes(order: Any) -> None:
    weights = WEIGHTS.reshape(2, 2, order=order)
    assert adxform.jvp(lambda a: by_a_parameter(a, order), (A,), (T,))[1] == np.sum(weights * T)
    assert np.array_equal(adxform.grad(lambda a: by_a_parameter(a, order))(A), weights)


WIDE = np.random.default_rng(5).normal(size=(20, 37, 41)) * 10.0 ** np.random.default_rng(6).normal(size=(20, 37, 41))
UNCHANGED: tuple[Callable[[Any], Any], ...] = (
    lambda x: (x[:, ::-1] * 1.0) @ WIDE[1, 0],
    lambda x: np.linalg.norm((1.0 * x.T) @ WIDE[2, :, 0]),
    lambda x: np.dot(x[3, ::-1] / 1.0, WIDE[3, 0]),
    lambda x: np.sum(x[::3, ::-2] - 0.0, axis=1),
    lambda x: np.linalg.norm(x[::3, ::-2] ** 1, axis=1),
)


@pytest.mark.parametrize("place", range(len(UNCHANGED)))
def test_arithmetic_that_changes_nothing_lays_arrays_anew(place: int) -> None:
    """A product adds its terms as its operands lie: with the original in place of ``x * 1.0`` the last bits are others."""
    f = UNCHANGED[place]
    for x in WIDE:
        assert np.array_equal(adxform.vjp(f, x)[0], f(x))
        assert np.array_equal(adxform.jvp(f, (x,), (x,))[0], f(x))
