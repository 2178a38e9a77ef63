"""Functions with a definition: the value in a derivative is that of the plain call, the gradient has the argument's shape."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec

INF = math.inf


@at((vec(4.5, 8.0, 11.5), 2.0), wrt=(0, 1))
def places_between_arrays(x, stop):
    return np.sum(np.linspace(x, stop, 5) * np.linspace(0.5, x, 5) ** 2)


@at((vec(0.3, -1.2, 2.0), vec(1.0, 0.5, 2.5)), wrt=(0, 1))
def average_with_its_weight(x, w):
    mean, total = np.average(x, weights=w, returned=True)
    return mean * total + np.average(x, returned=True)[1]


@at((vec(3.0, 1.0, 2.0, 5.0), vec(1.5, -0.5)))
def medians_with_axes_kept(x, y):
    table = x.reshape(2, 2) * y
    return np.sum(np.median(table, axis=0, keepdims=True) * table) + np.median(table, axis=(0, 1)) ** 2


@at((vec(0.3, 2.0, -1.0, 0.8),))
def quantiles_with_axes_kept(x):
    table = x.reshape(2, 2)
    return np.sum(np.quantile(table, [0.25, 0.6], axis=0, keepdims=True) * table) + np.percentile(table, 30.0)


@at((1e100, 1.0), gradient=(1.0, 1.0), wrt=(0, 1))
def sum_without_rounding(x, y):
    return math.fsum([x, y, -1e100])


@at((vec(0.5, 1.0, 1.5),), gradient=(vec(1.0, 0.0, 0.0),))
def repeated_knots(x):
    return np.sum(np.interp(x, [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 3.0, 3.0]))


@at((vec(-INF, 1.0, 0.5),), gradient=(vec(0.0, 0.6224593312018546, 0.3775406687981454),))
def log_of_a_sum_of_nothing(x):
    return np.logaddexp.reduce(x)


@at((np.array([[[2.0, 0.5], [0.25, 1.5]], [[1.0, -0.5], [0.75, 1.25]]]),))
def powers_of_several_matrices(a):
    return np.sum(np.linalg.matrix_power(a, 3) * np.linalg.matrix_power(a, 0)) + np.sum(np.linalg.matrix_power(a, -2))


@at(
    (np.array([[2.0, 0.5], [0.25, 1.5]]), 1), (np.array([[2.0, 0.5], [0.25, 1.5]]), 11), (np.array([[2.0, 0.5], [0.25, 1.5]]), -6)
)
def first_power_is_the_matrix_itself(a, n):
    b = 0.5 * a
    power = np.linalg.matrix_power(b, n)
    b += a
    return np.sum(np.cos(power))


@at((np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]]),))
def one_of_two_equal_values_is_written(x):
    y = 1.0 * x
    before, after = np.median(y, axis=0), np.median(y, axis=0)
    low, high = np.percentile(y, [30.0, 40.0], axis=0), np.percentile(y, [30.0, 40.0], axis=0)
    spread, wide = np.cov(y), np.cov(y)
    after += 1.0
    high *= 2.0
    wide[0, 0] = 5.0
    y[...] = 0.7
    return np.sum(np.cos(before) * np.sin(after)) + np.sum(np.cos(low) * np.sin(high)) + np.sum(spread * wide)


@at((np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]]), 1, 2.0))
def spread_of_what_is_overwritten(x, ddof, t):
    total = 0.0
    for k in range(2):
        y = x * (1.0 + 0.1 * k)
        spread = y.var(0, None, None, ddof)
        if t > 1.0:
            y[...] = 0.7
        total += np.sum(np.cos(spread)) + np.sum(np.sin(y))
    return total


@at((vec(0.3, -1.2, 2.0),))
def exact_sum_of_what_is_overwritten(x):
    total = 0.0
    for k in range(2):
        y = x * (1.0 + 0.1 * k)
        s = math.fsum(y)
        y[1:] *= s
        total += math.cos(s) * math.fsum(y)
    return total


@at((vec(0.3, -1.2, 2.0),))
def converted_before_it_is_written(x):
    y = 1.0 * x
    wide = np.longdouble(y)
    y *= 1.5
    wide[1:] *= wide[0]
    return float(np.sum(np.cos(wide))) + np.sum(np.sin(y))


@at((np.sin(np.arange(1.0, 40.0)),))
def copies_of_what_lies_backwards(x):
    y, z, w = x[::-1].copy(), np.array(x[::2]), x[::-1] * 1.0
    return np.vdot(y, y) + np.sum(0.1 * np.copy(x[::-1])) * np.sum(z) + w @ w


@at((vec(0.3, -1.2, 2.0),))
def more_axes(x):
    return np.sum(np.array(x, ndmin=2) * x[:, None])


@at((np.array([0.5, -1.5, 2.0], np.float32),))
def wider_reductions(x):
    return np.std(x, dtype=np.float64) * np.prod(x, dtype=np.float64)


@at((vec(0.5, -1.5, 2.0, 0.25), 2))
def differences_of_differences(x, n):
    return np.diff(x, n)


@at((np.array([[0.5, -1.5, 2.0], [1.0, 0.3, -0.7]]),))
def products_of_a_chain(x):
    return np.sum(np.linalg.multi_dot([x, x.T, x, x[0]]))


@at((smooth(3),))
def triangles_of_a_vector(x):
    return np.sum(np.triu(x) * x[:, None]) + np.sum(np.tril(x, -1) * x)


@at((np.asfortranarray([[0.5, -1.5, 2.0], [1.0, 0.3, -0.7]]),))
def items_of_columns(x):
    return x.item(1) ** 2 * x.item(3) + np.sum(np.take(x, [0, 4, 4]) * np.array([1.0, 2.0, 3.0])) + np.sum(x.T.take([1, 2]) ** 2)


@at((smooth(6),))
def sum_over_a_grid(x):
    a, b = np.meshgrid(x[:3], x[3:], indexing="ij")
    return (a * b**2).sum()


@at((vec(1.0, 1.3, 0.9, 1.6, 1.2, 0.7), 0.3), wrt=(0, 1))
def largest_loss_since_a_peak(wealth, h):
    peak = np.maximum.accumulate(wealth)
    slopes = np.gradient(wealth, h)
    return np.max((peak - wealth) / peak) + np.sum(slopes**2) * np.minimum.accumulate(wealth)[-2]


@at((smooth(3, 4), vec(0.0, 0.4, 1.0, 1.3)), wrt=(0, 1))
def slopes_of_a_field(u, places):
    down, across = np.gradient(u, 0.5, places)
    steepest = np.maximum.accumulate(np.hypot(down, across), axis=1)
    return np.sum(steepest[:, 1:] * np.gradient(u, axis=1)[:, :-1]) + np.sum(np.maximum.outer(places, places))


@at((np.array([0.5, 1.5, -0.25]),))
def bytes_of_an_array(x):
    return x.nbytes * np.sum(x * x) / x.itemsize


@at((vec(0.3, 1.7, 0.4, 2.1),))
def own_value_of_complex_numbers(x):
    spectrum = x * 1j
    return np.average(spectrum).imag * x[0] + np.trapezoid(spectrum).imag


@at((vec(0.3, 1.7, 0.4, 2.1),))
def part_of_a_complex_number(x):
    z = x[0] * (1 + 2j)
    return float(z.imag) * x[1]
