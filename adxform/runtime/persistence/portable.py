"""Derived rules as bytes that another process can read: plain values, the IR, code, and references by name.

What is written is all that a rule needs, so that reading it neither parses, builds nor compiles: the IR of its stages, its text
and the code that the text was compiled to. Objects with identity are
written as references (see `adxform.runtime.persistence.contents`); what has no name makes the whole not portable.
"""

from __future__ import annotations

import dataclasses
import io
import marshal
import pickle
import types
from typing import Any

import numpy as np

from adxform.backends.python.loading import install, installed
from adxform.ir.ops import Lit
from adxform.runtime.persistence.contents import resolve, seal_of
from adxform.runtime.persistence.references import NAMED, NotPortable, place
from adxform.threads.deep_recursion import on_deep_stack

_OWN = (types.FunctionType, type)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """How to make `value` again; ``NotImplemented`` where `pickle` knows a way that is safe."""
        cls = type(value)
        if isinstance(value, Lit) and isinstance(value.value, list | dict | set | bytearray | np.ndarray):
            raise NotPortable(f"a {type(value.value).__name__} may change")
        if isinstance(value, Lit) and _has_an_order(value.value):
            raise NotPortable("a frozenset comes in another order in each process")
        if "__reduce__" in vars(cls) and cls.__module__.startswith("adxform."):
            return NotImplemented
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and cls.__module__.startswith("adxform."):
            return cls, tuple(getattr(value, field.name) for field in dataclasses.fields(value))
        if isinstance(value, types.FunctionType) and (made_of := installed(value)) is not None:
            return install, made_of
        if isinstance(value, NAMED):
            module, path = place(value)
            own = isinstance(value, _OWN) and module.startswith("adxform.")
            if own and (value.__module__, getattr(value, "__qualname__", "")) == (module, path):
                return NotImplemented
            return resolve, (module, path, seal_of(value, module))
        if isinstance(value, types.CodeType):
            return marshal.loads, (marshal.dumps(value),)
        if isinstance(value, _PLAIN) or cls.__module__ == "adxform.ir.ops":
            return NotImplemented
        raise NotPortable(f"a {cls.__qualname__} is known to this process only")


def _has_an_order(value: Any) -> bool:
    """Whether `value` is or holds a frozen set in which one element comes before another."""
    if isinstance(value, frozenset):
        return len(value) > 1 or any(map(_has_an_order, value))
    return type(value) is tuple and any(map(_has_an_order, value))


_PLAIN = (complex, slice, range, type(...), type(NotImplemented), np.dtype, np.generic, np.ndarray, types.MappingProxyType)


def dumps(value: Any) -> bytes:
    """`value` as bytes.

    Raises:
        NotPortable: it holds what another process cannot be told of.
    """
    try:
        return on_deep_stack(lambda: _written(value))
    except (pickle.PicklingError, TypeError, RecursionError) as error:
        raise NotPortable(str(error)) from None


def _written(value: Any) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, protocol=5).dump(value)
    return stream.getvalue()


def loads(data: bytes) -> Any:
    """The value that `dumps` wrote.

    Raises:
        Stale: a reference in it leads nowhere, or to other code than it did.
    """
    return pickle.loads(data)
