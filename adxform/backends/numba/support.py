"""Which ops a kernel may hold: those that mean the same, and give the same, under Numba as under CPython and NumPy.

Everything is stated by type: float64, float32, complex128, int64 and bool, numbers and arrays of known rank. What is not listed
stays in Python.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.backends.numba.kernel_solvers import is_solver
from adxform.backends.numba.operand_dtypes import dtype_of, is_weak, sample_of
from adxform.backends.protocol import Refusal
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, is_stack
from adxform.ir.ops import UNDEFINED, Block, Call, For, If, Lit, Op, Operand, Pack, Raise, Var, While
from adxform.ir.types import Array, Scalar, Stack, Type
from adxform.ir.walk import all_ops, blocks, outs, reads, variables_of
from adxform.passes.linalg.kernel_products import is_product, order_of_axes
from adxform.primitives.facets import Algebra, Kernel, Moves
from adxform.primitives.memory import STORES
from adxform.primitives.scipy_rules.ufunc_loops import loop_of
from adxform.primitives.table import meaning_of, record_of
from adxform.runtime import kernel_scalars
from adxform.runtime.kernel_scalars import DTYPES

LARGEST = 2**63

WHOLE_QUOTIENTS = frozenset({operator.floordiv, operator.mod})
WHOLE = (int, round)
"""What gives whole numbers of Python's own; of others `adxform.backends.numba.failures` asks whether they are too large."""
MARKS = frozenset({intrinsics.turning_point})
STACKS = frozenset({intrinsics.new_stack, intrinsics.push, intrinsics.pop})
TWO_WAY: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType({np.where: kernel_scalars.chosen})


def is_held(type_: Type) -> bool:
    """Whether a kernel may hold values of `type_`."""
    match type_:
        case Scalar(dtype):
            return dtype in DTYPES
        case Array(dtype, shape):
            return dtype in DTYPES and bool(shape)
        case Stack():
            return True
        case _:
            return False


def is_taken(op: Op) -> bool:
    """Whether `op`, with its blocks, may be in a kernel."""
    return refusal(op) is None


def refusal(op: Op) -> Refusal | None:
    """Why `op`, or the first op in its blocks that is the cause, may not be in a kernel; ``None`` where it may."""
    for var in outs(op):
        if not is_held(var.type):
            return Refusal(op, held_not(var.type))
    match op:
        case Call(outs=(_, _, *_)) if not is_solver(op) and record_of(callee(op)).kernel is not Kernel.LOOP:
            return Refusal(op, "kernels have no form of a function with several results")
        case Call():
            return None if _call(op) else Refusal(op, _call_not(op))
        case If(outs=made):
            given = op.then.results + op.orelse.results
            fits = _is_scalar(op.cond) and _are_values(given, made * 2)
            return _inside(op) if fits else Refusal(op, "its branches give what no kernel holds")
        case For(outs=made):
            given = op.inits + op.body.results[op.breaks :]
            numbers = all(map(_is_integer, op.source)) and all(map(_is_scalar, op.body.results[: op.breaks]))
            return _inside(op) if numbers and _are_values(given, made * 2) else Refusal(op, "it carries what no kernel holds")
        case While(outs=made):
            tested = all(map(_is_scalar, op.test.results))
            fits = tested and _are_values(op.inits + op.body.results, made * 2)
            return _inside(op) if fits else Refusal(op, "it carries what no kernel holds")
        case Raise():
            return Refusal(op, "kernels raise nothing")
        case _:
            return Refusal(op, "kernels call no functions of Python")


def _inside(op: Op) -> Refusal | None:
    """Why a block of `op` may not be in a kernel."""
    for block in blocks(op):
        for param in block.params:
            if not is_held(param.type):
                return Refusal(op, held_not(param.type))
        for inner in block.ops:
            if (found := refusal(inner)) is not None:
                return found
    return None


def _call_not(op: Call) -> str:
    if callee(op) in STACKS:
        return "lists of arrays stay in Python"
    odd = next((var.type for var in reads(op) if not is_held(var.type)), None)
    return "kernels have no form of it" if odd is None else held_not(odd)


