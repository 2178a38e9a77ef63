"""What handlers ask of exceptions, of which only the run knows more than the class."""

from __future__ import annotations

from typing import Any

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
from adxform.ir import intrinsics
from adxform.ir.types import BOOL, Object

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def _is_handled(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether a handler is for an exception."""
    return interp.emit(runtime.is_caught, [given_to_unknown(interp, arg) for arg in args], BOOL, "handled")


def _raised_from(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.emit(runtime.raised_from, [given_to_unknown(interp, arg) for arg in args], Object(), "error")


TABLE: dict[Any, Handler] = {intrinsics.is_handled: _is_handled, intrinsics.raised_from: _raised_from}
