"""What the benchmarks claim, at their smallest sizes, where it does not depend on the machine."""

from __future__ import annotations

import pytest

from benchmarks.calls import calls
from benchmarks.compile import process
from benchmarks.compile.command import Finding, cells, finding
from benchmarks.curvature import MODELS, measured
from benchmarks.sparsity import sparse
from benchmarks.steady import steady


def test_nothing_is_built_in_steady_state() -> None:
    """`python -m benchmarks --only steady`: prepared and unprepared Hessian products at ever new points."""
    result = steady(quick=True)
    assert len(result.rows) >= 10
    assert [claim.text for claim in result.claims if not claim.holds] == []


def test_one_product_for_each_colour() -> None:
    """`python -m benchmarks --only sparse`: a band and an arrow-head, counted and compared with Hessian products."""
    assert [claim.text for claim in sparse(quick=True).claims if not claim.holds] == []


def test_products_are_right_and_built_once() -> None:
    """`python -m benchmarks --only curvature`: the products are compared with differences before they are timed."""
    for row in (measured(model, model.sizes[0], quick=True) for model in MODELS):
        assert row.builds > 0
        assert row.later == 0


def test_first_calls_are_taken_apart() -> None:
    """`python -m benchmarks compile`: the parts of a first call are within the whole; who cannot take part says why."""
    found = process.measured("adxform python", "scalar")["wall"]
    assert found["transform"] + found["emit"] + found["compile"] + found["disk"] <= found["first"]
    assert 0.0 < found["again"] < found["first"]


def test_a_process_that_fails_is_in_the_table() -> None:
    entry = finding("scalar", "adxform python", rounds=1, budget=0.0, clock="wall")
    assert entry == Finding("scalar", "adxform python", "took more than 0 s")
    assert cells(entry)[-1] == "took more than 0 s"


def test_calls_are_timed_beside_their_kernels() -> None:
    """`python -m benchmarks --only calls`: there is a kernel in each, whatever the machine takes for it."""
    pytest.importorskip("numba")
    rows = calls(quick=True).rows
    assert len(rows) >= 8
    assert all(float(row[1]) > 0.0 and float(row[2]) > 0.0 for row in rows)
