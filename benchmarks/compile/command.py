"""Compare first calls: `python -m benchmarks compile [--only NAME ...] [--rounds N] [--json FILE]`.

Each system runs in fresh processes: in one that finds nothing on the disk, and in one after it, which finds what that left.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.compile.process import SYSTEMS
from benchmarks.race.contenders import CONTENDERS
from benchmarks.race.problems import PROBLEMS
from benchmarks.race.report import lines, machine, seconds
from benchmarks.race.worker import CLOCKS, environment

OUT = Path(__file__).parent.parent / "out" / "compile.json"
USUAL = (
    *("rosenbrock", "jacobi", "heat", "black-scholes", "log-sum-exp", "scalar", "gmm", "lstm", "mlp"),
    *("hvp-logistic", "reduction", "time-loop"),
)
PHASES = ("transform", "emit", "compile")
COLUMNS = ("problem", "system", *PHASES, "cold", "again", "on disk", "why not")
FOLDERS = {"JAX_COMPILATION_CACHE_DIR": "jax", "TORCHINDUCTOR_CACHE_DIR": "torch", "ADXFORM_CACHE_DIR": "adxform"}
KEPT = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}


@dataclass(frozen=True, slots=True)
class Finding:
    """Medians of seconds of one system: its parts in a process that finds nothing on the disk, and the first call of the next."""

    problem: str
    system: str
    reason: str | None = None
    cold: Mapping[str, float] | None = None
    disk: float | None = None


def compile_times(arguments: Sequence[str]) -> int:
    """Measure the chosen problems; print the table; write JSON and Markdown side by side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compile", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(PROBLEMS), default=USUAL, metavar="NAME", help=", ".join(PROBLEMS))
    parser.add_argument("--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3, help="how often each pair of processes is started")
    parser.add_argument("--budget", type=float, default=60.0, metavar="S", help="seconds that a process may take")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="the processor's where others use the machine")
    parser.add_argument("--json", type=Path, default=OUT, metavar="FILE", help="where the numbers go; .md beside it")
    options = parser.parse_args(arguments)

    found = []
    for name in options.only:
        for system in options.systems:
            found.append(finding(name, system, options.rounds, options.budget, options.clock))
            sys.stderr.write(f"{name}: {system}\n")
    rows = [cells(entry) for entry in found]
    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    console.print(imports(found))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    numbers = {"machine": machine(), "clock": options.clock, "findings": [asdict(entry) for entry in found]}
    options.json.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    text = ["# First calls", "", imports(found), "", *lines(COLUMNS, rows)]
    options.json.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")
    return 0


def finding(name: str, system: str, rounds: int, budget: float, clock: str) -> Finding:
    """What `rounds` pairs of processes of `system` took for the problem `name`."""
    missing = {contender.name: contender.missing() for contender in CONTENDERS}[system]
    if missing is not None:
        return Finding(name, system, missing)
    pairs: list[list[dict[str, float]]] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            pair = [run(name, system, Path(folder), budget) for _ in range(2)]
        reason = next((one["reason"] for one in pair if "reason" in one), None)
        if reason is not None:
            return Finding(name, system, str(reason))
        pairs.append([one[clock] for one in pair])
    cold = {part: statistics.median(first[part] for first, _ in pairs) for part in pairs[0][0]}
    return Finding(name, system, None, cold, statistics.median(second["first"] for _, second in pairs))


def run(name: str, system: str, folder: Path, budget: float) -> dict[str, Any]:
    """What a process measured, with `folder` for all that it keeps on the disk; or the reason why there is nothing."""
    own = {variable: str(folder / place) for variable, place in FOLDERS.items()}
    command = [sys.executable, "-m", "benchmarks.compile.process", system, name]
    try:
        done = subprocess.run(
            command, env={**os.environ, **environment(1), **own, **KEPT}, capture_output=True, text=True, timeout=budget
        )
    except subprocess.TimeoutExpired:
        return {"reason": f"took more than {budget:.0f} s"}
    if done.returncode:
        return {"reason": (done.stderr.strip().splitlines() or ["it ended"])[-1][:140]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cells(entry: Finding) -> tuple[str, ...]:
    """A line of the table."""
    cold = entry.cold or {}
    phases = [seconds(cold.get(part)) for part in PHASES]
    return (
        entry.problem,
        entry.system,
        *phases,
        seconds(cold.get("first")),
        seconds(cold.get("again")),
        seconds(entry.disk),
        entry.reason or "",
    )


def imports(found: Iterable[Finding]) -> str:
    """What importing the systems took, NumPy aside."""
    taken: dict[str, list[float]] = {}
    for entry in found:
        if entry.cold:
            taken.setdefault(entry.system, []).append(entry.cold["import"])
    return "Imports: " + ", ".join(f"{system} {seconds(statistics.median(times))}" for system, times in taken.items()) + "."
