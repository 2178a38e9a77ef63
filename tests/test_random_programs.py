"""Random programs against central differences; those whose branches flip near the point are passed over."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import adxform
from adxform.errors import AdxError, UnsupportedOperationError, UnsupportedSyntaxError
from tests.oracle import central_jacobian, flat_function, float_leaves, pack
from tests.random_programs import MATRICES, SCALARS, VECTORS, Family, compiled, programs

VECTOR = np.array([0.45, -0.62, 0.83, 0.31])
MATRIX = np.array([[0.45, -0.62, 0.83], [0.31, 0.77, -0.28], [-0.53, 0.12, 0.66]])


@pytest.mark.parametrize("count", [15, pytest.param(40, marks=pytest.mark.rest)])
@pytest.mark.parametrize(
    ("of", "x"), [(SCALARS, 0.45), (VECTORS, VECTOR), (MATRICES, MATRIX)], ids=["scalars", "vectors", "matrices"]
)
def test_random_programs(of: Family, x: Any, count: int) -> None:
    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(programs(of), st.sampled_from([(0.77, 3), (-0.67, 0), (1.27, 2)]))
    def check(text: str, rest: tuple[float, int]) -> None:
        try:
            differs = check_program(text, of, (copy.deepcopy(x), *rest))
        except (UnsupportedSyntaxError, UnsupportedOperationError):
            return
        assert not differs, f"{differs}\n{text}"

    check()


def check_program(text: str, of: Family, args: tuple[Any, ...]) -> str:
    """Return which derivative of the program is wrong, or an empty string."""
    program = compiled(text, of)
    with np.errstate(all="ignore"):
        try:
            program(*copy.deepcopy(args))
        except (TypeError, NameError):  # it stores into a tuple, or calls what is not defined: it has no value to differentiate
            assume(False)
        jacobian, error = central_jacobian(*flat_function(program, args, (0, 1)), step=1e-3)
    scale = max(1.0, float(np.max(np.abs(jacobian))))
    assume(np.all(np.isfinite(jacobian)) and scale < 1e4 and error < 1e-8 * scale)
    kept = copy.deepcopy(args[0])
    value, gradient = adxform.value_and_grad(program, argnums=(0, 1))(*args)
    out, pullback = adxform.vjp(program, *args)
    if value != program(*copy.deepcopy(args)) or out != value:
        return "value"
    if not close(gradient, jacobian[0], scale):
        return "gradient"
    if not all(close(pullback(1.0), jacobian[0], scale) for _ in range(2)):
        return "pullback"
    try:
        again = adxform.grad(program, argnums=(0, 1), checkpoint_steps=1)(*args)
    except AdxError as refusal:
        assert "keeps checkpoints" in refusal.message  # noqa: PT017
    else:
        if not close(again, jacobian[0], scale):
            return "gradient with checkpoints"
    tangent = np.cos(np.arange(np.size(args[0]))).reshape(np.shape(args[0])), 0.6
    _, out_t = adxform.jvp(program, args, (*tangent, None))
    if not close([out_t], np.array([jacobian[0] @ pack(tangent)]), scale):
        return "tangent"
    return "" if np.array_equal(args[0], kept) else "input"


def close(actual: Any, expected: Any, scale: float) -> bool:
    """Whether the float leaves of `actual` are those of the vector `expected`."""
    return bool(np.max(np.abs(pack(float_leaves(actual)) - expected)) <= 1e-7 * scale)
