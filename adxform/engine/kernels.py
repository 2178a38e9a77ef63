"""Compiling kernels with Numba. Imported when a first rule is compiled, for that takes a while: see `adxform.engine.compiled`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

from adxform.engine import scalars

F = TypeVar("F", bound=Callable[..., Any])

for _form in (*scalars.FORMS.values(), *scalars.CHECKS):
    register_jitable(_form)


def kernel(fn: F) -> F:
    """`fn` compiled to machine code at its first call with arguments of a kind. It does not hold the interpreter's lock."""
    compiled: Any = numba.njit(error_model="numpy", nogil=True)(fn)
    return compiled  # type: ignore[no-any-return]
