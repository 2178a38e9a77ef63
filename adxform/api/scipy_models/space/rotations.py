"""Rotations of space, beside distances: what SciPy makes of them moves as their unit quaternions do.

Quaternions are ``x, y, z, w``, along the last axis. Each holds the numbers, and the sign, that SciPy's own has.

Source: Diebel, *Representing Attitude* (2006); Bernardes & Viollet, PLoS ONE 17 (2022), of Euler's angles.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from adxform.api.scipy_models.solving import fixed, moving, solve
from adxform.primitives.definitions.definition import Definition, Value
from adxform.runtime.run_time_checks import without_derivative

_DEGREE = math.pi / 180.0
_SINE = tuple(0.5 * (-0.25) ** k / math.factorial(2 * k + 1) for k in range(12))
_COSINE = tuple((-0.25) ** k / math.factorial(2 * k) for k in range(12))
_ARCSINE = tuple(2.0 * math.comb(2 * k, k) / (4.0**k * (2 * k + 1)) for k in range(12))
_NEAR = 0.02
_TURNING = 1e-2
"""How far a matrix may be from one that turns: three steps bring it there to sixteen digits."""


def _series(coefficients: Any, u: Any) -> Any:
    found: Any = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        found = coefficients[k] + u * found
    return found


def _of_vector(v: Any) -> Any:
    """The quaternion of a turn by the length of `v` about its direction, by series in the square of that where it is small."""
    u = np.sum(v * v, axis=-1, keepdims=True)
    near = u < 1.0
    small, angle = np.where(near, u, 0.0), np.sqrt(np.where(near, 1.0, u))
    sine = np.where(near, _series(_SINE, small), np.sin(0.5 * angle) / angle)
    cosine = np.where(near, _series(_COSINE, small), np.cos(0.5 * angle))
    return np.concatenate((v * sine, cosine), axis=-1)


def _unit(q: Any) -> Any:
    return q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))


def _product(p: Any, q: Any) -> Any:
    """The quaternion of the rotation `q` and then `p`."""
    a, b, c, d = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    parts = (
        d * x + a * w + b * z - c * y,
        d * y + b * w + c * x - a * z,
        d * z + c * w + a * y - b * x,
        d * w - a * x - b * y - c * z,
    )
    return np.stack(parts, axis=-1)


def _of_matrix(m: Any) -> Any:
    """The quaternion of a matrix near one that turns, which is brought there: each step doubles the orders that are right."""
    for _ in range(3):
        m = 1.5 * m - 0.5 * (m @ np.swapaxes(m, -1, -2) @ m)
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    total = a + b + c
    largest = np.argmax(np.stack((a, b, c, total), axis=-1), axis=-1)
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    forms = (
        np.stack((1.0 - total + 2.0 * a, xy, xz, x), axis=-1),
        np.stack((xy, 1.0 - total + 2.0 * b, yz, y), axis=-1),
        np.stack((xz, yz, 1.0 - total + 2.0 * c, z), axis=-1),
        np.stack((x, y, z, 1.0 + total), axis=-1),
    )
    chosen = np.expand_dims(largest, -1)
    found = np.where(chosen == 0, forms[0], np.where(chosen == 1, forms[1], np.where(chosen == 2, forms[2], forms[3])))
    return _unit(found)


def _matrix_of(q: Any) -> Any:
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = (
        np.stack((x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)), axis=-1),
        np.stack((2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w)), axis=-1),
        np.stack((2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w), axis=-1),
    )
    return np.stack(rows, axis=-2)


def _vector_of(q: Any) -> Any:
    """The rotation vector: the angle is twice that of the half turn that the quaternion with a positive `w` tells."""
    v = np.where(q[..., 3:] < 0.0, -1.0, 1.0) * q
    square = np.sum(v[..., :3] ** 2, axis=-1, keepdims=True)
    near = square < _NEAR
    length = np.sqrt(np.where(near, 1.0, square))
    far = 2.0 * np.arctan2(length, v[..., 3:]) / length
    return v[..., :3] * np.where(near, _series(_ARCSINE, np.where(near, square, 0.0)), far)


def _angles_of(q: Any, seq: Any) -> Any:
    """Euler's angles, but for whole turns."""
    outer = seq.islower()
    order = ["xyz".index(one) for one in (seq if outer else seq[::-1]).lower()]
    i, j, k = order
    same = i == k
    last = 3 - i - j if same else k
    sign = (i - j) * (j - last) * (last - i) / 2.0
    first, second, third, w = q[..., i], q[..., j], sign * q[..., last], q[..., 3]
    if same:
        a, b, c, d = w, first, second, third
    else:
        a, b, c, d = w - second, first + third, second + w, third - first
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    total, apart = np.arctan2(b, a), np.arctan2(d, c)
    one, other = total - apart, total + apart
    if not same:
        middle, other = middle - 0.5 * math.pi, sign * other
    return np.stack((one, middle, other) if outer else (other, middle, one), axis=-1)


