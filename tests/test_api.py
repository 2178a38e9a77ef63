"""The public operators: structure, dtype and freshness of what they return, and every way to call them."""

from __future__ import annotations

import ast
import functools
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.optimize

import adxform
import adxform.errors


def rosenbrock(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def weighted(x, y, scale=2.0):
    return scale * np.sum(x * y)


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Model:
    weight: Any
    bias: Any


class Quadratic:
    """An object with an array and methods."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def value(self, x):
        return x @ self.matrix @ x

    def __call__(self, x):
        return np.sum(self.matrix @ x)

    @adxform.differentiable
    def marked(self, x):
        return 0.5 * (x @ self.matrix @ x)


@adxform.differentiable
def cubic(x, k=1.0):
    """The cube."""
    return k * x**3


@adxform.differentiable()
def quartic(x):
    return x**4


# grad and value_and_grad


def test_grad_of_a_number_is_a_number() -> None:
    slope = adxform.grad(lambda x: x**3)(2.0)
    assert isinstance(slope, float)
    assert slope == 12.0


def test_grad_of_an_array() -> None:
    x = np.array([1.2, 1.2, 0.8])
    gradient = adxform.grad(rosenbrock)(x)
    np.testing.assert_allclose(gradient, scipy.optimize.rosen_der(x), rtol=1e-12)


def test_value_and_grad() -> None:
    x = np.array([1.2, 1.2])
    value, gradient = adxform.value_and_grad(rosenbrock)(x)
    assert value == rosenbrock(x)
    np.testing.assert_allclose(gradient, scipy.optimize.rosen_der(x), rtol=1e-12)


@pytest.mark.parametrize("argnums", [(0,), (0, 1), (1, 0), (-1,)])
def test_a_tuple_of_argnums_gives_a_tuple(argnums: tuple[int, ...]) -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    found = adxform.grad(weighted, argnums)(x, y)
    assert isinstance(found, tuple)
    for n, part in zip(argnums, found, strict=True):
        np.testing.assert_allclose(part, 2.0 * (y, x)[n])


def test_keyword_arguments_pass_through() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    np.testing.assert_allclose(adxform.grad(weighted)(x, y, scale=10.0), 10.0 * y)
    np.testing.assert_allclose(adxform.grad(weighted)(x, y=y), 2.0 * y)


def test_has_aux() -> None:
    def loss(x):
        residual = x - 1.0
        return np.sum(residual**2), {"residual": residual, "label": "fit", "count": 3}

    x = np.array([1.0, 2.0])
    gradient, aux = adxform.grad(loss, has_aux=True)(x)
    np.testing.assert_allclose(gradient, 2.0 * (x - 1.0))
    np.testing.assert_allclose(aux["residual"], x - 1.0)
    assert aux["label"] == "fit"
    assert aux["count"] == 3
    (value, aux), gradient = adxform.value_and_grad(loss, has_aux=True)(x)
    assert value == 1.0
    np.testing.assert_allclose(gradient, 2.0 * (x - 1.0))


@pytest.mark.parametrize(
    ("tree", "function"),
    [
        ((1.5, np.array([2.0, 3.0])), lambda t: t[0] * np.sum(t[1])),
        ([1.5, (np.array([2.0, 3.0]),)], lambda t: t[0] * np.sum(t[1][0])),
        ({"b": np.array([2.0, 3.0]), "a": 1.5}, lambda t: t["a"] * np.sum(t["b"])),
        (Pair(1.5, np.array([2.0, 3.0])), lambda t: t.left * np.sum(t.right)),
        (Model(np.array([2.0, 3.0]), {"b": 1.5}), lambda t: t.bias["b"] * np.sum(t.weight)),
        ({"x": [1.5, None], "y": np.array([2.0, 3.0])}, lambda t: t["x"][0] * np.sum(t["y"])),
    ],
    ids=["tuple", "nested list", "dict", "named tuple", "dataclass", "with None"],
)
def test_gradients_mirror_the_argument(tree: Any, function: Callable[[Any], Any]) -> None:
    def flat(node: Any) -> list[Any]:
        match node:
            case dict():
                return [leaf for key in node for leaf in flat(node[key])]
            case Model():
                return flat(node.weight) + flat(node.bias)
            case tuple() | list():
                return [leaf for part in node for leaf in flat(part)]
            case None:
                return []
            case _:
                return [node]

    gradient = adxform.grad(function)(tree)
    assert type(gradient) is type(tree)
    if isinstance(tree, dict):
        assert list(gradient) == list(tree)
    for leaf, part in zip(flat(tree), flat(gradient), strict=True):
        expected = 1.5 * np.ones(2) if isinstance(leaf, np.ndarray) else 5.0
        np.testing.assert_allclose(part, expected)
        assert np.shape(part) == np.shape(leaf)


def test_float32_stays_float32() -> None:
    x = np.array([1.0, 2.0], np.float32)
    value, gradient = adxform.value_and_grad(lambda x: np.sum(x * x))(x)
    assert gradient.dtype == np.float32
    assert value.dtype == np.float32
    mixed = adxform.grad(lambda x, y: np.sum(x * y))(x, np.array([1.0, 2.0]))
    assert mixed.dtype == np.float32
    assert isinstance(adxform.grad(lambda x: x * x)(np.float32(2.0)), np.float32)


def test_gradients_are_fresh_and_writable() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    both = adxform.grad(lambda x, y: np.sum(x + y), (0, 1))(x, y)
    for part in both:
        assert part.flags.writeable
        assert not np.shares_memory(part, x)
        assert not np.shares_memory(part, y)
    assert not np.shares_memory(*both)
    _, pullback = adxform.vjp(lambda x: x, x)
    ct = np.array([1.0, 1.0])
    (back,) = pullback(ct)
    assert not np.shares_memory(back, ct)
    total = adxform.grad(lambda x: np.sum(x))(np.ones((2, 3)))
    total[0, 0] = 7.0
    assert total[1, 1] == 1.0


def test_inputs_are_as_before() -> None:
    def writes(x):
        x[0] = 2.0 * x[1]
        return np.sum(x * x)

    def raises(x):
        x[0] = 5.0
        if x[0] > 1.0:
            raise ValueError("too large")
        return np.sum(x)

    x = np.array([1.0, 3.0])
    np.testing.assert_allclose(adxform.grad(writes)(x), [0.0, 30.0])
    np.testing.assert_array_equal(x, [1.0, 3.0])
    with pytest.raises(ValueError, match="too large"):
        adxform.grad(raises)(x)
    np.testing.assert_array_equal(x, [1.0, 3.0])


def test_the_independent_argument_has_zero_gradient() -> None:
    found = adxform.grad(lambda x, y: np.sum(y), (0, 1))(np.ones(2), np.ones(3))
    np.testing.assert_array_equal(found[0], np.zeros(2))
    assert adxform.grad(lambda x: 3.0)(1.0) == 0.0
    np.testing.assert_array_equal(adxform.grad(lambda x: 3.0)(np.ones(2)), np.zeros(2))


# jvp and vjp


def test_jvp() -> None:
    out, tangent = adxform.jvp(lambda x, y: x * np.sin(y), (2.0, 0.5), (1.0, 3.0))
    assert out == 2.0 * np.sin(0.5)
    assert tangent == pytest.approx(np.sin(0.5) + 6.0 * np.cos(0.5), rel=1e-15)


def test_jvp_of_structures_and_integers() -> None:
    def f(state, n):
        return {"power": state["x"] ** n, "n": n}

    out, tangent = adxform.jvp(f, ({"x": 3.0}, 2), ({"x": 1.0}, None))
    assert out == {"power": 9.0, "n": 2}
    assert tangent["power"] == 6.0
    assert tangent["n"] is None


def test_vjp_many_times() -> None:
    def f(x):
        y = x.copy()
        y *= x
        return y, np.sum(x)

    x = np.array([1.0, 2.0])
    (square, total), pullback = adxform.vjp(f, x)
    np.testing.assert_allclose(square, x * x)
    assert total == 3.0
    ct = np.array([1.0, 0.0])
    for weight in (1.0, 2.0, 1.0):
        (back,) = pullback((weight * ct, 1.0))
        np.testing.assert_allclose(back, 2.0 * weight * ct * x + 1.0)


def test_a_pullback_is_of_the_primals_as_they_were() -> None:
    x = np.array([1.0, 2.0])
    out, pullback = adxform.vjp(lambda x: x * x, x)
    x[:] = 0.0
    out[:] = 0.0
    np.testing.assert_allclose(pullback(np.ones(2))[0], [2.0, 4.0])


def test_vjp_gives_none_for_integers() -> None:
    _, pullback = adxform.vjp(lambda x, n: x**n, 3.0, 2)
    assert pullback(1.0) == (6.0, None)


# hvp, hessian, jacobian


def test_second_order_of_rosenbrock() -> None:
    x, v = np.array([1.2, 1.2]), np.array([0.3, -1.0])
    matrix = np.array([[1250.0, -480.0], [-480.0, 200.0]])
    np.testing.assert_allclose(adxform.hessian(rosenbrock)(x), matrix, rtol=1e-12)
    np.testing.assert_allclose(adxform.hvp(rosenbrock)(x, v), matrix @ v, rtol=1e-12)


def test_hessian_of_a_structure() -> None:
    def f(p):
        return p["a"] ** 2 * np.sum(p["b"] ** 3)

    p = {"a": 2.0, "b": np.array([1.0, 2.0])}
    found = adxform.hessian(f)(p)
    assert found["a"]["a"] == pytest.approx(2.0 * 9.0)
    np.testing.assert_allclose(found["a"]["b"], 4.0 * 3.0 * p["b"] ** 2)
    np.testing.assert_allclose(found["b"]["a"], 4.0 * 3.0 * p["b"] ** 2)
    np.testing.assert_allclose(found["b"]["b"], np.diag(4.0 * 6.0 * p["b"]))


def test_hessian_by_two_arguments() -> None:
    x, y = np.array([1.0, 2.0]), 3.0
    (xx, xy), (yx, yy) = adxform.hessian(lambda x, y: y**2 * np.sum(x**2), (0, 1))(x, y)
    np.testing.assert_allclose(xx, 2.0 * y**2 * np.eye(2))
    np.testing.assert_allclose(xy, 4.0 * y * x)
    np.testing.assert_allclose(yx, 4.0 * y * x)
    assert yy == pytest.approx(2.0 * 5.0)


def test_hvp_by_two_arguments() -> None:
    x, y = np.array([1.0, 2.0]), 3.0
    vx, vy = np.array([1.0, -1.0]), 0.5
    px, py = adxform.hvp(lambda x, y: y**2 * np.sum(x**2), (0, 1))(x, y, (vx, vy))
    np.testing.assert_allclose(px, 2.0 * y**2 * vx + 4.0 * y * x * vy)
    assert py == pytest.approx(4.0 * y * x @ vx + 10.0 * vy)


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobian(mode: Any) -> None:
    matrix = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(adxform.jacobian(lambda x: matrix @ x, mode=mode)(np.ones(3)), matrix)
    np.testing.assert_allclose(adxform.jacobian(lambda x: x**2, mode=mode)(3.0), 6.0)
    np.testing.assert_allclose(adxform.jacobian(lambda x: np.sum(x**2), mode=mode)(np.ones(3)), 2.0 * np.ones(3))
    assert adxform.jacobian(lambda x: np.outer(x, x), mode=mode)(np.ones(2)).shape == (2, 2, 2)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobian_of_structures(mode: Any) -> None:
    def f(x, y):
        return {"p": x * y, "q": (np.sum(x),)}

    x, y = np.array([1.0, 2.0]), 3.0
    found = adxform.jacobian(f, (0, 1), mode=mode)(x, y)
    np.testing.assert_allclose(found["p"][0], 3.0 * np.eye(2))
    np.testing.assert_allclose(found["p"][1], x)
    np.testing.assert_allclose(found["q"][0][0], np.ones(2))
    np.testing.assert_allclose(found["q"][0][1], 0.0)


# what is differentiated


def test_methods_partials_and_objects() -> None:
    matrix = np.array([[2.0, 1.0], [0.0, 3.0]])
    x = np.array([1.0, 2.0])
    both = (matrix + matrix.T) @ x
    thing = Quadratic(matrix)
    np.testing.assert_allclose(adxform.grad(thing.value)(x), both)
    np.testing.assert_allclose(adxform.grad(thing)(x), matrix.sum(axis=0))
    np.testing.assert_allclose(adxform.grad(Quadratic.value, 1)(thing, x), both)
    np.testing.assert_allclose(adxform.grad(functools.partial(weighted, x))(np.ones(2)), 2.0 * x)
    np.testing.assert_allclose(adxform.grad(functools.partial(weighted, scale=4.0))(x, np.ones(2)), 4.0 * np.ones(2))
    thing.matrix = 2.0 * matrix
    np.testing.assert_allclose(adxform.grad(thing.value)(x), 2.0 * both)


def test_differentiable() -> None:
    assert cubic(2.0) == 8.0
    assert cubic.__name__ == "cubic"
    assert cubic.__doc__ == "The cube."
    assert cubic.grad(2.0) == 12.0
    assert cubic.grad(2.0, 3.0, argnums=1) == 8.0
    assert cubic.value_and_grad(2.0) == (8.0, 12.0)
    assert cubic.jvp((2.0,), (1.0,)) == (8.0, 12.0)
    assert cubic.vjp(2.0)[1](1.0) == (12.0,)
    assert cubic.hvp(2.0, 1.0) == 12.0
    assert cubic.hessian(2.0) == 12.0
    assert cubic.jacobian(2.0) == 12.0
    assert "def cubic_vjp" in cubic.source(2.0)
    assert quartic.grad(2.0) == 32.0
    assert adxform.grad(cubic)(2.0) == 12.0
    assert adxform.grad(lambda x: cubic(x) * 2.0)(2.0) == 24.0


def test_differentiable_methods() -> None:
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = np.array([1.0, 2.0])
    thing = Quadratic(matrix)
    assert thing.marked(x) == pytest.approx(0.5 * x @ matrix @ x)
    np.testing.assert_allclose(thing.marked.grad(x), matrix @ x)
    np.testing.assert_allclose(thing.marked.hessian(x), matrix)


def test_operators_pickle() -> None:
    for made in (
        adxform.grad(rosenbrock),
        adxform.value_and_grad(rosenbrock, (0,)),
        adxform.hvp(rosenbrock),
        adxform.jacobian(rosenbrock),
    ):
        again = pickle.loads(pickle.dumps(made))
        assert (type(again), again.fn, again.argnums) == (type(made), made.fn, made.argnums)
    assert pickle.loads(pickle.dumps(cubic)) is cubic


def test_scipy_optimises_with_it() -> None:
    found = scipy.optimize.minimize(
        adxform.value_and_grad(rosenbrock),
        np.array([-1.0, 1.5, 2.0]),
        jac=True,
        hessp=adxform.hvp(rosenbrock),
        method="trust-ncg",
    )
    assert found.success
    np.testing.assert_allclose(found.x, np.ones(3), atol=1e-5)


def test_stop_gradient() -> None:
    assert adxform.stop_gradient(3.0) == 3.0
    assert adxform.grad(lambda x: x * adxform.stop_gradient(x))(3.0) == 3.0


# source and explain


def test_source_is_deterministic_and_runs_alone() -> None:
    x = np.array([1.2, 1.2])
    text = adxform.source(rosenbrock, x)
    adxform.clear_cache()
    assert adxform.source(rosenbrock, x) == text
    space: dict[str, Any] = {}
    exec(text, space)
    value, gradient = space["rosenbrock_vjp"](x, 1.0)
    assert value == rosenbrock(x)
    np.testing.assert_array_equal(gradient, adxform.grad(rosenbrock)(x))


@pytest.mark.parametrize(
    ("mode", "name"), [("reverse", "vjp"), ("forward", "jvp"), ("hvp", "hvp"), ("hessian", "hessian"), ("jacobian", "jacobian")]
)
def test_source_of_each_mode(mode: str, name: str) -> None:
    assert f"def rosenbrock_{name}(" in adxform.source(rosenbrock, np.ones(3), mode=mode)


def test_only_what_is_asked_for_is_computed() -> None:
    def f(a, b):
        return (a @ b).sum()

    text = adxform.source(f, np.ones((2, 3)), np.ones((3, 2)))
    assert text.partition("# reverse sweep")[2].count("@") == 1


def dense(weight, inputs):
    drive = weight @ inputs
    return np.tanh(drive)


def deep(w, x):
    first, second = np.sin(x), np.cos(x)
    hidden = dense(w, first * second)
    return np.sum(dense(w, hidden + x) * second)


def test_names_of_inlined_functions_survive() -> None:
    text = adxform.source(deep, np.eye(2), np.ones(2), argnums=(0, 1))
    assert all(f"    {name} = " in text for name in ("first", "second", "inputs", "hidden", "inputs_1", "second_ct"))
    text = adxform.source(deep, np.eye(2), np.ones(2), mode="hvp")
    assert text.count("# reverse sweep") == 1
    assert "zeros_like(np.zeros_like" not in text
    assert "np.copy(np.zeros_like" not in text


def test_loops_over_elements_need_no_tape() -> None:
    def products(a: Any, b: Any) -> Any:
        c = np.zeros((a.shape[0], b.shape[1]))
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]
        return np.sum(c * c)

    def distance(x: Any, y: Any) -> Any:
        s = 0.0
        for i in range(x.shape[0]):
            t = x[i] - y[i]
            s += t * t
        return s

    for function, size in ((products, (3, 3)), (distance, (3,))):
        told = adxform.explain(function, np.ones(size), np.ones(size), argnums=(0, 1)).splitlines()[1:]
        assert told.pop() == "nothing is taped"
        assert told
        assert all(" recompute " in line for line in told)


def test_explain_names_values() -> None:
    text = adxform.explain(rosenbrock, np.ones(3))
    assert "rosenbrock(x): reverse mode with respect to x" in text


def test_a_failure_names_the_users_line() -> None:
    def looks_up(x):
        y = x * 2.0
        return np.sum(y[7] * y)

    with pytest.raises(IndexError) as caught:
        adxform.grad(looks_up)(np.ones(3))
    assert any(f"test_api.py:{looks_up.__code__.co_firstlineno + 2}" in note for note in caught.value.__notes__)


def test_arrays_that_share_memory_and_are_written_are_refused() -> None:
    def f(x, y):
        x[0] = 2.0
        return np.sum(x * y)

    base = np.ones(4)
    with pytest.raises(adxform.errors.AliasError, match="shares memory"):
        adxform.grad(f)(base[:3], base[1:])
    np.testing.assert_allclose(adxform.grad(f)(base[:2], base[2:]), [0.0, 1.0])


def test_a_pullback_sees_that_its_tape_shares_memory() -> None:
    def f(x):
        p = x.copy()
        p[:, 1] *= x[2]
        p[:, 1] *= x[2]
        return np.sum(x * p)

    x = np.arange(9.0).reshape(3, 3) + 0.5
    _, pullback = adxform.vjp(f, x)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], adxform.grad(f)(x), rtol=1e-14)


def test_second_order_where_a_gradient_is_constant() -> None:
    x = np.ones(2)
    px, py = adxform.hvp(lambda x, y: np.sum(x) * 2.0, (0, 1))(x, 1.0, (x, 1.0))
    np.testing.assert_array_equal(px, np.zeros(2))
    assert py == 0.0
    assert adxform.hessian(lambda x: 3.0 * x)(2.0) == 0.0
    np.testing.assert_array_equal(adxform.hessian(lambda x: np.sum(x))(x), np.zeros((2, 2)))


def test_calls_that_do_not_fit_are_type_errors() -> None:
    for args, kwargs in (((1.0, 2.0, 3.0, 4.0), {}), ((1.0,), {"z": 1.0}), ((1.0,), {})):
        with pytest.raises(TypeError, match="weighted"):
            adxform.grad(weighted)(*args, **kwargs)


def test_primitives_are_functions_too() -> None:
    assert adxform.grad(np.sin)(0.0) == 1.0
    assert adxform.grad(abs)(-2.0) == -1.0


def test_what_may_write_gets_a_copy_and_what_reads_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    def shuffles(x, order):
        np.random.default_rng(0).shuffle(order)
        return np.sum(x[order] * np.arange(3.0))

    def prints(x, y):
        print(x)
        return np.sum(x * y)

    x, order = np.ones(3), np.arange(3)
    mixed = order.copy()
    np.random.default_rng(0).shuffle(mixed)
    expected = np.empty(3)
    expected[mixed] = np.arange(3.0)
    np.testing.assert_array_equal(adxform.grad(shuffles)(x, order), expected)
    np.testing.assert_array_equal(order, np.arange(3))
    base = np.ones(4)
    np.testing.assert_array_equal(adxform.grad(prints)(base[:3], base[1:]), np.ones(3))
    assert capsys.readouterr().out.strip() == "[1. 1. 1.]"


def test_dicts_of_tangents_may_be_in_another_order() -> None:
    def area(sides: dict[str, float]) -> float:
        return sides["width"] * sides["height"]

    tangents = {"height": 0.5, "width": 2.0}
    assert adxform.jvp(area, ({"width": 3.0, "height": 5.0},), (tangents,)) == (15.0, 11.5)
    with pytest.raises(adxform.AdxError, match="keys 'width', 'height', got a dict with the keys 'width'"):
        adxform.jvp(area, ({"width": 3.0, "height": 5.0},), ({"width": 1.0},))


@pytest.mark.parametrize("given", [SimpleNamespace(width=2.5, depth=1.0), SimpleNamespace(), 3])
def test_attributes_of_an_argument_that_may_be_missing(given: object) -> None:
    def of(o: Any, x: float) -> float:
        return getattr(o, "width", x * x) * x + getattr(o, "hidden", x) * (2.0 if hasattr(o, "depth") else x)

    slope = adxform.grad(of, argnums=1)(given, 1.5)
    assert slope == pytest.approx((of(given, 1.5 + 1e-6) - of(given, 1.5 - 1e-6)) / 2e-6, rel=1e-8)


def test_type_checkers_and_editors_see_the_names_that_there_are() -> None:
    stub = ast.parse(Path(adxform.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    declared = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module != "adxform"
        for alias in node.names
    }
    assert declared == {name: home for home, names in adxform.HOMES.items() for name in names}  # type: ignore[attr-defined]
    listed = next(node.value for node in stub.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == adxform.__all__
    for name, home in declared.items():
        assert getattr(adxform, name) is getattr(import_module(home), name)
    assert set(adxform.__all__) <= set(dir(adxform))
    with pytest.raises(AttributeError, match="has no attribute 'gradient'"):
        adxform.gradient  # type: ignore[attr-defined]  # noqa: B018


LATE = """
import sys
import adxform
loaded = {name for name in sys.modules if name.startswith("adxform.")}
assert loaded == {"adxform.threads", "adxform.threads.locks"} and "numpy" not in sys.modules, loaded
import numpy as np

def f(x):
    return np.sum(np.diag(adxform.hessian(lambda y: np.sum(y ** 3))(x)))

print(adxform.grad(f)(np.array([1.0, 2.0])), adxform.errors.AdxError.__name__, adxform.runtime.unbroadcast.__name__)
"""


def test_what_a_name_stands_for_is_loaded_when_it_is_asked_for(tmp_path: Path) -> None:
    program = tmp_path / "late.py"
    program.write_text(LATE, encoding="utf-8")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout == "[6. 6.] AdxError unbroadcast\n"
