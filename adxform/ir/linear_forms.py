"""Integers as sums of multiples of others: what indices, bounds of slices and lengths are in terms of loops and axes."""

from __future__ import annotations

from dataclasses import dataclass

from adxform.ir.ops import Var
from adxform.ir.types import Dim


@dataclass(frozen=True, slots=True)
class LinearForm:
    """``number + Σ factor · variable``. A variable is one of the IR, or a `Dim`, a length."""

    number: int = 0
    terms: tuple[tuple[Var | Dim, int], ...] = ()

    def plus(self, other: LinearForm, times: int = 1) -> LinearForm:
        """``self + times * other``"""
        found = dict(self.terms)
        for key, factor in other.terms:
            found[key] = found.get(key, 0) + times * factor
        terms = tuple((key, factor) for key, factor in found.items() if factor)
        return LinearForm(self.number + times * other.number, terms)

    def factor(self, of: Var) -> int:
        """The factor of a variable."""
        return dict(self.terms).get(of, 0)

    def at(self, var: Var, value: LinearForm) -> LinearForm:
        """`self` where `var` is `value`."""
        factor = self.factor(var)
        rest = LinearForm(self.number, tuple(term for term in self.terms if term[0] != var))
        return rest.plus(value, factor)
