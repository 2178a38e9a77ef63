"""Programs that adxform says no to: each raises a located error that names the construct.

The last comment on a line, ``# here``, marks the line that the error has to point at.
"""

import array
import itertools
import operator
import random
from collections import deque

import numpy as np

import adxform
from adxform import stop_gradient
from adxform.errors import (
    AliasError,
    GlobalMutationError,
    LargeNumberError,
    MissingRuleError,
    NonDifferentiableError,
    NonScalarOutputError,
    UnsupportedOperationError,
    UnsupportedSyntaxError,
)
from tests.corpus.case import at, smooth, vec

SETTINGS = {"scale": 2.0}


@at((vec(0.3, 1.7, 0.4, 0.9, 1.1, -0.2, 0.6, 0.8, 1.3),), raises=UnsupportedOperationError)
def floats_in_a_list_of_counts_that_is_held_twice(x):
    q = [0] * len(x)
    rows = []
    for _ in range(len(x)):
        rows.append(q)  # here
    for i in range(len(x)):
        q[i] = x[i]
    return sum(rows[1]) * x[0]


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def deque_of_what_moves_as_a_text(x):
    d = deque(maxlen=2)
    d.append(x[0])
    print(d)  # here
    return d[0] * 2.0


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def deque_of_what_moves_that_is_repeated(x):
    d = deque(maxlen=3)
    d.append(x[0])
    d = d * 2  # here
    return d[0] + d[1]


@at((0.7, np.linspace(0.3, 1.7, 65)), raises=UnsupportedOperationError)
def number_among_rows(x, v):
    rows = [v * t for t in v]
    rows[0] = x  # here
    return np.sum(rows[0]) * np.sum(rows[1])


@at((vec(0.7, 0.4), vec(0.3, 1.7)), raises=UnsupportedOperationError)
def number_that_may_be_numpy_s_and_a_list(x, v):
    t = 2.0
    for k in range(len(v)):
        if v[k] > 0.5:
            t = v[k]
    return np.sum([x[0], 1.0] + t)  # here


@at((smooth(2, 3),), raises=UnsupportedOperationError)
def axis_that_only_the_run_knows(x):
    total = 0.0
    for axis in range(x.ndim):
        for k in range(x.shape[0]):
            total += np.sum(np.take(x, k, axis=(axis + k) % 2) ** 2)  # here
    return total


class Asked:
    def __init__(self, width):
        self.width = width

    @property
    def hidden(self):
        raise AttributeError("hidden")

    @property
    def broken(self):
        raise ValueError("broken")

    def __getattr__(self, name):
        raise AttributeError(name)


class Answering:
    def __getattribute__(self, name):
        return 3.0


ASKED = Asked(2.0)


@at((1.5,), raises=UnsupportedOperationError)
def default_for_a_property_of_what_is_made(x):
    return getattr(Asked(x), "hidden", 2.0) * x  # here


@at((1.5,), raises=UnsupportedOperationError)
def default_where_a_method_says_all(x):
    return getattr(Answering(), "width", 2.0) * x  # here


@at((1.5,), raises=UnsupportedOperationError)
def default_for_a_property_that_raises_something_else(x):
    return getattr(ASKED, "broken", 2.0) * x  # here


@at((Asked(2.0), 1.5), wrt=(1,), raises=UnsupportedOperationError)
def whether_an_argument_has_what_raises(o, x):
    return 2.0 * x if hasattr(o, "broken") else x  # here


@at((0.7, 1.2), raises=UnsupportedOperationError)
def empty_list_given_to_an_unknown_function(x, y):
    queue = []
    random.shuffle(queue)  # here
    return x * y + sum(queue)


@at((0.7, 1.2), raises=UnsupportedOperationError)
def list_changed_by_an_operator_function(x, y):
    rows = [x]
    operator.iconcat(rows, [y])  # here
    return rows[-1]


@at((1.5,), raises=UnsupportedOperationError)
def number_that_is_no_context_manager(x):
    with x:  # here
        return x * x


@at((1.5,), raises=UnsupportedSyntaxError)
def class_inside(x):
    class Box:
        value = x  # here

    return x * Box.value


