"""Containers that are one object by two names, and what is reached without a name: what was found wrong once."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, UnsupportedOperationError
from tests.tables.cell import Cell, judge, program

X = 1.3


def agrees(loss: Callable[..., Any], *given: Any) -> None:
    """The value and the slope of `loss` are those of the plain function, which is a multiple of `x * x`, or `x`."""
    expected = loss(X, *given)
    slope = 1.0 if expected == X else 2 * expected / X
    assert adxform.value_and_grad(loss)(X, *given) == pytest.approx((expected, slope))


@pytest.mark.parametrize("made", ["[1.0]", "{'k': 1.0}", "(1.0, [2.0])", "[float('nan')]"])
@pytest.mark.parametrize("asked", ["a is b", "a in [b]", "[a] == [b]", "(lambda p, q: p is q)(a, b)"])
def test_one_container_by_two_names(made: str, asked: str) -> None:
    loss = program(f"a = {made}\nb = a\ndef f(x):\n    return x * x if {asked} else x\n")
    agrees(loss)
    agrees(loss)
    exec(f"b = {made}", loss.__globals__)
    agrees(loss)
    exec("b = a", loss.__globals__)
    agrees(loss)


@pytest.mark.parametrize("asked", ["p is q", "p[0] is q[0]", "p == q"])
def test_one_container_given_twice(asked: str) -> None:
    loss = program(f"def f(x, p, q):\n    return x * x if {asked} else x\n")
    p, q, nan = [[1.0]], [[1.0]], [[float("nan")]]
    for given in ((p, p), (p, q), (p, p), (p, [p[0]]), (nan, nan), (nan, [[float("nan")]]), (nan, nan)):
        agrees(loss, *given)


def test_a_missing_number_is_in_a_list_of_itself() -> None:
    loss = program("n = float('nan')\nL = [n]\ndef f(x):\n    return x * x if n in L else x\n")
    agrees(loss)
    exec("n = float('nan')", loss.__globals__)
    agrees(loss)


def test_tuples_that_are_given_are_not_told_apart() -> None:
    loss = program("def f(x, p, q):\n    return x * x if p is q else x\n")
    with pytest.raises(UnsupportedOperationError, match="one object"):
        adxform.grad(loss)(X, (1.0,), (1.0,))
    agrees(loss, (1.0,), (1.0, 2.0))


@pytest.mark.parametrize("change", ["p.append(2.0)", "p[0] = 2.0", "for _ in range(3): p.append(x)"])
def test_an_argument_that_is_changed_is_not_read_by_another_name(change: str) -> None:
    loss = program(f"V = [1.0]\ndef f(x, p):\n    {change}\n    return x * V[0] * len(V)\n")
    with pytest.raises(UnsupportedOperationError, match="may be the same object as `V`"):
        adxform.grad(loss)(X, loss.__globals__["V"])
    other = program(f"V = [1.0]\ndef f(x, p, q):\n    {change}\n    return x * q[0] * len(q)\n")
    assert adxform.value_and_grad(other)(X, [1.0], [1.0])[0] == X
    same = [1.0]
    with pytest.raises(UnsupportedOperationError, match="held in another place"):
        adxform.grad(other)(X, same, same)


STATE = """
import enum
class A:
    k = 2.0
    def __call__(self, x): return self.k * x * x
a = A()
W = [1.0]
def g(x): return W[0] * x * x
def h(x): return 5 * x * x
class T(tuple): pass
class E(enum.Enum):
    U = 1.0
