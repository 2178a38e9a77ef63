"""Tangents and cotangents fitted to the shape, the dtype and the class of what they belong to."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.kinds import dtype_name
from adxform.ir.operand_facts import type_of
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import FLOAT, Array, Dim, Scalar, Size, Stack, Type, is_complex, is_float, is_inexact, rank

FITTING = (Lit(runtime.broadcast_like), Lit(runtime.unbroadcast))


def same_shape(one: Type | None, other: Type | None) -> bool:
    """Whether values of the two types certainly have the same shape."""
    match one, other:
        case Scalar(), Scalar():
            return True
        case Array(_, shape), Array(_, other_shape):
            return shape is not None and shape == other_shape
        case _:
            return False


def cast(b: Builder, value: Operand, like: Var) -> Operand:
    """`value` in the dtype of `like`, where the types say that it has another."""
    type_ = type_of(value)
    if not isinstance(type_, Scalar | Array) or not isinstance(like.type, Scalar | Array):
        return value
    if is_complex(type_) and is_float(like.type):
        value = real_part(b, value, type_)
        type_ = type_of(value)
        assert isinstance(type_, Scalar | Array)
    weak = (isinstance(like.type, Scalar) and like.type.weak) or (isinstance(type_, Scalar) and type_.weak)
    if type_.dtype == like.type.dtype or weak:
        return value
    dtype = np.dtype(like.type.dtype).type
    if isinstance(type_, Array) and type_.shape == ():  # it may be a number
        return b.call(np.asarray, value, Lit(dtype), type=Array(like.type.dtype, ()), hint=_hint(value))
    if isinstance(type_, Array) and type_.shape is not None:
        return b.call(np.ndarray.astype, value, Lit(dtype), type=Array(like.type.dtype, type_.shape), hint=_hint(value))
    if isinstance(type_, Scalar):
        return b.call(dtype, value, type=Scalar(like.type.dtype), hint=_hint(value))
    return value


def real_part(b: Builder, value: Operand, type_: Scalar | Array) -> Operand:
    """The real part of `value`, a complex slope of something real: what is real only moves along the real axis."""
    part = dtype_name(np.dtype(type_.dtype).type(0).real.dtype)
    return b.call(np.real, value, type=replace(type_, dtype=part), hint=_hint(value))


def precise(b: Builder, tangent: Operand, like: Var, *, sure: bool = True) -> Operand:
    """`tangent` in the precision of the number `like`: a zero of its kind, a Python float next to one.

    It is not `sure` that it is what its type says where a path leaves the zero of a Python float.
    """
    if not isinstance(like.type, Scalar) or (like.type.dtype == "float64" and not like.type.weak):
        return tangent if isinstance(like.type, Scalar) else cast(b, tangent, like)
    if isinstance(tangent, Lit):
        return tangent if like.type.weak else Lit(np.dtype(like.type.dtype).type(tangent.value))
    type_ = type_of(tangent)
    if is_complex(like.type) or (type_ is not None and is_complex(type_)):
        return cast(b, tangent, like)
    if like.type.weak and isinstance(type_, Scalar) and not type_.weak and type_.dtype != "float64":
        return b.call(float, tangent, type=FLOAT, hint=_hint(tangent))
    if sure or like.type.weak:
        return cast(b, tangent, like)
    return b.call(np.dtype(like.type.dtype).type, tangent, type=Scalar(like.type.dtype), hint=_hint(tangent))


def with_methods(b: Builder, tangent: Operand, like: Operand) -> Operand:
    """`tangent` as a number of NumPy's, which has the methods that `like` has, if it may be one of Python's."""
    type_ = type_of(tangent)
    if isinstance(like, Var) and isinstance(like.type, Scalar) and isinstance(type_, Scalar) and type_.weak:
        return b.call(np.dtype(type_.dtype).type, tangent, type=Scalar(type_.dtype), hint=_hint(tangent))
    return tangent


def reshaped(b: Builder, value: Operand, like: Var) -> Operand:
    """`value`, just computed with the shape of `like`, with a type that says so."""
    last = b.ops[-1] if b.ops else None
    if not isinstance(value, Var) or not isinstance(last, Call) or last.outs != (value,):
        return value
    if last.fn in FITTING and isinstance(last.args[0], Var) and _fits_already(last.fn, last.args[0].type, like.type):
        b.ops.pop()
        return reshaped(b, last.args[0], like)
    if not isinstance(value.type, Array) or not isinstance(like.type, Array) or rank(value.type) != rank(like.type):
        return value
    return sized(b, value, like.type.shape)


def sized(b: Builder, value: Operand, shape: tuple[Size, ...] | None) -> Operand:
    """`value`, an array that was just computed, of this `shape`."""
    last = b.ops[-1] if b.ops else None
    if not isinstance(value, Var) or not isinstance(value.type, Array) or not isinstance(last, Call) or last.outs != (value,):
        return value
    exact = Var(value.name, Array(value.type.dtype, shape))
    b.ops[-1] = replace(last, outs=(exact,))
    return exact


def _fits_already(fn: Operand, one: Type | None, like: Type | None) -> bool:
    """Whether `fn`, which fits a value of type `one` to one of type `like` by spreading it or by sums, has nothing to do."""
    if not isinstance(one, Array) or not isinstance(like, Array) or not one.shape or rank(one) != rank(like):
        return False
    return never_spreads(one if fn == Lit(runtime.broadcast_like) else like)


def never_spreads(type_: Type | None) -> bool:
    """Whether arrays of `type_` are never spread over more elements, but along axes that are new."""
    sizes = type_.shape if isinstance(type_, Array) else None
    return bool(sizes) and all(size.may_spread is False if isinstance(size, Dim) else size != 1 for size in sizes or ())


def fit_cotangent(b: Builder, ct: Operand, like: Var) -> Operand:
    """`ct` summed over the axes along which `like` was broadcast, in the dtype of `like`."""
    type_ = type_of(ct)
    if isinstance(type_, Array) and rank(type_) == rank(like.type) and never_spreads(like.type):
        ct = reshaped(b, ct, like)
        type_ = type_of(ct)
    one_number = isinstance(type_, Scalar) and rank(like.type) == 0  # for an array of no axes too: nothing is summed
    if not one_number and not same_shape(type_, like.type) and not is_zero(ct):
        if isinstance(like.type, Scalar) and isinstance(type_, Array) and type_.shape is not None:
            ct = b.call(np.sum, ct, type=Scalar(type_.dtype), hint=_hint(ct))
        else:
            dtype = type_.dtype if isinstance(type_, Scalar | Array) else "float64"
            fitted = Scalar(dtype) if isinstance(like.type, Scalar) else Array(dtype, getattr(like.type, "shape", None))
            ct = b.call(runtime.unbroadcast, ct, like, type=fitted, hint=_hint(ct))
    return cast(b, ct, like)


def fit_tangent(b: Builder, tangent: Operand, like: Var) -> Operand:
    """`tangent` broadcast to the shape of `like`, in its dtype."""
    type_ = type_of(tangent)
    if not same_shape(type_, like.type):
        shape = like.type.shape if isinstance(like.type, Array) else None
        dtype = type_.dtype if isinstance(type_, Scalar | Array) else "float64"
        if rank(like.type) != 0:
            tangent = b.call(runtime.broadcast_like, tangent, like, type=Array(dtype, shape), hint=_hint(tangent))
    return cast(b, tangent, like)


def _hint(operand: Operand) -> str:
    return operand.base if isinstance(operand, Var) else "tmp"


def zeros(b: Builder, like: Var, hint: str) -> Operand:
    """Zero of the kind of `like`: a literal for a scalar, else a fresh array or, where only the run tells, what fits."""
    if isinstance(like.type, Stack):
        return b.call(intrinsics.new_stack, type=Stack(), hint=hint)
    if isinstance(like.type, Scalar):
        return Lit(0.0)
    if isinstance(like.type, Array) and not is_inexact(
        like.type
    ):  # it becomes floats: see `adxform.autodiff.reverse.whole_numbers`
        return b.call(np.zeros_like, like, type=replace(like.type, dtype="float64"), hint=hint, kwargs={"dtype": Lit(np.float64)})
    blank = b.call(np.zeros_like, like, type=like.type, hint=hint)
    open_rank = isinstance(like.type, Array) and like.type.shape is None
    return b.call(operator.getitem, blank, Lit(()), type=like.type, hint=hint) if open_rank else blank


def is_zero(operand: Operand) -> bool:
    """Whether `operand` is the literal zero that stands for no contribution."""
    return isinstance(operand, Lit) and isinstance(operand.value, float) and operand.value == 0.0
