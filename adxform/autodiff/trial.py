"""Pullbacks of which only the run tells whether zero has a derivative: what they return is tried with a cotangent of zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.analysis.dependence import find_dependence
from adxform.autodiff.linearity import Linearity
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Function, Invoke, Lit, Operand, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import Names, all_ops


def can_be_tried(pullback: Function, count: int) -> bool:
    """Whether `pullback` certainly ends for `count` cotangents of zero too: no loop and no recursion in it asks for them."""
    dependence = find_dependence(pullback, range(len(pullback.params) - count, len(pullback.params)))
    return not any(
        isinstance(op, Invoke) or (isinstance(op, While) and dependence.is_forked(op)) for op in all_ops(pullback.body)
    )


def tried_at_zero(pullback: Function, count: int, reading: Linearity, rule: str) -> Function:
    """`pullback`, which sees by a second run for `count` cotangents of zero that its doubtful results are zero there."""
    if not reading.doubtful:
        return pullback
    b = Builder(Names.of(pullback), pullback.span)
    b.ops.extend(pullback.body.ops)
    at_zero = b.splice(pullback, (*pullback.params[:-count], *(_zero(b, ct) for ct in pullback.params[-count:])))
    results: list[Operand] = list(pullback.body.results)
    for place in reading.doubtful:
        value, shift = results[place], at_zero[place]
        if isinstance(value, Var) and isinstance(shift, Var):
            fixed = b.call(intrinsics.stop_gradient, shift, type=shift.type, hint=shift.base)
            results[place] = b.call(runtime.unshifted, value, fixed, Lit(rule), type=value.type, hint=value.base)
    return replace(pullback, body=Block(pullback.params, tuple(b.ops), tuple(results)))


def _zero(b: Builder, ct: Var) -> Var:
    """A cotangent of zero of the kind of `ct`."""
    if not isinstance(ct.type, Scalar):
        return b.call(np.zeros_like, ct, type=ct.type, hint=ct.base)
    number = 0.0 if ct.type.weak else np.dtype(ct.type.dtype).type(0.0)
    return b.call(intrinsics.stop_gradient, Lit(number), type=ct.type, hint=ct.base)
