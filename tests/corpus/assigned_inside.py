"""Variables that comprehensions set by ``:=``."""

import numpy as np

from tests.corpus.case import at, vec


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def found_and_tested(x):
    found = [y for v in x if (y := np.sin(v) * v) > 0.3]
    return sum(found) + x[0] ** 2


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def running_sums(x):
    total = 0.0
    run = [total := total + v**2 for v in x]
    return sum(np.sqrt(r) for r in run) + total


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def the_last_one_before(x):
    last = x[0]
    ys = [last := 0.5 * last + v for v in x if v > -1]
    return last * len(ys) + x[1]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def a_sum_with_a_test(x):
    return sum(w * w for v in x if (w := v - 0.1) > 0) + x[0]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def a_dict_with_a_test(x):
    d = {k: t for k, v in enumerate(x) if (t := np.tanh(v)) > -0.9}
    return sum(d.values())


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def one_within_the_other(x):
    m = [[acc := v * w for w in x[:2]] for v in x]
    return sum(sum(r) for r in m) + acc


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def in_conditions_around(x):
    if (n := len(x)) > 2 and (s := np.sum(x)) > 0:
        return s * n
    return [t := 2.0 * v for v in x][-1] * t


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def set_on_some_paths(x):
    ys = [t := v * v for v in x if v > 5]
    return (t if ys else 1.0) * x[0]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def in_a_nested_function(x):
    def inner(z):
        prev = 0.0
        d = [(-prev + (prev := v)) for v in z]
        return d

    return sum(v**2 for v in inner(x))
