"""A fixed sample of each generated table: no cell is wrong. ``python -m tests.tables`` judges them whole."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program
from tests.tables.judging import TABLES, judged, sampled

SAMPLE = 5
WHOLE_SAMPLE = 25
PAGE = Path(__file__).parent.parent / "docs" / "soundness.md"


@pytest.mark.parametrize("count", [SAMPLE, pytest.param(WHOLE_SAMPLE, marks=pytest.mark.rest)])
@pytest.mark.parametrize("name", TABLES)
def test_no_cell_of_a_sample_is_wrong(name: str, count: int) -> None:
    verdicts = list(judged(sampled(name, count)))
    assert verdicts
    assert not [f"{verdict.cell.name}: {verdict.reason}" for verdict in verdicts if verdict.kind == "wrong"]


def test_the_judge_can_say_no() -> None:
    total = program("def f(x):\n    return np.sum(x)\n")
    point = (np.array([1.0, 2.0]),)
    assert judge(Cell("right", total, point, expected=(np.array([1.0, 1.0]),))).kind == "right"
    assert judge(Cell("wrong", total, point, expected=(np.array([1.0, 2.0]),))).kind == "wrong"


def test_the_page_names_each_table_once_and_counts_it_once() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted([*TABLES, *TABLES])
