"""What only a run can tell, of several things: items of lists at places of the run, objects and lists that paths choose.

What is chosen is one of the things themselves, so that a change to one of them shows in it: of an object or a dict that is
followed where it is known which one it is, of a list it is refused.
"""

from __future__ import annotations

import collections
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives

X = np.array([0.3, 0.9, -0.4, 1.2])
READ: list[Callable[..., Any]] = []
CHANGED: list[Callable[..., Any]] = []


class Body:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        yield self.a


class Kind(enum.Enum):
    ONE = 1
    TWO = 2


@READ.append
def object_at_a_place(x):
    bodies = [Body(x[0], x[1]), Body(x[1], x[2])]
    return bodies[int(x[0] < 1)].a * bodies[int(x[0] > 1)].b


@READ.append
def objects_at_places_of_a_loop(x):
    bodies, total = [Body(x[0], x[1]), Body(x[1], x[2])], 0.0
    for i in range(len(x)):
        total = total + bodies[i % 2].a * bodies[1 - i % 2].b * x[i]
    return total


@READ.append
def row_at_a_place(x):
    rows = [[x[0], x[1]], [x[1], x[2] ** 2]]
    return sum(rows[int(x[0] < 1)])


@READ.append
def text_at_a_place(x):
    kind = ("sin", "cos", "tanh")[int(x[3] * 2)]
    return x[0] if kind == "sin" else x[1] ** 2


@READ.append
def member_at_a_place(x):
    return x[0] ** 2 if [Kind.ONE, Kind.TWO][int(x[0] > 1)] is Kind.ONE else x[1]


@READ.append
def none_at_a_place(x):
    found = [None, x[0]][int(x[0] > 0)]
    return x[1] if found is None else found**2


@READ.append
def largest_object(x):
    return max(Body(x[0], x[1]), Body(x[1], x[2]), key=lambda body: body.a).b ** 2


@READ.append
def best_of_new_ones(x):
    best, now = Body(x[0], x[1]), Body(x[1], x[2])
    for k in range(len(x)):
        now = Body(now.a + x[k], now.b * 2.0)
        if now.a > best.a:
            best = now
    return best.a * best.b


@READ.append
def best_copy(x):
    best, now = [x[0], x[1]], [x[1], x[2]]
    for k in range(len(x)):
        now[0] = now[0] * 0.5 + best[1] * x[k]
        if now[0] > 0.1:
            best = list(now)
    return sum(best)


@READ.append
def numbers_of_several_kinds_in_order(x):
    low, middle, high = sorted([x[0], float(x[1]), 0.5])
    return low * middle**2 + high * sorted([x[3], float(x[0]), 1], reverse=True)[2]


@READ.append
def numbers_of_several_kinds_by_a_key(x):
    return sorted([x[2], float(x[1]), 1.5], key=abs)[1] ** 2


@READ.append
def numbers_of_kinds_of_the_run_in_order(x):
    low, high = sorted([x[0] * 2, sum(v for v in x if v > 0.5)])
    return low * high**2 + sorted([x[1], len(x) - 4, int(x[3])])[1]


@READ.append
def ends_of_an_ordered_dict(x):
    table = collections.OrderedDict(a=x[0], b=x[1], c=x[2], d=x[3])
    table.move_to_end("a")
    table.move_to_end("c", last=False)
    key, value = table.popitem(last=False)
    return value * len(key) * table.popitem()[1] ** 2 + next(iter(table.values()))


@READ.append
def stored_under_a_key_of_the_run(x):
    table, place = {0: x[0], 1: float(x[1]), 2: 1.0}, int(x[3] * 2) % 3
    table[place] += x[1] ** 2
    table["abc".index("b")] *= x[3]
    return table[0] + table[1] * table[2]


@READ.append
def stored_under_a_text_of_the_run(x):
    total = {"low": 0.0, "high": 0.0}
    for v in x:
        total["low" if v < 0.5 else "high"] += v**2
    return total["low"] * total["high"]


@READ.append
def object_stored_at_a_place(x):
    bodies = [Body(x[0], x[1]), Body(x[1], x[2]), Body(x[2], x[3])]
    bodies[int(x[0] > 0) - 2] = Body(x[3] ** 2, x[0])
    return sum(body.a * body.b for body in bodies)


@READ.append
def numbers_of_several_kinds_stored_at_a_place(x):
    items = [x[0], float(x[1]), 1.0]
    items[-int(x[3] > 1)] = x[3] ** 2
    return items[0] * items[1] + items[2]


@CHANGED.append
def list_chosen_and_changed(x):
    first, second = [x[0], x[1]], [x[1], x[2]]
    row = first if x[0] < 1 else second
    first.append(x[3])
    return sum(row)


