"""Squares of the sizes of complex numbers, ``abs(z) ** 2``, move as ``z.real ** 2 + z.imag ** 2`` does.

The size of zero has no slope, so a product of slopes has no second derivative there; that of the square is two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import is_complex
from adxform.ir.walk import Names, all_ops
from adxform.passes.scalar.rewriting import Rewriter, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.facets import Algebra
from adxform.primitives.families.python_operators import absolute_slope
from adxform.primitives.record import Partials
from adxform.primitives.table import having, meaning_of, record_of

SIZES = having(lambda record: isinstance(record.derivative, Partials) and record.derivative.body is absolute_slope)


def move_as_squares(fn: Function) -> Function:
    """`fn` with the squares of sizes of complex numbers that move as these are squared.

    >>> from adxform.ir.text import read, show
    >>> print(show(move_as_squares(read('''
    ... def f(z: c128):
    ...     a: f64 = np.absolute(z)
    ...     y: f64 = operator.pow(a, 2)
    ...     return y'''))))
    def f(z: c128):
        a: f64 = np.absolute(z)
        a.1: f64 = runtime.squared_size(z)
        y.1: f64 = operator.pow(a, 2)
        y: f64 = intrinsics.valued(y.1, a.1)
        return y
    """
    return each_function(fn, _moving)


def _moving(fn: Function, aliases: Aliases) -> Block:
    changed = aliases.written | aliases.exposed
    calls = [op for op in all_ops(fn.body) if isinstance(op, Call)]
    moving = {op.args[0] for op in calls if callee(op) is intrinsics.valued}
    sizes = {op.outs[0] for op in calls if callee(op) in SIZES and _is_size(op) and aliases.of(op.outs[0]) not in changed}
    asked = [op for op in calls if _is_square(op) and op.args[0] in sizes and op.outs[0] not in moving]
    squares = {op.outs[0]: op.args[0] for op in asked}
    return _Squares(Names.of(fn), squares).block(fn.body) if squares else fn.body


def _is_size(op: Call) -> bool:
    return len(op.args) == 1 and not op.kwargs and isinstance(op.args[0], Var) and is_complex(op.args[0].type)


def _is_square(op: Call) -> bool:
    """Whether `op` squares its first argument."""
    if op.kwargs or len(op.outs) != 1:
        return False
    fn = callee(op)
    match op.args:
        case (Var(),):
            return record_of(fn).power == 2
        case (Var(), Lit(int() | float() as exponent)):
            return exponent == 2 and meaning_of(fn).algebra is Algebra.POWER
        case (Var() as a, Var() as b):
            return a == b and meaning_of(fn).algebra is Algebra.PRODUCT
        case _:
            return False


class _Squares(Rewriter):
    """`squares` says of what size each of them is the square."""

    def __init__(self, names: Names, squares: Mapping[Var, Operand]) -> None:
        super().__init__()
        self.names = names
        self.squares = squares
        self.movements: dict[Operand, Var] = {}

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not isinstance(op, Call) or len(op.outs) != 1:
            super().visit(op, ops)
            return
        (out,) = op.outs
        if out in self.squares.values():
            self.movements[out] = movement = Var(self.names.fresh(out.base), out.type)
            ops += [op, Call((movement,), Lit(runtime.squared_size), op.args, (), op.span)]
        elif out in self.squares:
            own, movement = Var(self.names.fresh(out.base), out.type), self.movements[self.squares[out]]
            ops += [replace(op, outs=(own,)), Call((out,), Lit(intrinsics.valued), (own, movement), (), op.span)]
        else:
            super().visit(op, ops)
