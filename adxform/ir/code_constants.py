"""Constants of code that compare equal and are not the same to a program."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any


def frozen_sets(code: CodeType) -> Iterator[frozenset[Any]]:
    """The frozen sets among the constants of `code`, and of code in it: they are what displays of sets are made of."""
    for constant in code.co_consts:
        if isinstance(constant, frozenset):
            yield constant
        elif isinstance(constant, CodeType):
            yield from frozen_sets(constant)


def set_orders(code: CodeType) -> tuple[tuple[Any, ...], ...]:
    """In which order the elements of these come: in another one where the code was read from a file, though it compares equal."""
    return tuple(map(tuple, frozen_sets(code)))
