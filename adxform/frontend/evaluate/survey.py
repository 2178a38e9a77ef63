"""Further refusals after the first: what a refused op would have given is lost, and so is what is made of that, without a word.

A specialisation that is refused is run once more to find them. Whatever goes wrong then ends it: the first refusal stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from adxform.errors import AdxError
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.signals import Lost
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import LOST, Method, Ref, Tuple, Value
from adxform.ir.ops import Call, Op, Var
from adxform.ir.walk import outs, reads


def run_op(interp: Interpreter, op: Op, env: dict[Var, Value], run: Callable[[], None]) -> None:
    """Let `run` run `op`; if it is refused, or follows from what is, its outs are lost, and what it may have changed."""
    builder, heap, frames = interp.builder, interp.heap, len(interp.frames)
    try:
        run()
    # Python's own errors are the ones that end a first look with "adxform cannot follow this", and here, too, they may be the
    # program's: `x[:"a"]` is a TypeError of `operator.index`. The op that the first look ended at raises its own again. Others
    # come of ops that are missing: LOST among the items of a list is no value of a class that is looked for, and a function whose
    # body lost an op has other results than its callers count on. Which of these one is, nothing tells where it is caught: what
    # was lost may be behind a Ref or in the body of another function. So none is reported, and none ends the look.
    except (AdxError, Lost, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        if interp.refused is None:
            raise
        interp.refused += [error] if isinstance(error, AdxError) and error.span.line else []
        interp.builder, interp.heap = builder, heap
        del interp.frames[frames:]
        if isinstance(op, Call):
            for var in reads(op):
                _lose(interp, env.get(var))
        env.update(dict.fromkeys(outs(op), LOST))


def _lose(interp: Interpreter, value: Value | None) -> None:
    match value:
        case Ref() if value in interp.heap.contents:
            interp.heap.contents[value] = LOST
        case Method():
            for part in parts_of(value):
                _lose(interp, part)
        case Tuple(items):
            for item in items:
                _lose(interp, item)
        case _:
            return


@contextmanager
def one_way(interp: Interpreter) -> Iterator[None]:
    """While one of several ways is tried to run something: a refusal ends it, as the next may do."""
    refused, interp.refused = interp.refused, None
    try:
        yield
    finally:
        interp.refused = refused
