"""The generated tables by name, and what becomes of their cells.

A table is a module of this package with a function ``cells() -> Iterator[Cell]``.
"""

from __future__ import annotations

import gc
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial

import adxform
from tests.tables import (
    aliased,
    batched,
    boxed,
    call_forms,
    callables,
    changed,
    chosen,
    classes,
    containers,
    defined,
    edges,
    held,
    holders,
    identity,
    joined,
    laid,
    left_out,
    listed,
    mathematics,
    mixed,
    modes,
    names,
    objects,
    operands,
    ordered,
    overwrite,
    pairs,
    precisions,
    primitives,
    products,
    proxies,
    questions,
    ranges,
    reach,
    recalled,
    recorded,
    rules,
    scipy_operands,
    semantics,
    sets,
    shared,
    signatures,
    stacked,
    subclassed,
    tries,
    unknown,
    walked,
    zeros,
)
from tests.tables.cell import Cell, Verdict, judge

TABLES = {
    "aliased": aliased.cells,
    "edges": edges.cells,
    "semantics": semantics.cells,
    "containers": containers.cells,
    "names": names.cells,
    "overwrite": overwrite.cells,
    "shared": shared.cells,
    "modes": modes.cells,
    "objects": objects.cells,
    "classes": classes.cells,
    "reach": reach.cells,
    "changed": changed.cells,
    "chosen": chosen.cells,
    "rules": rules.cells,
    "signatures": signatures.cells,
    "operands": operands.cells,
    "scipy_operands": scipy_operands.cells,
    "defined": defined.cells,
    "callables": callables.cells,
    "forms": call_forms.cells,
    "mathematics": mathematics.cells,
    "precisions": precisions.cells,
    "primitives": primitives.cells,
    "products": products.cells,
    "batched": batched.cells,
    "proxies": proxies.cells,
    "questions": questions.cells,
    "ranges": ranges.cells,
    "listed": listed.cells,
    "ordered": ordered.cells,
    "sets": sets.cells,
    "pairs": pairs.cells,
    "laid": laid.cells,
    "left_out": left_out.cells,
    "recalled": recalled.cells,
    "tries": tries.cells,
    "mixed": mixed.cells,
    "held": held.cells,
    "holders": holders.cells,
    "boxed": boxed.cells,
    "recorded": recorded.cells,
    "identity": identity.cells,
    "stacked": stacked.cells,
    "subclassed": subclassed.cells,
    "zeros": zeros.cells,
    "joined": joined.cells,
    "unknown": unknown.cells,
    "walked": walked.cells,
}

LONG = {
    "callables": partial(callables.cells, 211),
    "containers": partial(containers.cells, 50),
    "holders": partial(holders.cells, 211),
    "operands": partial(operands.cells, 61),
    "overwrite": partial(overwrite.cells, 41),
    "scipy_operands": partial(scipy_operands.cells, 211),
    "shared": partial(shared.cells, 41),
    "tries": partial(tries.cells, 101),
    "unknown": partial(unknown.cells, 97),
}
"""What small samples of tables are taken from whose cells take seconds to make."""


def sampled(name: str, sample: int | None = None, seed: int = 0, only: str = "") -> list[Cell]:
    """The cells of table `name` whose names contain `only`; with `sample`, so many of them, the same for the same seed."""
    few = sample is not None and sample <= 100 and not only and name in LONG
    made = [cell for cell in (LONG[name]() if few else TABLES[name]()) if only in cell.name]
    return made if sample is None or sample >= len(made) else random.Random(seed).sample(made, sample)


def judged(cells: Iterable[Cell]) -> Iterator[Verdict]:
    """The verdict on each cell; derived rules are forgotten from time to time."""
    for count, cell in enumerate(cells):
        yield judge(cell)
        if count % 100 == 99:
            adxform.clear_cache()


@dataclass
class Tally:
    """How many cells are of each kind, why those are refused that are, and which are wrong."""

    kinds: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count what `other` has counted."""
        self.kinds.update(other.kinds)
        self.refused.update(other.refused)
        self.wrong += other.wrong


@lru_cache(maxsize=1)
def waiting(name: str, sample: int | None, seed: int, only: str) -> list[Cell]:
    """What `sampled` gives, kept for the next part of the same table."""
    made = sampled(name, sample, seed, only)
    gc.freeze()  # tens of thousands of programs: no collection is to walk through them
    return made


def tally(cells: Callable[[], list[Cell]], engine: str, part: int = 0, parts: int = 1) -> Tally:
    """Judge each `parts`-th cell, from the one numbered `part` on."""
    os.environ["ADXFORM_ENGINE"] = engine
    os.environ["ADXFORM_CACHE_DIR"] = "off"
    made = Tally()
    for verdict in judged(cells()[part::parts]):
        made.kinds[verdict.kind] += 1
        if verdict.kind == "refused":
            made.refused[verdict.reason] += 1
        if verdict.kind == "wrong":
            made.wrong.append(f"{verdict.cell.name}: {verdict.reason}")
    return made
