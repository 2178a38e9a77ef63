"""Functions whose results are texts: nothing moves with them, and `+=` of one changes nobody's memory."""

from __future__ import annotations

import operator
from typing import Any

TEXTS = frozenset({str, repr, ascii, format, str.format, str.join, str.format_map, str.__mod__, str.upper, str.lower, str.strip})
"""Functions that give texts, whatever they are given."""
_OF_A_TEXT = frozenset({operator.add, operator.mod, operator.mul})
"""Operators that give one where the first operand is one."""


ONLY_TELLING = (super, str, repr, format, float, int, len, round, abs, type, isinstance, bool, tuple, list)
"""Builtins that a constructor may ask without changing anything, to make texts, numbers and collections of what it is given."""


def gives_text(fn: Any, first_is_text: bool) -> bool:
    """Whether a call of `fn` gives a text."""
    hashable = getattr(type(fn), "__hash__", None) is not None
    return hashable and (fn in TEXTS or (first_is_text and fn in _OF_A_TEXT))
