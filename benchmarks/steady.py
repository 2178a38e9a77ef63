"""Steady state: after the first call, or once prepared, nothing is built, parsed or compiled, whatever the arguments."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

import adxform
from benchmarks.programs import PROGRAMS, SIZE, Program
from benchmarks.record import Claim, Result

CALLS = 1000
ENGINE = "python"  # what is built is counted, and products are compared bit for bit
BUILT = ("rule_builds", "source_parses", "py_compiles")


def built() -> int:
    """How much was built, parsed and compiled so far."""
    stats = adxform.stats()
    return sum(stats[name] for name in BUILT)


def points(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A point and a vector that no other call has seen."""
    chance = np.random.default_rng(seed)
    return chance.uniform(-1.0, 1.5, SIZE), chance.normal(size=SIZE)


def steady(quick: bool) -> Result:
    """Call every program's Hessian product at new points with new vectors, prepared and not."""
    calls = 20 if quick else CALLS
    rows = tuple(row(program, calls) for program in PROGRAMS)
    claims = (
        Claim(
            f"{len(rows)} functions, {calls} prepared calls of each build, parse and compile nothing",
            all(r[2] == 0 for r in rows),
        ),
        Claim("the code objects and the fingerprints are what they were", all(r[3] == r[4] == "yes" for r in rows)),
        Claim("unprepared calls build at the first one only", all(r[5] and not r[6] for r in rows)),
        Claim("products agree with differences of gradients to 1e-5", all(r[7] < 1e-5 for r in rows)),
    )
    columns = (
        "function", "built, preparing", "built, prepared", "same code", "same print", "built, first", "built, later", "error",
    )  # fmt: skip
    return Result(f"Hessian products: {calls} calls at new points", columns, rows, claims)


def row(program: Program, calls: int) -> tuple[str | int | float, ...]:
    """What is built for one program, and how far its products are from differences of gradients.

    A closure made anew takes the place of the one that was prepared: `Prepared.rebind`.
    """
    adxform.clear_cache()
    x, v = points(0)
    before = built()
    prepared = adxform.prepare_hvp(program.at(0), x, engine=ENGINE)
    preparing = built() - before
    fingerprint, codes = prepared.fingerprint(), codes_of(prepared)
    found, same_code, same_print = [], True, True
    before = built()
    for number in range(calls):
        fn = program.at(number)
        p = prepared if fn is prepared.fn else prepared.rebind(fn)
        found.append(p(*points(number)))
        same_code &= all(one is other for one, other in zip(codes, codes_of(p), strict=True))
        if p is not prepared and number % 100 == 1:
            same_print &= p.fingerprint() == fingerprint
    later = built() - before
    same_print &= prepared.fingerprint() == fingerprint

    adxform.clear_cache()
    adxform.hvp(program.at(0), engine=ENGINE)(x, v)
    first = built()
    for number in range(1, calls):
        again = adxform.hvp(program.at(number), engine=ENGINE)(*points(number))
        np.testing.assert_array_equal(again, found[number])
    unprepared = built() - first
    error = max(distance(program, number, found[number]) for number in range(0, calls, calls // 10))
    return program.name, preparing, later, said(same_code), said(same_print), first, unprepared, error


def codes_of(prepared: Any) -> list[Any]:
    """The code objects that a call runs: those of its rules, with `out` or without, and of the functions that these call."""
    runs = [rule.run for rule in prepared.rules] + [pool.rule.run for _, pool in prepared.made.buffered]
    return [value.__code__ for run in runs for value in (run, *run.__globals__.values()) if isinstance(value, FunctionType)]


def said(value: bool) -> str:
    """How a table says it."""
    return "yes" if value else "NO"


def distance(program: Program, number: int, product: np.ndarray) -> float:
    """The relative error of a product against the central difference of gradients, extrapolated."""
    (x, v), gradient = points(number), adxform.grad(program.at(number))

    def slope(step: float) -> Any:
        return (gradient(x + step * v) - gradient(x - step * v)) / (2.0 * step)

    expected = (4.0 * slope(5e-5) - slope(1e-4)) / 3.0
    return float(np.max(np.abs(product - expected)) / (1.0 + np.max(np.abs(expected))))
