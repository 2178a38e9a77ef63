"""The loops of SciPy's ufuncs, one of which computes in the dtypes of given operands, for compiled code that calls it.

What a loop calls for one element is exported by `scipy.special.cython_special` where it is a function of ``double``, under a
name that Cython makes of the function's and of the types. The name of its capsule is its signature: ``double (double, int)``.
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
"""Of the types of C that exported functions of real numbers take."""
_FLAG = "int __pyx_skip_dispatch"
_FUSED = re.compile(r"__pyx_fuse_\d+(_\d+)*")
"""What Cython puts ahead of the name of a function that takes several types."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What a loop calls: its name in `MODULE`. `flagged`: a last argument of it is Cython's own, an ``int``."""

    name: str
    flagged: bool


@dataclass(frozen=True, slots=True)
class UfuncLoop:
    """The loop at a place among those of a ufunc, the dtypes that it takes and gives, and what is exported of it, if anything."""

    place: int
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    exported: Exported | None


@cache
def loop_of(fn: np.ufunc, operands: tuple[type | np.dtype[Any], ...]) -> UfuncLoop | None:
    """The loop of `fn` that NumPy takes for numbers of these dtypes or types of Python's; ``None`` where it takes none."""
    if len(operands) != fn.nin:
        return None
    try:
        dtypes = fn.resolve_dtypes((*operands, *(None,) * fn.nout))
    except TypeError:
        return None
    for place, letters in enumerate(fn.types):
        if tuple(map(np.dtype, letters.replace("->", ""))) == dtypes:
            names = tuple(dtype.name for dtype in dtypes)
            takes, gives = names[: fn.nin], names[fn.nin :]
            return UfuncLoop(place, takes, gives, exported().get((fn.__name__, takes, gives)))
    return None


@cache
def exported() -> Mapping[tuple[str, tuple[str, ...], tuple[str, ...]], Exported]:
    """The functions of real numbers in `MODULE`, by the name of the ufunc and the dtypes that they take and give."""
    found = {}
    signature = ctypes.pythonapi.PyCapsule_GetName
    signature.restype, signature.argtypes = ctypes.c_char_p, [ctypes.py_object]
    for name, capsule in imported(MODULE).__pyx_capi__.items():
        takes, gives, flagged = _read(signature(capsule).decode())
        if "" not in (*takes, *gives):
            found[_FUSED.sub("", name, count=1), takes, gives] = Exported(name, flagged)
    return MappingProxyType(found)


def _read(signature: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The dtypes that a function of C takes and gives, those of several results by address, and whether it has Cython's flag."""
    returned, _, rest = signature.partition(" (")
    params = rest.removesuffix(")").split(", ")
    flagged = params[-1] == _FLAG
    if flagged:
        params.pop()
    by_address = [param.removesuffix(" *") for param in params if param.endswith("*")]
    takes = params[: len(params) - len(by_address)]
    gives = by_address if returned == "void" else [returned, *by_address]
    return tuple([_DTYPES.get(one, "") for one in takes]), tuple([_DTYPES.get(one, "") for one in gives]), flagged
