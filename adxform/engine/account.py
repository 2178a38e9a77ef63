"""What the engine makes of a rule, in words: the kernels, what is gathered in them, and what stays in Python and why."""

from __future__ import annotations

from collections.abc import Iterator

from adxform.backend.syntax import callee
from adxform.engine.compiled import HARMLESS, compiled_form, is_repeatable
from adxform.engine.gather import gathered
from adxform.engine.outline import NUMPY
from adxform.engine.results import AHEAD
from adxform.engine.support import DTYPES, is_held, is_taken
from adxform.ir.ops import Call, For, Function, Op, Raise, While
from adxform.ir.types import Array, Object, Scalar, Stack, Type
from adxform.ir.walk import all_ops, outs, reads
from adxform.operators import Engine
from adxform.passes.driver import watching
from adxform.rules.declare import name_of


def account(fn: Function, engine: Engine) -> list[str]:
    """What `engine` compiles of `fn`, optimised typed IR."""
    if not is_repeatable(fn):
        return ["nothing is compiled: it calls functions that may do anything, which must not be called twice"]
    with watching() as watch:
        form = compiled_form(fn, engine)
    if form is None:
        return ["nothing is compiled: there are no loops or array expressions that Numba can take"]
    count = len(form.kernels)
    lines = [f"compiled: {count} kernel{'s' * (count != 1)}"]
    if engine.fastmath and (found := [name for loops in watch.after("loops:loops") for name in gathered(loops)]):
        lines.append(f"gathered instead of scattered: {listed(found)}")
    left: dict[str, dict[str, None]] = {}
    for op in all_ops(form.function.body):
        for name, reason in remaining(op, form.kernels):
            left.setdefault(reason, {})[name] = None
    return lines + [f"in Python, {reason}: {listed(list(names))}" for reason, names in left.items()]


def remaining(op: Op, kernels: object) -> Iterator[tuple[str, str]]:
    """What `op`, outside of kernels, is called, and why no kernel holds it; nothing for what there is around any kernel."""
    match op:
        case Call() if callee(op) in HARMLESS or callee(op) in NUMPY.values() or (callee(op) in AHEAD and is_taken(op)):
            return
        case Call():
            odd = next((type_ for type_ in types_of(op) if not is_held(type_)), None)
            yield name_of(callee(op)), "for " + ("kernels have no form of it" if odd is None else held_not(odd))
        case For() | While():
            yield f"a loop, line {op.span.line}", "around the rest"
        case Raise():
            yield "an error that is raised", "for kernels raise none"
        case _:
            return


def types_of(op: Op) -> Iterator[Type]:
    """The types of what `op` takes and makes."""
    yield from (var.type for var in (*reads(op), *outs(op)))


def held_not(type_: Type) -> str:
    """Why no kernel holds a value of `type_`."""
    match type_:
        case Scalar(dtype) | Array(dtype) if dtype not in DTYPES:
            return f"no kernel holds {dtype}"
        case Array():
            return "the rank of an array is not known, or zero"
        case Stack():
            return "it uses a list"
        case Object() | _:
            return "no kernel holds objects"


def listed(names: list[str]) -> str:
    """`names` in a sentence; the number of the rest after eight.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(names) > 9:
        names = [*names[:8], f"{len(names) - 8} more"]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
