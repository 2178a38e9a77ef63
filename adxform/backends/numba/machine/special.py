"""How Numba compiles SciPy's special functions: as calls of what their loops call, or of the loops. It imports Numba.

So values are those of the ufuncs, bit for bit. What is exported for an element is called with numbers; any other loop as NumPy
does it, for one element, which takes some ten nanoseconds more. As with the routines of BLAS, machine code knows each by a name
of adxform's own, and where it is in this process is written down before code that calls it is made or read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import llvmlite.binding
import llvmlite.ir
import numba.extending
import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.numpy_support import as_dtype

from adxform.primitives.facets import Kernel
from adxform.primitives.scipy_rules.ufunc_loops import MODULE, UfuncLoop, loop_of
from adxform.primitives.table import lookup, record_of
from adxform.threads.locks import imported, whole

PREFIX = "adxform_special_"
LOOPS, DATA = 32, 40
"""Where the loops of a ufunc, and what each is given beside the elements, are in memory."""

_inside: Any = cgutils
_lower: Any = numba.extending.lower_builtin
_FLAG, _WORD, _POINTER = llvmlite.ir.IntType(32), llvmlite.ir.IntType(64), llvmlite.ir.IntType(8).as_pointer()


def name_special_functions(outside: Iterable[str]) -> None:
    """Let code that was kept find the special functions among the names of what it calls."""
    for name in outside:
        if name.startswith(PREFIX):
            title, *takes = name.removeprefix(PREFIX).removesuffix("/data").split("/")
            fn = special_functions()[title]
            loop = loop_of(fn, tuple(map(np.dtype, takes)))
            if loop is not None:
                _name(fn, loop)


@cache
def _name(fn: np.ufunc, loop: UfuncLoop) -> str:
    """The name under which code finds what `loop` calls from now on, or the loop itself and what it is given."""
    label = PREFIX + "/".join((fn.__name__, *loop.takes))
    if loop.exported is not None:
        llvmlite.binding.add_symbol(label, numba.extending.get_cython_function_address(MODULE, loop.exported.name))
    else:
        for start, name in ((LOOPS, label), (DATA, label + "/data")):
            llvmlite.binding.add_symbol(name, _word(_word(id(fn) + start) + 8 * loop.place))
    return label


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


@cache
def special_functions() -> Mapping[str, np.ufunc]:
    """The ufuncs of SciPy that kernels call, by name."""
    special, own = imported("scipy.special"), imported("adxform.runtime.special_scalars")
    lookup(special.erf)
    fns = (fn for module in (special, own) for fn in vars(module).values() if isinstance(fn, np.ufunc))
    return {fn.__name__: fn for fn in fns if record_of(fn).kernel is Kernel.LOOP or fn in own.PRIVATE}


def are_met() -> bool:
    """Whether a program has called a function of `scipy.special`, so that their rules are there."""
    special = whole("scipy.special")
    return special is not None and record_of(special.erf).kernel is Kernel.LOOP


@cache
def know_special_functions() -> None:
    """Tell Numba of the ufuncs, and of the forms that call them."""
    for fn in special_functions().values():
        _know(fn)
    for form in imported("adxform.runtime.special_scalars").FORMS:
        numba.extending.register_jitable(form)


def _know(fn: np.ufunc) -> None:
    class Called(AbstractTemplate):
        key = fn

        def generic(self, args: Any, kws: Any) -> Any:
            numbers = all(isinstance(arg, types.Number) for arg in args)
            loop = loop_of(fn, tuple(map(as_dtype, args))) if numbers and not kws else None
            if loop is None:
                return None
            takes, gives = ([getattr(types, dtype) for dtype in dtypes] for dtypes in (loop.takes, loop.gives))
            return signature(gives[0] if len(gives) == 1 else types.UniTuple(gives[0], len(gives)), *takes)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loop = loop_of(fn, tuple(map(as_dtype, signature.args)))
        assert loop is not None
        gives = [context.get_value_type(getattr(types, dtype)) for dtype in loop.gives]
        call = _call_loop if loop.exported is None else _call_exported
        found = call(builder, _name(fn, loop), args, gives, loop)
        return found[0] if len(found) == 1 else context.make_tuple(builder, signature.return_type, found)

    infer_global(fn, types.Function(Called))
    _lower(fn, types.VarArg(types.Any))(lower)


def _call_exported(builder: Any, label: str, args: Any, gives: list[Any], loop: UfuncLoop) -> list[Any]:
    """Call a function of numbers, which returns a number or puts several into places."""
    places = [_inside.alloca_once(builder, type_) for type_ in gives] if len(gives) > 1 else []
    given = [*args, *places, *([_FLAG(0)] if loop.exported is not None and loop.exported.flagged else [])]
    door = llvmlite.ir.FunctionType(llvmlite.ir.VoidType() if places else gives[0], [arg.type for arg in given])
    found = builder.call(_inside.get_or_insert_function(builder.module, door, label), given)
    return [builder.load(place) for place in places] or [found]


def _call_loop(builder: Any, label: str, args: Any, gives: list[Any], loop: UfuncLoop) -> list[Any]:
    """Call a loop for one element: with where each argument and result is, how many there are, and how far the next ones."""
    results = [_inside.alloca_once(builder, type_) for type_ in gives]
    places = [*(_inside.alloca_once_value(builder, arg) for arg in args), *results]
    row = _inside.alloca_once(builder, _POINTER, size=_WORD(len(places)))
    for at, place in enumerate(places):
        builder.store(builder.bitcast(place, _POINTER), builder.gep(row, [_WORD(at)]))
    count = _inside.alloca_once_value(builder, _WORD(1))
    steps = _inside.alloca_once(builder, _WORD, size=_WORD(len(places)), zfill=True)
    given = [row, count, steps, _variable(builder, label + "/data")]
    door = llvmlite.ir.FunctionType(llvmlite.ir.VoidType(), [arg.type for arg in given])
    builder.call(_inside.get_or_insert_function(builder.module, door, label), given)
    return [builder.load(place) for place in results]


def _variable(builder: Any, name: str) -> Any:
    """The address that goes by `name`."""
    if name not in builder.module.globals:
        made = llvmlite.ir.GlobalVariable(builder.module, llvmlite.ir.IntType(8), name)
        made.linkage = "external"
    return builder.module.globals[name]