@at((1.5,), raises=UnsupportedOperationError)  # here
def generator(x):
    yield x * x


@at((1.5,), raises=UnsupportedSyntaxError)
def value_that_is_sent(x):
    def scaled():
        scale = 1.0 + (yield x)  # here
        yield scale * x

    return sum(scaled())


@at((1.5,), raises=UnsupportedOperationError)
def generator_that_is_sent_a_value(x):
    def scaled():
        yield x

    return scaled().send(None)  # here


def halves(x):
    for v in x:
        yield v * 0.5


@at((vec(1.0, 2.0, 3.0),), raises=UnsupportedOperationError)
def generator_after_a_loop_left_it(x):
    def scaled():
        for v in x:
            yield v * 0.5  # here

    items, total = scaled(), 0.0
    for v in items:
        total += v
        if v > 0.8:
            break
    return total + sum(items)


@at((vec(1.0, 2.0, 3.0),), raises=UnsupportedOperationError)
def generator_of_one_path(x):
    items = halves(x) if x[0] > 0.5 else halves(3.0 * x)
    return sum(items)  # here


@at((1.5,), raises=GlobalMutationError)
def global_dictionary_read_back(x):
    SETTINGS["scale"] = x
    return x * SETTINGS["scale"]  # here


@at((vec(1.0, 2.0, 3.0, 4.0),), raises=MissingRuleError)
def unknown_primitive(x):
    roots = np.roots(x)  # here
    return np.sum(roots) * x[0]


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def opaque_object(x):
    return np.matrix(x)[0, 1] * x[0]  # here


@at((1.5,), raises=UnsupportedOperationError)
def number_or_text(x):
    y = "small"
    if x > 1.0:
        y = x * x
    return y + 1.0  # here


@at((vec(1.0, -2.0), vec(3.0, 4.0)), raises=UnsupportedOperationError)
def masked_ufunc(x, y):
    z = np.add(x, y, where=x > 0)  # here
    return np.sum(z)


SHARED = vec(1.0, 2.0, 3.0)


@at((SHARED, SHARED), raises=AliasError)
def arguments_share_memory(x, y):  # here
    x[0] = y[1] * 2.0
    return np.sum(x * y)


@at((smooth(3, 4),), raises=AliasError)
def view_by_einsum_written(x):
    y = x.copy()
    t = np.einsum("ij->ji", y)  # here
    t[0] = t[1] * t[2]
    return np.sum(y**2)


@at((vec(2.0, 3.0),), raises=AliasError)
def constant_alias_of_a_written_array(x):
    y = x * 1.0
    held = stop_gradient(y)  # here
    y[0] = 5.0 * y[1]
    return np.sum(held * y)


@at((np.eye(3),), raises=AliasError)
def added_to_a_read_only_view(m):
    v = np.diag(m)[:2]
    np.subtract.at(v, [0, 1, 0], 0.3)  # here
    return np.sum(v) + np.sum(m)


@at((vec(2.0, 3.0),), raises=AliasError)
def added_to_what_is_broadcast(x):
    np.add.at(np.broadcast_to(x, (3, 2))[0], 0, 0.3)  # here
    return np.sum(x**2)


@at((2,), wrt=(0,), raises=NonDifferentiableError)
def integer_argument(n):  # here
    return n * 2.0


@at(("text",), wrt=(0,), raises=NonDifferentiableError)
def string_argument(s):  # here
    return float(len(s))


@at((smooth(3),), raises=NonScalarOutputError)
def vector_result(x):  # here
    return x * 2.0


@at((0.7, 2), raises=UnsupportedOperationError)
def derivative_of_itself_in_each_call(x, n):
    def slope(x, n):
        if n <= 0:
            return x**3
        return adxform.grad(slope)(x, n - 1) * x  # here

    return slope(x, n)


@at((np.linspace(1.0, 3.0, 65),), raises=UnsupportedOperationError)
def filled_list_grows_under_the_loop(x):
    items = [v**2 for v in x]
    total = 0.0
    for v in items:
        total += v
        if len(items) < 80:
            items.append(v * 0.5)  # here
    return total


