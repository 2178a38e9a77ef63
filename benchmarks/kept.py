"""What distinct functions keep of the memory, and what `clear_cache` gives back of it."""

from __future__ import annotations

import gc
import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np

import adxform
from benchmarks.record import Claim, Result

CELL = """
def inner(x):
    return np.sin(x) * {number}.5
def f(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += inner(x[i]) * x[i - 1] ** 2
    return total
"""


def state() -> tuple[int, int, int]:
    """Blocks of memory of Python's, objects that the collector knows, and resident bytes (0 where that is not told)."""
    gc.collect()
    gc.collect()
    statm = Path("/proc/self/statm")
    resident = int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0
    return sys.getallocatedblocks(), len(gc.get_objects()), resident


def made(numbers: range) -> list[Any]:
    """So many functions, each with a file of its own."""
    functions = []
    for number in numbers:
        file, text = f"<cell {number}>", CELL.format(number=number)
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        names: dict[str, Any] = {"np": np}
        exec(compile(text, file, "exec"), names)
        functions.append(names["f"])
    return functions


def derive(functions: list[Any], engine: Any) -> None:
    """Call the gradient of each."""
    x = np.linspace(0.1, 1.0, 500)
    for function in functions:
        adxform.grad(function, engine=engine)(x)


def kept(quick: bool) -> Result:
    """Measure both engines: derived, and the cache cleared, while the functions themselves are there."""
    rows: list[tuple[str | int | float, ...]] = []
    for engine, count in (("python", 30 if quick else 300), ("numba", 3 if quick else 15)):
        # What the process grows by at first, it uses again: so many functions come and go ahead, twice.
        for first in (10_000, 20_000):
            derive(made(range(first, first + count)), engine)
            adxform.clear_cache()
            state()
        functions = made(range(count))
        before = state()
        derive(functions, engine)
        rows.append((engine, count, "derived", *each(before, state(), count)))
        adxform.clear_cache()
        rows.append((engine, count, "cleared", *each(before, state(), count)))
    (objects,) = [float(row[4]) for row in rows if row[0] == "python" and row[2] == "cleared"]
    (resident,) = [float(row[5]) for row in rows if row[0] == "numba" and row[2] == "cleared"]
    claims = (
        Claim("in Python, fewer than 40 objects a function stay after clear_cache", objects < 40),
        Claim("compiled, less than 100 KiB a function stay after clear_cache", resident < 100),
    )
    columns = ("engine", "functions", "step", "blocks each", "objects each", "resident KiB each")
    return Result("Distinct functions: what stays after each, before and after clear_cache()", columns, tuple(rows), claims)


def each(before: tuple[int, int, int], after: tuple[int, int, int], count: int) -> tuple[float, float, float]:
    """What there is more of, for each function."""
    blocks, objects, resident = (late - early for early, late in zip(before, after, strict=True))
    return round(blocks / count, 1), round(objects / count, 1), round(resident / 1024 / count, 1)
