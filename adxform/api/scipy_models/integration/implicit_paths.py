"""How paths of stiff equations move: as Radau's formula of three stages and the fifth order does, along steps of its own.

The stages of each step are found by Newton's method before anything moves; they move as chord steps from there do, of which each
makes one order of derivatives right (`implicit_solutions`).

Source: Hairer & Wanner, *Solving Ordinary Differential Equations II* (1996), IV.5 and IV.8.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate

from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import still
from adxform.api.second_order import jacobian
from adxform.runtime.run_time_checks import without_derivative

_ROOT = 6.0**0.5
TIMES = np.array([(4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0, 1.0])
WEIGHTS = np.array(
    [
        [(88.0 - 7.0 * _ROOT) / 360.0, (296.0 - 169.0 * _ROOT) / 1800.0, (-2.0 + 3.0 * _ROOT) / 225.0],
        [(296.0 + 169.0 * _ROOT) / 1800.0, (88.0 + 7.0 * _ROOT) / 360.0, (-2.0 - 3.0 * _ROOT) / 225.0],
        [(16.0 - _ROOT) / 36.0, (16.0 + _ROOT) / 36.0, 1.0 / 9.0],
    ]
)
"""The last row leads on: the last stage is at the end of the step."""
_ORDERS = 3
_ITERATIONS = 12
_FINE = 1e-9
_FINEST = 1e-12


def implicit_steps(
    f: Any, slopes: Any, y0: Any, start: Any, end: Any, times: Any, rtol: Any, atol: Any, max_step: Any
) -> tuple[Any, Any, Any]:
    """The ends of fine steps, of which some are at `times`, the stages of each, and where the `times` stand among the ends.

    Raises:
        UnsupportedOperationError: the equations are too stiff for steps of this tolerance, or have no solution.
    """
    tight = {"rtol": min(rtol, _FINE), "atol": np.minimum(atol, _FINEST), "max_step": max_step}
    path = integrate.solve_ivp(f, (start, end), y0, "Radau", dense_output=True, jac=slopes, **tight)
    if not path.success:
        raise without_derivative(f"the path has no derivative, for it is not reached by finer steps: {path.message}")
    turned = -1.0 if end < start else 1.0
    ends = turned * np.unique(turned * np.concatenate((path.t, times)))
    places = np.searchsorted(turned * ends, turned * times)
    stages = np.empty((len(ends) - 1, len(TIMES), len(y0)))
    y = y0
    for k, (t, to) in enumerate(pairwise(ends)):
        h = to - t
        guess = path.sol(t + h * TIMES).T
        stages[k] = _stages(f, slopes, t, y, h, np.array([f(t + h * c, one) for c, one in zip(TIMES, guess, strict=True)]))
        y = y + h * WEIGHTS[-1] @ stages[k]
    return ends, stages, places


def _stages(f: Any, slopes: Any, t: Any, y: Any, h: Any, stages: Any) -> Any:
    """The slopes at the stages of a step of the length `h`."""
    n = len(y)
    for _ in range(_ITERATIONS):
        inner = y + h * WEIGHTS @ stages
        matrix = np.eye(3 * n)
        residual = np.empty((3, n))
        for i, share in enumerate(TIMES):
            matrix[i * n : (i + 1) * n] -= h * np.kron(WEIGHTS[i], slopes(t + share * h, inner[i]))
            residual[i] = stages[i] - f(t + share * h, inner[i])
        by = np.linalg.solve(matrix, residual.ravel()).reshape(3, n)
        stages = stages - by
        if np.all(np.abs(h * by) <= _FINEST * np.abs(y) + 1e-3 * _FINEST * (1.0 + np.abs(h * stages))):
            return stages
    if np.all(np.abs(h * by) <= _FINE * (np.abs(y) + _FINEST)):  # as near as rounding lets them come
        return stages
    raise without_derivative("the path has no derivative: the stages of a step were not found")


def implicit_rows(f: Any, y0: Any, ends: Any, stages: Any) -> Any:
    """The places at the `ends` of steps whose `stages` are known, as they move."""
    y, n = y0, y0.shape[0]
    rows = np.zeros((ends.shape[0], n))
    rows[0] = y
    for k in range(ends.shape[0] - 1):
        t, h = ends[k], ends[k + 1] - ends[k]
        y = y + h * (WEIGHTS[-1] @ _moving_stages(f, t, y, h, np.reshape(stages[k], (3 * n,))))
        rows[k + 1] = y
    return rows


def _moving_stages(f: Any, t: Any, y: Any, h: Any, found: Any) -> Any:
    """The stages that were `found` for a step, as they move."""

    def residual(at: Any) -> Any:
        return _residual(f, t, y, h, at)

    inverse = still(np.linalg.inv(jacobian(residual)(found)))
    for _ in range(_ORDERS):
        found = found - inverse @ residual(found)
    return np.reshape(to_third_order(found), (3, y.shape[0]))


def _residual(f: Any, t: Any, y: Any, h: Any, found: Any) -> Any:
    """What the stages of a step lack of being the slopes there."""
    stages = np.reshape(found, (3, y.shape[0]))
    parts = [stages[i] - f(t + TIMES[i] * h, y + h * (WEIGHTS[i] @ stages)) for i in range(3)]
    return np.concatenate(parts)
