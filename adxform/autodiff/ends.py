"""What a derivative takes and returns: cotangents that are known, and slopes of the shapes of what they belong to."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

import numpy as np

from adxform.ir.build import Builder, seed
from adxform.ir.ops import Block, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar, is_inexact, rank
from adxform.ir.walk import Names, reads_with_blocks, rename_block


def float_results(fn: Function) -> tuple[int, ...]:
    """The positions of the results that carry a derivative: float variables."""
    return tuple(i for i, result in enumerate(fn.results) if isinstance(result, Var) and is_inexact(result.type))


def seeded(joint: Function, primal: Function, seeds: Mapping[int, float]) -> Function:
    """The reverse function `joint` with the cotangents of the results in `seeds` fixed to that number.

    An array gets an array of it, made just before the first op that reads it: by then the result is there to take the
    shape from.
    """
    cotangents = dict(zip(float_results(primal), joint.params[len(primal.params) :], strict=True))
    builder = Builder(Names.of(joint), joint.span)
    values: dict[Var, Operand] = {}
    for position, number in seeds.items():
        if position not in cotangents:
            continue
        cotangent, result = cotangents[position], joint.results[position]
        match cotangent.type:
            case Array():
                like = np.ones_like if number else np.zeros_like
                values[cotangent] = builder.call(like, result, type=cotangent.type, hint=cotangent.base)
            case Scalar():
                values[cotangent] = seed(cotangent.type, number, joint)
    first = first_reader(joint.body.ops, values)
    made = Block((), (*joint.body.ops[:first], *builder.ops, *joint.body.ops[first:]), joint.results)
    params = tuple(param for param in joint.params if param not in values)
    return replace(joint, body=replace(rename_block(made, values), params=params))


def first_reader(ops: tuple[Op, ...], wanted: Container[Var]) -> int:
    """The position of the first op that reads one of `wanted`, itself or in a block inside it."""
    for position, op in enumerate(ops):
        if any(var in wanted for var in reads_with_blocks(op)):
            return position
    return len(ops)


def fresh_gradients(joint: Function, primal: Function, wrt: tuple[int, ...]) -> Function:
    """`joint` with each cotangent of an array an array of the same shape and dtype."""
    start = len(primal.results)
    pairs = zip(joint.results[start:], (primal.params[i] for i in wrt), strict=True)
    return conformed(joint, start, tuple(pairs), "_ct")


def shaped_tangents(joint: Function, primal: Function) -> Function:
    """`joint` with each tangent of an array result an array of the same shape and dtype."""
    start = len(primal.results)
    likes = (joint.results[i] for i in float_results(primal))
    return conformed(joint, start, tuple(zip(joint.results[start:], likes, strict=True)), "_t")


def conformed(fn: Function, start: int, pairs: tuple[tuple[Operand, Operand], ...], suffix: str) -> Function:
    """`fn` with its results from `start` on, the first of each pair, made to fit the second."""
    builder = Builder(Names.of(fn), fn.span)
    narrow = any(isinstance(p.type, Scalar | Array) and p.type.dtype in ("float16", "float32") for p in fn.params)
    results = tuple(fitted(builder, value, like, suffix, narrow=narrow) for value, like in pairs)
    return replace(fn, body=Block(fn.params, (*fn.body.ops, *builder.ops), (*fn.results[:start], *results)))


def fitted(builder: Builder, value: Operand, like: Operand, suffix: str, *, narrow: bool) -> Operand:
    """`value` as a number or an array of the shape and dtype of `like`, as far as the types say that it is not one yet."""
    if isinstance(like, Var) and isinstance(like.type, Scalar):
        return fitted_number(builder, value, like, like.base + suffix, narrow=narrow)
    if not isinstance(like, Var) or not isinstance(like.type, Array) or rank(like.type) is None:
        return value
    hint = like.base + suffix
    match value:
        case Lit(0.0):
            return builder.call(np.zeros_like, like, type=like.type, hint=hint)
        case Lit() | Var(type=Scalar()):
            return builder.call(np.full_like, like, value, type=like.type, hint=hint)
        case Var(type=Array(dtype, shape)) if dtype != like.type.dtype:
            to = Lit(np.dtype(like.type.dtype).type)
            return builder.call(np.ndarray.astype, value, to, type=Array(like.type.dtype, shape), hint=hint)
        case _:
            return value


def fitted_number(builder: Builder, value: Operand, like: Var, hint: str, *, narrow: bool) -> Operand:
    """`value` as a number of the type of `like`; numbers of double precision, NumPy's and Python's, are alike.

    `narrow`: there are others, so that a product with a number of Python's own may be one of them.
    """
    assert isinstance(like.type, Scalar)
    dtype = like.type.dtype
    given = value.type if isinstance(value, Var) else None
    if not dtype.startswith(("float", "longdouble")):
        return value
    if isinstance(value, Lit) and isinstance(value.value, float):
        return value if dtype == "float64" else builder.call(np.dtype(dtype).type, value, type=like.type, hint=hint)
    mixed = narrow and like.type.weak and isinstance(given, Scalar) and not given.weak
    if isinstance(given, Scalar) and (given.dtype != dtype or mixed) and given.dtype.startswith(("float", "longdouble")):
        to = float if like.type.weak else np.dtype(dtype).type
        return builder.call(to, value, type=like.type, hint=hint)
    return value
