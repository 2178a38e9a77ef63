"""The rotation that brings places nearest to others, as the vector of the largest eigenvalue of a matrix of four rows.

Source: Davenport, A vector approach to the algebra of rotations, NASA TM X-55478 (1968); Markley & Mortari, Journal of the
Astronautical Sciences 48 (2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from adxform.api.scipy_models.solving import moving, solve
from adxform.api.scipy_models.space.rotations import MovingRotation
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.run_time_checks import without_derivative

_APART = 1e-9
"""How near the two largest eigenvalues may be, relative to the largest entry, for there to be one rotation."""


def _traces(b: Any) -> Any:
    """The symmetric `K` with ``q @ K @ q`` the sum of the products of `b` and the matrix of the quaternion `q`."""
    x, y, z = b[0, 0], b[1, 1], b[2, 2]
    xy, xz, yz = b[0, 1] + b[1, 0], b[0, 2] + b[2, 0], b[1, 2] + b[2, 1]
    first, second, third = b[2, 1] - b[1, 2], b[0, 2] - b[2, 0], b[1, 0] - b[0, 1]
    rows = (
        np.stack((x - y - z, xy, xz, first)),
        np.stack((xy, y - x - z, yz, second)),
        np.stack((xz, yz, z - x - y, third)),
        np.stack((first, second, third, x + y + z)),
    )
    return np.stack(rows)


def _aligned_value(a: Any, b: Any, weights: Any, traces: Any) -> Any:
    """SciPy's rotation and how far the places are apart then.

    Raises:
        UnsupportedOperationError: several rotations bring them as near, or a weight is infinite.
    """
    if weights is not None and not np.all(np.isfinite(weights)):
        raise without_derivative("Rotation.align_vectors has a derivative for weights that are finite")
    values = np.linalg.eigvalsh(traces)
    if values[-1] - values[-2] <= _APART * np.max(np.abs(traces)):
        raise without_derivative("Rotation.align_vectors has no derivative where several rotations bring the places as near")
    rotation, apart = Rotation.align_vectors(a, b, weights)
    return rotation, np.float64(apart)


def _align_vectors(a: Any, b: Any, weights: Any = None) -> Any:
    a, b = np.asarray(a) * 1.0, np.asarray(b) * 1.0
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        unsupported("Rotation.align_vectors has a derivative of two places or more")
    heavy = a if weights is None else np.expand_dims(np.asarray(weights) * 1.0, 1) * a
    other = b if weights is None else np.expand_dims(np.asarray(weights) * 1.0, 1) * b
    traces = _traces(np.swapaxes(heavy, 0, 1) @ b)
    rotation, apart = solve(_aligned_value, (), (), ("any", "number"), a, b, weights, traces)
    values, vectors = np.linalg.eigh(traces)
    squares = np.sum(heavy * a) + np.sum(other * b) - 2.0 * values[-1]
    differs = apart > 0.0  # where they meet the distance has slope zero, as a length has
    distance = np.where(differs, np.sqrt(np.where(differs, np.abs(squares), 1.0)), 0.0)
    return MovingRotation(rotation, vectors[:, -1]), moving(apart, distance)


DEFINITIONS: tuple[Definition, ...] = (Definition(Rotation.align_vectors, _align_vectors, Value.FOLLOWED),)
