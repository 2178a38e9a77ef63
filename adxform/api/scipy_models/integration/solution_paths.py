"""Paths of differential equations, which move as the formula does whose steps SciPy has accepted: a discrete adjoint.

The steps are held, and the function of the program is followed. Explicit formulas are SciPy's own; where SciPy goes by an
implicit method, the path moves as Radau's formula of three stages does along finer steps (`implicit_paths`).

Source: Hairer, Norsett & Wanner, *Solving Ordinary Differential Equations I* (1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from adxform.api.scipy_models.implicit_solutions import as_tuple
from adxform.api.scipy_models.integration.explicit_paths import TABLEAUS, rows_at_ends, walked
from adxform.api.scipy_models.integration.implicit_paths import implicit_rows, implicit_steps
from adxform.api.scipy_models.integration.path_events import (
    Places,
    beside,
    ended_by,
    explicit_event,
    implicit_event,
    listed,
    marked,
    marks,
    on_step,
    steps_of,
)
from adxform.api.scipy_models.solving import Search, moving, solve, still
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.runtime.run_time_checks import without_derivative

IMPLICIT = ("Radau", "BDF", "LSODA")


class Path(Search):
    """What `solve_ivp` found: its attributes are those of SciPy's result."""

    def __init__(self, t: Any, y: Any, sol: Any, t_events: Any, y_events: Any, found: Any) -> None:
        self.t, self.y, self.sol, self.t_events, self.y_events, self.found = t, y, sol, t_events, y_events, found

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


class ImplicitCourse:
    """A path by an implicit method at any time between its ends: it moves along finer steps, of which some end at that time."""

    def __init__(self, slope: Any, slopes: Any, y0: Any, span: Any, options: Any, found: Any) -> None:
        self.slope, self.slopes, self.y0, self.options, self.found = slope, slopes, y0, options, found
        self.start, self.end = span
        self.first, self.last = slope(span[0], y0), slope(span[1], y0)

    def __call__(self, t: Any) -> Any:
        """The places at the times `t`."""
        first, last = self.slope(self.start, self.y0), self.slope(self.end, self.y0)
        y0 = solve(_unchanged, (), (), (self.y0,), self.y0, self.first, self.last, first, last)
        at = np.atleast_1d(np.asarray(t) * 1.0)
        functions, examples = (self.slope, self.slopes), ((0.5, self.y0), (0.5, self.y0))
        ends, stages, places = solve(_fine_steps, functions, examples, (1, 3, 1), self.y0, self.start, at, self.options)
        ends = ends + (self.start - still(self.start))
        ends[places.astype(int)] = at
        rows = implicit_rows(self.slope, moving(y0, self.y0), ends, stages)[places.astype(int)]
        shown = np.swapaxes(rows, 0, 1) if np.ndim(t) > 0 else rows[0]
        return moving(solve(_on_course, (), (), (shown,), self.found, t), shown)


def _fine_steps(f: Any, slopes: Any, y0: Any, start: Any, at: Any, options: Any) -> Any:
    """Fine steps to the furthest of the times `at`, their stages, and where the times stand among their ends."""
    last = at[np.argmax(np.abs(at - start))]
    ends, stages, places = implicit_steps(f, slopes, y0, start, last, at, **_tolerances(options))
    return ends, stages, 1.0 * places


def _unchanged(y0: Any, first: Any, last: Any, first_now: Any, last_now: Any) -> Any:
    """`y0`, where the slopes that the path begins with are those of today.

    Raises:
        UnsupportedOperationError: the function of the path reads what has been written to since.
    """
    if not (np.array_equal(first, first_now, equal_nan=True) and np.array_equal(last, last_now, equal_nan=True)):
        raise without_derivative(
            "`sol` has no derivative, for what the function of solve_ivp reads has changed since: give it a copy"
        )
    return np.array(y0)


def _on_course(found: Any, t: Any) -> Any:
    """What SciPy's interpolant gives.

    Raises:
        UnsupportedOperationError: a time lies beyond the path, where the last step goes on.
    """
    if np.any(np.asarray(t) < found.sol.t_min) or np.any(np.asarray(t) > found.sol.t_max):
        raise without_derivative("`sol` of a path of solve_ivp has a derivative between its ends only")
    return found.sol(t)


