"""Rules of users that return what they should not, by what they do wrong: refused by name and place, in each mode and order.

A rule that is odd but right gives the right derivative. No cell may give a number that is not, or an error that is not adxform's.
"""

from __future__ import annotations

import copy
import itertools
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import adxform
from adxform.errors import AdxError, VerificationError
from tests.tables.cell import Cell, outcome, program

XS: dict[str, Any] = {
    "float": 0.3,
    "float64": np.float64(0.3),
    "vector": np.array([0.3, 0.7, 1.1]),
    "single": np.array([0.3, 0.7, 1.1], dtype=np.float32),
    "one": np.array([0.3]),
    "matrix": np.array([[0.3, 0.7], [0.2, 0.4]]),
    "0-d": np.array(0.3),
}
WRONG: dict[str, str] = {
    "a sum": "(np.sum(ct * c),)",
    "a bare sum": "np.sum(ct * c)",
    "the first": "(np.ravel(ct * c)[0],)",
    "an axis more": "((ct * c)[None],)",
    "an axis more of length one": "(np.reshape(ct * c, np.shape(ct) + (1,)),)",
    "three": "(np.ones(3) * np.sum(ct),)",
    "seven": "(np.ones(7) * np.sum(ct),)",
    "a constant": "(2.0,)",
    "an array that is always the same": "(c * 1.0,)",
    "what adds an array": "(ct * c + c,)",
    "what takes an array away": "(ct - c,)",
    "what adds a number": "(ct * c + 1.0,)",
    "one cotangent more": "(ct * c, ct)",
    "a tuple inside": "((ct * c, ct),)",
    "None": "(None,)",
    "no cotangent": "()",
    "text": "('a',)",
    "a function": "(np.sin,)",
    "a list": "([ct * c],)",
    "a dict": "({'x': ct * c},)",
    "integers": "(np.ones(np.shape(x), dtype=int),)",
    "truth values": "(ct > 0,)",
    "complex numbers": "(ct * c * 1j,)",
    "what is picked": "(np.atleast_1d(ct * c)[np.atleast_1d(x) > 0.5],)",
}
RIGHT: dict[str, str] = {
    "a tuple": "(ct * c,)",
    "a bare cotangent": "ct * c",
    "a copy": "(np.array(ct * c),)",
    "by a branch": "(ct * c if np.sum(x) > 0 else c * ct,)",
    "picked all": "(np.reshape(np.atleast_1d(ct * c)[np.atleast_1d(x) > -5.0], np.shape(x)),)",
}
NOT_LINEAR: dict[str, str] = {
    "a square": "(ct * ct,)",
    "what is clipped": "(np.clip(ct, -0.5, 0.5) * c,)",
    "a function of it": "(np.sin(ct) * c,)",
    "a quotient of it": "(c / ct,)",
}
WRITES: dict[str, str] = {
    "the cotangent": "ct *= c",
    "an element of the cotangent": "ct[...] = ct * c",
    "a view of the cotangent": "v = np.reshape(ct, -1)\n        v *= 2.0",
    "the cotangent by out": "np.multiply(ct, c, out=ct)",
    "an argument": "x *= 2.0",
    "a value of the forward part": "c *= 2.0",
}
FORWARD_WRITES: dict[str, str] = {
    "in place": "x *= 2.0",
    "an element": "x[...] = 0.0",
    "a view": "v = np.reshape(x, -1)\n    v[0] = 2.0",
    "by out": "np.multiply(x, 2.0, out=x)",
    "in a branch": "if np.sum(x) > -50.0:\n        x += 1.0",
    "by a helper": "scribble(x)",
    "by an unknown function": "np.random.default_rng(0).shuffle(x)",
    "by a method": "x.sort()",
    "what may be it": "v = x if np.sum(x) > -50.0 else c\n    v[...] = 2.0",
    "by a function that nothing is known of": "sorts(x)",
    "a copy": "x = x.copy()\n    x += 1.0",
}
VALUES: dict[str, str] = {
    "a value without pullback": "return np.sin(x)",
    "a pullback alone": "return pullback",
    "three things": "return np.sin(x), pullback, x",
    "two values": "return (np.sin(x), x), pullback",
    "no function": "return np.sin(x), c",
    "the sum for the value": "return np.sum(np.sin(x)), pullback",
    "None": "return None",
}
MODES: dict[str, Callable[[Any, Any], Any]] = {
    "reverse": lambda f, x: adxform.grad(f)(x),
    "forward": lambda f, x: adxform.jvp(f, (x,), (x * 0 + 1,))[1],
    "second": lambda f, x: adxform.hvp(f)(x, x * 0 + 1),
    "prepared": lambda f, x: adxform.prepare_gradient(f, x)(x),
}
EXPECTED: dict[str, Callable[[Any], Any]] = {
    "reverse": np.cos,
    "forward": lambda x: np.sum(np.cos(x)),
    "second": lambda x: -np.sin(x),
    "prepared": np.cos,
}