@at((vec(1.0, 2.0, 3.0),), raises=UnsupportedOperationError)
def iterator_left_by_a_break(x):
    pairs = enumerate(x)
    total = 0.0
    for i, v in pairs:
        total += v * i
        if i == 1:
            break
    for i, v in pairs:  # here
        total += v**2 * i
    return total


@at((vec(1.0, 2.0, 3.0),), raises=UnsupportedOperationError)
def iterator_used_up_on_one_side(x):
    pairs = zip(x, x[::-1], strict=True)
    total = 0.0
    if x[0] > 0.5:
        for a, b in pairs:
            total += a * b
    for a, _ in pairs:  # here
        total += a
    return total


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def view_updated_in_place(x):
    y = x.copy()
    v = y.view(np.int64)  # here
    v *= 2
    return (y * y).sum()


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def in_place_by_an_unbound_method(x):
    y = x.copy()
    np.ndarray.__iadd__(y, x)  # here
    return y.sum()


@at((1.5,), raises=UnsupportedOperationError)
def recursion_without_an_end(x):
    def again(t):  # here
        return again(t * x)

    return again(1.0)


@at((vec(1.0, 2.0, 3.0),), raises=AliasError)
def neighbours_of_a_written_array(x):
    y = x * 1.0
    s = 0.0
    k = 0
    for a, b in itertools.pairwise(y):  # here
        s += a * b
        y[k + 1] += s
        k += 1
    return s


@at((vec(1.0, 2.0, 3.0),), raises=AliasError)
def chosen_from_a_written_array(x):
    y = x * 1.0
    s = 0.0
    for a in filter(lambda v: v > 0.5, y):  # here
        s += a * a
        y[2] += s
    return s


@at((vec(1.0, 2.0, 3.0),), raises=UnsupportedOperationError)
def chained_lists_that_change(x):
    items = [x[0], x[1]]
    s = 0.0
    for a in itertools.chain(items, [x[2]]):
        s += a * a
        items[1] = s  # here
    return s


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def list_of_what_a_function_without_a_rule_returns_and_more(x):
    found = []
    for v in x:
        found.append(np.i0(x * v)[0] + v)  # here
    return np.sum(np.array(found))


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def comprehension_of_what_a_function_without_a_rule_returns(x):
    return sum([np.i0(x)[0] * v for v in x])  # here


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def sum_of_what_a_function_without_a_rule_returns(x):
    total = 0.0
    for v in x:
        total += 2.0 * np.i0(x * v)[0]  # here
    return total


@at((vec(1.0, 2.0, 3.0),), raises=MissingRuleError)
def walk_through_what_a_function_without_a_rule_returns(x):
    total = 0.0
    for row in np.i0(x) * x:  # here
        total = total + row
    return total


@at((smooth(2, 3),), raises=MissingRuleError)
def result_of_a_function_without_a_rule_in_an_array(x):
    y = np.zeros((1, 3))
    np.add.reduceat(x, [0], 0, None, y)  # here
    return np.sum(y * y)


@at((smooth(4, 2),), raises=MissingRuleError)
def diagonal_that_wraps(x):
    y = x * 1.0
    np.fill_diagonal(y, 0.5, wrap=True)  # here
    return np.sum(y * y)


@at((smooth(4),), raises=MissingRuleError)
def what_comes_of_an_unknown_function_is_multiplied(x):
    a = np.roots(np.arange(1.0, 6.0))  # here
    return np.sum(np.flip(a) @ x)


@at((vec(0.5, 1.5, 2.5),), raises=UnsupportedOperationError)
def floats_into_an_array_of_integers(x):
    whole = np.zeros(3, int)
    np.multiply(x, 2.5, out=whole)  # here
    return np.sum(whole * x)


@at((smooth(2, 3), smooth(3)), raises=UnsupportedOperationError)
def product_into_an_array_of_more_axes(a, v):
    wide = np.zeros((2, 2))
    np.dot(a, v, out=wide)  # here
    return np.sum(wide * wide)


