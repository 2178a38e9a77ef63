"""``match`` over numbers, texts, sequences, mappings and objects."""

import math
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, vec


@dataclass
class Line:
    slope: float
    start: float


class Wave:
    __match_args__ = ("amplitude", "frequency")

    def __init__(self, amplitude, frequency):
        self.amplitude = amplitude
        self.frequency = frequency


class Zero:
    pass


def value(model, x):
    match model:
        case Line(slope, start):
            return slope * x + start
        case Wave(0.0, _):
            return x * 0.0
        case Wave(amplitude, frequency=k):
            return amplitude * np.sin(k * x)
        case {"kind": "power", "n": n, **rest}:
            return x**n * sum(rest.values())
        case [first, *middle, last] as whole:
            total = first * x + last * x**2 + len(whole)
            for m in middle:
                total = total + m * x**3
            return total
        case float(k) | int(k):
            return k * x**2
        case "sine" | "sin":
            return math.sin(x)
        case None:
            return x
        case _:
            return -x


@at((0.7, 1.3), (0.2, -0.4))
def models(x, k):
    given = [
        *(Line(k, x), Wave(k, 2.0), {"kind": "power", "n": 3, "a": k, "b": x}, (k, 1.0, x, 2.0), [k, x]),
        *(k, 2, "sin", None, Zero(), {"kind": "power"}, (k,)),
    ]
    return sum(value(model, x) for model in given)


@at((0.7, 1.3), (-0.7, 1.3), (0.0, 1.3), (2.0, 1.3), (3.0, 1.3), wrt=(1,))
def numbers_that_the_run_knows(x, k):
    scale = 10.0
    match x:
        case 0.0 | 2.0:
            scale = k
        case 3.0 as found if k > 1.0:
            scale = found * k**2
        case v if v > 0.0:
            scale = k**3
    try_next = 1.0
    match (x, k):
        case (0.7, y):
            try_next = y * y
        case (a, b) if a < 0.0:
            try_next = a * b
        case (a, _):
            try_next += a
    return scale * try_next * k


@at((vec(0.3, -1.7, 0.4), 2), (vec(0.3, 1.7, 2.4), 1), (vec(0.3, 1.7, 2.4), 7))
def in_a_loop(x, mode):
    total = 0.0
    for i, v in enumerate(x):
        match mode, i:
            case 1, 0:
                continue
            case (2, k) if k > 1:
                break
            case (7, _) if v > 2.0:
                return total * v
            case _:
                total += v**2
        total *= 1.1
    return total


@at((0.7, 1.3), (1.7, 1.3))
def names_after_a_guard(x, k):
    bound = k
    match x * k:
        case bound if bound > 2.0:
            k = k * 2.0
        case _:
            pass
    return bound * k


@at((0.7, "cosine"), (0.7, "sine"), (0.7, "tangent"))
def texts(x, name):
    match name:
        case "sine":
            return math.sin(x)
        case "cosine":
            return math.cos(x)
    return x


@at((vec(0.3, 1.7), 0.5))
def arrays_are_no_sequences(x, k):
    match x:
        case [a, b]:
            return a * b
        case np.ndarray(shape=(n,)):
            return np.sum(x) * k * n
    return k
