"""Prepared derivatives: right, checked once, and never built again."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import threading
from collections import deque
from dataclasses import FrozenInstanceError
from functools import partial
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import constant, scratch
from adxform.errors import AdxError, ArgnumsError, NonDifferentiableError, NonScalarOutputError, PreparationMismatchError
from adxform.primitives.record import Constant, Effect, Primitive
from tests import prepared_programs
from tests.oracle import central_jacobian
from tests.prepared_programs import PROGRAMS, Program, X, building, points
from tests.tables.cell import program

V = np.array([1.0, -0.5, 0.25])


def slopes(function: Any, x: Any) -> Any:
    """The gradient of `function` by differences."""
    return central_jacobian(lambda at: np.array([function(at)]), x)[0][0]


def curvatures(function: Any, x: Any) -> Any:
    """The Hessian of `function` by differences of its gradient, which was compared with differences itself."""
    return central_jacobian(adxform.grad(function), x)[0]


programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


# -- right ------------------------------------------------------------------------------------------------------------


@programs
def test_each_prepared_derivative_is_right_at_points_that_it_was_not_prepared_at(program: Program) -> None:
    f = program.function
    gradient, value = adxform.prepare_gradient(f, X), adxform.prepare_value_and_gradient(f, X)
    pushed, pulled = adxform.prepare_jvp(f, X), adxform.prepare_vjp(f, X)
    product, hessian = adxform.prepare_hvp(f, X), adxform.prepare_hessian(f, X)
    jacobian = adxform.prepare_jacobian(f, X)
    for x in points(3):
        g, h, fx = slopes(f, x), curvatures(f, x), f(x)
        close = partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-5)
        close(gradient(x), g)
        for one, other in zip(gradient.value_and_gradient(x), value(x), strict=True):
            np.testing.assert_array_equal(one, other)
        assert value(x)[0] == pytest.approx(fx)
        assert pushed((x,), (V,))[0] == pytest.approx(fx)
        close(pushed((x,), (V,))[1], g @ V)
        close(pushed.tangent((x,), (V,)), g @ V)
        out, pullback = pulled(x)
        assert out == pytest.approx(fx)
        close(pullback(2.0)[0], 2 * g)
        close(pulled.cotangents((x,), 2.0)[0], 2 * g)
        close(product(x, V), h @ V)
        for parts in (product.gradient_and_hvp(x, V), product.value_gradient_and_hvp(x, V)[1:]):
            close(parts[0], g)
            close(parts[1], h @ V)
        close(hessian(x), h)
        for parts in (hessian.gradient_and_hessian(x), hessian.value_gradient_and_hessian(x)[1:]):
            close(parts[0], g)
            close(parts[1], h)
        assert hessian.value_gradient_and_hessian(x)[0] == pytest.approx(fx)
        close(jacobian(x), g)
        close(jacobian.value_and_jacobian(x)[1], g)


def test_derivatives_of_one_number() -> None:
    def curve(t: Any) -> Any:
        return {"point": np.array([math.sin(t), t**3]), "count": 2, "speed": math.exp(t)}

    first, second = adxform.prepare_derivative(curve, 1.0), adxform.prepare_second_derivative(curve, 1.0)
    t = 0.3
    found = first(t)
    np.testing.assert_allclose(found["point"], [math.cos(t), 3 * t**2])
    assert found["speed"] == pytest.approx(math.exp(t))
    assert found["count"] is None
    found = second(t)
    np.testing.assert_allclose(found["point"], [-math.sin(t), 6 * t])
    value, slope, curvature = second.value_derivative_and_second(t)
    np.testing.assert_allclose(value["point"], curve(t)["point"])
    np.testing.assert_allclose(slope["point"], first(t)["point"])
    np.testing.assert_allclose(curvature["point"], found["point"])
    np.testing.assert_allclose(first.value_and_derivative(t)[0]["point"], curve(t)["point"])
    np.testing.assert_allclose(second.value_and_derivative(t)[1]["point"], first(t)["point"])
    error = adxform.prepare_second_derivative(prepared_programs.erf, 0.0)
    step = 1e-4
    expected = (prepared_programs.erf(t + step) - 2 * prepared_programs.erf(t) + prepared_programs.erf(t - step)) / step**2
    assert error(t) == pytest.approx(expected, rel=1e-6)
    product = adxform.prepare_derivative(lambda a, t: a * t**2, X, 1.0, argnums=-1)
    np.testing.assert_allclose(product(X, t), 2 * t * X)
    with pytest.raises(NonDifferentiableError, match="not one number"):
        adxform.prepare_derivative(lambda x: x, X)
    with pytest.raises(NonDifferentiableError, match="int"):
        adxform.prepare_derivative(lambda n: n, 2)
    with pytest.raises(ArgnumsError, match="one number"):
        adxform.prepare_derivative(lambda t, u: t * u, 1.0, 1.0, argnums=(0, 1))


def test_structures_and_argnums() -> None:
    def model(weights: Any, x: Any, *, power: int) -> Any:
        return np.sum((weights["w"] @ x + weights["b"]) ** power)

    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(size=(2, 3)), "b": 0.5}
    for argnums in (0, 1, (0, 1), (-1, 0)):
        made = {"argnums": argnums, "power": 2}
        found = adxform.prepare_gradient(model, weights, X, **made)(weights, V, power=3)
        assert_same(found, adxform.grad(model, argnums)(weights, V, power=3))
        found = adxform.prepare_hessian(model, weights, X, **made).value_gradient_and_hessian(weights, V, power=3)
        assert_same(found[2], adxform.hessian(model, argnums)(weights, V, power=3))
        assert_same(found[1], adxform.grad(model, argnums)(weights, V, power=3))
        found = adxform.prepare_jacobian(model, weights, X, **made).value_and_jacobian(weights, V, power=3)
        assert_same(found[1], adxform.grad(model, argnums)(weights, V, power=3))
    vector = {"w": np.ones((2, 3)), "b": 1.0}
    both = adxform.prepare_hvp(model, weights, X, argnums=(0, 1), power=2)
    assert_same(both(weights, V, (vector, V), power=3), adxform.hvp(model, (0, 1))(weights, V, (vector, V), power=3))


def assert_same(found: Any, expected: Any) -> None:
    """Structures with equal numbers."""
    assert type(found) is type(expected)
    if isinstance(expected, list):
        found, expected = tuple(found), tuple(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_auxiliary_results() -> None:
    def f(x: Any) -> Any:
        return np.sum(x**2), {"doubled": 2 * x}

    gradient = adxform.prepare_gradient(f, X, has_aux=True)
    found, aux = gradient(V)
    np.testing.assert_allclose(found, 2 * V)
    np.testing.assert_allclose(aux["doubled"], 2 * V)
    (value, _), found = adxform.prepare_value_and_gradient(f, X, has_aux=True)(V)
    assert value == pytest.approx(np.sum(V**2))
    np.testing.assert_allclose(found, 2 * V)


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_jacobians_in_each_mode(mode: Any, size: int) -> None:
    matrix = np.random.default_rng(size).normal(size=(size, 3))

    def f(x: Any) -> Any:
        return np.sin(matrix @ x), np.sum(x) ** 2

    found = adxform.prepare_jacobian(f, X, mode=mode).value_and_jacobian(V)
    np.testing.assert_allclose(found[0][0], np.sin(matrix @ V))
    np.testing.assert_allclose(found[1][0], np.cos(matrix @ V)[:, None] * matrix)
    np.testing.assert_allclose(found[1][1], 2 * np.sum(V) * np.ones(3))
    with pytest.raises(ValueError, match="mode is"):
        adxform.prepare_jacobian(f, X, mode="sideways")  # type: ignore[arg-type]


def test_complaints_come_when_it_is_prepared() -> None:
    with pytest.raises(NonScalarOutputError):
        adxform.prepare_gradient(lambda x: x, X)
    with pytest.raises(NonScalarOutputError):
        adxform.prepare_hvp(lambda x: x, X)
    with pytest.raises(ArgnumsError):
        adxform.prepare_hessian(lambda x: np.sum(x), X, argnums=1)
    with pytest.raises(NonDifferentiableError):
        adxform.prepare_gradient(lambda n: n * 1.0, 3)


def test_example_values_are_not_kept() -> None:
    class Watched(np.ndarray):
        pass

    example = np.array([1.0, 2.0, 3.0]).view(Watched)
    made = [
        prepare(prepared_programs.rosenbrock, example)
        for prepare in (adxform.prepare_gradient, adxform.prepare_vjp, adxform.prepare_hvp, adxform.prepare_jacobian)
    ]
    gc.collect()
    held = [other for other in gc.get_referrers(example) if isinstance(other, tuple | list | dict) and other is not locals()]
    assert not held
    assert made


def test_size_is_free() -> None:
    for n in (2, 7, 40):
        x = np.linspace(-1.0, 1.0, n)
        np.testing.assert_allclose(
            adxform.prepare_gradient(prepared_programs.rosenbrock, X)(x), adxform.grad(prepared_programs.rosenbrock)(x)
        )


def test_zero_length() -> None:
    hessian = adxform.prepare_hessian(lambda x: np.sum(x**2), X)
    value, gradient, matrix = hessian.value_gradient_and_hessian(np.zeros(0))
    assert value == 0.0
    assert gradient.shape == (0,)
    assert matrix.shape == (0, 0)


# -- built once ---------------------------------------------------------------------------------------------------------


@programs
def test_a_thousand_calls_build_nothing(program: Program) -> None:
    product = adxform.prepare_hvp(program.function, X)
    mark, code, before = product.fingerprint(), [rule.run.__code__ for rule in product.rules], building()
    for k, x in enumerate(points(1000)):
        called = product if program.anew is None else product.rebind(program.anew(0.001 * k))
        called(x, V)
    assert building() == before
    assert product.fingerprint() == mark
    assert all(rule.run.__code__ is one for rule, one in zip(product.rules, code, strict=True))


@programs
def test_every_call_runs_what_was_built(program: Program) -> None:
    f = program.function
    made = [
        prepare(f, X)
        for prepare in (
            adxform.prepare_gradient,
            adxform.prepare_value_and_gradient,
            adxform.prepare_hessian,
            adxform.prepare_jacobian,
        )
    ]
    pushed, pulled = adxform.prepare_jvp(f, X), adxform.prepare_vjp(f, X)
    before = building()
    for x in points(20):
        for one in made:
            one(x)
        pushed((x,), (V,))
        pulled(x)[1](1.0)
        pulled.cotangents((x,), 1.0)
    adxform.clear_cache()
    for x in points(3):
        for one in made:
            one(x)
        pulled(x)[1](1.0)
    assert building() == (0, 0, 0)
    assert before != (0, 0, 0)


@programs
def test_unprepared_products_build_at_the_first_call_alone(program: Program) -> None:
    adxform.clear_cache()
    make = program.anew or (lambda k: program.function)
    adxform.hvp(make(0.5))(X, V)
    before = building()
    assert before[0] > 0
    for k, x in enumerate(points(50)):
        adxform.hvp(make(0.01 * k))(x, V)
    assert building() == before


# -- frozen -------------------------------------------------------------------------------------------------------------


def test_nothing_can_be_set() -> None:
    p = adxform.prepare_gradient(prepared_programs.looped, X)
    for name in ("fn", "argnums", "made", "strict", "plan", "new"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(p, name, None)
        with pytest.raises((FrozenInstanceError, AttributeError)):
            delattr(p, name)
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        p.made.checks = ()  # type: ignore[misc]
    assert p.signature == p.made.call.signature
    assert p.fn is prepared_programs.looped
    assert "def looped_vjp" in p.source
    assert repr(p) == "prepare_gradient(looped, argnums=0)"


def test_fingerprints_tell_apart_what_differs() -> None:
    f, g = prepared_programs.looped, prepared_programs.rosenbrock
    prints = [
        adxform.prepare_gradient(f, X).fingerprint(),
        adxform.prepare_value_and_gradient(f, X).fingerprint(),
        adxform.prepare_gradient(g, X).fingerprint(),
        adxform.prepare_gradient(f, X.astype(np.float32)).fingerprint(),
        adxform.prepare_gradient(f, X, strict=False).fingerprint(),
        adxform.prepare_hvp(f, X).fingerprint(),
        adxform.prepare_hessian(f, X).fingerprint(),
        adxform.prepare_jvp(f, X).fingerprint(),
        adxform.prepare_vjp(f, X).fingerprint(),
        adxform.prepare_jacobian(f, X).fingerprint(),
        adxform.prepare_jacobian(f, X, mode="forward").fingerprint(),
    ]
    assert len(set(prints)) == len(prints)
    assert adxform.prepare_gradient(f, V).fingerprint() == prints[0]
    adxform.clear_cache()
    assert adxform.prepare_gradient(f, V).fingerprint() == prints[0]


PRINT = """
import sys
sys.path.insert(0, {root!r})
import numpy as np
import adxform
from tests import prepared_programs as programs
for program in programs.PROGRAMS:
    print(adxform.prepare_hvp(program.function, programs.X).fingerprint())
