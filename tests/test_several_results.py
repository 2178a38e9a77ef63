"""Functions with several results: one call with an out for each, one rule, and nothing computed for results that nobody uses."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError, UnsupportedOperationError
from tests.oracle import central_jacobian, flat_function
from tests.tables.cell import Cell, judge, program

CHANCE = np.random.default_rng(7)
TALL = CHANCE.normal(size=(4, 3))
SQUARE = CHANCE.normal(size=(3, 3))
SYMMETRIC = SQUARE + SQUARE.T
STACK = CHANCE.normal(size=(2, 4, 3))
SYMMETRIC_STACK = np.stack([SYMMETRIC, SYMMETRIC @ SYMMETRIC])
RECTANGLES = [TALL, TALL.T.copy(), SQUARE, STACK, STACK.swapaxes(-1, -2).copy(), np.ones((1, 1)) * 0.7, TALL[:, :1].copy()]
SYMMETRICS = [SYMMETRIC, SYMMETRIC_STACK, np.ones((1, 1)) * 0.7]


def symmetric_factors(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(w)) + np.sum(v**3 * np.cos(v))


def eigenvalues(a: Any) -> Any:
    return np.sum(np.linalg.eigh(a).eigenvalues ** 3)


def eigenvectors(a: Any) -> Any:
    return np.sum(np.linalg.eigh(a)[1] ** 3)


def orthogonal_and_triangular(a: Any) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum(q**3) + np.sum(np.cos(r))


def orthogonal(a: Any) -> Any:
    return np.sum(np.linalg.qr(a).Q ** 3)


def triangular(a: Any) -> Any:
    return np.sum(np.linalg.qr(a)[1] ** 3) + np.sum(np.linalg.qr(a, "r") ** 2)


def singular_vectors_and_values(a: Any) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(u**3) + np.sum(s**2) * np.sum(vh**3)


def left_vectors(a: Any) -> Any:
    return np.sum(np.linalg.svd(a, full_matrices=False)[0] ** 3)


def right_vectors(a: Any) -> Any:
    return np.sum(np.linalg.svd(a, full_matrices=False).Vh ** 3)


def singular_values(a: Any) -> Any:
    return np.sum(np.linalg.svd(a, full_matrices=False).S ** 3) + np.sum(np.linalg.svd(a, compute_uv=False) ** 2)


def log_of_size(a: Any) -> Any:
    sign, size = np.linalg.slogdet(a)
    return np.sum(sign * size**2)


def parts(x: Any) -> Any:
    fraction, whole = np.modf(x)
    mantissa, exponent = np.frexp(x)
    return np.sum(fraction**2 * whole) + np.sum(mantissa**3 * exponent)


PLACES = [
    *((f, a) for f in (symmetric_factors, eigenvalues, eigenvectors) for a in SYMMETRICS),
    *((f, a) for f in (orthogonal_and_triangular, orthogonal, triangular) for a in RECTANGLES),
    *((f, a) for f in (singular_vectors_and_values, left_vectors, right_vectors, singular_values) for a in RECTANGLES),
    *((log_of_size, a) for a in (SQUARE, SYMMETRIC_STACK)),
    (parts, np.array([0.3, -2.7, 5.2])),
]


def slopes(f: Any, a: Any) -> Any:
    """The gradient of `f` at `a`, by differences."""
    jacobian, _ = central_jacobian(*flat_function(f, (a,), (0,)), step=1e-3)
    return jacobian.reshape(a.shape)


@pytest.mark.parametrize(("f", "a"), PLACES, ids=[f"{f.__name__}-{'x'.join(map(str, a.shape))}" for f, a in PLACES])
def test_both_modes_and_all_second_orders_agree_with_differences(f: Any, a: Any) -> None:
    along = np.cos(np.arange(float(a.size))).reshape(a.shape)
    if f in (symmetric_factors, eigenvalues, eigenvectors):
        along = along + np.swapaxes(along, -1, -2)
    expected = slopes(f, a)
    np.testing.assert_allclose(adxform.grad(f)(a), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(adxform.jvp(f, (a,), (along,))[1], np.sum(expected * along), rtol=1e-6, atol=1e-7)
    change, _ = central_jacobian(lambda t: adxform.grad(f)(a + t[0] * along).ravel(), np.zeros(1), step=1e-3)
    for mode in ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"):
        np.testing.assert_allclose(adxform.hvp(f, mode=mode)(a, along).ravel(), change[:, 0], rtol=1e-5, atol=1e-6, err_msg=mode)


FACTORISATIONS = [f for f in dict.fromkeys(f for f, _ in PLACES) if f is not parts]


@pytest.mark.parametrize("f", FACTORISATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3)])
def test_matrices_without_elements_have_gradients_without_elements(f: Any, shape: Any) -> None:
    a = np.zeros(shape)
    assert adxform.grad(f)(a).shape == shape
    assert adxform.jvp(f, (a,), (a,))[1] == 0.0


@pytest.mark.parametrize(
    ("f", "a"),
    [
        (symmetric_factors, SYMMETRIC),
        (orthogonal_and_triangular, TALL),
        (singular_vectors_and_values, TALL),
        (log_of_size, SQUARE),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_single_precision_stays_single(f: Any, a: Any) -> None:
    single = a.astype(np.float32)
    found = adxform.grad(f)(single)
    assert found.dtype == np.float32
    assert adxform.hvp(f)(single, single).dtype == np.float32
    np.testing.assert_allclose(found, adxform.grad(f)(a), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (symmetric_factors, "eigh"),
        (orthogonal_and_triangular, "qr"),
        (singular_vectors_and_values, "svd"),
        (log_of_size, "slogdet"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
@pytest.mark.parametrize("mode", ["reverse", "forward", "hvp"])
def test_a_decomposition_is_computed_once(f: Any, name: str, mode: Any) -> None:
    text = adxform.source(f, SYMMETRIC, mode=mode)
    assert text.count(f"np.linalg.{name}(") == 1


def test_results_are_unpacked_by_the_names_of_the_program() -> None:
    assert "w, v = np.linalg.eigh(a)" in adxform.source(symmetric_factors, SYMMETRIC)
    assert "u, s, vh = np.linalg.svd(a, full_matrices=False)" in adxform.source(singular_vectors_and_values, TALL)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_what_only_unused_results_need_is_left_out(mode: Any) -> None:
    text = adxform.source(eigenvalues, SYMMETRIC, mode=mode)
    assert "np.eye" not in text
    assert "/" not in text.replace("import", "")
    identity = np.eye(3)
    np.testing.assert_allclose(adxform.grad(eigenvalues)(identity), 3.0 * identity)
    np.testing.assert_allclose(adxform.grad(singular_values)(identity), 5.0 * identity, atol=1e-14)
    assert adxform.jvp(eigenvalues, (identity,), (identity,))[1] == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda a: np.sum(np.linalg.qr(a, "complete")[0]), "mode='reduced'"),
        (lambda a: np.sum(np.linalg.qr(a, mode="raw")[0]), "mode='reduced'"),
        (lambda a: np.sum(np.linalg.svd(a[:2, :3])[1]), "full_matrices=True"),
    ],
)
def test_forms_without_a_derivative_are_refused_by_name(f: Any, said: str) -> None:
    with pytest.raises(MissingRuleError, match=said) as caught:
        adxform.grad(f)(SQUARE)
    assert caught.value.span.file == __file__


def test_values_are_those_of_numpy() -> None:
    def factors(a: Any) -> Any:
        return np.linalg.eigh(a), np.linalg.qr(a), np.linalg.svd(a, full_matrices=False), np.linalg.slogdet(a)

    found, _ = adxform.vjp(factors, SYMMETRIC)
    for one, other in zip(found, factors(SYMMETRIC), strict=True):
        assert type(one) is type(other)
        for part, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(part, expected)


# -- rules of one's own ---------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    wave: Any
    total: Any


def pair(x: Any, y: Any) -> Pair:
    return Pair(np.sin(x) * y, np.sum(x * y))


@adxform.rule(pair)
def pair_rule(x: Any, y: Any) -> Any:
    wave, slope = np.sin(x), np.cos(x)

    def pullback(wave_ct: Any, total_ct: Any) -> Any:
        return slope * y * wave_ct + total_ct * y, wave * wave_ct + total_ct * x

    return Pair(wave * y, np.sum(x * y)), pullback


def halves(x: Any) -> Any:
    return x[:2] ** 2, np.exp(x[2:])


def halves_tangent(y: Any, args: Any, args_t: Any) -> Any:
    (x,), (x_t,) = args, args_t
    return 2.0 * x[:2] * x_t[:2], y[1] * x_t[2:]


@adxform.rule(halves, tangent=halves_tangent, boundary=True)
def halves_rule(x: Any) -> Any:
    high = np.exp(x[2:])

    def pullback(low_ct: Any, high_ct: Any) -> Any:
        x_ct = np.zeros_like(x)
        x_ct[:2] = 2.0 * x[:2] * low_ct
        x_ct[2:] = high * high_ct
        return x_ct

    return (x[:2] ** 2, high), pullback


def ranked(x: Any) -> Any:
    return np.sort(x), np.argsort(x)


@adxform.rule(ranked)
def ranked_rule(x: Any) -> Any:
    order = np.argsort(x)

    def pullback(y_ct: Any, order_ct: Any) -> Any:
        x_ct = np.zeros_like(x)
        x_ct[order] = y_ct
        return x_ct

    return (x[order], order), pullback


X, Y = np.array([0.3, -0.5, 1.2, 0.7]), np.array([1.0, 2.0, -0.5, 0.4])


def by_field(x: Any, y: Any) -> Any:
    found = pair(x, y)
    return np.sum(found.wave**2) * found[1]


def by_name(x: Any, y: Any) -> Any:
    wave, total = pair(x, y=y)
    return np.sum(wave) * total


def in_a_loop(x: Any, y: Any) -> Any:
    s = 0.0
    for _ in range(3):
        x, total = pair(x, y)
        s += total
    return s + np.sum(x)


def in_a_branch(x: Any, y: Any) -> Any:
    wave, total = pair(x, y) if x[0] > 0.0 else pair(y, x)
    return np.sum(wave) + total


def overwritten(x: Any, y: Any) -> Any:
    wave, total = pair(x, y)
    wave[1:] *= total
    return np.sum(wave**2)


def two_halves(x: Any, y: Any) -> Any:
    low, high = halves(x * y)
    return np.sum(low) * np.sum(high) + np.sum(halves(y)[1])


def order(x: Any, y: Any) -> Any:
    found, places = ranked(x * y)
    return np.sum(found**2 * (1.0 + places)) + np.sum(y[places] * found)


PROGRAMS = [by_field, by_name, in_a_loop, in_a_branch, overwritten, two_halves, order]


@pytest.mark.parametrize("engine", ["python", "numba", "interpret"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_rules_of_functions_with_several_results(f: Any, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_ENGINE", engine)
    for check in adxform.check_derivatives(f, X, Y):
        assert check.ok, check


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_orders_of_rules_of_functions_with_several_results(f: Any) -> None:
    along = (np.array([1.0, -0.5, 0.25, 2.0]), np.array([0.5, 1.5, -1.0, 0.3]))
    change, _ = central_jacobian(
        lambda t: np.concatenate(adxform.grad(f, (0, 1))(X + t[0] * along[0], Y + t[0] * along[1])), np.zeros(1), step=1e-3
    )
    for mode in ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"):
        found = np.concatenate(adxform.hvp(f, (0, 1), mode=mode)(X, Y, along))
        np.testing.assert_allclose(found, change[:, 0], rtol=1e-6, atol=1e-7, err_msg=mode)


@pytest.mark.parametrize("f", [*PROGRAMS, symmetric_factors, singular_vectors_and_values], ids=lambda f: f.__name__)
def test_prepared_batches_patterns_pickles_and_checkpoints(f: Any) -> None:
    point = (X, Y) if f in PROGRAMS else (SYMMETRIC,)
    expected = adxform.grad(f)(*point)
    prepared = adxform.prepare_gradient(f, *point)
    np.testing.assert_allclose(prepared(*point), expected)
    out = np.empty_like(point[0])
    prepared(*point, out=out)
    np.testing.assert_allclose(out, expected)
    vectors = np.stack([np.cos(point[0]), np.sin(point[0])])
    product = adxform.prepare_hvp(f, *point)
    each = np.stack([adxform.hvp(f)(*point, vector) for vector in vectors])
    np.testing.assert_allclose(product.batch(*point, vectors), each, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(adxform.grad(adxform.checkpoint(f))(*point), expected)
    if f in PROGRAMS:
        pattern = adxform.prepare_jacobian(lambda x, y: f(x, y) * x, *point, sparse=True)(*point).toarray()
        np.testing.assert_allclose(pattern, adxform.jacobian(lambda x, y: f(x, y) * x)(*point))


def test_sparse_patterns_know_results_one_by_one() -> None:
    def fractions(x: Any) -> Any:
        fraction, whole = np.modf(x)
        return fraction * whole

    found = adxform.prepare_jacobian(fractions, X * 3.3, sparse=True)(X * 3.3)
    assert found.nnz == X.size
    np.testing.assert_allclose(found.toarray(), np.diag(np.trunc(X * 3.3)))


def test_derivatives_with_several_results_are_pickled() -> None:
    prepared = adxform.prepare_gradient(symmetric_factors, SYMMETRIC)
    again = pickle.loads(pickle.dumps(prepared))
    np.testing.assert_array_equal(again(SYMMETRIC), prepared(SYMMETRIC))


def test_one_call_stays_one_call_behind_a_boundary() -> None:
    text = adxform.source(two_halves, X, Y, mode="hvp")
    assert "halves_fwd" in text
    assert "halves_bwd" in text


def test_wrong_rules_of_functions_with_several_results_are_refused() -> None:
    def refused(rule: Any, said: str, tangent: Any = None) -> None:
        def both(x: Any) -> Any:
            return np.sin(x), np.cos(x)

        adxform.rule(both, tangent=tangent)(rule)
        with pytest.raises(MissingRuleError, match=said):
            adxform.jvp(lambda x: np.sum(both(x)[0]), (X,), (X,))

    refused(lambda x: (np.sin(x), lambda ct: ct * np.cos(x)), "returns one value, where its function returns a tuple of 2")
    refused(lambda x: ((np.sin(x), np.cos(x)), lambda cts: cts[0] * np.cos(x)), "does not take 2 cotangents")
    refused(lambda x: ((np.sin(x), np.cos(x), x), lambda a, b, c: a), "returns a tuple of 3")
    refused(lambda x: ([np.sin(x), np.cos(x)], lambda a, b: a), "no number or array, nor a tuple of those")
    refused(lambda x: ((np.sin(x), np.sum(x)), lambda a, b: a * np.cos(x) + b), "returns a value of 0 axes")
    refused(lambda x: ((np.sin(x), np.cos(x)), lambda a, b: (a, b)), "returns 2 cotangents for 1 arguments")
    refused(lambda x: ((np.sin(x), np.cos(x)), lambda a, b: a + b + 1.0), "what does not depend on it")
    refused(
        lambda x: ((np.sin(x), np.cos(x)), lambda a, b: a * np.cos(x) - b * np.sin(x)),
        "returns 1 values, not 2",
        tangent=lambda y, args, args_t: y[1] * args_t[0],
    )


def test_a_tuple_of_one_is_refused() -> None:
    def single(x: Any) -> Any:
        return (np.sin(x),)

    adxform.rule(single)(lambda x: ((np.sin(x),), lambda ct: ct * np.cos(x)))
    with pytest.raises(MissingRuleError, match="a tuple of one"):
        adxform.grad(lambda x: np.sum(single(x)[0]))(X)


def test_a_rule_may_be_of_no_module() -> None:
    made = program(
        "def both(x):\n    return np.sin(x), np.cos(x)\n\n"
        "@adxform.rule(both)\ndef rule(x):\n    s, c = both(x)\n    return (s, c), lambda a, b: (a * c - b * s,)\n\n"
        "def f(x):\n    return np.sum(both(x)[0] * x)\n",
        adxform=adxform,
    )
    for name in ("both", "rule"):
        made.__globals__[name].__module__ = None
    np.testing.assert_allclose(adxform.grad(made)(X), np.sin(X) + X * np.cos(X))


@pytest.mark.parametrize("outs", ["a, b", "a", "None, b", "out=(a, b)", "out=(a, None)"])
@pytest.mark.parametrize("call", ["np.modf(x, {})", "np.divmod(x, 0.7, {})"])
def test_arrays_for_several_results_are_refused_by_name(call: str, outs: str) -> None:
    written = call.format(outs)
    f = program(f"def f(x):\n    a, b = np.empty_like(x), np.empty_like(x)\n    {written}\n    return np.sum(a * x)\n")
    with pytest.raises(AdxError, match=r"`out=`|one by one"):
        adxform.grad(f)(X)


def test_no_array_for_any_of_several_results_is_the_default() -> None:
    f = program("def f(x):\n    return np.sum(np.modf(x, None, None)[0] * np.divmod(x, 0.7, None)[1])\n")
    np.testing.assert_allclose(adxform.grad(f)(X), np.modf(X)[0] + np.mod(X, 0.7))


def rotation_between(a: Any) -> Any:
    """The rotation that takes one cloud of points to another, by singular vectors in full of a square matrix."""
    target = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    u, s, vh = np.linalg.svd((a - a.mean(axis=0)).T @ target)
    turn = vh.T @ np.diag([1.0, np.linalg.det(vh.T @ u.T)]) @ u.T
    return np.sum((a @ turn.T - target) ** 2) + s[0]


def full_vectors(a: Any) -> Any:
    found = np.linalg.svd(a)
    return np.sum(found.U * np.arange(9.0).reshape(3, 3)) * found.S[1] + found.Vh[0, 2]


@pytest.mark.parametrize(("f", "at"), [(rotation_between, TALL[:3, :2]), (full_vectors, TALL[:3, :3] + np.eye(3))])
def test_singular_vectors_in_full_of_square_matrices(f: Any, at: Any) -> None:
    verdict = judge(Cell(f.__name__, f, (at,)))
    assert verdict.kind == "right", verdict.reason
    assert adxform.value_and_grad(f)(at)[0] == f(at)


def test_singular_vectors_in_full_of_another_matrix_are_refused_by_the_run() -> None:
    with pytest.raises(UnsupportedOperationError, match="not square") as caught:
        adxform.grad(full_vectors)(np.ones((3, 2)))
    assert caught.value.span.file == __file__
