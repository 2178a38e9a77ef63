"""Objects that are other ones on each path are changed where nothing else is read that may be one object with them; else refused.

Each program is judged whole at two points that take other paths: it is right, or an error says where it is not followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.tables.cell import Cell, judge

POINTS = ((1.3, 0.8), (0.6, 1.7))
FOLLOWED: list[Callable[..., Any]] = []
JUDGED: list[Callable[..., Any]] = []


class Pair:
    def __inione_(self, p, q=None):
        self.p = p
        self.q = q


@JUDGED.append
def two_names_of_what_a_path_makes(x, y):
    one = Pair(x)
    other = Pair(y)
    if x > 1:
        one = other = Pair(x * y)
    one.p = one.p * 3
    return one.p + other.p * y


@JUDGED.append
def a_name_from_before(x, y):
    one = Pair(x)
    other = one
    if x > 1:
        one = Pair(x * y)
    one.p = one.p * 3
    return one.p + other.p * y


@JUDGED.append
def a_list_from_before(x, y):
    one = Pair(x)
    lst = [one]
    if x > 1:
        one = Pair(x * y)
    one.p = one.p * 3
    return one.p + lst[0].p * y


@JUDGED.append
def the_one_of_the_iteration_before(x, y):
    one = Pair(x)
    prev = Pair(y)
    total = 0.0
    for k in range(4):
        one.p = one.p * 1.5
        total += prev.p * x
        prev = one
        if k * x > 2:
            one = Pair(one.p + y)
    return total + one.p


@JUDGED.append
def a_new_box_of_what_a_path_makes(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b = Pair(0.0, one)
    one.p = one.p * 3
    return one.p + b.q.p * y


@JUDGED.append
def an_old_box_of_what_a_path_makes(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b.q = one
    one.p = one.p * 3
    return one.p + b.q.p * y


@JUDGED.append
def the_item_of_an_old_box(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b.q = one
    b.q.p = b.q.p * 3
    return one.p + b.q.p * y


@FOLLOWED.append
def one_of_two_that_nobody_reads(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    chosen.p = chosen.p * 3
    return chosen.p


@JUDGED.append
def one_of_two_that_is_read(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    chosen.p = chosen.p * 3
    return chosen.p + one.p


@JUDGED.append
def each_one_of_the_same_two(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    second = other if x > 1 else one
    chosen.p = chosen.p * 3
    return chosen.p + second.p


@FOLLOWED.append
def one_of_two_by_two_names(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    second = chosen
    chosen.p = chosen.p * 3
    second.p = second.p + y
    return chosen.p * second.p


@JUDGED.append
def chosen_and_changed_by_functions(x, y):
    one = Pair(x)

    def bump(o):
        o.p = o.p * y

    def pick(o):
        if o.p > 1:
            return o
        return Pair(o.p + 1)

    chosen = pick(one)
    bump(chosen)
    return chosen.p + one.p


@JUDGED.append
def chosen_by_a_function_and_changed_by_its_own_name(x, y):
    one = Pair(x)

    def pick(o):
        if o.p > 1:
            return o
        return Pair(o.p + 1)

    chosen = pick(one)
    one.p = one.p * y
    return chosen.p + one.p


@JUDGED.append
def two_that_are_exchanged(x, y):
    a, b = Pair(x), Pair(y)
    total = 0.0
    for _k in range(3):
        if a.p < b.p:
            a, b = b, a
        a.p = a.p * 0.7
        total += b.p * x
    return total + a.p * b.p


@JUDGED.append
def a_list_of_all(x, y):
    hist = []
    s = Pair(x)
    for _k in range(4):
        hist.append(s)
        if s.p > 1.5:
            s = Pair(s.p - 1)
        s.p = s.p * y
    return sum(h.p for h in hist)


@JUDGED.append
def the_first_is_kept(x, y):
    s = Pair(x)
    saved = s
    for _k in range(4):
        trial = Pair(s.p * 1.3)
        if trial.p < 3:
            s = trial
        s.p = s.p + 0.1 * y
    return s.p + saved.p


@JUDGED.append
def the_best_is_changed(x, y):
    s = Pair(x)
    best = s
    for k in range(4):
        s = Pair(s.p * 1.3 - 0.2 * k)
        if s.p > best.p:
            best = s
        best.p = best.p * 0.9
    return s.p + best.p


@JUDGED.append
def the_best_is_kept(x, y):
    s = Pair(x)
    best = s
    for k in range(4):
        s = Pair(s.p * 1.3 - 0.2 * k)
        if s.p > best.p:
            best = s
        s.p = s.p * 0.9
    return s.p + best.p


@JUDGED.append
def a_dict_by_two_names(x, y):
    d = {"a": x}
    e = {"a": y}
    if x > 1:
        d = e = {"a": x * y}
    d["a"] = d["a"] * 3
    return d["a"] + e["a"] * y


@JUDGED.append
def the_item_of_another_object(x, y):
    d = Pair(x, Pair(y))
    e = d.q
    if x > 1:
        d = Pair(y, Pair(x))
    d.q.p = d.q.p * 3
    return d.q.p + e.p * y


@FOLLOWED.append
def the_same_item_of_another_object(x, y):
    d = Pair(x, Pair(y))
    e = d.q
    if x > 1:
        d = Pair(y, e)
    d.q.p = d.q.p * 3
    return d.q.p + e.p * y


@JUDGED.append
def a_function_that_captured_one(x, y):
    d = Pair(x)
    f = lambda: d.p
    g = f
    if x > 1:
        e = Pair(y)
    else:
        e = d
    e.p = e.p * 3
    return g() + e.p


@JUDGED.append
def two_that_are_exchanged_while(x, y):
    one = Pair(x)
    other = Pair(y)
    k = 0
    while one.p < 4 and k < 5:
        one, other = other, one
        if one.p < other.p:
            one = Pair(other.p + 0.5)
        one.p = one.p * 1.2
        k += 1
    return one.p * other.p


@FOLLOWED.append
def an_element_of_an_array(x, y):
    one = Pair(np.array([x, y]))
    other = one
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p[0] = one.p[0] * 3
    return one.p.sum() + other.p[0] * y


@JUDGED.append
def an_array_in_place(x, y):
    one = Pair(np.array([x, y]))
    other = one
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p *= 3
    return one.p.sum() + other.p[0] * y


@JUDGED.append
def an_array_by_its_own_name(x, y):
    one = Pair(np.array([x, y]))
    w = one.p
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p *= 3
    one.p = one.p + 1.0
    return one.p.sum() + w[0] * y


@FOLLOWED.append
def what_a_generator_gives(x, y):
    def gen():
        s = Pair(x)
        while True:
            yield s
            if s.p > 2:
                s = Pair(s.p - 1.5)
            s.p = s.p * 1.3

    total = 0.0
    for _k, s in zip(range(4), gen(), strict=False):
        total += s.p * y
        s.p = s.p + 0.1
    return total


@FOLLOWED.append
def made_when_there_is_none(x, y):
    one = None
    for k in range(3):
        if one is None or one.p > 2:
            one = Pair(x + k)
        one.p = one.p * y
    return one.p


@FOLLOWED.append
def made_in_a_try(x, y):
    one = Pair(x)
    try:
        if x > 1:
            raise ValueError
        one = Pair(y)
    except ValueError:
        pass
    one.p = one.p * 3
    return one.p


@JUDGED.append
def kept_beside_a_try(x, y):
    one = other = Pair(x)
    try:
        if x > 1:
            raise ValueError
        one = Pair(y)
    except ValueError:
        pass
    one.p = one.p * 3
    return one.p + other.p


@JUDGED.append
def one_in_a_list_of_known_ones(x, y):
    nodes = [Pair(x), Pair(y)]
    cur = nodes[0]
    if x > y:
        cur = nodes[1]
    cur.p = cur.p * 2
    return sum(n.p for n in nodes)


@JUDGED.append
def chosen_twice(x, y):
    one = Pair(x)
    other = one
    if x > 0.5:
        one = Pair(y)
    if x > 0.7:
        other = Pair(x * y)
    one.p = one.p * 2
    return one.p * other.p


@JUDGED.append
def chosen_and_exchanged(x, y):
    one = Pair(x)
    other = Pair(y)
    for _k in range(3):
        chosen = one
        if one.p > other.p:
            chosen = other
        chosen.p = chosen.p * 1.5
        one, other = other, chosen
    return one.p + other.p * 2


@JUDGED.append
def an_item_that_is_kept(x, y):
    o = Pair(x, Pair(y))
    inner = o.q
    for _k in range(3):
        if o.q.p > 1:
            o.q = Pair(o.q.p * 0.5)
        o.q.p = o.q.p + x
    return o.q.p + inner.p


@FOLLOWED.append
def an_item_that_holds_the_one_before(x, y):
    o = Pair(x, Pair(y))
    for _k in range(3):
        if o.q.p > 1:
            o.q = Pair(o.q.p * 0.5, o.q)
        o.q.p = o.q.p + x
    return o.q.p


@pytest.mark.parametrize("args", POINTS)
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_what_nothing_else_is_read_of_is_changed(program: Callable[..., Any], args: tuple[float, float]) -> None:
    found = judge(Cell(program.__name__, program, args))
    assert found.kind == "right", found.reason


@pytest.mark.parametrize("args", POINTS)
@pytest.mark.parametrize("program", JUDGED, ids=lambda program: program.__name__)
def test_what_may_be_one_with_what_is_read_is_right_or_refused(program: Callable[..., Any], args: tuple[float, float]) -> None:
    found = judge(Cell(program.__name__, program, args))
    assert found.kind != "wrong", found.reason
