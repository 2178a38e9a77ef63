"""The type of a primitive's result: by its own rule, by broadcasting, or by running it on samples."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError, MissingRuleError
from adxform.frontend.evaluate.control_flow.joined_types import join_types
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.kept_results import KeptMemory, repeated
from adxform.frontend.types.sampled_types import Types, each, sampled_types, with_fresh
from adxform.frontend.types.samples import ANOTHER, FRESH, NoSample
from adxform.frontend.types.shape_rules import elementwise_type, product_type, reshaped_type
from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Operand, Pack, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Several, Type, is_inexact
from adxform.ir.walk import substitute, variables
from adxform.primitives.facets import Contracts
from adxform.primitives.memory import RESHAPES
from adxform.primitives.record import Constant, General, Primitive
from adxform.primitives.table import TABLE, record_of
from adxform.primitives.unruled import NAMELESS


def result_type(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Types:
    """The type of a primitive's result: where only a run tells the kinds of its operands, of one of several kinds itself."""
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    several = {var: var.type.kinds for var in given if isinstance(var.type, Scalar) and var.type.kinds}
    if not several:
        return _result_type(interp, record, fn, operands, named)
    if math.prod(map(len, several.values())) > _COMBINATIONS:
        message = "numbers that may each be of several kinds are given to one function in too many combinations to try them all"
        raise interp.error(message, "make them one kind, e.g. with `float(…)`")
    found: list[Types] = []
    refused: AdxError | None = None
    for kinds in itertools.product(*several.values()):
        each: dict[Var, Operand] = {var: Var(var.name, kind) for var, kind in zip(several, kinds, strict=True)}
        args = tuple(substitute(arg, each) for arg in operands)
        try:
            found.append(_result_type(interp, record, fn, args, {key: substitute(arg, each) for key, arg in named.items()}))
        except AdxError as error:  # a run with these kinds raises
            refused = error
    if not found:
        assert refused is not None
        raise refused
    whole = functools.reduce(lambda one, other: _either(interp, one, other), found)
    if any(map(forgotten_kinds.is_forgotten, several)):
        return forgotten_kinds.type_of_result(interp, fn, operands, whole, one=refused is None and len(set(found)) == 1)
    return whole


_COMBINATIONS = 4096  # half a second; a kind that was left out could be the only one that moves


def _either(interp: Interpreter, one: Types, other: Types) -> Types:
    """The type of a result of type `one` or `other`."""
    if one == other:
        return one
    joined = None if isinstance(one, Several) or isinstance(other, Several) else join_types(one, other, interp.integers.fresh_dim)
    if joined is None:
        message = "what kind of value this gives depends on the kinds of numbers that it is given"
        raise interp.error(message, "make them one kind, e.g. with `float(…)`")
    return joined


