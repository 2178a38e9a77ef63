"""Derivatives of programs over complex numbers, judged by differences along the real and the imaginary directions.

The oracle shares no code with adxform: `docs/complex.md` says what a cotangent and a gradient are.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adxform as ad
from adxform import errors
from adxform.testing import check_derivatives
from tests.complex_programs import PROGRAMS

STEP = 2e-4
NAMES = [fn.__name__ for fn, _ in PROGRAMS]
ORDERS = ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse")


# -- the oracle -----------------------------------------------------------------------------------------------------------


def moves(leaf: Any) -> bool:
    return isinstance(leaf, float | complex | np.inexact) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc")


def numbers(tree: Any) -> Iterator[Any]:
    """The leaves that move, in order."""
    match tree:
        case tuple() | list():
            for item in tree:
                yield from numbers(item)
        case dict():
            for item in tree.values():
                yield from numbers(item)
        case _ if dataclasses.is_dataclass(tree):
            for field in dataclasses.fields(tree):
                yield from numbers(getattr(tree, field.name))
        case _ if moves(tree):
            yield tree


def filled(tree: Any, values: Iterator[Any], other: Any = ...) -> Any:
    """`tree` with `values` for the leaves that move; `other` for all else, or what is there."""
    match tree:
        case tuple() | list():
            return type(tree)(filled(item, values, other) for item in tree)
        case dict():
            return {key: filled(item, values, other) for key, item in tree.items()}
        case _ if dataclasses.is_dataclass(tree):
            fields = {f.name: filled(getattr(tree, f.name), values, other) for f in dataclasses.fields(tree)}
            return dataclasses.replace(tree, **fields)
        case _ if moves(tree):
            return next(values)
        case _:
            return tree if other is ... else other


def directions(tree: Any) -> Iterator[list[Any]]:
    """A tangent along each axis of each number: complex numbers have two."""
    leaves = list(numbers(tree))
    for place, leaf in enumerate(leaves):
        for element in range(np.size(leaf)):
            for unit in (1, 1j) if np.iscomplexobj(leaf) else (1,):
                made = [np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0) for x in leaves]
                if isinstance(leaf, np.ndarray):
                    made[place].reshape(-1)[element] = unit
                else:
                    made[place] = type(leaf)(unit)
                yield made


def drawn(tree: Any, seed: int = 0) -> list[Any]:
    """A random vector with the leaves of `tree`."""
    rng = np.random.default_rng(seed)
    made = []
    for leaf in numbers(tree):
        x = rng.standard_normal(np.shape(leaf))
        y = rng.standard_normal(np.shape(leaf))
        x = x + 1j * y if np.iscomplexobj(leaf) else x
        made.append(np.asarray(x, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(x))
    return made


def moved(args: Any, along: list[Any], step: float) -> Any:
    leaves = [
        leaf + step * part if not isinstance(leaf, np.ndarray) else np.asarray(leaf + step * part)
        for leaf, part in zip(numbers(args), along, strict=True)
    ]
    return filled(copy.deepcopy(args), iter(leaves))


def differences(f: Callable[..., Any], args: Any, along: list[Any]) -> list[Any]:
    """The change of each result of `f` along a direction."""

    def central(h: float) -> list[Any]:
        pair = zip(numbers(f(*moved(args, along, h))), numbers(f(*moved(args, along, -h))), strict=True)
        return [(np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in pair]

    return [(4 * fine - wide) / 3 for fine, wide in zip(central(STEP / 2), central(STEP), strict=True)]


def paired(cts: Any, tangents: Any) -> float:
    """How cotangents pair with tangents: by the real part of the product, without a conjugate."""
    return float(sum(np.sum(np.asarray(ct) * np.asarray(t)).real for ct, t in zip(cts, tangents, strict=True)))


def same_kind(found: Any, like: Any) -> bool:
    if isinstance(like, np.ndarray):
        return isinstance(found, np.ndarray) and found.dtype == like.dtype and found.shape == like.shape
    return type(found) is type(like) or (type(like) in (float, complex) and isinstance(found, type(like)))


def close(found: Any, expected: Any, rtol: float = 2e-7) -> None:
    scale = max([1.0, *(float(np.max(np.abs(part), initial=0.0)) for part in expected)])
    for one, other in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=0, atol=rtol * scale)


def weighted(f: Callable[..., Any], args: Any) -> Callable[..., Any]:
    """A real function that all results of `f` flow into."""
    out = f(*copy.deepcopy(args))
    weights = drawn(out, 5)
    if isinstance(out, tuple | list):

        def total(*point: Any) -> Any:
            result = f(*point)
            found = 0.0
            for part, weight in zip(result, weights, strict=True):
                found = found + np.real(np.sum(part * weight))
            return found

        return total

    def one(*point: Any) -> Any:
        return np.real(np.sum(f(*point) * weights[0]))

    return one


def is_flat(out: Any) -> bool:
    return moves(out) or (isinstance(out, tuple | list) and all(map(moves, out)))


# -- programs -------------------------------------------------------------------------------------------------------------


def test_there_are_programs_enough() -> None:
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_first_order(f: Callable[..., Any], args: Any) -> None:
    """Both modes agree with differences and with each other; values are those of the program, to the bit."""
    expected = f(*copy.deepcopy(args))
    before = copy.deepcopy(args)
    out, pullback = ad.vjp(f, *args)
    cts = drawn(expected)
    pulled = pullback(filled(expected, iter(cts), None))
    gradient = list(numbers(pulled))
    assert all(same_kind(*pair) for pair in zip(gradient, numbers(args), strict=True))
    for along in directions(args):
        value, tangent = ad.jvp(f, args, filled(args, iter(along), None))
        for one in (out, value):
            pairs = zip(numbers(one), numbers(expected), strict=True)
            assert all(np.array_equal(a, b) and same_kind(a, b) for a, b in pairs)
        slopes = differences(f, args, along)
        found = list(numbers(tangent))
        assert all(same_kind(*pair) for pair in zip(found, numbers(expected), strict=True))
        close(found, slopes)
        assert paired(gradient, along) == pytest.approx(paired(cts, found), rel=1e-9, abs=1e-9)
    assert all(np.array_equal(a, b) for a, b in zip(numbers(args), numbers(before), strict=True))


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("order", ORDERS)
def test_second_order(f: Callable[..., Any], args: Any, order: Any) -> None:
    """The product with the Hessian is the change of the gradient."""
    if not is_flat(f(*copy.deepcopy(args))):
        pytest.skip("the results are in a structure")
    phi = weighted(f, args)
    places = tuple(n for n, arg in enumerate(args) if next(numbers(arg), None) is not None)
    of = [args[n] for n in places]
    vector = drawn(args, 3)
    v = filled(of, iter(vector), None)
    gradient = ad.grad(phi, places)
    expected = differences(gradient, args, vector)
    found = list(numbers(ad.hvp(phi, places, mode=order)(*args, tuple(v))))
    assert all(same_kind(*pair) for pair in zip(found, numbers(of), strict=True))
    close(found, expected, 1e-6)


# -- the convention, in numbers -----------------------------------------------------------------------------------------------

POINT = 1.5 - 0.5j


def square_of_modulus(z: Any) -> Any:
    return abs(z) ** 2


def cube(z: Any) -> Any:
    return z**3


def wave(x: Any) -> Any:
    return np.exp(1j * x)


def energy(z: Any) -> Any:
    return np.sum((z**3).real + np.abs(z) ** 2)


CONVENTION: list[tuple[Callable[..., Any], complex]] = [
    (square_of_modulus, 2 * np.conj(POINT)),  # JAX: the conjugate of 2z, which PyTorch returns
    (lambda z: (z * np.conj(z)).real, 2 * np.conj(POINT)),
    (lambda z: z.real, 1.0),
    (lambda z: z.imag, -1j),  # df/dx - i df/dy
    (abs, np.conj(POINT) / abs(POINT)),
    (lambda z: (z**2).real, 2 * POINT),  # the real part of a holomorphic function: its derivative
    (lambda z: np.exp(z).real, np.exp(POINT)),
    (lambda z: (z**2).imag, -1j * 2 * POINT),
    (lambda z: np.angle(z), -1j / POINT),
    (lambda z: np.log(abs(z)), 1 / POINT),
]


@pytest.mark.parametrize(("f", "expected"), CONVENTION)
def test_gradients_are_those_of_jax(f: Callable[..., Any], expected: complex) -> None:
    """The gradient is df/dx - i df/dy, of which PyTorch returns the conjugate; ascent is along the conjugate."""
    found = ad.grad(lambda z: f(z))(POINT)
    assert found == pytest.approx(expected, rel=1e-13)
    h = 1e-6
    along_x, along_y = ((f(POINT + h * d) - f(POINT - h * d)) / (2 * h) for d in (1, 1j))
    assert found == pytest.approx(along_x - 1j * along_y, rel=1e-8, abs=1e-8)
    torch = np.conj(found)
    assert f(POINT + 1e-3 * torch) > f(POINT)


@pytest.mark.parametrize("ct", [1.0, 1j, 0.3 - 2j])
def test_pullbacks_multiply_by_the_complex_derivative(ct: complex) -> None:
    assert ad.vjp(cube, POINT)[1](ct)[0] == pytest.approx(ct * 3 * POINT**2)
    assert ad.jvp(cube, (POINT,), (ct,))[1] == pytest.approx(ct * 3 * POINT**2)
    assert ad.vjp(np.conj, POINT)[1](complex(np.conj(ct)))[0] == pytest.approx(ct)


def test_real_arguments_have_real_gradients() -> None:
    found = ad.grad(lambda x, z: abs(wave(x) * z) ** 2 * x, (0, 1))(0.3, POINT)
    assert type(found[0]) in (float, np.float64)
    assert found[0] == pytest.approx(abs(POINT) ** 2)
    assert found[1] == pytest.approx(0.3 * 2 * np.conj(POINT))
    single = ad.grad(lambda x: np.sum(np.abs(x * 1j)))(np.ones(2, np.float32))
    assert single.dtype == np.float32


# -- the interface ------------------------------------------------------------------------------------------------------------

Z = np.array([1 + 2j, 3 - 1j])
V = np.array([1 + 0.5j, 2 - 1j])
X = np.array([0.1, 0.2])
EVERY = (*ORDERS, "forward-over-forward")


@pytest.mark.parametrize("z", [POINT, np.complex64(POINT), np.complex128(POINT), np.clongdouble(POINT), np.array(POINT)])
def test_holomorphic_gradients(z: Any) -> None:
    for found in (
        ad.grad(cube, holomorphic=True)(z),
        ad.value_and_grad(cube, holomorphic=True)(z)[1],
        ad.jacobian(cube, holomorphic=True)(z),
        ad.prepare_gradient(cube, z, holomorphic=True)(z),
        ad.prepare_value_and_gradient(cube, z, holomorphic=True)(z)[1],
        ad.prepare_jacobian(cube, z, holomorphic=True)(z),
        ad.prepare_derivative(cube, z, holomorphic=True)(z),
        ad.differentiable(cube).grad(z, holomorphic=True),
        ad.differentiable(cube).value_and_grad(z, holomorphic=True)[1],
        ad.differentiable(cube).jacobian(z, holomorphic=True),
    ):
        np.testing.assert_allclose(complex(found), 3 * POINT**2, rtol=1e-6)
        assert np.result_type(found) == np.result_type(z)
    second = ad.prepare_second_derivative(cube, z, holomorphic=True)(z)
    np.testing.assert_allclose(complex(second), 6 * POINT, rtol=1e-6)


def test_value_and_gradient_of_a_holomorphic_function_with_aux() -> None:
    (value, aux), gradient = ad.value_and_grad(lambda z: (z**3, z.real), has_aux=True, holomorphic=True)(POINT)
    assert (value, aux, gradient) == (POINT**3, POINT.real, pytest.approx(3 * POINT**2))


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda: ad.grad(cube)(POINT), errors.NonScalarOutputError, r"`\.real`.*holomorphic=True"),
        (lambda: ad.value_and_grad(cube)(POINT), errors.NonScalarOutputError, "holomorphic=True"),
        (lambda: ad.prepare_gradient(cube, POINT), errors.NonScalarOutputError, "holomorphic=True"),
        (lambda: ad.grad(wave)(0.3), errors.NonScalarOutputError, r"`\.real`"),
        (lambda: ad.hvp(cube)(POINT, 1j), errors.NonScalarOutputError, r"`\.real`"),
        (lambda: ad.grad(cube, holomorphic=True)(1.0), errors.NonDifferentiableError, "arguments are complex"),
        (lambda: ad.grad(square_of_modulus, holomorphic=True)(1j), errors.NonScalarOutputError, "complex number is returned"),
        (lambda: ad.jacobian(cube)(Z), errors.NonDifferentiableError, "holomorphic.*`jvp` or `vjp`"),
        (lambda: ad.prepare_jacobian(cube, Z), errors.NonDifferentiableError, "holomorphic"),
        (lambda: ad.prepare_jacobian(cube, Z, sparse=True), errors.NonDifferentiableError, "holomorphic"),
        (lambda: ad.jacobian(cube, holomorphic=True)(X), errors.NonDifferentiableError, "arguments are complex"),
        (lambda: ad.jacobian(energy, holomorphic=True)(Z), errors.NonScalarOutputError, "complex number is returned"),
        (lambda: ad.jacobian(wave, mode="reverse")(X), errors.OptionError, "imaginary part would be lost"),
        (lambda: ad.prepare_jacobian(wave, X, mode="reverse"), errors.OptionError, "imaginary part would be lost"),
        (lambda: ad.hessian(energy)(Z), errors.NonDifferentiableError, "not one matrix.*`hvp`"),
        (lambda: ad.prepare_hessian(energy, Z), errors.NonDifferentiableError, "not one matrix"),
        (lambda: ad.prepare_hessian(energy, Z, sparse=True), errors.NonDifferentiableError, "not one matrix"),
        (lambda: ad.prepare_derivative(cube, POINT), errors.NonDifferentiableError, "holomorphic"),
        (lambda: ad.prepare_second_derivative(cube, POINT), errors.NonDifferentiableError, "holomorphic"),
        (lambda: ad.jvp(lambda x: x * 1j, (0.3,), (1j,)), errors.TangentMismatchError, "Python complex"),
        (lambda: ad.vjp(lambda z: z.real, POINT)[1](1j), errors.TangentMismatchError, "Python complex"),
        (lambda: ad.prepare_gradient(energy, Z)(Z.astype(np.complex64)), errors.PreparationMismatchError, "complex64"),
        (lambda: ad.prepare_gradient(energy, Z)(Z.real), errors.PreparationMismatchError, "float64"),
        (lambda: ad.grad(lambda z: np.sum(np.sign(z) * z).real)(Z), errors.UnsupportedOperationError, "real numbers"),
        (lambda: ad.grad(lambda z: np.sum(ad.jacobian(cube)(z)).real)(Z), errors.NonDifferentiableError, "holomorphic"),
        (lambda: ad.grad(lambda z: np.sum(ad.hessian(energy)(z)).real)(Z), errors.NonDifferentiableError, "hvp"),
        (lambda: ad.grad(lambda z: ad.grad(cube)(z).real)(POINT), errors.NonScalarOutputError, "holomorphic"),
        (lambda: ad.grad(lambda x: np.sum(ad.jacobian(wave, mode="reverse")(x)).real)(X), errors.OptionError, "imaginary"),
    ],
)
def test_what_is_refused(run: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"(?s){words}"):
        run()


@pytest.mark.parametrize("mode", ["auto", "forward"])
def test_jacobians_of_complex_results(mode: Any) -> None:
    expected = np.diag(1j * wave(X))
    np.testing.assert_allclose(ad.jacobian(wave, mode=mode)(X), expected)
    np.testing.assert_allclose(ad.prepare_jacobian(wave, X, mode=mode)(X), expected)
    out = np.empty((2, 2), complex)
    ad.prepare_jacobian(wave, X, mode=mode)(X, out=out)
    np.testing.assert_allclose(out, expected)
    np.testing.assert_allclose(ad.prepare_jacobian(wave, X, mode=mode, sparse=True)(X).toarray(), expected)
    sums = ad.jacobian(lambda x: np.sum(wave(x)), mode=mode)(X)  # fewer results than arguments
    np.testing.assert_allclose(sums, 1j * wave(X))


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobians_of_holomorphic_functions(mode: Any) -> None:
    expected = np.diag(3 * Z**2)
    np.testing.assert_allclose(ad.jacobian(cube, mode=mode, holomorphic=True)(Z), expected)
    prepared = ad.prepare_jacobian(cube, Z, mode=mode, holomorphic=True)
    np.testing.assert_allclose(prepared(Z), expected)
    np.testing.assert_allclose(prepared.value_and_jacobian(Z)[1], expected)
    sparse = ad.prepare_jacobian(cube, Z, mode=mode, holomorphic=True, sparse=True)
    np.testing.assert_allclose(sparse(Z).toarray(), expected)


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_products_with_hessians(order: Any, dtype: Any) -> None:
    z, v = Z.astype(dtype), V.astype(dtype)
    expected = 6 * Z * V + 2 * np.conj(V)
    prepared = ad.prepare_hvp(energy, z, mode=order)
    out = np.empty_like(z)
    prepared(z, v, out=out)
    rows = prepared.batch(z, np.stack([v, 2 * v]))
    value, gradient, product = prepared.value_gradient_and_hvp(z, v)
    for found in (ad.hvp(energy, mode=order)(z, v), prepared(z, v), out, rows[1] / 2, product):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(gradient, 3 * Z**2 + 2 * np.conj(Z), rtol=1e-5)
    assert value == pytest.approx(energy(Z))
    one = ad.hvp(lambda z: (z**3).real + abs(z) ** 2, mode=order)(POINT, 1 + 2j)
    assert one == pytest.approx(6 * POINT * (1 + 2j) + 2 * (1 - 2j))


def test_products_at_one_point() -> None:
    np.testing.assert_allclose(ad.prepare_hvp_same_point(energy, Z)(V), 6 * Z * V + 2 * np.conj(V))


def test_prepared_numbers_of_python_and_numpy_stand_for_one_another() -> None:
    prepared = ad.prepare_gradient(square_of_modulus, POINT)
    assert prepared(POINT) == prepared(np.complex128(POINT)) == 2 * POINT.conjugate()
    real = ad.prepare_gradient(lambda x: x**2, 0.5)
    assert real(0.5) == real(np.float64(0.5))


def test_batches() -> None:
    rows = np.stack([V, 1j * V, Z])
    _, tangents = ad.prepare_jvp(cube, Z, directions=2).batch((Z,), (rows,))
    np.testing.assert_allclose(tangents, 3 * Z**2 * rows)
    _, pullback = ad.vjp(cube, Z)
    np.testing.assert_allclose(pullback.batch(rows)[0], 3 * Z**2 * rows)
    _, (cotangents,) = ad.prepare_vjp(cube, Z, directions=2).batch((Z,), rows)
    np.testing.assert_allclose(cotangents, 3 * Z**2 * rows)


def test_out_and_pickles(tmp_path: Any) -> None:
    prepared = ad.prepare_gradient(energy, Z)
    out = np.empty_like(Z)
    prepared(Z, out=out)
    expected = 3 * Z**2 + 2 * np.conj(Z)
    np.testing.assert_allclose(out, expected)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(prepared))(Z), expected)
    for made in (ad.prepare_gradient(cube, POINT, holomorphic=True), ad.grad(cube, holomorphic=True)):
        assert pickle.loads(pickle.dumps(made))(POINT) == pytest.approx(3 * POINT**2)
    jacobian = pickle.loads(pickle.dumps(ad.prepare_jacobian(cube, Z, holomorphic=True)))
    np.testing.assert_allclose(jacobian(Z), np.diag(3 * Z**2))
    np.testing.assert_allclose(pickle.loads(pickle.dumps(ad.jacobian(cube, holomorphic=True)))(Z), np.diag(3 * Z**2))


def test_a_preparation_that_is_not_strict_keeps_what_it_was_made_with() -> None:
    prepared = ad.prepare_gradient(cube, POINT, holomorphic=True, strict=False)
    assert prepared(np.complex64(1j)) == np.complex64(-3)
    jacobian = ad.prepare_jacobian(cube, Z, holomorphic=True, strict=False)
    np.testing.assert_allclose(jacobian(Z.astype(np.complex64)), np.diag(3 * Z**2), rtol=1e-6)
    derivative = ad.prepare_derivative(cube, POINT, holomorphic=True, strict=False)
    assert derivative(np.complex64(1j)) == np.complex64(-3)


NESTED: list[Callable[..., Any]] = [
    lambda z: abs(ad.grad(cube, holomorphic=True)(z)) ** 2,
    lambda z: abs(ad.value_and_grad(cube, holomorphic=True)(z)[1]) ** 2,
    lambda z: abs(ad.jacobian(cube, holomorphic=True)(z)) ** 2,
    lambda z: abs(ad.vjp(cube, z)[1](1.0)[0]) ** 2,
    lambda z: abs(ad.jvp(cube, (z,), (1j,))[1]) ** 2,
    lambda z: abs(GRADIENT(z)) ** 2,
    lambda z: abs(GRADIENT.value_and_gradient(z)[1]) ** 2,
    lambda z: abs(JACOBIAN.value_and_jacobian(z)[1]) ** 2,
    lambda z: abs(DERIVATIVE(z)) ** 2,
    lambda z: abs(ad.prepare_derivative(cube, z, holomorphic=True)(z)) ** 2,
]
GRADIENT = ad.prepare_gradient(cube, POINT, holomorphic=True)
JACOBIAN = ad.prepare_jacobian(cube, POINT, holomorphic=True)
DERIVATIVE = ad.prepare_derivative(cube, POINT, holomorphic=True)


@pytest.mark.parametrize("f", NESTED)
def test_derivatives_inside(f: Callable[..., Any]) -> None:
    """The square of |3 z**2| is 9 |z|**4, of which the gradient is 36 |z|**2 conj(z)."""
    assert ad.grad(f)(POINT) == pytest.approx(36 * abs(POINT) ** 2 * np.conj(POINT))


@pytest.mark.parametrize("order", EVERY)
def test_products_inside(order: Any) -> None:
    def f(z: Any) -> Any:
        return np.sum(np.abs(ad.hvp(energy, mode=order)(z, V)) ** 2)

    along = [np.array([0.3 + 1j, -0.2])]
    expected = differences(f, (Z,), along)
    assert paired([ad.grad(f)(Z)], along) == pytest.approx(float(expected[0]), rel=1e-7)


ENGINES = [fn for fn in (p[0] for p in PROGRAMS) if fn.__name__ in ("parts_in_a_loop", "beam_propagation", "filter_recurrence")]


@pytest.mark.parametrize("engine", ["numba", "auto", "interpret", "python"])
@pytest.mark.parametrize("f", ENGINES)
def test_engines(f: Callable[..., Any], engine: Any) -> None:
    """Loops over complex numbers run whatever the engine is."""
    if engine == "numba":
        pytest.importorskip("numba")
    args = next(args for fn, args in PROGRAMS if fn is f)
    phi = weighted(f, args)
    close(
        list(numbers(ad.grad(phi, (0,), engine=engine)(*args))), list(numbers(ad.grad(phi, (0,), engine="python")(*args))), 1e-12
    )


@pytest.mark.parametrize("options", [{"checkpoint_steps": 2}, {"max_memory": 4096}])
def test_checkpoints(options: Any) -> None:
    f, args = next((fn, args) for fn, args in PROGRAMS if fn.__name__ == "split_step")
    phi = weighted(f, args)
    found = ad.grad(phi, (0, 1), **options)(*args)
    close(list(numbers(found)), list(numbers(ad.grad(phi, (0, 1))(*args))), 1e-12)


def carried(z: Any) -> Any:
    a = z.copy()
    for _ in range(5):
        a = a * a
        a[0] *= 1j
    return np.sum(a.real)


def exchanged(z: Any) -> Any:
    a, c = z.copy(), np.zeros(2, complex)
    n = 0
    while n < 5:
        c[:] = a * a + np.conj(a)
        a, c = c, a
        n += 1
    return np.sum(a.real)


def in_a_call(z: Any) -> Any:
    return ad.checkpoint(carried)(z * z) + ad.checkpoint(exchanged, checkpoint_steps=1)(z)


@pytest.mark.parametrize("options", [{"checkpoint_steps": 2}, {"max_memory": 4096}, {}])
@pytest.mark.parametrize("f", [carried, exchanged, in_a_call])
def test_memory_carried_through_checkpoints(f: Callable[..., Any], options: Any) -> None:
    """What a loop carries with memory for its cotangent holds conjugates: it leaves the loop as it enters it."""
    z = np.array([0.3 + 0.5j, 0.8 - 0.6j])
    along = [np.array([0.3 + 1j, -0.2])]
    assert paired([ad.grad(f, **options)(z)], along) == pytest.approx(float(differences(f, (z,), along)[0]), rel=1e-7)


def from_a_number(start: Any) -> Callable[..., Any]:
    def f(z: Any) -> Any:
        w, n = start, 0
        while n < 4 and abs(w) < 40:
            w = w * w * z * 0.5 + z * w
            n += 1
        return abs(w) ** 2

    return f


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("start", [1j, 1, 1.0])
def test_second_derivatives_of_checkpoints(start: Any, order: Any) -> None:
    """A number that such a loop begins with is kept, and beside it its tangent."""
    f = from_a_number(start)
    kept = ad.checkpoint(f, checkpoint_steps=1)
    found = ad.hvp(lambda z: kept(z), mode=order)(POINT, 0.3 - 0.2j)
    assert found == pytest.approx(ad.hvp(f)(POINT, 0.3 - 0.2j))


def test_zero_and_absent_cotangents() -> None:
    def f(z: Any, n: Any) -> Any:
        return z * z, n, z.real

    (_, pullback) = ad.vjp(f, POINT, 3)
    assert pullback((0.0, None, 1.0)) == (1.0, None)
    assert pullback((1, None, 0.0))[0] == 2 * POINT
    assert ad.grad(lambda z, w: z.real)(POINT, 1j) == 1
    assert ad.grad(lambda z, w: z.real, 1)(POINT, 1j) == 0


def test_stop_gradient_and_explain() -> None:
    assert ad.grad(lambda z: (ad.stop_gradient(z) * np.conj(z)).real)(POINT) == np.conj(POINT)
    assert "z" in ad.explain(energy, Z)


def test_complex_numbers_stored_into_real_arrays() -> None:
    """NumPy keeps the real part, and says so; so does the derivative."""

    def f(x: Any, z: Any) -> Any:
        w = np.zeros(2)
        w[:] = z * x
        return w * x

    with pytest.warns(np.exceptions.ComplexWarning):
        _, pullback = ad.vjp(f, X, Z)
    found = pullback(np.ones(2))
    np.testing.assert_allclose(found[0], 2 * Z.real * X)
    np.testing.assert_allclose(found[1], X**2)


def modulus_of(z: Any) -> Any:
    return abs(z) ** 2


def turned_by(x: Any, z: Any) -> Any:
    return x * np.conj(z)


def test_rules_of_the_users() -> None:
    """Cotangents come and go in the convention; that of a real argument is real."""

    @ad.rule(modulus_of)
    def modulus_rule(z: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return (ct * 2 * np.conj(z),)

        return modulus_of(z), pullback

    @ad.rule(turned_by)
    def turned_rule(x: Any, z: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return np.real(ct * np.conj(z)), np.conj(ct * x)

        return turned_by(x, z), pullback

    def f(x: Any, z: Any) -> Any:
        return modulus_of(z) * x + turned_by(x, z).imag

    assert all(check.ok for check in check_derivatives(f, 0.4, POINT))
    assert type(ad.grad(f)(0.4, POINT)) is not complex


def test_checks_tell_a_wrong_complex_derivative() -> None:
    """`check_derivatives` moves along both axes: a rule that is right along the real one alone is found."""

    def swapped(z: Any) -> Any:
        return z * np.conj(z)

    @ad.rule(swapped)
    def swapped_rule(z: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return (ct * 2 * z.real,)

        return swapped(z), pullback

    failed = [check.name for check in check_derivatives(lambda z: swapped(z), POINT) if not check.ok]
    assert "reverse" in failed


def test_known_numbers_among_results() -> None:
    """A complex number that is known beforehand has the tangent zero, and a cotangent that nothing takes."""

    def f(x: float) -> Any:
        return x * x, complex(np.int64(2)), {"known": 1 + 2j}

    out, tangents = ad.jvp(f, (0.7,), (1.0,))
    assert (out, tangents) == (f(0.7), (1.4, 0j, {"known": 0j}))
    assert type(tangents[1]) is complex
    out, pullback = ad.vjp(f, 0.7)
    assert out == f(0.7)
    assert pullback((1.0, 5j, {"known": 3j})) == (1.4,)
    prepared = ad.prepare_jvp(f, 0.7)
    assert prepared((0.7,), (1.0,)) == (f(0.7), (1.4, 0j, {"known": 0j}))
