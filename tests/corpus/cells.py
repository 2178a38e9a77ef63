"""Variables that nested functions share: assigned by one of them, or after they were made."""

import numpy as np

from tests.corpus.case import at, vec


@at((1.3,))
def nonlocal_total(x):
    total = x

    def add(v):
        nonlocal total
        total = total + v
        return total

    add(x * x)
    add(x)
    return total * add(1.0)


@at((vec(0.4, 1.2, 0.9),))
def counted_and_kept_in_a_loop(x):
    n = 0
    best = 0.0

    def visit(v):
        nonlocal n, best
        n += 1
        if v > best:
            best = v * x[0]

    for v in x:
        visit(v)
    return best * n


@at((1.3, 4), (0.7, 1))
def two_closures_over_one_variable(x, n):
    def make():
        count = x

        def step():
            nonlocal count
            count = count * x
            return count

        def read():
            return count

        return step, read

    step, read = make()
    other, _ = make()
    for _ in range(n):
        step()
    other()
    return read() * other()


@at((1.3,))
def assigned_after_it_is_captured(x):
    k = x

    def scaled(v):
        return v * k

    k = x * x
    shifted = lambda v: later(v) + k  # noqa: E731 - as people write them

    def later(v):
        return np.sin(v)

    k += 1.0
    return scaled(2.0) * shifted(x) + k


@at((1.3,))
def late_binding_in_a_loop(x):
    powers = []
    for i in range(3):
        powers.append(lambda v: v**i * x)  # noqa: B023, PERF401 - all of them see the last one
    values = [v for v in range(3)]
    return sum(power(x) for power in powers) * values[1]


@at((1.3,))
def shared_by_a_function_that_calls_itself(x):
    steps = 0

    def rec(v, n):
        nonlocal steps
        steps += 1
        return v if n == 0 else rec(v * x, n - 1) + steps

    return rec(x, 3) * steps
