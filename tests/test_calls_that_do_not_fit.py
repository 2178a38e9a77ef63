"""Calls and stores that Python or NumPy does not take, also where nothing needs what they give: the same class of exception."""

from __future__ import annotations

import pytest

import adxform
from tests.tables.cell import Raised, differs, outcome, program

CALLS = (
    "max()",
    "min(key=abs)",
    "max(x, x, default=3)",
    "min(x, 2.0, other=1)",
    "max([x], other=1)",
    "max([], default=x)",
    "max([x, 2.0], default=4)",
    "zip(3.0)",
    "zip([1], x)",
    "enumerate(3.0)",
    "enumerate([1], 3)",
    "map(abs, x)",
    "filter(None, 3)",
    "reversed(x)",
    "reversed(None)",
    "iter(x)",
    "iter(None)",
    "itertools.islice(3, 2)",
    "itertools.accumulate(x)",
    "itertools.chain(3)",
    "itertools.pairwise(x)",
)
STORES = {
    "a complex number in a list": "y[0:2] = [1j, x]",
    "in a tuple": "y[0:2] = (x, 1j)",
    "by places": "y[[0, 1]] = [1j, 2]",
    "among rows": "y.reshape(2, 2)[:] = [[1, 2], [3, 1j]]",
    "one that moves": "y[0:2] = [complex(x), 2]",
    "NumPy's": "y[0:2] = [np.complex128(2 + 1j), x]",
    "real numbers": "y[0:2] = [x, 2 * x]",
}

IN_PLACE = {
    "floats": "k += x",
    "less floats": "k -= x",
    "times": "k *= x",
    "a quotient of whole numbers": "k /= 2",
    "a power": "k **= x",
    "a remainder": "k %= x",
    "a product of matrices": "k @= np.ones((2, 2))",
    "a list": "k += [x, x]",
    "a part": "k[:1] += x",
    "places": "k[[0, 1]] -= x",
    "a mask": "k[k > 3] += x",
    "one element": "k[0] -= x",
    "whole numbers": "k += 3",
    "numbers with a sign": "u = k.astype(np.uint8)\n    u += k",
    "truth values": "b = k > 3\n    b += 1",
    "truth values alone": "b = k > 3\n    b += True",
    "a number as an array": "s = np.sum(k)\n    s[...] += x",
    "a number as a row": "s = np.sum(k)\n    s[None] -= x",
    "complex numbers": "y = k * x\n    y += 1j",
    "handled": "try:\n        k += x\n    except TypeError:\n        x = x * np.sum(k)",
    "of another length": "k += np.ones(3)",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_does_not_fit_raises_though_nothing_needs_it(call: str) -> None:
    function = program(f"def f(x):\n    unused = {call}\n    return x * 2.0\n", itertools=__import__("itertools"))
    plain = outcome(lambda: function(1.5))
    for got in (outcome(lambda: adxform.value_and_grad(function)(1.5)), outcome(lambda: adxform.jvp(function, (1.5,), (1.0,)))):
        assert not differs(plain, got if isinstance(got, Raised) else got[0])


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", STORES)
def test_a_complex_number_in_a_list_does_not_go_into_a_real_array(name: str) -> None:
    function = program(f"def f(x):\n    y = np.ones(4) * x\n    {STORES[name]}\n    return np.sum(y)\n")
    plain = outcome(lambda: function(1.5))
    got = outcome(lambda: adxform.value_and_grad(function)(1.5))
    assert not differs(plain, got if isinstance(got, Raised) else got[0])


def test_a_complex_number_is_a_truth_value_in_an_array_of_those() -> None:
    function = program("def f(x):\n    y = np.array([True, False])\n    y[:] = [1j, 0]\n    return x * np.sum(y)\n")
    assert adxform.value_and_grad(function)(1.5) == (1.5, 1.0)


@pytest.mark.parametrize("name", IN_PLACE)
def test_an_array_that_cannot_hold_a_result_raises_as_numpy_does(name: str) -> None:
    function = program(f"def f(x):\n    k = np.array([3, 4])\n    {IN_PLACE[name]}\n    return x * 2.0\n")
    plain = outcome(lambda: function(1.5))
    for got in (outcome(lambda: adxform.value_and_grad(function)(1.5)), outcome(lambda: adxform.jvp(function, (1.5,), (1.0,)))):
        assert not differs(plain, got if isinstance(got, Raised) else got[0])