def held_not(type_: Type) -> str:
    """Why no kernel holds a value of `type_`."""
    match type_:
        case Scalar(kinds=kinds) if kinds:
            return "only a run can tell of which kind a number is"
        case Scalar(dtype) | Array(dtype) if dtype not in DTYPES:
            return f"no kernel holds {dtype}"
        case Array():
            return "the rank of an array is not known, or zero"
        case Stack():
            return "it uses a list"
        case _:
            return "no kernel holds objects"


def _call(op: Call) -> bool:
    """Whether `op` is the same in a kernel."""
    fn, args = callee(op), op.args
    if fn in MARKS:
        return True
    if fn is operator.getitem:
        return _is_array(args[0]) and _is_index(args[1], args[0])
    if fn in STORES:
        return _is_array(args[0]) and _is_element(args[1], args[0]) and _is_stored(args[2], _dtype(args[0]))
    if fn in (intrinsics.dim, len):
        return _is_array(args[0])
    made = _allocates(op)
    if made is not None:
        return made
    if is_product(op) or is_solver(op) or order_of_axes(op) is not None:
        return True
    if fn in STACKS:
        return all(_is_scalar(arg) or is_stack(arg) for arg in args) and not any(map(is_stack, args[1:]))
    if not all(map(_is_scalar, args)):
        return False
    return fn in kernel_scalars.CHECKS or (bool(args) and not op.kwargs and _scalar(fn, args, _given(op)))


def _allocates(op: Call) -> bool | None:
    """Whether a kernel makes the array that `op` does, a new one that is no result of numbers; ``None`` where it makes none."""
    fn, record = callee(op), record_of(callee(op))
    if fn is np.arange:
        return not op.kwargs and len(op.args) == 1 and _is_integer(op.args[0])
    if record.fresh is None:
        return not op.kwargs and len(op.args) == 1 and _is_array(op.args[0]) if record.moves is Moves.COPY else None
    fresh = record.fresh
    if fresh.like:
        return not op.kwargs and all(_is_array(arg) if k == 0 else _is_float(arg) for k, arg in enumerate(op.args))
    sized = len(op.args) == 1 and all(map(_is_integer, _items(op.args[0])))
    return sized and not fresh.given and all(map(_is_dtype, op.kwargs))


def _given(op: Call) -> str:
    """The dtype of the number that `op` gives; empty where it gives none, or several."""
    return _dtype(op.outs[0]) if len(op.outs) == 1 else ""


def _is_stored(value: Operand, dtype: str) -> bool:
    """Whether a kernel stores `value` in an array of this dtype as NumPy does: a number of Python's own gives way."""
    given = _dtype(value)
    if not _is_scalar(value) or given == dtype:
        return _is_scalar(value)
    real = given in ("float64", "int64")
    return real and (dtype == "complex128" or (dtype == "float32" and is_weak(value)))


def _complex(fn: Any, args: tuple[Operand, ...], dtypes: list[str]) -> bool:
    """Whether a call of `fn` on numbers some of which are complex, or that makes one, is the same in a kernel."""
    if not set(dtypes) <= {"complex128", "float64", "int64"}:
        return False
    if fn in (np.complex128, complex):
        return fn is complex or len(args) == 1
    if fn is operator.pow:
        return isinstance(args[1], Lit) and type(args[1].value) is int and args[1].value in (1, 2)
    arithmetic = record_of(fn).kernel is Kernel.NUMBERS and meaning_of(fn).algebra is not None
    return arithmetic or fn in (operator.eq, operator.ne) or record_of(fn).complex_form is not None


def _computed(args: tuple[Operand, ...], out: str) -> list[str]:
    """The dtypes of numbers as they are computed with: those of Python's own take that of `float32` beside them."""
    dtypes = [_dtype(arg) for arg in args]
    if "float32" in dtypes and out in ("float32", "bool"):
        yields = [dtype in ("float64", "int64") and is_weak(arg) for arg, dtype in zip(args, dtypes, strict=True)]
        return ["float32" if gives_way else dtype for gives_way, dtype in zip(yields, dtypes, strict=True)]
    return dtypes


