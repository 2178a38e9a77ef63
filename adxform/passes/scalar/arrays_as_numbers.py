"""Arrays without axes as the numbers that they hold: NumPy makes them where it chooses among numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Op, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import all_ops, blocks, outs, reads, variables_of
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.table import meaning_of, record_of


def arrays_as_numbers(fn: Function) -> Function:
    """`fn` with numbers in the place of arrays without axes, where all that these are used for is to compute with an element.

    >>> from adxform.ir.text import read, show
    >>> print(show(arrays_as_numbers(read('''
    ... def f(x: float, c: bool):
    ...     a: f64[] = np.where(c, x, 1.0)
    ...     b: f64 = np.sin(a)
    ...     return b'''))))
    def f(x: float, c: bool):
        a: f64 = np.where(c, x, 1.0)
        b: f64 = np.sin(a)
        return b
    """
    return each_body(fn, _with_numbers)


def _with_numbers(fn: Function) -> Block:
    ops = list(all_ops(fn.body))
    whole = [fn.body]
    for op in ops:
        whole += blocks(op)
    found = {var for op in ops for var in outs(op) if _is_single(var)}
    if not found or not found.isdisjoint(_held(ops, whole)):
        return fn.body
    rewriter = _Numbers()
    rewriter.known = {var.name: Var(var.name, Scalar(var.type.dtype)) for var in found if isinstance(var.type, Array)}
    return rewriter.block(fn.body)


def _is_single(var: Var) -> bool:
    return isinstance(var.type, Array) and var.type.shape == () and not var.type.dtype.startswith("object")


def _held(ops: list[Op], whole: list[Block]) -> Iterator[Var]:
    """What is made, or used, as the array that it is."""
    for block in whole:
        yield from variables_of((*block.params, *block.results))
    for op in ops:
        if not isinstance(op, Call) or not _computes(op):
            yield from (*outs(op), *reads(op))


def _computes(op: Call) -> bool:
    """Whether `op` takes numbers as it takes arrays without axes, and what it makes may be either."""
    fn = callee(op)
    if fn in (intrinsics.push, intrinsics.pop):
        return True
    return not op.kwargs and (fn in (np.where, np.real) or record_of(fn).elementwise or meaning_of(fn).gives is not None)


class _Numbers(Rewriter):
    def visit(self, op: Op, ops: list[Op]) -> None:
        op = self.descend(op)
        if isinstance(op, Call) and any(out.name in self.known for out in op.outs):
            made = tuple([known if isinstance(known := self.known.get(out.name), Var) else out for out in op.outs])
            op = replace(op, outs=made)
        ops.append(op)
