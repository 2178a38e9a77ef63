"""`adxform cache`: where derived rules and their machine code are kept on the disk, how much there is, how to be rid of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from cyclopts import App

from adxform.cli.target import UsageError
from adxform.runtime.persistence.disk import filled_under
from adxform.runtime.persistence.store import Store, absence, location, store
from adxform.runtime.persistence.versions import versions

UNITS = ("B", "KiB", "MiB", "GiB")

cache = App(name="cache", help="Look at, or remove, the rules and the machine code that are kept on the disk.")


@cache.command
def info() -> int:
    """Say where the rules are, how many, how large they are and may become, and which versions wrote them."""
    where = store()
    if where is None:
        say([absence()])
        return 0
    entries, size = where.summary() if where.exists() else (0, 0)
    written = filled_under(where) if entries else []
    say(
        [
            f"folder   {where.folder}",
            f"entries  {entries}",
            f"size     {amount(size)} of at most {amount(where.limit)}",
            *(f"written  {each}" for each in written),
            f"this is  {versions()}",
        ]
    )
    return 0


@cache.command
def path() -> int:
    """Print the folder; the folder of the rules is in it."""
    folder = location()
    if folder is None:
        raise UsageError(f"there is no cache: {absence()}")
    say([str(folder)])
    return 0


@cache.command
def clear() -> int:
    """Remove all rules and their machine code. Processes that use them go on, and make anew what they have not read yet."""
    where = store()
    if where is None:
        raise UsageError(f"there is no cache: {absence()}")
    entries, size = where.summary() if where.exists() else (0, 0)
    remove(where)
    say([f"removed {entries} entries, {amount(size)}"])
    return 0


def remove(where: Store) -> None:
    """Remove the folder of `where`.

    Raises:
        UsageError: the system does not let us.
    """
    try:
        where.discard()
    except OSError as error:
        raise UsageError(f"{where.folder} cannot be removed: {error.strerror}") from None


def amount(size: float) -> str:
    """A number of bytes as people read it.

    >>> amount(100), amount(3 << 19), amount(256 << 20)
    ('100 B', '1.5 MiB', '256 MiB')
    """
    unit = 0
    while size >= 1024 and unit + 1 < len(UNITS):
        size, unit = size / 1024, unit + 1
    return f"{size:.3g} {UNITS[unit]}" if size < 1000 else f"{size:.0f} {UNITS[unit]}"


def say(lines: Iterable[str]) -> None:
    """Write lines to the standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
