"""SciPy's older interpolant by radial functions of points, `Rbf`, whose default width moves with the box that they fill.

Source: Fasshauer, *Meshfree Approximation Methods with MATLAB* (2007), chapter 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.run_time_checks import without_derivative

_OLDER_NAMES = {"inverse": "inverse_multiquadric", "inverse multiquadric": "inverse_multiquadric", "thin-plate": "thin_plate"}
_KINDS = ("multiquadric", "inverse_multiquadric", "gaussian", "linear", "cubic", "quintic", "thin_plate")


def _radial(kind: Any, squares: Any, epsilon: Any) -> Any:
    """The radial function of the squares of distances; where points meet, a distance has slope zero."""
    if kind == "multiquadric":
        return np.sqrt(squares / epsilon**2 + 1.0)
    if kind == "inverse_multiquadric":
        return 1.0 / np.sqrt(squares / epsilon**2 + 1.0)
    if kind == "gaussian":
        return np.exp(-squares / epsilon**2)
    apart = squares > 0.0
    if kind == "thin_plate":
        return 0.5 * squares * np.log(np.where(apart, squares, 1.0))
    if kind == "cubic":
        return squares**1.5
    if kind == "quintic":
        return squares**2.5
    return np.where(apart, np.sqrt(np.where(apart, squares, 1.0)), 0.0)


def _squares(x: Any, y: Any) -> Any:
    """The squares of the distances between the points of two sets, of which each coordinate is a row."""
    return np.sum((x[:, :, None] - y[:, None, :]) ** 2, axis=0)


def _width(points: Any) -> Any:
    """The mean distance between the points, if they filled their box evenly."""
    edges = np.max(points, axis=1) - np.min(points, axis=1)
    wide = edges > 0.0
    return (np.prod(np.where(wide, edges, 1.0)) / points.shape[1]) ** (1.0 / np.sum(wide))


class OlderRadial:
    """An interpolant that the function has made."""

    def __init__(self, points: Any, values: Any, kind: Any, epsilon: Any, smooth: Any) -> None:
        self.points, self.values, self.kind, self.given, self.smooth = points, values, kind, epsilon, smooth
        self.epsilon = _width(points) if epsilon is None else epsilon
        inner = _radial(kind, _squares(points, points), self.epsilon) - smooth * np.eye(points.shape[1])
        self.nodes = np.linalg.solve(inner, values)

    def __call__(self, *args: Any) -> Any:
        """The values at places, of which each coordinate is an array."""
        places = [np.asarray(one) * 1.0 for one in args]
        flat = np.stack([np.ravel(one) for one in places])
        found = np.reshape(_radial(self.kind, _squares(flat, self.points), self.epsilon) @ self.nodes, np.shape(places[0]))
        given = self.points, self.values, self.kind, self.given, self.smooth, *places
        return moving(solve(_radial_value, (), (), (np.ndim(places[0]),), *given), found)


def _radial_value(points: Any, values: Any, kind: Any, epsilon: Any, smooth: Any, *places: Any) -> Any:
    return interpolate.Rbf(*points, values, function=kind, epsilon=epsilon, smooth=smooth)(*places)


def _rbf(
    *args: Any,
    function: Any = "multiquadric",
    epsilon: Any = None,
    smooth: Any = 0.0,
    norm: Any = "euclidean",
    mode: Any = "1-D",
) -> Any:
    kind = _OLDER_NAMES.get(function.lower(), function.lower()) if isinstance(function, str) else ""
    if kind not in _KINDS or norm != "euclidean" or mode != "1-D":
        unsupported("Rbf has a derivative for its functions by name, distances as they are, and one number at each point")
    points = np.stack([np.ravel(np.asarray(one) * 1.0) for one in args[:-1]])
    return OlderRadial(points, np.ravel(np.asarray(args[-1]) * 1.0), kind, epsilon, smooth)


def _outer_radial(made: Any, *args: Any) -> Any:
    kind = _OLDER_NAMES.get(made.function, made.function)
    if kind not in _KINDS or made.norm != "euclidean" or made.mode != "1-D":
        raise without_derivative("Rbf has a derivative for its functions by name, and distances as they are")
    places = [np.asarray(one) * 1.0 for one in args]
    flat = np.stack([np.ravel(one) for one in places])
    return np.reshape(_radial(kind, _squares(flat, made.xi), made.epsilon) @ made.nodes, np.shape(places[0]))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.Rbf, _rbf, Value.FOLLOWED),
    Definition(interpolate.Rbf.__call__, _outer_radial, Value.OWN),
)
