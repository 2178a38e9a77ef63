"""Operators: binary, augmented, comparisons and unary, on every pair of kinds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tests.tables.cell import Cell
from tests.tables.semantics.operands import KINDS, SOURCES, Program, values

BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in")
UNARY = ("-", "+", "~", "not ")
# Two positive numbers apart from every kink; of other signs; and zeros, where differences tell nothing.
POINTS = ((1.7, 2.6, True), (-2.3, 1.4, True), (3.2, 0.0, False), (0.0, 2.6, False))


def cells() -> Iterator[Cell]:
    """Each operator on each pair of kinds; where operands come from goes round."""
    origins = itertools.cycle(itertools.product(SOURCES, SOURCES))
    for sign in (*BINARY, *COMPARISONS):
        for left, a, right, b in values(*POINTS[0][:2]):
            source, other = next(origins)
            yield binary(f"{left} {sign} {right} ({source}, {other})", sign, (a, source), (b, other))
            if sign in BINARY and sign != "@":
                yield augmented(f"{left} {sign}= {right} ({source}, {other})", sign, (a, source), (b, other))
        next(origins)
    for number, (first, second, smooth) in enumerate(POINTS[1:], 1):
        for sign, (left, a, right, b) in itertools.product(("+", "*", "/", "//", "%", "**"), values(first, second)):
            if {left, right} <= {"bool", "int", "float", "float32", "int8", "uint8", "0-d", "array", "int array"}:
                yield binary(f"{left} {sign} {right}, point {number}", sign, (a, "argument"), (b, "element"), smooth)
    for sign, (kind, made), source in itertools.product(UNARY, KINDS.items(), SOURCES):
        written = Program()
        operand = written.operand("a", made(1.7), source)
        yield written.cell(f"{sign}{kind} ({source})", f"{sign}{operand}", smooth=True)


def binary(name: str, sign: str, left: tuple[object, str], right: tuple[object, str], smooth: bool = True) -> Cell:
    """``a sign b``."""
    written = Program()
    a, b = written.operand("a", *left), written.operand("b", *right)
    return written.cell(name, f"{a} {sign} {b}", smooth=smooth)


def augmented(name: str, sign: str, left: tuple[object, str], right: tuple[object, str]) -> Cell:
    """``s = a; s sign= b``, of a copy where `a` is an array, which would be changed."""
    written = Program()
    a, b = written.operand("a", *left), written.operand("b", *right)
    copied = hasattr(left[0], "copy")
    written.lines += [f"s = {a}.copy()" if copied else f"s = {a}", f"s {sign}= {b}"]
    return written.cell(name, "s")