def _path_value(f: Any, *given: Any) -> Any:
    """The path, and the ends of the steps that were accepted."""
    start, end, y0, method, t_eval, options, dense = given
    found = integrate.solve_ivp(f, (start, end), y0, method, t_eval, dense, **_without_none(options))
    _check_reached(found)
    ends = found.t if t_eval is None else integrate.solve_ivp(f, (start, end), y0, method, **_without_none(options)).t
    return found.y, found.t, ends, found


def _watched_value(f: Any, *given: Any) -> Any:
    """The path, the ends of the steps that were accepted, the last one whole, which event has ended it, and all events."""
    *events, start, end, y0, method, t_eval, options, dense, attributes = given
    events, kept = marked(events, attributes), _without_none(options)
    found = integrate.solve_ivp(f, (start, end), y0, method, t_eval, dense, events, **kept)
    _check_reached(found)
    whole = found if t_eval is None and dense else integrate.solve_ivp(f, (start, end), y0, method, None, True, events, **kept)
    ends = np.array([start, *(one.t for one in whole.sol.interpolants)])
    which, _ = ended_by(found, -1.0 if end < start else 1.0)
    return found.y, found.t, ends, which, found, *steps_of(found, ends)


def _without_none(options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _check_reached(found: Any) -> None:
    if len(found.t) == 0:
        raise without_derivative("solve_ivp is asked for no time, so that there is no path which has a derivative")
    if not found.success:
        raise without_derivative(f"solve_ivp has not reached the end, so that its path has no derivative: {found.message}")


def _implicit_value(f: Any, slopes: Any, given_slopes: Any, *given: Any) -> Any:
    """The path, finer steps that end at its times and its events too, their stages, and where those stand among their ends."""
    *events, start, end, y0, method, t_eval, options, dense, attributes, sloped = given
    kept = {**_without_none(options), "jac": given_slopes} if sloped else _without_none(options)
    watched = None if attributes is None else marked(events, attributes)
    found = integrate.solve_ivp(f, (start, end), y0, method, t_eval, dense, watched, **kept)
    _check_reached(found)
    which, time = ended_by(found, -1.0 if end < start else 1.0)
    at = [np.asarray(one, float) for one in found.t_events or ()]
    last = end if which < 0.0 else time
    ends, stages, places = implicit_steps(f, slopes, y0, start, last, np.concatenate((found.t, *at)), **_tolerances(options))
    counts = np.cumsum([len(found.t), *map(len, at)])
    parts = np.split(1.0 * places, counts[:-1])
    return found.y, found.t, ends, stages, parts[0], which, found, *beside(found, parts[1:])


def _tolerances(options: Any) -> dict[str, Any]:
    return {name: options[name] for name in ("rtol", "atol", "max_step")}


def _solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: Any = False,
    events: Any = None,
    *,
    args: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    max_step: Any = np.inf,
    first_step: Any = None,
    min_step: Any = None,
    jac: Any = None,
) -> Any:
    if method not in TABLEAUS and method not in IMPLICIT:
        unsupported("solve_ivp has a derivative for the methods that SciPy names: RK45, RK23, DOP853, Radau, BDF and LSODA")
    if jac is not None and (method in TABLEAUS or not callable(jac)):
        unsupported("solve_ivp has a derivative where `jac` is a function, and the method one that calls it")
    if min_step is not None and method != "LSODA":
        unsupported("solve_ivp has a derivative with `min_step` for the method LSODA")
    more = () if args is None else as_tuple(args)

    def slope(t: Any, y: Any) -> Any:
        return np.asarray(fun(t, y, *more))

    y0 = np.atleast_1d(np.asarray(y0) * np.float64(1.0))
    if np.iscomplexobj(y0):
        unsupported("solve_ivp has a derivative for real y0: give real and imaginary parts")
    start, end = np.float64(t_span[0]), np.float64(t_span[1])
    times = None if t_eval is None else np.asarray(t_eval) * 1.0
    options = {"rtol": rtol, "atol": atol, "max_step": max_step, "first_step": first_step, "min_step": min_step}
    given = start, end, y0, method, times, options, dense_output
    watched = [_with_args(event, more) for event in listed(events)]
    if method in IMPLICIT:

        def given_slopes(t: Any, y: Any) -> Any:
            return np.asarray(slope(t, y) if jac is None else jac(t, y, *more))

        attributes = None if events is None else marks(listed(events))
        path = _implicit_path(slope, given_slopes, watched, given, attributes, jac is not None)
    elif events is not None:
        path = _watched_path(slope, watched, given, marks(listed(events)))
    else:
        path = _explicit_path(slope, given)
    return path