"""


def test_fingerprints_are_the_same_in_another_process(pytestconfig: pytest.Config) -> None:
    text = PRINT.format(root=str(pytestconfig.rootpath))
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    own = [adxform.prepare_hvp(program.function, X).fingerprint() for program in PROGRAMS]
    assert found.stdout.split() == own


# -- called in any way --------------------------------------------------------------------------------------------------


@programs
def test_threads_share_one_preparation(program: Program) -> None:
    gradient, product = adxform.prepare_gradient(program.function, X), adxform.prepare_hvp(program.function, X)
    at = points(8)
    expected = [(gradient(x), product(x, V)) for x in at]
    wrong: list[Any] = []

    def work(start: int) -> None:
        for k in range(200):
            i = (start + k) % len(at)
            try:
                if not np.array_equal(gradient(at[i]), expected[i][0]) or not np.array_equal(product(at[i], V), expected[i][1]):
                    wrong.append(i)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def failing(x: Any, limit: Any) -> Any:
    y = x.copy()
    total = 0.0
    for i in range(y.shape[0]):
        if y[i] > limit:
            raise ValueError("too large")
        y[i] = np.sin(y[i]) * x[0]
        total += y[i] ** 2
    return total


def test_calls_go_on_after_an_exception_in_the_function() -> None:
    gradient = adxform.prepare_gradient(failing, X, 5.0)
    product = adxform.prepare_hvp(failing, X, 5.0)
    expected, bent = gradient(X, 5.0), product(X, 5.0, V)
    for _ in range(3):
        with pytest.raises(ValueError, match="too large"):
            gradient(X, 0.5)
        with pytest.raises(ValueError, match="too large"):
            product.value_gradient_and_hvp(X, 0.5, V)
        np.testing.assert_array_equal(gradient(X, 5.0), expected)
        np.testing.assert_array_equal(product(X, 5.0, V), bent)


def fragile(x: Any) -> Any:
    return np.sum(x)


BREAKS = [False]


def blame() -> None:
    if BREAKS[0]:
        raise RuntimeError("in the reverse sweep")


adxform.register(Primitive(blame, "blame", Constant(), Effect(opaque=True)))


@adxform.rule(fragile)
def _(x):
    def pullback(y_ct):
        blame()
        return y_ct * np.ones_like(x)

    return np.sum(x), pullback


def test_calls_go_on_after_an_exception_in_the_reverse_sweep() -> None:
    gradient = adxform.prepare_gradient(lambda x: fragile(x * x) * fragile(x), X)
    pulled = adxform.prepare_vjp(lambda x: fragile(x * x) * fragile(x), X)
    expected = gradient(V)
    _, pullback = pulled(V)
    BREAKS[0] = True
    try:
        with pytest.raises(RuntimeError, match="reverse sweep"):
            gradient(X)
        with pytest.raises(RuntimeError, match="reverse sweep"):
            pullback(1.0)
    finally:
        BREAKS[0] = False
    np.testing.assert_array_equal(gradient(V), expected)
    np.testing.assert_allclose(pullback(1.0)[0], expected)
    np.testing.assert_allclose(expected, 2 * V * np.sum(V) + np.sum(V * V))


def test_recursion_through_an_unknown_function() -> None:
    made: dict[str, Any] = {}
    depth: list[int] = []

    def look(x: Any) -> float:
        if len(depth) < 3:
            depth.append(1)
            return float(np.sum(made["p"](x + 1.0)))
        return 1.0

    adxform.register(Primitive(look, "look", Constant()))

    def f(x: Any) -> Any:
        return look(x) * np.sum(x * x)

    made["p"] = p = adxform.prepare_gradient(f, X)
    depth.clear()
    found = p(X)
    inner = 2 * (X + 3.0)
    for shift in (2.0, 1.0, 0.0):
        inner = np.sum(inner) * 2 * (X + shift)
    np.testing.assert_allclose(found, inner)


def test_a_call_leaves_no_trace_in_the_next() -> None:
    box = {"scale": 2.0, "data": np.array([1.0, 2.0, 3.0])}

    def f(x: Any) -> Any:
        y = x * box["scale"]
        y[0] = y[1] ** 2
        return np.sum(y * box["data"])

    p = adxform.prepare_gradient(f, X)
    a = p(X)
    box["scale"] = 3.0
    box["data"][2] = -1.0
    np.testing.assert_array_equal(p(V), adxform.prepare_gradient(f, V)(V))
    np.testing.assert_allclose(p(V), slopes(f, V), atol=1e-6)
    box["data"] = np.array([0.0, 1.0, 0.0])
    np.testing.assert_allclose(p(V), slopes(f, V), atol=1e-6)
    assert not np.array_equal(a, p(X))


def test_results_are_the_callers() -> None:
    p = adxform.prepare_gradient(lambda x, y: np.sum(x * y), X, V)
    first = p(X, V)
    first[:] = 0.0
    np.testing.assert_array_equal(p(X, V), V)
    assert not np.shares_memory(p(X, V), V)


# -- contexts, partial functions, methods -------------------------------------------------------------------------------


def smoothed(x: Any, data: Any, work: Any) -> Any:
    work[:] = x - data
    for i in range(1, work.shape[0]):
        work[i] += 0.5 * work[i - 1]
    return np.sum(work**2)


def test_contexts() -> None:
    data, work = np.ones(3), np.empty(3)
    expected = adxform.grad(smoothed)(V, data, work)
    np.testing.assert_allclose(expected, slopes(lambda x: smoothed(x, data, np.empty(3)), V), rtol=1e-6)
    p = adxform.prepare_gradient(smoothed, X, constant(data), scratch(work))
    for args in ((V, data, work), (V, constant(data), work), (V, constant(data), scratch(work))):
        np.testing.assert_allclose(p(*args), expected)
    assert "private(work)" not in p.source
    before = building()
    p(V, constant(data), scratch(work))
    assert building() == before
    product = adxform.prepare_hvp(smoothed, X, constant(data), scratch(work))
    np.testing.assert_allclose(product(V, data, work, X), adxform.hvp(smoothed)(V, data, np.empty(3), X))
    for kind in (scratch(data), scratch(work)):
        with pytest.raises(PreparationMismatchError, match="`data`: expected"):
            p(V, kind, work)
    with pytest.raises(PreparationMismatchError, match="`x`: expected the bare argument"):
        p(constant(V), data, work)
    with pytest.raises(ArgnumsError):
        adxform.prepare_gradient(smoothed, constant(X), data, work)
    pushed = adxform.prepare_jvp(smoothed, X, constant(data), scratch(work))
    assert pushed((V, data, work), (X, None, None))[1] == pytest.approx(expected @ X)
    with pytest.raises(PreparationMismatchError, match="expected None"):
        pushed((V, data, work), (X, X, None))
    pulled = adxform.prepare_vjp(smoothed, X, constant(data), scratch(work))
    for found in (pulled(V, data, work)[1](1.0), pulled.cotangents((V, data, work), 1.0)):
        np.testing.assert_allclose(found[0], expected)
        assert found[1:] == (None, None)
    loose = adxform.prepare_gradient(smoothed, X, constant(data), scratch(work), strict=False)
    narrow = np.float32(V), np.float32(data), np.empty(3, np.float32)
    np.testing.assert_allclose(loose(*narrow), expected, rtol=1e-5)


class Model:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def cost(self, x: Any) -> Any:
        return self.rate * np.sum(x**3)

    def __call__(self, x: Any) -> Any:
        return self.cost(x)


def test_methods_objects_and_partial_functions() -> None:
    def power(scale: Any, x: Any, *, n: Any) -> Any:
        return scale * np.sum(x**n)

    for f in (partial(power, 2.0, n=3), Model(2.0).cost, Model(2.0), adxform.differentiable(lambda x: 2.0 * np.sum(x**3))):
        p = adxform.prepare_gradient(f, X)
        np.testing.assert_allclose(p(V), 6 * V**2)
        np.testing.assert_allclose(adxform.prepare_hvp(f, X)(V, X), 12 * V * X)
    model = Model(2.0)
    p = adxform.prepare_gradient(model.cost, X)
    model.rate = 5.0
    np.testing.assert_allclose(p(V), 15 * V**2)
    np.testing.assert_allclose(adxform.prepare_gradient(partial(power, 2.0), X, n=3)(V, n=2), 4 * V)


def test_rebinding() -> None:
    first = adxform.prepare_gradient(prepared_programs.weighted(0.5), X)
    before = building()
    for weight in (0.25, -1.0, 2.0):
        other = first.rebind(prepared_programs.weighted(weight))
        np.testing.assert_allclose(other(V), weight * np.exp(weight * V) * (1 + weight * V))
        assert other.fingerprint() == first.fingerprint()
    assert building() == before
    with pytest.raises(PreparationMismatchError, match="expected a function with the code of"):
        first.rebind(prepared_programs.looped)
    with pytest.raises(PreparationMismatchError, match="`weight`: expected a Python float, got a Python int"):
        first.rebind(prepared_programs.weighted(2))
    second = adxform.prepare_second_derivative(lambda t: t**3, 1.0)
    assert second.rebind(second.fn)(2.0) == pytest.approx(12.0)


# -- nesting ------------------------------------------------------------------------------------------------------------


def cubic(x: Any) -> Any:
    return np.sum(x**3)


def test_each_prepared_derivative_is_its_operator_inside_another() -> None:
    gradient, value = adxform.prepare_gradient(cubic, X), adxform.prepare_value_and_gradient(cubic, X)
    product, hessian = adxform.prepare_hvp(cubic, X), adxform.prepare_hessian(cubic, X)
    jacobian, pushed, pulled = adxform.prepare_jacobian(cubic, X), adxform.prepare_jvp(cubic, X), adxform.prepare_vjp(cubic, X)
    first = adxform.prepare_derivative(lambda t: t**4, 1.0)
    second = adxform.prepare_second_derivative(lambda t: t**5, 1.0)
    cases: list[tuple[Any, Any]] = [
        (lambda x: np.sum(gradient(x)), 6 * V),
        (lambda x: gradient.value_and_gradient(x)[0] + np.sum(gradient.value_and_gradient(x)[1]), 3 * V**2 + 6 * V),
        (lambda x: value(x)[0] + np.sum(value(x)[1]), 3 * V**2 + 6 * V),
        (lambda x: np.sum(product(x, x)), 12 * V),
        (lambda x: np.sum(product.gradient_and_hvp(x, x)[0]), 6 * V),
        (lambda x: product.value_gradient_and_hvp(x, x)[0], 3 * V**2),
        (lambda x: np.sum(hessian(x)), 6 * np.ones(3)),
        (lambda x: np.sum(hessian.gradient_and_hessian(x)[1]), 6 * np.ones(3)),
        (lambda x: hessian.value_gradient_and_hessian(x)[0], 3 * V**2),
        (lambda x: np.sum(jacobian(x)) + jacobian.value_and_jacobian(x)[0], 6 * V + 3 * V**2),
        (lambda x: pushed((x,), (x,))[1] + pushed.tangent((x,), (x,)), 18 * V**2),
        (lambda x: np.sum(pulled(x)[1](2.0)[0]) + np.sum(pulled.cotangents((x,), 1.0)[0]), 18 * V),
        (lambda x: first(x[0]) + first.value_and_derivative(x[0])[0], np.array([12 * V[0] ** 2 + 4 * V[0] ** 3, 0, 0])),
        (lambda x: second(x[0]), np.array([60 * V[0] ** 2, 0, 0])),
        (lambda x: second.value_derivative_and_second(x[0])[1], np.array([20 * V[0] ** 3, 0, 0])),
    ]
    for outer, expected in cases:
        np.testing.assert_allclose(adxform.grad(outer)(V), expected)
        np.testing.assert_allclose(adxform.prepare_gradient(outer, X)(V), expected)


def test_any_depth() -> None:
    p: Any = lambda t: t**6
    slope = 1.0
    for order in range(5):
        p = adxform.prepare_gradient(p, 1.0)
        slope *= 6 - order
        assert p(1.5) == pytest.approx(slope * 1.5 ** (5 - order))
    before = building()
    p(2.5)
    assert building() == before


def test_prepared_inside_a_loop_with_captured_values() -> None:
    inner = adxform.prepare_gradient(lambda x, a: np.sum(np.sin(a * x)), X, 1.0)

    def outer(x: Any) -> Any:
        total = 0.0
        for k in range(3):
            total += np.sum(inner(x, x[0] * (k + 1)))
        return total

    np.testing.assert_allclose(adxform.prepare_gradient(outer, X)(V), slopes(outer, V), atol=1e-6)
    np.testing.assert_allclose(adxform.prepare_hvp(outer, X)(V, X), curvatures(outer, V) @ X, atol=1e-5)


def test_an_outer_preparation_relies_on_the_inner_one() -> None:
    inner = adxform.prepare_gradient(cubic, X)
    outer = adxform.prepare_gradient(lambda x: np.sum(inner(x) ** 2), X)
    marks = inner.fingerprint(), outer.fingerprint()
    for x in points(5):
        inner(x), outer(x)
    assert (inner.fingerprint(), outer.fingerprint()) == marks


def test_a_preparation_refuses_other_arguments_inside_another_function() -> None:
    inner = adxform.prepare_gradient(cubic, X)
    for outer in (
        lambda x: np.sum(inner(x.reshape(1, 3))),
        lambda x: np.sum(inner.value_and_gradient(x.reshape(1, 3))[1]),
        lambda x: np.sum(inner(x, x)),
        lambda x: np.sum(inner(x[0])),
        lambda x: np.sum(inner([x, x])),
    ):
        with pytest.raises(PreparationMismatchError) as caught:
            adxform.grad(outer)(X)
        assert caught.value.span.line == outer.__code__.co_firstlineno
    loose = adxform.prepare_gradient(cubic, X, strict=False)
    np.testing.assert_allclose(adxform.grad(lambda x: np.sum(loose(x.reshape(1, 3))))(V), 6 * V)


def test_another_inner_preparation_is_another_function() -> None:
    box = {"p": adxform.prepare_gradient(cubic, X)}

    def through(p: Any) -> Any:
        return lambda x: np.sum(p(x.reshape(1, 3)) if x.ndim == 3 else p(x))

    wide = adxform.prepare_gradient(cubic, np.ones((2, 3)))
    np.testing.assert_allclose(adxform.grad(through(box["p"]))(V), 6 * V)
    with pytest.raises(AdxError):
        adxform.grad(through(wide))(V)
    outer = adxform.prepare_gradient(through(box["p"]), X)
    with pytest.raises(PreparationMismatchError):
        outer.rebind(through(wide))


def test_methods_of_global_objects_are_the_same_at_every_look() -> None:
    def counted(x: Any) -> Any:
        CALLS.append(1)
        return np.sum(x**2)

    prepared = adxform.prepare_gradient(counted, X)
    before = len(CALLS)
    for _ in range(2):
        np.testing.assert_allclose(prepared(X), 2 * X)
    assert len(CALLS) == before + 2


BOX = {"slope": adxform.prepare_gradient(cubic, X)}


def test_a_preparation_in_a_global_dict() -> None:
    outer = adxform.grad(lambda x: np.sum(BOX["slope"](x)))
    np.testing.assert_allclose(outer(V), 6 * V)


CALLS: deque[int] = deque()


@pytest.mark.parametrize(
    ("call", "edge", "at"),
    [
        ("log(t)", 0.0, 1.0),
        ("log2(t)", 0.0, 1.0),
        ("log1p(t)", -1.0, 1.0),
        ("atanh(t)", 1.0, 0.5),
        ("log(2 * t) / t", 0.0, 1.0),
    ],
)
def test_every_prepared_form_raises_what_the_function_raises(call: str, edge: float, at: float) -> None:
    function = program(f"def f(t):\n    return math.{call}\n", math=math)
    with pytest.raises(ValueError, match="domain"):
        function(edge)
    second = adxform.prepare_second_derivative(function, at)
    here = adxform.prepare_hvp_same_point(function, at)
    for ask in (adxform.prepare_derivative(function, at), second, here.at):
        with pytest.raises(ValueError, match="domain"):
            ask(edge)
