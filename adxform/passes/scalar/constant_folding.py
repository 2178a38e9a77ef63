"""Constant folding: what is known when compiling is computed when compiling, by the very operation that would run."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.kinds import dtype_name
from adxform.ir.operand_facts import callee
from adxform.ir.ops import UNDEFINED, Block, Call, For, Function, If, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.table import record_of

WEAK = {"float64": float, "int64": int, "bool": bool, "complex128": complex}


def fold_constants(fn: Function) -> Function:
    """Compute operations of literals, decide branches on literals, drop loops over empty ranges, unroll those of one item.

    An operation that raises or warns is left for the run.

    >>> from adxform.ir.text import read, show
    >>> print(show(fold_constants(read('''
    ... def f(x: f64):
    ...     n: int = operator.mul(2, 3)
    ...     c: bool = operator.gt(n, 5)
    ...     y: f64 = if c:
    ...         a: f64 = operator.mul(x, n)
    ...         yield a
    ...     else:
    ...         yield x
    ...     return y'''))))
    def f(x: f64):
        a: f64 = operator.mul(x, 6)
        return a
    """
    return each_body(fn, lambda part: _Folding().block(part.body))


class _Folding(Rewriter):
    def visit(self, op: Op, ops: list[Op]) -> None:
        match op:
            case Call(outs=(out,)) if (value := folded(op)) is not None:
                self.known[out.name] = value
            case If(outs, Lit(bool() | np.bool() | int() as cond), then, orelse):
                taken = then if cond else orelse
                self.splice(taken, outs, taken.results, ops)
            case For(outs, (Lit(int() as start), Lit(int() as stop), Lit(int() as step)), inits, body, breaks) if (
                step and op.snapshots is None
            ):
                trips = len(range(start, stop, step))
                if trips == 0:
                    self.splice(Block((), (), ()), outs, inits, ops)
                elif trips == 1:
                    self.known.update(zip((param.name for param in body.params), (Lit(start), *inits), strict=True))
                    self.splice(body, outs, body.results[breaks:], ops)
                else:
                    ops.append(self.descend(op))
            case _:
                ops.append(self.descend(op))

    def splice(self, block: Block, outs: tuple[Var, ...], results: tuple[Operand, ...], ops: list[Op]) -> None:
        """Append the ops of `block` and let `outs` stand for `results`."""
        for op in block.ops:
            self.visit(self.renew(op), ops)
        for out, result in zip(outs, self.operands(results), strict=True):
            self.known[out.name] = result


def folded(op: Call) -> Lit | None:
    """What `op` gives, where it is a number known when compiling and of the type that the IR says."""
    (out,) = op.outs
    fn = callee(op)
    if fn is intrinsics.dim:
        return _length(op)
    if (
        op.kwargs
        or not isinstance(out.type, Scalar)
        or fn is None
        or not (record_of(fn).folds or (fn is operator.pow and _is_small_power(op)))
    ):
        return None
    values = [arg.value for arg in op.args if isinstance(arg, Lit) and arg != UNDEFINED and _is_number(arg.value)]
    if len(values) != len(op.args):
        return None
    try:
        with np.errstate(all="raise"):
            result = fn(*values)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return Lit(result) if _has_type(result, out.type) else None


def _length(op: Call) -> Lit | None:
    match op.args:
        case (Var(type=Array(shape=tuple() as shape)), Lit(int() as axis)) if isinstance(shape[axis], int):
            return Lit(shape[axis])
        case _:
            return None


def _is_number(value: Any) -> bool:
    """Whether computing with `value` is cheap and cannot blow up (a large power of integers can)."""
    return isinstance(value, bool | float | complex | np.number | np.bool) or (isinstance(value, int) and abs(value) < 2**31)


def _is_small_power(op: Call) -> bool:
    match op.args:
        case (Lit(base), Lit(exponent)):
            return isinstance(base, float) or (isinstance(exponent, int) and abs(exponent) <= 64)
        case _:
            return False


def _has_type(value: Any, type_: Type) -> bool:
    if not isinstance(type_, Scalar):
        return False
    if type_.dtype == "float64" and type(value) is float:
        return True  # literals alone: a run would give no other number
    if type_.weak:
        return type(value) is WEAK.get(type_.dtype) and not (isinstance(value, int) and abs(value) >= 2**63)
    return isinstance(value, np.generic) and dtype_name(value.dtype) == type_.dtype