def _with_args(event: Any, more: Any) -> Any:
    return lambda t, y: event(t, y, *more)


def _explicit_path(slope: Any, given: Any) -> Any:
    start, end, y0, method, times, _, dense_output = given
    y, t, ends, found = solve(_path_value, (slope,), ((0.5, y0),), (2, 1, 1, "any"), *given)
    ends = _stretched(ends, start, end)
    tableau = TABLEAUS[method]
    if times is None:
        shown, rows = ends, rows_at_ends(slope, y0, ends, tableau)
    else:
        shown, rows = times, walked(slope, y0, ends, times, tableau)
    course = Course(slope, y0, ends, tableau, found) if dense_output else None
    return Path(moving(t, shown), moving(y, np.swapaxes(rows, 0, 1)), course, None, None, found)


def _watched_path(slope: Any, watched: Any, given: Any, attributes: Any) -> Any:
    """A path by an explicit formula, and its events, of which one may end it."""
    start, end, y0, method, times, options, dense_output = given
    examples = tuple([(0.5, y0)] * (len(watched) + 1))
    kinds = (2, 1, 1, "float", "any", *([1, 2, 1] * len(watched)))
    y, t, ends, which, found, *told = solve(_watched_value, (slope, *watched), examples, kinds, *given, attributes)
    ends = _stretched(ends, start, end)
    tableau = TABLEAUS[method]
    rows = rows_at_ends(slope, y0, ends, tableau)
    t_events, y_events, last = [], [], ends[-1]
    for k, event in enumerate(watched):
        moved, places = explicit_event(event, slope, rows, ends, tableau, told[3 * k : 3 * k + 3], options["rtol"])
        t_events.append(moved)
        y_events.append(places)
        if which == k:
            last = moved[-1]
    if times is None:
        shown = np.concatenate((ends[:-1], np.reshape(last, (1,))))
        final = on_step(slope, rows[-2], ends[-2], ends[-1], tableau, last)
        rows = np.concatenate((rows[:-1], np.reshape(final, (1, -1))))
    else:
        shown = times[: t.shape[0]]
        rows = walked(slope, y0, ends, shown, tableau)
    course = Course(slope, y0, ends, tableau, found) if dense_output else None
    return Path(moving(t, shown), moving(y, np.swapaxes(rows, 0, 1)), course, t_events, Places(y_events), found)


def _implicit_path(slope: Any, given_slopes: Any, watched: Any, given: Any, attributes: Any, sloped: Any) -> Any:
    start, end, y0, _, times, options, dense_output = given

    def slopes(t: Any, y: Any) -> Any:
        return jacobian(lambda at: slope(t, at))(y)

    functions = slope, slopes, given_slopes, *watched
    kinds = (2, 1, 1, 3, 1, "float", "any", *([1, 2, 1] * len(watched)))
    examples = tuple([(0.5, y0)] * len(functions))
    y, t, ends, stages, places, which, found, *told = solve(
        _implicit_value, functions, examples, kinds, *given, attributes, sloped
    )
    shown = _stretched(t, start, end) if times is None else times[: t.shape[0]]
    if times is None and which >= 0.0:
        shown[-1] = still(t[-1])
    ends = _stretched(ends, start, end)
    at = places.astype(int)
    for k in range(len(watched)):
        ends[told[3 * k + 2].astype(int)] = told[3 * k]
    ends[at] = shown
    every = implicit_rows(slope, y0, ends, stages)
    rows = every[at]
    t_events, y_events = [], []
    for k, event in enumerate(watched):
        moved, found_places = implicit_event(event, slope, every, ends, told[3 * k : 3 * k + 3], options["rtol"])
        t_events.append(moved)
        y_events.append(found_places)
        if times is None and which == k:
            shown[-1] = moved[-1]
            rows[-1] = found_places[-1]
    course = ImplicitCourse(slope, slopes, y0, (start, end), options, found) if dense_output else None
    t, y = moving(t, shown), moving(y, np.swapaxes(rows, 0, 1))
    if attributes is None:
        return Path(t, y, course, None, None, found)
    return Path(t, y, course, t_events, Places(y_events), found)


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
    return moving(found, walked(turned, y0, _stretched(ends, t[0], t[-1]), t, TABLEAUS["RK45"]))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(integrate.solve_ivp, _solve_ivp, sequences=True, calls_back=True),
    Definition(integrate.odeint, _odeint, sequences=True, calls_back=True),
)
