"""What conditions tell of values that may be ``None``, or one of several things: which of them are there where one holds.

``if r is None or r > limit: continue`` tells that `r` is a number after it, so that it goes into a list of numbers; after
``if isinstance(v, list): return v[0]`` what may be a list or an array is no list.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import NamedTuple

from adxform.ir.ops import Lit, Operand, Var


class Other(NamedTuple):
    """That one of several things, which `which` numbers, is not the one with this number."""

    which: Var
    number: int


There = frozenset[Var | Other]
Told = MutableMapping[Var, tuple[There, There]]
"""By conditions: which values, by what says that they are there, are there where it holds, and where it does not."""

_NOTHING: There = frozenset()


def tells(told: Told, cond: Operand) -> tuple[There, There]:
    """What is there where `cond` holds, and where it does not: it may itself say of a value that it is there."""
    if not isinstance(cond, Var):
        return _NOTHING, _NOTHING
    holds, fails = told.get(cond, (_NOTHING, _NOTHING))
    return holds | {cond}, fails


def note_which(told: Told, cond: Operand, which: Operand, number: int, others: list[int]) -> None:
    """`cond` holds where `which` is this `number`, and no other one of the `others`."""
    if isinstance(cond, Var) and isinstance(which, Var):
        told[cond] = frozenset(Other(which, other) for other in others), frozenset((Other(which, number),))


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
