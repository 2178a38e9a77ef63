"""Paths of differential equations, which move as the formula does whose steps SciPy has accepted: a discrete adjoint.

The steps are held, and the function of the program is followed. Explicit formulas are SciPy's own; where SciPy goes by an
implicit method, the path moves as Radau's formula of three stages does along finer steps (`implicit_paths`).

Source: Hairer, Norsett & Wanner, *Solving Ordinary Differential Equations I* (1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from adxform.api.scipy_models.implicit_paths import implicit_rows, implicit_steps
from adxform.api.scipy_models.implicit_solutions import as_tuple
from adxform.api.scipy_models.solving import Search, moving, solve, still
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import Definition, unsupported

Rows = tuple[tuple[float, ...], ...]
IMPLICIT = ("Radau", "BDF", "LSODA")


@dataclass(frozen=True, slots=True)
class Tableau:
    """A formula of Runge and Kutta: the weights of earlier stages in each, their times, what leads on, and the interpolant.

    Without an interpolant a shorter step leads to a place within one.
    """

    stages: Rows
    times: tuple[float, ...]
    weights: tuple[float, ...]
    between: Rows


def _tableau(method: Any, between: Any) -> Tableau:
    stages = tuple(tuple(map(float, row[:k])) for k, row in enumerate(method.A))[1:]
    rows = tuple(tuple(map(float, row)) for row in between)
    return Tableau(stages, tuple(map(float, method.C[1:])), tuple(map(float, method.B)), rows)


_TABLEAUS = {
    "RK45": _tableau(integrate.RK45, integrate.RK45.P),
    "RK23": _tableau(integrate.RK23, integrate.RK23.P),
    "DOP853": _tableau(integrate.DOP853, ()),
}


class Path(Search):
    """What `solve_ivp` found: its attributes are those of SciPy's result."""

    def __init__(self, t: Any, y: Any, sol: Any, found: Any) -> None:
        self.t, self.y, self.sol, self.found = t, y, sol, found

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


class Course:
    """A path at any time between its ends, as the interpolant between its steps."""

    def __init__(self, slope: Any, y0: Any, ends: Any, tableau: Any, found: Any) -> None:
        self.slope, self.y0, self.ends, self.tableau, self.found = slope, y0, ends, tableau, found
        self.first, self.last = slope(ends[0], y0), slope(ends[-1], y0)

    def __call__(self, t: Any) -> Any:
        """The places at the times `t`."""
        first, last = self.slope(self.ends[0], self.y0), self.slope(self.ends[-1], self.y0)
        y0 = solve(_unchanged, (), (), (self.y0,), self.y0, self.first, self.last, first, last)
        at = np.atleast_1d(np.asarray(t) * 1.0)
        order = np.argsort(at if self.ends[-1] >= self.ends[0] else -at, kind="stable")
        rows = walked(self.slope, moving(y0, self.y0), self.ends, at[order], self.tableau)[np.argsort(order, kind="stable")]
        found = np.swapaxes(rows, 0, 1) if np.ndim(t) > 0 else rows[0]
        return moving(solve(_on_course, (), (), (found,), self.found, t), found)


def _unchanged(y0: Any, first: Any, last: Any, first_now: Any, last_now: Any) -> Any:
    """`y0`, where the slopes that the path begins with are those of today.

    Raises:
        RuntimeError: the function of the path reads what has been written to since.
    """
    if not (np.array_equal(first, first_now, equal_nan=True) and np.array_equal(last, last_now, equal_nan=True)):
        raise RuntimeError("`sol` has no derivative, for what the function of solve_ivp reads has changed since: give it a copy")
    return np.array(y0)


def _on_course(found: Any, t: Any) -> Any:
    """What SciPy's interpolant gives.

    Raises:
        RuntimeError: a time lies beyond the path, where the last step goes on.
    """
    if np.any(np.asarray(t) < found.sol.t_min) or np.any(np.asarray(t) > found.sol.t_max):
        raise RuntimeError("`sol` of a path of solve_ivp has a derivative between its ends only")
    return found.sol(t)


