"""What runs for a function, as text: the generated source, and why it keeps what it keeps."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from adxform.analysis.kept_values import kept
from adxform.api import checked_argnums, checked_engine
from adxform.api.second_order import hessian, jacobian
from adxform.autodiff.reverse.residuals import Decision
from adxform.backends.protocol import CALLS
from adxform.backends.registry import COMPILER, PLAIN
from adxform.errors import OptionError
from adxform.frontend.derivative_operators import PYTHON, Engine, EngineName
from adxform.ir.spans import Span
from adxform.runtime import timing
from adxform.runtime.dispatch.application import Application, Argnums, apply
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.refusals import name_of
from adxform.runtime.dispatch.tracebacks import for_users
from adxform.runtime.sentences import listed

MODES = ("reverse", "forward", "hvp", "hessian", "jacobian", "primal")
SWEPT = {"hessian": "hvp", "jacobian": "reverse"}
"""What the modes that sweep more than once sweep."""
MOST = 5


@for_users
def source(
    f: Callable[..., Any],
    *example_args: Any,
    mode: str = "reverse",
    argnums: Argnums = 0,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> str:
    """The generated module that runs for `f` at arguments like `example_args`.

    `mode` is ``"reverse"``, ``"forward"``, ``"hvp"``, ``"hessian"``, ``"jacobian"`` or ``"primal"``; `engine` and `fastmath`
    are as for `grad`.
    """
    _call, rule = rule_of(f, example_args, mode, argnums, checked_engine(engine, fastmath))
    return rule.text


def rule_of(
    f: Callable[..., Any], args: Sequence[Any], mode: str, argnums: Argnums, engine: Engine = PYTHON
) -> tuple[Application, DerivedRule]:
    """The application of `f` to `args`, and its derived rule in `mode`."""
    numbers = checked_argnums(f, argnums)
    if mode in ("hessian", "jacobian"):
        make = hessian if mode == "hessian" else jacobian
        call = make(f, numbers, **engine.keywords).applied(tuple(args), {})
        return call, call.rule("primal", ())
    call = apply(f, tuple(args), {}, None if mode == "primal" else numbers, engine, mode)
    wrt = () if mode == "primal" else call.wrt(numbers)
    match mode:
        case "reverse" | "forward" | "primal":
            return call, call.rule(mode, wrt)
        case "hvp":
            call.output(wrt, False)
            return call, call.rule("hvp", wrt)
        case _:
            raise OptionError(f"mode is {mode!r}; it is one of {', '.join(MODES)}")


@for_users
def explain(
    f: Callable[..., Any],
    *example_args: Any,
    mode: str = "reverse",
    argnums: Argnums = 0,
    engine: EngineName = "auto",
    fastmath: bool = True,
    times: bool = False,
) -> str:
    """What the derivative of `f` keeps, recomputes or puts on a tape, value by value, and why; and what `engine` compiles.

    With `times`, it is compiled, and the last lines have the seconds that this took, by pass and by phase (see `adxform.times`).
    """
    before, passes = timing.times(), timing.times(passes=True)
    call, rule = rule_of(f, example_args, SWEPT.get(mode, mode), argnums, checked_engine(engine, fastmath))
    names = [param.base for param in rule.request.function.params]
    wrt = ", ".join(names[position] for position in rule.request.wrt)
    lines = [f"{name_of(call.fn)}({', '.join(names)}): {mode} mode with respect to {wrt or 'nothing'}"]
    rows = [(place(decision), described(decision), decision.kind, decision.reason) for decision in rule.decisions]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        lines.append("  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3])).rstrip())
    if not rows:
        lines.append("nothing is kept: the reverse sweep needs only what is there")
    lines += taped(rule)
    if times:
        rule.backend.finish(rule.run)
    reason = f", for {rule.choice.reason}" if rule.choice.reason else ""
    if call.engine.name == PLAIN.name:
        reason = f", for {CALLS} calls do not pay back what compiling takes"
    asked = checked_engine(engine, fastmath)
    if asked.name != PLAIN.name:
        lines.append(f"engine: {rule.choice.engine.name}{reason}")
    if asked.name == "auto":
        lines.append(f"estimate: {call.entry.appraisal.worth(SWEPT.get(mode, mode), call.inputs())}")
    if asked.name != rule.choice.engine.name == PLAIN.name and COMPILER.is_usable():
        lines += COMPILER.loops_left(rule.optimised, asked)
    lines += [*rule.compiled, *refusals(call, rule)]
    if times:
        lines += [slowest(passes), took(before)]
    return "\n".join(lines)


def took(before: Mapping[str, float]) -> str:
    """The time spent in each phase since it was `before`."""
    spent = {name: after - before[name] for name, after in timing.times().items()}
    return "took: " + ", ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in spent.items() if seconds >= 5e-4)


def slowest(before: Mapping[str, float]) -> str:
    """The passes that took most since it was `before`: they are part of the phases ``transform`` and ``emit``."""
    spent = {name: after - before.get(name, 0.0) for name, after in timing.times(passes=True).items()}
    most = sorted(spent, key=lambda name: -spent[name])[:MOST]
    return "slowest passes: " + (", ".join(f"{name} {spent[name] * 1e3:.1f} ms" for name in most) or "none")


def taped(rule: DerivedRule) -> list[str]:
    """What is on tapes between the sweeps, by size; that there is nothing, where it could have been.

    Where states of loops are kept, what is on tapes is that of some iterations.
    """
    sizes: dict[str, list[str]] = {}
    if any(decision.kind == "snapshot" for decision in rule.decisions):
        return []
    for found in kept(rule.optimised):
        sizes.setdefault(found.size, []).append(found.name if found.name != "tmp" else text_of(found.span) or "a number")
    if not sizes:
        return ["nothing is taped"] if rule.decisions else []
    return [f"taped, {size} numbers each: {listed(counted(names))}" for size, names in sizes.items()]


def counted(names: Sequence[str]) -> list[str]:
    """`names`, each once, and how often it occurs."""
    return [name if count == 1 else f"{name} ({count} times)" for name, count in Counter(names).items()]


def refusals(call: Application, rule: DerivedRule) -> list[str]:
    """Why Python runs instead of `rule`, or instead of a form of it in which cotangents are put in."""
    request = rule.request
    forms = [known for known in call.entry.rules.values() if replace(known.request, seeds=(), valued=True) == request]
    found = dict.fromkeys(form.backend.complaint(form.run) for form in forms)
    return [f"left to Python, for {complaint}" for complaint in found if complaint is not None]


def place(decision: Decision) -> str:
    """The file and line of a decision, without the folder."""
    span = decision.span
    return f"{PurePath(span.file).name}:{span.line}" if span.line else ""


def described(decision: Decision) -> str:
    """The value of a decision as the user wrote it, and its name where it has one of its own."""
    span = decision.span
    name = decision.name.partition(".")[0]
    text = text_of(span)
    if not text or text == name:
        return name
    return text if name == "tmp" else f"{name}: {text}"


def text_of(span: Span) -> str:
    """What the user wrote at `span`, as far as it is on its first line."""
    line = linecache.getline(span.file, span.line) if span.line else ""
    return line[span.column : span.end_column if span.end_line == span.line else None].strip()