def _of_angles(seq: Any, angles: Any) -> Any:
    """The quaternion of turns about axes, one after the other: about those that stay, or those that turn with what is turned."""
    if np.ndim(angles) == 0:
        return _about(seq, angles)
    found = _about(seq[0], angles[..., 0])
    for n in range(1, len(seq)):
        other = _about(seq[n], angles[..., n])
        found = _product(other, found) if seq.islower() else _product(found, other)
    return found


def _about(axis: Any, angle: Any) -> Any:
    sine, cosine, none = np.sin(0.5 * angle), np.cos(0.5 * angle), 0.0 * angle
    places = "xyz".index(axis.lower())
    return np.stack(
        (sine if places == 0 else none, sine if places == 1 else none, sine if places == 2 else none, cosine), axis=-1
    )


def _as_scipy(found: Any, q: Any) -> Any:
    """The numbers `found` of SciPy's quaternion, which move as `q` or as its negative does."""
    return moving(found, np.where(np.sum(found * q, axis=-1, keepdims=True) < 0.0, -1.0, 1.0) * q)


def _quaternion(own: Any) -> Any:
    return own.as_quat()


def _read(own: Any, canonical: Any, scalar_first: Any) -> Any:
    q = own.as_quat(canonical)
    return np.roll(q, 1, axis=-1) if scalar_first else q


def _matrix(own: Any) -> Any:
    return own.as_matrix()


def _vector(own: Any, degrees: Any) -> Any:
    return own.as_rotvec(degrees)


def _angles(own: Any, seq: Any, degrees: Any) -> Any:
    """Raises RuntimeError: two of the axes meet, so that only the sum of two angles is determined."""
    quat, order = own.as_quat(), seq.lower()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is refused below
        middle = np.atleast_2d(own.as_euler(seq))[:, 1]
    if order[0] != order[2]:
        middle = middle + 0.5 * np.pi
    if len(quat) and np.any(np.abs(np.sin(middle)) < 1e-7):
        raise without_derivative("Euler's angles have no derivative where two of the axes meet: use `as_rotvec` or `as_matrix`")
    return own.as_euler(seq, degrees)


def _applied(own: Any, vectors: Any, inverse: Any) -> Any:
    return own.apply(vectors, inverse)


def _composed(first: Any, second: Any) -> Any:
    return first * second


def _chosen(own: Any, k: Any) -> Any:
    return own[k]


def _turned_back(own: Any) -> Any:
    return own.inv()


def _size(own: Any) -> Any:
    return own.magnitude()


def _made(quat: Any) -> Any:
    return Rotation.from_quat(quat)