def _path_value(
    f: Any,
    y0: Any,
    start: Any,
    end: Any,
    method: Any,
    t_eval: Any,
    rtol: Any,
    atol: Any,
    max_step: Any,
    first_step: Any,
    dense: Any,
) -> Any:
    """The path, and the ends of the steps that were accepted."""
    options = {"rtol": rtol, "atol": atol, "max_step": max_step, "first_step": first_step}
    found = integrate.solve_ivp(f, (start, end), y0, method, t_eval, dense, **options)
    _check_reached(found)
    ends = found.t if t_eval is None else integrate.solve_ivp(f, (start, end), y0, method, **options).t
    return found.y, found.t, ends, found


def _check_reached(found: Any) -> None:
    if len(found.t) == 0:
        raise RuntimeError("solve_ivp is asked for no time, so that there is no path which has a derivative")
    if not found.success:
        raise RuntimeError(f"solve_ivp has not reached the end, so that its path has no derivative: {found.message}")


def _implicit_value(
    f: Any,
    slopes: Any,
    y0: Any,
    start: Any,
    end: Any,
    method: Any,
    t_eval: Any,
    rtol: Any,
    atol: Any,
    max_step: Any,
    first_step: Any,
) -> Any:
    """The path, finer steps that end at its times too, their stages, and where those times stand among their ends."""
    options = {"rtol": rtol, "atol": atol, "max_step": max_step, "first_step": first_step}
    found = integrate.solve_ivp(f, (start, end), y0, method, t_eval, **options)
    _check_reached(found)
    ends, stages, places = implicit_steps(f, slopes, y0, start, end, found.t, rtol, atol, max_step)
    return found.y, found.t, ends, stages, 1.0 * places, found


def _step(f: Any, t: Any, y: Any, h: Any, tableau: Any) -> Any:
    """The stages of one step, and where it leads."""
    stages = [f(t, y)]
    for share, row in zip(tableau.times, tableau.stages, strict=True):
        moved = y
        for weight, stage in zip(row, stages, strict=True):
            moved = moved + h * weight * stage
        stages.append(f(t + share * h, moved))
    to = y
    for weight, stage in zip(tableau.weights, stages, strict=True):
        to = to + h * weight * stage
    return stages, to


def _inside(f: Any, t: Any, y: Any, h: Any, stages: Any, to: Any, at: Any, tableau: Any) -> Any:
    """The place on the step at `at`, by SciPy's interpolant."""
    if not tableau.between:
        return _step(f, t, y, at - t, tableau)[1]
    s = (at - t) / h
    found = y
    for row, stage in zip(tableau.between, [*stages, f(t + h, to)], strict=True):
        weight = 0.0 * s
        power = s
        for part in row:
            weight = weight + part * power
            power = power * s
        found = found + h * weight * stage
    return found


def walked(f: Any, y0: Any, ends: Any, t: Any, tableau: Any) -> Any:
    """The places at the times `t`, in the order of the steps that end at `ends`."""
    y = y0
    rows = np.zeros((t.shape[0], y0.shape[0]))
    done = 0
    while done < t.shape[0] and ends.shape[0] == 1:  # no step: all times are where the path begins
        rows[done] = y + (t[done] - ends[0]) * f(ends[0], y)
        done += 1
    for k in range(ends.shape[0] - 1):
        h = ends[k + 1] - ends[k]
        stages, to = _step(f, ends[k], y, h, tableau)
        while done < t.shape[0] and (t[done] - ends[k + 1]) * h <= 0.0:
            rows[done] = _inside(f, ends[k], y, h, stages, to, t[done], tableau)
            done += 1
        y = to
    return rows


def _along_steps(f: Any, y0: Any, ends: Any, tableau: Any) -> Any:
    """The places at the ends of all steps."""
    y = y0
    rows = np.zeros((ends.shape[0], y0.shape[0]))
    rows[0] = y
    for k in range(ends.shape[0] - 1):
        _, y = _step(f, ends[k], y, ends[k + 1] - ends[k], tableau)
        rows[k + 1] = y
    return rows


