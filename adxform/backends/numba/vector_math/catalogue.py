"""Where the form that stands for a function is; Numba is imported when one is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adxform.backends.numba.importing import needing_numba
from adxform.passes.loops.vector_forms import form_name

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


def vector_form(function: Callable[..., Any], *, in_lanes: bool = True) -> Any | None:
    """Return the form of a function, to be called in a loop that Numba compiles; None if it has none.

    Forms have NumPy's values for zeros, infinities and NaN, also those that stand for functions of `math`, and never raise.
    Where no loop runs `in_lanes`, only those are found that are quicker than the function itself.

    Raises MissingExtraError where Numba is not installed, or cannot be imported.
    """
    name = form_name(function)
    return None if name is None or not (in_lanes or name in QUICK_ALONE) else FORMS[name].load()
