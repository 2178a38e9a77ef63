"""What a benchmark returns: rows of one table, and statements about them that hold or do not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """Something a table is expected to show."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Result:
    """One table. Every row has one cell per column; numbers are seconds, bytes or ratios as the column says."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    claims: tuple[Claim, ...] = ()
