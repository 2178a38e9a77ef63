"""Which primitives Python has syntax for, and how wide that syntax is."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, TypeGuard

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Var

BINARY: Mapping[Callable[..., Any], type[ast.operator]] = MappingProxyType(
    {
        operator.add: ast.Add,
        operator.sub: ast.Sub,
        operator.mul: ast.Mult,
        operator.truediv: ast.Div,
        operator.floordiv: ast.FloorDiv,
        operator.mod: ast.Mod,
        operator.pow: ast.Pow,
        operator.matmul: ast.MatMult,
        operator.and_: ast.BitAnd,
        operator.or_: ast.BitOr,
        operator.xor: ast.BitXor,
        operator.lshift: ast.LShift,
        operator.rshift: ast.RShift,
    }
)
IN_PLACE: Mapping[Callable[..., Any], type[ast.operator]] = MappingProxyType(
    {
        operator.iadd: ast.Add,
        operator.isub: ast.Sub,
        operator.imul: ast.Mult,
        operator.itruediv: ast.Div,
        operator.ifloordiv: ast.FloorDiv,
        operator.imod: ast.Mod,
        operator.ipow: ast.Pow,
        operator.imatmul: ast.MatMult,
        operator.iand: ast.BitAnd,
        operator.ior: ast.BitOr,
        operator.ixor: ast.BitXor,
        operator.ilshift: ast.LShift,
        operator.irshift: ast.RShift,
    }
)
COMPARE: Mapping[Callable[..., Any], type[ast.cmpop]] = MappingProxyType(
    {
        operator.lt: ast.Lt,
        operator.le: ast.LtE,
        operator.gt: ast.Gt,
        operator.ge: ast.GtE,
        operator.eq: ast.Eq,
        operator.ne: ast.NotEq,
        operator.is_: ast.Is,
        operator.is_not: ast.IsNot,
    }
)
UNARY: Mapping[Callable[..., Any], type[ast.unaryop]] = MappingProxyType(
    {
        operator.neg: ast.USub,
        operator.pos: ast.UAdd,
        operator.invert: ast.Invert,
        operator.inv: ast.Invert,
        operator.not_: ast.Not,
    }
)
NEW_NAMES: frozenset[Callable[..., Any]] = frozenset({intrinsics.new_stack})
TEMPORARY_BASES = frozenset({"t", "tmp", "ct", "tangent", "result", "last", "going"})
CARRIED_ENDINGS = ("_ct", "_t")


def is_temporary(var: Var) -> bool:
    """Whether adxform, not the user, named `var`."""
    base = undirected(var.base)
    return base in TEMPORARY_BASES or base.startswith("_") or base.endswith(CARRIED_ENDINGS)


def is_nameless(base: str) -> bool:
    """Whether `base` says nothing of the value: a temporary's name, or that of its cotangent."""
    base = undirected(base)
    while base.endswith(CARRIED_ENDINGS):
        base = base.rpartition("_")[0]
    return base in TEMPORARY_BASES


def undirected(base: str) -> str:
    """`base` without the number of a direction: ``x_t`` for ``x_t0``."""
    bare = base.rstrip("0123456789")
    return bare if bare.endswith(CARRIED_ENDINGS) else base


def is_machinery(op: Call) -> bool:
    """Whether `op` is what adxform adds for itself: it takes something off a tape, or asks for a length to make one."""
    fn = callee(op)
    return fn is intrinsics.pop or (fn in (intrinsics.dim, max) and op.outs[0].base == "n")


def is_method(fn: object) -> TypeGuard[MethodDescriptorType | WrapperDescriptorType]:
    """Whether `fn` is a method found on its class, ``np.ndarray.sum``, which is written as a method call."""
    return isinstance(fn, MethodDescriptorType | WrapperDescriptorType)


def has_syntax(fn: object) -> bool:
    """Whether a call of `fn` is written without naming `fn`."""
    return fn in _OWN or is_method(fn)


def label_width(op: Call) -> int:
    """How many columns a call takes beside its operands."""
    fn = callee(op)
    keywords = sum(len(key) + 3 for key, _ in op.kwargs)
    if has_syntax(fn):
        return keywords + (len(getattr(fn, "__name__", "")) + 3 if is_method(fn) else 3)
    return keywords + len(getattr(fn, "__name__", "function")) + 5 + 2 * len(op.args)


_OWN: frozenset[Callable[..., Any]] = frozenset(
    {
        *BINARY,
        *COMPARE,
        *UNARY,
        operator.contains,
        operator.getitem,
        operator.setitem,
        operator.delitem,
        operator.truth,
        getattr,
        setattr,
        intrinsics.accumulate,
        intrinsics.deduct,
        intrinsics.dim,
        intrinsics.new_stack,
        intrinsics.push,
        intrinsics.pop,
        intrinsics.turning_point,
    }
)
