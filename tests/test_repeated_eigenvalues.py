"""Second derivatives of eigenvalues, where these are apart, equal, or told apart by rounding: judged by differences and by hand.

The sum of the squares of the eigenvalues is that of the squares of the elements, whose Hessian times a direction is twice the
direction; what a derivative by eigenvectors cannot tell of it where eigenvalues are equal has to be NaN, and no number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

ORDERS = ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward")
TURN = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.25, -1.0, 1.5], [2.0, 0.0, 1.0]]))[0]
DIRECTION = np.array([[0.5, 1.0, -2.0], [1.0, -0.75, 0.25], [-2.0, 0.25, 1.5]])
UNIT = np.array([1.0, 2.0, 2.0]) / 3.0


def squares(a: Any) -> Any:
    return np.sum(np.linalg.eigvalsh(a) ** 2)


def squares_of_both(a: Any) -> Any:
    w, _ = np.linalg.eigh(a)
    return np.sum(w**2)


def distances_from_one(a: Any) -> Any:
    return np.sum((np.linalg.eigvalsh(a) - 1.0) ** 2)


def largest(a: Any) -> Any:
    return np.linalg.eigvalsh(a)[-1]


def weighted(a: Any) -> Any:
    return np.sum(np.exp(np.linalg.eigvalsh(a)) * np.array([1.0, -2.0, 0.5]))


def weighted_by_upper(a: Any) -> Any:
    return np.sum(np.exp(np.linalg.eigvalsh(a, "U")) * np.array([1.0, -2.0, 0.5]))


def of_complex(parts: Any) -> Any:
    return np.sum(np.exp(np.linalg.eigvalsh(parts[0] + 1j * parts[1])) * np.array([1.0, -2.0, 0.5]))


def product(f: Any, order: Any, at: Any, along: Any) -> Any:
    with np.errstate(all="ignore"):
        return adxform.hvp(f, mode=order)(at, along)


def differences(f: Any, at: Any, along: Any, step: float = 1e-5) -> Any:
    ahead, behind = adxform.grad(f)(at + step * along), adxform.grad(f)(at - step * along)
    return (ahead - behind) / (2.0 * step)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", [squares, squares_of_both, distances_from_one, largest, weighted, weighted_by_upper])
def test_eigenvalues_that_are_apart(f: Any, order: str) -> None:
    at = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
    np.testing.assert_allclose(product(f, order, at, DIRECTION), differences(f, at, DIRECTION), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_eigenvalues_of_hermitian_matrices(order: str) -> None:
    at, along = np.stack([TURN + 2.0 * np.eye(3), DIRECTION]), np.stack([DIRECTION, TURN])
    found = product(of_complex, order, at, along)
    np.testing.assert_allclose(found, differences(of_complex, at, along), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", [squares, squares_of_both, distances_from_one])
@pytest.mark.parametrize("size", [0.0, 1.0, 3.0])
def test_equal_eigenvalues_have_nan_where_the_direction_couples_them(f: Any, order: str, size: float) -> None:
    """Of the lower triangle, which is read: an element beside the diagonal counts twice."""
    found = product(f, order, size * np.eye(3), DIRECTION)
    np.testing.assert_allclose(np.diag(found), 2.0 * np.diag(DIRECTION))
    assert np.all(np.isnan(found[np.tril_indices(3, -1)]))
    alone = product(f, order, size * np.eye(3), np.diag([1.0, -2.0, 3.0]))
    np.testing.assert_allclose(alone, np.diag([2.0, -4.0, 6.0]))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", [squares, distances_from_one])
def test_eigenvalues_that_rounding_tells_apart_are_equal(f: Any, order: str) -> None:
    """Where nothing but rounding divides by the rounding of the gaps, numbers of the right size come out, and are wrong."""
    found = product(f, order, 2.0 * TURN @ TURN.T, DIRECTION)[np.tril_indices(3)]
    exact = (2.0 * (np.tril(DIRECTION) + np.tril(DIRECTION, -1)))[np.tril_indices(3)]
    assert np.sum(np.isnan(found)) >= 5
    np.testing.assert_allclose(found, np.where(np.isnan(found), np.nan, exact), rtol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_gaps_of_many_roundings_are_gaps(order: str) -> None:
    """The divided difference of a square is exact: no digits are lost in small gaps."""
    at = TURN @ np.diag([1.0, 1.0 + 1e-9, 2.0]) @ TURN.T
    found = product(squares, order, at, DIRECTION)
    exact = 2.0 * (np.tril(DIRECTION) + np.tril(DIRECTION, -1))
    rows = np.tril_indices(3)
    np.testing.assert_allclose(found[rows], exact[rows], rtol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_one_eigenvalue_beside_others_that_rounding_tells_apart(order: str) -> None:
    """The largest eigenvalue has its second derivative: nothing is used of the others, which are equal but for rounding."""
    at = 2.0 * np.outer(UNIT, UNIT) + np.eye(3)
    vector = DIRECTION @ UNIT
    across = np.outer(vector - (UNIT @ vector) * UNIT, UNIT) / 2.0
    exact = across + across.T
    exact = np.tril(exact) + np.tril(exact, -1)
    np.testing.assert_allclose(product(largest, order, at, DIRECTION), exact, atol=1e-12)


def test_third_derivatives_of_eigenvalues() -> None:
    at, along = DIRECTION @ DIRECTION + TURN, DIRECTION

    def bent(a: Any) -> Any:
        return np.sum(adxform.hvp(weighted)(a, along) * TURN)

    np.testing.assert_allclose(adxform.grad(bent)(at), _slopes(bent, at), rtol=1e-5, atol=1e-5)


def _slopes(f: Any, at: Any, step: float = 1e-4) -> Any:
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        unit = np.zeros_like(at)
        unit[place] = step
        found[place] = (f(at + unit) - f(at - unit)) / (2.0 * step)
    return found


def exponential(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T * WEIGHTS)


def last_vector(a: Any) -> Any:
    return np.sum(np.abs(np.linalg.eigh(a)[1][:, -1]) * np.arange(1.0, 1.0 + len(a)))


def first_vector(a: Any) -> Any:
    return np.sum(np.abs(np.linalg.eigh(a)[1][:, 0]) * np.arange(1.0, 1.0 + len(a)))


def turned_back(a: Any) -> Any:
    u, _, v = np.linalg.svd(a)
    return np.sum(u @ v * WEIGHTS)


WEIGHTS = np.arange(9.0).reshape(3, 3) ** 2
RING = 2.0 * np.eye(3) - np.roll(np.eye(3), 1, 0) - np.roll(np.eye(3), -1, 0)


@pytest.mark.parametrize("f", [exponential, first_vector])
def test_eigenvectors_of_equal_eigenvalues_have_no_number(f: Any) -> None:
    """A ring of three has an eigenvalue twice, but for rounding; what divides by that has the right size, and is wrong."""
    at = RING if f is exponential else -RING[::-1, ::-1] + 4.0 * np.eye(3)
    with np.errstate(all="ignore"):
        reverse, forward = adxform.grad(f)(at), adxform.jvp(f, (at,), (DIRECTION,))[1]
    assert np.isnan(reverse[np.tril_indices(3, -1)]).all()
    assert np.isnan(forward)


def test_an_eigenvector_beside_equal_eigenvalues() -> None:
    at = 2.0 * np.outer(UNIT, UNIT) + np.eye(3)
    gradient = adxform.grad(last_vector)(at)
    np.testing.assert_allclose(gradient, np.tril(_slopes(last_vector, at)), rtol=1e-5, atol=1e-6)


def test_singular_vectors_of_equal_singular_values_have_no_number() -> None:
    with np.errstate(all="ignore"):
        assert np.isnan(adxform.grad(turned_back)(TURN)).any()
        assert np.isnan(adxform.jvp(turned_back, (TURN,), (DIRECTION,))[1])


def largest_singular_value(a: Any) -> Any:
    return np.linalg.norm(a, 2)


def singular_squares(a: Any) -> Any:
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 2)


def singular_exponentials(a: Any) -> Any:
    return np.sum(np.exp(np.linalg.svd(a, full_matrices=False)[1]) * np.array([1.0, -2.0]))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", [largest_singular_value, singular_squares, singular_exponentials])
@pytest.mark.parametrize("turned", [False, True])
def test_singular_values_that_are_apart(f: Any, order: str, turned: bool) -> None:
    at, along = TURN[:2] * np.array([[1.0], [3.0]]) + 0.1, DIRECTION[:2]
    at, along = (at.T, along.T) if turned else (at, along)
    np.testing.assert_allclose(product(f, order, at, along), differences(f, at, along), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_the_largest_singular_value_beside_values_of_zero(order: str) -> None:
    at = np.outer([1.0, 2.0, 3.0], [2.0, 0.0, 1.0])
    expected = differences(largest_singular_value, at, DIRECTION)
    np.testing.assert_allclose(product(largest_singular_value, order, at, DIRECTION), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("order", ORDERS)
def test_squares_of_singular_values_of_zero(order: str) -> None:
    """Two of three are zero but for rounding, where what does not couple them is known."""
    at = np.outer([1.0, 2.0, 3.0], [2.0, 0.0, 1.0])
    found = product(singular_squares, order, at, DIRECTION)
    np.testing.assert_allclose(found, np.where(np.isnan(found), np.nan, 2.0 * DIRECTION), rtol=1e-6, atol=1e-6)


def test_third_derivatives_of_singular_values() -> None:
    at, along = TURN[:2] * np.array([[1.0], [3.0]]) + 0.1, DIRECTION[:2]

    def bent(a: Any) -> Any:
        return np.sum(adxform.hvp(singular_exponentials)(a, along) * TURN[:2])

    np.testing.assert_allclose(adxform.grad(bent)(at), _slopes(bent, at), rtol=1e-5, atol=1e-5)


def _entries(vectors: Any) -> Any:
    """A number that squares of the vectors' components tell, whatever their signs, with the first of `vectors` most of all."""
    return np.sum(vectors**2 * np.arange(1.0, 1.0 + vectors.size).reshape(vectors.shape)) + vectors[0, 0] * vectors[1, 0]


