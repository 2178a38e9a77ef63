"""Eigenvalues of real matrices and roots, of which only a run can tell whether they are real, and what may be asked of both."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object, is_float, rank
from adxform.primitives.definitions import real_spectra

Args = tuple[Value, ...]


def _of_real(fn: Callable[..., Any], definition: Callable[..., Any], rank: int) -> Handler:
    """What `fn` gives of a real array with so many axes, followed as `definition` says; all else is left to the rule table."""

    def handler(interp: Interpreter, args: Args, kwargs: dict[str, Value], hint: str) -> Answer:
        shown = len(args) == 1 and isinstance(args[0], Tuple | Ref) and not kwargs
        match (interp.call(Lit(np.asarray), args),) if shown else args:
            case (Var(_, Array(_, tuple() as shape) as type_) as given,) if len(shape) == rank and is_float(type_) and not kwargs:
                out = interp.emit(fn, (given,), Object(), hint)
                interp.of_run.unruled[out] = (fn, interp.span)
                interp.of_run.followed[out] = interp.call(Lit(definition), (given,), hint=hint)
                return out
            case _:
                return None

    return handler


def _followed(fn: Callable[..., Any]) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: dict[str, Value], hint: str) -> Answer:
        followed = interp.of_run.followed
        if not any(isinstance(arg, Var) and arg in followed for arg in args):
            return None
        given = [followed.get(arg, arg) if isinstance(arg, Var) else arg for arg in args]
        return interp.call(Lit(fn), given, kwargs, hint=hint)

    return handler


def _rounded(fn: Callable[..., Any], *, above_zero: bool = False) -> Handler:
    """What `fn` gives, of the kind that the run knows; followed as complex numbers whose values are those.

    What is a number `above_zero` alone, if it is real, has NaN for a derivative where it is NaN, whatever it is of complex ones.
    """

    def handler(interp: Interpreter, args: Args, kwargs: dict[str, Value], hint: str) -> Answer:
        found = _followed(fn)(interp, args, kwargs, hint)
        if not isinstance(found, Var) or rank(found.type) is None:
            return found
        named = {name: interp.operand(value) for name, value in kwargs.items()}
        own = interp.emit(fn, tuple(map(interp.operand, args)), Object(), hint, named)
        interp.of_run.unruled[own] = (fn, interp.span)
        value = interp.emit(runtime.as_complex, (own,), found.type, hint)
        if above_zero:
            missing = interp.call(Lit(np.isnan), (value,))
            found = interp.call(
                Lit(operator.mul), (found, interp.call(Lit(np.where), (missing, Lit(np.nan), Lit(1.0)))), hint=hint
            )
        interp.of_run.followed[own] = interp.call(Lit(intrinsics.valued), (value, found), hint=hint)
        return own

    return handler


def _in_order(interp: Interpreter, args: Args, kwargs: dict[str, Value], hint: str) -> Answer:
    """The places of numbers in their order, as the run has it where some are equal."""
    found = _followed(real_spectra.ORDERED)(interp, args, kwargs, hint)
    if not isinstance(found, Var) or not isinstance(found.type, Array) or found.type.shape is None:
        return found
    given = tuple(map(interp.operand, args)), {name: interp.operand(value) for name, value in kwargs.items()}
    own = interp.emit(real_spectra.ORDERED, given[0], Object(), hint, given[1])
    return interp.emit(runtime.of_kind, (own, Lit(found.type.dtype), Lit(len(found.type.shape))), found.type, hint)


TABLE: Mapping[Any, Handler] = {
    **{fn: _of_real(fn, definition, rank) for fn, (definition, rank) in real_spectra.FOLLOWED.items()},
    **{fn: _followed(fn) for fn in real_spectra.READ},
    real_spectra.ORDERED: _in_order,
    **{fn: _rounded(fn) for fn in real_spectra.ROUNDED},
    **{fn: _rounded(fn, above_zero=True) for fn in real_spectra.ABOVE_ZERO},
}
