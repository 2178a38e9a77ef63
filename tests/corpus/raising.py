"""Programs that fail half way, after they have written: the caller's arrays are as before."""

import enum
import random
import types

import numpy as np

import adxform
from tests.corpus.case import at, vec
from tests.corpus.contexts import Forgiving


@at((vec(1.0, 2.0, 3.0),), raises=AssertionError)
def assertion_after_write(x):
    x[0] = 5.0 * x[1]
    assert x[0] < 3.0, "too large"
    return np.sum(x * x)


@at((vec(1.0, 2.0, 3.0), 5), raises=IndexError)
def index_error_in_loop(x, n):
    for i in range(n):
        x[i] = x[i] * 2.0
    return np.sum(x)


@at((vec(1.0, 2.0, 3.0),), raises=ValueError)
def raise_after_write(x):
    y = x[1:]
    y *= 2.0
    if y[0] > 1.0:
        raise ValueError("y must stay small")
    return np.sum(x * x)


@at((np.ones((2, 2)), vec(1.0, 2.0)), raises=np.linalg.LinAlgError)
def singular_matrix(a, b):
    b *= 3.0
    return np.sum(np.linalg.solve(a, b))


@at((vec(1.0, 2.0), vec(1.0, 2.0, 3.0)), (vec(1.0, 2.0, 3.0), vec(1.0, 2.0)), raises=ValueError)
def shapes_do_not_match(x, y):
    x += 1.0
    return np.sum(x * y)


@at((np.ones((3, 5)),), (np.ones((5, 3)),), raises=ValueError)
def oblong_where_square(u):
    v = np.zeros((len(u), len(u)))
    v[1:] = u[:-1] * 2.0
    return np.sum(v * u)


@at((1.5,), raises=KeyError)
def nothing_but_a_missing_key(x):
    return {"a": x}["b"] * x


@at((vec(1.0, 2.0),), raises=AttributeError)
def nothing_but_a_missing_attribute(x):
    return x.nowhere


@at((vec(1.0, 2.0),), raises=TypeError)
def nothing_but_a_wrong_call(x):
    def one(a):
        return a

    return one(x, x)


@at((1.5,), (0.5,), raises=ValueError)
def both_sides(x):
    if x > 1.0:
        raise ValueError("large")
    raise ValueError("small")


@at((1.5,), raises=ValueError)
def endless_loop(x):
    while True:
        if x > 0.0:
            raise ValueError("positive")


@at((vec(1.0, 2.0),), raises=ValueError)
def every_pass_of_a_loop(x):
    for v in x:
        raise ValueError(v > 0.0)
    return x[0]


@at((vec(1.0, 2.0),), raises=ValueError)
def every_pass_of_an_inner_loop(x):
    total = 0.0
    for i in range(len(x)):
        for _ in range(i):
            raise ValueError("second pass")
        total += x[i]
    return total


@at((vec(1.0, 2.0), 1.0), raises=ZeroDivisionError)
def reciprocal_of_zero(x, k):
    x *= 2.0
    return np.sum(x * (1.0 / (k - 1.0)))


@at((vec(1.0, 2.0), vec(0.5, 0.1, 0.3)), (vec(1.0, 2.0), vec()), wrt=(0,), raises=IndexError)
def place_that_only_the_longer_table_has(z, x):
    n = len(x)
    longer, shorter = np.empty(n + 2), np.empty(n)
    for i in range(n):
        e = np.exp(x[i])
        longer[i] = e
        shorter[i] = 1.0 + e
    total = 0.0
    for j in range(n + 1):
        total += shorter[j] * longer[j]
    return total * np.sum(z)


@at((1.5,), raises=TypeError)
def difference_of_lists(x):
    return np.sum([x, 2.0] - [1.0, x])


@at((1.5,), raises=TypeError)
def list_by_a_number(x):
    return np.sum([x, 2.0] / 2)


@at((1.5,), raises=TypeError)
def tuple_and_a_number(x):
    return np.sum((x, 1.0) + 2.0)


@at((1.5,), raises=TypeError)
def power_of_a_list(x):
    return np.sum([x, 1.0] ** 2)


@at((1.5,), raises=TypeError)
def list_and_tuple(x):
    return np.sum([x, 1.0] + (2.0,))


