"""Which form stands for which function of NumPy, `math` and SciPy; Numba is imported when a form is first asked for."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.backends.numba.importing import needing_numba

PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class FormLocation:
    """Where a form is: a module of this package, and its name there."""

    module: str
    name: str

    def load(self) -> Any:
        """Return the compiled function of one or two numbers, float64 or, if all are, float32.

        Raises MissingExtraError where Numba is not installed, or cannot be imported.
        """
        return getattr(needing_numba(f"{PACKAGE}.{self.module}"), self.name)


_MODULES = {
    "exponentials": ("exp", "exp2", "expm1", "expit"),
    "logarithms": ("log", "log2", "log10", "log1p"),
    "circular": ("sin", "cos", "tan"),
    "inverse_circular": ("arcsin", "arccos", "arctan", "arctan2"),
    "hyperbolic": ("sinh", "cosh", "tanh"),
    "inverse_hyperbolic": ("arcsinh", "arccosh", "arctanh"),
    "powers": ("power", "hypot", "cbrt"),
    "gaussian": ("erf", "erfc", "ndtr"),
    "log_sums": ("logaddexp", "logaddexp2"),
}
DIVIDED = FormLocation("quotients", "divided")
"""What stands for a division where a loop has one divisor: no function of NumPy's."""
FORMS = {name: FormLocation(module, name) for module, names in _MODULES.items() for name in names}
QUICK_ALONE = frozenset({"sinh", "tanh", "arcsinh"})
"""Forms that are quicker than the C library (glibc 2.36) where each number waits for the one before; others take up to three
times as long as it, which branches and looks up tables."""
_IN_MATH = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "pow": "power",
}
_IN_SPECIAL = ("expit", "erf", "erfc", "ndtr", "exp2", "expm1", "log1p", "cbrt")


def _known() -> dict[Callable[..., Any], FormLocation]:
    known: dict[Callable[..., Any], FormLocation] = {getattr(np, name): form for name, form in FORMS.items() if hasattr(np, name)}
    known |= {getattr(math, name): form for name, form in FORMS.items() if hasattr(math, name)}
    known |= {getattr(math, name): FORMS[own] for name, own in _IN_MATH.items()}
    return known | {np.float_power: FORMS["power"]}


VECTOR_FORMS: Mapping[Callable[..., Any], FormLocation] = MappingProxyType(_known())


def has_vector_form(function: Callable[..., Any] | None) -> bool:
    """Whether there is a form of a function."""
    return _form(function) is not None


def vector_form(function: Callable[..., Any], *, in_lanes: bool = True) -> Any | None:
    """Return the form of a function, to be called in a loop that Numba compiles; None if it has none.

    Forms have NumPy's values for zeros, infinities and NaN, also those that stand for functions of `math`, and never raise.
    Where no loop runs `in_lanes`, only those are found that are quicker than the function itself.

    Raises MissingExtraError where Numba is not installed, or cannot be imported.
    """
    found = _form(function)
    return None if found is None or not (in_lanes or found.name in QUICK_ALONE) else found.load()


def _form(function: Callable[..., Any] | None) -> FormLocation | None:
    found = VECTOR_FORMS.get(function) if function is not None else None
    special = sys.modules.get("scipy.special")
    if found is None and special is not None:
        found = next((FORMS[name] for name in _IN_SPECIAL if getattr(special, name, None) is function), None)
    return found
