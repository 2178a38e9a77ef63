"""Functions that write into an array, with rules that say so, and programs that call them: importable by another process."""

from __future__ import annotations

from typing import Any

import numpy as np

import adxform


def multiply_into(C: Any, A: Any, B: Any) -> None:
    """``C[...] = A @ B``, by code that adxform does not look into."""
    np.matmul(A, B, out=C)


@adxform.rule(multiply_into, writes=(0,))
def multiply_into_rule(C: Any, A: Any, B: Any) -> Any:
    def pullback(C_ct: Any) -> Any:
        return None, C_ct @ B.T, A.T @ C_ct

    return A @ B, pullback


def rotate_into(x: Any, y: Any, angle: Any) -> None:
    """Two arrays are written, each from both."""
    x[...], y[...] = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y


@adxform.rule(rotate_into, writes=(0, 1))
def rotate_into_rule(x: Any, y: Any, angle: Any) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    u, v = c * x - s * y, s * x + c * y

    def pullback(u_ct: Any, v_ct: Any) -> Any:
        return c * u_ct + s * v_ct, c * v_ct - s * u_ct, np.sum(v_ct * u - u_ct * v)

    return (u, v), pullback


def once(C: Any, A: Any, B: Any) -> Any:
    before = np.sum(C * C)
    multiply_into(C, A, B)
    return before + np.sum(C**3)


def looped(C: Any, A: Any, B: Any) -> Any:
    total = 0.0
    for k in range(4):
        total += np.sum(C * C)
        multiply_into(C, A, B)
        B *= 0.5
        B[:1] += C[:1] * (k + 1.0)
        total += np.sum(C**3)
    return total


def searching(C: Any, A: Any, B: Any) -> Any:
    k = 0
    while np.sum(C * C) > 0.5 and k < 6:
        multiply_into(C, A, B)
        B *= 0.6
        k += 1
    return np.sum(C**3) + np.sum(A * A)


def growing(C: Any, A: Any, B: Any) -> Any:
    """The same call site with growing sizes, then with shrinking ones."""
    total = 0.0
    for k in range(1, C.shape[0] + 1):
        multiply_into(C[:k], A[:k], B)
        total += np.sum(C**2)
    for k in range(C.shape[0], 0, -1):
        multiply_into(C[:k], A[:k] * A[:k], B)
        total += np.sum(C**3)
    return total


def recursive(C: Any, A: Any, B: Any) -> Any:
    return descend(C, A, B, 3)


def descend(C: Any, A: Any, B: Any, depth: int) -> Any:
    multiply_into(C, A, B)
    here = np.sum(C**2)
    if depth == 0:
        return here
    return here + descend(C, A * 0.5 + 0.1 * A**2, B, depth - 1) * 0.5 + np.sum(C)


def rotated(C: Any, A: Any, B: Any) -> Any:
    x, y = C[0].copy(), C[1].copy()
    for k in range(3):
        rotate_into(x, y, A[0, 0] + 0.1 * k)
        multiply_into(C, A, B)
        rotate_into(C[0], C[1], B[0, 0])
    return np.sum(x * y * y) + np.sum(C**3)


PROGRAMS = (once, looped, searching, growing, recursive, rotated)


def arguments(rows: int = 3, inner: int = 4, columns: int = 2, seed: int = 0) -> tuple[Any, Any, Any]:
    """`C`, `A` and `B` of these lengths."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.normal(size=(rows, inner)), rng.normal(size=(inner, columns))