@at((1.5,), raises=TypeError)
def list_in_place_by_a_list(x):
    s = [x, 1.0]
    s -= [x]
    return np.sum(s)


@at((1.5,), raises=TypeError)
def list_repeated_a_float(x):
    return sum([x] * np.float64(2.0))


@at((vec(1.0, 2.0), vec(0.5, 0.3)), raises=ValueError)
def product_of_vectors_in_place(a, b):
    a @= b
    return np.sum(a)


@at((np.ones((2, 3)), np.ones((3, 1))), raises=ValueError)
def product_in_place_of_another_shape(a, b):
    a @= b
    return np.sum(a)


@at((vec(1.0, 2.0, 3.0),), raises=TypeError)
def parameter_under_another_name(x):
    return np.sum(np.diff(x=x) ** 2)


@at((vec(1.0, 2.0, 3.0),), raises=TypeError)
def too_many_arguments(x):
    return np.sum(np.sin(x, x, x))


@at((vec(1.0, 2.0, 3.0),), raises=TypeError)
def unknown_parameter(x):
    return np.sum(x, foo=2)


@at((0.7,), raises=UnboundLocalError)
def returned_without_a_value(x):
    if x > 1.0:
        z = 2 * x
    return z


@at((0.7,), raises=UnboundLocalError)
def read_without_a_value_and_not_needed(x):
    if x > 1.0:
        z = 2 * x
    y = z  # noqa: F841
    return x * x


@at((0.7, 0), (0.7, 3), raises=UnboundLocalError)
def deleted_in_a_pass(x, n):
    z = x
    for k in range(n + 2):
        y = z * x
        del z
        if k < 0:
            z = y  # noqa: F841
    return y * x


@at((0.7, 0), raises=NameError)
def captured_without_a_value(x, n):
    for k in range(n):
        z = x * k

    def inner(t):
        return z * t

    return inner(x)


@at((vec(1.0, 2.0), 5), raises=IndexError)
def the_first_of_two_errors(x, n):
    first = x[n]
    second = {}["a"]
    return first + second


@at((1.5,), raises=KeyError)
def deleted_key_that_is_missing(x):
    parts = {"a": x}
    del parts["b"]
    return parts["a"]


@at((1.5,), raises=ValueError)
def strict_pairs_of_other_lengths(x):
    return sum(a * b for a, b in list(zip([x, 2.0], [x], strict=True)))


@at((1.5,), raises=ValueError)
def item_that_is_not_there(x):
    return [x, 2.0].index(3.0) * x


@at((1.5,), raises=TypeError)
def sum_of_texts(x):
    return x * len(sum(["a", "b"]))


class Level:
    """Converts to what Python does not take from such methods, and has as many items as it is high."""

    def __init__(self, height):
        self.height = height

    def __bool__(self):
        return self.height > 0.0

    def __float__(self):
        return np.float32(2.0)

    def __len__(self):
        return self.height


@at((np.float64(1.5),), raises=TypeError)
def truth_that_is_of_numpy(x):
    return x if Level(x) else 2.0 * x


@at((1.5,), raises=TypeError)
def float_that_is_of_single_precision(x):
    return x * float(Level(x))


@at((1.5, 2), raises=ValueError)
def length_below_zero(x, n):
    return x * len(Level(n - 3))


@at((vec(1.0, 2.0),), raises=TypeError)
def least_by_a_key_that_none_has_not(x):
    """The key of the second item is asked for before the first is compared."""
    return np.sum(min([x, None], key=lambda v: -v))


@at((vec(1.0, 2.0),), raises=TypeError)
def choice_from_an_iterator(x):
    """An iterator stays one for code that adxform cannot look into: it has no length."""
    return x[0] * random.choice(enumerate([1.0, 2.0]))[0]


class Rank(enum.IntEnum):
    LOW = 2


@at((1.5,), raises=TypeError)
def member_of_an_enumeration_joined_to_a_list(x):
    return sum([x] + Rank.LOW)


@at((1.5,), raises=TypeError)
def member_of_an_enumeration_joined_to_a_tuple_in_place(x):
    held = (x,)
    held += Rank.LOW
    return sum(held)


@at((1.5,), raises=OverflowError)
def list_repeated_more_often_than_memory_has_places(x):
    return sum([x] * 10**30)


