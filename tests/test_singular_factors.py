"""Factors of matrices that are singular: singular vectors have derivatives where they are determined, and NaN where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge

CLOUD = np.array([[1.0, 0.2, 0.0], [-0.5, 1.1, 0.0], [0.3, -0.9, 0.0], [1.7, 0.8, 0.0], [-1.2, -0.4, 0.0]])
TARGET = np.array([[0.9, 0.4, 0.0], [-0.8, 1.3, 0.0], [0.1, -1.0, 0.0], [1.2, 1.1, 0.0], [-1.0, -0.9, 0.0]])
TURN = np.linalg.qr(np.array([[1.0, 0.3, -0.2], [0.4, -1.0, 0.9], [0.5, 0.1, 1.3]]))[0]
OUTER = np.outer([1.0, 2.0, 3.0], [2.0, -1.0, 1.0])


def aligned(points: Any) -> Any:
    """How far a cloud of points is from another once it is turned as near to it as can be (Kabsch's algorithm)."""
    moved = points - np.mean(points, axis=0)
    other = TARGET - np.mean(TARGET, axis=0)
    u, _, v = np.linalg.svd(moved.T @ other)
    turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))]) @ v
    return np.sum((moved @ turn - other) ** 2)


def first_pair(a: Any) -> Any:
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return np.sum(u[:, 0] ** 3) * v[0, 1] ** 2 + s[0]


def last_pair(a: Any) -> Any:
    u, _, v = np.linalg.svd(a)
    return u[0, 1] ** 2 * v[1, 0] ** 2 + u[1, 1] ** 4


def differences(f: Any, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    moved = [step * unit.reshape(x.shape) for unit in np.eye(x.size)]
    return np.array([(f(x + by) - f(x - by)) / (2.0 * step) for by in moved]).reshape(x.shape)


@pytest.mark.parametrize("turned", [False, True])
def test_points_in_a_plane_are_aligned(turned: bool) -> None:
    at = CLOUD @ TURN + 0.3 if turned else CLOUD
    gradient = adxform.grad(aligned)(at)
    np.testing.assert_allclose(gradient, differences(aligned, at), rtol=0, atol=1e-7)
    tangents = [adxform.jvp(aligned, (at,), (unit.reshape(at.shape),))[1] for unit in np.eye(at.size)]
    np.testing.assert_allclose(np.reshape(tangents, at.shape), gradient, rtol=0, atol=1e-12)


@pytest.mark.parametrize("at", [np.full((2, 2), 2.0), np.array([[1.0, 2.0], [2.0, 4.0]]), np.diag([3.0, 0.0])])
def test_both_pairs_of_vectors_of_a_singular_square_matrix(at: np.ndarray) -> None:
    verdict = judge(Cell("last_pair", last_pair, (at,), orders=1))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("at", [OUTER, OUTER[:, :2], OUTER[:2]])
def test_a_pair_of_vectors_beside_values_of_zero(at: np.ndarray) -> None:
    verdict = judge(Cell("first_pair", first_pair, (at,), orders=1))
    assert verdict.kind == "right", verdict.reason


def test_vectors_of_zeros_that_several_could_be_have_no_number() -> None:
    assert np.all(np.isnan(adxform.grad(lambda a: np.linalg.svd(a, full_matrices=False)[0][0, 1])(OUTER[:, :2])))


@pytest.mark.parametrize("at", [np.full((2, 2), 2.0), OUTER, OUTER[:, :2], OUTER[:2]])
@pytest.mark.parametrize("factor", [0, 1])
def test_factors_of_dependent_columns_have_no_number(at: np.ndarray, factor: int) -> None:
    def total(a: Any) -> Any:
        return np.sum(np.linalg.qr(a)[factor])

    assert np.all(np.isnan(adxform.grad(total)(at)[:, : min(at.shape)]))
    assert np.isnan(adxform.jvp(total, (at,), (np.ones_like(at),))[1])


def test_factors_of_independent_columns_beside_others() -> None:
    at = np.array([[2.0, 1.0, 3.0], [1.0, -1.0, 0.0]])
    verdict = judge(Cell("qr", lambda a: np.sum(np.linalg.qr(a)[0] ** 3) + np.sum(np.linalg.qr(a)[1] ** 2), (at,)))
    assert verdict.kind == "right", verdict.reason
