"""What several tests ask about one program of the corpus, found once.

Tests of one program run next to one another (`tests/conftest.py`), so that they share the rules that the cache of adxform holds.
What no cache of adxform's holds is shared here: Jacobians by differences, and what a test makes of the rule of a program that is
the same one at several points.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from unittest import mock

import numpy as np

from adxform.runtime import cache
from tests.corpus.case import Program
from tests.oracle import Vector, central_jacobian, flat_function

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 4


def once(make: Callable[[T], R]) -> Callable[[T], R]:
    """`make`, with what it returned for the last few objects that it was given: the very objects, equal ones are others."""
    kept: list[tuple[T, R]] = []

    @functools.wraps(make)
    def found_or_made(given: T) -> R:
        for one, found in kept:
            if one is given:
                return found
        made = make(given)
        kept[:] = [(given, made), *kept[: AT_ONCE - 1]]
        return made

    return found_or_made


@contextmanager
def anew() -> Iterator[None]:
    """Derive what is asked for in the block as if nothing was there; what was there is there again afterwards."""
    cache._cleared[0] += 1  # call sites look anew
    try:
        with mock.patch.object(cache, "_buckets", OrderedDict()):
            yield
    finally:
        cache._cleared[0] += 1


@once
def differences(program: Program) -> list[tuple[Vector, float] | None]:
    """The Jacobian of a program by central differences and their error, for each point that does not state its gradient."""
    found: list[tuple[Vector, float] | None] = []
    for point in program.points:
        with np.errstate(all="ignore"):  # programs may leave out what overflows
            stated = point.gradient is not None
            found.append(None if stated else central_jacobian(*flat_function(program.function, point.args, program.wrt)))
    return found
