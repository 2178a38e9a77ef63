"""How a kernel takes its arguments from Python: arrays that lie row by row are looked at where they are, and borrowed.

Numba's own way makes an object for each, and trusts that it is of the type that was compiled for. Here that is seen to: what is
not raises a `TypeError`. So a caller may ask the machine code first, and then Numba's dispatcher, which looks at every argument:
at once where a kernel returns arrays, for then Numba's own way is kept. The dispatcher takes numbers in foreign byte order for
native ones once it has met an array that is not aligned, so that arrays taken its way are looked at for that.
Integers that might not stay within 64 bits (see `adxform.backends.numba.integers`) raise an `OverflowError`.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.callwrapper import PyCallWrapper
from numba.core.pythonapi import NativeValue
from numba.np.arrayobj import populate_array

from adxform.backends.numba.integers import GIVEN
from adxform.backends.numba.machine.releasing import ReleasingLower

CLASS, DATA, RANK, LENGTHS, STRIDES, DTYPE, FLAGS = 8, 16, 24, 32, 40, 56, 64
"""Where the fields of an array are in memory."""
ROW_BY_ROW = 0x1 | 0x100 | 0x400
"""The flags of an array that is contiguous, aligned and can be written to."""
EXACT = (np.ndarray, *map(np.dtype, (np.float64, np.int64, np.bool_, np.float32, np.complex128)))
SYMBOL = "adxform_exact"
_ADDRESSES = (ctypes.c_size_t * len(EXACT))(*map(id, EXACT))
_PLACES = {types.float64: 1, types.int64: 2, types.boolean: 3, types.float32: 4, types.complex128: 5}


def name_exact() -> None:
    """Let machine code find the class of arrays and the dtypes that it holds."""
    llvmlite.binding.add_symbol(SYMBOL, ctypes.addressof(_ADDRESSES))


def is_as_known() -> bool:
    """Whether the fields of arrays are where they are looked for."""
    array = np.empty((2, 3))
    at = id(array)

    def word(address: int) -> int:
        return ctypes.c_size_t.from_address(address).value

    def number(address: int) -> int:
        return ctypes.c_int.from_address(address).value

    if word(at + CLASS) != id(np.ndarray) or word(at + DATA) != array.ctypes.data or number(at + RANK) != array.ndim:
        return False
    fields = [word(word(at + start) + 8 * axis) for start in (LENGTHS, STRIDES) for axis in range(2)]
    first = number(at + FLAGS) & ROW_BY_ROW
    array.flags.writeable = False
    second = number(at + FLAGS) & ROW_BY_ROW
    return (
        fields == [2, 3, 24, 8] and word(at + DTYPE) == id(array.dtype) and (first, second) == (ROW_BY_ROW, ROW_BY_ROW & ~0x400)
    )


KNOWN = is_as_known()


class KernelLower(ReleasingLower):
    """The translation of a kernel, and how it is called from Python."""

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        """Add what takes Python's objects. Only where the kernel loops does it pay to let go of the interpreter's lock."""
        module = self.context.create_module("wrapper")
        called = self.context.call_conv.get_function_type(self.fndesc.restype, self.fndesc.argtypes)
        function = ir.Function(module, called, self.fndesc.llvm_func_name)
        loops = bool(compute_cfg_from_blocks(self.blocks).loops())
        KernelEntrance(
            self.context, module, function, self.fndesc, self.env, call_helper=self.call_helper, release_gil=release_gil and loops
        ).build()  # type: ignore[no-untyped-call]
        self.library.add_ir_module(module)


class KernelEntrance(PyCallWrapper):
    """Numba's entrance of a function, but for arrays and integers: see the module."""

    def build_wrapper(self, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
        """Unpack `args`, call the function, and pack what it returns."""
        usual, borrows = api.to_native_value, looks_at_arrays(self.fndesc.restype)

        def native(type_: Any, obj: Any) -> Any:
            if isinstance(type_, types.Integer):
                return small(type_, usual(type_, obj), api)
            if borrows and is_borrowed(type_):
                return borrowed(type_, obj, api)
            held = KNOWN and isinstance(type_, types.Array) and type_.dtype in _PLACES
            return usual(type_, of_its_dtype(type_, obj, api) if held else obj)

        usual_return, usual_none = api.from_native_return, api.return_none

        def checked(*given: Any) -> Any:
            made = usual_return(*given)
            with builder.if_then(has_raised(api), likely=False):
                api.decref(made)
                builder.ret(api.get_null_object())
            return made

        def nothing() -> None:
            with builder.if_then(has_raised(api), likely=False):
                builder.ret(api.get_null_object())
            usual_none()

        api.to_native_value, api.from_native_return, api.return_none = native, checked, nothing
        super().build_wrapper(api, builder, closure, args, kws)  # type: ignore[no-untyped-call]


def has_raised(api: Any) -> Any:
    """Whether a function of SciPy's that the kernel called has raised, as some do on request: C hands on what they return."""
    return cgutils.is_not_null(api.builder, api.err_occurred())


def small(type_: Any, native: Any, api: Any) -> Any:
    """`native`, an integer of this type, which is an error from 31 bits on, and one that only fits without a sign always."""
    builder = api.builder
    outside = cgutils.true_bit
    if type_.signed:
        shifted = builder.add(native.value, native.value.type(2**GIVEN))
        outside = builder.icmp_unsigned(">=", shifted, native.value.type(2 ** (GIVEN + 1)))
    large = builder.and_(outside, builder.not_(native.is_error))
    with builder.if_then(large, likely=False):
        api.err_set_string("PyExc_OverflowError", "integer too large for compiled code")
    return NativeValue(native.value, is_error=builder.or_(native.is_error, outside))


def looks_at_arrays(returned: Any) -> bool:
    """Whether a kernel that returns what is of this type sees to it that the arrays it is given are those it was compiled for."""
    return KNOWN and not may_hold_arrays(returned)


def may_hold_arrays(type_: Any) -> bool:
    """Whether a result of this type may be an argument, or a part of one: that would have to be kept alive."""
    if isinstance(type_, types.Tuple | types.UniTuple):
        return any(may_hold_arrays(part) for part in type_.types)
    return not isinstance(type_, types.Number | types.Boolean | types.NoneType)


def is_borrowed(type_: Any) -> bool:
    """Whether arguments of this type are arrays that lie row by row."""
    return type(type_) is types.Array and type_.layout == "C" and type_.mutable and type_.aligned and type_.dtype in _PLACES


def borrowed(type_: Any, obj: Any, api: Any) -> Any:
    """The array `obj`, which has no owner while the kernel runs: its caller holds it."""
    builder, context = api.builder, api.context
    word, number, byte = ir.IntType(64), ir.IntType(32), ir.IntType(8)
    load = partial(loaded, builder)

    def is_(one: Any, other: Any) -> Any:
        return builder.icmp_unsigned("==", one, other)

    exact = exact_ones(api)
    array = context.make_array(type_)(context, builder)
    misfit = cgutils.alloca_once_value(builder, cgutils.true_bit)
    with builder.if_then(is_array(load(obj, CLASS, word), load(exact, 0, word), api), likely=True):
        right = has_dtype(type_, obj, api)
        right = builder.and_(right, is_(load(obj, RANK, number), number(type_.ndim)))
        flags = builder.and_(load(obj, FLAGS, number), number(ROW_BY_ROW))
        right = builder.and_(right, is_(flags, number(ROW_BY_ROW)))
        with builder.if_then(right, likely=True):
            lengths, strides = load(obj, LENGTHS, byte.as_pointer()), load(obj, STRIDES, byte.as_pointer())
            populate_array(
                array,
                data=load(obj, DATA, array.data.type),
                shape=[load(lengths, 8 * axis, word) for axis in range(type_.ndim)],
                strides=[load(strides, 8 * axis, word) for axis in range(type_.ndim)],
                itemsize=context.get_abi_sizeof(context.get_data_type(type_.dtype)),
                meminfo=None,
            )
            builder.store(cgutils.false_bit, misfit)
    failed = builder.load(misfit)
    with builder.if_then(failed, likely=False):
        api.err_set_string("PyExc_TypeError", "not an array of the type that was compiled for, row by row")
    return NativeValue(array._getvalue(), is_error=failed)


def of_its_dtype(type_: Any, obj: Any, api: Any) -> Any:
    """The array `obj`, or `None`, which Numba refuses, where it is of another dtype than `type_`."""
    return api.builder.select(has_dtype(type_, obj, api), obj, api.borrow_none())


def has_dtype(type_: Any, obj: Any, api: Any) -> Any:
    """Whether the dtype of the array `obj` is the one that NumPy has for `type_`."""
    word, builder = ir.IntType(64), api.builder
    exact = loaded(builder, exact_ones(api), 8 * _PLACES[type_.dtype], word)
    return builder.icmp_unsigned("==", loaded(builder, obj, DTYPE, word), exact)


def exact_ones(api: Any) -> Any:
    """Where the addresses of `EXACT` are."""
    return api.context.get_c_value(api.builder, ir.ArrayType(ir.IntType(64), len(EXACT)), SYMBOL)


def loaded(builder: Any, at: Any, offset: int, kind: Any) -> Any:
    """What is `offset` bytes behind `at`."""
    place = builder.gep(builder.bitcast(at, ir.IntType(8).as_pointer()), [ir.IntType(64)(offset)])
    return builder.load(builder.bitcast(place, kind.as_pointer()))


def is_array(cls: Any, exact: Any, api: Any) -> Any:
    """Whether `cls` is the class of arrays, or one that inherits from it: an array in a file is of one."""
    builder, word = api.builder, ir.IntType(64)
    found = cgutils.alloca_once_value(builder, builder.icmp_unsigned("==", cls, exact))
    with builder.if_then(builder.not_(builder.load(found)), likely=False):
        inherits = api._get_function(ir.FunctionType(ir.IntType(32), [word, word]), name="PyType_IsSubtype")
        builder.store(cgutils.is_not_null(builder, builder.call(inherits, [cls, exact])), found)
    return builder.load(found)


name_exact()
