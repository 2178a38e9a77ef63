"""Tracebacks for users: their frames and the error. What adxform did in between is left out, unless ``ADXFORM_TRACEBACK=full``.

Source: the idea of filtering at the functions that users call is JAX's (`jax_traceback_filtering`).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import ParamSpec, TypeVar

from adxform.errors import AdxError
from adxform.frontend.derivative_operators import stands_before
from adxform.ir.spans import is_own
from adxform.runtime.defects import as_defect

P = ParamSpec("P")
R = TypeVar("R")


def for_users(fn: Callable[P, R]) -> Callable[P, R]:
    """`fn`, a function that users call: its errors show the frames of the user."""

    @functools.wraps(fn)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            defect = as_defect(error)
            shorten(error)
            if defect is not None:
                raise defect from error
            raise

    stands_before(call, fn)
    return call


def shorten(error: BaseException) -> None:
    """Leave adxform's frames out of the traceback of `error`, and of those of the errors that it followed."""
    if os.environ.get("ADXFORM_TRACEBACK", "").strip().lower() == "full":
        return
    for each in tuple(_chain(error)):
        each.__traceback__ = without_own(each.__traceback__)
        if isinstance(each, AdxError) and each.__cause__ is None:
            each.__suppress_context__ = True  # it says all that there is to say
            each.__context__ = None


def without_own(traceback: TracebackType | None) -> TracebackType | None:
    """`traceback` without the frames of adxform's own files; those of generated code stay."""
    kept = [step for step in _steps(traceback) if not is_own(step.tb_frame.f_code.co_filename)]
    shown: TracebackType | None = None
    for step in reversed(kept):
        shown = TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return shown


def _steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
