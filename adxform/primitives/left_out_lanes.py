"""Which functions leave lanes out, so that elements of a cotangent are exactly zero though nothing was multiplied by zero.

Only then can a product with an infinite partial turn a lane that is not used into NaN (see `Partials.singular`).
"""

from __future__ import annotations

import operator

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, Function, Lit, Op, Var
from adxform.ir.types import Array
from adxform.ir.walk import all_ops

SELECTING = frozenset(
    {
        max,
        min,
        operator.getitem,
        operator.setitem,
        np.where,
        np.maximum,
        np.minimum,
        np.fmax,
        np.fmin,
        np.clip,
        np.ndarray.clip,
        np.heaviside,
        np.nan_to_num,
        np.max,
        np.min,
        np.amax,
        np.amin,
        np.ndarray.max,
        np.ndarray.min,
        np.nansum,
        np.nanmean,
        np.take,
        np.ndarray.take,
        np.take_along_axis,
        np.ndarray.item,
        np.diag,
        np.diagonal,
        np.ndarray.diagonal,
        runtime.diagonal,
        np.trace,
        np.ndarray.trace,
        np.triu,
        np.tril,
        np.pad,
        np.linalg.norm,
        runtime.gather_last,
        runtime.scatter_last,
        runtime.masked_product,
        runtime.masked_matmul,
        runtime.masked_outer,
        runtime.masked_tensordot,
        runtime.masked_einsum,
        runtime.masked_cross,
        runtime.add_along_axis,
        runtime.add_diagonal,
        runtime.cotangent_view,
    }
)


def leaves_lanes_out(fn: Function) -> bool:
    """Whether a lane of a cotangent in `fn` can be zero because a choice left it out.

    Control flow counts, and so does an array among the results, whose cotangent the caller may give any zeros.
    """
    if any(isinstance(result, Var) and isinstance(result.type, Array) for result in fn.results):
        return True
    return any(_leaves_out(op) for op in all_ops(fn.body))


def _leaves_out(op: Op) -> bool:
    if not isinstance(op, Call):
        return True
    return isinstance(op.fn, Lit) and op.fn.value in SELECTING
