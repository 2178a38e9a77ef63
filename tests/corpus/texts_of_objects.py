"""Texts of objects, what functions say of their own code, matches in a text, and complex numbers in order."""

import logging
import re

from tests.corpus.case import at, vec

VALUES = vec(0.7, 0.3, 1.1)
SETTING = re.compile(r"(\w+)=(\d+)")


class Model:
    def __init__(self, gain):
        self.gain = gain

    def __repr__(self):
        return f"Model({self.gain})"


class Loss:
    def __str__(self):
        return type(self).__name__.lower()


class Huber(Loss):
    def __init__(self, c):
        self.c = c


class Cauchy(Loss):
    pass


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __format__(self, spec):
        return f"({self.a:{spec or '.2f'}}, {self.b:.1f})"


@at((VALUES,))
def named_by_their_texts(x):
    found = {str(loss): value**2 for loss, value in zip((Huber(x[0]), Cauchy()), (x[1], x[2]))}
    names = {f"{Model(1)!r}": x[0], repr(Model(2)): x[1]}
    return found["huber"] * found["cauchy"] + names["Model(1)"] * names["Model(2)"]


@at((VALUES,))
def written_to_a_log(x):
    model, loss = Model(x[0]), Huber(x[1])
    logging.debug("%d%% of %r, by %s", 5, model, loss)
    text = f"{Vector(x[0], x[1]):.3f} {Vector(x[1], 2.0)}"
    return model.gain**2 * loss.c + len(text) * x[2]


@at((VALUES,))
def arguments_by_the_names_of_parameters(x):
    scale = x[2]
    formula = lambda a, b: scale * a * b**2
    known = {"a": x[0], "b": x[1]}
    names = formula.__code__.co_varnames[: formula.__code__.co_argcount]
    return formula(*(known[name] for name in names)) * len(formula.__name__)


def tokens(text):
    for match in re.finditer(r"\s*(?:(\d+)|(.))", text):
        number, sign = match.groups()
        yield ("number", float(number)) if number else ("sign", sign)


@at((VALUES,))
def matches_in_a_text(x):
    total = 0.0
    for kind, found in list(tokens("1 + 2")):
        total += found * x[0] ** 2 if kind == "number" else x[1]
    for match in SETTING.finditer("a=1 b=2"):
        total += float(match[2]) * x[2] if match[1] == "a" else x[1] * match.start()
    return total


@at((VALUES,), (vec(1.1, 0.3, 0.2),))
def complex_numbers_by_a_key(x):
    roots = sorted([x[0] + 1j * x[1], complex(x[1], 2.0), complex(x[2], x[0])], key=lambda r: (round(r.imag, 6), r.real))
    mixed = sorted([x[0] + 1j * x[1], x[2], 3], key=lambda r: abs(r - 1.0))
    return abs(roots[0]) + 2.0 * abs(roots[1]) ** 2 + abs(mixed[0]) ** 2 + 3.0 * abs(mixed[2])


@at((VALUES,))
def a_log_that_grows(x):
    log, k = f"start {x}", 0
    while k < 3 and x[0] < 2.0:
        x = x * 1.3
        if x[1] > 0.5:
            log += f"{k}: {x[1]:.3f}; "
        k += 1
    log += "end"
    return (x * x).sum() * (len(log) > 0)


@at((VALUES,))
def a_text_that_each_path_adds_to(x):
    text = f"total {x.sum()}"
    if x[0] > 0.5:
        text += " large"
    else:
        text += f" of {len(x)}"
    text += "."
    return (x**3).sum() * (len(text) > 0)
