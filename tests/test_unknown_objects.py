"""Objects of which nothing is known before the run, and what values say of themselves: Python is asked what they mean."""

import bisect
import collections.abc
import csv
import functools
import io
import json
import pickle
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError, UnsupportedOperationError
from tests.tables.cell import Cell, judge

VALUES = np.array([0.31, -0.54, 0.72, 1.13])
PROGRAMS: list[Callable[..., Any]] = []


def checked(program: Callable[..., Any]) -> Callable[..., Any]:
    """Let `program` be judged."""
    PROGRAMS.append(program)
    return program


class Labelled:
    """A series whose items have labels: those go in another order."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values.values())

    def __len__(self):
        return len(self.values)

    def __getitem__(self, label):
        return self.values[label]


class Scaled(NamedTuple):
    factor: float

    def __call__(self, x):
        return self.factor * x


class Letters(dict):
    def __getattr__(self, name):
        return self[name]


HELD = {"letters": Letters(a=3.0)}


SERIES = pickle.dumps(Labelled({3: 10.0, 2: 20.0, 1: 30.0, 0: 40.0}))
TABLE = pickle.dumps({1: 0.0, 0: 10.0, 3: 20.0, 2: 30.0})
SIZE = pickle.dumps((1, 2))


def series():
    return pickle.loads(SERIES)


def table():
    return pickle.loads(TABLE)


def size():
    return pickle.loads(SIZE)


@functools.lru_cache(None)
def text():
    return "%s-%s"


@functools.lru_cache(None)
def function():
    return np.sin


@functools.lru_cache(0)
def walk():
    return iter([2.0, 3.0, 5.0])


@checked
def zip_goes_in_the_order_of_the_items(x):
    return sum(w * float(v) for w, v in zip(x, series(), strict=False))


@checked
def enumerate_gives_keys(x):
    return sum(x[i] * float(k) for i, k in enumerate(table()))


@checked
def map_gives_keys(x):
    return sum(map(lambda w, k: w * float(k), x, table()))


@checked
def reversed_gives_keys(x):
    return sum(w * float(k) for w, k in zip(x, reversed(table()), strict=False))


@checked
def pairs_of_a_dict(x):
    return sum(x[i] * v * k for i, (k, v) in enumerate(table().items()))


@checked
def iterator_goes_on_where_zip_left_it(x):
    items = walk()
    total = sum(w * v for w, v in zip(x[:2], items, strict=False))
    return total * sum(items, 1.0)


@checked
def one_iterator_twice(x):
    items = iter(table().values())
    return sum(x[0] * a - x[1] * b for a, b in zip(items, items, strict=True))


@functools.lru_cache(None)
def kept():
    return {1: 0.0, 0: 10.0, 3: 20.0, 2: 30.0}


@checked
def one_iterator_twice_of_what_a_cache_keeps(x):
    items = iter(kept().values())
    return sum(x[0] * a - x[1] * b for a, b in zip(items, items, strict=True))


@checked
def shape_is_joined(x):
    place = np.unravel_index(x.argmax(), x.shape)
    return x[place] * len(place + (1,)) * np.zeros((2,) + size()).size


@checked
def tuples_are_added_up(x):
    return x[0] * len(sum([size(), (3,)], ())) * (size()[:1] + (5,))[1]


@checked
def tuples_are_compared(x):
    equal = 2.0 if size() == (1, 2) else 3.0
    one = 5.0 if size()[0] == (1,) else 7.0
    inside = 11.0 if size() in [(1, 2), (3, 4)] else 13.0
    return x[0] * equal * one * inside * (17.0 if size() > (0, 5) else 19.0)


@checked
def version_is_compared(x):
    return x[0] * (2.0 if sys.version_info >= (3, 8) else 3.0) * (5.0 if sys.version_info[:2] == (2, 7) else 7.0)


@checked
def text_is_formatted(x):
    return x[0] * len(text() % (1, 2)) * len("%s-%s" % (text(), 1))  # noqa: UP031


@checked
def callables(x):
    return x[0] * (2.0 if callable(function()) else 3.0) * (5.0 if callable(Scaled(1.0)) else 7.0)


@checked
def classes_of_values(x):
    classes = (x.__class__, x[0].__class__, float(x[0]).__class__, x.shape.__class__, "a".__class__, Scaled(x[0]).__class__)
    return x[0] * sum(2.0**k for k, cls in enumerate((np.ndarray, np.float64, float, tuple, str, Scaled)) if classes[k] is cls)


@checked
def class_of_a_dtype(x):
    found = x.dtype.type
    known = 2.0 if found is np.float64 and found == np.float64 and found in (np.float64, np.float32) else 3.0
    return (found(1) / x).sum() * known


@checked
def classes_of_iterators(x):
    pairs = zip([1], [2], strict=True)
    known = type(pairs) is zip and isinstance(pairs, collections.abc.Iterator) and hasattr(pairs, "__next__")
    return x[0] * (2.0 if known and isinstance(map(abs, [1]), map) and isinstance(enumerate([1]), enumerate) else 3.0)


@checked
def repeated_by_a_list(x):
    return np.sum(np.repeat(x, [1, 0, 2, 3]) ** 2) + np.sum(x.repeat((1, 0, 2, 3)) ** 3)


@checked
def changed_where_a_list_says(x):
    y = x * 2.0
    y[[True] * 4] *= x
    y[[True, False, True, True]] += 3.0 * x[:3]
    return np.sum(y**2)


@checked
def displayed_array(x):
    items = [*x, 1.0]
    return items[1] * items[2] * len(items)


@checked
def place_in_a_list(x):
    grid = [-0.5, 0.4, 0.9]
    return x[bisect.bisect_left(grid, x[0])] * grid[1] * bisect.bisect(grid, x[3])


@checked
def dict_that_answers_for_attributes(x):
    return x[0] * HELD["letters"]["a"] * HELD["letters"].a


@runtime_checkable
class HasData(Protocol):
    data: Any


class Plain:
    def __init__(self, data):
        self.data = data


def resized(x):
    k = np.arange(4.0)
    k.resize(6)
    return len(k) * x[0]


@checked
def left_early(x):
    items = walk()
    for v in items:
        if v > 2.5:
            break
    return x[0] * sum(items)


def protocol_with_data(x):
    return x[0] * (2.0 if isinstance(Plain(x[0]), HasData) else 3.0)


def floats_in_a_tuple(x):
    return ((x[0],) + size())[0]


def list_changed_by_an_unknown_object(x):
    items = [x[0]]
    items += size()
    return items[0]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (resized, "`resize` gives an array another shape in place"),
        (protocol_with_data, "has the attributes of the protocol `HasData` cannot be told"),
        (floats_in_a_tuple, "floats in a container meet an object of which nothing is known"),
        (list_changed_by_an_unknown_object, "a list is changed in place by an object of which nothing is known"),
    ],
)
def test_refused_by_name(program, says):
    with pytest.raises(UnsupportedOperationError, match=says) as caught:
        adxform.grad(program)(VALUES)
    assert caught.value.span.line


def test_the_largest_of_nothing_is_an_error_of_the_program():
    with pytest.raises(ValueError, match="empty sequence"):
        adxform.grad(lambda x: x[0] * max([]))(VALUES)


@checked
def rest_of_a_reader(x):
    rows = csv.reader(io.StringIO("1,2\n3,4\n5,6\n7,8"))
    begun = sum(w * float(row[0]) for w, (_, row) in zip(x[:2], enumerate(rows)))  # noqa: B905
    return begun + x[0] * sum(float(row[0]) for row in rows)


@checked
def all_of_a_list(x):
    return sum(w * (k + number) for w, (k, number) in zip(x[:2], enumerate(json.loads("[3, 4, 5]"))))  # noqa: B905


LINE = np.poly1d([1.0, 2.0])


def test_an_object_without_a_hash_is_called() -> None:
    assert adxform.grad(lambda x: x**2 * LINE(2.0))(3.0) == 24.0
    with pytest.raises(MissingRuleError, match="a call of something that only the run knows"):
        adxform.grad(lambda x: np.sum(LINE(x)))(np.ones(2))


SPECTRUM = pickle.dumps((np.array([1.0 + 2.0j, 3.0 - 1.0j]), 2.0 - 1.0j, np.array([2.0, 3.0])))


def complex_array_of_the_run(x):
    return np.abs(pickle.loads(SPECTRUM)[0] * x[0]).sum()


def complex_number_of_the_run(x):
    return abs(pickle.loads(SPECTRUM)[1] * x[0])


def complex_exponent_of_the_run(x):
    return np.abs(x[0] ** pickle.loads(SPECTRUM)[1])


def complex_item_of_the_run(x):
    return sum(abs(u * x[1]) for u in [x[0], pickle.loads(SPECTRUM)[1]])


@pytest.mark.parametrize(
    "program", [complex_array_of_the_run, complex_number_of_the_run, complex_exponent_of_the_run, complex_item_of_the_run]
)
def test_complex_numbers_of_which_nothing_was_known_are_refused_where_real_ones_were_expected(program):
    for derivative in (adxform.grad(program), lambda x: adxform.jvp(program, (x,), (np.ones(4),))):
        with pytest.raises(UnsupportedOperationError, match="a complex number meets a real one"):
            derivative(VALUES)


@checked
def complex_number_of_the_run_meets_complex_ones(x):
    return np.abs(pickle.loads(SPECTRUM)[1] * (x * 1j + 1.0)).sum()


@checked
def complex_array_of_the_run_meets_complex_ones(x):
    return np.abs(pickle.loads(SPECTRUM)[0] * (x[0] + 0j)).sum()


@checked
def real_array_of_the_run(x):
    return np.abs(pickle.loads(SPECTRUM)[2] * x[0]).sum()


@checked
def resonance(x):
    """A frequency response, of frequencies that the function spaces by their logarithms."""
    s = 1j * np.logspace(-1, 1, 12)
    response = x[0] ** 2 / (s**2 + 2 * x[2] * x[0] * s + x[0] ** 2)
    return (20 * np.log10(np.abs(response))).max() + np.unwrap(np.angle(response))[-1]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_python_is_asked(program):
    verdict = judge(Cell(program.__name__, program, (VALUES,)))
    assert verdict.kind == "right", verdict.reason
