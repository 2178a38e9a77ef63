"""``python -m tests.domain``: judge random programs in the manner of scientists; say how many are right, refused, wrong.

A program that is wrong is made smaller while it stays wrong, and printed. One that overflows on the way to its value, where one
mode, or the second derivative, has NaN and the other a number, is printed and counted apart: docs/limitations.md says where that
may be. So is one whose modes differ by the rounding of its largest number, and one that jumps at its very point, where rounding
decides what it does.
"""

from __future__ import annotations

import itertools
import linecache
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import track

import adxform
from tests.domain.programs import cancels, cell_of, is_moderate, jumps, leaves_range, left_outside, overflows, text_of
from tests.domain.shrink import shrunk
from tests.tables.cell import Cell, Verdict, judge, laid_out, tangents_of

DIFFERENCED = 1e-9
"""By how much a value changes in one of the steps by which slopes are told, times what is allowed of it."""

KNOWN = ("overflowed", "cancelled", "jumped", "retyped")
"""The kinds of what is no right program and no fault: docs/limitations.md has each but jumps, which have no derivative."""

app = App(name="python -m tests.domain", help=__doc__)


def verdict_of(text: str, seed: int) -> Verdict:
    """What becomes of a program; `KNOWN` has kinds that are neither right nor faults."""
    verdict = judge(cell_of(text, seed))
    told = re.match("the modes differ: forward ([-+.e0-9]+), reverse ([-+.e0-9]+):", verdict.reason)
    if told and cancels(verdict.cell, abs(float(told[1]) - float(told[2]))):
        return replace(verdict, kind="cancelled")
    if verdict.reason.startswith("the gradient is") and cancels(verdict.cell, DIFFERENCED):
        return replace(verdict, kind="cancelled")
    if verdict.reason.startswith(("the gradient is", "v·Hv is")) and jumps(verdict.cell):
        return replace(verdict, kind="jumped")
    if verdict.reason.startswith("v·Hv is") and leaves_range(verdict.cell):
        return replace(verdict, kind="overflowed")
    if verdict.kind == "right" and "STATE" in text and (said := leaves_other_state(text, seed)):
        return replace(verdict, kind="wrong" if leaves_other_state(text, seed, classes=False) else "retyped", reason=said)
    missing = re.match("the modes differ: forward (nan, reverse (?!nan)|(?!nan).*, reverse nan)|v·Hv is nan", verdict.reason)
    return replace(verdict, kind="overflowed") if missing and overflows(verdict.cell) else verdict


def leaves_other_state(text: str, seed: int, *, classes: bool = True) -> str:
    """What differs outside of the program between a plain call and one in each mode; nothing if nothing does.

    `classes`: a float of Python's and one of NumPy's differ, though they be equal.
    """
    modes = {
        "reverse": lambda cell: adxform.vjp(cell.function, *laid_out(cell.args)),
        "forward": lambda cell: adxform.jvp(cell.function, laid_out(cell.args), tangents_of(cell.args)[0]),
    }

    def left(run: Callable[[Cell], object]) -> dict[str, str]:
        found = left_outside(text, seed, run)
        return found if classes else {name: re.sub(r"np\.float64\(([^()]*)\)", r"\1", value) for name, value in found.items()}

    plain = left(lambda cell: cell.function(*laid_out(cell.args)))
    for mode, run in modes.items():
        if (found := left(run)) != plain:
            return f"{mode}: outside is {found}, after a plain call {plain}"
    return ""


def is_wrong(text: str, seed: int) -> bool:
    """Whether a program is wrong; what is no program is not."""
    try:
        return is_moderate(cell_of(text, seed)) and verdict_of(text, seed).kind == "wrong"
    except Exception:  # without its definitions a module may fail in any way
        return False


def kind_of(reason: str) -> str:
    """The reason of a refusal without the names that it mentions."""
    return " ".join("…" if "`" in word else word for word in reason.split())


@app.default
def main(
    *,
    count: Annotated[int, Parameter(help="how many programs, of those that stay in a moderate range")] = 1000,
    seed: Annotated[int, Parameter(help="the seed of the first one; the others follow")] = 0,
    engine: Annotated[str, Parameter(help="the engine that runs the derivatives")] = "python",
    shrink: Annotated[bool, Parameter(help="make wrong programs smaller")] = True,
    reasons: Annotated[int, Parameter(help="how many reasons of refusals are printed")] = 20,
) -> None:
    """Judge `count` programs; the exit status is 1 if one is wrong, or if hardly any is right.

    An interrupted run tells what it found until then.
    """
    os.environ["ADXFORM_ENGINE"] = engine
    console = Console(soft_wrap=True, highlight=False)
    kinds: Counter[str] = Counter()
    why: Counter[str] = Counter()
    begun = time.perf_counter()
    with suppress(KeyboardInterrupt):
        for number, text in track(moderate(seed, count), total=count, description="programs", console=Console(stderr=True)):
            verdict = verdict_of(text, number)
            kinds[verdict.kind] += 1
            if verdict.kind == "refused":
                why[kind_of(verdict.reason)] += 1
            if verdict.kind in KNOWN:
                console.print(f"{verdict.kind}, seed {number}: {verdict.reason}", markup=False)
            if verdict.kind == "wrong":
                small = shrunk(text, partial(is_wrong, seed=number)) if shrink else text
                console.print(f"wrong, seed {number}: {verdict.reason}\n{small}", markup=False)
            if kinds.total() % 100 == 0:
                adxform.clear_cache()
                linecache.clearcache()
    for reason, times in why.most_common(reasons):
        console.print(f"{times:6}  refused: {reason}", markup=False)
    took = time.perf_counter() - begun
    told = ", ".join(f"{kinds[kind]} {kind}" for kind in ("right", "refused", *KNOWN, "wrong"))
    console.print(f"{kinds.total()} programs: {told}; {took:.0f} s")
    sys.exit(bool(kinds["wrong"]) or kinds["right"] < kinds.total() // 2)


def moderate(seed: int, count: int) -> Iterator[tuple[int, str]]:
    """The first `count` programs in a moderate range, from the one of that `seed` on: their seeds and texts."""
    texts = ((number, text_of(number)) for number in itertools.count(seed))
    return itertools.islice((each for each in texts if is_moderate(cell_of(each[1], each[0]))), count)


if __name__ == "__main__":
    os.environ["ADXFORM_CACHE_DIR"] = "off"
    app()
