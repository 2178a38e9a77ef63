"""The routines of BLAS and LAPACK that kernels call, through SciPy. It imports Numba, as `kernels` does.

Machine code knows a routine by a name of adxform's own, so that it can be kept on the disk. SciPy says where the routine is in
this process, and that is written down before code that calls it is made or read: a call imports nothing and takes no lock.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import llvmlite.binding
import llvmlite.ir
import numba.extending
from numba.core import cgutils

PREFIX = "adxform_blas_"
OF_LAPACK = frozenset({"dgetrf", "dgetrs", "dgetri", "dpotrf"})
MOST = 2**31 - 1
"""The largest length that BLAS takes, as SciPy has it."""

_inside: Any = cgutils
_BYTE = llvmlite.ir.IntType(8)
_INT = llvmlite.ir.IntType(32)
_DOUBLE = llvmlite.ir.DoubleType()
_POINTER = _BYTE.as_pointer()


@cache
def name_routine(routine: str) -> str:
    """The name under which code finds `routine` from now on."""
    module = "scipy.linalg.cython_lapack" if routine in OF_LAPACK else "scipy.linalg.cython_blas"
    address = numba.extending.get_cython_function_address(module, routine)
    llvmlite.binding.add_symbol(PREFIX + routine, address)
    return PREFIX + routine


def name_routines(outside: Iterable[str]) -> None:
    """Let code that was kept find the routines among the names of what it calls."""
    for name in outside:
        if name.startswith(PREFIX):
            name_routine(name.removeprefix(PREFIX))


def call(builder: Any, routine: str, *given: Any) -> None:
    """Write a call of `routine`, which takes all by address: numbers, lengths, and letters."""
    name = name_routine(routine)
    door = llvmlite.ir.FunctionType(llvmlite.ir.VoidType(), [_POINTER] * len(given))
    addresses = [builder.bitcast(_address(builder, value), _POINTER) for value in given]
    builder.call(_inside.get_or_insert_function(builder.module, door, name), addresses)


def number(value: float) -> Any:
    """`value` in the code."""
    return llvmlite.ir.Constant(_DOUBLE, value)


def word(text: str) -> Any:
    """A letter in the code."""
    return llvmlite.ir.Constant(_BYTE, ord(text))


def outcome(builder: Any) -> Any:
    """A place for what LAPACK says of its success."""
    return _inside.alloca_once_value(builder, llvmlite.ir.Constant(_INT, 0))


def letter(builder: Any, turned: Any) -> Any:
    """BLAS's word for a matrix that is to be transposed, and for one that is not."""
    return builder.select(turned, word("t"), word("n"))


def _address(builder: Any, value: Any) -> Any:
    if isinstance(value.type, llvmlite.ir.PointerType):
        return value
    if isinstance(value.type, llvmlite.ir.IntType) and value.type.width > _INT.width:
        value = builder.trunc(value, _INT)
    return _inside.alloca_once_value(builder, value)
