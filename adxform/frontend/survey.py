"""Further refusals after the first: what a refused op would have given is lost, and so is what is made of that, without a word.

A specialisation that is refused is run once more to find them. Whatever goes wrong then ends it: the first refusal stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adxform.errors import AdxError
from adxform.frontend.signals import Lost
from adxform.frontend.values import LOST, Method, Ref, Tuple, Value
from adxform.ir.ops import Call, Op, Var
from adxform.ir.walk import outs, reads

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter


def run_op(interp: Interpreter, op: Op, env: dict[Var, Value], run: Callable[[], None]) -> None:
    """Let `run` run `op`; if it is refused, or follows from what is, its outs are lost, and what it may have changed."""
    builder, heap, frames = interp.builder, interp.heap, len(interp.frames)
    try:
        run()
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
            interp.heap.contents[value] = LOST  # type: ignore[assignment]
        case Method(_, bound):
            for part in bound:
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
