"""A case for each pass of each list, before and after: `tests/golden/passes`, rewritten with ``--update-golden``.

A file names the pass and, of a kernel, the places of parameters that share no memory; then comes the function before it, and
the one after it. That passes keep what programs compute is tested elsewhere; here it shows what each one is for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adxform.ir.ops import Function
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.passes.driver import Pass
from adxform.passes.pipeline import CLEAN, CUT, KERNEL, LOOPS, SIMPLIFY, Kernel, Loops

FOLDER = Path(__file__).parent / "golden" / "passes"
MARK = "\n\n# after\n"
LISTS: dict[str, tuple[Pass[Any], ...]] = {
    "simplify": SIMPLIFY,
    "clean": CLEAN[1:],  # the first is all of `SIMPLIFY`
    "loops": LOOPS,
    "cut": CUT,
    "kernel": KERNEL,
}
STEPS = {f"{title}-{step.name}": step for title, passes in LISTS.items() for step in passes}


def after(name: str, head: str, before: str) -> Function:
    """What the pass `name` makes of `before`; `head`, the first line, says what a kernel's parameters share."""
    apart = frozenset(int(place) for place in head.partition("apart: ")[2].split(", ") if place)
    settings: dict[str, Any] = {"loops": Loops(fastmath=True), "kernel": Kernel(fastmath=True, apart=apart), "cut": 1}
    return STEPS[name].run(read(before), settings.get(name.partition("-")[0]))


@pytest.mark.parametrize("name", STEPS)
def test_a_pass(name: str, update_golden: bool) -> None:
    path = FOLDER / f"{name}.ir"
    head, _, rest = path.read_text(encoding="utf-8").partition("\n")
    before, _, expected = rest.partition(MARK)
    made = after(name, head, before)
    verify(made)
    text = show(made).rstrip() + "\n"
    assert text.rstrip() != before.rstrip(), "the pass changes nothing of its case"
    if update_golden:
        path.write_text(f"{head}\n{before}{MARK}{text}", encoding="utf-8")
    else:
        assert text == expected


def test_there_is_no_case_of_another_pass() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == STEPS.keys()