E.U.w = 1.0
"""
REACHED = {
    "a key of a dict": ("D = {a: 1}", "sum([q.k * x * x for q in D])", "a.k = 9.0"),
    "a class for a key": ("D = {A: 1}", "sum([q.k * x * x for q in D])", "A.k = 9.0"),
    "a function for a key": ("D = {g: 1}", "sum([q(x) for q in D])", "W[0] = 9.0"),
    "its code": ("D = {g: 1}", "sum([q(x) for q in D])", "g.__code__ = h.__code__"),
    "a key that is taken": ("D = {a: 1}", "dict(D).popitem()[0].k * x * x", "a.k = 9.0"),
    "a key in a tuple": ("D = {(a, 1): 1}", "sum([q.k * x * x for q, _ in D])", "a.k = 9.0"),
    "an item of a subclass of tuple": ("D = T((W,))", "sum([q[0] * x * x for q in D])", "W[0] = 9.0"),
    "how many it has": ("D = T((W,))", "sum([len(q) * x * x for q in D])", "W.append(9.0)"),
    "a member of an enum": ("", "sum([q.w * x * x for q in E])", "E.U.w = 9.0"),
    "what is sorted by": ("a.k = 2; b = A(); b.k = 3", "sorted([a, b], key=lambda q: q.k)[0].k * x * x", "a.k = 9"),
    "what a class goes through": (
        "R = [1.0]\nclass M(type):\n    def __iter__(cls): return iter(R)\nclass G(metaclass=M): pass",
        "sum([v * x * x for v in G])",
        "R.append(2.0)",
    ),
    "the kind of a key": ("D = {1: 2.0}", "sum([x * x if isinstance(q, bool) else x for q in D])", "D = {True: 2.0}"),
}


@pytest.mark.parametrize("reached", REACHED)
def test_what_is_reached_without_a_name(reached: str) -> None:
    setup, asked, change = REACHED[reached]
    loss = program(f"{STATE}\n{setup}\ndef f(x):\n    return {asked}\n")
    agrees(loss)
    exec(change, loss.__globals__)
    agrees(loss)


@pytest.mark.parametrize("statement", ["import adx_m", "import adx_m.s as adx_m", "from adx_m import s as adx_m"])
def test_a_module_is_looked_up_by_each_call(statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def module(k: float) -> None:
        top, inner = types.ModuleType("adx_m"), types.ModuleType("adx_m.s")
        vars(top).update(k=k, s=inner)
        vars(inner).update(k=3 * k)
        monkeypatch.setitem(sys.modules, "adx_m", top)
        monkeypatch.setitem(sys.modules, "adx_m.s", inner)

    loss = program(f"def f(x):\n    {statement}\n    return adx_m.k * x * x\n")
    for k in (2.0, 5.0):
        module(k)
        agrees(loss)


WRITTEN = {
    "init": ("@dataclass(init=False)\nclass A:\n    k: float\n    def __init__(self, k): self.k = 3 * k", "A(x).k * x"),
    "eq": ("@dataclass\nclass A:\n    k: float\n    def __eq__(self, o): return False", "x * x if A(x) == A(x) else x"),
    "lt": ("@dataclass\nclass A:\n    k: float\n    def __lt__(self, o): return False", "x * x if A(x) < A(x) else x"),
    "mul": ("class A:\n    def __mul__(self, o): return o * o\nc = A()", "c * x"),
    "new": ("class A(namedtuple('A', 'k')):\n    def __new__(cls, k): return tuple.__new__(cls, (3 * k,))", "A(x).k * x"),
    "nothing": ("@dataclass(order=True)\nclass A:\n    k: float", "A(x).k * x if A(x) <= A(x) else x"),
    "no method": ("A = namedtuple('A', 'k j', defaults=(2.0,))", "A(x).k * A(x).j * x"),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_methods_of_classes_from_exec(written: str) -> None:
    body, asked = WRITTEN[written]
    head = "from collections import namedtuple\nfrom dataclasses import dataclass\n"
    loss = program(f"exec('''{head}{body.replace(chr(39) * 3, '')}''')\ndef f(x):\n    return {asked}\n")
    if written in ("nothing", "no method"):
        agrees(loss)
    else:
        with pytest.raises(AdxError, match=r"cannot be found|cannot look into|defines `__new__`"):
            adxform.grad(loss)(X)


@pytest.mark.parametrize("cls", ["Flag", "IntFlag"])
@pytest.mark.parametrize("asked", ["e & E.B", "z", "not z", "E.A in e", "z == E(0)"])
def test_empty_flags(cls: str, asked: str) -> None:
    flags = f"import enum\nclass E(enum.{cls}):\n    A = 1\n    B = 2\ne, z = E.A, E(0)\n"
    loss = program(f"{flags}def f(x):\n    return x * x if {asked} else x\n")
    agrees(loss)
    exec("e, z = E.B, E.A", loss.__globals__)
    agrees(loss)


@pytest.mark.parametrize("asked", ["({}) is True", "({}) is not True", "({}) is False", "(lambda t: t is True)({})"])
@pytest.mark.parametrize("truth", ["v > 1.0 and x > 0.5", "x > 5.0 or v > 1.0", "x > 0.5 if v > 1.0 else v > 2.0", "0.1 < x < v"])
def test_a_truth_value_of_pythons_or_of_numpys_is_not_told_from_true(truth: str, asked: str) -> None:
    loss = program(f"def f(x, v):\n    return x * x if {asked.format(truth)} else x\n")
    with pytest.raises(UnsupportedOperationError, match="one object"):
        adxform.grad(loss)(X, np.float64(1.7))
    agrees(program(f"def f(x, v):\n    return x * x if {asked.format(f'bool({truth})')} else x\n"), np.float64(1.7))


_COMPUTED_TWICE = (
    "a = x * 2\n    b = x * 2",
    "a = x[1:]\n    b = x[1:]",
    "a = np.zeros(3)\n    b = np.zeros(3)",
    "a = x * 2\n    b = a if x[0] > 0.5 else x * 2",
    "a = x * 2\n    b = a if x[0] > 0.9 else x * 2",
    "a, b = x * 2, x\n    for v in x:\n        b = x * 2",
    "a = x * 2\n    b = [a, x * 2][1]",
    "a = x * 2\n    b = a[:]\n    a[0] = x[1]",
    "a = x * 2\n    b = a.reshape(-1)\n    for k in range(3):\n        b[k] *= x[k]",
)


@pytest.mark.parametrize("made", _COMPUTED_TWICE)
@pytest.mark.parametrize("asked", ["a is b", "a is not b"])
@pytest.mark.parametrize("engine", ["python", "numba"])
def test_equal_arrays_are_not_one_object(made: str, asked: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_ENGINE", engine)
    text = f"def f(x):\n    {made}\n    return np.sum(x**2) * (2.0 if {asked} else 3.0) + np.sum(a) * np.sum(b)\n"
    verdict = judge(Cell(text, program(text), (np.array([0.7, 0.55, 0.31]),)))
    assert verdict.kind == "right", f"{verdict.reason}\n{text}"


class Told:
    """An object whose methods are asked what they are."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    @classmethod
    def built(cls, scale: float) -> Told:
        return cls(scale)

    def go(self, x: Any) -> Any:
        return self.scale * x


