"""How far an iterator is walked: by its own loop, by what is inside it, by what ends early; and when its items are taken."""

from __future__ import annotations

import collections
import copy
import csv
import functools
import heapq
import io
import itertools
import math
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import Cell, judge

VALUES = np.linspace(1.013, 2.017, 8) ** 2
LINES = "1\n2\n3\n4\n"
RIGHT: list[Callable[..., Any]] = []
REFUSED: list[tuple[Callable[..., Any], str]] = []


def right(program: Callable[..., Any]) -> Callable[..., Any]:
    """Let `program` be judged."""
    RIGHT.append(program)
    return program


def refused(says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a program be refused by name."""

    def take(program: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED.append((program, says))
        return program

    return take


# -- counts -----------------------------------------------------------------------------------------------------------


@right
def counts_down(x):
    t = 0.0
    for k in itertools.count(5, -1):
        t += x[k]
        if k == 2:
            break
    return t


@right
def counts_from_below(x):
    return sum(k * v for k, v in zip(itertools.count(-2), x, strict=False))


@right
def counts_down_beside(x):
    return x[0] + sum(k * v for k, v in zip(itertools.count(2, -1), x, strict=False))


@right
def fills_a_list_without_an_end(x):
    items = []
    for k in itertools.count():
        items.append(x[k])
        if k == 3:
            break
    return sum(items)


@right
def some_of_a_count(x):
    return x[0] * sum(itertools.islice(itertools.count(3, -2), 4))


@refused("`count` by other than whole numbers")
def counts_by_floats(x):
    return sum(k * v for k, v in zip(itertools.count(0.5, 0.1), x, strict=False))


@refused("an iterator without an end is walked over to its end")
def counts_for_ever(x):
    return x[0] * sum(itertools.count())


# -- an iterator inside its own loop ----------------------------------------------------------------------------------


@right
def listed_inside(x):
    it, t = iter([1, 2, 3, 4]), 0.0
    for _ in it:
        t += x[0] * len(list(it))
    return t


@right
def takes_turns(x):
    it, t = iter([x[0], x[1], x[2], x[3], x[4]]), 0.0
    for a in it:
        t = t * 0.5 + a
        for b in it:
            t += a * b
            break
    return t


@right
def items_in_items(x):
    it = iter([1, 2, 3])
    items = [(i, list(it)) for i in it]
    return x[0] * len(items) + x[1] * sum(items[0][1])


@right
def sum_of_sums(x):
    it = iter([1, 2, 3])
    return x[0] * sum(v * sum(it) for v in it) + x[1]


@right
def inside_a_function(x):
    it, t = iter([1, 2, 3, 4]), 0.0

    def take():
        return sum(it)

    for v in it:
        t += x[v] * take()
    return t + x[0]


@right
def last_and_rest(x):
    it, last, rest = iter([x[0], x[1], x[2]]), None, []
    for v in it:
        last, rest = v, [w * v for w in it]
    return last + sum(rest)


@refused("it is walked over here")
def reduced_inside(x):
    it = iter([1, 2, 3])
    return x[0] * functools.reduce(lambda a, b: a + b * len(list(it)), it)


@right
def inside_a_counted_loop(x):
    it, t = iter(x[:3]), 0.0
    for v in it:
        t += v * sum(it)
    return t


# -- a part of an iterator --------------------------------------------------------------------------------------------


@right
def found_in_it(x):
    it = iter([3, 1, 2])
    return x[0] * (1 in it) + x[1] * sum(it)


@right
def left_by_a_loop(x):
    it, t = iter([x[0], x[1], x[2]]), 0.0
    for v in it:
        t += v**2
        break
    return t + 3 * sum(it)


@right
def any_of_it(x):
    it = iter([0, 1, 2])
    return x[0] * any(it) + x[1] * sum(it)


@refused("a generator changes it, which may not have run to its end")
def any_of_a_generator(x):
    it = iter([3, 1, 2])
    m = any(v < 2 for v in it)
    return x[0] * m + x[1] * sum(it)


@right
def all_of_a_generator_are_taken(x):
    it = iter([x[0], x[1]])
    items = tuple(v * 2 for v in it)
    return items[0] * items[1] + len(list(it))


@refused("a generator changes it, which may not have run to its end")
def list_that_a_generator_fills(x):
    items: list[float] = []
    found = any(items.append(v) or v > 1.2 for v in [x[0], x[1], x[2]])
    return found * sum(items)


# -- reversed ---------------------------------------------------------------------------------------------------------


@right
def backwards_from_where_it_ended(x):
    items = [x[0], x[1]]
    r = reversed(items)
    items.append(x[2])
    items[0] = x[5]
    return sum(v * i for i, v in enumerate(r))


@right
def backwards_from_beyond_the_end(x):
    items = [x[0], x[1]]
    r = reversed(items)
    items.pop()
    return x[0] + sum(r)


@right
def backwards_beside_a_list_that_grows(x):
    items, t = [x[0], x[1], x[2]], 0.0
    for a, b in zip(items, reversed(items), strict=False):
        t = t * 0.5 + a * b
        items.append(x[5])
    return t


@right
def backwards_a_list_of_a_short_length(x):
    items = [v * 2 for v in x]
    r = reversed(items)
    items.append(x[0])
    return sum(v * i for i, v in enumerate(r))


@refused("a list of a length that only a run can tell has changed since `reversed` was called")
def backwards_a_long_list(x):
    items = [v * 2 for v in x if v > -9.0]
    r = reversed(items)
    items.append(x[0])
    return sum(v * i for i, v in enumerate(r))


@refused("has other keys than when this iterator over it was made")
def dict_that_grows(x):
    items = {"a": x[0]}
    it = iter(items.values())
    items["b"] = x[1]
    return sum(it)


# -- what only a run goes through -------------------------------------------------------------------------------------


@right
def groups(x):
    t = 0.0
    for i, (_, g) in enumerate(itertools.groupby("aabccc")):
        t += x[i] * len(list(g))
    return t


@right
def groups_beside_numbers(x):
    return sum(v * len(list(g)) for v, (_, g) in zip(x, itertools.groupby("aabccc"), strict=False))


@right
def mapped_groups(x):
    return x[0] * sum(map(lambda kg: len(list(kg[1])) ** 2, itertools.groupby("aabccc")))  # noqa: C417


@right
def lines_in_pairs(x):
    f, t = io.StringIO(LINES), 0.0
    for line in f:
        t += x[0] * float(line) * float(f.readline())
    return t


@right
def matches_in_pairs(x):
    it, t = re.finditer(r"\d", LINES), 0.0
    for m in it:
        t += x[0] * float(m.group()) * float(next(it).group())
    return t


@right
def rest_of_a_file(x):
    f, t = io.StringIO(LINES), 0.0
    for line in f:
        t += x[0] * float(line) * len(f.read())
    return t


@right
def file_that_is_left(x):
    f, items = io.StringIO(LINES), []
    for line in f:
        items.append(x[0] * float(line))
        if float(line) > 2:
            break
    return sum(items) * float(f.readline())


@right
def any_line(x):
    f = io.StringIO(LINES)
    m = any(float(line) > 1 for line in f)
    return x[0] * m + x[1] * float(f.readline())


@right
def strict_zip_of_a_file(x):
    f, t = io.StringIO(LINES), 0.0
    for a, line in zip(x[:5], f, strict=True):
        t += a * float(line)
    return t


@right
def zip_of_a_display_and_a_file(x):
    f, t = io.StringIO(LINES), 0.0
    for a, line in zip([x[0], x[1]], f, strict=False):
        t += a * float(line)
    return t * float(f.readline())


@right
def list_of_matches(x):
    items = []
    for m in re.finditer(r"\d+", "a1b22"):
        items.append(x[0] * float(m.group()))
    return np.sum(items)


@right
def list_of_rows(x):
    return sum([x[0] * float(row[1]) for row in csv.reader(io.StringIO("1,2\n3,4"))])


@right
def largest_of_matches(x):
    return max([x[0] * float(m.group()) for m in re.finditer(r"\d+", "a1b22")])


@right
def name_of_a_loop(x):
    for line in io.StringIO(LINES):
        last = float(line)
    return x[0] * last


def first(items):
    for v in items:
        return v
    return 0.0


@right
def sum_of_texts(x):
    return x[0] + math.fsum(v for v in ("a", "b"))


@right
def product_of_texts(x):
    return x[0] * math.prod(iter(("a", "b")))


@right
def generator_over_a_file(x):
    f = io.StringIO(LINES)
    return x[0] * first(float(line) for line in f) + x[1] * float(f.readline())


class Held:
    def __init__(self, items):
        self.items = items

    def plus(self, total, k):
        return 0.5 * total + self.items[k]


@refused("a list is changed while a loop walks over it")
def list_in_a_list_that_is_chained(x):
    rows, total = [[x[0], x[1]], [x[2]]], 0.0
    for v in itertools.chain.from_iterable(rows):
        total = 0.9 * total + v * v
        rows[1][0] = 0.5 * total
    return total


@refused("a list is changed while a loop walks over it")
def list_that_is_chained_twice(x):
    items, total = [x[0], x[1], x[2]], 0.0
    for v in itertools.chain.from_iterable([items, items]):
        total = 0.9 * total + v * v
        items[2] = 0.5 * total
    return total


@refused("a list is changed while a loop walks over it")
def list_in_a_dict_that_is_chained(x):
    table, total = {"a": [x[0], x[1]], "b": [x[2]]}, 0.0
    for v in itertools.chain.from_iterable(table.values()):
        total = 0.9 * total + v * v
        table["b"][0] = 0.5 * total
    return total


@refused("a list is changed while a loop walks over it")
def list_in_a_list_that_is_accumulated(x):
    rows, total = [[x[0], x[1]], [x[1], x[2]], [x[2], x[0]]], 0.0
    for row in itertools.accumulate(rows, lambda a, b: [a[0] + b[0], a[1] * b[1]]):
        total = 0.9 * total + row[0] * row[1]
        rows[2][0] = 0.5 * total
    return total


@refused("a list is changed while a loop walks over it")
def list_that_the_function_of_accumulate_finds(x):
    table, total = {"a": [x[0], x[1], x[2]]}, 0.0
    for v in itertools.accumulate(range(3), lambda a, k: 0.5 * a + table["a"][k]):
        total = 0.9 * total + v
        table["a"][2] = total
    return total


@refused("a list is changed while a loop walks over it")
def list_of_the_object_whose_method_is_accumulated(x):
    held, total = Held([x[0], x[1], x[2]]), 0.0
    for v in itertools.accumulate(range(3), held.plus):
        total = 0.9 * total + v
        held.items[2] = total
    return total


@right
def chained_and_accumulated_before_the_change(x):
    rows, total = [[x[0], x[1]], [x[2]]], 0.0
    for v in itertools.chain.from_iterable(rows):
        total = 0.9 * total + v * v
    rows[1][0] = 0.5 * total
    for v in itertools.accumulate(itertools.chain.from_iterable(rows)):
        total = 0.9 * total + v
    return total


@right
def copies_of_a_tuple(x):
    rows = tuple(v * x for v in x)
    same = copy.copy(rows)
    same[0][:] *= 2
    return sum(row @ x for row in rows) + sum(copy.copy(tuple(v * 2 for v in x)))


@refused("may be in what is passed to `tee`")
def list_in_a_list_that_is_forked(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    for row in itertools.tee(rows)[0]:
        row[1] *= 1.1
    return sum(a * b for a, b in rows)


@right
def list_in_a_list_in_groups(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    for _, group in itertools.groupby(rows, key=len):
        for row in group:
            row[1] *= 1.1
    return sum(a * b for a, b in rows)


@refused("may be in what is passed to `merge`")
def list_in_a_list_that_is_merged(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    for row in heapq.merge(rows):
        row.reverse()
    return sum(a * b**2 for a, b in rows)


@right
def list_in_a_dict_of_another_class(x):
    row = [x[0], x[1]]
    collections.UserDict(a=row)["a"][1] *= 1.1
    return row[0] * row[1]


@refused("may be in what is passed to `mappingproxy`")
def list_in_a_view_of_a_dict(x):
    row = [x[0], x[1]]
    types.MappingProxyType({"a": row})["a"][1] *= 1.1
    return row[0] * row[1]


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.__name__)
def test_as_in_python(program):
    verdict = judge(Cell(program.__name__, program, (VALUES,)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize(("program", "says"), REFUSED, ids=lambda case: getattr(case, "__name__", ""))
def test_refused_by_name(program, says):
    with pytest.raises(UnsupportedOperationError, match=re.escape(says)) as caught:
        adxform.grad(program)(VALUES)
    assert caught.value.span.line
    assert caught.value.help
