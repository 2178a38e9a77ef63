"""Nested functions that call one another in turn, and objects that hold themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives

X = np.array([0.35, 0.95, -0.45, 1.25])


def evaluates_a_tree(x):
    tree = ("+", ("*", 0, 1), ("-", 2, ("*", 3, 3)))

    def value(node):
        return x[node] if isinstance(node, int) else applied(node[0], node[1:])

    def applied(op, args):
        if op == "+":
            return value(args[0]) + value(args[1])
        if op == "-":
            return value(args[0]) - value(args[1])
        return value(args[0]) * value(args[1])

    return value(tree)


def three_in_turn(x):
    def term(i):
        return x[3] if i >= 3 else x[i] * factor(i + 1)

    def factor(i):
        return expression(i) + 1.0

    def expression(i):
        return term(i)

    return expression(0)


class Model:
    """An object that holds one of its methods."""

    def __init__(self, k: Any) -> None:
        self.k = k
        self.step = self.euler
        self.curve = np.vectorize(self.euler)

    def euler(self, v: Any) -> Any:
        """One step."""
        return v + 0.1 * self.k * v


def holds_its_method(x):
    model = Model(x[1])
    return np.sum(model.step(x) * model.curve(x))


class Node:
    """A node of a ring."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.next: Any = None


def walks_a_ring(x):
    a, b = Node(x[0]), Node(x[1])
    a.next, b.next = b, a

    def walk(node, k):
        return node.value * walk(node.next, k - 1) + x[2] if k else 1.0

    return walk(a, 5)


@pytest.mark.parametrize("function", [evaluates_a_tree, three_in_turn, holds_its_method, walks_a_ring])
def test_it_is_followed(function: Callable[..., Any]) -> None:
    records = check_derivatives(function, X.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def test_a_depth_that_only_a_run_can_tell_is_refused() -> None:
    def f(x: Any) -> Any:
        def even(t: Any) -> Any:
            return t if t < 0.1 else odd(t * 0.5) + x[0]

        def odd(t: Any) -> Any:
            return t * t if t < 0.1 else even(t * 0.7) * x[1]

        return even(x[3])

    with pytest.raises(UnsupportedOperationError, match="too deeply"):
        adxform.grad(f)(X)
