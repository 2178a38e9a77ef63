"""SciPy's special functions for compiled code: `scipy.special.cython_special` exports what each loop of a ufunc calls.

A ufunc has a loop for each row of dtypes that it takes. What that calls for an element is exported under a name that Cython
makes of the function's and of the types, which the name of its capsule says: ``double (double, int __pyx_skip_dispatch)``.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.threads.locks import imported

MODULE = "scipy.special.cython_special"
_DTYPES = {"double": "float64", "long": np.dtype("l").name, "Py_ssize_t": np.dtype("p").name}
"""Of the types of C that functions of real numbers take."""
_FLAG = "int __pyx_skip_dispatch"
_FUSED = re.compile(r"__pyx_fuse_\d+(_\d+)*")
"""What Cython puts ahead of the name of a function that takes several types."""


@dataclass(frozen=True, slots=True)
class CythonFunction:
    """What one loop of a ufunc calls: its name in `MODULE`, the dtypes that it takes and those of its results.

    It has several results by address, or returns one; `flagged`: then a last argument of it is Cython's own, an ``int``.
    """

    exported: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    flagged: bool


@cache
def cython_function(fn: np.ufunc, operands: tuple[type | np.dtype[Any], ...]) -> CythonFunction | None:
    """What the ufunc `fn` calls for numbers of these types, or of Python's; ``None`` where it is not exported."""
    if not (known := exported().get(fn.__name__)) or len(operands) != fn.nin:
        return None
    try:
        loop = fn.resolve_dtypes((*operands, *(None,) * fn.nout))
    except TypeError:
        return None
    names = tuple(dtype.name for dtype in loop)
    found = known.get(names[: fn.nin])
    return found if found is not None and found.gives == names[fn.nin :] else None


@cache
def exported() -> Mapping[str, Mapping[tuple[str, ...], CythonFunction]]:
    """The functions of real numbers in `MODULE`, by the name of the ufunc and the dtypes that they take."""
    found: dict[str, dict[tuple[str, ...], CythonFunction]] = {}
    signature = ctypes.pythonapi.PyCapsule_GetName
    signature.restype, signature.argtypes = ctypes.c_char_p, [ctypes.py_object]
    for name, capsule in imported(MODULE).__pyx_capi__.items():
        made = _read(name, signature(capsule).decode())
        if made is not None:
            found.setdefault(_FUSED.sub("", name, count=1), {})[made.takes] = made
    return MappingProxyType(found)


def _read(name: str, signature: str) -> CythonFunction | None:
    returned, _, rest = signature.partition(" (")
    params = rest.removesuffix(")").split(", ")
    flagged = params[-1] == _FLAG
    if flagged:
        params.pop()
    by_address = [param for param in params if param.endswith("*")]
    takes = tuple(_DTYPES.get(param, "") for param in params[: len(params) - len(by_address)])
    results = [param.removesuffix(" *") for param in by_address] if returned == "void" else [returned, *by_address]
    gives = tuple(_DTYPES.get(result, "") for result in results)
    return None if "" in (*takes, *gives) else CythonFunction(name, takes, gives, flagged)