def _scalar(fn: Any, args: tuple[Operand, ...], out: str) -> bool:
    """Whether a call of `fn` on numbers, which gives one of dtype `out`, is the same in a kernel."""
    dtypes = _computed(args, out)
    record = record_of(fn)
    if "complex128" in (*dtypes, out):
        return _complex(fn, args, dtypes)
    mixed = _mixed(fn, dtypes, out)
    if mixed is not None:
        return mixed
    by_kernel = _by_kernel(fn, record.kernel, args, dtypes)
    if by_kernel is not None:
        return by_kernel
    by_name = _by_name(fn, args, dtypes)
    if by_name is not None:
        return by_name
    held = record.kernel is Kernel.FLOATS or record.form is not None
    alike = set(dtypes) == {"float64"} or (set(dtypes) == {"float32"} and out in ("float32", "bool"))
    return held and len(args) == (record.arity or len(args)) and alike


def _by_kernel(fn: Any, kernel: Kernel | None, args: tuple[Operand, ...], dtypes: list[str]) -> bool | None:
    """As `_scalar` by what the record of `fn` says of kernels; ``None`` where that is not all."""
    match kernel:
        case Kernel.NUMBERS:
            return "bool" not in dtypes or fn in (operator.eq, operator.ne)
        case Kernel.TRUTHS:
            return set(dtypes) == {"bool"}
        case Kernel.ORDER:
            return set(dtypes[:-1]) <= {"int64", "float64"} and dtypes[-1] == "float64"
        case Kernel.LOOP:
            return "bool" not in dtypes and loop_of(fn, tuple(map(sample_of, args))) is not None
        case _:
            return None


def _by_name(fn: Any, args: tuple[Operand, ...], dtypes: list[str]) -> bool | None:
    """As `_scalar` for functions of which kernels have code of their own; ``None`` for all others."""
    if fn in (operator.not_, operator.truth, bool):
        return True
    if fn in (*WHOLE_QUOTIENTS, operator.pow, np.power):
        return _by_number(fn, dtypes, args[1])
    if fn in (min, max, runtime.add_up, runtime.larger, runtime.smaller):
        return len(args) == 2 and dtypes[0] == dtypes[1] != "bool"
    if fn in (float, np.float64, np.float32):
        return dtypes != ["bool"]
    if fn in WHOLE:
        return len(args) == 1 and dtypes[0] in ("int64", "float64")
    if fn in TWO_WAY:
        return len(args) == 3 and dtypes[0] == "bool" and dtypes[1] == dtypes[2]
    if fn in (np.int64, runtime.trip_count, runtime.from_front, runtime.some, runtime.place):
        return set(dtypes) == {"int64"}
    if fn in (runtime.check_power, runtime.check_finite):  # `adxform.backends.numba.failures` puts a flag in its place
        return set(dtypes) == {"float64"}
    return None


def _mixed(fn: Any, dtypes: list[str], out: str) -> bool | None:
    """Whether a product by a truth value, or a quotient of a whole number, is the same in a kernel; ``None`` for all else."""
    match meaning_of(fn).algebra:
        case Algebra.PRODUCT if "bool" in dtypes:
            return sorted(dtypes) == ["bool", "float64"] and out == "float64"
        case Algebra.QUOTIENT if "int64" in dtypes and record_of(fn).form is not None:
            return set(dtypes) <= {"float64", "int64"} and out == "float64"
        case _:
            return None


def _by_number(fn: Any, dtypes: list[str], second: Operand) -> bool:
    """Whether ``//``, ``%`` or ``**`` by `second` is the same in a kernel: of whole numbers, where zero is seen."""
    number = second.value if isinstance(second, Lit) else None
    if fn in WHOLE_QUOTIENTS:
        sure = (type(number) is int and number != 0) or (number is None and is_weak(second))
        return sure and dtypes == ["int64", "int64"]
    return isinstance(number, int) and 0 <= number <= 3 if dtypes[0] == "int64" else "bool" not in dtypes


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Pack) and operand.kind in ("tuple", "list") else (operand,)


