"""A fixed sample of random programs in the manner of scientists: none is wrong. ``python -m tests.domain`` judges thousands."""

from __future__ import annotations

import ast
import itertools
import random

import pytest

from adxform.frontend.language import LANGUAGE
from tests.domain.grammar import Idiom, Scope
from tests.domain.programs import IDIOMS, arguments, cancels, cell_of, is_moderate, jumps, text_of
from tests.domain.shrink import shrunk
from tests.tables.cell import judge

ENTRIES = {entry.program: entry for entries in LANGUAGE.values() for entry in entries}
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


def test_a_branch_that_rounding_decides_is_told_from_what_is_wrong() -> None:
    text = "def f(x, a, n, p, m):\n    return x[0] * x[1] + {size} * abs(a - POINT) + {jump} * (a != POINT)\n"
    text = text.replace("POINT", repr(arguments(3)[1]))
    assert jumps(cell_of(text.format(size=0.0, jump=1e-3), 3))
    assert not jumps(cell_of(text.format(size=1.0, jump=0.0), 3))  # a kink is none
    assert not jumps(cell_of(text.format(size=0.0, jump=0.0), 3))


def test_every_row_of_the_language_can_arise() -> None:
    claimed = {row for idiom in IDIOMS for row in idiom.rows.split()}
    texts = [text_of(seed) for seed in range(300)]
    kinds = {type(node).__name__ for text in texts for node in ast.walk(ast.parse(text))}
    runs = {name for name, entry in ENTRIES.items() if isinstance(entry.verdict, str)}
    met = {name for name in runs if ENTRIES[name].nodes and set(ENTRIES[name].nodes.split()) <= kinds}
    assert not runs - claimed - met, "rows of the table of the language that no random program has"
    assert not claimed - runs, "rows that are claimed, and refused or not there"
    lacking = {kind for name in runs for kind in ENTRIES[name].nodes.split()} - kinds
    assert not lacking, "kinds of nodes that no random program has"


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda idiom: idiom.write.__name__)
def test_an_idiom_shows_the_rows_that_it_claims(idiom: Idiom) -> None:
    kinds = {type(node).__name__ for seed in range(200) for node in ast.walk(ast.parse(alone(idiom, seed)))}
    for row in idiom.rows.split():
        assert not ENTRIES[row].nodes or kinds & set(ENTRIES[row].nodes.split()), row


def alone(idiom: Idiom, seed: int) -> str:
    """The text of a function that has nothing but an idiom."""
    chance = random.Random(seed)
    scope = Scope(chance, vectors=["x"], matrices=["m"], numbers=["a", "b"], counts=["n"], idioms=IDIOMS[:5])
    lines = idiom.write(scope)
    return "\n".join([*scope.module, "def f(x, a, b, n, m):", *(f"    {line}" for line in lines), *scope.after, ""])
