"""The rows of the array that a tape becomes, which are as long as the longest of what is put there."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass

from adxform.ir.build import Builder
from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import INT, Dim


@dataclass(frozen=True, slots=True)
class TapeRows:
    """How long what is pushed is along each of its axes: `lengths`, in terms of the items of the loops and of what is ahead.

    `uneven` are those of them that differ from iteration to iteration; `there` has what is ahead, by variable or length.
    """

    lengths: tuple[LinearForm, ...]
    uneven: tuple[LinearForm | None, ...]
    there: Mapping[Var | Dim, Operand]

    def index(self, items: Mapping[Var, Var], builder: Builder) -> list[Operand]:
        """Of a row of the array what it holds, where `items` are those of the iteration; nothing where that is all of it."""
        return [self._slice(row, items, builder) for row in self.uneven] if any(self.uneven) else []

    def _slice(self, row: LinearForm | None, items: Mapping[Var, Var], builder: Builder) -> Operand:
        stop: Operand = Lit(None) if row is None else Lit(row.number)
        for key, factor in () if row is None else row.terms:
            place = items[key] if isinstance(key, Var) and key in items else self.there[key]
            stop = plus(stop, place, factor, builder)
        stop = builder.call(max, stop, Lit(0), type=INT, hint="n") if isinstance(stop, Var) else stop
        return Pack("slice", (Lit(None), stop, Lit(None)))


def plus(total: Operand, place: Operand, factor: int, builder: Builder) -> Operand:
    """``total + factor * place``"""
    if abs(factor) != 1:
        place = builder.call(operator.mul, place, Lit(abs(factor)), type=INT, hint="n")
    if total == Lit(0) and factor > 0:
        return place
    return builder.call(operator.add if factor > 0 else operator.sub, total, place, type=INT, hint="n")
