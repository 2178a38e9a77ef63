"""Squares of sizes move as the squares of what has the size: ``abs(x) ** 2`` as ``x * x`` does, of complex numbers too.

The size of zero has no slope, so a product of slopes has no second derivative there; that of the square is two. So it is with
the loss of a residual that is zero: ``0.5 * d**2 if d < k else …`` of ``d = abs(y - fit)``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import is_complex, is_inexact
from adxform.ir.walk import Names, all_ops
from adxform.passes.scalar.rewriting import Rewriter, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.facets import Algebra
from adxform.primitives.families.python_operators import absolute_slope
from adxform.primitives.record import Partials
from adxform.primitives.table import having, meaning_of, record_of

SIZES = having(lambda record: isinstance(record.derivative, Partials) and record.derivative.body is absolute_slope)


def move_as_squares(fn: Function) -> Function:
    """`fn` with the squares of sizes of complex numbers that move as these are squared, and those of real ones as theirs.

    >>> from adxform.ir.text import read, show
    >>> print(show(move_as_squares(read('''
    ... def f(z: c128, x: f64):
    ...     a: f64 = np.absolute(z)
    ...     y: f64 = operator.pow(a, 2)
    ...     d: f64 = np.absolute(x)
    ...     half: f64 = operator.mul(0.5, d)
    ...     w: f64 = operator.mul(half, d)
    ...     return y, w'''))))
    def f(z: c128, x: f64):
        a: f64 = np.absolute(z)
        a.1: f64 = runtime.squared_size(z)
        y.1: f64 = operator.pow(a, 2)
        y: f64 = intrinsics.valued(y.1, a.1)
        d: f64 = np.absolute(x)
        half: f64 = operator.mul(0.5, d)
        half.1: f64 = operator.mul(0.5, x)
        w: f64 = operator.mul(half.1, x)
        return y, w
    """
    return each_function(fn, _moving)


def _moving(fn: Function, aliases: Aliases) -> Block:
    changed = aliases.written | aliases.exposed

    def keeps(operand: Operand) -> bool:
        return not isinstance(operand, Var) or aliases.of(operand) not in changed

    calls = [op for op in all_ops(fn.body) if isinstance(op, Call) and len(op.outs) == 1]
    moving = {op.args[0] for op in calls if callee(op) is intrinsics.valued}
    sizes = {op.outs[0]: op for op in calls if callee(op) in SIZES and _is_size(op) and keeps(op.outs[0])}
    signed = {size: op.args[0] for size, op in sizes.items() if _has_its_type(op) and keeps(op.args[0])}
    asked = [op for op in calls if _is_square(op) and op.args[0] in sizes and op.outs[0] not in moving]
    squares = {op.outs[0]: op.args[0] for op in asked if op.args[0] not in signed}
    same = _Signed(signed, keeps)
    for op in calls if signed else ():
        same.look(op)
    return _Squares(Names.of(fn), squares, same).block(fn.body) if squares or same.squares else fn.body


def _is_size(op: Call) -> bool:
    return len(op.args) == 1 and not op.kwargs and isinstance(op.args[0], Var) and is_inexact(op.args[0].type)


def _has_its_type(op: Call) -> bool:
    """Whether the size of `op` is of the type of what has the size: then both have the same square, to the bit."""
    return isinstance(op.args[0], Var) and op.args[0].type == op.outs[0].type


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


class _Signed:
    """Products that have the size of a real number twice: with the number in both places they are the same, to the bit.

    `signed`: the numbers by their sizes. `keeps`: whether nothing changes an operand after it is made.
    """

    def __init__(self, signed: Mapping[Var, Operand], keeps: Callable[[Operand], bool]) -> None:
        self.signed = signed
        self.keeps = keeps
        self.squares: dict[Var, Var] = {}
        self.multiples: dict[Var, tuple[Call, tuple[Var, ...]]] = {}

    def look(self, op: Call) -> None:
        """Note whether `op` makes a square of sizes, or a multiple of some."""
        (out,) = op.outs
        if _is_square(op):
            twice = self.sizes(op.args[0])
        elif self._algebra(op) is Algebra.PRODUCT:
            there = self.sizes(op.args[1])
            twice = tuple(size for size in self.sizes(op.args[0]) if size in there)
        else:
            twice = ()
        if twice:
            self.squares[out] = twice[0]
            return
        found = tuple(dict.fromkeys(size for arg in self.factors(op) for size in self.sizes(arg)))
        if found and self.keeps(out) and all(map(self.keeps, op.args)):
            self.multiples[out] = op, found

    def sizes(self, operand: Operand) -> tuple[Var, ...]:
        """The sizes that `operand` is a multiple of."""
        if not isinstance(operand, Var):
            return ()
        return (operand,) if operand in self.signed else self.multiples.get(operand, (None, ()))[1]

    def factors(self, op: Call) -> tuple[Operand, ...]:
        """The operands of which each is a factor of what `op` makes."""
        match self._algebra(op):
            case Algebra.PRODUCT:
                return op.args
            case Algebra.QUOTIENT | Algebra.NEGATION:
                return op.args[:1]
            case _:
                return ()

    def _algebra(self, op: Call) -> Algebra | None:
        fn = callee(op)
        return None if op.kwargs or fn is None else meaning_of(fn).algebra


class _Squares(Rewriter):
    """`squares` says of what size each of them is the square, `same` which ones are made of the numbers themselves."""

    def __init__(self, names: Names, squares: Mapping[Var, Operand], same: _Signed) -> None:
        super().__init__()
        self.names = names
        self.squares = squares
        self.same = same
        self.movements: dict[Operand, Var] = {}

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not isinstance(op, Call) or len(op.outs) != 1:
            super().visit(op, ops)
            return
        (out,) = op.outs
        if out in self.squares.values():
            self.movements[out] = movement = Var(self.names.fresh(out.base), out.type)
            ops += [op, replace(_moves_as(op), outs=(movement,))]
        elif out in self.squares:
            own, movement = Var(self.names.fresh(out.base), out.type), self.movements[self.squares[out]]
            ops += [replace(op, outs=(own,)), Call((out,), Lit(intrinsics.valued), (own, movement), (), op.span)]
        elif out in self.same.squares:
            size = self.same.squares[out]
            made = {arg: self._of_number(arg, size, ops) for arg in dict.fromkeys(op.args)}
            ops.append(replace(op, args=tuple(made[arg] for arg in op.args)))
        else:
            super().visit(op, ops)

    def _of_number(self, operand: Operand, size: Var, ops: list[Op]) -> Operand:
        """`operand`, a multiple of `size`, as that multiple of the number."""
        if operand == size:
            return self.same.signed[size]
        if not isinstance(operand, Var) or size not in self.same.sizes(operand):
            return operand
        op, _ = self.same.multiples[operand]
        changed = next(n for n, arg in enumerate(op.args) if size in self.same.sizes(arg))
        args = (*op.args[:changed], self._of_number(op.args[changed], size, ops), *op.args[changed + 1 :])
        made = Var(self.names.fresh(operand.base), operand.type)
        ops.append(replace(op, outs=(made,), args=args))
        return made


def _moves_as(op: Call) -> Call:
    """What the square of the size that `op` makes moves as, without a name."""
    (of,) = op.args
    if isinstance(of, Var) and is_complex(of.type):
        return Call((), Lit(runtime.squared_size), (of,), (), op.span)
    return Call((), Lit(operator.mul if _has_its_type(op) else np.multiply), (of, of), (), op.span)