def _is_index(index: Operand, array: Operand) -> bool:
    """Whether `index` is an element of `array`, or a basic view of it."""
    items = _items(index)
    assert isinstance(array, Var)
    assert isinstance(array.type, Array)
    return len(items) <= len(array.type.shape or ()) and all(_is_integer(item) or _is_slice(item) for item in items)


def _is_element(index: Operand, array: Operand) -> bool:
    items = _items(index)
    return (
        isinstance(array, Var)
        and isinstance(array.type, Array)
        and len(items) == len(array.type.shape or ())
        and all(map(_is_integer, items))
    )


def _is_dtype(kwarg: tuple[str, Operand]) -> bool:
    key, value = kwarg
    return key == "dtype" and any(value in (Lit(np.dtype(dtype)), Lit(np.dtype(dtype).type)) for dtype in DTYPES)


def _is_slice(item: Operand) -> bool:
    return isinstance(item, Pack) and item.kind == "slice" and all(part == Lit(None) or _is_integer(part) for part in item.items)


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Var) and isinstance(operand.type, Array) and is_held(operand.type)


def _is_scalar(operand: Operand) -> bool:
    return _dtype(operand) in DTYPES and not (isinstance(operand, Var) and isinstance(operand.type, Array))


def _is_float(operand: Operand) -> bool:
    return _is_scalar(operand) and _dtype(operand) == "float64"


def _is_integer(operand: Operand) -> bool:
    return _is_scalar(operand) and _dtype(operand) == "int64"


def _are_values(given: tuple[Operand, ...], made: tuple[Var, ...]) -> bool:
    """Whether a kernel can hold `given`, each of which becomes one of `made`: a number cannot stand for an array."""
    return all(
        is_held(value.type)
        if isinstance(value, Var)
        else value == UNDEFINED or (_is_scalar(value) and isinstance(one.type, Scalar))
        for value, one in zip(given, made, strict=True)
    )


def _dtype(operand: Operand) -> str:
    """The dtype of a number or an array; empty for anything else, and for integers that do not fit."""
    if isinstance(operand, Lit) and type(operand.value) is int and not -LARGEST <= operand.value < LARGEST:
        return ""
    return dtype_of(operand)


def stack_uses(block: Block) -> Counter[Var]:
    """How often `block` makes, takes or gives each stack."""
    found: Counter[Var] = Counter()
    waiting = [block]
    while waiting:
        block = waiting.pop()
        given = [*block.params, *variables_of(block.results)]
        for op in block.ops:
            given += outs(op)
            given += reads(op)
            waiting += blocks(op)
        found.update(var for var in given if isinstance(var.type, Stack))
    return found


def kept_stacks(block: Block) -> frozenset[Var]:
    """The stacks in `block` that a kernel cannot hold: those that hold anything but numbers of one dtype, or are passed on."""
    held: dict[Var, set[str]] = {}
    pushed = Counter[Var]()
    for op in all_ops(block):
        match op:
            case Call(args=(Var() as stack, value)) if callee(op) is intrinsics.push:
                dtype = _dtype(value) if _is_scalar(value) else ""
            case Call(args=(Var() as stack,), outs=(value,)) if callee(op) is intrinsics.pop:
                dtype = _dtype(value) if _is_scalar(value) else ""
            case Call(outs=(Var(type=Stack()) as stack,)) if callee(op) is intrinsics.new_stack:
                pushed[stack] += 1
                continue
            case _:
                continue
        held.setdefault(stack, set()).add(dtype)
        pushed[stack] += 1
    fit = {stack for stack, dtypes in held.items() if len(dtypes) == 1 and "" not in dtypes}
    return frozenset(stack for stack, count in stack_uses(block).items() if stack not in fit or pushed[stack] != count)
