"""Classes whose `__new__` keeps what it has made: before there is one, when there is one, and after it has been changed."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import GlobalMutationError, UnsupportedOperationError

X = np.array([0.3, 0.7])


class Settings:
    made: Any = None

    def __new__(cls) -> Any:
        if cls.made is None:
            cls.made = super().__new__(cls)
            cls.made.rate, cls.made.weights = 2.0, [1.0, 2.0]
        return cls.made


class Unit:
    table: dict[str, Any] = {}  # noqa: RUF012

    def __new__(cls, name: str, factor: Any = 1.5) -> Any:
        if name not in cls.table:
            cls.table[name] = object.__new__(cls)
            cls.table[name].factor = factor
        return cls.table[name]


def by_settings(x: Any) -> Any:
    return Settings().rate * x[0] ** 2 + Settings().weights[0] * x[1] ** 2


def by_unit(x: Any) -> Any:
    return Unit("m").factor * x[0] ** 2


def test_the_first_call_makes_it_and_later_ones_see_what_it_has_become() -> None:
    Settings.made = None
    np.testing.assert_allclose(adxform.grad(by_settings)(X), [4 * X[0], 2 * X[1]])
    for rate, weight in ((2.0, 1.0), (5.0, 1.0), (5.0, 7.0)):
        Settings().rate, Settings().weights[0] = rate, weight
        np.testing.assert_allclose(adxform.grad(by_settings)(X), [2 * rate * X[0], 2 * weight * X[1]])
    Settings.made = None
    np.testing.assert_allclose(adxform.grad(by_settings)(X), [4 * X[0], 2 * X[1]])


def test_one_of_a_table() -> None:
    Unit.table.clear()
    np.testing.assert_allclose(adxform.grad(by_unit)(X), [3 * X[0], 0.0])
    Unit("m").factor = 4.0
    np.testing.assert_allclose(adxform.grad(by_unit)(X), [8 * X[0], 0.0])


def test_one_that_keeps_what_moves_is_refused() -> None:
    def kept(x: Any) -> Any:
        Unit.table.clear()
        Unit("m", x[0])
        return sum(unit.factor for unit in Unit.table.values()) ** 2

    with pytest.raises(GlobalMutationError, match="kept outside"):
        adxform.grad(kept)(X)


class Starts:
    def __new__(cls, x: Any) -> Any:
        begun = object.__new__(cls)
        begun.x = x
        return begun


def test_copies_of_what_new_begins_are_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="`__new__`, which says how it is copied"):
        adxform.grad(lambda x: copy.copy(Starts(x[0])).x)(X)