def _solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: Any = False,
    *,
    args: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    max_step: Any = np.inf,
    first_step: Any = None,
) -> Any:
    if method not in _TABLEAUS and method not in IMPLICIT:
        unsupported("solve_ivp has a derivative for the methods that SciPy names: RK45, RK23, DOP853, Radau, BDF and LSODA")

    def slope(t: Any, y: Any) -> Any:
        return np.asarray(fun(t, y) if args is None else fun(t, y, *as_tuple(args)))

    y0 = np.atleast_1d(np.asarray(y0) * np.float64(1.0))
    if np.iscomplexobj(y0):
        unsupported("solve_ivp has a derivative for real y0: give real and imaginary parts")
    start, end = np.float64(t_span[0]), np.float64(t_span[1])
    times = None if t_eval is None else np.asarray(t_eval) * 1.0
    given = y0, start, end, method, times, rtol, atol, max_step, first_step
    if method in IMPLICIT:
        if dense_output:
            unsupported("dense_output has a derivative for the methods RK45, RK23 and DOP853: give the times, `t_eval`")
        return _implicit_path(slope, start, end, times, given)
    y, t, ends, found = solve(_path_value, (slope,), ((0.5, y0),), (2, 1, 1, "any"), *given, dense_output)
    ends = _stretched(ends, start, end)
    tableau = _TABLEAUS[method]
    if times is None:
        shown, rows = ends, _along_steps(slope, y0, ends, tableau)
    else:
        shown, rows = times, walked(slope, y0, ends, times, tableau)
    course = Course(slope, y0, ends, tableau, found) if dense_output else None
    return Path(moving(t, shown), moving(y, np.swapaxes(rows, 0, 1)), course, found)


def _implicit_path(slope: Any, start: Any, end: Any, times: Any, given: Any) -> Any:
    y0 = given[0]

    def slopes(t: Any, y: Any) -> Any:
        return jacobian(lambda at: slope(t, at))(y)

    kinds = (2, 1, 1, 3, 1, "any")
    y, t, ends, stages, places, found = solve(_implicit_value, (slope, slopes), ((0.5, y0), (0.5, y0)), kinds, *given)
    shown = _stretched(t, start, end) if times is None else times
    ends = _stretched(ends, start, end)
    at = places.astype(int)
    ends[at] = shown
    rows = implicit_rows(slope, y0, ends, stages)[at]
    return Path(moving(t, shown), moving(y, np.swapaxes(rows, 0, 1)), None, found)


def _stretched(ends: Any, start: Any, end: Any) -> Any:
    """The times `ends`, which move with the first and the last, in proportion."""
    length, count = still(end) - still(start), ends.shape[0]
    share = np.arange(count) / max(count - 1, 1) if length == 0.0 else (ends - still(start)) / length
    return ends + (1.0 - share) * (start - still(start)) + share * (end - still(end))


def _odeint_value(f: Any, y0: Any, t: Any, rtol: Any, atol: Any, mxstep: Any) -> Any:
    """The path by SciPy's own method, and steps of a formula of Runge and Kutta along it, which end at each of `t`."""
    found = integrate.odeint(lambda y, at: f(y, at), y0, t, rtol=rtol, atol=atol, mxstep=mxstep)
    ends = [t[:1]]
    for k in range(len(t) - 1):
        if t[k + 1] == t[k]:
            continue
        part = integrate.solve_ivp(lambda at, y: f(y, at), (t[k], t[k + 1]), found[k], "RK45", rtol=1e-9, atol=1e-10)
        ends.append(part.t[1:])
    return found, np.concatenate(ends)


def _odeint(
    func: Any,
    y0: Any,
    t: Any,
    args: Any = (),
    *,
    rtol: Any = None,
    atol: Any = None,
    mxstep: Any = 0,
    tfirst: Any = False,
) -> Any:
    def slope(y: Any, at: Any) -> Any:
        return np.asarray(func(at, y, *as_tuple(args)) if tfirst else func(y, at, *as_tuple(args)))

    def turned(at: Any, y: Any) -> Any:
        return slope(y, at)

    y0 = np.atleast_1d(np.asarray(y0) * np.float64(1.0))
    t = np.asarray(t) * 1.0
    found, ends = solve(_odeint_value, (slope,), ((y0, 0.5),), (2, 1), y0, t, rtol, atol, mxstep)
    return moving(found, walked(turned, y0, _stretched(ends, t[0], t[-1]), t, _TABLEAUS["RK45"]))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(integrate.solve_ivp, _solve_ivp, sequences=True, calls_back=True),
    Definition(integrate.odeint, _odeint, sequences=True, calls_back=True),
)
