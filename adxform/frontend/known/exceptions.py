"""What handlers ask of exceptions, of which only the run knows more than the class."""

from __future__ import annotations

from typing import Any

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow.attempts import classes_in
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.state import Interpreter
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Object
from adxform.primitives.raising import ANY


def _is_handled(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether a handler is for an exception."""
    error, wanted = args
    classes = classes_in(wanted)
    if isinstance(error, Var) and error in interp.of_run.made and ANY[0] not in classes:
        return Lit(any(cls in interp.of_run.made[error].__mro__ for cls in classes))
    return interp.emit(runtime.is_caught, [given_to_unknown(interp, arg) for arg in args], BOOL, "handled")


def _raised_from(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.emit(runtime.raised_from, [given_to_unknown(interp, arg) for arg in args], Object(), "error")


TABLE: dict[Any, Handler] = {intrinsics.is_handled: _is_handled, intrinsics.raised_from: _raised_from}
