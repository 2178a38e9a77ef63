"""In the reverse sweep, the sum of the rows of a product of matrices is the product of the sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, float_axis_lengths
from adxform.ir.ops import Block, Call, Function, Lit, Op, Var
from adxform.ir.types import Array
from adxform.ir.walk import Names, all_ops, blocks, reads, variables_of
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.facets import Contracts
from adxform.primitives.table import having

MATMULS = having(lambda record: record.contracts is Contracts.MATMUL and record.masks is None)


def sum_before_products(fn: Function) -> Function:
    """Add up the rows of the left operand, or the columns of the right one, where only such a sum of a product is wanted.

    What is multiplied is less by that length. In the reverse sweep alone: the function's own values stay what they are.

    >>> from adxform.ir.text import read, show
    >>> print(show(sum_before_products(read('''
    ... def f(ct: f64[K, n, m], w: f64[K, m, d]):
    ...     intrinsics.turning_point()
    ...     x_ct: f64[K, n, d] = operator.matmul(ct, w)
    ...     mean_ct: f64[K, 1, d] = np.sum(x_ct, axis=1, keepdims=True)
    ...     return mean_ct'''))))
    def f(ct: f64[K, n, m], w: f64[K, m, d]):
        intrinsics.turning_point()
        ct.1: f64[K, 1, m] = np.sum(ct, axis=1, keepdims=True)
        mean_ct: f64[K, 1, d] = operator.matmul(ct.1, w)
        return mean_ct
    """

    def summed(part: Function) -> Block:
        has = any(callee(op) in MATMULS for op in all_ops(part.body))
        return _Summing(part).block(part.body) if has else part.body

    return each_body(fn, summed)


class _Summing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.names = Names.of(fn)
        self.uses = Counter(_used(fn.body))
        self.in_sweep = False
        self.sums: dict[Var, Call] = {}
        self.done: set[Var] = set()

    def block(self, block: Block) -> Block:
        """`block`, whose sums are known before its products are met."""
        for op in block.ops:
            if isinstance(op, Call) and callee(op) is np.sum and isinstance(x := op.args[0], Var) and self.uses[x.name] == 1:
                self.sums[x] = op
        return super().block(block)

    def visit(self, op: Op, ops: list[Op]) -> None:
        self.in_sweep |= callee(op) is intrinsics.turning_point
        if isinstance(op, Call) and callee(op) in MATMULS and self.in_sweep and not op.kwargs:
            found = self.exchanged(op, self.sums.get(op.outs[0])) if op.outs else None
            if found is not None:
                ops += found
                self.done.add(found[1].outs[0])
                return
        if isinstance(op, Call) and op.outs and op.outs[0] in self.done:
            return
        ops.append(self.descend(op))

    def exchanged(self, product: Call, total: Call | None) -> tuple[Call, Call] | None:
        """The sum of an operand and the product with it, for `total`, which is all that is wanted of `product`."""
        if total is None:
            return None
        given, (left, right) = dict(total.kwargs), (float_axis_lengths(arg) for arg in product.args)
        axis, keeps, rank = given.get("axis"), given.get("keepdims") == Lit(True), max(len(left), len(right))
        if min(len(left), len(right)) < 2 or len(total.args) > 1 or given.keys() - {"axis", "keepdims"}:
            return None
        if not isinstance(axis, Lit) or type(axis.value) is not int or not (keeps or (rank == 2 and "keepdims" not in given)):
            return None
        at = axis.value % rank - rank
        if at not in (-1, -2):
            return None
        place = 0 if at == -2 else 1
        operand = product.args[place]
        own = left if place == 0 else right
        assert isinstance(operand, Var)
        assert isinstance(operand.type, Array)
        shape = (*own[:at], 1, *own[len(own) + at + 1 :]) if keeps else (*own[:at], *own[len(own) + at + 1 :])
        less = Var(self.names.fresh(operand.base), Array(operand.type.dtype, shape))
        kwargs = tuple((key, Lit(at + len(own)) if key == "axis" else value) for key, value in total.kwargs)
        args = (less, product.args[1]) if place == 0 else (product.args[0], less)
        return replace(total, outs=(less,), args=(operand,), kwargs=kwargs), replace(product, outs=total.outs, args=args)


def _used(block: Block) -> Iterator[str]:
    yield from (var.name for var in variables_of(block.results))
    for op in block.ops:
        yield from (var.name for var in reads(op))
        for inner in blocks(op):
            yield from _used(inner)
