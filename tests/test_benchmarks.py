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


def test_every_section_at_its_smallest_size(tmp_path: Path) -> None:
    """`python -m benchmarks --quick`, all sections in one run, each judged by what it prints and by what it writes."""
    pytest.importorskip("numba")
    file = tmp_path / "results.json"
    assert "Hessian products" in run("-m", "benchmarks", "--quick", "--json", str(file))
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    found = dict(zip(SECTIONS, results, strict=True))
    for check in CHECKS:
        check(found)
    assert missed(found["in-place"]) == []


def nothing_is_built_in_steady_state(found: dict[str, Any]) -> None:
    """Prepared and unprepared Hessian products at ever new points."""
    assert len(found["steady"]["rows"]) >= 10
    assert missed(found["steady"]) == []


def one_product_for_each_colour(found: dict[str, Any]) -> None:
    """A band and an arrow-head, counted and compared with Hessian products."""
    assert missed(found["sparse"]) == []


def products_are_built_once(found: dict[str, Any]) -> None:
    """The products were compared with differences before they were timed."""
    rows = [dict(zip(found["curvature"]["columns"], row, strict=True)) for row in found["curvature"]["rows"]]
    assert [row["model"] for row in rows] == [model.name for model in MODELS]
    assert all(row["builds, first"] > 0 and row["later"] == 0 for row in rows)


def calls_beside_kernels(found: dict[str, Any]) -> None:
    """There is a kernel in each, whatever the machine takes for it."""
    rows = found["calls"]["rows"]
    assert len(rows) >= 8
    assert all(float(row[1]) > 0.0 and float(row[2]) > 0.0 for row in rows)


def loops_of_other_numbers_agree(found: dict[str, Any]) -> None:
    """Compiled, in Python and by hand."""
    assert missed(found["numbers"]) == []


CHECKS = (
    *(nothing_is_built_in_steady_state, one_product_for_each_colour, products_are_built_once),
    *(calls_beside_kernels, loops_of_other_numbers_agree),
)


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