def top_vectors(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return (w[-1] + 2.0 * w[0]) * _entries(v[:, [0, -1]])


def top_left_vectors(a: Any) -> Any:
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return s[0] * _entries(u[:, :2])


def top_right_vectors(a: Any) -> Any:
    _, s, v = np.linalg.svd(a, full_matrices=False)
    return s[0] * _entries(v[:2].T)


def top_pairs(a: Any) -> Any:
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return np.sum((u[:, :2] * s[:2] ** 2) @ v[:2] * np.cos(np.arange(a.size).reshape(a.shape)))


def top_pairs_of_symmetric(a: Any) -> Any:
    u, s, v = np.linalg.svd(a, hermitian=True)
    return np.sum((u[:, :2] * s[:2] ** 2) @ v[:2] * np.cos(np.arange(a.size).reshape(a.shape)))


def _of_rank_two(rows: int, columns: int) -> Any:
    one, other = np.cos(np.arange(1.0, 1.0 + rows)), np.sin(np.arange(1.0, 1.0 + rows) ** 2)
    return 3.0 * np.outer(one, np.cos(np.arange(1.0, 1.0 + columns))) + np.outer(
        other, np.sin(np.arange(1.0, 1.0 + columns) ** 2)
    )


def _symmetric(rows: int) -> Any:
    """Of rank two as well, and of both signs."""
    columns = _of_rank_two(rows, 2)
    return (columns * [1.0, -2.0]) @ columns.T


@pytest.mark.parametrize("order", ORDERS)
def test_vectors_beside_equal_eigenvalues(order: str) -> None:
    """The ends of the spectrum of a matrix of low rank: the eigenvalues between are equal, and their vectors go into nothing."""
    at, along = _symmetric(5) + 0.5 * np.eye(5), np.tril(np.sin(np.arange(25.0).reshape(5, 5)))
    found = product(top_vectors, order, at, along)
    np.testing.assert_allclose(found, differences(top_vectors, at, along), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", [top_left_vectors, top_right_vectors, top_pairs])
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (5, 4), (3, 3), (2, 4), (4, 2)])
def test_vectors_beside_singular_values_of_zero(f: Any, shape: tuple[int, int], order: str) -> None:
    at, along = _of_rank_two(*shape), np.sin(np.arange(float(np.prod(shape)))).reshape(shape)
    np.testing.assert_allclose(product(f, order, at, along), differences(f, at, along), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("order", ORDERS)
def test_vectors_of_a_symmetric_matrix_beside_singular_values_of_zero(order: str) -> None:
    at, along = _symmetric(5), np.tril(np.sin(np.arange(25.0).reshape(5, 5)))
    found = product(top_pairs_of_symmetric, order, at, along)
    np.testing.assert_allclose(found, differences(top_pairs_of_symmetric, at, along), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("f", [top_vectors, top_left_vectors, top_right_vectors, top_pairs_of_symmetric])
def test_third_derivatives_of_vectors(f: Any) -> None:
    at = _symmetric(4) + np.diag([0.5, 0.75, 1.0, 2.0])
    along = np.tril(np.sin(np.arange(16.0).reshape(4, 4)))

    def bent(a: Any) -> Any:
        return np.sum(adxform.hvp(f)(a, along) * np.cos(np.arange(16.0).reshape(4, 4)))

    np.testing.assert_allclose(adxform.grad(bent)(at), _slopes(bent, at), rtol=1e-5, atol=1e-4)
