"""Items of lists that only a run counts, and values that may be ``None``: identity and classes are Python's, or refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.tables.cell import Cell, judge


def one_array_many_times(x: Any) -> list[Any]:
    path, y = [], x * 1.0
    for i in range(len(x)):
        path.append(y)
        if i % 3 == 0:
            y = y * 0.9
    return path


def neighbours(x: Any) -> Any:
    path = one_array_many_times(x)
    return sum(1.0 for a, b in itertools.pairwise(path) if a is b) * x[0] + np.sum(path[-1])


def the_one_before(x: Any) -> Any:
    s, before = 0.0, None
    for a in one_array_many_times(x):
        if a is before:
            s += x[0]
        before = a
    return s * x[1]


def not_the_one_before(x: Any) -> Any:
    s, before = 0.0, None
    for a in one_array_many_times(x):
        if before is not None and before is not a:
            s += x[0] * a[0]
        before = a
    return s * x[1]


def nothing_or_the_argument(x: Any) -> Any:
    s, before = 0.0, None
    for k in range(len(x)):
        a = np.sin(x) if k % 2 else x
        if before is x:
            s += x[0] * a[1]
        before = a
    return s


def nothing_or_another(x: Any) -> Any:
    s, before = 1.0, None
    for k in range(len(x)):
        a = x * k if k % 2 else x
        if a is not before:
            s = s * x[k] + 0.1
        before = a
    return s


def of_pythons_class(x: Any) -> Any:
    items = []
    for i in range(len(x)):
        items.append(float(x[i]) if i % 2 else x[i] * 2)
    return items[0] * 7.0 if type(items[1]) is float else items[0]


def of_numpys_class(x: Any) -> Any:
    items = [0.5, *x]
    return items[1] * (2.0 if isinstance(items[0], np.floating) else 1.0)


def numbers_alone(x: Any) -> Any:
    items = [0.5, *x, 1.5]
    return sum((items[i + 1] - items[i]) ** 2 / items[i] for i in range(len(items) - 1)) + max(items) * items[0]


PROGRAMS = (
    *(neighbours, the_one_before, not_the_one_before, nothing_or_the_argument, nothing_or_another),
    *(of_pythons_class, of_numpys_class, numbers_alone),
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("length", [2, 5, 40])
def test_a_program_is_right_or_refused(program: Callable[..., Any], length: int) -> None:
    verdict = judge(Cell(program.__name__, program, (np.linspace(0.4, 1.7, length),)))
    refused = "whether these are one object cannot be told|class"
    assert verdict.kind == "right" or (verdict.kind == "refused" and any(part in verdict.reason for part in refused.split("|")))


@pytest.mark.parametrize("program", [nothing_or_the_argument, nothing_or_another, numbers_alone], ids=lambda p: p.__name__)
def test_what_the_run_can_tell_is_right(program: Callable[..., Any]) -> None:
    verdict = judge(Cell(program.__name__, program, (np.linspace(0.4, 1.7, 6),)))
    assert verdict.kind == "right", verdict.reason
