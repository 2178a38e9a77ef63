"""Numbers of which nothing says any more whether they are whole, or Python's: a list keeps them as floats, beside floats.

What is computed from them has the value that Python finds where whole numbers and floats behave alike. The rest is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Value
from adxform.frontend.types.sampled_types import Types
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Object, Scalar
from adxform.primitives.facets import Gives
from adxform.primitives.table import meaning_of, spelled


def _is_whole_of_whole(fn: Callable[..., Any]) -> bool:
    """Whether `fn` makes a whole number of whole numbers, and of their values as floats its value as a float."""
    return meaning_of(fn).gives is Gives.SAME or fn is sum


def is_forgotten(var: Var) -> bool:
    """Whether `var` is such a number."""
    return isinstance(var.type, Scalar) and var.type.as_float


def may_be_whole(operand: Operand) -> bool:
    """Whether `operand` is such a number, and may be a whole one."""
    type_ = operand.type if isinstance(operand, Var) else None
    return isinstance(type_, Scalar) and type_.as_float and any(kind.dtype == "int64" for kind in type_.kinds)


def refuse(interp: Interpreter, given: Iterable[Var]) -> None:
    """Refuse such numbers where whole ones are something else than floats, as an index is."""
    if any(map(may_be_whole, given)):
        raise _refusal(interp)


def refuse_class(interp: Interpreter, given: Iterable[Value]) -> None:
    """Refuse such numbers where their class is asked for."""
    if any(isinstance(value, Var) and is_forgotten(value) for value in given):
        raise _refusal(interp)


def type_of_result(
    interp: Interpreter, fn: Callable[..., Any], operands: tuple[Operand, ...], whole: Types, *, one: bool
) -> Types:
    """The type of what `fn` makes of such numbers, which is `whole`; `one`: that of whole numbers and of floats alike.

    Raises:
        UnsupportedOperationError: it is another value for whole numbers than for floats.
    """
    power = (
        spelled(fn) is operator.pow and isinstance(operands[1], Lit) and type(operands[1].value) is int and operands[1].value >= 0
    )
    if spelled(fn) is operator.pow and not power and may_be_whole(operands[0]):
        raise _refusal(interp)  # a whole number below zero to such a power is complex, a float of NumPy's is NaN
    if one and not (isinstance(whole, Object) and any(map(may_be_whole, operands))):
        return whole
    if isinstance(whole, Scalar):
        dtypes = {kind.dtype for kind in alternatives(whole)}
        if dtypes in ({"float64"}, {"bool"}):
            return replace(whole, as_float=False)
        if dtypes == {"int64", "float64"} and (_is_whole_of_whole(fn) or power):
            return replace(whole, as_float=True)
    raise _refusal(interp)


def require_fractions(interp: Interpreter, rows: Mapping[Ref, Var]) -> None:
    """Let the run raise where an array is made of a list, kept in `rows`, and all its numbers are whole: of integers, maybe."""
    for ref, items in rows.items():
        filled = interp.filled(ref)
        if filled is None or all(kind.dtype != "int64" for kind in filled.kinds):
            continue
        differ = interp.call(Lit(np.any), (interp.call(Lit(operator.ne), (items, interp.call(Lit(np.floor), (items,)))),))
        empty = interp.call(Lit(operator.eq), (interp.call(Lit(np.size), (items,)), Lit(0)))
        interp.require(interp.operand(interp.call(Lit(operator.or_), (differ, empty))), runtime.whole_items)


def _refusal(interp: Interpreter) -> AdxError:
    return interp.error(
        "of which class this number is cannot be told: it comes from a list in which numbers of several are kept as floats",
        "put floats of one kind into the list, `0.0` for `0`, or convert the number: `float(…)`, or `int(…)`",
    )
