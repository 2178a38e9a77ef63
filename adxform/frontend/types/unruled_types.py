"""The type of what a function of NumPy or SciPy returns that has no rule: told by samples, and checked when it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.types.samples import FRESH, NoSample, sampled_type
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Array, Scalar

_MODULES = (
    "numpy", "numpy.polynomial", "numpy.lib", "scipy.linalg", "scipy.signal", "scipy.special", "scipy.interpolate",
    "scipy.ndimage", "scipy.spatial", "scipy.fft", "scipy.fftpack",
)  # fmt: skip
_NOT_PURE = ("save", "load", "from", "gen", "set", "get", "put", "place", "copyto", "fill", "info", "show", "test", "memmap",
             "open", "print", "random", "empty", "in1d", "may_", "shares_", "nditer", "nested")  # fmt: skip
"""How functions begin that read or write files, change their arguments or settings, or return what was there before."""
_BY_VALUE = (
    "root",
    "eig",
    "sqrt",
    "logm",
    "powm",
    "common_type",
    "find",
    "peaks",
    "unique",
    "trim",
    "mat",
    "schur",
    "real_if_close",
    "log",
    "arccos",
    "arcsin",
    "arctanh",
    "power",
    "factorial",
    "lambertw",
)
"""What is in the names of functions of which the kind of a result depends on the numbers that they are given."""


@dataclass(frozen=True, slots=True)
class _Apart:
    """The function `fn` for samples: what is a view of an argument there is told by none."""

    fn: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `fn` returns."""
        found = self.fn(*args, **kwargs)
        given = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, np.ndarray)]
        if isinstance(found, np.ndarray) and any(np.may_share_memory(found, arg) for arg in given):
            raise NoSample("it returns a view of its argument")
        return found


def known_array(
    interp: Interpreter, fn: Callable[..., Any], out: Var, operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Var:
    """`out`, what `fn` returned, as an array of the dtype and rank that samples have, or as it is."""
    given = (*operands, *named.values())
    if not _is_pure(fn) or not all(map(_is_plain, given)):
        return out
    try:
        found = sampled_type(_Apart(fn), operands, named, interp.sizes)
    except NoSample:
        return out
    if not isinstance(found, Array) or not found.shape or np.dtype(found.dtype).kind not in "biuf":
        return out
    arrays = tuple(arg for arg in given if isinstance(arg, Var) and isinstance(arg.type, Array))
    type_ = Array(found.dtype, (FRESH,) * len(found.shape))
    return interp.emit(runtime.of_kind, (out, Lit(found.dtype), Lit(len(found.shape)), *arrays), type_, out.base)


def _is_pure(fn: Callable[..., Any]) -> bool:
    """Whether `fn` may be tried on samples: it only computes."""
    module, name = written_in(fn), getattr(fn, "__name__", "")
    within = module == "numpy" or any(module == one or module.startswith(one + ".") for one in _MODULES[1:])
    return within and not isinstance(fn, type) and not name.startswith(_NOT_PURE) and not any(part in name for part in _BY_VALUE)


def _is_plain(arg: Operand) -> bool:
    """Whether an argument is a number, an array, a text, or a sequence of those."""
    match arg:
        case Var(_, Array(_, shape)):
            return shape is not None
        case Var(_, type_):
            return isinstance(type_, Scalar)
        case Pack(kind, items):
            return kind in ("tuple", "list") and all(map(_is_plain, items))
        case Lit(value):
            return isinstance(value, bool | int | float | str | tuple | np.generic | type(None))
