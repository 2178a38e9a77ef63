"""Preparing inside a differentiated function, and prepared derivatives called there: every kind, every method, with `out=`.

The oracles are the program as Python runs it, and central differences of that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import errors
from adxform.frontend.derivative_operators import ORDERS
from tests.oracle import central_jacobian

X = np.array([0.7, -0.4, 1.1, 0.5])
V = np.array([0.3, 0.2, -0.5, 1.0])


def energy(x: Any, k: Any = 1.0) -> Any:
    return np.sum(np.sin(x) * x * k) + x[0] * x[1] * x[2]


def field(x: Any, k: Any = 1.0) -> Any:
    return np.sin(x) * x * k + x[::-1] ** 2


def slope(t: Any, k: Any = 1.0) -> Any:
    return np.sin(t * k) * t


GRADIENT = adxform.prepare_gradient(energy, X, 2.0)
HVP = adxform.prepare_hvp(energy, X, 2.0)
HESSIAN = adxform.prepare_hessian(energy, X, 2.0)
JACOBIAN = adxform.prepare_jacobian(field, X, 2.0)
JVP = adxform.prepare_jvp(field, X, 2.0)
VJP = adxform.prepare_vjp(field, X, 2.0)
DERIVATIVE = adxform.prepare_derivative(slope, 1.0, 2.0)
AT_POINT = adxform.prepare_hvp_same_point(energy, X, 2.0)


def gradient(x: Any) -> Any:
    return adxform.prepare_gradient(energy, x, 2.0)(x, x[0]) @ x


def gradient_parts(x: Any) -> Any:
    value, found = adxform.prepare_gradient(energy, x, 2.0).value_and_gradient(x, x[0])
    same, again = adxform.prepare_value_and_gradient(energy, x, 2.0)(x, x[1])
    return value * (found @ x) + same * (again @ x)


def gradient_into(x: Any) -> Any:
    out, other = np.zeros(4), np.ones(4)
    value, same = GRADIENT.value_and_gradient(x, x[0], out=(None, out))
    adxform.prepare_gradient(energy, x, 2.0)(x, x[1], out=other)
    other *= same
    return value * np.sum(out * other)


def gradient_with_aux(x: Any) -> Any:
    found, aux = adxform.prepare_gradient(lambda z, k: (energy(z, k), z * x), x, 1.0, has_aux=True)(x, x[0])
    return np.sum(found * aux)


def gradient_of_structure(x: Any) -> Any:
    p = adxform.prepare_gradient(lambda s: energy(s["w"], s["k"]), {"w": x, "k": 1.0})
    out = {"w": np.zeros(4), "k": None}
    found = p({"w": x * x, "k": x[0]}, out=out)
    return np.sum(out["w"] ** 2) + found["k"]


def product_parts(x: Any) -> Any:
    p = adxform.prepare_hvp(energy, x, 2.0)
    first, product = p.gradient_and_hvp(x, x[0], x)
    return np.sum(p(x, x[1], x) ** 2) + np.sum(first * product)


def product_into(x: Any) -> Any:
    first, product = np.zeros(4), np.zeros(4)
    value, _, same = HVP.value_gradient_and_hvp(x, x[0], x, out=(None, first, product))
    return value * np.sum(first * product) + np.sum(same)


def products(x: Any) -> Any:
    vs = np.stack((x, x * 2.0, x * x))
    return np.sum(adxform.prepare_hvp(energy, x, 2.0, directions=2).batch(x, x[0], vs) ** 2) + np.sum(HVP.batch(x, x[0], vs) ** 3)


def products_in_every_mode(x: Any) -> Any:
    total = 0.0
    for mode in ORDERS:
        total = total + np.sum(adxform.prepare_hvp(energy, x, 2.0, mode=mode)(x, x[0], x * x) ** 2)
    return total


def hessian_in_every_mode(x: Any) -> Any:
    total = 0.0
    for mode in ORDERS:
        total = total + np.sum(adxform.prepare_hessian(energy, x, 2.0, mode=mode).gradient_and_hessian(x, x[0])[1] ** 2)
    return total


def hessian_into(x: Any) -> Any:
    out = np.zeros((4, 4))
    HESSIAN(x, x[0], out=out)
    return np.sum(out**3)


def jacobian(x: Any) -> Any:
    value, found = adxform.prepare_jacobian(field, x, 2.0, mode="forward").value_and_jacobian(x, x[0])
    return np.sum(adxform.prepare_jacobian(field, x, 2.0)(x, x[1]) ** 3) + np.sum(found**2) * value[0]


def jacobian_into(x: Any) -> Any:
    value, out = np.zeros(4), np.zeros((4, 4))
    JACOBIAN.value_and_jacobian(x, x[0], out=(value, out))
    return np.sum(out**3) * np.sum(value)


def pushed(x: Any) -> Any:
    p = adxform.prepare_jvp(field, x, 2.0)
    value, tangent = p((x, x[0]), (x**2, x[1]))
    rows = p.batch((x, x[0]), (np.stack((x, x * x)), x[:2]))[1]
    return np.sum(value * tangent) + np.sum(p.tangent((x, x[1]), (x, x[0])) ** 2) + np.sum(rows**2)


def pushed_into(x: Any) -> Any:
    out = np.zeros(4)
    JVP.tangent((x, x[0]), (x**2, x[1]), out=out)
    return out @ out


def pulled(x: Any) -> Any:
    p = adxform.prepare_vjp(field, x, 2.0)
    value, pullback = p(x, x[0])
    rows = p.batch((x, x[0]), np.stack((x, x * x)))[1]
    return np.sum(value * pullback(x * x)[0]) + pullback(x)[1] + p.cotangents((x, x[1]), x)[0] @ x + np.sum(rows[0] ** 2)


def pulled_into(x: Any) -> Any:
    out = np.zeros(4)
    _, number = VJP.cotangents((x, x[0]), x * x, out=(out, None))
    return out @ out + number


def slopes(x: Any) -> Any:
    first = adxform.prepare_derivative(slope, 1.0, x[0], argnums=-1)
    second = adxform.prepare_second_derivative(slope, 1.0, x[0])
    value, along = first.value_and_derivative(x[1], x[2])
    parts = second.value_derivative_and_second(x[1], x[2])
    return value * along + first(x[0], x[1]) + second(x[0], x[1]) ** 2 + parts[0] * parts[1] * parts[2] + DERIVATIVE(x[1], x[3])


def at_a_point(x: Any) -> Any:
    q = adxform.prepare_hvp_same_point(energy, x, 2.0)
    r = q.at(x * x, x[0])
    return np.sum(q(x) ** 2) + q.value * np.sum(q.gradient**2) + np.sum(q.batch(np.stack((x, x * x))) ** 3) + np.sum(r(x) ** 2)


def at_a_point_from_outside(x: Any) -> Any:
    found = np.sum(AT_POINT(x) ** 2) + np.sum(AT_POINT.batch(np.stack((x, x * x))) ** 2) + AT_POINT.value * x[0]
    return found + np.sum(AT_POINT.at(x, x[0])(x) ** 2) + np.sum(AT_POINT.gradient * x)


def at_a_point_by_two(x: Any) -> Any:
    by_x, by_k = adxform.prepare_hvp_same_point(energy, x, x[0], argnums=(0, 1))((x, x[1]))
    return np.sum(by_x**2) + by_k


def at_a_point_that_moves_on(x: Any) -> Any:
    """What the gradient reads is that of the point, whatever is written to it later."""
    w, y = x * 2.0, x * 1.0
    q = adxform.prepare_hvp_same_point(lambda z: energy(z * w, w[0]), y)
    before = q(x)
    y[0] = 3.0
    return np.sum(before * q(x)) + q.value


EVERY = (
    gradient,
    gradient_parts,
    gradient_into,
    gradient_with_aux,
    gradient_of_structure,
    product_parts,
    product_into,
    products,
    products_in_every_mode,
    hessian_in_every_mode,
    hessian_into,
    jacobian,
    jacobian_into,
    pushed,
    pushed_into,
    pulled,
    pulled_into,
    slopes,
    at_a_point,
    at_a_point_from_outside,
    at_a_point_by_two,
    at_a_point_that_moves_on,
)


def mutates(z: Any, c: Any) -> Any:
    z = z.copy()
    for i in range(1, len(z)):
        z[i] = z[i] * z[i - 1] + c * np.sin(z[i])
    every_other = z[::2]
    every_other *= c
    return np.sum(z**2)


def shrinks(z: Any, c: Any) -> Any:
    y = z * 1.0
    while np.sum(y * y) > 0.3:
        y = 0.7 * np.tanh(y)
    return np.sum(y**3) * c


def writes_to_views(z: Any, c: Any) -> Any:
    m = np.outer(z, z * c)
    m[0] += m[:, 1]
    below = m.T[1:]
    below[0] *= 2.0
    return np.sum(m * m)


@adxform.differentiable(boundary=True)
def kept(z: Any, c: Any) -> Any:
    return np.sum(np.exp(z * c)) * z[0]


def calls_what_is_kept(z: Any, c: Any) -> Any:
    return kept(z, c) ** 2 + z[1] * c


def again(z: Any, n: int) -> Any:
    return z if n == 0 else again(np.sin(z) * z[0], n - 1)


def recursive(z: Any, c: Any) -> Any:
    return np.sum(again(z * c, 3))


FUNCTIONS = (mutates, shrinks, writes_to_views, calls_what_is_kept, recursive)


def anew_in_a_loop(f: Any, x: Any) -> Any:
    total = 0.0
    for k in range(3):
        p = adxform.prepare_gradient(lambda z, k=k: f(z, x[k]) * x[0], x)
        total = total + np.sum(p(x * (k + 1)) ** 2) * x[k]
    return total


def anew_in_a_while_loop(f: Any, x: Any) -> Any:
    y, n = x * 1.0, 0
    while n < 3:
        y = y + 0.01 * adxform.prepare_hvp(f, y, x[0])(y, x[1] + 1.0, x)
        n += 1
    return np.sum(y * y)


def three_deep(f: Any, x: Any) -> Any:
    def middle(y: Any) -> Any:
        def inner(z: Any) -> Any:
            return np.sum(adxform.prepare_gradient(f, z, y[0])(z * x, y[0]) * y)

        return np.sum(adxform.prepare_gradient(inner, y)(y * x[1]) * x)

    return np.sum(adxform.prepare_gradient(middle, x)(x) ** 2)


def into_in_branches(f: Any, x: Any) -> Any:
    p = adxform.prepare_gradient(f, x, 1.0)
    out = np.zeros(4)
    for i in range(2):
        if x[i] > 0.0:
            p(x * (i + 1), x[0], out=out)
        else:
            p(x, x[1], out=out)
        out *= x
    return np.sum(out * out)


def pullback_in_a_loop(f: Any, x: Any) -> Any:
    out, pullback = adxform.prepare_vjp(lambda z, c: np.stack((f(z, c) * z[0], f(z * 2.0, c))), x, 1.0)(x, x[0])
    total = 0.0
    for i in range(2):
        ct = np.zeros(2)
        ct[i] = x[i]
        by_z, by_c = pullback(ct)
        total = total + np.sum(by_z * by_z) * by_c
    return total + out[0]


PLACES = (anew_in_a_loop, anew_in_a_while_loop, three_deep, into_in_branches, pullback_in_a_loop)


def check(f: Callable[[Any], Any], second: bool) -> None:
    expected = central_jacobian(lambda y: np.ravel(f(y)), X, 3e-3)[0][0]
    value, found = adxform.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-10)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(adxform.jvp(f, (X,), (V,))[1], found @ V, rtol=1e-9, atol=1e-9)
    if second:
        curvature = central_jacobian(adxform.grad(f), X, 3e-3)[0]
        np.testing.assert_allclose(adxform.hvp(f)(X, V), curvature @ V, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", EVERY, ids=lambda f: f.__name__)
def test_preparing_inside_is_the_operator(f: Any) -> None:
    check(f, second=True)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_preparing_anywhere(place: Any, f: Any) -> None:
    check(lambda x: place(f, x), second=place is not three_deep)


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (
            lambda x: adxform.prepare_gradient(energy, x)(x[None]),
            errors.PreparationMismatchError,
            "adxform.prepare_gradient(energy, x)(x[None])",
        ),
        (lambda x: GRADIENT(x, 2.0, out=np.zeros(())), errors.PreparationMismatchError, "GRADIENT(x, 2.0, out=np.zeros(()))"),
        (
            lambda x: GRADIENT(x, 2.0, out=np.zeros(4, "f")),
            errors.PreparationMismatchError,
            'GRADIENT(x, 2.0, out=np.zeros(4, "f"))',
        ),
        (lambda x: GRADIENT(x, 2.0, out=x), errors.PreparationMismatchError, "GRADIENT(x, 2.0, out=x)"),
        (lambda x: HESSIAN(x, 2.0, out=(x, x)), errors.PreparationMismatchError, "HESSIAN(x, 2.0, out=(x, x))"),
        (
            lambda x: adxform.prepare_hessian(energy, x, sparse=True)(x).sum(),
            errors.UnsupportedOperationError,
            "adxform.prepare_hessian(energy, x, sparse=True)",
        ),
        (lambda x: len(GRADIENT.fingerprint()) * x[0], errors.UnsupportedOperationError, "GRADIENT.fingerprint"),
        (
            lambda x: adxform.prepare_gradient(energy, x).rebind(energy)(x)[0],
            errors.UnsupportedOperationError,
            "adxform.prepare_gradient(energy, x).rebind",
        ),
        (
            lambda x: adxform.prepare_gradient(energy, x, argnums=3)(x)[0],
            errors.ArgnumsError,
            "adxform.prepare_gradient(energy, x, argnums=3)(x)",
        ),
    ],
)
def test_refusals_are_at_the_call(f: Callable[[Any], Any], error: type[errors.AdxError], text: str) -> None:
    with pytest.raises(error) as caught:
        adxform.grad(lambda x: np.sum(f(x)))(X)
    span = caught.value.span
    assert span.file == __file__
    line = Path(__file__).read_text().splitlines()[span.line - 1]
    assert line[span.column :].startswith(text)
    assert caught.value.help


def test_lengths_of_out_are_checked_in_the_run() -> None:
    with pytest.raises(ValueError, match="array `out` differs in shape"):
        adxform.grad(lambda x: np.sum(GRADIENT(x, 2.0, out=np.zeros(3))))(X)


def test_without_strict_any_arguments_will_do() -> None:
    def loose(x: Any) -> Any:
        return np.sum(adxform.prepare_gradient(lambda z: np.sum(z**3), x, strict=False)(np.reshape(x, (2, 2))))

    np.testing.assert_allclose(adxform.grad(loose)(X), 6.0 * X)


def test_one_build_for_all_calls() -> None:
    outer = adxform.prepare_gradient(lambda x: anew_in_a_loop(mutates, x), X)
    before = adxform.stats()
    for scale in (0.5, 1.5, 2.0):
        outer(scale * X)
    after = adxform.stats()
    assert all(after[name] == before[name] for name in ("rule_builds", "source_parses", "py_compiles"))
