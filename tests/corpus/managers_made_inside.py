"""Context managers that a function makes by `contextlib.contextmanager`."""

import contextlib
import math
from contextlib import contextmanager

import numpy as np

from tests.corpus.case import at, vec


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def a_value_for_a_while(x):
    scale = []

    @contextlib.contextmanager
    def scaled(v):
        scale.append(v)
        try:
            yield v * 2
        finally:
            scale.pop()

    with scaled(x[0]) as z:
        y = x * z * scale[-1]
    return np.sum(y**2) + len(scale)


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def sections_with_names(x):
    names = []

    @contextmanager
    def section(name, factor=1.0):
        names.append(name)
        yield factor
        names.append("end " + name)

    with section("scale"):
        y = x * 2
    with section("sum", factor=x[1]) as f:
        r = np.sum(y**2) * f
    return r * len(names)


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def an_exception_that_the_manager_handles(x):
    @contextmanager
    def guarded(default):
        nonlocal y
        try:
            yield
        except ValueError:
            y = default * x[1]
        else:
            y = y + 1.0

    y = 0.0
    for v in x:
        with guarded(v):
            y = y * 0.5 + math.sqrt(v)
    return y


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def left_by_return_and_continue(x):
    depth = 0

    @contextmanager
    def level():
        nonlocal depth
        depth += 1
        try:
            yield depth
        finally:
            depth -= 1

    def run(v):
        return v * depth

    for v in x:
        with level() as d:
            if v > 1:
                continue
            if v < -1:
                return run(v) * d + depth
    return np.sum(x**2) + depth


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def several_in_one_statement(x):
    log = []

    @contextmanager
    def tag(name):
        t = x[0] * len(log)
        log.append(name)
        try:
            yield t + 1.0
        finally:
            log.append("/" + name)

    with tag("a") as a, tag("b") as b:
        y = a * x + b
        with tag("c") as c:
            y = y * c
    return np.sum(y) * len(log)


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def a_parameter_for_a_while(x):
    params = {"k": 1.0}

    @contextmanager
    def using(k):
        old = params["k"]
        params["k"] = k
        try:
            yield params
        finally:
            params["k"] = old

    with using(x[0]) as p:
        y = p["k"] * x[1]
    return y * params["k"] + x[2]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def made_in_a_nested_function(x):
    def solve(z):
        calls = []

        @contextmanager
        def counted():
            calls.append(1)
            yield lambda t: t * z

        with counted() as g:
            w = g(z[0])
        return np.sum(w) * len(calls)

    return solve(x) + solve(2 * x)


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def functions_that_share_its_variables(x):
    level = 1.0
    total = []

    def read():
        return level

    @contextmanager
    def raised(by):
        nonlocal level
        old = level

        def back():
            return old

        level = level * by
        yield read
        level = back()

    for v in x:
        with raised(v) as r:

            def here():
                return level * r()

            total.append(here())
            with raised(2.0):
                total.append(here() + read())
        total.append(read())
    return sum(t * (k + 1) for k, t in enumerate(total))


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def an_exception_that_passes(x):
    log = []

    @contextmanager
    def tag():
        log.append(x[1])
        try:
            yield
        finally:
            log.append(x[2])

    y = 0.0
    for v in x:
        try:
            with tag():
                if v < 0:
                    raise ValueError("neg")
                y += v
        except ValueError:
            y += 2 * v
    return y * sum(log)


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def made_in_each_iteration(x):
    total, step = 0.0, 0
    while step < len(x):

        @contextmanager
        def scaled(a):
            b = a * step
            yield b * x[2] + 0.3

        with scaled(x[1]) as z, scaled(z) as w:
            total = total + z * w * x[step]
        step += 1
    return total
