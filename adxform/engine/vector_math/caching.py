"""Compiled forms are kept on disk, by Numba, and forgotten when any file of this package changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile


def _digest() -> str:
    """Return a digest of the text of this package."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


SOURCES = _digest()


class PackageCache(FunctionCache):
    """Numba's cache of one function, which by itself would see a change of the function's own file only."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = IndexDataCacheFile(self.cache_path, self._impl.filename_base, SOURCES)


def kept(dispatcher: Any) -> Any:
    """Return a compiled function, kept on disk where a folder for that can be written."""
    try:
        dispatcher._cache = PackageCache(dispatcher.py_func)
    except RuntimeError:  # Numba found no such folder
        return dispatcher
    return dispatcher
