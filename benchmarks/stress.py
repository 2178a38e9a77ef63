"""Stress the machinery: `python -m benchmarks.stress [--only WHAT ...] [--rounds N] [--processes N] [--trials N] [--seed N]`.

What the cache on the disk goes through comes first, then so many trials of each kind in `benchmarks.upsets`: first calls at the
end of the stack, forks, signals, threads that need each other, the end of the process, damaged pickles, folders of others, each
with a time limit.

Each round of the cache begins with an empty folder. Many processes use it at once; then writers are killed while they write, and
another process reads what they left; then the files are damaged, and several processes use them at once. A round is sound when
every process that was not killed ends without an error and with the values of a process without a cache, to the last bit,
and says nothing, or, after the damage, one warning.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import stressed
from benchmarks.trials import Outcome, table, trials
from benchmarks.upsets import KINDS

VARIANTS = len(stressed.BENDS)
PATIENCE = 300.0  # seconds after which a process counts as stuck


@dataclass(slots=True)
class Tally:
    """What happened in all rounds."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that derives with a cache, and where it leaves its report."""

    variant: int
    process: BaseProcess
    report: Path


@cache
def context() -> Any:
    """How processes are started: from one that has imported everything and derived nothing, where the system can do that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["benchmarks.stressed"])
    return found


def started(variant: int, folder: Path, name: str) -> Worker:
    """A process at work in `folder`."""
    report = folder / f"{name}.json"
    process = context().Process(target=stressed.work, args=(variant, str(folder / "cache"), report))
    process.start()
    return Worker(variant, process, report)


def finished(workers: list[Worker], expected: list[Any], tally: Tally, *, warnings: int) -> None:
    """Wait for `workers`, and note what is wrong with what they tell; each may give so many `warnings`."""
    for worker in workers:
        worker.process.join(PATIENCE)
        tally.counts["processes"] += 1
        if worker.process.exitcode is None:
            worker.process.kill()
            tally.faults.append(f"{worker.report}: stuck")
            continue
        said = worker.report.with_suffix(".err")
        text = said.read_text() if said.exists() else ""
        if worker.process.exitcode != 0 or not worker.report.exists():
            tally.faults.append(f"{worker.report}: exit status {worker.process.exitcode}: {text[-2000:]}")
            continue
        told = json.loads(worker.report.read_text())
        tally.counts["read"] += told["stats"]["disk_hits"]
        tally.counts["written"] += told["stats"]["disk_writes"]
        tally.counts["built"] += told["stats"]["rule_builds"]
        given = text.count("CacheWarning:")
        tally.counts["warnings"] += given
        if told["values"] != expected[worker.variant]:
            tally.faults.append(f"{worker.report}: wrong values")
        if given > warnings or (text and not given) or "Traceback" in text:
            tally.faults.append(f"{worker.report}: said {text[-2000:]}")


def at_once(folder: Path, name: str, count: int) -> list[Worker]:
    """So many processes, the variants in turn."""
    return [started(number % VARIANTS, folder, f"{name}{number}") for number in range(count)]


def killed(folder: Path, count: int, delay: float, tally: Tally) -> None:
    """Let writers begin on what is there, and kill them after `delay` seconds."""
    writers = at_once(folder, "killed", count)
    time.sleep(delay)
    for writer in writers:
        if writer.process.is_alive():
            tally.counts["killed"] += 1
            writer.process.kill()
    for writer in writers:
        writer.process.join(PATIENCE)


def database(folder: Path) -> Path:
    """The file that holds the entries."""
    return folder / "cache" / "rules" / "cache.db"


def flip(file: Path, chance: random.Random) -> None:
    """Change bytes here and there."""
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 20, 400))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def scramble(file: Path, chance: random.Random) -> None:
    """Overwrite a stretch, as a lost page would be."""
    data = bytearray(file.read_bytes())
    start = chance.randrange(len(data))
    length = min(4096, len(data) - start)
    data[start : start + length] = chance.randbytes(length)
    file.write_bytes(data)


def truncate(file: Path, chance: random.Random) -> None:
    """Cut the end off."""
    data = file.read_bytes()
    file.write_bytes(data[: chance.randrange(len(data))])


def leave_journal(file: Path, chance: random.Random) -> None:
    """Leave the journal of a transaction that never was."""
    file.with_name("cache.db-journal").write_bytes(chance.randbytes(2000))


def remove(file: Path, _chance: random.Random) -> None:
    """Remove the file under those who use it."""
    file.unlink()


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (flip, scramble, truncate, leave_journal, remove)


def played(number: int, processes: int, seconds: float, chance: random.Random, expected: list[Any], tally: Tally) -> None:
    """One round. `seconds` is how long a writer takes on an empty folder."""
    with temporary() as folder:
        finished(at_once(folder, "cold", processes), expected, tally, warnings=0)
    with temporary() as folder:
        killed(folder, 2, chance.uniform(0.0, 1.2) * seconds, tally)
        tally.counts["killed with a file"] += database(folder).exists()
        finished(at_once(folder, "reader", VARIANTS), expected, tally, warnings=0)
        if database(folder).exists():
            running = at_once(folder, "during", 2) if number % 2 else []
            DAMAGES[number % len(DAMAGES)](database(folder), chance)
            tally.counts["damaged"] += 1
            finished([*running, *at_once(folder, "damaged", 3)], expected, tally, warnings=1)
            finished(at_once(folder, "after", VARIANTS), expected, tally, warnings=1)


@contextmanager
def temporary() -> Iterator[Path]:
    """A folder for a part of a round."""
    with tempfile.TemporaryDirectory(prefix="adxform-stress-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def stress(rounds: int, processes: int, seed: int = 0, tell: Callable[[str], None] = lambda _: None) -> Tally:
    """Play `rounds`, and return what happened."""
    chance, tally = random.Random(seed), Tally()
    begun = time.perf_counter()
    expected = [alone(variant) for variant in range(VARIANTS)]
    seconds = (time.perf_counter() - begun) / VARIANTS
    for number in range(rounds):
        played(number, processes, seconds, chance, expected, tally)
        if (number + 1) % 10 == 0:
            tell(f"round {number + 1} of {rounds}: {tally.counts['processes']} processes, {len(tally.faults)} faults")
    if not tally.counts["read"]:
        tally.faults.append("nothing was read from the disk")
    return tally


def alone(variant: int) -> Any:
    """What a process without a cache derives."""
    with temporary() as folder:
        process = context().Process(target=stressed.work, args=(variant, "off", folder / "alone.json"))
        process.start()
        process.join(PATIENCE)
        assert process.exitcode == 0, "a process without a cache failed"
        return json.loads((folder / "alone.json").read_text())["values"]


def main() -> int:
    """Run the rounds and the trials; print tables; exit with 1 where something was not sound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stress", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=["disk", *KINDS], default=["disk", *KINDS], metavar="WHAT")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--processes", type=int, default=8, help="how many begin at once on an empty folder")
    parser.add_argument("--trials", type=int, default=20, help="how many processes of each kind are upset")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    console = Console()
    faults: list[str] = []
    if "disk" in options.only:
        faults += disk(options, console)
    outcomes: dict[str, Outcome] = {}
    with temporary() as folder:
        for kind in [kind for kind in KINDS if kind in options.only]:
            outcomes[kind] = trials(kind, options.trials, options.seed, folder)
            faults += outcomes[kind].faults
    if outcomes:
        console.print(table(outcomes))
    for fault in faults:
        console.print(fault, markup=False)
    return 1 if faults else 0


def disk(options: argparse.Namespace, console: Console) -> list[str]:
    """Play the rounds of the cache, print what happened, and return what was not sound."""
    begun = time.perf_counter()
    tally = stress(options.rounds, options.processes, options.seed, console.print)
    counts = Table("what", "how often", title=f"{options.rounds} rounds in {time.perf_counter() - begun:.0f} s")
    for name, count in tally.counts.items():
        counts.add_row(name, str(count))
    counts.add_row("faults", str(len(tally.faults)))
    console.print(counts)
    return tally.faults


if __name__ == "__main__":
    sys.exit(main())
