"""What Python's modules `statistics`, `math` and `cmath` give of floats has the value of the plain call and the right derivative.

The judge is that of the tables: the bits of the plain call, both modes, second order, and differences.
"""

from __future__ import annotations

import cmath
import math
import statistics
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from tests.tables.cell import Cell, judge, program

NAMES = {"statistics": statistics, "math": math, "cmath": cmath}
X = np.array([0.4, 2.7, 1.1, 3.3, 0.9])

CALLS = (
    "statistics.mean(d)",
    "statistics.fmean(d)",
    "statistics.fmean(d, [x[1], 2.0, x[0], 0.5, 1.0])",
    "statistics.geometric_mean(d)",
    "statistics.harmonic_mean(d)",
    "statistics.harmonic_mean(d, weights=[x[1], 2.0, x[0], 0.5, 1.0])",
    "statistics.median(d)",
    "statistics.median(d[:4])",
    "statistics.median_low(d[:4])",
    "statistics.median_high(d[:4])",
    "statistics.pvariance(d)",
    "statistics.pvariance(d, x[3])",
    "statistics.variance(d)",
    "statistics.variance(d, xbar=x[3])",
    "statistics.pstdev(d)",
    "statistics.pstdev(d, x[3])",
    "statistics.stdev(d)",
    "statistics.stdev(d, x[3])",
    "statistics.stdev([v for v in x if v > 1.0])",
    "statistics.covariance(d, [v * v for v in d])",
    "statistics.correlation(d, [v * v for v in d])",
    "statistics.linear_regression(d, [v * v for v in d]).slope",
    "sum(statistics.quantiles(d))",
    "statistics.quantiles(d, n=7)[4] * statistics.quantiles(d, n=7)[0]",
    "statistics.quantiles(d, n=10, method='inclusive')[6]",
    "math.frexp(d[1])[0] * d[1] + math.frexp(d[1])[1] * d[2]",
    "math.modf(d[1])[0] * d[1] + math.modf(d[1])[1] * d[2]",
    "math.ldexp(d[1], 3) * d[1]",
    "math.nextafter(d[1], d[2]) * d[1]",
    "math.ulp(1.0) * d[1] ** 2",
    "cmath.polar(complex(d[1], d[2]))[0] * cmath.polar(complex(d[2], d[3]))[1]",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("data", ["list(x)", "[float(v) for v in x]"])
def test_a_call_has_its_value_and_its_derivatives(call: str, data: str) -> None:
    f = program(f"def f(x):\n    d = {data}\n    return {call}\n", **NAMES)
    verdict = judge(Cell(call, f, (X,)))
    assert verdict.kind == "right", verdict


def test_a_spread_of_equal_numbers_has_slope_zero() -> None:
    f = program("def f(x):\n    return statistics.stdev([x, x, x])\n", **NAMES)
    assert adxform.grad(f)(0.1) == 0.0


def test_a_harmonic_mean_with_a_zero_has_no_derivative() -> None:
    f = program("def f(x):\n    return statistics.harmonic_mean([x, 2.0])\n", **NAMES)
    with pytest.raises(ValueError, match="no derivative where a number is zero"):
        adxform.grad(f)(0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("statistics.mode([x, x, 1.0])", "most often"),
        ("statistics.NormalDist(x, 1.0).mean", "an object"),
        ("statistics.median_grouped([x, 1.0, 2.0])", "middles of intervals"),
    ],
)
def test_what_is_refused_says_why(call: str, words: str) -> None:
    f: Any = program(f"def f(x):\n    return {call}\n", **NAMES)
    with pytest.raises(MissingRuleError, match=words) as caught:
        adxform.grad(f)(0.7)
    assert caught.value.help
    assert caught.value.span.line == 2
