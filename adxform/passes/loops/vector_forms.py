"""Which functions have a form that runs for several numbers at once in a compiled loop: those that cost most there."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

FORMS = (
    *("exp", "exp2", "expm1", "expit", "log", "log2", "log10", "log1p", "sin", "cos", "tan"),
    *("arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
    *("power", "hypot", "cbrt", "erf", "erfc", "ndtr", "logaddexp", "logaddexp2"),
)
"""The names of the forms: those of NumPy's functions, or of SciPy's."""
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


def _known() -> dict[Callable[..., Any], str]:
    known: dict[Callable[..., Any], str] = {getattr(np, name): name for name in FORMS if hasattr(np, name)}
    known |= {getattr(math, name): name for name in FORMS if hasattr(math, name)}
    known |= {getattr(math, name): own for name, own in _IN_MATH.items()}
    return known | {np.float_power: "power"}


VECTOR_FORMS: Mapping[Callable[..., Any], str] = MappingProxyType(_known())
"""The functions of NumPy and `math` that have a form, with its name."""


def has_vector_form(function: Callable[..., Any] | None) -> bool:
    """Whether there is a form of a function."""
    return form_name(function) is not None


def form_name(function: Callable[..., Any] | None) -> str | None:
    """The name of the form of a function, of NumPy, `math` or SciPy; None if it has none."""
    found = VECTOR_FORMS.get(function) if function is not None else None
    special = sys.modules.get("scipy.special")
    if found is None and special is not None:
        found = next((name for name in _IN_SPECIAL if getattr(special, name, None) is function), None)
    return found