def text(returned: str, before: str = "pass", value: str = "return np.sin(x), pullback") -> str:
    """The source of a function `f` that calls one with a rule like this."""
    return f"""
def wave(x):
    return np.sin(x)
def wave_rule(x):
    c = np.cos(x)
    def pullback(ct):
        {before}
        return {returned}
    {value}
adxform.rule(wave, boundary=boundary)(wave_rule)
def f(x):
    return np.sum(wave(x))
"""


def forward_text(statement: str) -> str:
    """The source of a function `f` that reads again what it has given to one with a rule whose forward part does this."""
    return f"""
def scribble(x):
    x[...] = 3.0
def wave(x):
    return np.sin(x)
def wave_rule(x):
    c, y = np.cos(x), np.sin(x)
    {statement}
    def pullback(ct):
        return (ct * c,)
    return y, pullback
adxform.rule(wave, boundary=boundary)(wave_rule)
def f(x):
    y = x * 1.0
    return np.sum(wave(y)) + np.sum(y ** 2 * 0.5) - np.sum(x ** 2 * 0.5)
"""


def cells() -> Iterator[Cell]:
    """Each kind of rule, expanded and behind a boundary, in each mode."""
    programs = {f"returns {name}": text(returned) for name, returned in {**WRONG, **RIGHT}.items()}
    programs |= {f"writes to {name}": text("(ct * c,)", before) for name, before in WRITES.items()}
    programs |= {f"writes in its forward part {name}": forward_text(statement) for name, statement in FORWARD_WRITES.items()}
    programs |= {f"is {name}": text("(ct * c,)", value=value) for name, value in VALUES.items()}
    for (name, returned), boundary, (kind, x) in itertools.product(NOT_LINEAR.items(), (False, True), XS.items()):
        judge = partial(checked, text(returned), boundary, x, "forward")
        yield Cell(f"returns {name}, {'boundary' if boundary else 'expanded'}, {kind}, forward", np.sin, (x,), judged_by=judge)
    for (name, source), boundary, (kind, x), mode in itertools.product(programs.items(), (False, True), XS.items(), MODES):
        if (name.startswith("writes") and np.ndim(x) == 0) or (name.endswith("three") and np.shape(x) == (3,)):
            continue  # a number is not written to; three are the right number
        judge = partial(checked, source, boundary, x, mode)
        yield Cell(f"{name}, {'boundary' if boundary else 'expanded'}, {kind}, {mode}", np.sin, (x,), judged_by=judge)
    yield from _owners()