class MovingRotation:
    """A rotation that moves, or several, with SciPy's own beside its quaternions."""

    def __init__(self, own: Any, quat: Any) -> None:
        self.own, self.quat = own, _as_scipy(solve(_quaternion, (), (), (quat,), own), quat)

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        """The quaternions."""
        q = self.quat
        found = np.concatenate((q[..., 3:], q[..., :3]), axis=-1) if scalar_first else q
        return _as_scipy(solve(_read, (), (), (found,), self.own, canonical, scalar_first), found)

    def as_matrix(self) -> Any:
        """The matrices."""
        found = _matrix_of(self.quat)
        return moving(solve(_matrix, (), (), (found,), self.own), found)

    def as_rotvec(self, degrees: Any = False) -> Any:
        """The rotation vectors."""
        found = _vector_of(self.quat) / (_DEGREE if degrees else 1.0)
        return moving(solve(_vector, (), (), (found,), self.own, degrees), found)

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any:
        """Euler's angles about three axes."""
        found = _angles_of(self.quat, seq) / (_DEGREE if degrees else 1.0)
        return moving(solve(_angles, (), (), (found,), self.own, seq, degrees), found)

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        """Places that are turned, or turned back."""
        places, m = np.asarray(vectors) * 1.0, _matrix_of(self.quat)
        found = np.sum((np.swapaxes(m, -1, -2) if inverse else m) * np.expand_dims(places, -2), axis=-1)
        return moving(solve(_applied, (), (), (found,), self.own, places, inverse), found)

    def magnitude(self) -> Any:
        """The angles."""
        q = self.quat
        found = 2.0 * np.arctan2(np.sqrt(np.sum(q[..., :3] ** 2, axis=-1)), np.abs(q[..., 3]))
        return moving(solve(_size, (), (), (found,), self.own), found)

    def inv(self) -> Any:
        """The rotations back."""
        return MovingRotation(solve(_turned_back, (), (), ("any",), self.own), self.quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def __mul__(self, other: Any) -> Any:
        """`other`, and then this one."""
        second = _turn_of(other)
        return MovingRotation(solve(_composed, (), (), ("any",), self.own, second.own), _product(self.quat, second.quat))

    def __getitem__(self, k: Any) -> Any:
        """Some of several rotations."""
        return MovingRotation(solve(_chosen, (), (), ("any",), self.own, k), self.quat[k])

    def __len__(self) -> int:
        return len(self.own)


def _turn_of(given: Any) -> Any:
    """A rotation that moves, of one from outside too."""
    if isinstance(given, MovingRotation):
        return given
    axes = 1 if fixed(given.single) else 2
    return MovingRotation(given, solve(_quaternion, (), (), (axes,), given))


def _from_quat(quat: Any, *, scalar_first: Any = False) -> Any:
    given = np.asarray(quat) * 1.0
    q = np.concatenate((given[..., 1:], given[..., :1]), axis=-1) if scalar_first else given
    return MovingRotation(solve(_made, (), (), ("any",), q), _unit(q))


def _made_of_vector(vector: Any, degrees: Any) -> Any:
    return Rotation.from_rotvec(vector, degrees)


def _from_rotvec(rotvec: Any, degrees: Any = False) -> Any:
    v = np.asarray(rotvec) * 1.0
    return MovingRotation(solve(_made_of_vector, (), (), ("any",), v, degrees), _of_vector(v * (_DEGREE if degrees else 1.0)))


def _made_of_matrix(matrix: Any) -> Any:
    """Raises RuntimeError: the matrix does not turn, so that SciPy takes the nearest one that does."""
    if matrix.size and not np.allclose(matrix @ np.swapaxes(matrix, -1, -2), np.eye(3), 0.0, _TURNING):
        raise without_derivative("Rotation.from_matrix has a derivative of matrices that are orthogonal")
    return Rotation.from_matrix(matrix)


def _from_matrix(matrix: Any) -> Any:
    m = np.asarray(matrix) * 1.0
    return MovingRotation(solve(_made_of_matrix, (), (), ("any",), m), _of_matrix(m))


def _made_of_angles(seq: Any, angles: Any, degrees: Any) -> Any:
    return Rotation.from_euler(seq, angles, degrees)


def _from_euler(seq: Any, angles: Any, degrees: Any = False) -> Any:
    given = np.asarray(angles) * 1.0
    return MovingRotation(
        solve(_made_of_angles, (), (), ("any",), seq, given, degrees), _of_angles(seq, given * (_DEGREE if degrees else 1.0))
    )


def _outer_apply(rotation: Any, vectors: Any, inverse: Any = False) -> Any:
    return _turn_of(rotation).apply(vectors, inverse)


def _outer_product(rotation: Any, other: Any) -> Any:
    return _turn_of(rotation) * other


class BetweenRotations:
    """Rotations between others, at an even pace: SciPy's `Slerp`."""

    def __init__(self, times: Any, rotations: Any) -> None:
        self.times, self.rotations = np.asarray(times) * 1.0, _turn_of(rotations)

    def __call__(self, times: Any) -> Any:
        """The rotations at some times."""
        at = np.asarray(times) * 1.0
        own, which = solve(_between_value, (), (), ("any", at), self.times, self.rotations.own, at)
        k, q = which.astype(int), self.rotations.quat
        share = (at - self.times[k]) / (self.times[k + 1] - self.times[k])
        first, second = q[k], q[k + 1]
        turn = _vector_of(_product(first * np.array([-1.0, -1.0, -1.0, 1.0]), second))
        return MovingRotation(own, _product(first, _of_vector(np.expand_dims(share, -1) * turn)))


def _between_value(times: Any, own: Any, at: Any) -> Any:
    """SciPy's rotations, and in which interval each lies."""
    return Slerp(times, own)(at), np.clip(np.searchsorted(times, at, side="left") - 1, 0, len(times) - 2) * 1.0


def _slerp(times: Any, rotations: Any) -> Any:
    return BetweenRotations(times, rotations)


_MAKERS: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (Rotation.from_quat, _from_quat),
    (Rotation.from_rotvec, _from_rotvec),
    (Rotation.from_matrix, _from_matrix),
    (Rotation.from_euler, _from_euler),
)

DEFINITIONS: tuple[Definition, ...] = (
    *(Definition(made, body, Value.FOLLOWED) for made, body in _MAKERS),
    Definition(Rotation.apply, _outer_apply),
    Definition(Rotation.__mul__, _outer_product, Value.FOLLOWED),
    Definition(Slerp, _slerp, Value.FOLLOWED, sequences=True),
)
