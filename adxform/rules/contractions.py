"""Types of products and solutions, whose shape samples cannot tell: lengths that must agree have several names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Scalar, Size, Type

Shape = tuple[Size, ...]
Keywords = Mapping[str, Operand]


def shapes_of(args: tuple[Operand, ...], kwargs: Keywords) -> list[Shape] | None:
    """The shapes of two array operands; ``None`` when they are not two arrays of known rank."""
    types = [arg.type for arg in args if isinstance(arg, Var)]
    shapes = [type_.shape for type_ in types if isinstance(type_, Array) and type_.shape]
    return shapes if len(args) == len(shapes) == 2 and not kwargs else None


def common_dtype(args: tuple[Operand, ...]) -> str:
    """The dtype that NumPy computes with."""
    return np.result_type(
        *(np.dtype(arg.type.dtype) for arg in args if isinstance(arg, Var) and isinstance(arg.type, Array))
    ).name


def array_or_scalar(dtype: str, shape: Shape) -> Type:
    """An array, or the NumPy scalar that stands for an array without axes."""
    return Array(dtype, shape) if shape else Scalar(dtype)


def matmul_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of ``a @ b`` when at most one of them has more than two axes."""
    shapes = shapes_of(args, kwargs)
    if shapes is None or min(map(len, shapes)) > 2:
        return None
    a, b = shapes
    if len(b) == 1:
        shape = a[:-1]
    elif len(a) == 1:
        shape = (*b[:-2], b[-1])
    else:
        shape = (*(a[:-2] or b[:-2]), a[-2], b[-1])
    return array_or_scalar(common_dtype(args), shape)


def dot_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of ``np.dot(a, b)`` of vectors and matrices."""
    shapes = shapes_of(args, kwargs)
    return None if shapes is None or max(map(len, shapes)) > 2 else matmul_result(args, kwargs)


def solve_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of ``np.linalg.solve(a, b)`` for one matrix: that of `b`."""
    shapes = shapes_of(args, kwargs)
    if shapes is None or len(shapes[0]) != 2 or len(shapes[1]) > 2:
        return None
    return Array(_linalg_dtype(common_dtype(args)), shapes[1])


def square_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of a square matrix made of a square matrix."""
    match args:
        case (Var(_, Array(dtype, tuple() as shape)),) if len(shape) >= 2 and not kwargs:
            return Array(_linalg_dtype(dtype), (*shape[:-1], shape[-2]))
        case _:
            return None


def cross_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of the product of vectors of three: that of the operand with more axes."""
    shapes = shapes_of(args, kwargs)
    return None if shapes is None else Array(common_dtype(args), max(shapes, key=len))


def stack_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of ``np.stack(arrays, axis)``: the shape of the first, which is that of all, with one more length."""
    axis = args[1] if len(args) > 1 else kwargs.get("axis", Lit(0))
    parts = args[0].items if isinstance(args[0], Pack) else ()
    arrays = [part.type for part in parts if isinstance(part, Var) and isinstance(part.type, Array)]
    shapes = [type_.shape for type_ in arrays if type_.shape]
    if not isinstance(axis, Lit) or not isinstance(axis.value, int) or kwargs.keys() - {"axis"} or len(args) > 2:
        return None
    if not shapes or len(shapes) < len(parts) or len(set(map(len, shapes))) > 1:
        return None
    shape = shapes[0]
    place = axis.value % (len(shape) + 1)
    dtype = np.result_type(*(np.dtype(type_.dtype) for type_ in arrays)).name
    return Array(dtype, (*shape[:place], len(arrays), *shape[place:]))


def _linalg_dtype(dtype: str) -> str:
    return dtype if dtype.startswith(("float", "complex")) else "float64"
