"""Promise: real and imaginary parts and sizes of eigenvalues of real matrices, and of roots, have their derivative.

The judge is that of the tables: value to the bit, both modes, differences and second order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge

P = np.array([1.3, 0.7, 0.4])

PROGRAMS: list[Callable[[Any], Any]] = []


def program(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(f)
    return f


def real(p: Any) -> Any:
    return np.array([[4.0 + p[0], p[1], 0.3], [p[2], 1.0, 0.2], [0.1, 0.3, -2.0]])


def spiral(p: Any) -> Any:
    return np.array([[-p[0], 2.0, 0.3], [-2 * p[2], -p[1], 0.2], [0.1, 0.3, -2.0]])


@program
def stability(p: Any) -> Any:
    return np.max(np.linalg.eigvals(real(p)).real) + np.max(np.linalg.eigvals(spiral(p)).real)


@program
def radius(p: Any) -> Any:
    return np.max(np.abs(np.linalg.eigvals(real(p)))) + max(abs(np.linalg.eigvals(spiral(p))))


@program
def frequency(p: Any) -> Any:
    w = np.linalg.eigvals(spiral(p))
    k = np.argmax(w.imag)
    return w[k].imag / abs(w[k]) + np.sum(np.real(w) ** 2) + np.imag(w)[k]


@program
def pairs(p: Any) -> Any:
    w, v = np.linalg.eig(real(p))
    k = np.argmax(w.real)
    x = np.real(v[:, k])
    return np.sum((x / np.sum(x)) ** 3) + w[k].real


@program
def turning_pairs(p: Any) -> Any:
    w, v = np.linalg.eig(spiral(p))
    k = np.argmax(w.imag)
    return np.sum(np.abs(v[:, k]) ** 3) + np.sum(v[:, k].real ** 3) + w[k].imag


@program
def stationary(p: Any) -> Any:
    q = np.exp(np.outer(p, p))
    P = q / q.sum(axis=1, keepdims=True)
    w, v = np.linalg.eig(P.T)
    pi = np.real(v[:, np.argmax(np.real(w))])
    pi = pi / pi.sum()
    return pi @ np.array([1.0, 2.0, 3.0])


@program
def roots(p: Any) -> Any:
    r = np.roots([1.0, -3.0 - p[0], p[1]])
    z = np.roots([1.0, p[0] * 0.2, p[1], 1.0])
    return np.max(r.real) + np.max(np.abs(z)) + np.sum(z.imag**2)


@program
def of_a_complex_matrix(p: Any) -> Any:
    w = np.linalg.eigvals(real(p) + 0j)
    return np.sum(np.abs(w) ** 2)


@program
def of_a_matrix_that_does_not_move(p: Any) -> Any:
    w = np.linalg.eigvals(np.array([[1.0, 2.0], [0.3, 1.0]]))
    return np.sum(w) * p[0]


@program
def stationary_shares(p: Any) -> Any:
    chances = np.abs(real(p)) / np.sum(np.abs(real(p)), axis=1, keepdims=True)
    w, v = np.linalg.eig(chances.T)
    nearest = np.real(v[:, np.argmin(np.abs(w - 1.0))])
    close = v[:, np.isclose(w, 1.0)][:, 0].real
    return nearest / nearest.sum() @ p + close / close.sum() @ p**2


@program
def put_together_again(p: Any) -> Any:
    w, v = np.linalg.eig(spiral(p))
    grown = v @ np.diag(np.exp(w)) @ np.linalg.inv(v)
    turned = np.dot(v * w, np.linalg.solve(v, spiral(p)))
    return np.sum(grown.real * np.arange(9.0).reshape(3, 3)) + np.sum(turned.real**2)


@program
def arithmetic_of_both_kinds(p: Any) -> Any:
    total = 0.0
    for matrix in (real(p), spiral(p)):
        w, v = np.linalg.eig(matrix)
        order = np.argsort(np.abs(w))[::-1]
        total = total + np.abs(2.0 * w[order[0]] - 1.0) + np.real(-w / 3.0 * w)[order[1]] + np.real(np.sum(w)) + np.prod(w).real
        total = total + np.sum(np.abs(v[:, order[2]]) ** 3)
    return total


@program
def quotients(p: Any) -> Any:
    total = 0.0
    for matrix in (real(p), spiral(p)):
        w, v = np.linalg.eig(matrix)
        total = total + np.sum(np.abs(v / v[0]) ** 2) + np.sum(np.abs(1.0 / w)) + np.sum(np.real(w / 3.0))
    return total


@program
def powers_and_conjugates(p: Any) -> Any:
    total = 0.0
    for matrix in (real(p), spiral(p)):
        w, v = np.linalg.eig(matrix)
        total = total + np.sum(w**2).real + np.sum(np.conj(w) * w).real + (w.conj() * w).sum().real + np.mean(w**3, axis=0).real
        total = total + np.sum((1.0 / (1.0 + np.square(w))).real) + np.sum((2.0**w).real) + np.sum(np.abs(np.cos(w)))
        total = total + np.sum(np.abs(v.conj().T @ v) ** 2) + np.sum(np.power(w, -1).real)
    return total


@program
def roots_and_logarithms(p: Any) -> Any:
    w, v = np.linalg.eig(real(p) + 4.0 * np.eye(3))
    half = (v @ np.diag(np.sqrt(w)) @ np.linalg.inv(v)).real
    return np.sum(half * np.arange(9.0).reshape(3, 3)) + np.sum(np.log(w).real) + np.sum((w**1.5).real)


@program
def roots_of_complex_ones(p: Any) -> Any:
    w = np.linalg.eigvals(spiral(p))
    return np.sum(np.abs(np.sqrt(w + 0j) + w**2)) + np.sum(np.real(np.roots(p) ** 2))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Callable[[Any], Any]) -> None:
    found = judge(Cell(f.__name__, f, (P,)))
    assert (found.kind, found.reason) == ("right", "")


@pytest.mark.parametrize(
    "f",
    [
        lambda p: np.linalg.eigvals(real(p))[0] * p[0],
        lambda p: np.sum(np.linalg.eigvals(real(p)) ** 2),
        lambda p: np.sort(np.linalg.eigvals(real(p)))[0].real * p[0],
        lambda p: np.roots(p)[0] * p[0],
    ],
)
def test_what_differs_for_real_and_complex_ones_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(adxform.AdxError, match="real or complex"):
        adxform.grad(f)(P)


def test_a_root_of_a_negative_eigenvalue_moves_nothing_that_is_known() -> None:
    def f(p: Any) -> Any:
        return np.sum(np.sqrt(np.linalg.eigvals(np.diag(-np.abs(p)))).real)

    with np.errstate(invalid="ignore"):
        assert np.isnan(f(P))
        assert np.isnan(adxform.grad(f)(P)).all()


def test_a_number_out_of_a_list_of_what_may_be_real_or_complex_is_refused_in_both_modes() -> None:
    def f(p: Any) -> Any:
        w = np.linalg.eigvals(real(p))
        return np.sum([abs(one) ** 2 for one in w])

    for derivative in (lambda: adxform.grad(f)(P), lambda: adxform.jvp(f, (P,), (P,)), lambda: adxform.vjp(f, P)):
        with pytest.raises(adxform.AdxError):
            derivative()


def test_a_polynomial_without_a_first_coefficient_raises() -> None:
    with pytest.raises(adxform.AdxError, match="first and last not zero"):
        adxform.grad(lambda p: np.max(np.roots(p).real))(np.array([0.0, 1.0, 2.0]))


def _set(p: Any) -> Any:
    w = np.linalg.eigvals(real(p))
    w[0] = 2.0 * w[0]
    return np.sum(np.abs(w))


def _sorted(p: Any) -> Any:
    w = np.linalg.eigvals(real(p))
    w.sort()
    return np.abs(w[0])


def _multiplied(p: Any) -> Any:
    w = np.linalg.eigvals(real(p))
    u = w
    u *= 2.0
    return np.sum(np.abs(w))


def _filled(p: Any) -> Any:
    v = np.linalg.eig(real(p))[1]
    np.fill_diagonal(v, 1.0)
    return np.sum(np.abs(v))


def _seen(p: Any) -> Any:
    v = np.linalg.eig(real(p))[1]
    column = v.T[0]
    column[:] = 1.0
    return np.sum(np.abs(v))


def _copied(p: Any) -> Any:
    w = np.roots(p)
    np.copyto(w, 1.0)
    return np.sum(np.abs(w))


def _shuffled(p: Any) -> Any:
    w = np.linalg.eigvals(real(p))
    np.random.default_rng(0).shuffle(w)
    return np.abs(w[0])


def _of_a_product(p: Any) -> Any:
    w = np.exp(2.0 * np.linalg.eigvals(real(p)))
    w[np.abs(w) < 1.0] = 0.0
    return np.sum(np.abs(w))


def _of_one_of_two(p: Any) -> Any:
    w, other = np.linalg.eigvals(real(p)), np.linalg.eigvals(spiral(p))
    one = w if p[0] > 0.0 else other
    one[0] = 0.0
    return np.sum(np.abs(w))


@pytest.mark.parametrize(
    "f", [_set, _sorted, _multiplied, _filled, _seen, _copied, _shuffled, _of_a_product, _of_one_of_two], ids=lambda f: f.__name__
)
def test_what_is_changed_where_it_is_is_refused(f: Callable[[Any], Any]) -> None:
    verdict = judge(Cell(f.__name__, f, (P,)))
    assert verdict.kind == "refused", verdict.reason
    assert "are changed where they are" in verdict.reason
