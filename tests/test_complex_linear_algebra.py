"""All of `numpy.linalg`, of real and of complex matrices: against differences, and each mode against the other.

Cotangents pair with tangents without a conjugate: the transpose of ``t -> t_y`` is what makes ``real(sum(ct * t_y))`` and
``real(sum(ct_x * t))`` the same. Of what is determined but for a factor, eigenvectors say, functions are taken that do not depend
on it.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.cli.known_functions import undecided
from adxform.errors import MissingRuleError

STEP = 1e-6
NORMS = ("None", "1", "2", "3", "2.5", "1.5", "0.5", "-2", "np.inf", "-np.inf")
MATRIX_NORMS = ("'fro'", "'nuc'", "1", "-1", "2", "-2", "np.inf", "-np.inf")

# What is computed of `a` (and `b`), and the operands: names of `operands`.
FUNCTIONS: tuple[tuple[str, str], ...] = (
    ("np.linalg.cholesky(a)", "definite"),
    ("np.linalg.cholesky(a)", "definites"),
    ("np.linalg.cholesky(a, upper=True)", "definites"),
    ("np.linalg.eigvalsh(a)", "definites"),
    ("np.linalg.eigvalsh(a, 'U')", "definite"),
    ("np.linalg.eigh(a)[0]", "definites"),
    ("np.linalg.eigh(a, UPLO='U').eigenvalues", "definite"),
    ("np.abs(np.linalg.eigh(a)[1]) ** 2", "definites"),
    ("np.abs(np.linalg.eigh(a, 'U')[1]) ** 2", "definite"),
    ("np.linalg.svd(a, compute_uv=False)", "squares"),
    ("np.linalg.svdvals(a)", "tall"),
    ("np.abs(np.linalg.svd(a, full_matrices=False)[0]) ** 2", "tall"),
    ("np.abs(np.linalg.svd(a, full_matrices=False).Vh) ** 2", "wide"),
    ("np.linalg.svd(a, full_matrices=False)[0] @ np.linalg.svd(a, full_matrices=False)[2]", "squares"),
    ("np.linalg.svd(a, compute_uv=False, hermitian=True)", "indefinite"),
    ("np.linalg.svd(a, hermitian=True)[0] @ np.linalg.svd(a, hermitian=True)[2]", "indefinite"),
    *((f"np.linalg.qr(a){part}", kind) for part in ("[0]", ".R") for kind in ("square", "squares", "tall", "wide")),
    ("np.linalg.qr(a, 'r')", "wide"),
    ("np.linalg.qr(a, mode='r')", "tall"),
    ("np.linalg.slogdet(a)[0]", "squares"),
    ("np.linalg.slogdet(a).logabsdet", "square"),
    ("np.linalg.det(a)", "squares"),
    ("np.linalg.inv(a)", "squares"),
    ("np.linalg.solve(a, b)", "square vector"),
    ("np.linalg.solve(a, b)", "squares vector"),
    ("np.linalg.solve(a, b)", "cube vector"),
    ("np.linalg.solve(a, b)", "squares square"),
    ("np.linalg.solve(a, b)", "square squares"),
    ("np.linalg.multi_dot([a, a, b])", "square vector"),
    *((f"np.linalg.matrix_power(a, {n})", "squares") for n in (0, 5, -2)),
    *((f"np.linalg.pinv(a{more})", kind) for more, kind in (("", "square"), ("", "tall"), (", 1e-10", "wide"))),
    ("np.linalg.pinv(a, rtol=None)", "squares"),
    ("np.linalg.pinv(a, hermitian=True)", "indefinite"),
    *(
        (f"np.linalg.lstsq(a, b)[{place}]", kind)
        for place in (0, 1, 3)
        for kind in ("tall vector", "tall columns", "wide few", "square vector")
    ),
    ("np.linalg.lstsq(a, b, rcond=1e-10)[0]", "tall vector"),
    *((f"np.linalg.norm(a, {order})", "vector") for order in NORMS),
    *((f"np.linalg.norm(a, {order}, 1, True)", "squares") for order in NORMS),
    ("np.linalg.vector_norm(a)", "squares"),
    ("np.linalg.vector_norm(a, axis=(0, 2), ord=3, keepdims=True)", "squares"),
    ("np.linalg.vector_norm(a, axis=1, ord=1)", "squares"),
    *((f"np.linalg.norm(a, {order})", "tall") for order in MATRIX_NORMS),
    *((f"np.linalg.norm(a, {order}, axis=(0, 2), keepdims=True)", "squares") for order in MATRIX_NORMS),
    *((f"np.linalg.norm(a, {order}, axis=(1, 0))", "squares") for order in MATRIX_NORMS),
    *((f"np.linalg.matrix_norm(a, ord={order})", "squares") for order in MATRIX_NORMS),
    *((f"np.linalg.cond(a, {order})", "squares") for order in ("None", *MATRIX_NORMS)),
    ("np.linalg.tensorinv(a)", "many"),
    ("np.linalg.tensorinv(a, ind=1)", "square"),
    ("np.linalg.tensorsolve(a, b)", "system right"),
    ("np.linalg.tensorsolve(np.moveaxis(a, -1, 1), b, axes=(1,))", "system right"),
    ("np.linalg.cross(a, b)", "square square"),
    ("np.linalg.cross(a, b, axis=0)", "square square"),
    ("np.linalg.diagonal(a, offset=1)", "squares"),
    ("np.linalg.trace(a, offset=1)", "squares"),
    ("np.linalg.matmul(a, b)", "square squares"),
    ("np.linalg.outer(a, b)", "vector vector"),
    ("np.linalg.tensordot(a, b, axes=((0,), (1,)))", "square squares"),
    ("np.linalg.matrix_transpose(a)", "squares"),
    ("np.linalg.vecdot(a, b)", "square squares"),
    ("np.linalg.vecdot(a, b, axis=0)", "square square"),
    ("np.linalg.matrix_rank(a) * a", "square"),
)
OF_COMPLEX = (
    ("np.linalg.eig(a)[0]", "squares"),
    ("np.linalg.eig(a).eigenvectors", "squares"),
    ("np.linalg.eigvals(a)", "squares"),
    ("np.linalg.eigvals(a)", "square"),
)
CASES = (
    *((text, kinds, False) for text, kinds in FUNCTIONS),
    *((text, kinds, True) for text, kinds in (*FUNCTIONS, *OF_COMPLEX)),
)
MODES = ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse")
LINEAR = ("matrix_rank", "tensordot", "moveaxis", "trace", "diagonal", "cross", "outer", "transpose", "vecdot", "matmul")
TWICE = tuple(case for case in CASES if not any(part in case[0] for part in LINEAR))
"""The second derivatives: not of what is linear in each operand, whose rules are those of other functions."""


def numbers(*shape: int, is_complex: bool, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if is_complex else real


WEIGHTS, SHIFTS = numbers(600, is_complex=False, seed=9), numbers(600, is_complex=False, seed=10)


def operands(kinds: str, is_complex: bool) -> tuple[Any, ...]:
    def made(*shape: int) -> Any:
        return numbers(*shape, is_complex=is_complex, seed=len(shape) + sum(shape))

    def definite(a: Any) -> Any:
        return a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(a.shape[-1])

    shapes: dict[str, Callable[[], Any]] = {
        "square": lambda: made(3, 3),
        "squares": lambda: made(2, 3, 3),
        "cube": lambda: made(3, 3, 3),
        "tall": lambda: made(4, 3),
        "wide": lambda: made(2, 4),
        "vector": lambda: made(4 if "tall" in kinds else 3),
        "columns": lambda: made(4, 2),
        "few": lambda: made(2, 1),
        "definite": lambda: definite(made(3, 3)),
        "definites": lambda: definite(made(2, 3, 3)),
        "indefinite": lambda: definite(made(3, 3)) - 4.0 * np.eye(3),
        "many": lambda: made(4, 6, 8, 3),
        "system": lambda: made(2, 3, 6),
        "right": lambda: made(2, 3),
    }
    return tuple(shapes[kind]() for kind in kinds.split())


def program(text: str, kinds: str, lines: str) -> Any:
    """The function of the operands with these `lines`, in which `y` is what `text` says."""
    parameters = "a, b" if " " in kinds else "a"
    source = f"def f({parameters}):\n    y = {text}\n{lines}\n"
    name = f"<{source}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    found: dict[str, Any] = {"np": np, "WEIGHTS": WEIGHTS, "SHIFTS": SHIFTS}
    exec(compile(source, name, "exec"), found)
    return found["f"]


def along(args: tuple[Any, ...], directions: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    return tuple(arg + step * direction for arg, direction in zip(args, directions, strict=True))


def like(x: Any, seed: int) -> Any:
    return numbers(*np.shape(x), is_complex=np.iscomplexobj(x), seed=seed)[()]


def pairing(one: Any, other: Any) -> float:
    return float(np.sum(np.real(np.asarray(one) * np.asarray(other))))


@pytest.mark.parametrize(("text", "kinds", "is_complex"), CASES)
def test_both_modes(text: str, kinds: str, is_complex: bool) -> None:
    f, args = program(text, kinds, "    return y"), operands(kinds, is_complex)
    directions = tuple(like(arg, 20 + place) for place, arg in enumerate(args))
    y = f(*args)
    after, before = f(*along(args, directions, STEP)), f(*along(args, directions, -STEP))
    slope = (np.asarray(after) - np.asarray(before)) / (2.0 * STEP)
    value, tangent = adxform.jvp(f, args, directions)
    same, pullback = adxform.vjp(f, *args)
    np.testing.assert_array_equal(value, y)
    np.testing.assert_array_equal(same, y)
    assert np.asarray(tangent).dtype == np.asarray(y).dtype
    np.testing.assert_allclose(tangent, slope, rtol=1e-5, atol=1e-6 * max(1.0, float(np.max(np.abs(slope), initial=0.0))))
    ct = like(y, 40)
    cts = pullback(ct)
    for one, arg in zip(cts, args, strict=True):
        assert one.dtype == arg.dtype
        assert one.shape == arg.shape
    total = sum(pairing(one, direction) for one, direction in zip(cts, directions, strict=True))
    np.testing.assert_allclose(total, pairing(ct, tangent), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("text", "kinds", "is_complex"), TWICE)
def test_second_derivatives(text: str, kinds: str, is_complex: bool) -> None:
    args = operands(kinds, is_complex)
    y = np.asarray(program(text, kinds, "    return y")(*args))
    shifts, weights = f"SHIFTS[:{y.size}].reshape({y.shape})", f"WEIGHTS[:{y.size}].reshape({y.shape})"
    f = program(text, kinds, f"    return np.sum(np.abs(y * y + {shifts} * y) * {weights})")
    direction, rest = like(args[0], 50), args[1:]
    gradient = adxform.grad(f)
    slope = (gradient(args[0] + STEP * direction, *rest) - gradient(args[0] - STEP * direction, *rest)) / (2.0 * STEP)
    first = (f(args[0] + STEP * direction, *rest) - f(args[0] - STEP * direction, *rest)) / (2.0 * STEP)
    np.testing.assert_allclose(pairing(gradient(*args), direction), first, rtol=1e-5, atol=1e-5)
    for mode in MODES:
        found = adxform.hvp(f, mode=mode)(*args, direction)
        np.testing.assert_allclose(found, slope, rtol=1e-4, atol=1e-4 * max(1.0, float(np.max(np.abs(slope)))))


@pytest.mark.parametrize("text", ["np.linalg.lstsq(a, b)[0]", "np.linalg.lstsq(a, b)[1]", "np.linalg.multi_dot([b, a, a.T])"])
@pytest.mark.parametrize("first", ["real", "complex", "whole"])
@pytest.mark.parametrize("second", ["real", "complex"])
def test_operands_of_two_kinds(text: str, first: str, second: str) -> None:
    f = program(text, "tall vector", "    return np.sum(np.abs(y) ** 2)")
    a, b = operands("tall", first == "complex")[0], operands("tall vector", second == "complex")[1]
    a = np.arange(12).reshape(4, 3) ** 2 if first == "whole" else a
    places = (1,) if first == "whole" else (0, 1)
    directions = tuple(like(arg, 60 + place) if place in places else 0 * arg for place, arg in enumerate((a, b)))
    gradients = adxform.grad(f, argnums=places)(a, b)
    found = sum(pairing(one, directions[place]) for place, one in zip(places, gradients, strict=True))
    slope = (f(*along((a, b), directions, STEP)) - f(*along((a, b), directions, -STEP))) / (2.0 * STEP)
    np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-6)
    assert [one.dtype for one in gradients] == [(a, b)[place].dtype for place in places]


def test_a_norm_along_one_axis_in_a_tuple() -> None:
    f = program("np.linalg.norm(a, 3, axis=(0,))", "tall", "    return np.sum(y)")
    other = program("np.linalg.norm(a, 3, axis=0)", "tall", "    return np.sum(y)")
    a = operands("tall", True)[0]
    np.testing.assert_array_equal(adxform.grad(f)(a), adxform.grad(other)(a))


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_of_real_matrices_only_the_run_knows_what_the_eigenvalues_are(name: str) -> None:
    f = program(f"np.linalg.{name}(a)", "square", "    return np.sum(y[0] * y[0])")
    with pytest.raises(MissingRuleError, match="real or complex") as caught:
        adxform.grad(f)(operands("square", False)[0])
    assert "a + 0j" in str(caught.value)
    complex_ = program(f"np.linalg.{name}(a + 0j)", "square", "    return np.sum(np.abs(y[0]))")
    assert adxform.grad(complex_)(operands("square", False)[0]).dtype == np.float64


def test_eigenvalues_that_nothing_is_differentiated_through() -> None:
    def stable(a: Any, x: Any) -> Any:
        w = np.linalg.eigvals(a)
        return np.sum(x * np.max(np.abs(w)))

    a, x = operands("square", False)[0], np.ones(2)
    np.testing.assert_allclose(adxform.grad(stable, argnums=1)(a, x), np.max(np.abs(np.linalg.eigvals(a))))


@pytest.mark.parametrize("text", [f"np.linalg.{name}" for name in ("eigvalsh(a)", "eigh(a)[0]", "svdvals(a)", "eigvals(a)")])
def test_values_of_a_multiple_of_the_identity_have_slopes_where_all_are_used_alike(text: str) -> None:
    f = program(text, "square", "    return np.real(np.sum(y))")
    np.testing.assert_allclose(adxform.grad(f)(2.0 * np.eye(3, dtype=complex)), np.eye(3), atol=1e-12)


def test_lengths_with_zeros_in_them_curve() -> None:
    f = program("np.linalg.norm(a)", "vector", "    return y")
    point, direction = np.array([0.0, 3.0 + 4.0j]), np.array([1.0 + 2.0j, 0.0])
    for mode in MODES:
        np.testing.assert_allclose(adxform.hvp(f, mode=mode)(point, direction), np.array([0.2 - 0.4j, 0.0]), atol=1e-12)
    np.testing.assert_array_equal(adxform.grad(f)(np.zeros(2, complex)), np.zeros(2))


def test_nothing_of_linalg_is_missing() -> None:
    assert [name for name in undecided("numpy") if name.startswith("np.linalg")] == []
