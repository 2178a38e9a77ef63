"""A case for each pass of each list, before and after: `tests/golden/passes`, rewritten with ``--update-golden``.

A file names the pass and, of a kernel, the places of parameters that share no memory; then comes the function before it, and
the one after it. That passes keep what programs compute is tested elsewhere; here it shows what each one is for.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import adxform
from adxform.backends.numba.kernel_pipeline import CUT, KERNEL, LOOPS, KernelSetting, LoopSetting
from adxform.errors import AdxError
from adxform.frontend.evaluate.rule_bodies.expander import RuleExpander
from adxform.ir.ops import Function
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.ir.walk import contents
from adxform.passes.driver import Pass, watching
from adxform.passes.pipeline import CHECKS, CLEAN, FOR_KERNELS, FORWARD, REVERSE, SIMPLIFY, Differentiation
from adxform.primitives.alias import alias_classes
from adxform.runtime.dispatch.derivation import derive
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.derived import anew

FOLDER = Path(__file__).parent / "golden" / "passes"
MARK = "\n\n# after\n"
LISTS: dict[str, tuple[Pass[Any], ...]] = {
    "simplify": SIMPLIFY,
    "clean": CLEAN[1:],  # the first is all of `SIMPLIFY`
    "for-kernels": FOR_KERNELS,
    "reverse": REVERSE,
    "forward": FORWARD,
    "loops": LOOPS,
    "cut": CUT,
    "kernel": KERNEL,
    "checks": CHECKS,
}
STEPS = {f"{title}-{step.name}": step for title, passes in LISTS.items() for step in passes}
PRIMAL = """
def f(scale: f64[], x: f64[x.0, x.1], k: int):
    square: f64 = operator.mul(scale, scale)
    scaled: f64[x.0, x.1] = operator.mul(x, square)
    product: f64[] = np.tensordot(scaled, x)
    return product, k"""
"""What the cases of `REVERSE` and `FORWARD` are derivatives of: arrays without axes become numbers on the way."""


def after(name: str, head: str, before: str) -> Function:
    """What the pass `name` makes of `before`; `head`, the first line, says what a kernel's parameters share."""
    no_alias = frozenset(int(place) for place in head.partition("no-alias: ")[2].split(", ") if place)
    sweep = Differentiation(read(PRIMAL), (0, 1), RuleExpander(derive), {0: 1.0})
    settings: dict[str, Any] = {
        "loops": LoopSetting(fastmath=True),
        "kernel": KernelSetting(fastmath=True, no_alias=no_alias),
        "cut": 1,
        "checks": alias_classes(fn := read(before)),
    }
    settings |= {"reverse": sweep, "forward": sweep}
    return STEPS[name].run(fn, settings.get(name.partition("-")[0]))


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


@pytest.mark.parametrize("program", PROGRAMS[::25], ids=lambda program: program.name)
def test_a_pass_that_is_left_out_would_change_nothing(program: Program) -> None:
    with anew(), watching() as watch, contextlib.suppress(AdxError):
        adxform.source(program.function, *program.points[0].fresh(), argnums=program.wrt)
    assert watch.stages
    for stage in watch.stages:
        found = contents(stage.function)
        for step in SIMPLIFY:
            if not step.changes(found):
                assert step.run(stage.function, None) is stage.function, (stage.name, step.name)


def test_a_case_has_what_its_pass_needs() -> None:
    for name, step in STEPS.items():
        before = (FOLDER / f"{name}.ir").read_text(encoding="utf-8").partition("\n")[2].partition(MARK)[0]
        assert step.changes(contents(read(before))), name
