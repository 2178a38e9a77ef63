"""Functions that others express: each in the forms of its call that NumPy takes, and in those that it does not.

A definition says how the value moves, and what it says of a form that it was not written for is another number. So for each
parameter there are values of every kind: numbers, lists, tuples, arrays, of too few and too many items, of other kinds and
signs, axes in any order and beyond the last; by arrays of every rank, of both precisions, and without elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, program

_AXES = ("0", "-1", "1", "None", "(0, 1)", "(1, 0)", "(0,)", "5")
_ENDS = ("1.5", "2", "x", "x[:1]", "x[..., :1]", "[0.5]", "np.float32(1)", "np.array(2.0)")

OF_ONE: dict[str, tuple[str, ...]] = {
    "np.diff(x{})": (
        "", *(f", {n}" for n in ("0", "2", "-1", "True", "9")), *(f", axis={axis}" for axis in ("0", "-1", "1", "5")),
        *(f", {end}={value}" for end in ("prepend", "append") for value in _ENDS),
        *(f", {n}, prepend={value}, append=1" for n in ("0", "2") for value in ("1.5", "x")), ", axis=0, append=x",
    ),
    "np.diff(x > 0.0{}) * x.sum()": ("", ", 2", ", axis=0", ", prepend=True", ", append=[False]"),
    "np.trapezoid(x{})": (
        "", ", dx=2", ", dx=0.5", ", dx=x.sum()", ", dx=[1.0, 0.5]", ", dx=np.arange(1.0, x.shape[-1])", ", dx=x[..., 1:]",
        ", dx=x[1:]", ", dx=[1.0, 2.0, 0.5]", ", dx=np.array(2.0)", ", dx=np.ones((2, 1))", ", dx=x[..., 1:], axis=-1",
        ", dx=np.ones((2, 1, 1)), axis=0", ", axis=0", ", axis=-1", ", axis=5", ", x", ", x**2", ", np.sort(x)",
        ", [0, 1, 3]",
        ", np.arange(x.shape[0]), axis=0", ", np.arange(x.shape[0])[:, None], axis=0", ", x[:1]", ", None, 2.0, 0",
        ", x, 7.0",
    ),
    "np.average(x{})": (
        "", *(f", {axis}" for axis in _AXES), *(f", axis={axis}, weights=x**2" for axis in _AXES),
        *(f", axis={axis}, weights=(x**2).T" for axis in _AXES), *(f", axis={axis}, weights=[1, 2, 3]" for axis in _AXES),
        ", axis=0, weights=x[:, 0]", ", axis=-1, weights=x[0]", ", axis=(0, 2), weights=x[:, 0]",
        ", axis=(2, 0), weights=x[:, 0].T",
        ", weights=x, returned=True", ", axis=0, returned=True, keepdims=True", ", axis=0, weights=x[..., 0], returned=True",
    ),
    "np.cumulative_sum(x{})": ("", *(f", axis={axis}" for axis in _AXES)),
    "np.nonzero(x > 0.0){} * x.sum()": ("[0]", "[-1]"),
    "np.nonzero(x){} * x.sum()": ("[0]", "[-1]"),
    "np.matrix_transpose(x{})": ("",),
    "np.linalg.svdvals(x{})": ("", "[..., ::-1]"),
    "np.gradient(x{})": (
        "", ", 2", ", x.sum()", ", np.array(2.0)", ", [0, 1, 3]", ", x.ravel()[:3]", ", 1, 2", ", [0, 1, 3], 2", ", axis=0",
        ", axis=-1", ", axis=(0, 1)", ", axis=(1, 0)", ", 1, 2, axis=(1, 0)", ", axis=()", ", axis=[0]", ", axis=5",
        ", 1, 2, 3",
        ", [0, 1, 3], axis=0", ", np.ones((3, 4))",
    ),
    "np.split(x, {})": (
        "3", "2", "1", "0", "-1", "[1]", "[2, 1]", "[-1]", "[9]", "(1, 1)", "np.array([1, 2])", "[]", "2, 1", "[1], -1",
        "3, 5",
    ),
    "np.array_split(x, {})": ("3", "2", "7", "0", "-1", "[1]", "[2, 1]", "[-1]", "(9, 1)", "np.array([1])", "2, 1",
        "[1], -1"),
    "np.append(x, {})": ("x", "1.0", "2", "[]", "[1.0, 2.0]", "x, 0", "x, -1", "x[:1], 0", "x[0], 0", "x, 5",
        "[[1.0] * 3], 0"),
    "np.median(x{})": ("", *(f", {axis}" for axis in _AXES), *(f", axis={axis}, keepdims=True" for axis in _AXES)),
    "np.quantile(x, {})": (
        *("0.3", "0", "1", "1.5", "True", "[0.3]", "(0.3, 0.8)", "[]", "[[0.1, 0.2]]", "np.array(0.3)", "np.float32(0.3)"),
        *(f"0.3, axis={axis}" for axis in _AXES), *(f"[0.3, 0.8], axis={axis}, keepdims=True" for axis in _AXES),
        "np.clip(x.sum(), 0.0, 1.0)", "np.clip(x.ravel()[:2], 0.0, 1.0)", "0.3, method='linear'",
        "0.3, None, None, False, 'lower'",
    ),
    "np.percentile(x, {})": ("30", "30.5", "[10, 50]", "(10, 50), 0", "np.arange(0, 100, 40), -1", "30, keepdims=True",
        "130"),
    "np.cov(x{})": (
        "", ", x", ", x[..., ::-1]", ", rowvar=False", ", x, False", ", bias=True", ", ddof=0", ", ddof=2", ", ddof=1.0",
        ", x[:1]", ", None, False, True",
    ),
    "np.ptp(x{})": ("", *(f", {axis}" for axis in _AXES), ", 0, keepdims=True"),
    "np.nanmax(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.nanmin(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.logaddexp.reduce(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.add.reduce(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.maximum.reduce(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.add.accumulate(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.maximum.accumulate(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.fmax.accumulate(x{})": ("", *(f", {axis}" for axis in _AXES)),
    "np.linalg.matrix_power(x, {})": ("0", "1", "3", "-2", "True", "2.0", "np.int64(2)"),
    "np.meshgrid(x{})": ("", ", x", ", 2.0", ", [1, 2]", ", x, x[:1]", ", x, indexing='ij'", ", x, indexing='no'"),
    "np.select({})": (
        "[x > 0.0], [x]", "[x > 0.0, x < 0.0], [x, 1]", "[x > 0.0, x < 0.0], [1, x]", "[x > 0.0, x < 0.0], [x]",
        "[x > 0.0], [x, 2 * x]",
        "[], []", "[x > 0.0], [x], x**2", "[x > 0.0], [x], default=2.5", "[True, x > 0.0], [x, 2 * x]",
        "[(x > 0.0) * 1], [x]",
        "(x > 0.0, x <= 0.0), (1, x)", "[x > 0.0, x < -1.0], [x, np.float64(2)]", "[x > 0.0, x < 0.0], [True, x]",
        "[[1, 0, 1]], [x]",
    ),
    "np.polyval({})": ("x, 2", "x, x", "[1, 2], x", "[], x", "x, [1, 2]", "[x.sum(), 2, 1], x", "x[:0], x", "2.0, x"),
    "np.vecdot(x, {})": ("x", "x[..., ::-1]", "x[:1]", "2.0", "[1.0, 2.0, 3.0]"),
    "np.divmod(x, {})": ("0.7", "x[::-1] + 3.0", "2", "[1, 2, 3]", "0"),
    "np.interp({})": (
        "x, [0, 1, 2], [1, 3, 2]", "x, np.sort(x.ravel()), x.ravel()", "x, [0, 1], [1, 3], -1, 7",
        "x, [0, 1], [1, 3], left=x.sum()",
        "x, [0], [2.0]", "x, [], []", "x, [0, 1], [1, 2, 3]", "0.5, [0, 1], x.ravel()[:2]",
    ),
}  # fmt: skip
"""Calls with one array among their arguments, and what stands in the gap."""

IN_PLACE: dict[str, tuple[str, ...]] = {
    "np.fill_diagonal(x, {})": (
        "2.0", "2", "x.sum()", "x[0].copy()", "[1.0, 2.0]", "[1, 2, 3, 4, 5, 6, 7]", "[]", "np.array(2.0)",
        "[[1.0], [2.0]]", "2.0, True",
    ),
    "np.put(x, {})": (
        "1, 7", "-1, 5.0", "[-1, 0, -1], [1.0, 2.0, 3.0]", "[], []", "[0, 1], []", "[0, 1, 2], [1.0, 2.0]",
        "[0, 99], 1.0", "[[0, 1]], x[:1]",
        "np.array([1, 1]), x.ravel()[:2] * 2", "[True, False], 3.0", "[1.0], 3.0", "(0, 1), 3.0", "[-99], 1.0", "0, x.sum()",
        "np.array([True, False]), 3.0", "[0, 1], [[1.0], [2.0]]",
    ),
    "np.putmask(x, {})": (
        "x > 0.0, 1.0", "x > 0.0, x**2", "x > 0.0, [1.0, 2.0]", "x > 0.0, []", "x, 3.0", "[True, False, True], x",
        "x > 0.0, x.sum()",
    ),
    "np.copyto(x, {})": ("1.0", "x[::-1]", "x[0]", "[1.0, 2.0, 3.0]", "np.arange(3)", "True", "1j"),
    "x.sort({})": ("", "0", "-1", "axis=None", "1", "5", "kind='stable'", "-1, 'heapsort'"),
    "x.fill({})": ("1.0", "2", "x.sum()", "np.array(2.0)", "[1.0]"),
    "np.subtract.at(x, {})": (
        "[0, 1], [1.0, 2.0]", "[0, 0], True", "0, x[1]", "[0, 0], np.array([1, 2], np.uint8)", "slice(None), 2",
        "x > 0.0, 1.5",
        "[0, 0], np.array([True, False])", "[-1], x[:1]", "[9], 1.0", "[0, 1], np.array([1, 2], np.int8)", "..., x", "[], []",
    ),
    "np.add.at(x, {})": (
        "[0, 1], [1.0, 2.0]", "[0, 0], True", "0, x[1]", "[0, 0], np.array([1, 2], np.uint8)", "[9], 1.0", "..., x",
    ),
}  # fmt: skip
"""Calls that write to their first argument."""


def _general(*shape: int) -> Any:
    """Values of both signs in general position."""
    return np.cos(np.arange(float(np.prod(shape))) * 1.7 + 0.4).reshape(shape) * 1.3


ARRAYS: dict[str, Any] = {
    "three": _general(3),
    "matrix": _general(3, 4),
    "square": _general(3, 3),
    "cube": _general(3, 3, 3),
    "box": _general(2, 3, 4),
    "tall": _general(7, 2),
    "columns": np.asfortranarray(_general(3, 4)),
    "steps": _general(6, 4)[::2, ::-1],
    "single": _general(3).astype(np.float32),
    "number": np.float64(0.7),
    "no axes": np.array(0.7),
    "nothing": np.zeros(0),
    "no rows": np.zeros((0, 3)),
}


def cells() -> Iterator[Cell]:
    """Each call with each filling, of each array."""
    for (call, fillings), (kind, array) in itertools.product(OF_ONE.items(), ARRAYS.items()):
        for filling in fillings:
            text = call.format(filling)
            yield Cell(f"{text} of {kind}", program(f"def f(x):\n    return {text}\n"), (array,), smooth=np.size(array) > 0)
    for (call, fillings), (kind, array) in itertools.product(IN_PLACE.items(), ARRAYS.items()):
        for filling in fillings if isinstance(array, np.ndarray) else ():
            text = call.format(filling)
            yield Cell(
                f"{text} of {kind}", program(f"def f(x):\n    {text}\n    return x * x\n"), (array,), smooth=np.size(array) > 0
            )
