"""Numbers of which only a run can tell the kind: what a variable may be where paths meet, and the type that stands for all of it.

While a function is specialised, the type of such a variable lists what it may be, so that what follows is inferred for each. What
is written afterwards has the one type that loses nothing, a Python number where all of them are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.ir.ops import Function, Var
from adxform.ir.types import BOOL, FLOAT, INT, Scalar, Type
from adxform.ir.walk import defined_variables, rename_block

_PYTHON: dict[str, Any] = {"bool": False, "int64": 0, "float64": np.float64, "complex128": np.complex128}
_PLAIN = {float: FLOAT, int: INT, bool: BOOL, complex: Scalar("complex128", weak=True)}
_RANKS = tuple(_PYTHON)


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The name of `dtype` in types: as NumPy's, but ``longdouble`` and ``clongdouble`` on every platform."""
    if np.longdouble == np.float64:
        return dtype.name
    return {np.dtype(np.longdouble): "longdouble", np.dtype(np.clongdouble): "clongdouble"}.get(dtype, dtype.name)


def scalar_type(value: Any) -> Scalar | None:
    """The type of a number; ``None`` for anything else, a number of a subclass included."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain
    if isinstance(value, np.generic) and type(value).__module__ == "numpy":
        return Scalar(dtype_name(value.dtype)) if value.dtype.kind in "biufc" else None
    return None


def alternatives(type_: Scalar) -> tuple[Scalar, ...]:
    """What a number of `type_` may be."""
    return type_.kinds or (type_,)


def one_of(types: Iterable[Scalar]) -> Scalar:
    """The type of a number of one of `types`.

    >>> found = one_of([Scalar("int64", weak=True), Scalar("float32")])
    >>> found.dtype, found.weak, len(found.kinds)
    ('float32', False, 2)
    """
    given = tuple(types)
    kinds = tuple(sorted({kind for type_ in given for kind in alternatives(type_)}, key=lambda kind: (kind.dtype, kind.weak)))
    if len(kinds) == 1:
        return kinds[0]
    as_float = any(type_.as_float for type_ in given)
    if all(kind.weak for kind in kinds):
        return Scalar(max((kind.dtype for kind in kinds), key=_RANKS.index), True, kinds, as_float)
    # A Python float is one of double precision: next to single precision it would lose digits, were it a weak one here.
    samples = [_PYTHON[kind.dtype] if kind.weak else np.dtype(kind.dtype) for kind in kinds]
    dtype = dtype_name(np.result_type(*samples))
    if dtype == "float64" and any(kind.dtype in ("float16", "float32") for kind in kinds):
        dtype = dtype_name(np.dtype(np.longdouble))  # no kernel holds it: there it would be a float64 on every path
    return Scalar(dtype, False, kinds, as_float)


def one_array_holds(type_: Scalar) -> bool:
    """Whether an array gives back every number of `type_` as the number that it was, if not of the class that it had.

    >>> one_array_holds(one_of([INT, FLOAT])), one_array_holds(one_of([FLOAT, Scalar("float64")]))
    (True, True)
    >>> one_array_holds(one_of([INT, Scalar("int64")])), one_array_holds(one_of([FLOAT, Scalar("float32")]))
    (False, False)
    """
    kinds = alternatives(type_)
    names = {kind.dtype for kind in kinds}
    if len(names) == 1:
        # An integer of NumPy's wraps around, and one of Python's does not; the sum of NumPy's truth values is one of them.
        return len(kinds) == 1 or names <= {"float64", "complex128"}
    return names == {"int64", "float64"} and all(kind.weak for kind in kinds if kind.dtype == "int64")


def settled_type(type_: Type) -> Type:
    """`type_` as it stands for all that it may be."""
    return replace(type_, kinds=(), as_float=False, merged=type_.kinds) if isinstance(type_, Scalar) and type_.kinds else type_


def plain_slopes(derived: Function, fn: Function) -> Function:
    """`derived` from `fn`, with tangents and cotangents that are floats, whatever the numbers may be that they belong to.

    What is called as a variable of `fn` is that, or what it is where a part of `fn` runs again.
    """
    known = [var for part in (fn, *fn.helpers) for var in defined_variables(part.body)]
    if not any(is_merged(var.type) for var in known):
        return derived
    own = {var.base for var in known}

    def plain(var: Var) -> Var:
        if not isinstance(var.type, Scalar) or not var.type.merged or var.base in own:
            return var
        return replace(var, type=replace(var.type, merged=()))

    return replace(
        derived,
        body=rename_block(derived.body, {}, plain),
        helpers=tuple(replace(one, body=rename_block(one.body, {}, plain)) for one in derived.helpers),
    )


def is_merged(type_: Type) -> bool:
    """Whether a run may have a number of another kind than `type_` says, of which ``x * 1.0`` makes one that it says."""
    return isinstance(type_, Scalar) and bool(type_.merged)


def settle(fn: Function) -> Function:
    """`fn` with one type for each variable that may be of several kinds."""

    def settled(var: Var) -> Var:
        return replace(var, type=settled_type(var.type)) if isinstance(var.type, Scalar) and var.type.kinds else var

    several = any(isinstance(var.type, Scalar) and var.type.kinds for var in defined_variables(fn.body))
    body = rename_block(fn.body, {}, settled) if several else fn.body
    return replace(fn, body=body, helpers=tuple(map(settle, fn.helpers)))
