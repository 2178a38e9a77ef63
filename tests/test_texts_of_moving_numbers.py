"""Texts that are made of texts of numbers that move, which the run keeps: no number comes out of them unseen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

LOG = "def f(x):\n    log = []\n    for v in x:\n        if v > 0:\n            log.append(repr(float(v)))\n"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("sum(float(t) for t in ','.join(log).split(','))", "refused"),
        ("sum(float(t) for t in str(log)[2:-2].split(\"', '\"))", "refused"),
        ("len(' '.join(log)) * x[0]", "right"),
    ],
)
def test_a_text_made_of_kept_texts(said: str, kind: str) -> None:
    text = f"{LOG}    return {said}\n"
    verdict = judge(Cell(text, program(text), (np.array([0.5, -1.5, 0.7]),)))
    assert verdict.kind == kind, verdict.reason