OWNER = """
class K:
    def __init__(self, k):
        self.k = k
    def plain(self, x, n=2):
        return x ** n
    @classmethod
    def of_class(cls, x, n=2):
        return x ** n
    @staticmethod
    def static(x, n=2):
        return x ** n
    def __call__(self, x, n=2):
        return x ** n
class L(K):
    pass
def function(x, n=2):
    return x ** n
def only_by_name(x, *, n=2):
    return x ** n
o, other, sub = K(2.0), K(3.0), L(4.0)
held = [o.plain]
def {body}:
    def pullback(ct):
        return {returned}
    return x ** n, pullback
adxform.rule({owner}, boundary=boundary)({name})
def f(x):
    return np.sum({call})
"""
# What a rule is registered for, and what is called: whether that is the same, so that the rule's derivative shows.
OWNERS: tuple[tuple[str, str, bool], ...] = (
    ("K.of_class", "K.of_class", True),
    ("K.of_class", "o.of_class", True),
    ("K.of_class", "L.of_class", False),
    ("K.of_class", "sub.of_class", False),
    ("K.of_class", "K(5.0).of_class", True),
    ("K.static", "K.static", True),
    ("K.static", "o.static", True),
    ("K.static", "sub.static", True),
    ("o.plain", "o.plain", True),
    ("o.plain", "held[0]", True),
    ("o.plain", "other.plain", False),
    ("o.plain", "K(2.0).plain", False),
    ("K.plain", "o.plain", True),
    ("K.plain", "sub.plain", True),
    ("o", "o", True),
    ("o", "other", False),
    ("function", "function", True),
    ("only_by_name", "only_by_name", True),
)
CALLS = {"(x)": 2, "(x, 3)": 3, "(x, n=3)": 3, "(n=3, x=x)": 3, "(x=x)": 2}
BODIES = {"with a default": "(x, n=2)", "without a default": "(x, n)"}


def _owners() -> Iterator[Cell]:
    """Rules for methods of every kind, and calls in every form: taken where the function is called, and nowhere else."""
    for (owner, called, same), (form, power), (body, parameters), boundary, mode in itertools.product(
        OWNERS, CALLS.items(), BODIES.items(), (False, True), MODES
    ):
        if owner == "only_by_name" and form == "(x, 3)":
            continue
        parameters = parameters.replace("n", "*, n", 1) if owner == "only_by_name" else parameters
        parameters = parameters.replace("(", "(self, ") if owner == "K.plain" else parameters
        name = f"rule_of{parameters}"
        returned = "None, ct * 50.0 * n" if owner == "K.plain" else "ct * 50.0 * n"
        source = OWNER.format(body=name, owner=owner, name="rule_of", call=called + form, returned=returned)
        check = partial(_checked_owner, source, boundary, same, power, mode)
        kind = "boundary" if boundary else "expanded"
        yield Cell(f"{owner} called as {called}{form}, rule {body}, {kind}, {mode}", np.sin, (0.7,), judged_by=check)


def _checked_owner(source: str, boundary: bool, same: bool, power: int, mode: str, cell: Cell) -> tuple[str, str]:
    """The rule's derivative, or that of the function: they are not alike."""
    f, x = program(source, adxform=adxform, boundary=boundary), np.array([0.7, 1.3])
    got = outcome(lambda: MODES[mode](f, x))
    error = getattr(got, "error", None)
    if isinstance(error, AdxError) and not isinstance(error, VerificationError):
        return ("refused", error.message) if error.span.line else ("wrong", f"without a place: {error.message}")
    if error is not None:
        return "wrong", f"raises {error!r}"
    gradient, second = (
        (x * 0 + 50.0 * power, x * 0) if same else (power * x ** (power - 1), power * (power - 1) * x ** (power - 2))
    )
    expected = {"second": second, "forward": np.sum(gradient)}.get(mode, gradient)
    return ("right", "") if np.allclose(got, expected) else ("wrong", f"{got!r}, not {expected!r}")


def checked(source: str, boundary: bool, x: Any, mode: str, cell: Cell) -> tuple[str, str]:
    """The right derivative, or an error of adxform that has a place and names the rule or the function."""
    f = program(source, adxform=adxform, boundary=boundary, sorts=operator.methodcaller("sort"))
    before = copy.copy(x)
    got = outcome(lambda: MODES[mode](f, x))
    if not np.array_equal(before, x):
        return "wrong", f"the argument is {x!r}, it was {before!r}"
    error = getattr(got, "error", None)
    if isinstance(error, AdxError) and not isinstance(error, VerificationError):
        named = "wave" in error.message or "pullback" in error.message or "adxform:" not in error.message
        return ("refused", error.code) if error.span.line and named else ("wrong", f"{error.message!r} at {error.span.line}")
    if error is not None:
        return "wrong", f"raises {error!r}"
    expected = EXPECTED[mode](x)
    fits = np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=1e-5)
    return ("right", "") if fits else ("wrong", f"{got!r}, not {expected!r}")
