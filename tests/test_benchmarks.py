"""What the benchmarks claim, at their smallest sizes, where it does not depend on the machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import SECTIONS
from benchmarks.compile import process
from benchmarks.compile.command import Finding, cells, finding
from benchmarks.curvature import MODELS
from tests.test_examples import run


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_at_its_smallest_size(section: str, tmp_path: Path) -> None:
    """`python -m benchmarks --quick`, judged by what it prints and by what it writes."""
    pytest.importorskip("numba")
    file = tmp_path / "results.json"
    printed = run("-m", "benchmarks", "--quick", "--only", section, "--json", str(file))
    (found,) = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert found["title"] in printed
    assert len(found["rows"]) > 0
    if section in CHECKS:
        CHECKS[section](found)


def nothing_is_built_in_steady_state(found: dict[str, Any]) -> None:
    """Prepared and unprepared Hessian products at ever new points."""
    assert len(found["rows"]) >= 10
    assert missed(found) == []


def products_are_built_once(found: dict[str, Any]) -> None:
    """The products were compared with differences before they were timed."""
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    assert [row["model"] for row in rows] == [model.name for model in MODELS]
    assert all(row["builds, first"] > 0 and row["later"] == 0 for row in rows)


def calls_beside_kernels(found: dict[str, Any]) -> None:
    """There is a kernel in each, whatever the machine takes for it."""
    rows = found["rows"]
    assert len(rows) >= 8
    assert all(float(row[1]) > 0.0 and float(row[2]) > 0.0 for row in rows)


def nothing_is_missed(found: dict[str, Any]) -> None:
    """Products for each colour, loops of other numbers compiled and by hand, what is written in place."""
    assert missed(found) == []


CHECKS = {
    "steady": nothing_is_built_in_steady_state,
    "sparse": nothing_is_missed,
    "curvature": products_are_built_once,
    "calls": calls_beside_kernels,
    "numbers": nothing_is_missed,
    "in-place": nothing_is_missed,
}


def missed(result: dict[str, Any]) -> list[str]:
    """The claims that do not hold."""
    return [claim["text"] for claim in result["claims"] if not claim["holds"]]


def test_first_calls_are_taken_apart() -> None:
    """`python -m benchmarks compile`: the parts of a first call are within the whole; who cannot take part says why."""
    found = process.measured("adxform python", "scalar")["wall"]
    assert found["transform"] + found["emit"] + found["compile"] + found["disk"] <= found["first"]
    assert 0.0 < found["again"] < found["first"]


def test_a_process_that_fails_is_in_the_table() -> None:
    entry = finding("scalar", "adxform python", rounds=1, budget=0.0, clock="wall")
    assert entry == Finding("scalar", "adxform python", "took more than 0 s")
    assert cells(entry)[-1] == "took more than 0 s"
