"""Bytes in the rows of the cache library, and nothing else: no column of its index is unpickled, opened or removed as a file."""

from __future__ import annotations

import sqlite3
from typing import Any

from diskcache import Disk
from diskcache.core import MODE_RAW


class Rows(Disk):  # type: ignore[misc]  # the library carries no types
    """How values stand in the database: as the bytes that they are. A row that says otherwise holds nothing."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> bytes:
        """The bytes of a row; empty, which no seal fits, where the row is not as `Store` writes them."""
        plain = mode == MODE_RAW and filename is None and not read and type(value) in (bytes, sqlite3.Binary)
        return bytes(value) if plain else b""

    def remove(self, file_path: str) -> None:
        """Remove nothing: no row that `Store` writes has a file of its own."""

    def get(self, key: Any, raw: bool) -> bytes:
        """The key of a row."""
        return bytes(key) if raw and type(key) in (bytes, sqlite3.Binary) else b""
