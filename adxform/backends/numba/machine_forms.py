"""The forms in which kernels have numbers, calls and lengths: those of a machine."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.backends.numba.integers import multiplies
from adxform.backends.numba.operand_dtypes import dtype_of
from adxform.backends.numba.vector_math import vector_form
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, While
from adxform.ir.types import INT, Array, Dim, Scalar
from adxform.ir.walk import Names, map_op
from adxform.passes.linalg.kernel_products import in_kernel
from adxform.passes.loops.recurrences import is_recurrence
from adxform.primitives.table import record_of
from adxform.runtime import kernel_scalars

ORDERED: Mapping[Any, Any] = MappingProxyType({runtime.add_up: operator.add})
"""What stands for what may be done in any order where it may not."""


def machine_numbers(kernel: Function) -> Function:
    """`kernel` with Python's floats and complex numbers for NumPy's: to a machine they are the same."""

    def plain(operand: Operand) -> Operand:
        own = isinstance(operand, Lit) and type(operand.value) in (np.float64, np.complex128)
        return Lit(operand.value.item()) if isinstance(operand, Lit) and own else operand

    def visit(op: Op) -> Op:
        return map_op(op, plain, inner)

    def inner(block: Block) -> Block:
        return replace(block, ops=tuple(map(visit, block.ops)), results=tuple(map(plain, block.results)))

    return replace(kernel, body=inner(kernel.body))


def scalar_calls(kernel: Function, *, fastmath: bool = True) -> Function:
    """`kernel` with the forms for numbers of what it calls, and with its products in arrays.

    With `fastmath`, those that vectorise in loops that do; without, sums are taken one after the other.
    """
    names = Names.of(kernel)

    def form(op: Call, in_lanes: bool) -> Any:
        fn = callee(op)
        wrapped = record_of(fn).wrapped_form
        if wrapped is not None and op.outs and op.outs[0].type == Scalar("int64"):
            return wrapped
        if any(dtype_of(arg) == "complex128" for arg in op.args):
            return record_of(fn).complex_form
        own = record_of(fn).form
        if own is not None:
            return own
        return vector_form(fn, in_lanes=in_lanes) if fastmath else ORDERED.get(fn)

    def inside(block: Block, in_lanes: bool) -> Block:
        builder = Builder(names)
        for op in block.ops:
            if not isinstance(op, Call):
                below = not is_recurrence(op) if isinstance(op, For | While) else in_lanes
                builder.emit(map_op(op, lambda operand: operand, partial(inside, in_lanes=below)))
            elif not in_kernel(op, builder):
                found = form(op, in_lanes)
                builder.emit(op if found is None else replace(op, fn=Lit(found)))
        return replace(block, ops=tuple(builder.ops))

    return replace(kernel, body=inside(kernel.body, False))


def check_small_lengths(kernel: Function) -> Function:
    """`kernel`, if it multiplies integers, with a check that the lengths of its arrays are small enough for that."""
    if not multiplies(kernel.body.ops):
        return kernel
    builder = Builder(Names.of(kernel), kernel.span)
    for param in kernel.params:
        if isinstance(param.type, Array):
            for axis, size in enumerate(param.type.shape or ()):
                if isinstance(size, Dim):
                    builder.effect(kernel_scalars.check_small, builder.call(intrinsics.dim, param, Lit(axis), type=INT, hint="n"))
    return replace(kernel, body=replace(kernel.body, ops=(*builder.ops, *kernel.body.ops)))
