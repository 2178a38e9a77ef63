"""NumPy's integers beyond 64 bits in compiled loops: they wrap, as NumPy's do, and nothing is taken of them that wraps not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import program

_OF_NUMBERS = (
    *("n * 1000 // 1000", "(n + m) > n", "(n - m) < n", "(n * m) % m", "n ** 3 % 1000", "(n * n) // n", "(n + big) // 2"),
    *(
        "np.multiply(n, 1000) // 1000",
        "np.add(n, big) > n",
        "np.subtract(-n, big) < 0",
        "np.square(n) // n",
        "np.power(n, 3) % 1000",
    ),
    *("abs(-n - big - 5)", "(n << 3) >> 3", "max(n + big, n)", "(n + 1) * (n - 1) - n * n", "(n * 1000) / 1000"),
    *("int(n) * 1000 // 1000", "int(n) + int(big) > int(n)", "int(n) ** 3 % 1000", "n * (v > 0.5) * 1000 // 1000"),
    *("sum([n, big, big]) % 1000", "divmod(n * 1000, 1000)[0]", "n * True * 1000 // 1000", "0 - n - n - n > 0"),
)
_OF_ARRAYS = (
    *("np.sum(a * 1000) // 1000", "np.sum(a) > a[0]", "np.prod(a) % 1000", "np.dot(a, a) // 7", "np.cumsum(a)[-1] > 0"),
    *("(a * 1000 // 1000)[i]", "sum(a) > 0", "np.sum(a[i:] * a[i:]) % 1000", "np.sum((a + a) > a)", "(a % 7 * a)[i] // 3"),
)
_NUMBERS = ("n, m, big = a[0], a[1], a[2]", "n, m, big = c, np.int64(12), a[2]", "n, m, big = a[i], a[i] + 1, a[2] - i")
PROGRAMS = [(made, asked) for made in _NUMBERS for asked in _OF_NUMBERS] + [("n = a[i]", asked) for asked in _OF_ARRAYS]


@pytest.mark.parametrize(("made", "asked"), PROGRAMS)
def test_numbers_wrap_as_those_of_numpy(made: str, asked: str) -> None:
    text = (
        "def f(x, a, c):\n    t, total = 0.0, a[0]\n    for i, v in enumerate(x):\n"
        f"        {made}\n        found = {asked}\n        total = total + a[i]\n"
        "        t = t + v * float(found) + v * float(total % 1000) + v * (total > a[i])\n    return t\n"
    )
    f = program(text)
    for large in (2**62 + 12345, 2**40 + 7):
        given: tuple[Any, ...] = np.array([0.7, 0.55, 0.31]), np.array([large, 5, large - 3]), np.int64(large)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that integers overflow is what is asked here
            expected = f(*given)
            found = [adxform.value_and_grad(f, engine=engine)(*given) for engine in ("python", "numba")]
        assert [str(value) for value, _ in found] == [str(expected)] * 2
        np.testing.assert_array_equal(found[0][1], found[1][1])


def test_a_product_that_a_loop_carries() -> None:
    def f(x):
        n = np.int64(3)
        for _ in x:
            n = n * np.int64(4000000000)
        return x[0] * float(n % 1000)

    x = np.array([0.7, 0.55, 0.31])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, slope = adxform.value_and_grad(f, engine="numba")(x)
        assert value == f(x) == 0.7 * 704.0
    assert list(slope) == [704.0, 0.0, 0.0]
