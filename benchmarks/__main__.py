"""Run the benchmarks: `python -m benchmarks [--quick] [--only NAME ...] [--json FILE] [--check]`.

`python -m benchmarks race --help` tells of the race against other systems, `python -m benchmarks compile --help` of first calls.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.batches import batches
from benchmarks.calls import calls
from benchmarks.compile.command import compile_times
from benchmarks.compiled_numbers import compiled_numbers
from benchmarks.curvature import curvature
from benchmarks.fits import fits
from benchmarks.growth import elements
from benchmarks.in_place import in_place
from benchmarks.kept import kept
from benchmarks.memory import memory
from benchmarks.race.command import race
from benchmarks.record import Result
from benchmarks.rules import rules
from benchmarks.sparsity import sparse
from benchmarks.steady import steady
from benchmarks.transform import depth, order, statements

SECTIONS = {
    "statements": statements,
    "depth": depth,
    "order": order,
    "growth": elements,
    "steady": steady,
    "memory": memory,
    "in-place": in_place,
    "kept": kept,
    "curvature": curvature,
    "sparse": sparse,
    "batches": batches,
    "calls": calls,
    "numbers": compiled_numbers,
    "fits": fits,
    "rules": rules,
}
OUT = Path(__file__).parent / "out" / "results.json"


def cell(column: str, value: str | int | float) -> str:
    """Return a number as people read it: times with a unit, bytes with a prefix, ratios short."""
    if isinstance(value, str):
        return value
    words = column.split()
    if "s" in words:
        scale, unit = (1.0, "s") if value >= 1.0 else (1e3, "ms") if value >= 1e-3 else (1e6, "us")
        return f"{value * scale:.3g} {unit}"
    if words[-2:] == ["peak", "bytes"]:
        return f"{value / 1024:,.0f} KiB"
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def show(console: Console, result: Result) -> None:
    """Print a table and what it is expected to show."""
    table = Table(*result.columns, title=escape(result.title))
    for row in result.rows:
        table.add_row(*(cell(column, value) for column, value in zip(result.columns, row, strict=True)))
    console.print(table)
    for claim in result.claims:
        console.print(("yes  " if claim.holds else "NO   ") + claim.text)


def main() -> int:
    """Run the chosen sections; print tables; write JSON; with `--check`, fail if a claim does not hold."""
    if sys.argv[1:2] == ["race"]:
        return race(sys.argv[2:])
    if sys.argv[1:2] == ["compile"]:
        return compile_times(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smallest sizes: a smoke test")
    parser.add_argument(
        "--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS), metavar="NAME", help=", ".join(SECTIONS)
    )
    parser.add_argument("--json", type=Path, default=OUT, metavar="FILE", help="where the numbers go")
    parser.add_argument("--check", action="store_true", help="exit 1 if a claim does not hold")
    options = parser.parse_args()

    os.environ["ADXFORM_CACHE_DIR"] = "off"  # a first call derives, and reads nothing
    console = Console(width=None if sys.stdout.isatty() else 170)
    results = []
    for name in options.only:
        results.append(SECTIONS[name](options.quick))
        show(console, results[-1])

    machine = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": machine, "results": [asdict(result) for result in results]}, indent=2) + "\n")
    console.print(f"Numbers: {os.path.relpath(options.json)}")
    missed = [claim for result in results for claim in result.claims if not claim.holds]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
