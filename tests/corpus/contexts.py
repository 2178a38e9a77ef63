"""Programs with ``with``: settings of NumPy, and classes that say what entering and leaving means."""

import contextlib

import numpy as np

from tests.corpus.case import at, vec


class Scope:
    """Entered, it gives a number to go on with; left, it changes what the function has made."""

    def __init__(self, gain, log):
        self.gain = gain
        self.log = log

    def __enter__(self):
        self.log.append(self.gain)
        return self.gain**2

    def __exit__(self, *error):
        self.log.append(self.gain * 2.0)
        return False


@at((vec(0.3, 1.7, 0.4),), (vec(-0.5, 1.2),))
def silent_logarithms(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0.0, np.log(x), x**2)
    return np.sum(y * y)


@at((vec(0.3, 1.7, 0.4),))
def errors_that_raise(x):
    with np.errstate(all="raise"):
        y = x.copy()
        y /= x[0]
        for i in range(1, len(y)):
            y[i] += np.log(x[i]) * y[i - 1]
        with np.errstate(over="ignore"):
            return np.sum(np.exp(y)) + np.std(x)


@at((vec(0.3, 1.7, 0.4), 1.3), (vec(3.0, 0.2), 0.4))
def returns_and_breaks_inside(x, k):
    log = []
    total = 0.0
    for v in x:
        with Scope(k * v, log) as gain:
            if v > 2.5:
                return gain * v
            if v > 1.5:
                break
            if v < 0.35:
                continue
            total += gain * v
        total *= 1.1
    return total + sum(log)


@at((1.3, 0.4), (0.2, 0.4))
def context_or_none(x, k):
    with contextlib.nullcontext(x * k) as y, contextlib.nullcontext():
        if x > 1.0:
            y = y**2
        y = np.sin(y)
    return y * x


@at((vec(0.3, 1.7, 0.4),))
def pair_of_numbers_and_helpers(x):
    class_ = contextlib.nullcontext

    def scaled(v):
        with class_((v, v * 2.0)) as (a, b):
            return a * b

    with np.errstate(all="ignore"):
        return sum(scaled(v) for v in x) + scaled(x[0])


class Forgiving:
    """A manager that swallows what it is told to, once the body runs."""

    def __init__(self):
        self.swallow = False
        self.left = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.left += 1
        return self.swallow


@at((vec(0.7, 1.3, 0.4),), (vec(0.3, 1.3, 0.4),))
def swallows_what_the_body_says(x):
    manager = Forgiving()
    y = 0.0
    with manager:
        manager.swallow = True
        y = x[0] ** 2
        if x[0] > 0.5:
            raise ValueError("too large")
        y = x[1] ** 3
    return y + manager.left


@at((vec(0.7, 1.3, 0.4),))
def swallows_in_some_iterations(x):
    manager = Forgiving()
    y = x[0]
    for k in range(3):
        with manager as entered:
            entered.swallow = k > 0
            y = y * x[1]
            if k > 0 and x[k] < 5.0:
                raise RuntimeError
            y = y + x[2] ** 2
    return y + manager.left
