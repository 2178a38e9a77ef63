"""``python -m tests.tables``: judge the cells of the generated tables and print the totals. Without a name, of all tables.

A table is judged in parts, each spread over the whole of it: wrong cells are printed as they are found, and an
interrupted run prints the totals of the parts that it had ended.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import track

from tests.tables.judging import TABLES, Tally, tally, waiting

app = App(name="python -m tests.tables", help=__doc__)

PARTS = 200
"""In how many parts a whole table is judged."""


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
    for name in names or tuple(TABLES):
        found, ended = Tally(), 0
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            cells = partial(waiting, name, sample, seed, only)
            parts = jobs if sample is not None else PARTS
            going = [pool.submit(tally, cells, engine, part, parts) for part in range(parts)]
            try:
                for done in track(as_completed(going), name, total=parts, console=Console(stderr=True)):
                    found.add(done.result())
                    ended += 1
                    for wrong in done.result().wrong:
                        console.print(f"wrong  {wrong}", markup=False)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                console.print(f"{name}: interrupted after {ended} of {parts} parts")
                failed = True
            for reason, count in found.refused.most_common(reasons):
                console.print(f"{count:6}  refused: {reason}", markup=False)
            kinds, count = found.kinds, found.kinds.total()
            said = f"{count} cells, {kinds['right']} right, {kinds['refused']} refused, {kinds['wrong']} wrong"
            console.print(f"{name}: {said}", markup=False)
            failed |= not count or bool(kinds["wrong"])
    sys.exit(failed)


if __name__ == "__main__":
    app()
