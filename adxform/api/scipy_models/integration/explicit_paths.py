"""Steps by explicit formulas of Runge and Kutta, SciPy's own, and the places between their ends, by its interpolants.

Source: Hairer, Norsett & Wanner, *Solving Ordinary Differential Equations I* (1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

Rows = tuple[tuple[float, ...], ...]


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


TABLEAUS = {
    "RK45": _tableau(integrate.RK45, integrate.RK45.P),
    "RK23": _tableau(integrate.RK23, integrate.RK23.P),
    "DOP853": _tableau(integrate.DOP853, ()),
}


def step(f: Any, t: Any, y: Any, h: Any, tableau: Any) -> Any:
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


def inside(f: Any, t: Any, y: Any, h: Any, stages: Any, to: Any, at: Any, tableau: Any) -> Any:
    """The place on the step at `at`, by SciPy's interpolant."""
    if not tableau.between:
        return step(f, t, y, at - t, tableau)[1]
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
        stages, to = step(f, ends[k], y, h, tableau)
        while done < t.shape[0] and (t[done] - ends[k + 1]) * h <= 0.0:
            rows[done] = inside(f, ends[k], y, h, stages, to, t[done], tableau)
            done += 1
        y = to
    return rows


def rows_at_ends(f: Any, y0: Any, ends: Any, tableau: Any) -> Any:
    """The places at the ends of all steps."""
    y = y0
    rows = np.zeros((ends.shape[0], y0.shape[0]))
    rows[0] = y
    for k in range(ends.shape[0] - 1):
        _, y = step(f, ends[k], y, ends[k + 1] - ends[k], tableau)
        rows[k + 1] = y
    return rows