TOLD = Told(2.0)


def test_methods_from_outside_have_their_own_hashes_and_texts() -> None:
    def program(x: Any) -> Any:
        alike = (hash(Told.built) == hash(Told.built)) + (hash(TOLD.go) == hash(TOLD.go))
        return x[0] * (alike + len(str(Told.built)) + len(f"{TOLD.go}")) + np.sum(TOLD.go(x))

    x = np.array([0.7, 1.3, 0.4])
    value, gradient = adxform.value_and_grad(program)(x)
    assert value == program(x)
    np.testing.assert_allclose(gradient, [2.0 + len(str(Told.built)) + len(str(TOLD.go)) + 2.0, 2.0, 2.0])


class SameNumber:
    """Equal to whatever has the same number, which may change."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameNumber) and self.number == other.number

    def __hash__(self) -> int:
        return 1


FIRST, SECOND = SameNumber(1), SameNumber(1)
HALF, QUARTERS, THIRD = Fraction(1, 2), Fraction(2, 4), Fraction(1, 3)


def test_keys_of_libraries_are_displayed_and_those_that_may_become_equal_are_not() -> None:
    def of_libraries(x: Any) -> Any:
        return sum(float(key) * value for key, value in {HALF: x[0], QUARTERS: x[1], THIRD: x[2]}.items())

    def of_the_program(x: Any) -> Any:
        return sum({FIRST: x[0], SECOND: x[1]}.values())

    assert judge(Cell("keys", of_libraries, (np.array([0.7, 1.3, 0.4]),))).kind == "right"
    with pytest.raises(UnsupportedOperationError, match="which defines `__eq__`, is a dict key"):
        adxform.grad(of_the_program)(np.array([0.7, 1.3, 0.4]))
