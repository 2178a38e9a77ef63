"""Exceptions of the program's own classes that are given arrays: raised, caught, and on paths that are not taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from tests.tables.cell import Cell, judge

VALUES = np.array([0.7, 0.3, 1.1])


class NotConverged(Exception):
    def __init__(self, message: str, residual: Any, *, steps: int = 0) -> None:
        super().__init__(message)
        self.residual, self.steps = residual, steps


class OutOfRange(ValueError):
    pass


class Halving(Exception):
    """One whose constructor changes what it is given."""

    def __init__(self, x: Any) -> None:
        x[0] *= 0.5
        super().__init__("halved")


def on_paths_that_are_not_taken(x: Any) -> Any:
    residual = x * x
    if residual.sum() > 10.0:
        text = f"residual {residual}"
        text += f" after {len(x)} steps"
        raise NotConverged(text, residual, steps=3)
    if x[0] < 0.0:
        raise OutOfRange("below zero", x)
    return (residual * x).sum()


def caught(x: Any) -> Any:
    for _ in range(4):
        try:
            if (x * x).sum() > 1.0:
                raise NotConverged("too large", x)
            return (x**3).sum()
        except NotConverged:
            x = x * 0.8
    return x.sum()


def raised(x: Any) -> Any:
    y = x * x
    if y[0] > 0.1:
        raise NotConverged("too large", y, steps=2)
    return y.sum()


@pytest.mark.parametrize("program", [on_paths_that_are_not_taken, caught], ids=lambda one: one.__name__)
def test_arrays_may_be_given(program: Callable[..., Any]) -> None:
    verdict = judge(Cell(program.__name__, program, (VALUES,)))
    assert verdict.kind == "right", verdict.reason


def test_the_caller_gets_them() -> None:
    with pytest.raises(NotConverged, match="too large") as caught_here:
        adxform.grad(raised)(VALUES)
    np.testing.assert_array_equal(caught_here.value.residual, VALUES * VALUES)
    assert caught_here.value.steps == 2


class ByProperty(Exception):
    def __init__(self, x: Any) -> None:
        self.kept = x

    @property
    def kept(self) -> Any:
        return self.x

    @kept.setter
    def kept(self, x: Any) -> None:
        x[0] *= 0.5
        self.x = x


class BySetattr(Exception):
    def __init__(self, x: Any) -> None:
        self.kept = x

    def __setattr__(self, name: str, x: Any) -> None:
        x[0] *= 0.5


class InComprehension(Exception):
    def __init__(self, x: Any) -> None:
        super().__init__([x.fill(0.5) for _ in range(1)])


class InLambda(Exception):
    def __init__(self, x: Any) -> None:
        (lambda: x.fill(0.5))()


class ByDefault(Exception):
    def __init__(self, x: Any, arrange: Any = np.ndarray.sort) -> None:
        arrange(x)


class Halves(type):
    def __call__(cls, x: Any) -> Any:
        x[0] *= 0.5
        return super().__call__(x)


class ByMetaclass(Exception, metaclass=Halves):
    pass


class KeptByClass(Exception):
    last: Any = None

    def __init__(self, x: Any) -> None:
        self.__class__.last = x


@pytest.mark.parametrize(
    "cls",
    [Halving, ByProperty, BySetattr, InComprehension, InLambda, ByDefault, ByMetaclass, KeptByClass],
    ids=lambda cls: cls.__name__,
)
def test_one_that_changes_them_or_keeps_them_elsewhere_is_refused(cls: Any) -> None:
    def caught_here(x: Any) -> Any:
        y = x * 1.0
        try:
            if y[1] > 0.1:
                raise cls(y)
        except cls:
            pass
        return (y * y).sum()

    with pytest.raises(MissingRuleError, match=cls.__name__):
        adxform.grad(caught_here)(VALUES)


class Described(ValueError):
    """One that makes a text of what it is given, by what it has kept."""

    def __init__(self, x: Any, unit: str = "m") -> None:
        self.x, self.size = x, len(x)
        ValueError.__init__(self, f"{self.size} values in {unit}: " + ", ".join([f"{one:.2f}" for one in x]))


def test_one_that_describes_them_may_be_given_them() -> None:
    def described(x: Any) -> Any:
        y = x * 1.0
        try:
            if y[1] > 0.1:
                raise Described(y)
        except ValueError:
            y = y * x[0]
        return (y * y).sum()

    verdict = judge(Cell("described", described, (VALUES,)))
    assert verdict.kind == "right", verdict.reason


def test_what_a_handler_does_with_them_is_refused() -> None:
    def written(x: Any) -> Any:
        y = x * 1.0
        try:
            if y[1] > 0.1:
                raise NotConverged("no", y)
        except NotConverged as error:
            error.residual[0] = 5.0
        return (y * y).sum()

    with pytest.raises(MissingRuleError):
        adxform.grad(written)(VALUES)
