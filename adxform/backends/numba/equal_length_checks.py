"""Lengths that a function makes equal, ``x - y`` does so, are equal in its types: compiled code sees first that they are."""

from __future__ import annotations

from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Function, Lit, Var
from adxform.ir.types import INT, Array, Dim
from adxform.ir.walk import Names
from adxform.runtime import kernel_scalars


def check_lengths(fn: Function) -> Function:
    """`fn`, which raises at once where lengths of its parameters differ that have one name in their types, or are others."""
    known: dict[Dim, list[tuple[Var, int]]] = {}
    builder = Builder(Names.of(fn), fn.span)
    for param in fn.params:
        for axis, size in enumerate((param.type.shape or ()) if isinstance(param.type, Array) else ()):
            if isinstance(size, Dim) and not size.offset:
                known.setdefault(size, []).append((param, axis))
            elif isinstance(size, int) and size > 1:
                builder.effect(
                    kernel_scalars.check_equal, builder.call(intrinsics.dim, param, Lit(axis), type=INT, hint="n"), Lit(size)
                )
    for first, *others in known.values():
        if others:
            n, *rest = (builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n") for x, axis in (first, *others))
            for m in rest:
                builder.effect(kernel_scalars.check_equal, n, m)
    return replace(fn, body=replace(fn.body, ops=(*builder.ops, *fn.body.ops)))
