"""The qualified paths by which IR text names callables, classes and constants, and back."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from adxform.ir.spans import own_attribute
from adxform.threads.locks import imported

SHORT = {"numpy": "np", "_operator": "operator", "adxform.ir.intrinsics": "intrinsics", "adxform.runtime": "runtime"}
LONG = {"np": "numpy", "intrinsics": "adxform.ir.intrinsics", "runtime": "adxform.runtime"}
HOMES = ("numpy", "scipy.special")
_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def path_of(value: Any) -> str | None:
    """The shortest known path that `resolve` turns back into `value`; ``None`` when there is none.

    >>> import math, operator
    >>> [path_of(value) for value in (np.sin, np.add.at, np.ndarray.sum, np.float32, operator.add, math.sin, print, lambda x: x)]
    ['np.sin', 'np.add.at', 'np.ndarray.sum', 'np.float32', 'operator.add', 'math.sin', 'builtins.print', None]
    """
    try:
        return _path_of(value)
    except TypeError:
        return None


@cache
def _path_of(value: Any) -> str | None:
    for path in _candidates(value):
        if _PATH.fullmatch(path):
            try:
                found = resolve(path)
            except LookupError:
                continue
            if found is value or (type(found) is type(value) and callable(found) and found == value):
                return path
    return None


def _candidates(value: Any) -> Iterator[str]:
    name = own_attribute(value, "__qualname__") or own_attribute(value, "__name__")
    if not isinstance(name, str):
        return
    owner = own_attribute(value, "__self__")
    if isinstance(owner, np.ufunc):
        for path in _candidates(owner):
            yield f"{path}.{value.__name__}"
    owner = own_attribute(value, "__objclass__")
    module = getattr(value if owner is None else owner, "__module__", None)
    for home in ([module] if isinstance(module, str) else []) + list(HOMES):
        head, _, rest = home.partition(".")
        yield ".".join(filter(None, (SHORT.get(home) or SHORT.get(head, head) + (rest and "." + rest), name)))


def resolve(path: str) -> Any:
    """What `path` names, by import.

    Raises:
        LookupError: when there is no such thing.
    """
    head, _, rest = path.partition(".")
    parts = [*LONG.get(head, head).split("."), *filter(None, rest.split("."))]
    for split in range(len(parts) - 1, 0, -1):
        module = _module(".".join(parts[:split]))
        if module is None:
            continue
        value: Any = module
        for part in parts[split:]:
            value = getattr(value, part, None)
        if value is not None:
            return value
    raise LookupError(f"nothing is called {path}")


def _module(name: str) -> ModuleType | None:
    found = sys.modules.get(name)
    if found is not None:
        return found
    try:
        return imported(name)
    except ImportError:
        return None
