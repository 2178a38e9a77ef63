"""What a method, a closure or a callable object reaches by name, before and after it is another one.

Each cell derives a program, changes what it reaches (or makes a second program that reaches something else), and judges the
program then: by what the cache in memory or on the disk has for it, or what was prepared before.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import adxform
from adxform.errors import PreparationMismatchError
from tests.tables.cell import Cell, judge, outcome, refusal
from tests.tables.reach_programs import BUILDERS, REACHED, attribute_of_global, global_name

X = 0.7
CHANGES = ("rebound", "another")
WAYS = ("memory", "disk", "prepared", "pickled")


def cells() -> Iterator[Cell]:
    """Every way to reach each function after another one, by every way to keep what was derived."""
    names = tuple(REACHED)
    own, others = names[0], names[1:]
    pairs = [*itertools.pairwise(others), *((own, name) for name in others), *((name, own) for name in others)]
    for build, (first, then), change, way in itertools.product(BUILDERS, pairs, CHANGES, WAYS):
        if then == own and change == "rebound":
            continue
        name = f"{build.__name__}: {first}, then {then}, {change}, {way}"

        yield Cell(name, build, (X,), judged_by=partial(checked, build, REACHED[first], REACHED[then], change, way))


def checked(build: Callable[[Any], Any], first: Any, then: Any, change: str, way: str, cell: Cell) -> tuple[str, str]:
    """What becomes of the program that `build` makes for `first` once it, or another one like it, reaches `then`."""
    with disk() if way == "disk" else contextlib.nullcontext():
        loss, rebind = build(first)
        if way in ("prepared", "pickled"):
            return kept(build, loss, rebind, then, change, way)
        before = outcome(lambda: adxform.grad(loss)(X))
        if (said := refusal(before)) is not None:
            return said
        if change == "rebound":
            rebind(then)
            after = loss
        else:
            after = build(then)[0]
        if way == "disk":
            adxform.clear_cache()
        verdict = judge(Cell("after", after, (X,)))
        return verdict.kind, verdict.reason


def kept(
    build: Callable[[Any], Any], loss: Any, rebind: Callable[[Any], None], then: Any, change: str, way: str
) -> tuple[str, str]:
    """What a prepared gradient says after the change: the gradient of the function as it is now, or that it has changed."""
    made = outcome(lambda: adxform.prepare_gradient(loss, X))
    if (said := refusal(made)) is not None:
        return said
    if way == "pickled":
        try:
            made = pickle.loads(pickle.dumps(made))
        except (pickle.PicklingError, AttributeError, TypeError):
            return "right", ""  # what has no name cannot be sent
        if change == "rebound" and build not in (global_name, attribute_of_global):
            rebind = build(then)[1]  # the copy has an object of its own
            change = "another"
    if change == "rebound":
        rebind(then)
    else:
        build(then)
    got = outcome(lambda: made(X))
    if isinstance(getattr(got, "error", None), PreparationMismatchError):
        return "right", ""
    step = 1e-4
    slope = (loss(X + step) - loss(X - step)) / (2 * step)
    right = not hasattr(got, "error") and bool(np.isclose(got, slope, rtol=1e-6, atol=1e-6))
    return ("right", "") if right else ("wrong", f"{getattr(got, 'error', got)!r}, by differences {slope!r}")


@contextlib.contextmanager
def disk() -> Iterator[None]:
    """A folder of its own for the disk cache, and nothing in memory."""
    known = os.environ.get("ADXFORM_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ADXFORM_CACHE_DIR"] = folder
        adxform.clear_cache()
        try:
            yield
        finally:
            adxform.clear_cache()
            if known is None:
                del os.environ["ADXFORM_CACHE_DIR"]
            else:
                os.environ["ADXFORM_CACHE_DIR"] = known
