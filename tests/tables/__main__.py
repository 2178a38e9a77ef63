"""``python -m tests.tables``: judge the cells of the generated tables and print the totals.

A table is a module of this package with a function ``cells() -> Iterator[Cell]``. Without a name all tables are judged.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console

import adxform
from tests.tables import call_forms, containers, edges, modes, names, objects, overwrite, reach, rules, semantics, signatures
from tests.tables.cell import Cell, Verdict, judge

TABLES = {
    "edges": edges.cells,
    "semantics": semantics.cells,
    "containers": containers.cells,
    "names": names.cells,
    "overwrite": overwrite.cells,
    "modes": modes.cells,
    "objects": objects.cells,
    "reach": reach.cells,
    "rules": rules.cells,
    "signatures": signatures.cells,
    "forms": call_forms.cells,
}

LONG = {"containers": partial(containers.cells, 50)}
"""What small samples of tables are taken from whose cells take seconds to make."""

app = App(name="python -m tests.tables", help=__doc__)


def sampled(name: str, sample: int | None = None, seed: int = 0, only: str = "") -> list[Cell]:
    """The cells of table `name` whose names contain `only`; with `sample`, so many of them, the same for the same seed."""
    few = sample is not None and sample <= 100 and not only and name in LONG
    made = [cell for cell in (LONG[name]() if few else TABLES[name]()) if only in cell.name]
    return made if sample is None or sample >= len(made) else random.Random(seed).sample(made, sample)


def judged(cells: Iterable[Cell]) -> list[Verdict]:
    """The verdict on each cell; derived rules are forgotten from time to time."""
    verdicts = []
    for count, cell in enumerate(cells):
        verdicts.append(judge(cell))
        if count % 100 == 99:
            adxform.clear_cache()
    return verdicts


@app.default
def main(
    *names: str,
    sample: Annotated[int | None, Parameter(help="judge so many cells of each table")] = None,
    seed: Annotated[int, Parameter(help="which sample")] = 0,
    only: Annotated[str, Parameter(help="only cells whose names contain this")] = "",
    engine: Annotated[str, Parameter(help="the engine that runs the derivatives")] = "python",
    reasons: Annotated[int, Parameter(help="how many reasons of refusals are printed, most frequent first")] = 20,
) -> None:
    """Judge tables; the exit status is 1 if a cell is wrong or there is no cell."""
    os.environ["ADXFORM_ENGINE"] = engine
    console = Console(soft_wrap=True, highlight=False)
    failed = False
    for name in names or tuple(TABLES):
        verdicts = judged(sampled(name, sample, seed, only))
        kinds = Counter(verdict.kind for verdict in verdicts)
        for verdict in verdicts:
            if verdict.kind == "wrong":
                console.print(f"wrong  {verdict.cell.name}: {verdict.reason}", markup=False)
        why = Counter(verdict.reason for verdict in verdicts if verdict.kind == "refused")
        for reason, count in why.most_common(reasons):
            console.print(f"{count:6}  refused: {reason}", markup=False)
        console.print(
            f"{name}: {len(verdicts)} cells, {kinds['right']} right, {kinds['refused']} refused, {kinds['wrong']} wrong",
            markup=False,
        )
        failed |= not verdicts or bool(kinds["wrong"])
    sys.exit(failed)


if __name__ == "__main__":
    os.environ["ADXFORM_CACHE_DIR"] = "off"
    app()
