"""What a first call spends its time on: each moment counts for one phase, and the collector is as it was."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

import adxform
from adxform.runtime.timing import phase, reset, times


@pytest.fixture(autouse=True)
def fresh() -> None:
    reset()


def test_a_phase_within_another_interrupts_it() -> None:
    began = time.perf_counter()
    with phase("transform"):
        time.sleep(0.02)
        with phase("emit"):
            time.sleep(0.04)
            with phase("emit"):
                time.sleep(0.01)
        time.sleep(0.01)
    whole = time.perf_counter() - began
    found = times()
    assert found["transform"] >= 0.03
    assert found["emit"] >= 0.05
    assert sum(found.values()) <= whole
    assert {name for name, seconds in found.items() if seconds} == {"transform", "emit"}


def test_an_error_ends_a_phase() -> None:
    with pytest.raises(ValueError, match="no"), phase("transform"), phase("compile"):
        raise ValueError("no")
    before = times()
    time.sleep(0.01)
    assert times() == before
    assert gc.isenabled()


def test_the_collector_rests_and_stays_as_it_was() -> None:
    with phase("emit"):
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with phase("emit"):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_threads_have_phases_of_their_own() -> None:
    def work() -> None:
        with phase("disk"):
            time.sleep(0.02)

    with phase("transform"):
        other = threading.Thread(target=work)
        other.start()
        other.join()
    found = times()
    assert found["disk"] >= 0.02
    assert found["transform"] >= 0.02


def test_a_first_call_takes_time_and_a_second_none() -> None:
    adxform.clear_cache()
    slope = adxform.grad(lambda x: np.sin(x) * x)
    slope(0.5)
    first = times()
    assert first["transform"] > 0.0
    assert first["emit"] > 0.0
    assert first["compile"] == 0.0
    slope(0.7)
    assert times() == first
    adxform.clear_cache()
    assert set(times().values()) == {0.0}


def test_explain_says_what_it_took() -> None:
    adxform.clear_cache()
    last = adxform.explain(lambda x: np.sum(np.sin(x) * x), np.ones(3), engine="numba", times=True).splitlines()[-1]
    assert last.startswith("took: ")
    assert "transform" in last
    assert "compile" in last
    assert last.endswith(" ms")


def test_passes_are_parts_of_phases() -> None:
    adxform.clear_cache()
    assert times(passes=True) == {}
    adxform.grad(lambda x: np.sum(np.sin(x) * x), engine="python")(np.ones(3))
    passes = times(passes=True)
    assert {"clean:dead-code", "optimise:algebra"} <= passes.keys()
    ours = [seconds for name, seconds in passes.items() if name != "clean:simplify"]  # which has those of its list
    assert 0.0 < sum(ours) < sum(times().values())
