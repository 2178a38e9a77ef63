"""Objects of a module that are one by two names at one call, and two at the next: each call is told which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import adxform


class Law:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.last = 1.0


class Held:
    def __init__(self) -> None:
        self.law = Law(2.0)


FIRST, SECOND = Held(), Held()


def chosen(x):
    law = FIRST.law if x > 0 else SECOND.law
    return law.rate * x


def compared(x):
    return x * (2.0 if FIRST.law is SECOND.law else 3.0)


def chosen_and_compared(x):
    law = FIRST.law if x > 0 else SECOND.law
    return law.rate * x * (2.0 if law is FIRST.law else 3.0)


def set_by_one_name(x):
    FIRST.law.last = x * 2.0
    return x * SECOND.law.last


def set_where_chosen(x):
    law = FIRST.law if x > 0 else SECOND.law
    law.last = x * 2.0
    return x * SECOND.law.last


def under_a_key(x):
    table = {FIRST.law: x}
    return table[SECOND.law] * x if SECOND.law in table else x * 5.0


def under_a_chosen_key(x):
    table = {FIRST.law: x, SECOND.law: 3.0 * x}
    return table[FIRST.law if x > 0 else SECOND.law]


def at_a_place(x):
    laws = [FIRST.law, SECOND.law]
    return x * (1 + laws.index(FIRST.law if x > 0 else SECOND.law))


PROGRAMS = (
    chosen,
    compared,
    chosen_and_compared,
    set_by_one_name,
    set_where_chosen,
    under_a_key,
    under_a_chosen_key,
    at_a_place,
)


def held_anew(f: Callable[..., Any]) -> Callable[[float], Any]:
    """`f`, called when nothing has been set."""

    def call(x: float) -> Any:
        FIRST.law.last = SECOND.law.last = 1.0
        return f(x)

    return call


@pytest.mark.parametrize("one_first", [False, True], ids=["two first", "one first"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_each_call_is_told_whether_two_names_are_one_object(program: Callable[..., Any], one_first: bool) -> None:
    adxform.clear_cache()
    plain, derived = held_anew(program), held_anew(adxform.grad(program, engine="python"))
    for step in range(4):
        FIRST.law = Law(2.0 + step)
        SECOND.law = FIRST.law if (step % 2 == 0) is one_first else Law(7.0 - step)
        for x in (0.5, -0.5):
            expected = (plain(x + 1e-6) - plain(x - 1e-6)) / 2e-6
            assert derived(x) == pytest.approx(expected, rel=1e-6)
