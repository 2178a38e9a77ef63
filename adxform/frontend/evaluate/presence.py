"""What conditions tell of values that may be ``None``: which of them are there where one holds, and where it does not.

``if r is None or r > limit: continue`` tells that `r` is a number after it, so that it goes into a list of numbers.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from adxform.ir.ops import Lit, Operand, Var

There = frozenset[Var]
Told = MutableMapping[Var, tuple[There, There]]
"""By conditions: which values, by what says that they are there, are there where it holds, and where it does not."""

_NOTHING: There = frozenset()


def tells(told: Told, cond: Operand) -> tuple[There, There]:
    """What is there where `cond` holds, and where it does not: it may itself say of a value that it is there."""
    if not isinstance(cond, Var):
        return _NOTHING, _NOTHING
    holds, fails = told.get(cond, (_NOTHING, _NOTHING))
    return holds | {cond}, fails


def note_opposite(told: Told, opposite: Var, cond: Operand) -> None:
    """`opposite` holds where `cond` does not."""
    holds, fails = tells(told, cond)
    told[opposite] = fails, holds


def note_joined(told: Told, out: Var, cond: Operand, sides: tuple[Operand, Operand]) -> None:
    """`out` is the first of `sides` where `cond` holds, and the second where it does not."""
    known = [Lit(way) if side == cond else side for side, way in zip(sides, (True, False), strict=True)]
    found: list[There] = []
    for way in (True, False):
        possible = [
            there | tells(told, side)[0 if way else 1]
            for side, there in zip(known, tells(told, cond), strict=True)
            if side != Lit(not way)
        ]
        found.append(frozenset.intersection(*possible) if possible else _NOTHING)
    if any(found):
        told[out] = found[0], found[1]
