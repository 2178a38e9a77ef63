"""Numba, imported when it is first needed, for that takes a while; it may be missing, or not work with what else is installed."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

from adxform.errors import MissingExtraError
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import bring_in


class EngineWarning(UserWarning):
    """Numba is installed and cannot be imported, so that ``engine="auto"`` runs Python. Given once in a process."""


_failed: list[Exception] = []
"""What importing Numba raised: it is not tried again, for half of it is there."""
_warned: list[str] = []


def is_available() -> bool:
    """Whether Numba is installed."""
    return find_spec("numba") is not None


@phase("import")
def needing_numba(name: str) -> Any:
    """The module `name` of adxform, which imports Numba.

    Raises:
        MissingExtraError: Numba is not installed, or cannot be imported.
    """
    try:
        if not _failed:
            return bring_in(name)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever a library makes of others of another age
        _failed.append(error)
    raise MissingExtraError(trouble(), help=_HELP) from _failed[0]


_HELP = "install versions that go together (`pip install --upgrade 'adxform[numba]'`), or ask for engine=\"python\""


def trouble() -> str:
    """Why Numba cannot be used, as far as that was tried; empty where nothing is known against it."""
    if not _failed:
        return ""
    return f"Numba is installed, but cannot be imported: {type(_failed[0]).__name__}: {_failed[0]}"


def warn_of_trouble() -> None:
    """Give an `EngineWarning`, unless this process was given one before."""
    if not _warned:
        _warned.append(trouble())
        warnings.warn(f"{trouble()}; Python runs instead", EngineWarning, stacklevel=2)
