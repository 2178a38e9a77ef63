"""Products of vectors and matrices in kernels: `product` stands there for ``@`` and its kin.

It is compiled as loops where there is little to do, else as calls of BLAS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee, float_rank
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Scalar, Size
from adxform.ir.walk import Names, map_op
from adxform.primitives.facets import Contracts, Moves
from adxform.primitives.table import having, record_of
from adxform.runtime import kernel_scalars
from adxform.runtime.kernel_arrays import product, swapped
from adxform.threads.deep_recursion import bring_in

MATMULS = having(lambda record: record.contracts is Contracts.MATMUL and record.masks is None)
DOTS = having(lambda record: record.contracts is Contracts.DOT)
INNER = having(lambda record: record.contracts in (Contracts.INNER, Contracts.VDOT))
MATRIX_PRODUCTS = MATMULS | DOTS
RANKS = {(1, 1): 0, (1, 2): 1, (2, 1): 1, (2, 2): 2, (3, 1): 2, (3, 2): 3, (2, 3): 3, (3, 3): 3}
"""The ranks of operands whose product a kernel computes, and that of the product."""


@cache
def has_blas() -> bool:
    """Whether SciPy is there, through which kernels reach BLAS, with lengths of 32 bits as BLAS usually has them."""
    routines = routines_of("cython_blas")
    return all(", int *," in repr(routines.get(name)) for name in ("dgemm", "dgemv"))


def routines_of(module: str) -> Mapping[str, object]:
    """The routines of that module of `scipy.linalg`, by name, with their prototypes; none where SciPy does not give them."""
    try:
        found: Mapping[str, object] = bring_in(f"scipy.linalg.{module}").__pyx_capi__
    except (MemoryError, RecursionError):
        raise
    except Exception:  # it is not installed, or not for the NumPy that is
        return {}
    return found


def is_product(op: Call) -> bool:
    """Whether `op` is a product of ``float64`` arrays that a kernel computes."""
    fn, ranks = callee(op), tuple(map(float_rank, op.args))
    if fn not in MATRIX_PRODUCTS | INNER or ranks not in RANKS or [key for key, _ in op.kwargs] not in ([], ["out"]):
        return False
    if RANKS[ranks] and not has_blas():
        return False
    if ranks == (3, 3) and not _leads_alike(*op.args):
        return False
    if not (fn in MATMULS or (fn in DOTS and max(ranks) < 3) or (fn in INNER and max(ranks) < 2)):
        return False
    out = op.outs[0].type if op.outs else None
    if op.kwargs:
        return float_rank(op.kwargs[0][1]) == RANKS[ranks] > 0
    return isinstance(out, Scalar if ranks == (1, 1) else Array) and out.dtype == "float64"


def check_products(kernel: Function) -> Function:
    """`kernel`, which raises where the lengths of a product do not fit, also if nobody asks for the product."""
    names = Names.of(kernel)

    def checked(block: Block) -> Block:
        builder = Builder(names)
        for op in block.ops:
            if isinstance(op, Call) and is_product(op):
                builder.span = op.span
                _check_lengths(op, builder)
            builder.emit(op if isinstance(op, Call) else map_op(op, lambda operand: operand, checked))
        return replace(block, ops=tuple(builder.ops))

    return replace(kernel, body=checked(kernel.body))


def _check_lengths(op: Call, builder: Builder) -> None:
    """See that the lengths over which a product sums are equal, where the types do not say so."""
    a, b = op.args
    left, right = _shape(a), _shape(b)
    axis = len(right) - 2 if len(right) > 1 else 0
    if left[-1] != right[axis]:
        n, m = (builder.call(intrinsics.dim, x, Lit(at), type=INT, hint="n") for x, at in ((a, len(left) - 1), (b, axis)))
        builder.effect(kernel_scalars.check_equal, n, m)


def _leads_alike(a: Operand, b: Operand) -> bool:
    """Whether there are as many matrices in the one as in the other, or only one, by their types."""
    return _shape(a)[0] == _shape(b)[0] or 1 in (_shape(a)[0], _shape(b)[0])


def _shape(operand: Operand) -> tuple[Size, ...]:
    assert isinstance(operand, Var)
    assert isinstance(operand.type, Array)
    return operand.type.shape or ()


def order_of_axes(op: Call) -> tuple[int, ...] | None:
    """The axes of the operand in the order of those of the result, where `op` transposes an array; ``None`` for other calls."""
    fn = callee(op)
    turns = record_of(fn).moves is Moves.TURN and fn is not np.moveaxis and not op.kwargs
    if not turns or not isinstance(op.args[0], Var) or not isinstance(op.args[0].type, Array):
        return None
    rank = len(op.args[0].type.shape or ())
    given = [_literal(arg) for arg in op.args[1:]]
    if not rank or None in given:
        return None
    probe = np.empty(tuple(range(2, 2 + rank)), dtype=bool)
    return tuple([length - 2 for length in fn(probe, *given).shape])


def in_kernel(op: Call, builder: Builder) -> bool:
    """Write `op` as a kernel calls it, if it is a product or a transposition; return whether it is."""
    builder.span = op.span
    if is_product(op):
        out = (op.kwargs[0][1],) if op.kwargs else _allocated(op, builder)
        builder.emit(Call(op.outs, Lit(product), (*op.args, *out), (), op.span))
        return True
    order = order_of_axes(op)
    if order is None:
        return False
    rank = len(order)
    plain = order == tuple(range(rank))[::-1]
    if not plain and order == (*range(rank - 2), rank - 1, rank - 2):
        builder.emit(Call(op.outs, Lit(swapped), op.args[:1], (), op.span))
        return True
    axes = () if plain else (Pack("tuple", tuple(map(Lit, order))),)
    builder.emit(Call(op.outs, Lit(np.transpose), (op.args[0], *axes), (), op.span))
    return True


def _allocated(op: Call, builder: Builder) -> tuple[Operand, ...]:
    """An array for a product that is one."""
    if isinstance(op.outs[0].type, Scalar):
        return ()
    lengths = [builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n") for x, axis in axes_of(op)]
    shape = lengths[0] if len(lengths) == 1 else Pack("tuple", tuple(lengths))
    return (builder.call(np.empty, shape, type=op.outs[0].type, hint=op.outs[0].base),)


def as_numpy(kernel: Function) -> Function:
    """`kernel` with NumPy's own calls in the place of `product` and `swapped`: of these it is known what they do to memory."""

    def own(op: Op) -> Op:
        return as_numpy_call(op) if isinstance(op, Call) else map_op(op, lambda operand: operand, inside)

    def inside(block: Block) -> Block:
        return replace(block, ops=tuple(map(own, block.ops)))

    return replace(kernel, body=inside(kernel.body))


