"""Whether an object is of the class that it says: proxies, mocks and lazy imports may answer by code of their own.

`isinstance` and class patterns ask an object for its ``__class__`` where its type does not fit. One that says another class would
be taken for what it stands for, though NumPy and Python's operators go by its type; one that raises would do so amid an analysis.
"""

from __future__ import annotations

import weakref
from typing import Any


def is_of_its_class(value: Any) -> bool:
    """Whether `value` says that it is of the class that it is of, and that class says so too and can be a key."""
    try:
        cls = type(value)
        if value.__class__ is not cls:
            return cls in weakref.ProxyTypes
        hash(value if issubclass(cls, type) else cls)
        return cls.__class__ is type(cls)
    except Exception:
        return False


def is_gone(value: Any) -> bool:
    """Whether `value` is a weak proxy of an object that is no more: to ask it for anything raises."""
    try:
        return type(value) in weakref.ProxyTypes and value.__class__ is None
    except ReferenceError:
        return True
