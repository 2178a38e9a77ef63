"""Attributes of arrays and numbers, which their types tell."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adxform.frontend.evaluate.classes import asked_by_name
from adxform.frontend.evaluate.classes.class_contents import (
    MISSING,
    find,
)
from adxform.frontend.evaluate.parts import indexing
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Static, Tuple, Value
from adxform.frontend.signature import python_class
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Object, Scalar, is_float, is_inexact
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries
from adxform.primitives.refusals.numpy_functions import REFUSED_ATTRIBUTES


def of_array(interp: Interpreter, x: Var, type_: Array, name: str, hint: str) -> Value:
    """An attribute of an array: what its type tells, or a method."""
    if name in ("dtype", "itemsize", "nbytes") and is_float(type_):
        interp.to_check.told_dtypes.append((x, interp.span))
    stated = _shape_of_array(interp, x, type_, name, hint)
    if stated is None:
        stated = _stated_of_array(interp, x, type_, name, hint)
    if stated is not None:
        return stated
    if find(np.ndarray, name) is MISSING:
        return interp.fail(AttributeError, f"'numpy.ndarray' object has no attribute '{name}'")
    if (special := asked_by_name.named(name)) is not None:
        return Method(Lit(special), (x,))
    unbound = getattr(np.ndarray, name)
    if not callable(unbound):
        instead = REFUSED_ATTRIBUTES.get(name, "use the function of NumPy that does the same")
        raise interp.error(f"the array attribute `{name}` is not supported", instead)
    return Method(Lit(unbound), (x,))


def _shape_of_array(interp: Interpreter, x: Var, type_: Array, name: str, hint: str) -> Value | None:
    """The lengths of the axes of an array, how many these are, and how many elements it has."""
    shape = type_.shape
    if name == "shape":
        if shape is None:
            message = "the shape of a value that may be a number or an array"
            raise interp.unknown(message, "give it one kind on every path", x)
        return Tuple(tuple(indexing.dim(interp, x, axis) for axis in range(len(shape))))
    if name == "ndim":
        return interp.emit(np.ndim, (x,), INT, hint) if shape is None else Lit(len(shape))
    if name != "size":
        return None
    if shape is None:
        return interp.emit(np.size, (x,), INT, hint)
    total: Value = Lit(1)
    for axis in range(len(shape)):
        size = indexing.dim(interp, x, axis)
        total = size if total == Lit(1) else interp.call(Lit(operator.mul), (total, size), hint="size")
    return total


def _stated_of_array(interp: Interpreter, x: Var, type_: Array, name: str, hint: str) -> Value | None:
    """What an attribute of an array is by its type: its dtype, its parts, and the array in another order."""
    match name:
        case "dtype":
            return Lit(np.dtype(type_.dtype))
        case "T":
            return interp.call(Lit(np.transpose), (x,), hint=hint)
        case "mT":
            return interp.call(Lit(np.swapaxes), (x, Lit(-1), Lit(-2)), hint=hint)
        case "real" if not type_.dtype.startswith(("complex", "clong")):
            return x
        case "real" | "imag":
            return interp.call(Lit(getattr(np, name)), (x,), hint=hint)
        case "flat" if type_.shape is not None:
            return interp.call(Static(FlatEntries), (x,), hint="flat")
        case "itemsize":
            return Lit(np.dtype(type_.dtype).itemsize)
        case "nbytes":
            return interp.call(
                Lit(operator.mul), (of_array(interp, x, type_, "size", "size"), Lit(np.dtype(type_.dtype).itemsize))
            )
        case "strides":  # which do not move with what the array holds
            still = interp.emit(intrinsics.stop_gradient, (x,), type_, x.base)
            return interp.emit(getattr, (still, Lit(name)), Object(), hint)
        case "flags":
            return interp.emit(getattr, (x, Lit(name)), Object(), hint)
        case _:
            return None


def of_scalar(interp: Interpreter, x: Var, type_: Scalar, name: str) -> Value:
    """An attribute of a number: what its type tells, or a method of its class."""
    real = not type_.dtype.startswith(("complex", "clong"))
    truths_and_floats = BOOL in type_.kinds and is_inexact(type_)  # of which `real` is a number of another class each
    if type_.kinds and (truths_and_floats or name not in (("real", "item") if real else ("real", "imag", "item"))):
        way_out = f"convert it, e.g. with `{'float' if real else 'complex'}(…)`"
        raise interp.error(f"`{name}` of a number whose kind only a run can tell", way_out)
    stated = _stated_of_scalar(interp, x, type_, name)
    if stated is not None:
        return stated
    cls = python_class(type_.dtype, type_.weak)
    if find(cls, name) is MISSING:
        return interp.fail(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")
    if name in ("real", "imag"):
        return interp.call(Lit(getattr(np, name)), (x,))
    if (special := asked_by_name.named(name)) is not None:
        return Method(Lit(special), (x,))
    if not callable(getattr(cls, name)):
        return interp.emit(getattr, (x, Lit(name)), Object(), name)
    if type_.weak:
        return Method(Lit(getattr(cls, name)), (x,))
    if name in ("conjugate", "conj", "item", "tolist") and real:
        return Method(Lit(_identity if name.startswith("conj") else getattr(np.ndarray, name)), (x,))
    if name in ("conjugate", "conj"):
        return Method(Lit(np.conjugate), (x,))
    return Method(Lit(getattr(np.ndarray, name, None) or getattr(cls, name)), (x,))


def _stated_of_scalar(interp: Interpreter, x: Var, type_: Scalar, name: str) -> Value | None:
    """What an attribute of a number is by its type: a part of a real number, or what a number of NumPy is as an array."""
    match name:
        case "real" | "imag" if type_.dtype.startswith(("complex", "clong")):
            return None
        case "real":
            return interp.call(Lit(int), (x,)) if BOOL in (type_, *type_.kinds) else x
        case "imag":
            kind = python_class(type_.dtype, type_.weak)
            return Lit(0 if kind is bool else kind(0))
        case _ if type_.weak:
            return None
        case "T":
            return x
        case "shape":
            return Tuple(())
        case "ndim":
            return Lit(0)
        case "size":
            return Lit(1)
        case "dtype":
            return Lit(np.dtype(type_.dtype))
        case _:
            return None


def _identity(x: Any) -> Any:
    return x
