"""Straight-line arithmetic on Python floats and NumPy scalars."""

import math

import numpy as np

from tests.corpus.case import at


@at((1.3, 0.7), (-2.0, 3.0))
def polynomial(x, y):
    return 3.0 * x**2 * y - x / y + 2 * y**3 - 7


@at((0.4, 1.1), (1.2, 2.3))
def python_math(x, y):
    a = math.sin(x) * math.exp(-y) + math.log(x + y)
    b = math.sqrt(x * y) + math.atan2(y, x) - math.tanh(x)
    return a * b + math.pow(x, y) + math.hypot(x, y)


@at((0.3,), (0.6,))
def more_python_math(x):
    return math.asin(x) + math.acos(x) * math.atan(x) + math.sinh(x) / math.cosh(x) + math.log1p(x) + math.expm1(x) + math.erf(x)


@at((0.4, 1.1), (1.2, 2.3))
def numpy_on_scalars(x, y):
    return np.sin(x) * np.exp(-y) + np.log(x + y) + np.maximum(x, y) * np.minimum(x, y) + np.power(x, y)


@at((np.float64(0.4), np.float64(1.7)))
def numpy_scalar_arguments(x, y):
    return x * y + np.cos(x) / y


@at((2.0, 3), (2.0, 0), (1.5, -2))
def integer_exponent(x, n):
    return x**n + n * x


@at((2.5, 3, True), (-1.5, 2, False))
def mixed_scalars(x, n, flag):
    return n * x + flag * x**2 + n // 2 + 1 / (n + 1) * x


@at((5.3, 2.0), (-5.3, 2.0), (7.9, -3.0))
def floor_division_and_modulo(x, y):
    return x % y + x // y * y * 0.5


@at((-1.5, 2.0), (1.5, -2.0))
def absolute_minimum_maximum(x, y):
    return abs(x) * max(x, y) + min(x, y, 0.5) + abs(x - y)


@at((1.2,), (0.3,))
def same_value_many_times(x):
    y = x * x
    z = y * y + y
    return z * y * x + z


@at((1.2, 0.5))
def names_reused(x, y):
    t = x * y
    x = t + x
    t = t * x
    y = t - y
    x = x * y
    return x + t


@at((1.2, 0.5))
def swapped_names(x, y):
    x, y = y, x
    a, (b, c) = x, (y, x * y)
    a, b, c = b * c, c, a
    return a * b**2 * c**3 * y


@at((1.2, 0.5))
def unused_values(x, y):
    waste = np.exp(x) * y
    waste = waste + 1.0
    return x * 2.0


@at((1.2,))
def constant_result(x):
    return 3.0 + 0.0 * x


@at((0.8, 0.3))
def several_results(x, y):
    return x * y, x + y, 2.0, x / y


@at((0.8, 0.3))
def argument_returned(x, y):
    return x, y, x


@at((-0.7,), (1.9,))
def unary_operators(x):
    return -x + (+x) * -(-x) - -3.0


@at((0.4, 1.4))
def augmented_scalars(x, y):
    total = x
    total += y
    total *= x
    total -= y * y
    total /= x + 2.0
    total **= 2
    return total


@at((0.7,))
def walks_through_conversion(x):
    y = float(x) * 2
    return np.float64(y) * x


@at((np.float32(0.7), np.float32(1.9)))
def single_precision_scalars(x, y):
    return x * y + np.sin(x)


@at((1.3, 0.7, 3), wrt=(0, 1))
def parts_of_numbers_that_do_not_move(x, y, n):
    phase = n * (1 + 2j)
    return x * phase.imag + y * phase.real * n.numerator + x * (n * 1j).imag ** 2


@at((1.5, 1), (0.7, 3), wrt=(0,))
def whole_number_to_a_power_below_zero(x, k):
    half = 2**-k
    total = 0
    for _ in range(3):
        total += 2**-k
    return x * int(half) + x**2 * half + x * int(total) + x * (half // 1)
