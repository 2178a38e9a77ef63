"""Trials of `benchmarks.upsets`, each in a process of its own that may take so long and no longer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from benchmarks.upsets import KINDS

ROOT = Path(__file__).parent.parent
PATIENCE = 300.0
"""Seconds after which a process counts as hanging: a trial gives up each wait of its own long before."""
COLUMNS = ("right", "refused", "wrong", "hangs")


@dataclass(slots=True)
class Outcome:
    """What the trials of one kind told."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def trial(kind: str, seed: int, rounds: int, cache: str, outcome: Outcome, patience: float = PATIENCE) -> None:
    """Run one trial, with the cache of rules in the folder `cache`, or ``"off"``; add what it tells to `outcome`."""
    command = [sys.executable, "-m", "benchmarks.upsets", kind, str(seed), str(rounds)]
    env = {**os.environ, "ADXFORM_CACHE_DIR": cache}
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    outcome.counts["runs"] += 1
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # it tells where its threads are
        out, err = process.communicate()
        outcome.counts["hangs"] += 1
        outcome.faults.append(f"{kind} {seed}: hangs\n{err[-4000:]}")
        return
    if kind == "endings" and "terminate called without an active exception" in err:
        outcome.counts["refused"] += 1  # before Python 3.14 daemon threads are unwound, and C++ (`optree`) does not let them
        return
    if process.returncode or not out.strip():
        outcome.counts["wrong"] += 1
        outcome.faults.append(f"{kind} {seed}: exit status {process.returncode}\n{err[-4000:]}")
        return
    told = json.loads(out.splitlines()[-1])
    outcome.counts.update(told["counts"])
    outcome.faults += [f"{kind} {seed}: {wrong}\n{err[-4000:]}" for wrong in told["wrong"]]


def trials(kind: str, number: int, seed: int, folder: Path, rounds: int = 8) -> Outcome:
    """So many trials of one kind, every other one with a cache in `folder`."""
    outcome = Outcome()
    for current in range(seed, seed + number):
        trial(kind, current, rounds, str(folder / f"{kind}-{current}") if current % 2 else "off", outcome)
    return outcome


def table(outcomes: dict[str, Outcome]) -> Table:
    """The counts of all kinds."""
    found = Table("trial", "runs", *COLUMNS, "what it is", title="What may upset a process that derives")
    for kind, outcome in outcomes.items():
        counts = [str(outcome.counts[name]) for name in ("runs", *COLUMNS)]
        found.add_row(kind, *counts, (KINDS[kind].__doc__ or "").partition(".")[0])
    return found