@at((vec(0.5, 1.5), vec(1.0, 2.0)), raises=UnsupportedOperationError)
def product_of_planar_vectors(a, b):
    return np.sum(np.cross(a, b) ** 2)  # here


@at((smooth(3, 2, 2),), raises=UnsupportedOperationError)
def chain_of_the_rows_of_an_array(a):
    return np.sum(np.linalg.multi_dot(a))  # here


@at((vec(0.3, 1.7, 0.4, 2.1),), raises=MissingRuleError)
def median_of_what_no_rule_is_known_of(x):
    windows = np.lib.stride_tricks.as_strided(x, (2, 3), (8, 8))  # here
    return np.sum(np.median(windows, axis=-1) * x[0])


def _shifted(x):
    return np.sin(x)


@adxform.rule(_shifted)
def _shifted_rule(x):
    slope = np.cos(x)
    return np.sin(x), lambda ct: (ct * 2.0 + slope,)


@at((vec(0.3, 0.7),), raises=MissingRuleError)
def pullback_that_adds_an_array(x):
    return np.sum(_shifted(x) * x)  # here


def _count(x):
    k, s = 0, 2.0
    while s > x[0]:
        k, s = k + 1, s * 0.5
    return k


@at((vec(0.3, 0.7).astype(np.float32),), raises=UnsupportedOperationError)
def list_of_floats_of_two_precisions(x):
    sums = [0.0]
    for _ in range(_count(x)):
        sums.append(sums[-1] + x[1])  # here
    return sums[-1]


@at((vec(0.3, 0.7), np.arange(3)), raises=UnsupportedOperationError)
def list_of_whole_numbers_of_two_kinds(x, c):
    places = [3]
    for k in range(_count(x)):
        places.append(c[k])  # here
    return x[0] * float(places[0] ** 50 % 1009)


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def text_of_what_may_be_whole(x):
    counts = [1 for _ in range(_count(x))]
    counts[0] = x[0]
    return x[0] * len(str(counts[1]))  # here


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def remainder_of_what_may_be_whole(x):
    counts = [1000000007 for _ in range(_count(x))]
    counts[0] = x[0]
    return x[0] * (counts[1] * counts[1] % 1009)  # here


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def place_that_may_be_whole(x):
    counts = [1 for _ in range(_count(x))]
    counts[0] = x[0]
    return x[counts[1]]  # here


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def array_that_may_be_of_whole_numbers(x):
    counts = [3 for _ in range(_count(x))]
    if x[0] < 0:
        counts[0] = x[0]
    array = np.array(counts)  # here
    array[0] = x[1]
    return np.sum(array)


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def list_of_truth_values_on_one_path(x):
    if x[0] > 0.0:
        weights = [True for _ in range(_count(x))]
    else:
        weights = [x[0] for _ in range(_count(x))]
    return np.sum(np.array(weights) * x[0])  # here


@at((vec(0.3, 0.7),), raises=LargeNumberError)
def large_number_in_a_list_beside_floats(x):
    numbers = [10**18 + 1]
    for _ in range(_count(x)):
        numbers.append(0.5)  # here
    return x[0] * float(numbers[0] % 1009)


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def arrays_in_order(x):
    rows = [x * k for k in range(_count(x))]
    return np.sum(sorted(rows)[0])  # here


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def pairs_after_an_array(x):
    rows = [x]
    rows.extend([(x[0] * k, 1.0) for k in range(_count(x))])  # here
    return x[0] * len(rows)


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def pairs_after_a_triple(x):
    rows = [(x[0], 1.0, 2.0)]
    rows.extend([(x[0] * k, 1.0) for k in range(_count(x))])  # here
    return x[0] * len(rows[0])


@at((vec(0.3, 0.7), 0.5, 2), (vec(0.3, 0.7), 2.5, 2), raises=UnsupportedOperationError)
def float_stored_where_a_whole_number_may_have_made_integers(x, a, n):
    weights = np.array([max(a, n), 1])
    weights[0] = x[0]  # here
    return weights[0] * weights[1]


