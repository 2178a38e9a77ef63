"""Functions whose rules are built for kinds of arguments, and programs that call them: importable by another process."""

from __future__ import annotations

from typing import Any

import numpy as np

import adxform


def quadrature(order: int) -> Any:
    """Nodes and weights."""
    return np.polynomial.legendre.leggauss(order)


def blend(x: Any, order: int) -> Any:
    """A quadrature of `order` nodes of ``exp(node * x)``, for each element of `x`."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return weights @ np.exp(np.outer(nodes, x))


@adxform.staged_rule(blend)
def blend_rule(x: Any, order: Any) -> Any:
    nodes, weights = quadrature(order.value)

    def rule(x: Any, order: Any) -> Any:
        values = np.exp(nodes[:, None] * x)

        def pullback(y_ct: Any) -> Any:
            return y_ct * ((weights * nodes) @ values), None

        return weights @ values, pullback

    return rule


def add_blend(out: Any, x: Any, order: int = 3) -> None:
    """``out += blend(x, order)``, in place."""
    out += blend(x, order)


@adxform.staged_rule(add_blend, writes=(0,), boundary=True)
def add_blend_rule(out: Any, x: Any, order: Any) -> Any:
    nodes, weights = quadrature(order.value)

    def rule(out: Any, x: Any, order: Any) -> Any:
        values = np.exp(nodes[:, None] * x)

        def pullback(out_ct: Any) -> Any:
            return out_ct, out_ct * ((weights * nodes) @ values), None

        return out + weights @ values, pullback

    return rule


def straight(x: Any) -> Any:
    return np.sum(blend(x * x, 5) * x) + np.sum(blend(x, 4))


def looped(x: Any) -> Any:
    y = x
    for _ in range(3):
        y = 0.2 * blend(0.3 * y * y, 5) + x
    return np.sum(y * blend(x, 4))


def in_place(x: Any) -> Any:
    y = x.copy()
    for k in range(1, x.shape[0] + 1):
        add_blend(y[:k], 0.3 * x[:k] * y[:k])
    add_blend(y, x, order=2)
    return np.sum(y**2)


PROGRAMS = (straight, looped, in_place)
