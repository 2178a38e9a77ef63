"""Windows that slide over an array: views whose elements overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import adxform
from adxform.errors import AliasError, MissingRuleError
from adxform.testing import check_derivatives


def reduced_by_windows(x: Any) -> Any:
    v = sliding_window_view(x, 3)
    return np.sum(v.max(axis=1) * v.mean(axis=1) ** 2)


def several_axes(x: Any) -> Any:
    v = np.lib.stride_tricks.sliding_window_view(x * x, (2, 2))
    return np.sum(np.sum(v**2, axis=(-1, -2)) * v[..., 0, 1]) + np.sum(v[0] ** 3)


def one_axis_by_name(x: Any) -> Any:
    return np.sum(sliding_window_view(x, window_shape=2, axis=0)[..., 1] * sliding_window_view(x, 2, 0)[..., 0] ** 2)


def moving_average(x: Any) -> Any:
    smooth = sliding_window_view(x, 4, axis=-1).mean(axis=-1)
    return np.sum(np.diff(smooth) ** 2)


def windows_of_what_was_written(x: Any) -> Any:
    y = np.zeros_like(x)
    y[1:] = x[:-1] ** 2
    return np.sum(sliding_window_view(y, 2) @ np.array([1.0, -2.0]) ** 2)


def windows_see_what_is_written(x: Any) -> Any:
    y = x.copy()
    v = sliding_window_view(y, 2)
    total = np.sum(v**3)
    y[1:] *= x[:-1]
    y[0] = total
    return np.sum(v**2) * y[2]


CASES = {
    windows_see_what_is_written: (4,),
    reduced_by_windows: (7,),
    several_axes: (4, 5),
    one_axis_by_name: (4, 3),
    moving_average: (2, 9),
    windows_of_what_was_written: (6,),
}


@pytest.mark.parametrize("program", CASES, ids=lambda program: program.__name__)
def test_derivatives(program: Any) -> None:
    x = np.random.default_rng(3).uniform(0.5, 1.5, CASES[program])
    assert [check.name for check in check_derivatives(program, x) if not check.ok] == []


def test_as_long_as_the_array() -> None:
    assert np.allclose(adxform.grad(lambda x: np.sum(sliding_window_view(x, 3)))(np.ones(3)), 1.0)
    with pytest.raises(ValueError, match="window shape cannot be larger"):
        adxform.grad(lambda x: np.sum(sliding_window_view(x, 4)))(np.ones(3))


def test_what_is_written_while_windows_show_it() -> None:
    """A view of windows of what is written is refused, and so are windows that can be written to."""

    def changed(x: Any) -> Any:
        y = x * x
        v = sliding_window_view(y, 2)
        y[0] = 3.0 * y[0]
        return np.sum(v[0] ** 2)

    with pytest.raises(AliasError):
        adxform.grad(changed)(np.ones(4))
    with pytest.raises(MissingRuleError, match="writeable"):
        adxform.grad(lambda x: np.sum(sliding_window_view(x, 2, writeable=True)))(np.ones(4))
