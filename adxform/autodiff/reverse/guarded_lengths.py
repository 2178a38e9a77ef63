"""Cotangents from lengths that a program guards: they move where the length is used, and nowhere else."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.length_guards import LengthGuard
from adxform.autodiff.expand import Expander, write, write_one
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Call, Lit, Operand
from adxform.primitives.families.numpy_reductions import restore


def guarded(b: Builder, expander: Expander, op: Call, guards: Sequence[LengthGuard], leaf: Operand, ct: Operand) -> Operand:
    """The cotangent `ct` of `leaf`, an argument of `op`, which computes lengths that are used behind `guards`.

    Its value is zero where they are not used. So is its derivative, which the rule of the length, of a cotangent that is zero,
    cannot know: that of a length of which only the slope is zero has none.
    """
    (length,) = op.outs
    used: Operand | None = None
    for guard in guards:
        taken = write_one(b, expander, _where if guard.wanted else _elsewhere, guard.cond, length)
        used = taken if used is None else write_one(b, expander, operator.add, used, taken)
    assert used is not None
    match op.fn:
        case Lit(np.linalg.norm):
            (used,) = write(b, expander, _restored, used, *op.args, kwargs=op.kwargs)
        case Lit(np.std | np.ndarray.std):
            (used,) = write(b, expander, _restored_spread, used, *op.args, kwargs=op.kwargs)
        case _:
            used = write_one(b, expander, runtime.unbroadcast, used, leaf)
    return write_one(b, expander, _moving, ct, used)


def _where(cond: Any, length: Any) -> Any:
    """How often each element of `length` is used by what `cond` takes."""
    return runtime.unbroadcast(np.where(cond, np.ones_like(length), 0.0), length)


def _elsewhere(cond: Any, length: Any) -> Any:
    return runtime.unbroadcast(np.where(cond, 0.0, np.ones_like(length)), length)


def _restored(used: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:  # noqa: A002 - NumPy's own word
    return restore(used, axis, keepdims)


def _restored_spread(used: Any, x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return restore(used, axis, keepdims)


def _moving(ct: Any, used: Any) -> Any:
    return intrinsics.valued(ct, runtime.unbroadcast(np.where(used > 0, ct, 0.0), ct))
