"""Types of products and solutions, whose shape samples cannot tell: lengths that must agree have several names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Several, Size, Type

Shape = tuple[Size, ...]
Keywords = Mapping[str, Operand]


def shapes_of(args: tuple[Operand, ...], kwargs: Keywords) -> list[Shape] | None:
    """The shapes of two array operands; ``None`` when they are not two arrays of known rank."""
    types = [arg.type for arg in args if isinstance(arg, Var)]
    shapes = [type_.shape for type_ in types if isinstance(type_, Array) and type_.shape]
    return shapes if len(args) == len(shapes) == 2 and not kwargs else None


def common_dtype(args: tuple[Operand, ...]) -> str:
    """The dtype that NumPy computes with."""
    arrays = [arg.type for arg in args if isinstance(arg, Var) and isinstance(arg.type, Array)]
    return dtype_name(np.result_type(*(np.dtype(type_.dtype) for type_ in arrays)))


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


def eigh_result(args: tuple[Operand, ...], kwargs: Keywords) -> Several | None:
    """The types of the eigenvalues and the eigenvectors of symmetric matrices."""
    match square_result(args[:1], {}):
        case Array(dtype, tuple() as shape):
            return Several((Array(_real(dtype), shape[:-1]), Array(dtype, shape)), type(np.linalg.eigh(np.eye(1))))
        case _:
            return None


def eig_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | Several | None:
    """The types of the eigenvalues and the eigenvectors of complex matrices; of those of others the run decides."""
    match square_result(args[:1], kwargs):
        case Array(dtype, tuple() as shape) if dtype.startswith("complex"):
            return Several((Array(dtype, shape[:-1]), Array(dtype, shape)), type(np.linalg.eig(np.eye(1))))
        case _:
            return Object()


def eigvals_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type:
    """The type of the eigenvalues of complex matrices; of those of others the run decides."""
    match eig_result(args, kwargs):
        case Several((values, _)):
            return values
        case _:
            return Object()


def pinv_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of pseudoinverses."""
    match args[0]:
        case Var(_, Array(dtype, tuple() as shape)) if len(shape) >= 2:
            return Array(_linalg_dtype(dtype), (*shape[:-2], shape[-1], shape[-2]))
        case _:
            return None


def lstsq_result(args: tuple[Operand, ...], kwargs: Keywords) -> Several | None:
    """The types of solutions, of residuals, which there may be none of, of the rank and of singular values."""
    shapes = shapes_of(args[:2], {})
    if shapes is None or len(shapes[0]) != 2 or len(shapes[1]) > 2:
        return None
    dtype = _linalg_dtype(common_dtype(args))
    solution, residuals = Array(dtype, (shapes[0][1], *shapes[1][1:])), Array(_real(dtype), (Dim("?**"),))
    return Several((solution, residuals, Scalar("int32"), Array(_real(dtype), (_smaller(shapes[0]),))), tuple)


def qr_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | Several | None:
    """The types of an orthogonal and a triangular factor, or that of the latter; the length that is unknown is that of both."""
    match args[0], args[1] if len(args) > 1 else kwargs.get("mode", Lit("reduced")):
        case Var(_, Array(dtype, tuple() as shape)), Lit("reduced" | "r" as mode) if len(shape) >= 2:
            dtype, (*batch, m, n), k = _linalg_dtype(dtype), shape, _smaller(shape)
            right = Array(dtype, (*batch, k, n))
            return right if mode == "r" else Several((Array(dtype, (*batch, m, k)), right), type(np.linalg.qr(np.eye(1))))
        case _:
            return None


def svd_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | Several | None:
    """The types of singular vectors, values, and vectors, or that of the values alone; the length that is unknown is one."""
    given = dict(zip(("full_matrices", "compute_uv", "hermitian"), args[1:], strict=False)) | dict(kwargs)
    match args[0]:
        case Var(_, Array(dtype, tuple() as shape)) if len(shape) >= 2:
            dtype, (*batch, m, n), k = _linalg_dtype(dtype), shape, _smaller(shape)
            values = Array(_real(dtype), (*batch, k))
            if given.get("compute_uv") == Lit(False):
                return values
            whole, hermitian = given.get("full_matrices", Lit(True)), given.get("hermitian", Lit(False))
            if given.get("compute_uv", Lit(True)) != Lit(True) or not isinstance(whole, Lit) or not isinstance(hermitian, Lit):
                return None
            left, right = (m, n) if whole == Lit(True) else (k, k)
            sides = Array(dtype, (*batch, m, left)), Array(dtype, (*batch, right, n))
            return Several((sides[0], values, sides[1]), type(np.linalg.svd(np.eye(1))))
        case _:
            return None


def _smaller(shape: Shape) -> Size:
    """The smaller of the last two lengths, where that can be told."""
    m, n = shape[-2:]
    if m == n:
        return m
    return min(m, n) if isinstance(m, int) and isinstance(n, int) else Dim("?*")


def factor_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of what is made of a square matrix, the first of `args`, and others like it."""
    return square_result(args[:1], kwargs)


def numbers_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of real numbers, one for each row of a square matrix, the first of `args`, or the second."""
    match square_result(args[:1], {}) or square_result(args[1:2], {}):
        case Array(dtype, tuple() as shape):
            return Array(_real(dtype), shape[:-1])
        case _:
            return None


