"""The type of what a function of NumPy or SciPy returns that has no rule: told by samples, and checked when it runs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple
from adxform.frontend.types.sampled_types import sampled_types
from adxform.frontend.types.samples import FRESH, NoSample
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Array, Object, Scalar, Several

_MODULES = (
    "numpy", "numpy.polynomial", "numpy.lib", "scipy.linalg", "scipy.signal", "scipy.special", "scipy.interpolate",
    "scipy.ndimage", "scipy.spatial", "scipy.fft", "scipy.fftpack",
)  # fmt: skip
_NOT_PURE = ("save", "load", "from", "gen", "set_", "seterr", "setbuf", "get", "put", "place", "copyto", "fill", "info", "show",
             "test", "memmap", "open", "print", "random", "empty", "in1d", "may_", "shares_", "nditer", "nested")  # fmt: skip
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
_BY_DTYPE = ("logspace",)
"""Functions with such a name of which the kind follows from the kinds of the numbers alone."""


@dataclass(frozen=True, slots=True)
class _Apart:
    """The function `fn` for samples: what is a view of an argument there is told by none."""

    fn: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `fn` returns."""
        found = self.fn(*args, **kwargs)
        apart = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, np.ndarray)]
        for item in found if isinstance(found, tuple) else (found,):
            if isinstance(item, np.ndarray) and any(np.may_share_memory(item, other) for other in apart):
                raise NoSample("it returns a view of its argument")
            apart.append(item)
        return found


def known_arrays(
    interp: Interpreter, fn: Callable[..., Any], out: Var, operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Var | Tuple:
    """`out`, what `fn` returned, as an array of the dtype and rank that samples have, or a tuple of such, or as it is."""
    given = (*operands, *named.values())
    if not _is_pure(fn) or not all(map(_is_plain, given)):
        return out
    try:
        found = sampled_types(_Apart(fn), operands, named, interp.integers.sizes)
    except NoSample:
        return out
    types = found.types if isinstance(found, Several) and found.cls is tuple else (found,)
    kinds = [(type_.dtype, len(type_.shape)) for type_ in types if isinstance(type_, Array) and type_.shape]
    if len(kinds) < len(types) or any(np.dtype(dtype).kind not in "biuf" for dtype, _ in kinds):
        return out
    arrays = tuple(arg for arg in given if isinstance(arg, Var) and isinstance(arg.type, Array))
    made = [Array(dtype, (FRESH,) * rank) for dtype, rank in kinds]
    if not isinstance(found, Several):
        return interp.emit(runtime.of_kind, (out, *map(Lit, kinds[0]), *arrays), made[0], out.base)
    whole = interp.emit(runtime.of_kinds, (out, Lit(tuple(kinds)), *arrays), Object(), "parts")
    return Tuple(tuple([interp.emit(operator.getitem, (whole, Lit(k)), type_, out.base) for k, type_ in enumerate(made)]))


def _is_pure(fn: Callable[..., Any]) -> bool:
    """Whether `fn` may be tried on samples: it only computes."""
    module, name = written_in(fn), getattr(fn, "__name__", "")
    within = module == "numpy" or any(module == one or module.startswith(one + ".") for one in _MODULES[1:])
    changes = name.startswith(_NOT_PURE) and not (module.startswith("scipy.signal") and name.startswith("get_"))
    by_value = name not in _BY_DTYPE and any(part in name for part in _BY_VALUE)
    return within and not isinstance(fn, type) and not changes and not by_value


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