@READ.append
def object_chosen_and_changed(x):
    first, second = Body(x[0], x[1]), Body(x[1], x[2])
    body = first if x[0] < 1 else second
    first.a = x[3]
    return body.a * body.b


@READ.append
def dict_chosen_and_changed(x):
    first, second = {"k": x[0]}, {"k": x[1]}
    table = first if x[0] > 0 else second
    first["k"] = x[2]
    return table["k"] * x[1]


@CHANGED.append
def row_at_a_place_that_changes(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    row = rows[int(x[0] > 1)]
    rows[0][0] = x[3]
    return row[0] ** 2


@CHANGED.append
def filled_list_chosen(x):
    first, second = [], []
    for v in x:
        first.append(v)
        second.append(v * 2)
    row = first if x[0] > 0 else second
    first.append(x[0])
    return sum(row)


@CHANGED.append
def chosen_twice(x):
    first, second, third = [x[0]], [x[1]], [x[2]]
    if x[0] > 0:
        row = first if x[1] > 0 else second
    else:
        row = third
    first[0] = x[3]
    return row[0]


@CHANGED.append
def chosen_in_a_tuple(x):
    first, second = [x[0]], [x[1]]
    pair = (first if x[0] > 0 else second, 1.0)
    first[0] = x[3]
    return pair[0][0]


@CHANGED.append
def chosen_by_a_function(x):
    def chosen(one, other):
        return one if x[0] > 0 else other

    first, second = [x[0]], [x[1]]
    row = chosen(first, second)
    first[0] = x[3]
    return row[0]


@CHANGED.append
def best_that_changes(x):
    best, now = [x[0], x[1]], [x[1], x[2]]
    for k in range(len(x)):
        now[0] = now[0] * 0.5 + best[1] * x[k]
        if now[0] > 0.1:
            best = now
    return sum(best)


@READ.append
def best_object_that_changes(x):
    best, now, k = Body(x[0], x[1]), Body(x[1], x[2]), 0
    while k < 4:
        if now.a > best.a:
            best = now
        now.a = x[k] * best.a
        k += 1
    return best.a * best.b


@CHANGED.append
def attribute_that_changes(x):
    first, second = [x[0]], [x[1]]
    body = Body(first, 1.0)
    if x[0] < 0:
        body.a = second
    first[0] = x[3]
    return body.a[0]


@pytest.mark.parametrize("program", READ, ids=lambda program: program.__name__)
def test_what_is_chosen_has_its_derivative(program: Callable[..., Any]) -> None:
    records = check_derivatives(program, X.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


@pytest.mark.parametrize("program", CHANGED, ids=lambda program: program.__name__)
def test_what_is_chosen_is_not_read_after_a_change(program: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedOperationError, match="may be the same object as another, which is changed") as caught:
        check_derivatives(program, X.copy())
    assert caught.value.span.line > 0
    assert "copy" in caught.value.help


def test_a_place_beyond_the_end_raises() -> None:
    def beyond(x):
        return [Body(x[0], x[1]), Body(x[1], x[2])][int(x[0]) + 5].a

    with pytest.raises(IndexError, match="list index out of range"):
        check_derivatives(beyond, X.copy())


def test_a_place_beyond_the_end_is_not_stored_at() -> None:
    def beyond(x):
        bodies = [Body(x[0], x[1]), Body(x[1], x[2])]
        bodies[int(x[0]) + 5] = bodies[0]
        return bodies[0].a

    with pytest.raises(IndexError, match="list assignment index out of range"):
        check_derivatives(beyond, X.copy())


def test_integers_that_no_float_equals_are_not_put_in_order_with_floats() -> None:
    def ordered(x, k):
        low, high = sorted([x[0], k + 2**60])
        return low * high

    with pytest.raises(UnsupportedOperationError, match="larger than") as caught:
        check_derivatives(ordered, X.copy(), 1)
    assert caught.value.span.line > 0


def test_a_new_key_of_the_run_is_refused_where_the_dict_must_be_known() -> None:
    def grows(x):
        table = {0: x[0], "one": x[1]}
        table[int(x[0]) + 5] = x[2]
        return sum(table.values())

    with pytest.raises(UnsupportedOperationError, match="a dict that does not have it") as caught:
        check_derivatives(grows, X.copy())
    assert caught.value.span.line > 0


def test_a_missing_key_of_the_run_raises() -> None:
    def missing(x):
        table = {0: x[0], 1: x[1]}
        table[int(x[0]) + 5] += x[2]
        return sum(table.values())

    with pytest.raises(KeyError):
        check_derivatives(missing, X.copy())
