"""Eigenvalues of real matrices and roots, of which only a run can tell whether they are real, and what may be asked of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object, is_float
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
        found = interp.of_run.followed.get(args[0]) if len(args) == 1 and isinstance(args[0], Var) and not kwargs else None
        return interp.call(Lit(fn), (found,), hint=hint) if isinstance(found, Var) else None

    return handler


TABLE: Mapping[Any, Handler] = {
    **{fn: _of_real(fn, definition, rank) for fn, (definition, rank) in real_spectra.FOLLOWED.items()},
    **{fn: _followed(fn) for fn in real_spectra.READ},
}
