"""What is overwritten, in prepared derivatives and in pullbacks that are called again: a sample of the overwrite table."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from tests.oracle import central_jacobian, flat_function, is_float, pack
from tests.tables.cell import Cell
from tests.tables.judging import sampled


def slopes(cell: Cell, wrt: tuple[int, ...]) -> Any:
    """The gradient by differences; ``None`` where they cannot tell, or the program itself raises."""
    flat, x = flat_function(cell.function, cell.args, wrt)
    try:
        jacobian, error = central_jacobian(flat, x, step=1e-3)
    except ValueError:  # an array that is written is read-only
        return None
    told = len(jacobian) and np.all(np.isfinite(jacobian)) and error < 1e-6  # of complex results alone nothing is told
    return jacobian[0] if told else None


@pytest.mark.parametrize("cell", sampled("overwrite", 25, seed=11), ids=lambda cell: cell.name)
def test_prepared_into_arrays_and_pulled_back_again(cell: Cell) -> None:
    wrt = tuple(i for i, arg in enumerate(cell.args) if is_float(arg))
    args = copy.deepcopy(cell.args)
    with np.errstate(all="ignore"):
        expected = slopes(cell, wrt)
        if expected is None:
            return
        try:
            prepared = adxform.prepare_gradient(cell.function, *args, argnums=wrt)
        except AdxError as refused:
            assert refused.span.line  # noqa: PT017 - which of the two it is, is the table's affair
            return
        room = tuple(np.full(arg.shape, np.nan) if isinstance(arg, np.ndarray) else None for arg in (args[i] for i in wrt))
        for _ in range(2):
            np.testing.assert_allclose(pack(list(prepared(*args, out=room))), expected, rtol=1e-6, atol=1e-6)
        for pullback in (adxform.vjp(cell.function, *args)[1], adxform.prepare_vjp(cell.function, *args)(*args)[1]):
            for scale in (1.0, 2.0, 1.0):
                found = pullback(np.float64(scale))
                np.testing.assert_allclose(pack([found[i] for i in wrt]), scale * expected, rtol=1e-6, atol=1e-6)
    assert all(np.array_equal(one, other) for one, other in zip(args, cell.args, strict=True))
