"""Race derivatives: `python -m benchmarks race [--only NAME ...] [--sizes small|large|all] [--threads 1 2] [--json FILE]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.race import report
from benchmarks.race.contenders import CONTENDERS
from benchmarks.race.heat import ROUNDS, Terms, heat, lanes
from benchmarks.race.problems import PROBLEMS
from benchmarks.race.worker import CLOCKS

SIZES = {"small": slice(1), "large": slice(1, None), "all": slice(None)}
OUT = Path(__file__).parent.parent / "out" / "race.json"


def race(arguments: Sequence[str]) -> int:
    """Run the chosen heats; print their tables; write JSON, Markdown and a plot side by side."""
    names = [contender.name for contender in CONTENDERS]
    known = list(PROBLEMS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks race", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=known, default=known, metavar="NAME", help=", ".join(known))
    parser.add_argument("--contenders", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--sizes", choices=list(SIZES), default="all", help="the smallest of each problem, the others, or all")
    parser.add_argument("--threads", nargs="+", type=int, default=[1], metavar="N", help="how many there are for each contender")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="samples of each contender, in turns")
    parser.add_argument(
        "--budget", type=float, default=60.0, metavar="S", help="seconds that a first call may take, and all rounds"
    )
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="the processor's where others use the machine")
    parser.add_argument("--json", type=Path, default=OUT, metavar="FILE", help="where the numbers go; .md and .png beside it")
    parser.add_argument("--merge", action="store_true", help="keep the heats of that file that are not run again")
    options = parser.parse_args(arguments)

    console = Console(width=None if sys.stdout.isatty() else 160)
    titles = {name: problem.title for name, problem in PROBLEMS.items()}
    chosen = [contender for contender in CONTENDERS if contender.name in options.contenders]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    heats = {}
    if options.merge and options.json.exists():
        heats = {(h[0].problem, h[0].size, h[0].threads): h for h in report.read_json(options.json)}
    for threads in options.threads:
        with lanes(chosen, Terms(threads, options.rounds, options.budget, options.clock)) as running:
            for name in options.only:
                problem = PROBLEMS[name]
                for size in problem.sizes[SIZES[options.sizes]]:
                    findings = heat(problem, size, running)
                    heats[name, str(size), threads] = findings
                    report.show(console, findings, titles)
                    report.write_json(options.json, list(heats.values()))
    found = list(heats.values())
    table = Table(*report.SUMMARY, title="Summary", title_justify="left")
    for row in report.summary(found):
        table.add_row(*row)
    console.print(table)
    console.print(report.means(found))
    report.write_markdown(options.json.with_suffix(".md"), found, titles)
    report.plot(options.json.with_suffix(".png"), found)
    return 0
