"""Every derivative operator inside a differentiated function, over every structure, under every outer operator.

The oracles are the operators outside (the value of a program is what Python makes of it) and central differences of that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import adxform
from adxform import errors
from tests.oracle import central_jacobian

X = np.array([0.7, -0.4, 1.1, 0.5])
V = np.array([0.3, 1.0, -0.6, 0.2])


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Model:
    w: Any
    b: Any


STRUCTURES: dict[str, Callable[[Any], Any]] = {
    "number": lambda x: x[0] * x[1],
    "array": lambda x: x * x[0],
    "matrix": lambda x: np.reshape(x * x[1], (2, 2)),
    "no_axes": lambda x: np.reshape(x[:1] * x[1], ()),
    "tuple": lambda x: (x[:2], x[0] * x[3]),
    "list": lambda x: [x[0], x[1:3]],
    "dict": lambda x: {"w": x[1:], "b": x[0]},
    "named": lambda x: Pair(x[0], x[1:]),
    "record": lambda x: Model(x[:2], x[3]),
    "nested": lambda x: {"p": (x[0], [x[1:3]]), "none": None, "m": Model(x[3], None)},
}


def parts(s: Any) -> Any:
    if isinstance(s, dict):
        return list(s.values())
    if isinstance(s, Model):
        return [s.w, s.b]
    return list(s)


def summed(s: Any) -> Any:
    if s is None:
        return 0.0
    if isinstance(s, tuple | list | dict | Model):
        total = 0.0
        for k, part in enumerate(parts(s)):
            total = total + summed(part) / (k + 1.0)
        return total
    return np.sum(np.sin(s) * s)


def energy(s: Any, scale: Any = 1.0) -> Any:
    return scale * summed(s) + 0.2 * summed(s) ** 2


def spread(s: Any) -> Any:
    return {"e": energy(s), "s": (s, 2)}


def similar(s: Any, c: Any) -> Any:
    """A direction for `s` that depends on `c`."""
    if s is None:
        return None
    if isinstance(s, dict):
        return {key: similar(part, c) for key, part in s.items()}
    if isinstance(s, Model):
        return Model(similar(s.w, c), similar(s.b, c))
    if isinstance(s, Pair):
        return Pair(similar(s.a, c), similar(s.b, c))
    if isinstance(s, tuple):
        return tuple([similar(part, c) for part in s])
    if isinstance(s, list):
        return [similar(part, c) for part in s]
    return s * c + 0.5


def pulled_back_twice(s: Any, x: Any) -> Any:
    out, pullback = adxform.vjp(spread, s)
    once = pullback({"e": x[0], "s": (similar(s, x[1]), None)})
    twice = pullback({"e": x[2] * out["e"], "s": (s, None)})
    return summed(once) + 2.0 * summed(twice)


def pushed(s: Any, x: Any) -> Any:
    out, tangent = adxform.jvp(spread, (s,), (similar(s, x[0]),))
    assert tangent["s"][1] is None
    return out["e"] * tangent["e"] + summed(tangent["s"][0])


def with_aux(s: Any, x: Any) -> Any:
    gradient, aux = adxform.grad(lambda u: (energy(u, x[0]), (u, "note", x[1])), has_aux=True)(s)
    return summed(gradient) + summed(aux[0]) * aux[2]


def of_two(s: Any, x: Any) -> Any:
    value, (by_x, by_s) = adxform.value_and_grad(lambda u, v: energy(u) * np.sum(v**2), (-1, 0))(s, x)
    return value + summed(by_x) * summed(by_s)


def hessian_of_two(s: Any, x: Any) -> Any:
    by_s, (by_x_s, by_x_x) = adxform.hessian(lambda u, k, v: energy(u, k) * np.sum(v**2), [0, -1])(s, 2.0, x)
    return summed(by_s) + 2.0 * summed(by_x_s) + 0.1 * summed(by_x_x)


INNER: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda s, x: summed(adxform.grad(energy)(s, scale=x[0])),
    "grad_by_last": lambda s, x: summed(adxform.grad(lambda k, u: energy(u, k), -1)(x[0], s)),
    "grad_of_grad": lambda s, x: summed(adxform.grad(lambda u: summed(adxform.grad(energy)(u)) * x[0])(s)),
    "value_and_grad": lambda s, x: summed(adxform.value_and_grad(energy)(s, x[2])),
    "has_aux": with_aux,
    "of_two": of_two,
    "jvp": pushed,
    "vjp": pulled_back_twice,
    "hvp": lambda s, x: summed(adxform.hvp(energy)(s, similar(s, x[0]), scale=x[1])),
    "hessian": lambda s, x: summed(adxform.hessian(energy)(s, scale=x[0])),
    "hessian_of_two": hessian_of_two,
    "jacobian": lambda s, x: summed(adxform.jacobian(lambda u: spread(u)["s"][0])(s)) + summed(adxform.jacobian(energy)(s, x[0])),
    "jacobian_forward": lambda s, x: summed(adxform.jacobian(partial(energy, scale=x[0]), mode="forward")(s)),
    "jacobian_reverse": lambda s, x: summed(adxform.jacobian(lambda k, u: (spread(u)["e"], k), 1, "reverse")(x[0], s)),
}


def program(inner: str, structure: str) -> Callable[[Any], Any]:
    run, make = INNER[inner], STRUCTURES[structure]

    def call(x: Any) -> Any:
        return run(make(x), x)

    return call


def oracle(f: Callable[[Any], Any], x: Any = X) -> Any:
    return central_jacobian(lambda y: np.ravel(f(y)), x, 1e-2)[0]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("inner", INNER)
def test_an_operator_inside_is_the_operator_outside(inner: str, structure: str) -> None:
    f = program(inner, structure)
    expected = oracle(f)[0]
    value, gradient = adxform.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-8)
    value, tangent = adxform.jvp(f, (X,), (V,))
    np.testing.assert_allclose((value, tangent), (f(X), expected @ V), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("structure", ["number", "nested"])
@pytest.mark.parametrize("inner", INNER)
def test_under_second_order(inner: str, structure: str) -> None:
    f = program(inner, structure)
    gradient = adxform.grad(f)
    expected = oracle(gradient)
    np.testing.assert_allclose(adxform.hvp(f)(X, V), expected @ V, rtol=1e-6, atol=1e-7)
    if structure == "number" and "hessian" not in inner:
        np.testing.assert_allclose(adxform.hessian(f)(X), expected, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(adxform.jacobian(gradient, mode="reverse")(X), expected, rtol=1e-6, atol=1e-7)


def writes_to_what_a_capture_shares(x: Any) -> Any:
    y = x * 2.0
    row = y[0:2]

    def inner(z: Any) -> Any:
        z[0] = z[0] * 3.0
        return row.sum() * z.sum()

    return adxform.grad(inner)(y).sum()


def writes_two_levels_down(x: Any) -> Any:
    y = x * 2.0
    row = y[0:2]

    def inner(z: Any) -> Any:
        z[0] = z[0] * 3.0
        return row.sum() * z.sum()

    return adxform.grad(lambda w: np.sum(adxform.grad(inner)(w) ** 2))(y).sum()


def writes_to_one_of_two_names(x: Any) -> Any:
    def inner(z: Any, w: Any) -> Any:
        z[0] = w[0] * 3.0
        return w.sum() * z.sum()

    y = x * 2.0
    return adxform.grad(inner)(y, y).sum()


def writes_to_a_capture(x: Any) -> Any:
    y = x * 2.0

    def inner(z: Any) -> Any:
        y[0] = z[1] * 3.0
        return y.sum() * z.sum()

    return adxform.grad(inner)(x).sum()


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (writes_to_what_a_capture_shares, errors.AliasError, "adxform.grad(inner)(y)"),
        (writes_two_levels_down, errors.AliasError, "adxform.grad(inner)(w)"),
        (writes_to_one_of_two_names, errors.AliasError, "adxform.grad(inner)(y, y)"),
        (writes_to_a_capture, errors.GlobalMutationError, "y[0]"),
        (lambda x: adxform.grad(energy, 2)(x, 1.0), errors.ArgnumsError, "adxform.grad(energy, 2)(x, 1.0)"),
        (lambda x: adxform.hessian(energy, (0, 0))(x), errors.ArgnumsError, "adxform.hessian(energy, (0, 0))(x)"),
        (lambda x: adxform.hvp(energy, True)(x, x)[0], errors.ArgnumsError, "adxform.hvp(energy, True)(x, x)"),
        (lambda x: adxform.jacobian(energy)(2) + x[0], errors.NonDifferentiableError, "adxform.jacobian(energy)(2)"),
        (lambda x: adxform.hessian(np.sin)(x)[0, 0], errors.NonScalarOutputError, "adxform.hessian(np.sin)(x)"),
        (lambda x: adxform.hvp(energy)(x, (x,))[0], errors.TangentMismatchError, "adxform.hvp(energy)(x, (x,))"),
        (lambda x: adxform.jvp(energy, (x,), (x[0],))[1], errors.TangentMismatchError, "adxform.jvp(energy, (x,), (x[0],))"),
        (lambda x: adxform.vjp(spread, x)[1](x)[0][0], errors.TangentMismatchError, "adxform.vjp(spread, x)[1](x)"),
    ],
)
def test_refusals_are_at_the_call(f: Callable[[Any], Any], error: type[errors.AdxError], text: str) -> None:
    with pytest.raises(error) as caught:
        adxform.grad(f)(X)
    span = caught.value.span
    assert span.file == __file__
    line = Path(__file__).read_text().splitlines()[span.line - 1]
    assert line[span.column : span.end_column] == text
    assert caught.value.help


def test_an_argument_that_is_not_differentiated_may_be_written_to() -> None:
    def inner(z: Any, work: Any) -> Any:
        work[:] = z**2
        return np.sum(work * z)

    def outer(x: Any) -> Any:
        work = x * 0.5
        return np.sum(adxform.grad(inner)(x, work)) + np.sum(work)

    np.testing.assert_allclose(adxform.grad(outer)(X), oracle(outer)[0], rtol=1e-8)


def test_a_tangent_of_another_length_is_refused_when_it_runs() -> None:
    def f(x: Any) -> Any:
        return np.sum(adxform.jvp(np.sin, (x,), (x[:1],))[1])

    with pytest.raises(ValueError, match="differs in shape"):
        adxform.grad(f)(X)
