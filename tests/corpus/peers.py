"""The programs that other systems differentiate wrongly without saying so."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(1.0, 2.0, 3.0), 0.7))
def alias_then_in_place(x, a):
    y = x * x
    z = y
    z[0] = a
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def in_place_product_of_alias(x):
    y = x
    y *= 2
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0),))
def in_place_sum_of_alias(x):
    y = x * 1.0
    z = y
    z += x * x
    return np.sum(y * z)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def write_through_slice_view(x):
    y = x * x
    v = y[1:3]
    v[:] = x[0]
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def write_through_reshape_view(x):
    y = x * x
    v = y.reshape(2, 2)
    v[0] = v[1] * x[0]
    return np.sum(y * x)


def zero_first(y):
    y[0] = 0.0


@at((vec(1.0, 2.0, 3.0),))
def callee_mutates(x):
    y = x * x
    zero_first(y)
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),))
def list_alias(x):
    y = x * x
    rows = [y, y]
    rows[0][1] = x[0]
    return np.sum(rows[1])


@at((vec(1.0, 2.0, 3.0), 3))
def loop_over_overlapping_slices(x, n):
    y = x * 1.0
    for _ in range(n):
        y[0:2] = y[0:2] * y[1:3]
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),))
def input_itself_written(x):
    x[0] = x[1] * x[2]
    return np.sum(x * x)


@at((vec(1.0, -2.0, 3.0),))
def masked_store(x):
    y = x * x
    y[x > 0] = 0
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),))
def duplicate_fancy_add(x):
    y = x * x
    y[[0, 0, 1]] += x
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def out_keyword(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    return np.sum(y * x)


@at((smooth(3, 2), smooth(2, seed=1)))
def broadcast_division(a, b):
    return np.sum(a / b)


@at((smooth(3, 2), smooth(2, seed=1)))
def broadcast_power(a, b):
    return np.sum(a**b)


@at((1.1, 5), (1.1, 0))
def run_time_trip_count(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@at((1.5,))
def while_with_carried_product(x):
    y = x
    while y < 20.0:
        y = y * x
    return y


@at((1.5,))
def break_with_carried_product(x):
    y = x
    for _ in range(100):
        y = y * x
        if y > 20.0:
            break
    return y


@at((vec(1.0, 2.0, 3.0),))
def element_overwritten(x):
    y = x.copy()
    for i in range(1, 3):
        y[i] = y[i] * y[i - 1]
        y[0] = y[i] * 0.5
    return np.sum(y)


@at((vec(0.0, 4.0, 2.25),), gradient=(vec(0.0, 0.25, 1.0 / 3.0),))
def where_square_root_at_zero(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@at((vec(0.0, 4.0),), gradient=(vec(0.0, 0.25),))
def where_logarithm_at_zero(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


@at((vec(0.0, 4.0),), gradient=(vec(0.0, -1.0 / 16.0),))
def where_reciprocal_at_zero(x):
    return np.sum(np.where(x > 0, 1.0 / x, 0.0))


@at((np.array(1.5),), (vec(1.5),))
def item_times_array(x):
    return np.sum(x.item() * x)


def times(factor):
    return lambda x: factor * x


closure_one = at((1.5,))(times(-1.0))
closure_two = at((1.5,))(times(-2.0))
