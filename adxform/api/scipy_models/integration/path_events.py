"""Events on paths of differential equations: the times at which functions of the path are zero, which move as roots of these.

Source: Hairer, Norsett & Wanner, *Solving Ordinary Differential Equations I* (1993), II.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.api import jvp
from adxform.api.scipy_models.integration.explicit_paths import TABLEAUS, inside, step
from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import moving, solve, still
from adxform.runtime.run_time_checks import without_derivative

_ORDERS = 3
_NEAR = 1e-3


class Places:
    """The places of the path at each event, as `y_events` of SciPy's has them."""

    def __init__(self, places: Any) -> None:
        self.places = places

    def __len__(self) -> Any:
        return len(self.places)

    def __getitem__(self, which: Any) -> Any:
        found = self.places[which]
        return moving(solve(_that_happened, (), (), (found,), found), found)

    def __iter__(self) -> Any:
        for k in range(len(self.places)):
            yield self[k]


def _that_happened(places: Any) -> Any:
    """The `places` of an event.

    Raises:
        UnsupportedOperationError: there are none, of which SciPy gives an array of another number of axes.
    """
    if len(places) == 0:
        raise without_derivative("`y_events` of an event that has not happened has no derivative: ask whether `t_events` has any")
    return np.array(places)


def listed(events: Any) -> Any:
    """The functions whose zeros SciPy looks for, as a list."""
    if events is None:
        return []
    return [events] if callable(events) else list(events)


def marks(events: Any) -> Any:
    """Of each event its attributes, as `solve_ivp` reads them: after how many the path ends, and to which side it passes."""
    return tuple([(getattr(event, "terminal", None), getattr(event, "direction", 0)) for event in events])


def marked(events: Any, given: Any) -> list[Any]:
    """The functions `events` as SciPy is to have them, with the attributes that `marks` told."""
    return [_with_marks(event, *one) for event, one in zip(events, given, strict=True)]


def _with_marks(event: Any, terminal: Any, direction: Any) -> Any:
    def called(t: Any, y: Any) -> Any:
        return event(t, y)

    called.terminal, called.direction = terminal, direction  # type: ignore[attr-defined]
    return called


def ended_by(found: Any, turned: float) -> tuple[float, float]:
    """Which event has ended the path that SciPy `found`, -1 if none has, and when; `turned`: 1 where times grow, else -1."""
    if found.status != 1:
        return -1.0, 0.0
    time, which = max((turned * at[-1], which) for which, at in enumerate(found.t_events) if len(at))
    return float(which), turned * time


def steps_of(found: Any, ends: Any) -> list[Any]:
    """Of each event the times and the places that SciPy `found`, and the steps between `ends` that these lie on."""
    if len(ends) < 2 or ends[0] == ends[-1]:
        raise without_derivative("solve_ivp takes no step, so that its events have no derivative")
    turned = -1.0 if ends[-1] < ends[0] else 1.0
    told: list[Any] = []
    for at in found.t_events:
        told.append(1.0 * np.clip(np.searchsorted(turned * ends, turned * np.asarray(at, float)) - 1, 0, len(ends) - 2))
    return beside(found, told)


def beside(found: Any, places: Any) -> list[Any]:
    """Of each event its times, the places of the path there, and what stands for it in `places`."""
    rows = [np.reshape(np.asarray(one, float), (len(one), len(found.y))) for one in found.y_events or ()]
    times = [np.asarray(one, float) for one in found.t_events or ()]
    return [one for event in zip(times, rows, places, strict=True) for one in event]


def _near_enough(time: Any, lacks: Any, speed: Any, rtol: Any) -> Any:
    """`time`, at which the event of the path that moves is `lacks`, and changes by `speed`: it is near to where that is zero.

    Raises:
        UnsupportedOperationError: it is far from it, as where the path touches what it does not pass.
    """
    if not (speed != 0.0 and abs(lacks) <= max(_NEAR, 100.0 * rtol) * (1.0 + abs(time)) * abs(speed)):
        message = "an event has no derivative: the path does not pass through it, or `rtol` is too large to tell when"
        raise without_derivative(message)
    return time


def _moving_time(event: Any, place: Any, time: Any, rtol: Any) -> Any:
    def lacks(at: Any) -> Any:
        return np.reshape(np.asarray(event(at, place(at))) * 1.0, ())[()]

    speed = still(jvp(lacks, (time,), (1.0,))[1])
    at = solve(_near_enough, (), (), (time,), time, lacks(time), speed, rtol)
    for _ in range(_ORDERS):
        at = at - lacks(at) / speed
    return moving(time, to_third_order(at))


def explicit_event(event: Any, f: Any, rows: Any, ends: Any, tableau: Any, told: Any, rtol: Any) -> Any:
    """The times of an event, and the places of the path there, on steps by an explicit formula between the `rows`."""
    times, there, steps = told
    moved, places = np.zeros_like(times), np.zeros_like(there)
    for k in range(times.shape[0]):
        j = int(steps[k])
        moved[k] = _moving_time(event, lambda at, j=j: on_step(f, rows[j], ends[j], ends[j + 1], tableau, at), times[k], rtol)
        places[k] = on_step(f, rows[j], ends[j], ends[j + 1], tableau, moved[k])
    return moved, moving(there, places)


def on_step(f: Any, y: Any, start: Any, end: Any, tableau: Any, at: Any) -> Any:
    """The place at the time `at` on the step from `y`."""
    stages, to = step(f, start, y, end - start, tableau)
    return inside(f, start, y, end - start, stages, to, at, tableau)


def implicit_event(event: Any, f: Any, rows: Any, ends: Any, told: Any, rtol: Any) -> Any:
    """The times of an event, and the places of the path there, which are `rows` of fine steps."""
    times, there, places = told
    moved, found = np.zeros_like(times), np.zeros_like(there)
    for k in range(times.shape[0]):
        j = int(places[k])
        moved[k] = _moving_time(event, lambda at, j=j: _past(f, rows[j], ends[j], at), times[k], rtol)
        found[k] = _past(f, rows[j], ends[j], moved[k])
    return moved, moving(there, found)


def _past(f: Any, y: Any, start: Any, at: Any) -> Any:
    """The place at the time `at`, no later than `start`: it moves as the path does."""
    return step(f, start, y, at - start, TABLEAUS["RK45"])[1]
