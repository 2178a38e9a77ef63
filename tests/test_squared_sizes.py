"""``abs(z) ** 2``, complex or real, has its second derivative, also where a number is zero, in every order of modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.frontend.derivative_operators import ORDERS
from tests.tables.cell import Cell, judge, program, second_slope

X = np.array([0.0, 1.0, 0.0, -0.5])
V = np.array([1.0, -0.5, 2.0, 0.3])
FORMS = {
    "power": "np.sum(np.abs(z) ** 2)",
    "float exponent": "np.sum(abs(z) ** 2.0)",
    "square": "np.sum(np.square(np.abs(z)))",
    "product": "(lambda p: np.sum(p * p))(np.abs(z))",
    "numbers": "sum(abs(v) ** 2 for v in z)",
    "of Python": "abs(complex(x[0], s)) ** 2 + abs(complex(x[1], s)) ** 2",
    "squared": "np.sum(np.abs(z) ** 2) ** 2",
    "beside its root": "np.sum(np.abs(z) ** 2 * z.real) + np.sum(np.abs(z[1::2]))",
    "spectrum": "np.sum(np.abs(np.fft.rfft(x - x.mean())) ** 2 * np.arange(3.0))",
    "single": "np.sum(np.abs(z.astype(np.complex64)) ** 2).astype(float)",
}
OF_REAL_NUMBERS = {
    "power": "np.sum(np.abs(x) ** 2 * (1.0 + s))",
    "square": "np.sum(np.square(-np.fabs(x) * (1.0 + s)))",
    "product": "(lambda d: np.sum(0.5 * d * d / (1.0 + s)))(np.abs(x))",
    "scaled": "(lambda d: np.sum((d / (2.0 + s)) ** 2) + np.sum(d / 3.0 * d))(np.abs(x))",
    "numbers": "sum(0.5 * d**2 if d < 0.7 else d - 0.5 * s for d in (abs(v) for v in x))",
    "number of NumPy": "np.abs(float(x[0])) ** 2 * (1.0 + s)",
    "masked": "(lambda d: np.sum(np.where(d < 0.7, 0.5 * d * d, d - s)))(np.abs(x))",
    "of a written array": "(lambda w: (np.abs(w) ** 2, w.fill(3.0))[0].sum() + w.sum() * s**2)(x * (1.0 + s))",
}


def along(f: Callable[..., Any], order: Any, longest: float = 0.5) -> tuple[float, float]:
    """The second derivative of `f` along `V` and one, by `order` and by differences."""
    by_x, by_s = adxform.hvp(f, (0, 1), mode=order)(X, 0.0, (V, 1.0))
    return float(by_x @ V + by_s), second_slope(
        lambda u: np.array([f(u[:-1], u[-1])]), np.append(X, 0.0), np.append(V, 1.0), longest
    )[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_second_derivatives_where_a_number_is_zero(form: str, order: Any) -> None:
    f = program(f"def f(x, s):\n    z = x * np.exp(1j * s)\n    return {form}")
    assert np.isclose(*along(f, order), rtol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", OF_REAL_NUMBERS.values(), ids=OF_REAL_NUMBERS)
def test_second_derivatives_where_a_residual_is_zero(form: str, order: Any) -> None:
    f = program(f"def f(x, s):\n    return {form}")
    assert np.isclose(*along(f, order, 8e-3), rtol=1e-5)


@pytest.mark.parametrize("changed", ["z[0] = 2.0 * s", "p[0] = 3.0 + s", "q = p ** 2\n    q[1] = s", "p *= s"])
def test_what_is_overwritten_on_the_way(changed: str) -> None:
    f = program(
        f"def f(x, s):\n    z = x + 1j * s\n    p = np.abs(z)\n    {changed}\n    return np.sum(p ** 2 * z.real) + np.sum(z.imag)"
    )
    found = judge(Cell("overwritten", f, (X + 0.7, 0.3)))
    assert found.kind == "right", found.reason
