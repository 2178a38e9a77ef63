"""Promise: events of `solve_ivp` move right, in time and place, by every method, where they end the path and where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import integrate

from tests.scipy_judge import Model, judge

FINE = {"rtol": 1e-10, "atol": 1e-12}
METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
P = np.array([1.3, 0.7])


def swing(t: Any, y: Any, w: Any) -> Any:
    return [y[1], -w * y[0] - 0.1 * y[1]]


def downwards(t: Any, y: Any, w: Any) -> Any:
    return y[0]


def slow(t: Any, y: Any, w: Any) -> Any:
    return y[1] + 0.3 * w


def never(t: Any, y: Any, w: Any) -> Any:
    return y[0] + 100.0


def twice(t: Any, y: Any, w: Any) -> Any:
    return y[0] - 0.2


downwards.direction = -1  # type: ignore[attr-defined]
twice.terminal = 2  # type: ignore[attr-defined]


def passed(p: Any, method: Any) -> Any:
    path = integrate.solve_ivp(swing, (0.0, 8.0), [p[1], 0.1], method, args=(p[0],), events=[downwards, slow, never], **FINE)
    first, second = path.t_events[0], path["t_events"][1]
    told = np.sum(first**2) + np.sum(second) + len(path.t_events[2]) + path.status
    return told + np.sum(path.y_events[0][:, 1]) + path.y_events[1][0, 0] + path.y[0, -1] + path.t[-1]


def stopped(p: Any, method: Any, **options: Any) -> Any:
    path = integrate.solve_ivp(swing, (0.0, 50.0), [p[1], 0.1], method, args=(p[0],), events=twice, **FINE, **options)
    return path.t[-1] ** 2 + path.y[0, -1] + path.y[1, -1] + path.t_events[0][0]


def bounces(p: Any) -> Any:
    """When a ball that loses speed touches the ground for the third time."""
    y, t = np.array([1.0, 0.0]), 0.0

    def hit(t: Any, y: Any) -> Any:
        return y[0]

    hit.terminal, hit.direction = True, -1  # type: ignore[attr-defined]
    for _ in range(3):
        path = integrate.solve_ivp(lambda t, y: [y[1], -9.81 * p[0]], (t, t + 5.0), y, events=hit, max_step=0.1, **FINE)
        t = path.t[-1]
        y = np.array([1e-9, -p[1] * path.y[1, -1]])
    return t


def backwards(p: Any) -> Any:
    paths = [
        integrate.solve_ivp(swing, (3.0, -50.0), [p[1], 0.1], method, args=(p[0],), events=twice, **FINE)
        for method in ("RK45", "BDF")
    ]
    return paths[0].t[-1] + paths[0].y_events[0][0][1] + paths[1].t[-1] ** 2


def some_happen(p: Any) -> Any:
    path = integrate.solve_ivp(swing, (0.0, 8.0), [p[1], 0.1], args=(p[0],), events=(downwards, never), **FINE)
    total = 0.0
    for k, times in enumerate(path.t_events):
        if times.size > 0:
            total = total + times[-1] + np.sum(path.y_events[k])
    return total


def up_to_the_event(p: Any) -> Any:
    path = integrate.solve_ivp(swing, (0.0, 30.0), [p[1], 0.1], args=(p[0],), dense_output=True, events=twice, **FINE)
    return np.sum(path.sol(np.linspace(0.0, path.t_events[0][-1], 5)[:-1])[1])


def dense(p: Any, method: Any) -> Any:
    course = integrate.solve_ivp(swing, (0.1 * p[1], 3.0), [p[1], 0.1], method, args=(p[0],), dense_output=True, **FINE).sol
    return course(1.1)[0] + np.sum(course(np.array([2.0, 0.3]) * p[0]) ** 2)


def by_given_slopes(p: Any) -> Any:
    path = integrate.solve_ivp(
        lambda t, y, k: [-k * y[0] ** 2],
        (0.0, 2.0),
        [p[1]],
        "Radau",
        args=(p[0],),
        jac=lambda t, y, k: np.array([[-2.0 * k * y[0]]]),
    )
    return path.y[0, -1]


MODELS: dict[str, Model] = {
    **{f"passed_{method}": lambda p, method=method: passed(p, method) for method in METHODS},
    **{f"stopped_{method}": lambda p, method=method: stopped(p, method) for method in METHODS},
    "stopped_at_times": lambda p: stopped(p, "RK45", t_eval=np.linspace(0.0, 20.0, 41)),
    "stopped_at_times_implicit": lambda p: stopped(p, "Radau", t_eval=np.linspace(0.0, 20.0, 41)),
    "bounces": bounces,
    "backwards": backwards,
    "some_happen": some_happen,
    "up_to_the_event": up_to_the_event,
    "dense_output_of_radau": lambda p: dense(p, "Radau"),
    "dense_output_of_lsoda": lambda p: dense(p, "LSODA"),
    "no_event": lambda p: integrate.solve_ivp(swing, (0.0, 1.0), [p[1], 0.1], args=(p[0],), events=[], **FINE).y[0, -1],
}


@pytest.mark.parametrize("name", MODELS)
def test_events(name: str) -> None:
    second = name in ("passed_RK45", "passed_Radau", "stopped_DOP853", "bounces", "up_to_the_event", "dense_output_of_radau")
    judge(MODELS[name], P, step=1e-3, rtol=1e-5, second=second)


def test_slopes_that_are_given() -> None:
    expected = adxform.grad(lambda p: p[1] / (1.0 + 2.0 * p[0] * p[1]))(P)
    np.testing.assert_allclose(adxform.grad(by_given_slopes)(P), expected, rtol=1e-6)
    assert adxform.value_and_grad(by_given_slopes)(P)[0] == by_given_slopes(P)


def test_loose_tolerances_tell_when() -> None:
    """The derivative of an event with the tolerances of SciPy's defaults is near to that with fine ones."""

    def when(p: Any, method: Any, **options: Any) -> Any:
        return integrate.solve_ivp(swing, (0.0, 8.0), [p[1], 0.1], method, args=(p[0],), events=downwards, **options).t_events[0][
            0
        ]

    for method in ("RK45", "BDF", "LSODA"):
        loose, fine = (adxform.grad(lambda p, method=method, o=o: when(p, method, **o))(P) for o in ({}, FINE))
        np.testing.assert_allclose(loose, fine, atol=0.03)


def jumps(p: Any) -> Any:
    """An event that is told by a step, which has no slope."""
    path = integrate.solve_ivp(lambda t, y: [p[0]], (0.0, 2.0), [-1.0], events=lambda t, y: -1.0 if y[0] < 0.0 else 1.0)
    return path.t_events[0][0]


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (
            lambda p: np.sum(integrate.solve_ivp(swing, (0, 1), p, args=(1.0,), events=never).y_events[0]),
            RuntimeError,
            "has not happened",
        ),
        (jumps, RuntimeError, "does not pass through it"),
        (lambda p: integrate.solve_ivp(swing, (0, 0), p, args=(1.0,), events=never).y[0, 0], RuntimeError, "takes no step"),
        (lambda p: integrate.solve_ivp(swing, (0, 1), p, args=(1.0,), vectorized=True).y[0, 0], adxform.AdxError, "`vectorized`"),
        (
            lambda p: integrate.solve_ivp(lambda t, y: -p * y, (0, 1), p, "BDF", jac=np.eye(2)).y[0, 0],
            adxform.AdxError,
            "`jac` is a function",
        ),
    ],
)
def test_what_is_refused(model: Model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(P)
