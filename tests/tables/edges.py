"""Every primitive at the edges of its domain: the value is the function's own, the gradient has the argument's shape and dtype.

The rule table is walked: each function that a program may call has its forms (`tests.tables.edge_forms`, or those of its kind),
or stands in `WITHOUT` with the reason. A cell is one form on one set of operands (`tests.tables.edge_operands`).
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.record import Memory
from adxform.primitives.table import TABLE
from tests.tables.cell import Cell, program
from tests.tables.edge_forms import FORMS as STATED
from tests.tables.edge_forms import WITHOUT, Form, collected
from tests.tables.edge_operands import OPERANDS, SMOOTH
from tests.tables.further_forms import FURTHER, FURTHER_WITHOUT

FORMS = collected(STATED.items(), FURTHER)
BINARY = frozenset({math.atan2, math.pow, math.copysign, math.fmod, math.remainder, math.isclose})
COMPLEX_VALUED = frozenset(
    fn
    for fn in vars(cmath).values()
    if callable(fn) and fn not in {cmath.phase, cmath.polar, cmath.isclose, cmath.isnan, cmath.isinf, cmath.isfinite}
)
UNARY_OPERATORS = frozenset({operator.neg, operator.pos, operator.abs, operator.not_})


def cells() -> Iterator[Cell]:
    """Each form of each primitive on each of its operands."""
    for fn in public():
        name = name_of(fn)
        for expression, kinds in forms(fn, name):
            names = compile(expression, "form", "eval").co_names
            header = f"def f({', '.join(operand for operand in 'xyz' if operand in names)}):\n"
            function = program(f"{header}    return {expression}\n", cmath=cmath, math=math, operator=operator)
            coarse = "float32" in expression or "float16" in expression  # differences tell little
            for kind in kinds.split():
                for label, args in OPERANDS[kind].items():
                    given = args[: function.__code__.co_argcount]
                    if fn in COMPLEX_VALUED and any(map(math.isinf, given)):
                        continue  # infinite or NaN there, as complex products are: docs/limitations.md
                    yield Cell(
                        f"{name}: {expression} of {kind} {label}",
                        function,
                        given,
                        smooth=label in SMOOTH and not coarse and not (kind == "number" and name.endswith("std")),  # zero
                    )


def public() -> Iterator[Callable[..., Any]]:
    """The functions of the rule table, and those with a meaning in terms of others, that a program may call."""
    for fn in dict.fromkeys((*TABLE, *DEFINITIONS)):
        record = TABLE.get(fn)
        ours = (getattr(fn, "__module__", "") or "").startswith("adxform") or name_of(fn).startswith("scipy.")  # it has its own
        if (
            not ours
            and not (record is not None and isinstance(record.derivative, Memory))
            and name_of(fn) not in (WITHOUT | FURTHER_WITHOUT)
        ):
            yield fn


def forms(fn: Callable[..., Any], name: str) -> tuple[Form, ...]:
    """The call forms of a function, with the kinds of operands that each is judged on.

    Raises:
        LookupError: none are stated.
    """
    if name in FORMS:
        return FORMS[name]
    module = getattr(fn, "__module__", "") or ""
    if isinstance(fn, np.ufunc) and fn.signature is None:
        if name.startswith(("np.bitwise", "np.invert", "np.left_shift", "np.right_shift", "np.gcd", "np.lcm")):
            return ((f"{name}({', '.join('xy'[: fn.nin])})", ("integers", "integer_pair")[fn.nin - 1]),)
        return ((f"{name}({', '.join('xy'[: fn.nin])})", ("number vector matrix", "pair broadcast")[fn.nin - 1]),)
    if module == "cmath":
        given = "complex(x, 0.25), complex(y, -0.5)" if fn is cmath.isclose else "x, y" if fn is cmath.rect else "complex(x, y)"
        parts = (".real", ".imag") if fn in COMPLEX_VALUED else ("",)
        return tuple((f"{name}({given}){part}", "numbers") for part in parts)
    if isinstance(fn, type) and issubclass(fn, np.complexfloating):
        return ((f"{name}(x)", "number vector matrix"), (f"{name}(x) * (1.0 - 2.0j)", "number vector"))
    if module.startswith("numpy.fft"):
        of_parts = "" if name.endswith(("rfft", "rfftn", "rfft2", "ihfft", "freq")) and "irfft" not in name else " * (1.0 - 2.0j)"
        several = name.endswith(("n", "2"))
        return ((f"{name}(x{of_parts})", "matrix" if several else "vector matrix"),)
    if module == "math":
        return ((f"{name}(x, y)", "numbers"),) if fn in BINARY else ((f"{name}(x)", "number"),)
    if module == "_operator":
        one = fn in UNARY_OPERATORS
        return ((f"{name}(x)", "number vector matrix"),) if one else ((f"{name}(x, y)", "pair broadcast numbers"),)
    raise LookupError(f"no form is stated for {name}")