def as_numpy_call(op: Call) -> Call:
    """`op`, or NumPy's own call where it is one of `product` or `swapped`."""
    match op:
        case Call(fn=Lit(fn), args=(a, b, *out)) if fn is product:
            return replace(op, fn=Lit(np.matmul), args=(a, b), kwargs=tuple([("out", one) for one in out]))
        case Call(fn=Lit(fn), args=(x,)) if fn is swapped:
            return replace(op, fn=Lit(np.swapaxes), args=(x, Lit(-1), Lit(-2)))
        case _:
            return op


def axes_of(op: Call) -> list[tuple[Operand, int]]:
    """For each axis of a product, the operand and the axis of it that are as long."""
    (a, b), (left, right) = op.args, map(float_rank, op.args)
    first = b if left < right or (left == right == 3 and _is_one(a)) else a
    axes = [(first, 0)] if max(left, right) == 3 else []
    axes += [(a, left - 2)] if left > 1 else []
    axes += [(b, right - 1)] if right > 1 else []
    return axes


def _is_one(operand: Operand) -> bool:
    """Whether `operand` has one row, whatever the rank."""
    return isinstance(operand, Var) and isinstance(operand.type, Array) and (operand.type.shape or ())[:1] == (1,)


def _literal(operand: Operand) -> Any:
    match operand:
        case Lit(value):
            return value
        case Pack("tuple" | "list", items):
            found = [_literal(item) for item in items]
            return None if None in found else tuple(found)
        case _:
            return None
