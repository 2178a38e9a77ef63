"""``python -m tests.tables``: judge the cells of the generated tables and print the totals. Without a name, of all tables."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console

from tests.tables.judging import TABLES, Tally, sampled, tally

app = App(name="python -m tests.tables", help=__doc__)


@app.default
def main(
    *names: str,
    sample: Annotated[int | None, Parameter(help="judge so many cells of each table")] = None,
    seed: Annotated[int, Parameter(help="which sample")] = 0,
    only: Annotated[str, Parameter(help="only cells whose names contain this")] = "",
    engine: Annotated[str, Parameter(help="the engine that runs the derivatives")] = "python",
    reasons: Annotated[int, Parameter(help="how many reasons of refusals are printed, most frequent first")] = 20,
    jobs: Annotated[int, Parameter(help="how many processes judge")] = 1,
) -> None:
    """Judge tables; the exit status is 1 if a cell is wrong or there is no cell."""
    console = Console(soft_wrap=True, highlight=False)
    failed = False
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in names or tuple(TABLES):
            cells = partial(sampled, name, sample, seed, only)
            found = Tally()
            for done in [pool.submit(tally, cells, engine, part, jobs) for part in range(jobs)]:
                found.add(done.result())
            for wrong in found.wrong:
                console.print(f"wrong  {wrong}", markup=False)
            for reason, count in found.refused.most_common(reasons):
                console.print(f"{count:6}  refused: {reason}", markup=False)
            kinds, count = found.kinds, found.kinds.total()
            said = f"{count} cells, {kinds['right']} right, {kinds['refused']} refused, {kinds['wrong']} wrong"
            console.print(f"{name}: {said}", markup=False)
            failed |= not count or bool(kinds["wrong"])
    sys.exit(failed)


if __name__ == "__main__":
    app()
