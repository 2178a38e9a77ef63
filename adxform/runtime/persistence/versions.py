"""What every entry on the disk depends on: the versions of Python, NumPy and adxform, and the rules that the user registered."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from hashlib import sha256
from typing import Any

import gast
import numpy as np

from adxform.ir.spans import PACKAGE
from adxform.primitives import table
from adxform.primitives.shipped_rules import described, installed
from adxform.runtime.beliefs import is_debugging
from adxform.runtime.persistence.contents import ContentWriter
from adxform.runtime.persistence.references import NotPortable

_STARTED = time.time()


def versions() -> str:
    """Python, NumPy and adxform as a person names them."""
    own = getattr(sys.modules.get("adxform"), "__version__", "")
    return f"{platform.python_implementation()} {platform.python_version()}, NumPy {np.__version__}, adxform {own}"


@lru_cache(maxsize=1)
def environment() -> bytes | None:
    """A digest of the programs that derive rules and run them; ``None`` where it cannot be told."""
    found = sha256()
    try:
        for file in sorted(PACKAGE.rglob("*.py")):
            state = file.stat()
            if max(state.st_mtime, state.st_ctime) > _STARTED:  # what runs may be older than what is there now
                return None
            found.update(b"%s\0%s" % (file.relative_to(PACKAGE).as_posix().encode(), sha256(file.read_bytes()).digest()))
    except OSError:
        return None
    builds = (sys.version, sys.implementation.cache_tag, sys.platform, platform.machine(), np.__version__, gast.__version__)
    found.update(repr((*builds, is_debugging())).encode())
    return found.digest()


_rules: dict[int, bytes] = {}


def registered_rules() -> bytes | None:
    """A digest of the rules that the user registered, all that they reach, and what packages ship; ``None`` if none can be told.

    It cannot either once a function that a rule reaches has changed without the rule being registered anew: what was
    expanded in this process may be from before or from after.
    """
    try:
        found = sha256(digest_of(table.registered()) + repr(_shipped()).encode()).digest()
    except NotPortable:
        return None
    return found if _rules.setdefault(table.table_version(), found) == found else None


def _shipped() -> list[str]:
    """The rules that packages ship, loaded or not: in another process they may come in at another time."""
    return [f"{entry.name} {described(entry)}" for entries in installed().values() for entry in entries]


def digest_of(functions: Iterable[Any]) -> bytes:
    """A digest of the rules that were registered for some of `functions`, and of all that these rules reach.

    Raises:
        NotPortable: they reach something that another process cannot be told of.
    """
    writer = ContentWriter(deep=True)
    wanted = frozenset(functions)
    for fn, record in table.registered().items():
        if fn in wanted:
            for field in fields(record):
                if field.name not in ("samples", "place"):  # what tests call it with, and where it was said
                    writer.add(getattr(record, field.name))
    return writer.digest()