def matrix_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of a matrix like the first of `args`."""
    match args[0]:
        case Var(_, Array(dtype, tuple() as shape)) if len(shape) >= 2:
            return Array(_linalg_dtype(dtype), shape)
        case _:
            return None


def values_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of the singular values of a matrix, which come after it and its left vectors."""
    return args[2].type if isinstance(args[2], Var) else None


def left_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of the left singular vectors of a matrix, which come after it."""
    return args[1].type if isinstance(args[1], Var) else None


def differences_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of a square matrix, the last of `args`."""
    return square_result(args[-1:], {})


def cross_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of a product of vectors of which one or both are of three: the other axes are broadcast."""
    shapes = shapes_of(args[:2], {})
    options = {**dict(zip(("axisa", "axisb", "axisc", "axis"), args[2:], strict=False)), **kwargs}
    axes = {name: option.value for name, option in options.items() if isinstance(option, Lit)}
    if shapes is None or len(axes) < len(options):
        return None
    every = axes.get("axis")
    place, other, result = (axes.get(name, -1) if every is None else every for name in ("axisa", "axisb", "axisc"))
    first, second = _without(shapes[0], place), _without(shapes[1], other)
    rest = None if first is None or second is None else _broadcast(first, second)
    if rest is None or not -len(rest) - 1 <= result <= len(rest):
        return None
    length = shapes[0][place] if shapes[0][place] == shapes[1][other] else 3
    result %= len(rest) + 1
    return Array(common_dtype(args[:2]), (*rest[:result], length, *rest[result:]))


def _without(shape: Shape, axis: int) -> Shape | None:
    """`shape` without an axis; ``None`` where it has no such axis."""
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    return (*shape[:axis], *shape[axis + 1 :])


def _broadcast(one: Shape, other: Shape) -> Shape | None:
    """The shape that two shapes broadcast to; ``None`` where a length that may be one decides."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    found = list(longer)
    for place, size in enumerate(shorter, len(longer) - len(shorter)):
        if found[place] == 1:
            found[place] = size
        elif size not in (1, found[place]) and any(isinstance(each, Dim) and each.may_be_one for each in (size, found[place])):
            return None
    return tuple(found)


def einsum_terms(subscripts: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """The axes of each operand and of the result of an ``einsum``, an ellipsis written out in capitals.

    >>> einsum_terms("...ij,jk", (3, 2))
    (['Aij', 'jk'], 'Aik')
    """
    if not isinstance(subscripts, str):
        raise NotImplementedError("einsum has a derivative rule for subscripts that are text: `np.einsum('ij,jk->ik', a, b)`")
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if not arrow:
        letters = inputs.replace(",", "").replace(".", "")
        output = "..." * ("." in inputs) + "".join(sorted(letter for letter in letters if letters.count(letter) == 1))
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in subscripts]
    hidden = [rank - len(term.replace(".", "")) for term, rank in zip(terms, ranks, strict=True)]
    most = max([0, *(count for count, term in zip(hidden, terms, strict=True) if "." in term)])
    written = [
        term.replace("...", "".join(free[most - count : most])) if "." in term else term
        for count, term in zip(hidden, terms, strict=True)
    ]
    return written, output.replace("...", "".join(free[:most]))


def einsum_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of ``np.einsum(subscripts, *arrays)``: each axis as long as an operand says, the longer where one may be one."""
    arrays = [arg.type for arg in args[1:] if isinstance(arg, Var) and isinstance(arg.type, Array)]
    shapes = [type_.shape for type_ in arrays if type_.shape]
    if not isinstance(args[0], Lit) or not isinstance(args[0].value, str) or not 0 < len(shapes) == len(args) - 1:
        return None
    if kwargs.keys() - {"optimize", "order"}:
        return None
    terms, output = einsum_terms(args[0].value, tuple(map(len, shapes)))
    sizes: dict[str, Size] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, size in zip(term, shape, strict=True):
            if letter not in sizes or sizes[letter] == 1 or (isinstance(size, Dim) and not size.may_be_one):
                sizes[letter] = size
    if any(isinstance(size, Dim) and size.may_be_one for size in sizes.values()):
        return None
    return array_or_scalar(common_dtype(args), tuple(sizes[letter] for letter in output))


def shaped_like_second(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of what is made of the first operand in the shape of the second: no sample could tell how long the first is."""
    match args:
        case (Var(type=Array(dtype)), Var(type=Array(_, shape)), *_):
            return Array(dtype, shape)
        case _:
            return None


def multi_dot_result(args: tuple[Operand, ...], kwargs: Keywords) -> Type | None:
    """The type of the product of several arrays: the axes of the first and of the last that nothing is summed over."""
    parts = args[0].items if isinstance(args[0], Pack) else ()
    shapes = [part.type.shape for part in parts if isinstance(part, Var) and isinstance(part.type, Array) and part.type.shape]
    if not shapes or len(shapes) < len(parts) or kwargs:
        return None
    return array_or_scalar(common_dtype(parts), (*shapes[0][:-1], *shapes[-1][1:]))


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
    dtype = dtype_name(np.result_type(*(np.dtype(type_.dtype) for type_ in arrays)))
    return Array(dtype, (*shape[:place], len(arrays), *shape[place:]))


def _real(dtype: str) -> str:
    """The dtype of the parts of a number."""
    return dtype_name(np.zeros((), dtype).real.dtype)


def _linalg_dtype(dtype: str) -> str:
    return dtype if dtype.startswith(("float", "complex")) else "float64"
