"""What `np.hstack` and its kin mean: of arrays that are known one by one, and of a list whose length only a run can tell.

The items of such a list are the rows of one array, so that a join of them moves an axis and merges it with its neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _hstack(parts: Any) -> Any:
    arrays = [np.atleast_1d(part) for part in parts]
    if np.ndim(arrays[0]) == 1:
        return np.concatenate(arrays, 0)
    return np.concatenate(arrays, 1)


def _vstack(parts: Any) -> Any:
    return np.concatenate([np.atleast_2d(part) for part in parts], 0)


def _column_stack(parts: Any) -> Any:
    return np.concatenate([part if np.ndim(part) >= 2 else np.atleast_2d(part).T for part in parts], 1)


def _dstack(parts: Any) -> Any:
    return np.concatenate([np.atleast_3d(part) for part in parts], 2)


def in_a_row(*parts: Any) -> Any:
    """``np.r_[parts]``"""
    dtype = np.result_type(*parts)
    return np.concatenate([np.atleast_1d(part).astype(dtype) for part in parts], 0)


def as_columns(*parts: Any) -> Any:
    """``np.c_[parts]``"""
    dtype = np.result_type(*parts)
    arrays = [part if np.ndim(part) > 1 else np.reshape(part, (-1, 1)) for part in parts]
    return np.concatenate([part.astype(dtype) for part in arrays], -1)


def _block(arrays: Any) -> Any:
    depth = _depth(arrays)
    return _joined_blocks(arrays, depth, max(depth, _largest_rank(arrays)))


def _depth(arrays: Any) -> Any:
    """How deep the lists are nested that hold the blocks."""
    if isinstance(arrays, tuple):
        raise TypeError("arrays is a tuple. Only lists can be used to arrange blocks")
    if not isinstance(arrays, list):
        return 0
    if len(arrays) == 0:
        raise ValueError("List at arrays cannot be empty")
    depths = [_depth(part) for part in arrays]
    if min(depths) != max(depths):
        raise ValueError("List depths are mismatched")
    return 1 + depths[0]


def _largest_rank(arrays: Any) -> Any:
    return max([_largest_rank(part) for part in arrays]) if isinstance(arrays, list) else np.ndim(arrays)


def _joined_blocks(arrays: Any, depth: Any, rank: Any) -> Any:
    """The blocks as one array: the innermost lists go along the last axis, those around them along the one before it."""
    if depth == 0:
        return np.reshape(arrays, (1,) * (rank - np.ndim(arrays)) + np.shape(arrays))
    return np.concatenate([_joined_blocks(part, depth - 1, rank) for part in arrays], -depth)


def _stacked_rows(rows: Any, axis: Any = 0) -> Any:
    return rows if axis == 0 else np.moveaxis(rows, 0, axis)


def _concatenated_rows(rows: Any, axis: Any = 0) -> Any:
    if axis is None:
        return np.reshape(rows, (-1,))
    rank = np.ndim(rows) - 1
    if rank == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    place = axis if axis >= 0 else axis + rank
    moved = np.moveaxis(rows, 0, place)
    return np.reshape(moved, (*moved.shape[:place], moved.shape[place] * moved.shape[place + 1], *moved.shape[place + 2 :]))


def _rows_side_by_side(rows: Any) -> Any:
    return rows if np.ndim(rows) == 1 else _concatenated_rows(rows, 0 if np.ndim(rows) == 2 else 1)


def _rows_below_one_another(rows: Any) -> Any:
    if np.ndim(rows) <= 2:
        return rows if np.ndim(rows) == 2 else rows[:, None]
    return _concatenated_rows(rows, 0)


def _rows_as_columns(rows: Any) -> Any:
    if np.ndim(rows) <= 2:
        return rows.T if np.ndim(rows) == 2 else rows[None]
    return _concatenated_rows(rows, 1)


def _rows_in_depth(rows: Any) -> Any:
    if np.ndim(rows) <= 3:
        return rows[None, None] if np.ndim(rows) == 1 else rows.T[None] if np.ndim(rows) == 2 else np.moveaxis(rows, 0, 2)
    return _concatenated_rows(rows, 2)


def _rows_as_blocks(rows: Any) -> Any:
    return rows if np.ndim(rows) == 1 else _concatenated_rows(rows, -1)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.hstack, _hstack, sequences=True),
    Definition(np.vstack, _vstack, sequences=True),
    *(Definition(getattr(np, name), _vstack, sequences=True) for name in ("row_stack",) if hasattr(np, name)),  # before 2.5
    Definition(np.column_stack, _column_stack, sequences=True),
    Definition(np.dstack, _dstack, sequences=True),
    Definition(np.block, _block, sequences=True),
)
"""Joins of arrays that are known one by one, in terms of `np.concatenate`."""

OF_ROWS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        np.stack: _stacked_rows,
        np.concatenate: _concatenated_rows,
        np.hstack: _rows_side_by_side,
        np.vstack: _rows_below_one_another,
        np.column_stack: _rows_as_columns,
        np.dstack: _rows_in_depth,
        np.block: _rows_as_blocks,
    }
)
"""The same joins, and those that have rules, of the rows of one array."""
