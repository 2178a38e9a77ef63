"""Loops of a known number of iterations that fill lists: written out they would take long to derive, so arrays hold the lists.

What can be told of a list whose items are known one by one, and not of an array, is as it was: such a loop is written out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge


def rates(y: Any, k: Any) -> Any:
    a, b = y
    return np.array([-k * a * b + 0.1 * b, k * a * b - 0.1 * b - 0.05 * b * b])


def steps_until_an_end(x: Any) -> Any:
    t, dt, y = 0.0, 0.5, x.copy()
    path, most = [y], y[1]
    while t < 30.0:
        k1 = rates(y, x[0])
        k2 = rates(y + dt / 2 * k1, x[0])
        k3 = rates(y + dt / 2 * k2, x[0])
        y = y + dt * (k1 + 2 * k2 + 3 * k3) / 6
        t += dt
        path.append(y)
        if y[1] > most:
            most = y[1]
    return most + np.trapezoid(np.asarray(path)[:, 1], dx=dt) + len(path) * path[-1][0] + path[3][1]


def tree_of_prices(x: Any) -> Any:
    n, spot = 12, float(x[1])
    up = math.exp(float(x[0]) * math.sqrt(1.0 / n))
    p = (1.05 - 1 / up) / (up - 1 / up)
    values = [max(1.1 - spot * up**j * (1 / up) ** (n - j), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        values = [
            max(0.99 * (p * values[j + 1] + (1 - p) * values[j]), 1.1 - spot * up**j * (1 / up) ** (i - j)) for j in range(i + 1)
        ]
    return values[0]


def tuples_of_a_path(x: Any) -> Any:
    a, v, log = x[0], x[1], []
    for _ in range(60):
        force = -np.sin(a) - 0.1 * v + 0.2 * np.cos(v) - 0.01 * a**2
        v = v + 0.1 * force
        a = a + 0.1 * v - 0.001 * a * v
        log.append((a, v * v / 2 - np.cos(a)))
    return sum(angle for angle, _ in log) + max(energy for _, energy in log) + log[-1][0] * log[5][1]


def left_when_close(x: Any) -> Any:
    y, errors = x[0], []
    for _ in range(100):
        new = y - (y**3 + x[1] * y - 1.0) / (3 * y**2 + x[1])
        errors.append(abs(new - y) + 0.1 * np.tanh(y) + np.sin(y) * np.cos(y))
        if abs(new - y) < 1e-12:
            break
        y = new
    return y + sum(errors) / len(errors)


def a_list_of_lists(x: Any) -> Any:
    rows = []
    for i in range(40):
        row = []
        for j in range(4):
            row.append(np.sin(x[0] * i) * np.cos(x[1] * j) + x[0] * x[1] / (1 + i + j))
        rows.append(row)
    return sum(rows[i][i % 4] for i in range(40)) + rows[-1][0]


HELD = (steps_until_an_end, tree_of_prices, tuples_of_a_path, left_when_close, a_list_of_lists)


def turned_around(x: Any) -> Any:
    a, v, log = x[0], x[1], []
    for _ in range(40):
        force = -np.sin(a) - 0.1 * v + 0.2 * np.cos(v) - 0.01 * a**2
        v = v + 0.1 * force
        a = a + 0.1 * v - 0.001 * a * v
        log.append((a, v * v / 2 - np.cos(a)))
    angles, energies = zip(*log, strict=True)
    return sum(angles) + max(energies)


def of_two_classes(x: Any) -> Any:
    items, y = [], float(x[0])
    for i in range(60):
        y = 0.9 * y + 0.1 * math.sin(y) - 0.01 * y * y * math.cos(y) + 0.001 * i
        items.append(y if i % 2 else x[1] * y)
    return items[1] if type(items[1]) is float and type(items[0]) is np.float64 else items[0] * 7.0


def whole_at_first(x: Any) -> Any:
    items = [0]
    for i in range(60):
        items.append(items[-1] * 0.9 + np.sin(x[0] * i) * np.cos(x[1] * i) + x[0] * x[1] / (1 + i))
    return items[-1] + (1.0 if isinstance(items[0], int) else 0.0) + 7 // (items[0] + 2)


def arrays_that_change(x: Any) -> Any:
    y, path = x.copy(), []
    for i in range(60):
        path.append(y)
        y[0] += 0.01 * np.sin(y[1]) * np.cos(y[0]) - 0.02 * y[0] * y[1] + 0.001 * i
        y[1] *= 0.99
    return path[0][0] + path[-1][1] * np.sum(path[7])


def kept_and_changed(x: Any) -> Any:
    path = []
    for i in range(60):
        path.append(np.array([np.sin(x[0] * i), np.cos(x[1] * i) * x[0], x[0] * x[1] / (1 + i), x[0] - 0.1 * i]))
    first = path[0]
    path[0][1] = x[1] ** 2
    first[2] += 3.0 * x[0]
    return np.sum(first) + np.sum(path[0] ** 2) + path[0][1]


def of_other_lengths(x: Any) -> Any:
    parts = []
    for i in range(1, 40):
        parts.append(np.sin(x[0] * np.arange(i)) * np.cos(x[1]) + x[0] * x[1] / (1 + i) - np.exp(-x[0] * i))
    return sum(np.sum(part) * len(part) for part in parts)


def told_by_identity(x: Any) -> Any:
    y, path = x * 1.0, []
    for i in range(60):
        path.append(y)
        if i % 3 == 0:
            y = y * 0.9 + 0.1 * np.sin(y) - 0.01 * y * y * np.cos(y) + 0.001 * x[::-1]
    return sum(1.0 for a, b in itertools.pairwise(path) if a is b) * x[0] + np.sum(path[-1])


def returned(x: Any) -> Any:
    path, y = [], x[0]
    for i in range(60):
        y = 0.9 * y + 0.1 * np.sin(y) - 0.01 * y * y * np.cos(y) + 0.001 * i * x[1]
        path.append(y)
    return path


def functions_beside(x: Any) -> Any:
    made, y = [], x[0]
    for i in range(40):
        y = 0.9 * y + 0.1 * np.sin(y) - 0.01 * y * y * np.cos(y) + 0.001 * i * x[1]
        made.append(lambda z, k=y: k * z)
    return made[0](x[1]) + made[-1](x[0]) ** 2


def errors_of_empty_and_far(x: Any) -> Any:
    path, y = [], x[0]
    for i in range(60):
        y = 0.9 * y + 0.1 * np.sin(y) - 0.01 * y * y * np.cos(y) + 0.001 * i * x[1]
        path.append(y)
    return path[60]


def popped(x: Any) -> Any:
    stack, y = [x[1]], x[0]
    for i in range(60):
        y = 0.9 * y + 0.1 * np.sin(y) - 0.01 * y * y * np.cos(y) + 0.001 * i * stack[-1]
        stack.append(y)
        if i % 4 == 3:
            y += stack.pop() * stack.pop(0)
    return sum(stack) + len(stack) * stack[2]


KEPT = (
    *(turned_around, of_two_classes, whole_at_first, arrays_that_change, kept_and_changed, of_other_lengths),
    *(told_by_identity, returned, functions_beside, errors_of_empty_and_far, popped),
)


@pytest.mark.parametrize("program", [*HELD, *KEPT], ids=lambda program: program.__name__)
@pytest.mark.parametrize("x", [[0.6, 1.3], [1.1, 0.4]], ids=str)
def test_a_program_is_right(program: Callable[..., Any], x: list[float]) -> None:
    verdict = judge(Cell(program.__name__, program, (np.array(x),)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("program", HELD, ids=lambda program: program.__name__)
def test_what_is_held_in_arrays_is_not_written_out(program: Callable[..., Any]) -> None:
    assert str(adxform.source(program, np.array([0.6, 1.3]))).count("\n") < 400
