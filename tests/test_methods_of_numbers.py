"""Methods and subscripts of arrays on numbers of NumPy's, whose tangents and cotangents may be numbers of Python's."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge, program

X = np.array([0.3, 0.7, 1.2])
NUMBERS = ("np.log1p(a ** 2)", "np.hypot(a, 1.0)", "np.interp(a, [0.0, 1.0], x[:2])", "np.maximum(a, x[0])")
METHODS = (
    *("item()", "item(0)", "tolist()", "copy()", "astype(float)", "reshape(1)", "reshape(())", "ravel()", "flatten()"),
    *("squeeze()", "transpose()", "take(0)", "repeat(2)", "sum()", "mean()", "prod()", "cumsum()", "max()", "clip(0.1, 9.0)"),
    *("round(1)", "conj()", "dot(2.0)", "std()"),
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("at", [0.5, np.float64(0.5)], ids=["Python's", "NumPy's"])
def test_both_modes_and_second_order(method: str, at: float) -> None:
    found = "".join(f"    n{k} = np.sum(({number}).{method})\n" for k, number in enumerate(NUMBERS))
    text = f"def f(a, x):\n{found}    return n0 * 2.0 + float(n1) * a + n2 * float(n3)\n"
    verdict = judge(Cell(text, program(text), (at, X)))
    assert verdict.kind == "right", f"{verdict.reason}\n{text}"


@pytest.mark.parametrize("axes", ["()", "None", "...", "..., None", "None, None", "np.newaxis, ..."])
def test_axes_of_length_one(axes: str) -> None:
    for number in (*NUMBERS, "np.float32(a)", "np.sum(x)"):
        text = f"def f(a, x):\n    v = ({number})[{axes}]\n    v *= x[1]\n    return np.sum(v) * a\n"
        verdict = judge(Cell(text, program(text), (0.5, X)))
        assert verdict.kind == "right", f"{verdict.reason}\n{text}"


def test_the_lesser_of_a_number_and_an_array_without_axes() -> None:
    text = "def f(a, x):\n    return np.sum(min([np.array(np.log(a)), x[1]])) * 2.0\n"
    verdict = judge(Cell(text, program(text), (0.5, X)))
    assert verdict.kind == "right", verdict.reason


def test_filling_a_number_changes_nothing() -> None:
    text = "def f(a, x):\n    found = x[0] * a\n    found.fill(9.0)\n    return found * x[1]\n"
    verdict = judge(Cell(text, program(text), (0.5, X)))
    assert verdict.kind == "right", verdict.reason


def test_a_number_beside_an_array_in_a_universal_function_of_the_program() -> None:
    text = (
        "def f(x, a):\n    larger = np.stack((np.roll(x, -1), x)).max(axis=0)\n"
        "    second = np.frompyfunc(lambda t, u: u, 2, 1)\n    return np.sum(second(larger, np.log1p(a ** 2)).astype(float))\n"
    )
    verdict = judge(Cell(text, program(text), (X, 0.5)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("at", [0.5, np.float64(0.5), X], ids=["Python's", "NumPy's", "an array"])
@pytest.mark.parametrize("method", ["__add__", "__mul__", "__truediv__", "__pow__", "__sub__", "__lt__", "__eq__"])
def test_special_methods_asked_for_by_name(method: str, at: object) -> None:
    for other in ("2", "2.0", "True", "1j", "x[0]", "np.float32(2)", "x", "[1.0, 2.0, 3.0]", "None", "'a'", "a"):
        text = f"def f(a, x):\n    return a.{method}({other})\n"
        verdict = judge(Cell(text, program(text), (at, X)))
        assert verdict.kind != "wrong", f"{verdict.reason}\n{text}"
        if other in ("2", "2.0", "a"):
            assert verdict.kind == "right", f"{verdict.reason}\n{text}"


@pytest.mark.parametrize("at", [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5), X])
def test_running_sums_of_what_has_no_axes(at: object) -> None:
    for call in ("np.cumulative_sum(a)", "np.cumulative_prod(a, axis=0)", "np.cumulative_sum(a, include_initial=True)"):
        text = f"def f(a):\n    return {call} * 2.0\n"
        verdict = judge(Cell(text, program(text), (at,)))
        assert verdict.kind == "right", f"{verdict.reason}\n{text}"


@pytest.mark.parametrize("text", ["'ab'", "'%s'", "'%d %s'", "'%(k)s'", "'%%'", "''", "b'ab'", "b'%d'"])
def test_texts_made_by_a_format_raise_what_python_raises(text: str) -> None:
    for given in ("(1,)", "1", "(1, 2)", "{'k': 1}", "[]", "()", "'z'", "None"):
        for result in ("x * len(made)", "x"):
            code = f"def f(x):\n    made = {text} % {given}\n    return {result}\n"
            verdict = judge(Cell(code, program(code), (X,)))
            known = result == "x * len(made)" or given != "{'k': 1}"
            assert verdict.kind == "right" or not known, f"{verdict.reason}\n{code}"


def test_a_number_of_a_class_of_its_own_has_no_cotangent() -> None:
    class Length(float):
        pass

    _, pullback = adxform.vjp(program("def f(x, y):\n    return x * y\n"), 0.5, Length(2.0))
    assert pullback(1.0) == (2.0, None)
