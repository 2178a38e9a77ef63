"""A fixed sample of random programs in the manner of scientists: none is wrong. ``python -m tests.domain`` judges thousands."""

from __future__ import annotations

import itertools

import pytest

from tests.domain.programs import cancels, cell_of, is_moderate, text_of
from tests.domain.shrink import shrunk
from tests.tables.cell import judge

SEEDS = [seed for seed in range(60) if is_moderate(cell_of(text_of(seed), seed))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_is_right_or_refused(seed: int) -> None:
    text = text_of(seed)
    verdict = judge(cell_of(text, seed))
    assert verdict.kind != "wrong", f"{verdict.reason}\n{text}"


def test_the_text_of_a_seed_is_the_same_in_every_process() -> None:
    assert text_of(7) == text_of(7)
    assert len({text_of(seed) for seed in range(20)}) == 20


def test_a_failing_program_is_made_smaller() -> None:
    text = next(text for seed in itertools.count() if "np.cumsum" in (text := text_of(seed)) and len(text) > 800)
    small = shrunk(text, lambda candidate: "np.cumsum" in candidate)
    assert "np.cumsum" in small
    assert len(small) < len(text) / 3


def test_rounding_is_told_from_what_is_wrong() -> None:
    text = "def f(x, a, n, p, m):\n    rate = 1e10 + a\n    return np.sum(x - x.copy()) * rate + a\n"
    assert cancels(cell_of(text, 1), 1e-6)
    assert not cancels(cell_of(text, 1), 1e-3)
    assert not cancels(cell_of(text.replace("1e10", "1.0"), 1), 1e-6)
