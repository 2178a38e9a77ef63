"""Promise: paths of `solve_ivp` and `odeint` move right, by explicit and implicit methods, at times and from ends that move.

The oracle is differences of SciPy itself, at tolerances finer than those of the differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import integrate

from tests.scipy_judge import Model, judge

FINE = {"rtol": 1e-10, "atol": 1e-12}


def chain(t: Any, y: Any, a: Any) -> Any:
    return [-a * y[0] * t, y[0] - y[1]]


def at_times(p: Any, method: Any) -> Any:
    times = np.array([0.0, 0.3, 0.9]) * p[0] + np.array([0.0, 0.0, 1.0]) * p[1]
    path = integrate.solve_ivp(chain, (0.0, 3.0), [p[1], 1.0], method=method, t_eval=times, args=(p[0],), **FINE)
    return path.y[0, -1] ** 2 + np.sum(path.y) + np.sum(path.t)


def to_an_end(p: Any, method: Any) -> Any:
    path = integrate.solve_ivp(chain, (p[0] * 0.1, 2.0 * p[1]), [p[1], 1.0], method=method, args=(p[0],), **FINE)
    return path.y[0, -1] + path.y[1, -1]


def backwards(p: Any, method: Any) -> Any:
    times = [2.0, 1.5, 0.5 * p[0]]
    path = integrate.solve_ivp(chain, (2.0, 0.5 * p[0]), [p[1], 1.0], method=method, t_eval=times, args=(p[0],), **FINE)
    return path.y[0, -1] + path.y[1, 1]


def along(p: Any, method: Any) -> Any:
    course = integrate.solve_ivp(chain, (0.0, 3.0), [p[1], 1.0], method, dense_output=True, args=(p[0],), **FINE).sol
    return np.sum(course(np.array([2.0, 0.3, 1.1]) * p[0]) ** 2) + course(p[1])[0]


def robertson(p: Any) -> Any:
    """Three reactions whose speeds lie nine orders apart."""

    def speeds(t: Any, y: Any) -> Any:
        first, second, third = np.exp(p[0]) * y[0], np.exp(p[1]) * 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return [second - first, first - second - third, third]

    path = integrate.solve_ivp(speeds, (0.0, 4.0), [1.0, 0.0, 0.0], method="BDF", t_eval=[0.4, 4.0], **FINE)
    return path.y[0, 1] + 1e4 * path.y[1, 0]


PATHS: dict[str, Model] = {
    "times": lambda p: at_times(p, "RK45"),
    "times_of_the_eighth_order": lambda p: at_times(p, "DOP853"),
    "times_of_radau": lambda p: at_times(p, "Radau"),
    "ends": lambda p: to_an_end(p, "DOP853"),
    "ends_of_bdf": lambda p: to_an_end(p, "BDF"),
    "backwards": lambda p: backwards(p, "RK23"),
    "backwards_of_lsoda": lambda p: backwards(p, "LSODA"),
    "dense_output": lambda p: along(p, "RK45"),
    "dense_output_of_the_eighth_order": lambda p: along(p, "DOP853"),
    "odeint": lambda p: np.sum(
        integrate.odeint(lambda y, t: chain(t, y, p[0]), [p[1], 1.0], np.array([0.1, 0.3, 2.0]) * p[0], rtol=1e-11, atol=1e-11)
        ** 2
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_paths(name: str) -> None:
    second = name in ("times", "times_of_radau", "dense_output", "odeint")
    judge(PATHS[name], np.array([0.9, 1.2]), step=1e-2, rtol=1e-5, second=second)


def test_stiff_reactions() -> None:
    judge(robertson, np.array([-3.2, 0.1]), step=1e-2, rtol=1e-5)


def test_an_end_that_is_a_fixed_time_too() -> None:
    """Where the end moves and a time does not, the place at that time stays, though it is the end as well."""

    def last(p: Any) -> Any:
        return integrate.solve_ivp(chain, (0.0, p[1]), [1.0, 0.5], t_eval=[0.5, 1.0], args=(p[0],), **FINE).y[1, -1]

    at_the_end, beyond = (adxform.grad(last)(np.array([0.9, end])) for end in (1.0, 1.0 + 1e-6))
    np.testing.assert_allclose(at_the_end, beyond, atol=1e-6)
    assert abs(beyond[1]) < 1e-6


def test_paths_without_a_step() -> None:
    def stays(p: Any) -> Any:
        return np.sum(integrate.odeint(lambda y, t: -p[0] * y, p[1], np.zeros(2)) ** 2)

    def begins(p: Any) -> Any:
        return integrate.solve_ivp(chain, (0.5, 0.5 * p[1] / 1.2), [p[0], 1.0], args=(p[0],)).y[1, -1]

    judge(stays, np.array([0.9, 1.2]))
    p = np.array([0.9, 1.2])
    np.testing.assert_allclose(adxform.grad(begins)(p), adxform.grad(begins)(p + np.array([0.0, 1e-9])), atol=1e-6)


@pytest.mark.parametrize("method", ["RK45", "Radau"])
def test_paths_that_begin_in_single_precision(method: str) -> None:
    def last(y0: Any) -> Any:
        return integrate.solve_ivp(chain, (0.0, 1.0), y0, method, args=(0.9,), **FINE).y[1, -1]

    single, double = (np.array([0.75, 1.25], kind) for kind in (np.float32, np.float64))
    value, gradient = adxform.value_and_grad(last)(single)
    assert value == last(single)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, adxform.grad(last)(double), rtol=1e-6)


def test_a_course_beyond_the_times_that_are_asked_for() -> None:
    def between(p: Any) -> Any:
        path = integrate.solve_ivp(chain, (0.0, 3.0), [p[1], 1.0], t_eval=[1.0, 2.0], dense_output=True, args=(p[0],), **FINE)
        return path.sol(2.5)[1] + path.y[0, 1]

    judge(between, np.array([0.9, 1.2]), step=1e-2, rtol=1e-5)


def changed_since(p: Any) -> Any:
    rates = p * 1.0
    path = integrate.solve_ivp(lambda t, y: -rates * y, (0.0, 1.0), [1.0, 2.0], dense_output=True)
    rates[0] = 5.0
    return path.sol(0.5)[0]


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (lambda p: integrate.solve_ivp(lambda t, y: -p[0] * y, (0, 1), [1.0], "Euler").y[0, -1], adxform.AdxError, "SciPy names"),
        (
            lambda p: integrate.solve_ivp(chain, (0, 1), p, args=(1.0,), dense_output=True).sol(2.0)[0],
            RuntimeError,
            "between its",
        ),
        (lambda p: np.sum(integrate.solve_ivp(chain, (0, 1), p, args=(1.0,), t_eval=[]).y), RuntimeError, "asked for no time"),
        (lambda p: np.sum(integrate.solve_ivp(chain, (0, 1), p, "BDF", [], args=(1.0,)).y), RuntimeError, "asked for no time"),
        (changed_since, RuntimeError, "has changed since"),
    ],
)
def test_what_is_refused(model: Model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(np.array([0.9, 1.2]))
