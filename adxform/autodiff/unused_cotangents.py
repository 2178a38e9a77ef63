"""Pullbacks of functions with several results, where some of these have no cotangent: what only those need is left out.

What is computed of a cotangent of zero alone is zero, so that it is not computed: eigenvectors that nobody uses divide by no gap
between eigenvalues. What such a zero is added to stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from adxform.autodiff.linearity import zeros_of
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import is_inexact
from adxform.ir.walk import outs, reads_with_blocks, rename_block
from adxform.primitives.effects import is_removable
from adxform.primitives.facets import Algebra
from adxform.primitives.table import meaning_of

ZERO = Lit(0.0)


def without(pullback: Function, unused: Sequence[Var], is_linear: Callable[[Call], bool]) -> Function:
    """`pullback` for cotangents of zero in place of its parameters `unused`, which are still taken, and read where they must be.

    `is_linear` says of calls of functions with users' rules whether they are linear.

    >>> from adxform.ir.text import read, show
    >>> pullback = read('''
    ... def pullback(v: f64[3, 3], g: f64[3, 3], w_ct: f64[3], v_ct: f64[3, 3]):
    ...     a: f64[3, 3] = operator.mul(v, w_ct)
    ...     b: f64[3, 3] = np.matmul(v, v_ct)
    ...     c: f64[3, 3] = operator.mul(b, g)
    ...     d: f64[3, 3] = operator.add(a, c)
    ...     return d''')
    >>> print(show(without(pullback, pullback.params[3:], lambda call: False)))
    def pullback(v: f64[3, 3], g: f64[3, 3], w_ct: f64[3], v_ct: f64[3, 3]):
        a: f64[3, 3] = operator.mul(v, w_ct)
        return a
    """
    if not unused:
        return pullback
    zero = zeros_of(pullback, unused, is_linear)
    known: dict[Var, Operand] = {}
    for op in pullback.body.ops:
        if isinstance(op, Call) and (same := _same(op, zero)) is not None:
            known[op.outs[0]] = known.get(same, same)
    body = rename_block(pullback.body, dict(known))
    results = tuple(ZERO if _is_zero(result, zero) else result for result in body.results)
    return replace(pullback, body=Block(body.params, _needed(body.ops, results, set(known)), results))


def _same(op: Call, zero: Container[Var]) -> Var | None:
    """The variable that the sum `op` is, where the rest of it is zero, if it has its type."""
    if len(op.outs) != 1 or len(op.args) != 2 or op.kwargs or not isinstance(op.fn, Lit):
        return None
    algebra, (one, other) = meaning_of(op.fn.value).algebra, op.args
    if algebra is Algebra.SUM and _is_zero(one, zero):
        one, other = other, one
    fits = algebra in (Algebra.SUM, Algebra.DIFFERENCE) and isinstance(one, Var) and one.type == op.outs[0].type
    return one if fits and isinstance(one, Var) and _is_zero(other, zero) and not _is_zero(one, zero) else None


def _is_zero(operand: Operand, zero: Container[Var]) -> bool:
    return isinstance(operand, Var) and operand in zero and is_inexact(operand.type)


def _needed(ops: tuple[Op, ...], results: tuple[Operand, ...], gone: set[Var]) -> tuple[Op, ...]:
    """Those of `ops` that make `results`, or have effects, without those that made `gone`."""
    wanted = {result for result in results if isinstance(result, Var)}
    kept: list[Op] = []
    for op in reversed(ops):
        if is_removable(op) and (wanted.isdisjoint(outs(op)) or not gone.isdisjoint(outs(op))):
            continue
        wanted.update(reads_with_blocks(op))
        kept.append(op)
    return tuple(kept[::-1])
