"""What the stages of a derivation made of a function, as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast

from adxform.cli.target import UsageError
from adxform.frontend.lowering.lower import lower
from adxform.frontend.lowering.source_text import find_source
from adxform.ir.ops import Function
from adxform.ir.text import show
from adxform.passes.driver import StageWatch, watching
from adxform.runtime.dispatch.derivation import DerivedRule, build

UNCOMPILED = ("ast", "ssa", "typed", "clean", "adjoint", "optimised")
"""The stages that are the same whatever runs the derivative."""


def staged(fn: Callable[..., Any], stage: str, derived: Callable[[], DerivedRule]) -> str:
    """What there is of `fn` after `stage`: of `UNCOMPILED`, ``python``, or a pass as ``list:pass``.

    Raises:
        UsageError: if no pass of that name was taken.
    """
    match stage:
        case "ast":
            dumped: str = gast.dump(find_source(fn).node, indent=2)
            return dumped + "\n"
        case "ssa":
            return text_of(lower(fn))
        case "python":
            return derived().text
        case _:
            watch = stages_of(derived())
            if found := watch.after(stage):
                return "\n".join(map(text_of, found))
            names = dict.fromkeys(one.name for one in watch.stages)
            raise UsageError(f"there is no stage {stage!r} of this derivative; it has ast, ssa, {', '.join(names)} and python")


def dump_stages(rule: DerivedRule, folder: Path) -> None:
    """Write to files in `folder`, numbered as they came, what each pass made that changed something; last the Python."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = [stage for stage in stages_of(rule).stages if stage.changed]
    for number, stage in enumerate(changed, 1):
        name = f"{number:03}-{stage.name.replace(':', '-')}-{stage.function.name}.ir"
        (folder / name).write_text(text_of(stage.function), encoding="utf-8")
    (folder / f"{len(changed) + 1:03}-python.py").write_text(rule.text, encoding="utf-8")


def stages_of(rule: DerivedRule) -> StageWatch:
    """The stages of `rule`, which is derived once more."""
    with watching() as watch:
        build(rule.request)
    return watch


def text_of(fn: Function) -> str:
    """`fn` in the text format of the IR, with a line feed at its end."""
    return show(fn).rstrip() + "\n"
