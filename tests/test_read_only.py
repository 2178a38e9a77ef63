"""Read-only arguments: a function that writes to one raises what NumPy raises, on every way to a derivative; others have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AliasError


def frozen(*values: float) -> Any:
    found = np.array(values)
    found.flags.writeable = False
    return found


def element(z: Any) -> Any:
    z[0] = 2.0
    return np.sum(z * z)


def loop(z: Any) -> Any:
    for i in range(len(z)):
        z[i] = z[i] * 2.0
    return np.sum(z * z)


def view(z: Any) -> Any:
    y = z[1:]
    y += 1.0
    return np.sum(z * z)


def result_in_place(z: Any) -> Any:
    np.multiply(z, 2.0, out=z)
    return np.sum(z * z)


def store_that_nothing_reads(z: Any) -> Any:
    z[0] = 2.0
    return z[1] ** 2


def store_of_nothing(z: Any) -> Any:
    z[:0] = 1.0
    return np.sum(z * z)


def inner_gradient(z: Any) -> Any:
    return adxform.grad(element)(z)[1] * z[1]


def branch(z: Any) -> Any:
    if z[0] < 5.0:
        z[0] = z[1]
    return np.sum(z * z)


def other_branch(z: Any) -> Any:
    weights = np.arange(1.0, 4.0)
    if z[0] > 5.0:
        z[0] = z[1]
    return np.sum(z * z * weights)


def own_copy(z: Any) -> Any:
    z = z.copy()
    z[0] = z[1]
    return np.sum(z * z)


WRITING = {
    "python": (element, loop, view, result_in_place, store_that_nothing_reads, store_of_nothing, inner_gradient),
    "numba": (loop, store_that_nothing_reads),
}
NOT_WRITING = {"python": (other_branch, own_copy), "numba": (other_branch,)}
ARGUMENTS: dict[str, Callable[[], Any]] = {
    "read-only": lambda: frozen(1.0, 2.0, 3.0),
    "broadcast": lambda: np.broadcast_to(1.5, 3),
    "strided": lambda: frozen(1.0, 0.0, 2.0, 0.0, 3.0)[::2],
}
WAYS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x, engine: adxform.grad(f, engine=engine)(x),
    "jvp": lambda f, x, engine: np.array([adxform.jvp(f, (x,), (row,), engine=engine)[1] for row in np.eye(3)]),
    "vjp": lambda f, x, engine: adxform.vjp(f, x)[1](1.0)[0],
    "prepared": lambda f, x, engine: adxform.prepare_gradient(f, np.ones(3), engine=engine)(x),
    "prepared, out=": lambda f, x, engine: adxform.prepare_gradient(f, np.ones(3), engine=engine)(x, out=np.ones(3)),
    "prepared for it": lambda f, x, engine: adxform.prepare_gradient(f, x, engine=engine)(x),
    "prepared vjp": lambda f, x, engine: adxform.prepare_vjp(f, np.ones(3), engine=engine)(x)[1](1.0)[0],
    "columns": lambda f, x, engine: adxform.jacobian(f, mode="forward", engine=engine)(x),
    "rows": lambda f, x, engine: adxform.jacobian(f, mode="reverse", engine=engine)(x),
    "prepared columns": lambda f, x, engine: adxform.prepare_jacobian(f, np.ones(3), mode="forward", engine=engine)(x),
    "sparse": lambda f, x, engine: adxform.prepare_jacobian(f, np.ones(3), sparse=True, engine=engine)(x).toarray()[0],
}
SECOND: dict[str, Callable[..., Any]] = {
    "hvp": lambda f, x, engine: np.array([adxform.hvp(f, engine=engine)(x, row) for row in np.eye(3)]),
    "hvp by forward sweeps": lambda f, x, engine: np.array(
        [adxform.hvp(f, mode="forward-over-forward", engine=engine)(x, row) for row in np.eye(3)]
    ),
    "hessian": lambda f, x, engine: adxform.hessian(f, engine=engine)(x),
    "prepared hessian": lambda f, x, engine: adxform.prepare_hessian(f, np.ones(3), engine=engine)(x),
    "one point": lambda f, x, engine: np.array([adxform.prepare_hvp_same_point(f, x, engine=engine)(row) for row in np.eye(3)]),
}
BY_BRANCH = frozenset({"columns", "rows", "hessian", "hvp by forward sweeps"})
"""Ways that write one function with all derivatives: of writes in branches their run knows nothing."""


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("way", [*WAYS, *SECOND])
@pytest.mark.parametrize("kind", ["read-only", "broadcast"])
def test_writes_raise_as_in_numpy(kind: str, way: str, engine: str) -> None:
    for function in (*WRITING[engine], *(() if way in BY_BRANCH else (branch,))):
        x = ARGUMENTS[kind]()
        before = x.copy()
        with pytest.raises(ValueError, match="read-only"):
            {**WAYS, **SECOND}[way](function, x, engine)
        assert np.array_equal(x, before), function
        assert not x.flags.writeable


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("way", [*WAYS, *SECOND])
@pytest.mark.parametrize("kind", ARGUMENTS)
def test_what_writes_to_none_has_derivatives(kind: str, way: str, engine: str) -> None:
    for function in NOT_WRITING[engine]:
        x = ARGUMENTS[kind]()
        found = {**WAYS, **SECOND}[way](function, x, engine)
        expected = (adxform.hessian if way in SECOND else adxform.grad)(function, engine="python")(np.array(x))
        np.testing.assert_allclose(found, expected, err_msg=f"{function}")


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("function", [element, loop, view, result_in_place, branch])
def test_a_jacobian_is_that_at_the_argument(function: Callable[[Any], Any], mode: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    expected = adxform.grad(function)(x)
    np.testing.assert_allclose(adxform.jacobian(function, mode=mode)(x), expected)
    np.testing.assert_allclose(adxform.jacobian(lambda y: adxform.jacobian(function, mode=mode)(y) @ y)(x).shape, (3,))
    assert np.array_equal(x, [1.0, 2.0, 3.0])


def test_a_pullback_of_one_array_for_two_is_refused_where_one_is_written() -> None:
    def both(x: Any, y: Any) -> Any:
        x[0] = 2.0 * y[1]
        return np.sum(x * y)

    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(AliasError, match="shares memory"):
        adxform.vjp(both, x, x)
    with pytest.raises(AliasError, match="shares memory"):
        adxform.prepare_vjp(both, x, x.copy())(x, x)
