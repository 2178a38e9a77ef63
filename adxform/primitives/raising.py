"""Which exceptions an op may raise at run time: what decides on where the body of a ``try`` may be left."""

from __future__ import annotations

import inspect
import itertools
import operator
import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Array, Dim, Object, Scalar, Size
from adxform.ir.walk import variables_of
from adxform.primitives.effects import effect_of
from adxform.primitives.record import Partials, Primitive
from adxform.primitives.table import lookup

Classes = tuple[type[BaseException], ...]
ANY: Classes = (BaseException,)
NONE: Classes = ()

_NEVER = (
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, abs, operator.not_, operator.truth),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.is_, operator.is_not),
    *(bool, float, complex, len, np.shape, np.ndim, np.size, intrinsics.dim, intrinsics.stop_gradient, intrinsics.valued),
    *(operator.and_, operator.or_, operator.xor, operator.invert, min, max),
    *(np.zeros_like, np.ones_like, np.empty_like, np.copy, np.ndarray.copy, np.transpose, np.ravel, np.ndarray.ravel),
    *(runtime.left, runtime.entered, runtime.trip_count, runtime.from_front, intrinsics.turning_point),
    *(runtime.is_caught, runtime.instance),
)
"""Functions that do not raise, given numbers and arrays whose lengths fit."""

OF_OBJECTS = (np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_xor, np.logical_not)
"""Elementwise functions that take ``None`` as any object; others raise."""

_CONVERTING = (int, float, complex, abs, round, divmod, pow, len, iter, next, sum, max, min, sorted, any, all)
_OF_CONTAINERS = (operator.getitem, operator.setitem, operator.delitem)

_DIVIDING = (operator.truediv, operator.floordiv, operator.mod, divmod)
_STORING = (operator.setitem, intrinsics.accumulate, intrinsics.deduct)
_TOTALS = frozenset(("sum", "prod", "mean", "var", "std", "any", "all", "count_nonzero"))


def refuses_none(fn: Any, place: int) -> bool:
    """Whether a call of `fn` with ``None`` for the argument at `place` raises a `TypeError`, whatever the others are."""
    if isinstance(fn, np.ufunc):
        return fn not in OF_OBJECTS
    if fn in _CONVERTING or fn in _OF_CONTAINERS:
        return fn in _CONVERTING or place == 0
    return getattr(fn, "__module__", None) in ("math", "cmath", "_operator")


def may_raise(op: Call, floats: bool, within: Mapping[Var, Size]) -> Classes:
    """The classes of what `op` may raise, `ANY` where they are not known.

    `floats`: floating point errors of NumPy raise. `within`: below which length, and not negative, an integer is.
    """
    fn = callee(op)
    if fn is runtime.set_outside or fn is runtime.kept_outside:
        return NONE if _holds(op.args[0], op.args[1]) else ANY
    if _only_notes(fn, op):
        return NONE
    record = lookup(fn)
    given = (*op.args, *(value for _, value in op.kwargs))
    if record is None or effect_of(op).opaque or any(isinstance(var.type, Object) for var in variables_of(given)):
        return NONE if fn in (operator.is_, operator.is_not, runtime.is_caught) else ANY
    if fn is operator.getitem or fn in _STORING:
        missed = NONE if _is_inside(op.args[0], op.args[1], within) else (IndexError,)
        return missed if fn is operator.getitem or _is_one_number(op.args[2]) else (*missed, ValueError)
    return _of_numbers(fn, record, op, given) + ((FloatingPointError,) if floats else NONE)


def _only_notes(fn: Any, op: Call) -> bool:
    """Whether `op` makes an exception or an object, says where the run is, or adds to a list outside: none of these raises."""
    if isinstance(fn, type) and issubclass(fn, BaseException):
        return not _is_initialised(fn)
    if fn is runtime.change_outside:
        return op.args[1] in _GROWING
    return fn is runtime.left or fn is runtime.entered or fn is runtime.instance


def _is_one_number(operand: Operand) -> bool:
    return isinstance(operand, Lit) or isinstance(getattr(operand, "type", None), Scalar)


_GROWING = (Lit("append"), Lit("clear"), Lit("reverse"))
"""Methods of lists and dicts that never raise."""


def _holds(owner: Operand, name: Operand) -> bool:
    """Whether an object from outside has the attribute `name` itself, or may: it is set without an error."""
    if not isinstance(owner, Lit) or not isinstance(name, Lit):
        return False
    found = inspect.getattr_static(type(owner.value), name.value, None)
    if isinstance(owner.value, types.ModuleType) or isinstance(found, types.MemberDescriptorType):
        return True
    return hasattr(owner.value, "__dict__") and not isinstance(owner.value, type) and not hasattr(type(found), "__set__")