@at((vec(0.3, 0.7), 0.5, 2), raises=UnsupportedOperationError)
def filled_like_what_a_whole_number_may_have_made(x, a, n):
    return np.sum(np.full_like(np.tile(max(a, n), 3), x[0]))  # here


@at((vec(0.3, 0.7), 0.5, 2), raises=UnsupportedOperationError)
def class_of_a_whole_number_or_a_float(x, a, n):
    return x[0] if type(max(a, n)) is int else x[1]  # here


@at((vec(0.3, 0.7),), raises=UnsupportedOperationError)
def numbers_beyond_any_dtype(x):
    best = [10**400] * _count(x)  # here
    for i in range(len(best)):
        best[i] = min(best[i], x[i])
    return sum(best)


@at((smooth(2, 3),), raises=MissingRuleError)
def elements_as_they_lie_in_memory(a):
    return np.sum(a.ravel("K")[:2] ** 2)  # here


@at((smooth(2, 3),), raises=MissingRuleError)
def elements_in_any_order_of_memory(a):
    return np.sum(np.reshape(a.T, (-1,), "A")[:2] ** 2)  # here


@at((vec(0.3, 0.7, 1.1),), raises=UnsupportedOperationError)
def generator_that_numpy_takes_for_one_object(x):
    return np.array(v**2 for v in [x[0], x[1]]).item()  # here


@at((vec(0.3, 0.7, 1.1),), raises=UnsupportedOperationError)
def rows_of_a_zip_joined_by_numpy(x):
    return np.concatenate(map(np.negative, [x, x]))[4]  # here


@at((vec(0.3, 0.7, 1.1),), raises=MissingRuleError)
def iterator_over_what_moves_for_unknown_code(x):
    return array.array("d", reversed([x[0], x[1]]))[0] * x[2]  # here


@at((vec(0.3, 0.7, 1.1),), raises=UnsupportedOperationError)
def list_that_may_be_one_which_grew(x):
    high, low = [x[0]], [x[1]]
    chosen = high if x[2] > 1.0 else low
    high.append(x[2])
    return sum(chosen) ** 2  # here


class _Lot:
    def __init__(self, price):
        self.price = price


@at((vec(0.3, 0.7, 1.1),), raises=UnsupportedOperationError)
def object_that_a_loop_holds_by_two_names(x):
    last, lot = _Lot(x[0]), _Lot(x[1])
    for k in range(len(x)):
        last, lot = lot, _Lot(lot.price + last.price)
        last.price *= 1.5
        if x[k] > 1.0:
            last = lot
    lot.price *= 2.0
    return last.price * lot.price  # here


@at((vec(0.3, 0.7, 1.1),), raises=UnsupportedOperationError)
def truth_value_of_two_kinds_that_is_true(x):
    sure = x[0] > 0.2 if x[1] > 0.5 else bool(x[2] > 1.0)
    return x[0] * 3.0 if sure is True else x[0] * 5.0  # here


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def deques_of_another_bound_on_each_path(x):
    d = deque([v for v in x if v > 0.2], maxlen=2)
    if x[0] > 0.2:
        d = deque([v * v for v in x if v > 0.2], maxlen=3)
    return sum(d)  # here


def _times(k):
    return lambda v, k=k: v * k


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def one_of_two_functions_asked_which_it_is(x):
    first = _times(x[0])
    f = first
    if x[1] > 0.3:
        f = _times(x[1])
    return f(x[0]) if f is first else x[1]  # here


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def attribute_of_one_of_two_functions(x):
    f = _times(x[0])
    f.scale = x[1]
    if x[1] > 0.3:
        f = _times(x[1])
        f.scale = x[0]
    return f(x[0]) * f.scale  # here


def above_zero(x):
    if x[0] <= 0.0:
        raise ValueError("below zero")
    return np.sum(np.sqrt(x))


@at((vec(0.3, 1.7),), raises=UnsupportedOperationError)
def exception_of_a_checkpoint_handled_outside(x):
    try:
        return adxform.checkpoint(above_zero)(x)  # here
    except ValueError:
        return np.sum(x)
