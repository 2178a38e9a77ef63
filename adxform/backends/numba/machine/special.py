"""How Numba compiles SciPy's special functions: as calls of what `scipy.special.cython_special` exports. It imports Numba.

The values are those of the ufuncs, which call the same functions. As with the routines of BLAS, machine code knows each by a name
of adxform's own, which says what it takes, and SciPy says where it is in this process.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import llvmlite.binding
import llvmlite.ir
import numba.extending
import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.numpy_support import as_dtype

from adxform.primitives.scipy_rules.cython_functions import MODULE, CythonFunction, cython_function, exported
from adxform.primitives.table import lookup
from adxform.threads.locks import imported

PREFIX = "adxform_special_"

_inside: Any = cgutils
_lower: Any = numba.extending.lower_builtin
_INT = llvmlite.ir.IntType(32)


def name_special_functions(outside: Iterable[str]) -> None:
    """Let code that was kept find the special functions among the names of what it calls."""
    if any(name.startswith(PREFIX) for name in outside):
        labels = {_label(fn, one): one for fn, loops in exported().items() for one in loops.values()}
        for name in outside:
            if name in labels:
                _name(name, labels[name])


def _label(fn: str, called: CythonFunction) -> str:
    return PREFIX + "_".join((fn, *called.takes))


@cache
def _name(label: str, called: CythonFunction) -> None:
    """Let code find the function under its label from now on."""
    llvmlite.binding.add_symbol(label, numba.extending.get_cython_function_address(MODULE, called.exported))


@cache
def know_special_functions() -> None:
    """Tell Numba of the ufuncs for which there are functions."""
    special = imported("scipy.special")
    for name in exported():
        fn = getattr(special, name, None)
        if isinstance(fn, np.ufunc) and lookup(fn) is not None:
            _know(fn)


def _know(fn: np.ufunc) -> None:
    class Called(AbstractTemplate):  # type: ignore[misc]
        key = fn

        def generic(self, args: Any, kws: Any) -> Any:
            numbers = all(isinstance(arg, types.Integer | types.Float) for arg in args)
            called = cython_function(fn, tuple(map(as_dtype, args))) if numbers and not kws else None
            if called is None:
                return None
            takes, gives = ([getattr(types, dtype) for dtype in dtypes] for dtypes in (called.takes, called.gives))
            return signature(gives[0] if len(gives) == 1 else types.UniTuple(gives[0], len(gives)), *takes)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        called = cython_function(fn, tuple(map(as_dtype, signature.args)))
        assert called is not None
        label = _label(fn.__name__, called)
        _name(label, called)
        gives = [context.get_value_type(getattr(types, dtype)) for dtype in called.gives]
        flag = [_INT(0)] if called.flagged else []
        if len(gives) == 1:
            return _call(builder, label, gives[0], [*args, *flag])
        places = [_inside.alloca_once(builder, type_) for type_ in gives]
        _call(builder, label, llvmlite.ir.VoidType(), [*args, *places, *flag])
        return context.make_tuple(builder, signature.return_type, [builder.load(place) for place in places])

    infer_global(fn, types.Function(Called))
    _lower(fn, types.VarArg(types.Any))(lower)


def _call(builder: Any, label: str, returned: Any, args: list[Any]) -> Any:
    door = llvmlite.ir.FunctionType(returned, [arg.type for arg in args])
    return builder.call(_inside.get_or_insert_function(builder.module, door, label), args)
