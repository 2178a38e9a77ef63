"""Context managers that change what is outside of the function: a mode of the module, or what an object counts.

What the body of the `with` and the code after it read is what they changed, whether an exception passes them or not; each
program is judged by plain calls, and the state is left as those leave it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge

X = np.array([0.3, 0.5, -0.2])
MODE = "plain"


class Counted:
    def __init__(self) -> None:
        self.depth = 0
        self.left = 0


COUNTED = Counted()


class Nested:
    def __init__(self, counted: Counted) -> None:
        self.counted = counted

    def __enter__(self) -> Nested:
        self.counted.depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        self.counted.depth -= 1
        self.counted.left += 1


def set_mode(mode: str) -> None:
    global MODE
    if mode not in ("plain", "shifted"):
        raise ValueError(mode)
    MODE = mode.lower()


class Mode:
    def __init__(self, mode: str | None = None) -> None:
        self._mode = MODE if mode is None else mode
        self._before = MODE

    def __enter__(self) -> Mode:
        set_mode(self._mode)
        return self

    def __exit__(self, *error: object) -> None:
        set_mode(self._before)


def quotient(a: Any, b: Any) -> Any:
    return a / (b + 2.0) if MODE == "shifted" else a / b


def counts_in_an_object(x: Any) -> Any:
    with Nested(COUNTED):
        y = x[0] * COUNTED.depth
        with Nested(COUNTED):
            y = y * x[1] + COUNTED.depth * x[2]
    return y * (3.0 + COUNTED.depth)


def another_mode(x: Any) -> Any:
    with Mode("shifted"):
        y = quotient(x[0], x[1])
        with Mode():
            y = y + quotient(x[1], x[2])
    return y * quotient(x[1], x[2])


def a_mode_in_a_loop(x: Any) -> Any:
    total = 0.0
    for v in x:
        with Mode("shifted" if v > 0.0 else "plain"):
            total = total + quotient(v, x[0])
    return total * quotient(x[1], x[2])


def a_mode_that_an_exception_ends(x: Any) -> Any:
    try:
        with Mode("shifted"):
            y = quotient(x[0], x[1])
            if x[1] > 1.0:
                raise ArithmeticError("too large")
    except ArithmeticError:
        y = x[0] * x[2]
    return y * quotient(x[1], x[2])


def a_mode_that_is_left_by_an_error(x: Any) -> Any:
    with Mode("shifted"):
        return np.sum(np.linalg.solve(np.outer(x, x), x)) * quotient(x[0], x[1])


class Temporary:
    """What it found it remembers when it is entered."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def __enter__(self) -> Temporary:
        global MODE
        self.before = MODE
        MODE = self.mode
        return self

    def __exit__(self, *error: object) -> None:
        global MODE
        MODE = self.before


class Failing(Temporary):
    def __enter__(self) -> Temporary:
        super().__enter__()
        raise ArithmeticError("not now")


def a_mode_that_is_remembered_when_entered(x: Any) -> Any:
    with Temporary("shifted"), Temporary("plain"):
        y = quotient(x[0], x[1])
        with Temporary("shifted") as inner:
            y = y + quotient(x[1], x[2])
    again = Temporary("shifted")
    for v in x:
        with again:
            y = y * quotient(v, x[1])
    return y * quotient(x[1], x[2]) * len(inner.before)


def an_exception_between_two_modes(x: Any) -> Any:
    with Temporary("shifted"):
        try:
            with Temporary("plain"):
                if x[0] > 0.1:
                    raise ArithmeticError
        except ArithmeticError:
            y = quotient(x[0], x[1])
        else:
            y = x[2]
    return y * quotient(x[1], x[2])


def a_mode_that_fails_when_entered(x: Any) -> Any:
    global MODE
    try:
        with Failing("shifted"):
            y = x[0]
    except ArithmeticError:
        y = quotient(x[1], x[0])
    MODE = "plain"
    return y * quotient(x[1], x[2])


class Recorder:
    def __init__(self, values: Any) -> None:
        self.values = values

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        print("left by", kind)


def a_list_in_what_prints_when_it_is_left(x: Any) -> Any:
    values = [x[0]]
    with Recorder(values):
        values.append(x[1] * x[1])
    return sum(values)


def a_number_in_what_prints_when_it_is_left(x: Any) -> Any:
    with Recorder(x[0]) as recorder:
        return recorder.values * x[1]


@pytest.mark.parametrize(
    ("program", "x"),
    [
        (a_list_in_what_prints_when_it_is_left, X),
        (a_number_in_what_prints_when_it_is_left, X),
        (counts_in_an_object, X),
        (another_mode, X),
        (a_mode_in_a_loop, X),
        (a_mode_that_an_exception_ends, X),
        (a_mode_that_an_exception_ends, 10.0 * X),
        (a_mode_that_is_left_by_an_error, X),
        (a_mode_that_is_remembered_when_entered, X),
        (an_exception_between_two_modes, X),
        (an_exception_between_two_modes, 0.1 * X),
        (a_mode_that_fails_when_entered, X),
    ],
)
def test_what_is_changed_is_read(program: Callable[..., Any], x: Any) -> None:
    verdict = judge(Cell(program.__name__, program, (x,)))
    assert verdict.kind == "right", verdict.reason
    assert (MODE, COUNTED.depth) == ("plain", 0)


def test_each_call_changes_it_once() -> None:
    gradient = adxform.grad(counts_in_an_object)
    for _ in range(3):
        before = COUNTED.left
        gradient(X)
        assert (COUNTED.left - before, COUNTED.depth) == (2, 0)


def test_an_error_leaves_the_mode_as_it_was() -> None:
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            adxform.grad(a_mode_that_is_left_by_an_error)(X)
        assert MODE == "plain"
