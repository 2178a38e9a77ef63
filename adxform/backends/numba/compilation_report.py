"""What the engine makes of a rule, in words: the kernels, what is gathered in them, and what stays in Python and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from adxform.backends.numba.caller_allocation import AHEAD
from adxform.backends.numba.compiled_rule import HARMLESS, cut_into_kernels, is_repeatable
from adxform.backends.numba.kernel_extraction import NUMPY
from adxform.backends.numba.support import STACKS, is_taken, refusal
from adxform.frontend.derivative_operators import Engine
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Function, Op, Raise, While
from adxform.ir.walk import all_ops
from adxform.passes.driver import StageWatch, watching
from adxform.passes.loops.gather import gathered
from adxform.primitives.declare import name_of
from adxform.runtime.sentences import listed

AROUND = "around what Python does"


def report(fn: Function, engine: Engine) -> list[str]:
    """What `engine` compiles of `fn`, optimised typed IR."""
    if not is_repeatable(fn):
        return ["nothing is compiled: it calls functions that may do anything, which must not be called twice"]
    with watching() as watch:
        form = cut_into_kernels(fn, engine)
    if form is None:
        return ["nothing is compiled: there are no loops or array expressions that Numba can take"]
    count = len(form.kernels)
    lines = [f"compiled: {count} kernel{'s' * (count != 1)}"]
    if engine.fastmath and (found := [name for loops in watch.after("loops:loops") for name in gathered(loops)]):
        lines.append(f"gathered instead of scattered: {listed(found)}")
    reasons = reasons_by_line(watch)
    left: dict[str, dict[str, None]] = {}
    for op in all_ops(form.function.body):
        for name, reason in remaining(op, reasons):
            left.setdefault(reason, {})[name] = None
    return lines + [f"in Python, {reason}: {listed(list(names))}" for reason, names in left.items()]


def remaining(op: Op, reasons: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """What `op`, outside of kernels, is called, and why no kernel holds it; nothing for what there is around any kernel."""
    match op:
        case Call() if callee(op) in HARMLESS or callee(op) in NUMPY.values() or (callee(op) in AHEAD and is_taken(op)):
            return
        case Call():
            found = refusal(op)
            yield name_of(callee(op)), "for " + ("it is too little for a kernel" if found is None else found.reason)
        case For() | While():
            yield f"a loop, line {op.span.line}", reasons.get(op.span.line, AROUND)
        case Raise():
            yield "an error that is raised", "for kernels raise none"
        case _:
            return


def reasons_by_line(watch: StageWatch) -> dict[int, str]:
    """Why each loop of what was about to be cut into kernels is none, by its line."""
    loops = [op for fn in watch.after("cut:numbers") for op in all_ops(fn.body) if isinstance(op, For | While)]
    loops.sort(key=lambda loop: refusal(loop) is not None)  # of several on one line, one with a reason of its own
    return {loop.span.line: because(loop) for loop in loops}


def because(loop: For | While) -> str:
    """Why `loop` stays in Python, if it does: what in it no kernel holds, and on which line."""
    found = refusal(loop)
    if found is None:
        return AROUND
    if isinstance(found.op, Call) and callee(found.op) not in STACKS:
        return f"around `{name_of(callee(found.op))}`, line {found.span.line}: {found.reason}"
    return f"around line {found.span.line}: {found.reason}"


def loops_left(fn: Function, engine: Engine) -> list[str]:
    """Of each loop of `fn`, which Python runs, whether `engine` could compile it; by line, as a derivative has several of one."""
    with watching() as watch:
        form = cut_into_kernels(fn, replace(engine, name="numba"))
    reasons = reasons_by_line(watch)
    left = {op.span.line for op in all_ops(form.function.body if form is not None else fn.body) if isinstance(op, For | While)}
    lines = sorted({op.span.line for op in all_ops(fn.body) if isinstance(op, For | While) and op.span.line})
    return [f"a loop, line {line}: {reasons.get(line, AROUND) if line in left else 'it could be compiled'}" for line in lines]
