"""Elements in an order that memory decides: refused by name in both modes; the memory order of copies changes no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from tests.tables.cell import program

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


LYING = ("x[:, 3]", "np.diagonal(x)", "x.T[::-1, ::3]", "x[:, ::2]", "x[:, ::-1]", "np.broadcast_to(x[0], (37, 23))",
         "np.broadcast_to(x[:, :1], (19, 23))", "np.exp(x)[:, ::-1]")  # fmt: skip
UNCHANGED = ("({}).copy()", "np.copy({})", "({}) * 1.0", "1 * ({})", "({}) / 1", "({}) ** 1", "({}) - 0.0")
SUMS = ("np.sum(y)", "np.sum(0.1 * np.cos(y))", "np.prod(1.0 + 0.01 * y)", "np.vdot(y, np.cos(y))", "np.sum(y @ y.T)",
        "np.sum(np.einsum('...i->...', y))", "np.linalg.norm(y)")  # fmt: skip


@pytest.mark.parametrize("copied", UNCHANGED)
@pytest.mark.parametrize("lying", LYING)
def test_sums_of_what_is_copied_have_the_bits_of_the_function(lying: str, copied: str) -> None:
    x = np.random.default_rng(0).normal(size=(19, 23))
    for total in SUMS:
        f = program(f"def f(x):\n    y = {copied.format(lying)}\n    return {total}\n")
        for point in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::-2]):
            assert adxform.value_and_grad(f, engine="python")(point)[0] == f(point), total