def _is_initialised(cls: type[BaseException]) -> bool:
    """Whether making an exception of `cls` runs code of the program's."""
    return any(isinstance(getattr(cls, name), types.FunctionType) for name in ("__new__", "__init__"))


def _of_numbers(fn: Any, record: Primitive, op: Call, given: tuple[Operand, ...]) -> Classes:
    """What a function of numbers and arrays may raise."""
    pythons = not any(isinstance(getattr(one, "type", None), Array) or _is_numpys(one) for one in given)
    if pythons and (raised := _of_pythons(fn, given)) is not None:
        return raised
    if getattr(fn, "__module__", "") == "math":
        return (ValueError, OverflowError)
    never = fn in _NEVER and all(map(_is_number, given))
    if never or isinstance(fn, np.ufunc) or (isinstance(record.derivative, Partials) and not pythons) or fn in _DIVIDING:
        return NONE if _fit(given) else (ValueError,)
    if len(op.args) == 1 and not op.kwargs and getattr(fn, "__name__", "") in _TOTALS:
        return NONE
    if record.fresh is not None and all(isinstance(one, Lit) for one in given):
        return NONE
    if written_in(fn).partition(".")[0] != "numpy":
        return ANY
    return (ValueError, TypeError, IndexError, np.exceptions.AxisError, np.linalg.LinAlgError)[: 5 if _is_algebra(fn) else 4]


def _of_pythons(fn: Any, given: tuple[Operand, ...]) -> Classes | None:
    """What arithmetic of Python's own numbers may raise; ``None`` of other functions."""
    if fn in _NEVER and all(map(_is_number, given)):
        return NONE
    if fn in _DIVIDING:
        return NONE if isinstance(given[1], Lit) and given[1].value else (ZeroDivisionError,)
    return (OverflowError, ZeroDivisionError) if fn is operator.pow else None


def _is_algebra(fn: Any) -> bool:
    return "linalg" in written_in(fn)


def _is_number(operand: Operand) -> bool:
    """Whether `operand` is a real number, or an array of those."""
    if isinstance(operand, Lit):
        return isinstance(operand.value, bool | int | float | np.bool_ | np.integer | np.floating)
    return isinstance(operand, Var) and isinstance(operand.type, Scalar | Array) and operand.type.dtype not in _OTHERS


_OTHERS = frozenset(("object", "complex64", "complex128", "clongdouble"))


def _is_numpys(operand: Operand) -> bool:
    if isinstance(operand, Var):
        return isinstance(operand.type, Scalar) and not operand.type.weak
    return isinstance(operand, Lit) and isinstance(operand.value, np.generic | np.ndarray)


def _fit(given: Iterable[Operand]) -> bool:
    """Whether the lengths of arrays are known to fit."""
    shapes = set()
    for one in given:
        if isinstance(one, Pack):
            return False
        type_ = getattr(one, "type", None)
        if isinstance(type_, Array):
            if type_.shape is None:
                return False
            shapes.add(type_.shape)
        elif isinstance(one, Lit) and isinstance(one.value, np.ndarray):
            return False
    return len(shapes) <= 1


def _is_inside(x: Operand, index: Operand, within: Mapping[Var, Size]) -> bool:
    """Whether `x` has what is at `index`, as far as is known."""
    if index == Lit(...):
        return True
    shape = getattr(getattr(x, "type", None), "shape", None) or ()
    items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    slices = all(isinstance(item, Pack) and item.kind == "slice" for item in items)
    return len(items) <= len(shape) and (slices or all(map(_fits_axis, items, shape, itertools.repeat(within))))


def _fits_axis(index: Operand, size: Size, within: Mapping[Var, Size]) -> bool:
    match index:
        case Pack("slice"):
            return True
        case Lit(int() as place):
            return isinstance(size, int) and -size <= place < size
        case Var() if index in within:
            bound = within[index]
            if isinstance(bound, Dim) and isinstance(size, Dim):
                return bound.base == size.base and bound.offset <= size.offset
            return isinstance(bound, int) and isinstance(size, int) and bound <= size
        case _:
            return False


def meets(raised: Classes, wanted: Classes) -> bool:
    """Whether one of the `wanted` handlers may be for an exception of one of the classes `raised`."""
    return any(one is BaseException or issubclass(one, other) for one in raised for other in wanted)