@at((1.5,), raises=OverflowError)
def tuple_repeated_less_often_than_an_index_says(x):
    return x * len(-(10**30) * (1.0, 2.0))


@at((vec(0.9, 0.45, 1.3),), raises=KeyError)
def key_that_the_path_does_not_give(x):
    d = {}
    if x[1] > 0.6:
        d["b"] = x[1] * 2
    return d["b"] * x[0]


@at((vec(0.9, 0.45, 1.3),), raises=AttributeError)
def attribute_that_the_path_does_not_give(x):
    p = types.SimpleNamespace()
    if x[1] > 0.6:
        p.b = x[1] * 2
    return p.b * x[0]


@at((vec(0.9, 0.45, 1.3),), raises=KeyError)
def key_that_the_path_deletes(x):
    d = {"a": x[0], "b": x[1]}
    if x[1] < 0.6:
        del d["a"]
    del d["a"]
    return d["b"]


@at((vec(0.9, 0.45, 1.3),), raises=KeyError)
def label_that_the_run_did_not_store(x):
    d = {}
    d["high" if x[0] > 0.5 else "low"] = x[1]
    return d["high" if x[1] > 0.5 else "low"] * x[2]


@at((vec(0.9, 0.45),), raises=AttributeError)
def attribute_that_a_function_has_not(x):
    f = lambda v: v * x[0]  # noqa: E731 - as people write them
    f.scale = x[1]
    return f(x[1]) * f.direction


def never(x):
    raise KeyError(f"no way from {len(x)}")


@at((vec(1.0, 2.0, 3.0),), raises=KeyError)
def behind_a_checkpoint(x):
    return np.sum(x) * adxform.checkpoint(never)(x * 2.0)


@at((vec(1.0, 2.0, 3.0), 0), raises=ZeroDivisionError)
def remainder_by_nothing(x, width):
    total = 0.0
    for k in range(len(x)):
        total += x[k % width] * x[k]
    return total


@at((vec(1.0, 2.0, 3.0), 0), raises=ZeroDivisionError)
def quotient_by_nothing(x, width):
    total = 0.0
    for k in range(len(x)):
        total += x[k // width] * x[k]
    return total


@at((vec(1.0, np.inf, 3.0),), raises=OverflowError)
def place_of_an_infinity(x):
    total = 0.0
    for k in range(len(x)):
        total += x[int(x[k]) % 3] * x[k]
    return total


@at((vec(1.0, np.nan, 3.0),), raises=ValueError)
def rounding_of_what_is_no_number(x):
    total = 0.0
    for k in range(len(x)):
        total += round(x[k]) * x[k]
    return total


@at((vec(1.0, 2.0, 3.0), 0), raises=ZeroDivisionError)
@at((vec(1.0, 2.0, 3.0), 2), raises=KeyError)
def condition_that_always_raises(x, width):
    y = x[len(x) // width] * x[0]
    while y > {}["limit"]:
        y = y - 1.0
        del y
    return y


@at((vec(1.0, 2.0, 3.0),), raises=IndexError)
def place_in_what_a_false_index_takes(x):
    y = x * 2.0
    y[False][0] = 3.0
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),), raises=IndexError)
def sum_into_what_a_false_index_takes(x):
    y = x * 2.0
    y[False][0] += x[0]
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),), raises=IndexError)
def place_beyond_a_known_axis(x):
    y = np.zeros((3, 2))
    y[..., -3] = x[0]
    return np.sum(x)


@at((vec(1.0, 2.0, 3.0),), raises=ValueError)
def array_or_nothing_in_a_list(x):
    found = x * 2.0 if x[0] > 0.5 else None
    return x[0] * [None, found].index(found)


@at((vec(0.7, 1.3, 0.4),), raises=ValueError)
def swallows_no_more(x):
    manager = Forgiving()
    with manager:
        manager.swallow = True
        manager.swallow = x[0] > 1.0
        if x[0] > 0.5:
            raise ValueError("too large")
    return x[0] ** 2


@at((vec(0.7, 1.3, 0.4),), raises=NameError)
def deleted_where_an_inner_function_reads_it(x):
    def double():
        return z * 2

    z = x[0]
    y = double()
    if x[1] > 1.0:
        del z
    return y + double()
