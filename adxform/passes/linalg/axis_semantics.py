"""What calls on arrays do along one axis: keep its elements apart, add them up, or neither."""

from __future__ import annotations

import operator
from typing import Literal

import numpy as np

from adxform import runtime
from adxform.ir.operand_facts import axis_lengths, callee, index_parts
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar
from adxform.ir.walk import reads
from adxform.passes.arrays.lane_dtypes import element, is_elementwise
from adxform.passes.arrays.maps import loop_space
from adxform.passes.linalg.kernel_products import MATMULS, is_product, order_of_axes
from adxform.primitives.facets import Reduces
from adxform.primitives.memory import RESHAPES
from adxform.primitives.table import having, record_of

READ = having(lambda record: record.reduces in (Reduces.SUM, Reduces.LARGEST, Reduces.SMALLEST))
ALIKE = frozenset({np.zeros_like, np.ones_like, runtime.broadcast_like})
WHOLE = (Lit(slice(None)), Pack("slice", (Lit(None), Lit(None), Lit(None))))

Role = Literal["apart", "sum"]


def role(op: Call, size: Dim) -> Role | None:
    """Whether `op` keeps the elements apart along the axes of length `size` that its operands have, or adds them up.

    Then a part of the result is what `op` makes of that part of the operands, or the result is the sum of what it makes of parts.
    ``None``: neither, or it is not known. What it makes is ``float64`` if it is a sum.
    """
    if len(op.outs) != 1 or not all(_is_clear(var, size) for var in (*reads(op), *op.outs)):
        return None
    (out,) = op.outs
    found = _product(op, size) if callee(op) in MATMULS else _reduction(op, size) if _reduces(op) else _plain(op, size)
    if found is None:
        return None
    at, axis = axis_of(out, size), found
    if axis == SUMMED:
        return "sum" if at is None and getattr(out.type, "dtype", "") == "float64" else None
    return "apart" if at == axis else None


def axis_of(operand: Operand, size: Dim) -> int | None:
    """Which axis of `operand` is of length `size`, counted from the last one, which is -1."""
    shape = axis_lengths(operand)
    return shape.index(size) - len(shape) if size in shape else None


SUMMED = 0


def _plain(op: Call, size: Dim) -> int | None:
    """The axis of the result of a call that computes every element on its own, or makes a view."""
    fn, (out,) = callee(op), op.outs
    at, shape = axis_of(out, size), axis_lengths(out)
    if at is None:
        return None
    arrays = [arg for arg in op.args if isinstance(arg, Var) and isinstance(arg.type, Array)]
    if fn in ALIKE or (is_elementwise(fn) and element(op) is not None):
        alike = all(axis_lengths(arg)[at] in (size, 1) for arg in arrays if len(axis_lengths(arg)) >= -at)
        return at if alike and arrays and not op.kwargs and (fn is not np.zeros_like or len(op.args) == 1) else None
    if not arrays or arrays[0] is not op.args[0] or op.kwargs or (before := axis_of(arrays[0], size)) is None:
        return None
    own = axis_lengths(arrays[0])
    if fn in RESHAPES:
        return at if loop_space(own) == loop_space(shape) else None
    moved = _moved(op, before + len(own), len(shape))
    return None if moved is None else moved - len(shape)


def _moved(op: Call, axis: int, rank: int) -> int | None:
    """The axis, of the `rank` that the view has which `op` makes of its first argument, that is `axis` of the argument."""
    fn = callee(op)
    if fn is operator.getitem:
        parts = index_parts(op.args[1])
        if any(part != Lit(None) and part not in WHOLE for part in parts):
            return None
        whole = [place for place, part in enumerate(parts) if part in WHOLE]
        return whole[axis] if axis < len(whole) else axis - len(whole) + len(parts)
    if fn is np.expand_dims and isinstance(op.args[1], Lit) and type(op.args[1].value) is int:
        return axis + (op.args[1].value % rank <= axis)
    order = order_of_axes(op)
    return None if order is None else order.index(axis)


def _reduces(op: Call) -> bool:
    return callee(op) in READ


def _reduction(op: Call, size: Dim) -> int | None:
    """The axis that is left of a sum or an extreme value; `SUMMED` if it is added up."""
    given = dict(zip(("x", "axis"), op.args, strict=False)) | dict(op.kwargs)
    if len(op.args) > 2 or given.keys() - {"x", "axis", "keepdims"}:
        return None
    axes, keeps = given.get("axis", Lit(None)), given.get("keepdims", Lit(False))
    before, shape = axis_of(op.args[0], size), axis_lengths(op.args[0])
    if before is None or not isinstance(axes, Lit) or type(axes.value) not in (int, tuple, type(None)) or keeps not in KEEPS:
        return None
    listed = axes.value if isinstance(axes.value, tuple) else range(len(shape)) if axes.value is None else (axes.value,)
    gone = {axis % len(shape) for axis in listed}
    axis = before + len(shape)
    if axis in gone:
        return SUMMED if record_of(callee(op)).reduces is Reduces.SUM else None
    return before if keeps == Lit(True) else before + sum(other > axis for other in gone)


KEEPS = (Lit(False), Lit(True))


def _product(op: Call, size: Dim) -> int | None:
    """The axis of a product of matrices that is the one of its operands; `SUMMED` if they are summed over it."""
    if not is_product(op) or op.kwargs or min(len(axis_lengths(arg)) for arg in op.args) < 2:
        return None
    if axis_lengths(op.args[0])[-1] != axis_lengths(op.args[1])[-2]:
        return None
    left, right = (axis_lengths(arg)[:-2] for arg in op.args)
    match tuple(axis_of(arg, size) for arg in op.args):
        case (-1, -2):
            return SUMMED
        case (-2, None):
            return -2
        case (None, -1):
            return -1
        case (-3, -3):
            return -3
        case (-3, None) if right in ((), (1,)):
            return -3
        case (None, -3) if left in ((), (1,)):
            return -3
        case _:
            return None


def _is_clear(var: Var, size: Dim) -> bool:
    """Whether it is known which axis of `var` has that length, if one has."""
    match var.type:
        case Scalar():
            return True
        case Array(_, tuple(shape)):
            named = [other for other in shape if isinstance(other, Dim) and other.base == size.base]
            return named in ([], [size])
        case _:
            return False
