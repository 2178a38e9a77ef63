"""Sets of whole numbers, texts and tuples of those that only the run knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives

POINTS = np.array([0.31, 1.22, -0.63, 0.84]), np.array([3.31, -1.22, 0.63, -0.24])
FOLLOWED: list[Callable[..., Any]] = []
"""Programs whose sets the run has, at points that take different paths."""


@FOLLOWED.append
def a_cycle_is_found(x):
    visited, k, total = set(), 0, 0.0
    while k not in visited:
        visited.add(k)
        total += x[k] ** 2
        k = int(abs(x[k]) * 3) % len(x)
    return total / len(visited)


@FOLLOWED.append
def cells_that_are_occupied(x):
    occupied = {int(v / 0.5) for v in x}
    total = 0.0
    for v in x:
        k = int(v / 0.5)
        total += v * 2 if k + 1 in occupied or k - 1 in occupied else v**2
    return total * len(occupied)


@FOLLOWED.append
def pairs_of_whole_numbers(x):
    seen = set()
    pos = [0, 0]
    energy = 0.0
    for v in x:
        if v > 0:
            pos[0] += 1
        else:
            pos[1] += 1
        cell = (int(abs(v) * 2), pos[0])
        if cell in seen:
            continue
        seen.add(cell)
        energy += v * v
    return energy + sum(i + j for i, j in seen) * x[0]


@FOLLOWED.append
def walked_over_and_put_in_order(x):
    s = set()
    for v in x:
        s.add(int(v * 4))
    out = 0.0
    for k in s:
        out = out * 0.5 + k * x[0]
    for k in sorted(s):
        out = out * 0.5 + k * x[1]
    return out + max(s) * x[2] + min(s) * len(s)


@FOLLOWED.append
def unions_and_differences(x):
    pos = {k for k in range(len(x)) if x[k] > 0}
    big = {k for k in range(len(x)) if abs(x[k]) > 1}
    both = pos & big
    either = pos | big
    only = either - both
    y = sum(x[k] ** 2 for k in sorted(either)) + len(only) * x[0]
    if both <= pos and pos.issuperset(big):
        y = y * 2
    return y


@FOLLOWED.append
def filled_from_a_start(x):
    n = len(x)
    start = int(np.argmax(x))
    todo, done = [start], set()
    total = 0.0
    while todo:
        k = todo.pop()
        if k in done or k < 0 or k >= n:
            continue
        done.add(k)
        total += x[k] * (1 + len(done))
        if x[k] > 0:
            todo.append(k - 1)
            todo.append(k + 1)
    return total


@FOLLOWED.append
def texts(x):
    names = set()
    for v in x:
        names.add("pos" if v > 0 else "neg")
        if abs(v) > 1:
            names.add("large")
    return np.sum(x**2) * len(names) + ("neg" in names) * x[0]


@FOLLOWED.append
def elements_taken_out(x):
    left = set(range(4))
    total = 0.0
    while left:
        k = max(left, key=lambda j: x[j])
        left.remove(k)
        total = total * 0.7 + x[k]
        left.discard(int(abs(x[k]) * 2))
    return total


@FOLLOWED.append
def made_of_a_list(x):
    idx = [int(abs(v) * 2) for v in x]
    u = sorted(set(idx))
    return sum(x[0] * k + x[1] for k in u) + len(u)


@FOLLOWED.append
def updated_and_cleared(x):
    s = {0}
    for v in x:
        s.update([int(v * 2), 1])
    t = set(s)
    s.clear()
    return len(t) * np.sum(x**2) + len(s)


@FOLLOWED.append
def asked_in_a_loop_that_adds(x):
    active = set()
    y = x[0]
    for i in range(4):
        if x[i] > 0:
            active.add(i)
        if active:
            y = y * x[i] + len(active)
    return y


@FOLLOWED.append
def numbers_of_numpy(x):
    order = np.argsort(x)
    chosen = set()
    for k in order:
        if len(chosen) < 2 or x[k] > 1:
            chosen.add(k)
    return sum(x[k] ** 2 for k in sorted(chosen))


@pytest.mark.parametrize("x", POINTS, ids=["first", "second"])
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_sets_have_what_python_puts_in_them(program: Callable[..., Any], x: Any) -> None:
    records = check_derivatives(program, x.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def changed_while_walked_over(x: Any) -> Any:
    s = {int(abs(v) * 3) for v in x}
    for k in s:
        s.add(k + 1)
    return len(s) * x[0]


def of_floats(x: Any) -> Any:
    s = set()
    for v in x:
        s.add(v)
    return sum(s)


def of_several_kinds(x: Any) -> Any:
    s = set()
    for k, v in enumerate(x):
        s.add(int(abs(v)))
        s.add((k, int(abs(v))))
    return len(s) * x[0]


def of_numbers_of_two_classes(x: Any) -> Any:
    s = set()
    while len(s) < 2:
        s.add(int(abs(x[0])))
        s.add(np.argmax(x) + 10)
    return max(s) * x[0]


def changed_while_counted(x: Any) -> Any:
    s, total = {int(v * 3) for v in x}, 0.0
    for place, k in enumerate(s):
        s.discard(k)
        total += place * x[0]
    return total


def changed_by_what_is_mapped(x: Any) -> Any:
    s = {int(v * 3) for v in x}

    def added(k):
        s.add(k + 100)
        return k

    return sum(map(added, s)) * x[0]


@pytest.mark.parametrize(
    "program",
    [
        changed_while_walked_over,
        changed_while_counted,
        changed_by_what_is_mapped,
        of_floats,
        of_several_kinds,
        of_numbers_of_two_classes,
    ],
)
def test_what_cannot_be_told_of_a_set_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedOperationError) as caught:
        adxform.grad(program)(POINTS[0])
    assert caught.value.span.line > 0


def test_the_order_is_that_of_python() -> None:
    def walked(x):
        s, out = set(), 0.0
        for v in x:
            s.add(int(v * 1000) % 97 - 40)
        for place, k in enumerate(s):
            out += k * place * x[0]
        return out

    rng = np.random.default_rng(3)
    for _ in range(5):
        x = rng.normal(size=12)
        assert adxform.value_and_grad(walked)(x)[0] == walked(x)
