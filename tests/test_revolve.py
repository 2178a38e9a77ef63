"""The schedule of snapshots: within its means, and as few passes as the theory allows."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
import pytest

from adxform.runtime.revolve import next_snapshot, snapshots_within


def fewest(passes: int, snapshots: int) -> int:
    """The minimal number of passes that run only to reach a state.

    Source: Griewank and Walther, Algorithm 799: Revolve (2000), equation (2): ``r l - beta(s + 1, r - 1)``.
    """
    repetitions = next(r for r in range(passes + 1) if comb(snapshots + r, snapshots) >= passes)
    return repetitions * passes - comb(snapshots + repetitions, snapshots + 1)


@cache
def searched(passes: int, snapshots: int) -> int:
    """The same number, by trying every place for the next snapshot."""
    if passes == 1:
        return 0
    if snapshots == 1:
        return passes * (passes - 1) // 2
    return min(m + searched(passes - m, snapshots - 1) + searched(m, snapshots) for m in range(1, passes))


def simulated(passes: int, snapshots: int) -> tuple[int, int, list[int]]:
    """How many passes run again when the generated code reverses all, the most states kept, and how often each pass runs."""
    kept, most = [0], 1
    runs = [0] * passes
    for target in range(passes - 1, -1, -1):
        at = kept.pop()
        while at < target:
            kept.append(at)
            most = max(most, len(kept))
            to = next_snapshot(at, target, snapshots - len(kept))
            assert at < to <= target
            for k in range(at, to):
                runs[k] += 1
            at = to
        assert at == target
    assert not kept
    return sum(runs), most, runs


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 8])
def test_fewest_passes_run_again(snapshots: int) -> None:
    for passes in range(1, 70):
        found, most, _ = simulated(passes, snapshots)
        assert found == fewest(passes, snapshots) == searched(passes, snapshots)
        assert most <= snapshots


def test_no_pass_runs_more_often_than_the_binomial_bound() -> None:
    for passes, snapshots in ((2000, 10), (5000, 50)):
        found, most, runs = simulated(passes, snapshots)
        repetitions = next(r for r in range(100) if comb(snapshots + r, snapshots) >= passes)
        assert found == fewest(passes, snapshots)
        assert most == snapshots
        assert max(runs) <= repetitions


def test_all_states_fit() -> None:
    """As many snapshots as passes: each pass runs once to get there."""
    assert simulated(40, 40)[0] == 39


def test_a_budget_in_bytes() -> None:
    state = np.zeros(1000)
    assert snapshots_within(100_000, state) == 100_000 // (8000 + 128 + 32)
    assert snapshots_within(1000, 1.0, 2) >= 10
    with pytest.raises(ValueError, match="`max_memory` is 5000 bytes, and one state of the loop takes"):
        snapshots_within(5000, state)
