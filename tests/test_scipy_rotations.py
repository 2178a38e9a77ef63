"""Promise: rotations of SciPy's have its numbers and the right derivative, in all forms in which they are made and read.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")
from scipy.spatial.transform import Rotation

from tests.scipy_judge import Model, judge

POINT = np.array([0.7, -1.1, 0.8, 0.6, 0.9, -0.4, 0.35, 1.2])
PLACES = np.random.default_rng(1).normal(size=(4, 3))
SEVERAL = np.random.default_rng(2).normal(size=(4, 4))
WEIGHTS = np.cos(np.arange(64.0)) + 0.2
OUTER = Rotation.from_rotvec([0.4, -0.2, 0.9])
OUTER_SEVERAL = Rotation.from_quat(SEVERAL)
ORDERS = ["".join(one) for one in itertools.product("xyz", repeat=3) if one[0] != one[1] != one[2]]


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) * WEIGHTS[: np.size(x)])


def from_matrix(p: Any) -> Any:
    """Of a matrix that stays one that turns."""
    turned = Rotation.from_matrix(Rotation.from_rotvec(p[:3]).as_matrix())
    return weighed(turned.as_rotvec()) + weighed(turned.as_quat())


def arm(p: Any) -> Any:
    """Where an arm of three joints ends."""
    first = Rotation.from_euler("z", p[0])
    second = first * Rotation.from_euler("y", p[1])
    third = second * Rotation.from_rotvec(p[2] * np.array([0.6, 0.0, 0.8]))
    return weighed(first.apply([1.0, 0.0, 0.2]) + second.apply(p[3:6]) + third.apply(np.array([0.3, 0.1, 0.0]), inverse=True))


def misfit(p: Any) -> Any:
    """How far places are from others that were turned, and by what angle."""
    turn = Rotation.from_rotvec(p[:3])
    apart = turn.apply(PLACES) - OUTER.apply(PLACES * p[3])
    return np.sum(apart**2) + (turn.inv() * OUTER).magnitude() + np.sum((turn * OUTER).as_rotvec() ** 2)


MODELS: dict[str, Model] = {
    "from_quat": lambda p: weighed(Rotation.from_quat(p[:4]).as_quat()) + weighed(Rotation.from_quat(p[1:5]).as_matrix()),
    "scalar first": lambda p: weighed(Rotation.from_quat(p[:4], scalar_first=True).as_quat(scalar_first=True)),
    "several quaternions": lambda p: weighed(Rotation.from_quat(SEVERAL * p[:4]).as_rotvec()),
    "from_rotvec": lambda p: weighed(Rotation.from_rotvec(p[:3]).as_matrix()),
    "large rotvec": lambda p: weighed(Rotation.from_rotvec(4.0 * p[:3]).as_rotvec()),
    "degrees": lambda p: (
        weighed(Rotation.from_rotvec(40.0 * p[:3], degrees=True).as_rotvec(degrees=True))
        + weighed(Rotation.from_euler("xyz", 40.0 * p[:3], degrees=True).as_euler("ZYX", degrees=True))
    ),
    "several vectors": lambda p: weighed(Rotation.from_rotvec(PLACES * p[:3]).as_quat()),
    "from_matrix": from_matrix,
    **{f"euler {seq}": lambda p, seq=seq: weighed(Rotation.from_euler(seq, p[:3]).as_quat()) for seq in ("zxz", "ZYX", "XYX")},
    "euler of two": lambda p: weighed(Rotation.from_euler("yz", p[:2]).as_quat()),
    "euler of columns": lambda p: weighed(Rotation.from_euler("z", p[:5, None]).as_quat()),
    "euler of one": lambda p: (
        weighed(Rotation.from_euler("Y", p[0]).as_matrix()) + weighed(Rotation.from_euler("x", p[:1]).as_quat())
    ),
    "euler of several": lambda p: weighed(Rotation.from_euler("xzy", PLACES * p[:3]).apply(PLACES)),
    **{
        f"as {seq}": lambda p, seq=seq: weighed(Rotation.from_rotvec(p[:3]).as_euler(seq))
        for seq in (*ORDERS, *(one.upper() for one in ORDERS))
    },
    "several as euler": lambda p: weighed(Rotation.from_rotvec(PLACES * p[:3]).as_euler("ZXZ")),
    "apply": lambda p: weighed(Rotation.from_rotvec(p[:3]).apply(PLACES * p[3])) + weighed(OUTER.apply(p[:3], inverse=True)),
    "several apply": lambda p: (
        weighed(Rotation.from_rotvec(PLACES * p[:3]).apply(p[3:6])) + weighed(OUTER_SEVERAL.apply(PLACES * p[0]))
    ),
    "magnitude": lambda p: Rotation.from_rotvec(p[:3]).magnitude() + weighed(Rotation.from_quat(SEVERAL * p[:4]).magnitude()),
    "products of several": lambda p: weighed(
        (Rotation.from_rotvec(PLACES * p[:3]) * Rotation.from_quat(p[4:8]) * OUTER_SEVERAL).inv().as_quat()
    ),
    "canonical": lambda p: (
        weighed(Rotation.from_quat(p[2:6]).as_quat(canonical=True)) + weighed(Rotation.from_quat(SEVERAL * p[:4]).as_quat(True))
    ),
    "arm": arm,
    "misfit": misfit,
}


@pytest.mark.parametrize("name", MODELS)
def test_rotations(name: str) -> None:
    judge(MODELS[name], POINT)


@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e-4, 0.14, 0.3, 0.99, 1.01, 3.1, 3.2])
def test_rotations_about_all_angles(scale: float) -> None:
    """A turn by a vector is read back as that vector, up to a whole turn: the derivative is one, at every order."""
    v = scale * np.array([0.6, 0.0, 0.8])

    def back(v: Any) -> Any:
        return Rotation.from_rotvec(v).as_rotvec()

    whole = 2.0 * np.pi if scale > np.pi else 0.0
    axis = np.array([0.6, 0.0, 0.8])
    expected = np.eye(3) if not whole else np.eye(3) * (1.0 - whole / scale) + whole / scale * np.outer(axis, axis)
    np.testing.assert_allclose(adxform.jacobian(back)(v), expected, rtol=1e-9, atol=1e-11)
    if not whole:
        bent = adxform.hessian(lambda v: np.sum(back(v) * np.array([1.0, -2.0, 0.5])))(v)
        np.testing.assert_allclose(bent, np.zeros((3, 3)), atol=1e-7)


def test_a_turn_that_does_not_turn() -> None:
    """At the identity the matrix moves as the product with a vector does, and second derivatives exist."""
    slopes = adxform.jacobian(lambda v: Rotation.from_rotvec(v).apply(np.array([1.0, 2.0, 3.0])))(np.zeros(3))
    np.testing.assert_allclose(slopes, [[0.0, 3.0, -2.0], [-3.0, 0.0, 1.0], [2.0, -1.0, 0.0]], atol=1e-15)
    bent = adxform.hessian(lambda v: np.trace(Rotation.from_rotvec(v).as_matrix()))(np.zeros(3))
    np.testing.assert_allclose(bent, -2.0 * np.eye(3), atol=1e-12)


def test_a_matrix_moves_as_the_nearest_one_that_turns() -> None:
    matrix = OUTER.as_matrix()

    def entries(m: Any) -> Any:
        return weighed(Rotation.from_matrix(m).as_matrix())

    judge(lambda p: entries(np.reshape(p, (3, 3))), matrix.ravel(), rtol=1e-5)


def meeting(p: Any) -> Any:
    return weighed(Rotation.from_euler("XYZ", [p[0], 0.5 * np.pi, 0.2]).as_euler("XYZ"))


REFUSED: dict[str, tuple[Model, type[Exception]]] = {
    "two of the axes meet": (meeting, RuntimeError),
    "orthogonal": (lambda p: weighed(Rotation.from_matrix(np.eye(3) * p[0]).as_quat()), RuntimeError),
    "assume_valid=": (lambda p: weighed(Rotation.from_matrix(np.eye(3) * p[0], assume_valid=True).as_quat()), AdxError),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_derivative_is_refused(message: str) -> None:
    f, raised = REFUSED[message]
    with pytest.raises(raised, match=message):
        adxform.grad(f)(POINT)


def test_what_scipy_raises_comes_through() -> None:
    with pytest.raises(ValueError, match="zero norm"):
        adxform.grad(lambda p: weighed(Rotation.from_quat(0.0 * p[:4]).as_quat()))(POINT)