def _result_type(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Types:
    if record.fresh is not None:
        for size in variables(Pack("tuple", (*operands, *named.values()))):
            interp.integers.dim_of(size)
    stated = _stated_type(interp, record, fn, operands, named)
    if stated is not None:
        unknown = functools.cache(interp.integers.fresh_dim) if isinstance(stated, Several) else interp.integers.fresh_dim
        return each(stated, lambda type_: with_fresh(with_fresh(type_, unknown), interp.integers.fresh_dim, ANOTHER))
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    objects = [var for var in given if isinstance(var.type, Object)]
    floats = [var for var in given if is_inexact(var.type)]
    if objects:
        known = not floats or isinstance(record.derivative, Constant)
        return Object() if known else _type_with_objects(interp, record, objects, floats)
    try:
        if is_elementwise(record, fn):
            if interp.unconditional:
                interp.equal.broadcast(operands)
            if interp.assumes:
                interp.equal.assume(operands)
                operands = tuple(map(interp.equal.operand, operands))
            types = elementwise_type(fn, operands, named, interp.integers.sizes)
        else:
            users = isinstance(record.derivative, General) and TABLE.get(fn) is not record
            types = sampled_types(repeated(fn) if users else fn, operands, named, interp.integers.sizes)
            types = each(types, lambda type_: _not_grown_again(interp, type_, given))
        return each(types, lambda type_: with_fresh(type_, interp.integers.fresh_dim))
    except KeptMemory as error:
        raise interp.error(f"`{record.name}` has a rule, and {error}", "let it return a copy", MissingRuleError) from None
    except NoSample as error:
        if not floats:
            return Object()
        raise _no_type(interp, record, given, error) from None


def _not_grown_again(interp: Interpreter, made: Type, given: list[Var]) -> Type:
    """`made`, the type of a result, with fresh lengths for those that are longer than one `given` that was cut off at zero.

    Of no elements ``x[2:]`` has none, and with two others it is longer than `x`.
    """
    cut: dict[str, int] = {}
    for var in given:
        for size in (var.type.shape or ()) if isinstance(var.type, Array) else ():
            if isinstance(size, Dim) and (size.offset < 0 or size.base in interp.integers.cut_at_zero):
                cut[size.base] = min(size.offset, cut.get(size.base, size.offset))
    if not cut or not isinstance(made, Array) or made.shape is None:
        return made
    shape = (FRESH if isinstance(size, Dim) and size.offset > cut.get(size.base, size.offset) else size for size in made.shape)
    return Array(made.dtype, tuple(shape))


def _stated_type(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Types | None:
    """What the record, or the rule of reshapes or of products, says of the result; ``None`` where samples must tell."""
    if is_product(fn):
        interp.promote_for_rank(operands)
        if interp.unconditional:
            interp.equal.multiply(operands)
        if interp.assumes:
            interp.equal.assume_products(operands)
    if record.result is not None and (found := record.result(operands, named)) is not None:
        return found
    if fn in RESHAPES and (shaped := reshaped_type(operands, named, interp.integers.sizes)) is not None:
        return shaped
    return product_type(fn, *operands) if is_product(fn) and len(operands) == 2 and not named else None


def _no_type(interp: Interpreter, record: Primitive, given: list[Var], error: NoSample) -> AdxError:
    """What a program is refused with where the primitive raised `error` on every sample of what it is `given`."""
    ours = interp.in_library()
    what = "this call" if ours else f"`{record.name}`"
    if any(_is_integer(var.type, arrays=ours) for var in given):
        message = f"the result of {what} depends on an integer that only the run knows"
        return interp.error(message, "make it a constant or an integer argument, or branch on it")
    if unsure := next((var for var in given if isinstance(var.type, Array) and var.type.shape is None), None):
        interp.promote_for_rank(given)
        whose = f"`{unsure.base}`" if unsure.base not in NAMELESS else "an operand"
        message = f"the result of {what} cannot be told: whether {whose} is a number or an array, only a run can tell"
        return interp.error(message, "let it be an array on every path: begin a sum with `np.zeros(n)`, for example")
    message = f"the result of {what} cannot be told: {error}"
    return interp.error(message, "check the arguments; if they are right, compute it with other functions")


def _is_integer(type_: Type, *, arrays: bool) -> bool:
    """Whether `type_` is that of an integer, or of an array of them."""
    return isinstance(type_, (Scalar, Array) if arrays else Scalar) and np.dtype(type_.dtype).kind in "iu"


def is_elementwise(record: Primitive, fn: Callable[..., Any]) -> bool:
    """Whether `fn` broadcasts its arguments and works on one element of each at a time."""
    ufunc = isinstance(fn, np.ufunc) and fn.signature is None
    return record.elementwise or ufunc or record.broadcasts


def _type_with_objects(interp: Interpreter, record: Primitive, objects: list[Var], floats: list[Var]) -> Type:
    """The type of a call on numbers and on values of which nothing is known: a number or an array of the floats' dtype."""
    if not record.elementwise and record.fn not in (*RESHAPES, runtime.masked_product):
        message = f"`{record.name}` is called on a value that adxform knows nothing of"
        help_ = "convert the value first, with `float(…)` or `np.asarray(…)` outside of the function"
        raise interp.unknown(message, help_, *objects, cls=MissingRuleError)
    dtypes = [var.type.dtype for var in floats if isinstance(var.type, Array | Scalar)]
    return Array(dtype_name(np.result_type(*map(np.dtype, dtypes))), None)


def is_product(fn: Callable[..., Any]) -> bool:
    """Whether `fn` is ``@`` or ``dot``, under any of their names."""
    record = record_of(fn)
    return record.contracts in (Contracts.MATMUL, Contracts.DOT) and record.masks is None
