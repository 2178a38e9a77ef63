"""Empty arrays, kinks, infinities, long and deep programs."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(),), (vec(2.0),))
def empty_sum(x):
    return np.sum(x * x) + 1.0


@at((np.zeros((0, 3)), vec(1.0, 2.0, 3.0)))
def empty_matmul(a, x):
    return np.sum(a @ x) + np.sum(x)


@at((vec(0.0, 1.0, -1.0),), gradient=(vec(0.0, 1.0, -1.0),))
def absolute_value_at_zero(x):
    return np.sum(np.abs(x))


@at((0.0, 3.0), gradient=(0.0, 0.0), wrt=(0, 1))
def power_at_zero(x, y):
    return x**y


@at((0.0,), gradient=(0.0,))
def square_at_zero(x):
    return x**2


@at((vec(0.0, 0.0),), gradient=(vec(0.0, 0.0),))
def norm_at_zero(x):
    return np.linalg.norm(x)


@at((vec(-1.0, 0.5, 3.0),))
def clipped(x):
    return np.sum(np.clip(x, 0.0, 2.0) * x)


@at((vec(-1.3, 0.4, 3.2),))
def piecewise_constant(x):
    return np.sum(np.floor(x) * x + np.sign(x) * x**2 + np.round(x) * x)


@at((vec(1.0, 3.0, 2.0),))
def argmax_picks(x):
    k = np.argmax(x)
    order = np.argsort(x)
    return x[k] ** 2 + np.sum(x[order] * np.arange(3.0))


@at((1.5,))
def long_straight_line(x):
    a = x * x
    b = a + x
    c = a * b - x
    d = c / b
    e = math.sin(d) + a
    f = e * d - c
    g = f * f + b
    h = math.exp(-g * 0.1)
    i = h + e * a
    j = i * h - d
    return j * i + g


@at((0.5, 2))
def four_loops_deep(x, n):
    y = x
    for i in range(n):
        for j in range(n):
            for k in range(n):
                for m in range(n):
                    y = math.sin(y * x) + 0.1 * (i + j * k - m)
    return y


@at((vec(1.0, 2.0, 3.0),))
def result_is_an_element(x):
    return x[1]


@at((vec(1.0, 2.0, 3.0),))
def result_is_the_argument(x):
    return x


@at((smooth(3, 4),))
def result_has_no_axes(x):
    return np.asarray(np.tensordot(x, x**2, 2) * x[0, 1])


@at((smooth(4),), (smooth(4) - 5.0,))
def result_may_have_no_axes(x):
    if x[0] < 0.0:
        return np.sum(x**3)
    return np.asarray(np.sum(x**2))


@at((vec(1.0, 2.0, 3.0),))
def result_is_a_view(x):
    return x[::-1]


@at((vec(1.0, 2.0), 3.0))
def argument_not_used(x, y):
    return np.sum(x)


@at((1.5, 2.5), wrt=(1,))
def second_argument_only(x, y):
    return x * y * y


@at((1.5, 2.5, 3.5), wrt=(2, 0))
def arguments_out_of_order(x, y, z):
    return x * y * z * z


@at((vec(0.3, 0.4),))
def stable_log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@at((smooth(3),))
def names_of_python_and_numpy(lambda_):
    np_ = lambda_ * 2.0
    sum_ = np_.sum()
    list_ = sum_ * lambda_[0]
    x_ct = list_ * 2.0
    x_tape = x_ct + sum_
    return x_tape * x_ct


@at((0.0, np.array(0.0)), gradient=(0.0, np.array(0.0)))
def kinks_of_numbers(x, y):
    return math.fabs(x) + abs(x) + math.hypot(x, 0.0) + np.abs(y)


@at((smooth(3, low=0.5), vec(0.5, -1.5, 2.0)), wrt=(0, 1))
def counted_elements(x, y):
    return np.linalg.norm(y, 0) * np.sum(x) + np.linalg.norm(y, 0.5)


@at((0.7, 4.9), (1.3, 0.7), (3.1, 5.3))
def a_reciprocal_and_a_product_are_no_quotient(x, k):
    """The quotient is rounded once."""
    return x * (1.0 / k)


@at((vec(0.0, 0.0, 0.0),), (vec(0.0, 1.5, 2.0),))
def exponents_below_two_at_zero(x):
    """The second slope of ``x ** 1`` at zero is zero times a pole."""
    return np.sum(x ** [1, 2, 0]) + np.sum(x ** np.array([2.0, 1.0, 3.0]))


@at((3e-160, 4e-160), wrt=(0, 1), gradient=(1.6e159, -1.2e159))
def angle_of_short_sides(x, y):
    return np.arctan2(x, y)


@at((1e200,), gradient=(1e-200,))
def inverse_hyperbolic_sine_far_out(x):
    return np.arcsinh(x)


@at((1e200,), gradient=(1e-200,))
def inverse_hyperbolic_cosine_far_out(x):
    return np.arccosh(x)


@at((1e17, 1e17), gradient=(0.5, 0.5))
def sum_of_exponentials_far_out(x, y):
    """The sum is either of its operands, rounded, and yet neither slope is one."""
    return np.logaddexp(x, y)


@at((1e308,), gradient=(0.0,))
def functions_that_level_off_far_out(x):
    return math.atan(x) + math.erf(x)


@at((vec(1e-3, 1.0, -1e-3),), gradient=(vec(2e100, 2.0, 2e100),))
def square_of_an_exact_sum(x):
    """What cancels in it cancels exactly."""
    return math.fsum([1e100 * x[0], x[1], 1e100 * x[2]]) ** 2
