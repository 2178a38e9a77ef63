"""Products in loops are written into arrays that are made apart, so that these can be made once, ahead of the loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import axis_lengths, callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Dim, Size
from adxform.ir.walk import Names
from adxform.passes.linalg.kernel_products import is_product
from adxform.passes.scalar.rewriting import Rewriter, each_body


def give_out_parameters(fn: Function) -> Function:
    """`fn` with an array for each product in a loop whose lengths are those of arrays from outside of that loop.

    >>> from adxform.ir.text import read, show
    >>> print(show(give_out_parameters(read('''
    ... def f(w: f64[n, n], h: f64[n, m], k: int):
    ...     last: f64[n, m] = for i: int in range(0, k, 1) with x: f64[n, m] = h:
    ...         y: f64[n, m] = operator.matmul(w, x)
    ...         yield y
    ...     return last'''))))
    def f(w: f64[n, n], h: f64[n, m], k: int):
        last: f64[n, m] = for i: int in range(0, k, 1) with x: f64[n, m] = h:
            n: int = intrinsics.dim(w, 0)
            n.1: int = intrinsics.dim(h, 1)
            y: f64[n, m] = np.empty((n, n.1))
            np.matmul(w, x, out=y)
            yield y
        return last
    """
    return each_body(fn, lambda part: _OutParameters(part).block(part.body))


class _OutParameters(Rewriter):
    """`lengths` tells of which array that is surely there which axis is how long."""

    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.names = Names.of(fn)
        self.lengths: dict[Size, tuple[Var, int]] = {}
        self.note(fn.params)

    def block(self, block: Block) -> Block:
        """`block`, of whose arrays nothing is known after it."""
        known = dict(self.lengths)
        found = super().block(block)
        self.lengths = known
        return found

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`; if it is a loop, with arrays for its products."""
        op = self.descend(op)
        if isinstance(op, For):
            inner = [one for made in op.body.ops for one in self.apart(made)]
            op = op if len(inner) == len(op.body.ops) else replace(op, body=replace(op.body, ops=tuple(inner)))
        elif isinstance(op, Call) and callee(op) is not intrinsics.pop:
            self.note(op.outs)
        ops.append(op)

    def note(self, arrays: Iterable[Var]) -> None:
        """Remember the lengths of `arrays`."""
        for var in arrays:
            for axis, size in enumerate(axis_lengths(var)):
                self.lengths.setdefault(size, (var, axis))

    def apart(self, op: Op) -> list[Op]:
        """`op`, in a loop; if it is a product whose lengths are known ahead of that, what makes an array for it, and it."""
        if not isinstance(op, Call) or op.kwargs or not op.outs or not is_product(op):
            return [op]
        shape = axis_lengths(op.outs[0])
        if not shape or not all(isinstance(size, int) or size in self.lengths for size in shape):
            return [op]
        builder = Builder(self.names, op.span)
        lengths: list[Operand] = []
        for size in shape:
            if isinstance(size, Dim):
                array, axis = self.lengths[size]
                lengths.append(builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n"))
            else:
                lengths.append(Lit(size))
        length: Operand = lengths[0] if len(lengths) == 1 else Pack("tuple", tuple(lengths))
        made = Call(op.outs, Lit(np.empty), (length,), (), op.span)
        return [*builder.ops, made, replace(op, outs=(), fn=Lit(np.matmul), kwargs=(("out", op.outs[0]),))]
