"""Sparse Jacobians and Hessians: patterns are never too small, colourings hold, the matrices are those of dense products."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import adxform
from adxform.errors import AdxError, MissingExtraError, PatternError, PreparationMismatchError
from adxform.frontend.derivative_operators import ORDERS
from adxform.sparse import scipy_sparse
from adxform.sparse.colouring import colour_columns, colour_symmetric
from adxform.sparse.graph import CONST, ZERO, Graph
from adxform.sparse.recovery import compress
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.oracle import central_jacobian, flat_function
from tests.random_programs import MATRICES, SCALARS, VECTORS, Family, compiled, programs

VECTOR = np.array([0.45, -0.62, 0.83, 0.31])
MATRIX = np.array([[0.45, -0.62, 0.83], [0.31, 0.77, -0.28], [-0.53, 0.12, 0.66]])


def band(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def band_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def arrow(x):
    return x[0] * np.sum(x[1:] ** 2) + np.sum(x**3)


def linear(x):
    return np.sum(3.0 * x) + x[0]


def one_product(x):
    return x[0] * x[2] + np.sum(x)


def smoothed(x, steps):
    u = x.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**3)


def branched(x):
    total = 0.0
    for i in range(len(x) - 1):
        if x[i] > 0.2:
            total += x[i] * x[i + 1]
        else:
            total += x[i] ** 3
    return total


def stored_in_branches(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0.2:
            y[i] = x[i] ** 2
        else:
            y[i] = np.sin(x[i])
            y[0] = x[i]
    return y


def through_views(x):
    grid = x.reshape(2, -1).T
    grid[0, 0] = grid[1, 1] * 2.0
    return grid[:, 0] * x[-1]


def dictionary(p):
    return p["a"] * np.sum(p["b"] ** 2)


def picked(x, index):
    return x[index] ** 2


def stops_early(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if total > 1.0:
            break
    return total


def halved(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        z = x[i]
        while z > 0.7:
            z = np.sin(z) * 0.9
        y[i] = z * z
    return np.sum(y[1:] * y[:-1])


def square_roots(x):
    z = np.ones_like(x)
    while np.max(np.abs(z * z - x)) > 1e-10:
        z = 0.5 * (z + x / z)
    return np.sum(z[1:] * z[:-1])


def shifted_until_small(x):
    u = x.copy()
    k = 0
    while np.sum(u * u) > 1.0:
        u[1:] = 0.4 * u[:-1]
        u[0] *= 0.5
        k += 1
    return u * 1.0


def swapped(x):
    u, v = x.copy(), np.zeros_like(x)
    while np.sum(u) > 1.0:
        v[1:] = u[:-1] * 0.5
        u, v = v, u
    return u * v


def chosen_then_written(x):
    u, v = x * 1.0, np.zeros_like(x)
    w = u if x[0] > 0.5 else v
    w[1] = x[2]
    return u * v


def pattern_of(f: Any, *args: Any, **options: Any) -> Any:
    return adxform.prepare_jacobian(f, *args, sparse=True, **options).pattern.toarray().astype(int).tolist()


# Patterns.


def test_the_pattern_of_a_band_is_the_band() -> None:
    p = adxform.prepare_hessian(band, np.ones(6), sparse=True)
    expected = (np.abs(np.subtract.outer(np.arange(6), np.arange(6))) <= 1).astype(int)
    np.testing.assert_array_equal(p.pattern.toarray().astype(int), expected)
    q = adxform.prepare_hessian(band_loop, np.ones(6), sparse=True)
    np.testing.assert_array_equal(q.pattern.toarray().astype(int), expected)


def test_linear_terms_give_nothing() -> None:
    p = adxform.prepare_hessian(linear, np.ones(5), sparse=True)
    assert p.pattern.nnz == 0
    assert p.products == 0
    assert p(np.ones(5)).nnz == 0
    value, gradient, hessian = p.value_gradient_and_hessian(np.ones(5))
    assert value == 16.0
    np.testing.assert_array_equal(gradient, [4.0, 3.0, 3.0, 3.0, 3.0])
    assert hessian.nnz == 0
    q = adxform.prepare_hessian(one_product, np.ones(4), sparse=True)
    assert q.pattern.nnz == 2
    np.testing.assert_array_equal(q.colours >= 0, [True, False, True, False])


def test_both_branches_are_in_the_pattern() -> None:
    p = adxform.prepare_hessian(branched, np.ones(4), sparse=True)
    for x in (np.ones(4), -np.ones(4), np.array([0.5, -0.5, 0.5, 0.1])):
        np.testing.assert_allclose(p(x).toarray(), adxform.hessian(branched)(x))


def test_stores_in_branches_are_joined_place_by_place() -> None:
    expected = np.eye(4, dtype=int)
    expected[0] = 1
    assert pattern_of(stored_in_branches, np.ones(4)) == expected.tolist()


def test_views_and_aliases_are_followed() -> None:
    p = adxform.prepare_jacobian(through_views, np.ones(6), sparse=True)
    x = np.arange(1.0, 7.0)
    np.testing.assert_allclose(p(x).toarray(), adxform.jacobian(through_views)(x))
    assert p.pattern.nnz == np.count_nonzero(adxform.jacobian(through_views)(x))


def test_known_indices_select_and_unknown_ones_take_all() -> None:
    assert pattern_of(picked, np.ones(3), np.array([2, 0])) == [[0, 0, 1], [1, 0, 0]]
    assert pattern_of(lambda x: x[np.argsort(x)][:1], np.ones(3)) == [[1, 1, 1]]
    assert pattern_of(lambda x: x[np.argmax(x)] * 1.0, np.ones(3)) == [[1, 1, 1]]


def test_products_of_matrices_have_the_pattern_of_their_factors() -> None:
    assert pattern_of(lambda x: np.eye(3) @ x, np.ones(3)) == np.eye(3).tolist()
    assert pattern_of(lambda x: np.diag(x) @ np.array([1.0, 2.0]), np.ones(2)) == [[1, 0], [0, 1]]
    assert pattern_of(lambda x: np.cumsum(x), np.ones(3)) == np.tri(3).tolist()
    assert pattern_of(lambda x: np.linalg.solve(np.eye(2) * 2.0, x), np.ones(2)) == [[1, 1], [1, 1]]
    assert pattern_of(lambda x: np.kron(x, np.array([1.0, 2.0])), np.ones(2)) == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert (
        pattern_of(lambda x: np.repeat(np.sum(x.reshape(2, 2), axis=1), 2), np.ones(4)) == [[1, 1, 0, 0]] * 2 + [[0, 0, 1, 1]] * 2
    )


def test_a_loop_that_may_end_early_holds_all_passes() -> None:
    p = adxform.prepare_jacobian(stops_early, np.ones(5), sparse=True)
    assert p.pattern.nnz == 5
    for x in (np.ones(5), np.full(5, 0.1)):
        np.testing.assert_allclose(p(x).toarray()[0], adxform.grad(stops_early)(x))


@pytest.mark.parametrize("f", [halved, square_roots])
def test_loops_that_a_float_ends_keep_bands(f: Any) -> None:
    p = adxform.prepare_hessian(f, np.full(6, 0.5), sparse=True)
    assert p.pattern.nnz == 16
    for scale in (0.5, 1.0, 3.0):
        x = scale * np.linspace(0.4, 1.2, 6)
        np.testing.assert_allclose(p(x).toarray(), adxform.hessian(f)(x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("f", [shifted_until_small, swapped, chosen_then_written])
def test_what_an_unknown_number_of_passes_writes_is_joined(f: Any) -> None:
    p = adxform.prepare_jacobian(f, np.full(4, 0.1), sparse=True)
    for scale in (0.1, 1.0, 4.0):
        x = scale * np.linspace(0.4, 1.2, 4)
        np.testing.assert_allclose(p(x).toarray(), adxform.jacobian(f)(x), atol=1e-12)


def test_passes_hold_what_earlier_ones_wrote() -> None:
    assert pattern_of(shifted_until_small, np.full(4, 0.1)) == np.tri(4, dtype=int).tolist()


def test_time_steps_widen_the_band() -> None:
    p = adxform.prepare_hessian(smoothed, np.ones(40), 3, sparse=True)
    rows, columns = p.pattern.nonzero()
    assert np.max(np.abs(rows - columns)) == 6
    x = np.cos(np.arange(40.0))
    np.testing.assert_allclose(p(x, 3).toarray(), adxform.hessian(smoothed)(x, 3), atol=1e-13)


def test_arrays_without_elements() -> None:
    p = adxform.prepare_hessian(lambda x: np.sum(x**2), np.ones(0), sparse=True)
    assert p(np.ones(0)).shape == (0, 0)
    q = adxform.prepare_jacobian(lambda x: x * 2.0, np.ones(0), sparse=True)
    assert q(np.ones(0)).shape == (0, 0)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_patterns_of_the_corpus_leave_nothing_out(program: Program) -> None:
    for point in program.points[:1]:
        with np.errstate(all="ignore"):
            sparse = adxform.prepare_jacobian(program.function, *point.fresh(), argnums=program.wrt, sparse=True)
            found = sparse(*point.fresh())
            everything = np.ones(found.shape, bool)
            whole = adxform.prepare_jacobian(
                program.function, *point.fresh(), argnums=program.wrt, sparse=True, pattern=everything
            )
            expected = whole(*point.fresh()).toarray()
        assert not (np.nan_to_num(expected) != 0)[~sparse.pattern.toarray()].any()
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5 if found.dtype == np.float32 else 1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [4, pytest.param(12, marks=pytest.mark.rest)])
@pytest.mark.parametrize(
    ("of", "x"), [(SCALARS, 0.45), (VECTORS, VECTOR), (MATRICES, MATRIX)], ids=["scalars", "vectors", "matrices"]
)
def test_patterns_of_random_programs_leave_nothing_out(of: Family, x: Any, count: int) -> None:
    @settings(
        max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), phases=(Phase.generate,)
    )
    @given(programs(of), st.sampled_from([(0.77, 3), (-0.67, 0), (1.27, 2)]))
    def check(text: str, rest: tuple[float, int]) -> None:
        program = compiled(text, of)
        with np.errstate(all="ignore"):
            try:
                program(copy.deepcopy(x), *rest)
                p = adxform.prepare_hessian(program, x, *rest, argnums=(0, 1), sparse=True)
                j = adxform.prepare_jacobian(program, x, *rest, argnums=(0, 1), sparse=True)
            except (AdxError, NameError, TypeError):
                assume(False)
            pattern, gradient = p.pattern.toarray(), j.pattern.toarray()
            hessian = adxform.prepare_hessian(program, x, *rest, argnums=(0, 1), sparse=True, pattern=np.ones(pattern.shape))
            for scale in (1.0, -1.3, 0.4):
                point = np.asarray(x) * scale + 0.05 * np.cos(3.0 * scale + np.arange(np.size(x)).reshape(np.shape(x)))
                args = (point if isinstance(x, np.ndarray) else float(point), rest[0] * scale, rest[1])
                found = np.nan_to_num(hessian(*args).toarray())
                assert not (found != 0)[~pattern].any(), text
                plain, error = central_jacobian(*flat_function(program, args, (0, 1)), step=1e-3)
                if np.all(np.isfinite(plain)) and error < 1e-8:
                    assert not (np.abs(plain) > 1e-6)[~gradient].any(), text

    check()


def test_sets_of_a_graph_with_a_circle() -> None:
    graph = Graph(3)
    a, b = (int(node) for node in graph.fresh(2))
    graph.tie(np.array([a, b]), np.array([b, a]))
    graph.link(np.array([a, b]), np.array([2, 3]))
    assert graph.union(ZERO, CONST) == CONST
    np.testing.assert_array_equal(graph.leaves([a, b, 4, CONST]).toarray(), [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])


# Colourings.


def random_matrices() -> Any:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        yield rng.random((int(rng.integers(1, 16)), int(rng.integers(1, 16)))) < rng.uniform(0.0, 0.5)


def test_columns_of_one_colour_meet_in_no_row() -> None:
    for matrix in random_matrices():
        colours = colour_columns(scipy.sparse.csr_array(matrix))
        for row in matrix:
            assert len(set(colours[row])) == row.sum()
        assert ((colours >= 0) == matrix.any(axis=0)).all()


def test_no_path_of_four_has_two_colours() -> None:
    for matrix in random_matrices():
        n = min(matrix.shape)
        square = matrix[:n, :n] | matrix[:n, :n].T
        colours = colour_symmetric(scipy.sparse.csr_array(square))
        near = {i: [j for j in np.flatnonzero(square[i]).tolist() if j != i] for i in range(n)}
        for b in range(n):
            assert all(colours[a] != colours[b] for a in near[b])
            for a, c in itertools.permutations(near[b], 2):
                assert not any(colours[a] == colours[c] and colours[b] == colours[d] for d in near[c] if d not in (a, b))


@pytest.mark.parametrize("by", ["columns", "rows", "symmetric"])
def test_elements_are_read_from_products(by: Any) -> None:
    for matrix in random_matrices():
        n = min(matrix.shape)
        shape = matrix[:n, :n] | matrix[:n, :n].T if by == "symmetric" else matrix
        values = shape * np.random.default_rng(3).normal(size=shape.shape)
        values = values + values.T if by == "symmetric" else values
        plan = compress(scipy.sparse.csr_array(shape), by)
        data = np.full(len(plan.indices), math.nan)
        zeros = [np.zeros(values.shape[by != "rows"]) for _ in range(2)]
        for numbers, vectors in plan.sweeps(zeros, 2):
            for number, vector in zip(numbers, vectors, strict=False):
                plan.read(data, number, vector @ values if by == "rows" else values @ vector)
        np.testing.assert_allclose(plan.matrix(data).toarray(), values)


@pytest.mark.parametrize("n", [10, 1000, 20_000])
def test_bands_and_arrow_heads_take_few_products(n: int) -> None:
    p = adxform.prepare_hessian(band, np.ones(n), sparse=True)
    q = adxform.prepare_hessian(arrow, np.ones(n), sparse=True)
    assert (p.products, q.products) == (3, 2)
    x = np.cos(np.arange(float(n)))
    v = np.sin(np.arange(float(n)))
    np.testing.assert_allclose(p(x) @ v, adxform.hvp(band)(x, v), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(q(x) @ v, adxform.hvp(arrow)(x, v), rtol=1e-9, atol=1e-9)


# Prepared objects.


def test_a_hessian_of_a_structure() -> None:
    p = adxform.prepare_hessian(dictionary, {"a": 2.0, "b": np.ones(3)}, sparse=True)
    found = p({"a": 2.0, "b": np.array([1.0, 2.0, 3.0])})
    np.testing.assert_array_equal(found.toarray(), [[0, 2, 4, 6], [2, 4, 0, 0], [4, 0, 4, 0], [6, 0, 0, 4]])


def test_the_dtype_is_kept() -> None:
    x = np.ones(4, np.float32)
    assert adxform.prepare_hessian(band, x, sparse=True)(x).dtype == np.float32
    assert adxform.prepare_jacobian(stored_in_branches, x, sparse=True)(x).dtype == np.float32


def of_two(p, x):
    return p["a"] * np.sum(p["b"] ** 2 * x[1:]) + np.sum(x[1:] * x[:-1] ** 2)


def test_results_go_into_a_matrix_of_the_caller() -> None:
    p = adxform.prepare_hessian(band_loop, np.ones(7), sparse=True)
    x, y = np.cos(np.arange(7.0)), np.sin(np.arange(7.0))
    out, slope = p(y), np.zeros(7)
    assert p(x, out=out) is out
    np.testing.assert_array_equal(out.toarray(), p(x).toarray())
    value, first, same = p.value_gradient_and_hessian(y, out=(None, slope, out))
    assert first is slope
    assert same is out
    np.testing.assert_array_equal(out.toarray(), p(y).toarray())
    np.testing.assert_allclose((value, *slope), (band_loop(y), *adxform.grad(band_loop)(y)))
    _, new = p.gradient_and_hessian(x, out=(slope, None))
    np.testing.assert_array_equal(new.toarray(), p(x).toarray())
    np.testing.assert_allclose(slope, adxform.grad(band_loop)(x))
    j = adxform.prepare_jacobian(stored_in_branches, np.ones(4), sparse=True)
    x = np.array([0.1, 0.5, -0.3, 0.9])
    out, value = j(np.ones(4)), np.zeros(4)
    assert j.value_and_jacobian(x, out=(value, out))[1] is out
    np.testing.assert_allclose(out.toarray(), adxform.jacobian(stored_in_branches)(x))
    np.testing.assert_allclose(value, stored_in_branches(x))
    np.testing.assert_array_equal(j(np.ones(4), out=out).toarray(), j(np.ones(4)).toarray())


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m.toarray(), "`out`: expected a sparse matrix in CSR form, got a ndarray"),
        (lambda m: m.tocsc(), "`out`: expected a sparse matrix in CSR form, got a csc_array"),
        (lambda m: m[:3, :3], r"`out`: expected the shape \(4, 4\), got \(3, 3\)"),
        (lambda m: m.astype(np.float32), "`out`: expected elements of type float64, got float32"),
        (lambda m: scipy.sparse.csr_array(np.eye(4)), "`out`: expected the elements of `pattern`, in its order, got others"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(change: Any, text: str) -> None:
    p = adxform.prepare_hessian(band, np.ones(4), sparse=True)
    out = change(p(np.ones(4)))
    before = out.copy()
    with pytest.raises(PreparationMismatchError, match=text) as caught:
        p(np.zeros(4), out=out)
    assert "a matrix that such a call returned" in caught.value.help
    assert abs(before - out).sum() == 0.0
    with pytest.raises(PreparationMismatchError):
        p.gradient_and_hessian(np.ones(4), out=p(np.ones(4)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("mode", ORDERS)
def test_several_arguments_in_every_mode(mode: Any, dtype: Any) -> None:
    def args(scale: float) -> Any:
        steps = np.arange(5.0) * scale
        return {"a": dtype(0.7 * scale), "b": np.cos(steps[:4]).astype(dtype)}, np.sin(steps).astype(dtype)

    p = adxform.prepare_hessian(of_two, *args(1.0), argnums=(0, 1), mode=mode, sparse=True)
    q = adxform.prepare_jacobian(lambda s, x: adxform.grad(of_two, (0, 1))(s, x), *args(1.0), argnums=(0, 1), sparse=True)
    f, point = flat_function(lambda *given: np.concatenate([np.ravel(v) for v in slopes_of_two(*given)]), args(1.4), (0, 1))
    expected = central_jacobian(f, point, step=1e-3)[0]
    out = p(*args(1.0))
    for found in (p(*args(1.4)), p(*args(1.4), out=out), out, q(*args(1.4))):
        assert found.dtype == dtype
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6 if dtype is np.float64 else 1e-3, atol=1e-6)


def slopes_of_two(p: Any, x: Any) -> Any:
    by_p, by_x = adxform.grad(of_two, (0, 1))(p, x)
    return by_p["a"], by_p["b"], by_x


@pytest.mark.parametrize("size", [3, 40, 5000])
def test_products_in_sweeps_of_several_are_those_of_one(size: int) -> None:
    p = adxform.prepare_hessian(smoothed, np.ones(size), 3, sparse=True)
    x, v = np.cos(np.arange(float(size))), np.sin(np.arange(float(size)))
    assert (p.product.request.directions > 1) == (size < 4096)
    np.testing.assert_allclose(p(x, 3) @ v, adxform.hvp(smoothed)(x, 3, v), rtol=1e-9, atol=1e-9)
    value, gradient, matrix = p.value_gradient_and_hessian(x, 3)
    np.testing.assert_allclose(matrix.data, p(x, 3).data, rtol=1e-13)
    np.testing.assert_allclose(gradient, adxform.grad(smoothed)(x, 3), rtol=1e-12)
    assert value == pytest.approx(smoothed(x, 3))


def test_a_jacobian_takes_rows_or_columns_whichever_are_fewer() -> None:
    columns = adxform.prepare_jacobian(lambda x: np.concatenate((x, x * x, x**3)), np.ones(5), sparse=True)
    rows = adxform.prepare_jacobian(lambda x: np.sum(x * x), np.ones(5), sparse=True)
    assert (columns.products, rows.products) == (1, 1)
    assert len(columns.colours) == 5
    assert len(rows.colours) == 1
    forced = adxform.prepare_jacobian(lambda x: np.sum(x * x), np.ones(5), sparse=True, mode="forward")
    assert forced.products == 5
    x = np.arange(5.0)
    np.testing.assert_array_equal(rows(x).toarray(), [2 * x])
    value, jacobian = forced.value_and_jacobian(x)
    assert value == 30.0
    np.testing.assert_array_equal(jacobian.toarray(), [2 * x])


def test_a_given_pattern_is_used_and_checked() -> None:
    tridiagonal = scipy.sparse.diags_array([np.ones(5), np.ones(6)], offsets=[1, 0])
    p = adxform.prepare_hessian(band, np.ones(6), sparse=True, pattern=tridiagonal)
    assert p.pattern.nnz == 16
    x = np.cos(np.arange(6.0))
    np.testing.assert_allclose(p(x).toarray(), adxform.hessian(band)(x))
    with pytest.raises(PatternError, match=r"the pattern has the shape \(2, 2\), the derivative \(6, 6\)"):
        adxform.prepare_hessian(band, np.ones(6), sparse=True, pattern=np.ones((2, 2), bool))


def test_sizes_and_whole_numbers_are_bound() -> None:
    p = adxform.prepare_hessian(smoothed, np.ones(8), 2, sparse=True)
    with pytest.raises(PreparationMismatchError, match=r"`x`: expected the shape \(8,\), got \(9,\)"):
        p(np.ones(9), 2)
    with pytest.raises(PreparationMismatchError, match="`steps`: expected the value 2, got 3"):
        p.check(np.ones(8), 3)
    q = adxform.prepare_jacobian(picked, np.ones(3), np.array([2, 0]), sparse=True)
    with pytest.raises(PreparationMismatchError, match="`index`: expected the whole numbers that the pattern was found for"):
        q(np.ones(3), np.array([1, 0]))
    loose = adxform.prepare_jacobian(picked, np.ones(3), np.array([2, 0]), sparse=True, strict=False)
    np.testing.assert_array_equal(loose(np.ones(4), np.array([3])).toarray(), [[0, 0, 0, 2]])


def test_it_is_frozen_and_pickles() -> None:
    p = adxform.prepare_hessian(band, np.ones(7), sparse=True)
    x = np.cos(np.arange(7.0))
    before, fingerprint = p(x), p.fingerprint()
    before.data[:] = 0.0
    before.indices[:] = 0
    again = pickle.loads(pickle.dumps(p))
    assert p.fingerprint() == again.fingerprint() == fingerprint
    np.testing.assert_array_equal(again(x).toarray(), p(x).toarray())
    np.testing.assert_allclose(p(x).toarray(), adxform.hessian(band)(x))
    given = adxform.prepare_hessian(band, np.ones(7), sparse=True, pattern=np.ones((7, 7)))
    assert given.fingerprint() != fingerprint


def test_a_call_builds_nothing() -> None:
    p = adxform.prepare_hessian(band_loop, np.ones(7), sparse=True)
    before = adxform.stats()
    for scale in range(20):
        p(np.cos(np.arange(7.0) * scale))
    after = adxform.stats()
    assert all(after[name] == before[name] for name in ("rule_builds", "source_parses", "py_compiles"))


def test_a_full_pattern_that_would_be_too_large_is_refused() -> None:
    def unknown(x):
        return x[x > 0.0]

    with pytest.raises(PatternError, match="cannot be told") as caught:
        adxform.prepare_jacobian(unknown, np.ones(100_000), sparse=True)
    assert "pass `pattern=`" in caught.value.help


def test_without_scipy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(scipy_sparse, "imported", missing)
    with pytest.raises(MissingExtraError) as caught:
        adxform.prepare_hessian(band, np.ones(3), sparse=True)
    assert "adxform[sparse]" in caught.value.help


def test_inside_a_differentiated_function_it_is_refused() -> None:
    p = adxform.prepare_hessian(band, np.ones(3), sparse=True)

    def outer(x):
        return np.sum(p(x))

    with pytest.raises(PreparationMismatchError, match="a sparse derivative cannot be differentiated"):
        adxform.grad(outer)(np.ones(3))


def padded_with_a_number(x):
    return np.pad(x[:2], 1, constant_values=0.5) * x


def traces_of_several(x):
    return np.trace(x.reshape(2, 2, 1), 0, 1, 2) * x[:2] + np.full_like(x, x[0], shape=(2,)) + np.max(x, 0, None, True)


@pytest.mark.parametrize("f", [padded_with_a_number, traces_of_several], ids=lambda f: f.__name__)
def test_patterns_of_calls_with_options(f: Any) -> None:
    x = np.array([0.3, 1.2, -0.7, 0.4])
    expected, _ = central_jacobian(*flat_function(f, (x,), (0,)))
    np.testing.assert_allclose(adxform.prepare_jacobian(f, x, sparse=True)(x).toarray(), expected, atol=1e-8)


def groups_by_size(x: Any) -> Any:
    groups: list[list[Any]] = [[]]
    for v in x:
        if v > 1:
            groups.append([])
        groups[-1].append(v * v)
    return np.array([sum(group) for group in groups for _ in group])


def test_arrays_of_which_the_run_tells_the_lengths_have_a_pattern() -> None:
    x = np.array([0.5, 1.5, 0.2, 3.0])
    found = adxform.prepare_jacobian(groups_by_size, x, sparse=True)(x).toarray()
    np.testing.assert_allclose(found, central_jacobian(groups_by_size, x, step=1e-3)[0], rtol=1e-6, atol=1e-8)
