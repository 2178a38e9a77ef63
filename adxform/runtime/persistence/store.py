"""Bytes on the disk under keys, each sealed by a digest. Whatever is wrong with the disk, nothing is found and nothing fails.

The cache library, and SQLite with it, is imported when something is looked up for the first time. An entry never changes, so
what a killed writer, another process or a defect of the disk leaves behind is either whole or recognised by its digest.
"""

from __future__ import annotations

import atexit
import os
import shutil
import threading
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from adxform.runtime.persistence.private import (
    NotPrivateError,
    claim_file,
    claim_folder,
    make_folder,
    refuse_links,
    within_working_directory,
)
from adxform.threads.deep_recursion import bring_in
from adxform.threads.locks import Rank, imported, kept_at_fork

T = TypeVar("T")
SIZE = 256 << 20
UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
OFF = "switched off by ADXFORM_CACHE_DIR"
WAIT = 1.0  # seconds for another process to finish writing
SETTINGS = {
    "disk_min_file_size": 1 << 30,  # all in the one file of SQLite: a killed writer leaves no file that nobody counts
    "sqlite_journal_mode": "delete",  # unlike a write-ahead log: no shared memory that a damaged disk could pull away
    "sqlite_mmap_size": 0,
    "sqlite_synchronous": 0,  # what a power cut damages is recognised and derived anew
}


class CacheWarning(UserWarning):
    """The cache on the disk cannot be used, or not as it was, so that rules are derived anew. Given once in a process."""


def location() -> Path | None:
    """The folder of the cache: ``ADXFORM_CACHE_DIR``, or the user's cache folder; ``None`` where `absence` says why not."""
    found = _placed()
    return found if isinstance(found, Path) else None


def absence() -> str:
    """Why there is no folder for the cache; empty where there is one."""
    found = _placed()
    return found if isinstance(found, str) else ""


def _placed() -> Path | str:
    """The folder of the cache, or why there is none. What a relative path leads to is another thing in each working directory."""
    given = os.environ.get("ADXFORM_CACHE_DIR")
    if given is not None and given.strip().lower() in ("", "off"):
        return OFF
    if given is not None:
        return _given(given)
    folder = Path(imported("platformdirs").user_cache_dir("adxform", appauthor=False))
    if not folder.is_absolute() or within_working_directory(folder.resolve()):
        return f"the user's cache folder would be {folder}, in the working directory; ADXFORM_CACHE_DIR can name another"
    return folder


def _given(given: str) -> Path | str:
    """The folder that ``ADXFORM_CACHE_DIR`` names, or why it is none: ``~`` is what ``HOME`` says, whatever that is."""
    try:
        folder = Path(given).expanduser()
    except RuntimeError:  # there is no such user
        folder = Path(given)
    if not folder.is_absolute():
        return f"ADXFORM_CACHE_DIR is {given!r}, which is no absolute path"
    if given.startswith("~") and within_working_directory(folder.resolve()):
        return f"ADXFORM_CACHE_DIR is {given!r}, which would be {folder}, in the working directory"
    return folder


def size_limit() -> int:
    """How many bytes the cache may hold: ``ADXFORM_CACHE_SIZE``, such as ``100MB``, or else 256 MB."""
    given = os.environ.get("ADXFORM_CACHE_SIZE", "").strip().upper()
    number = given.rstrip("KMGB ")
    try:
        return int(float(number) * UNITS[given[len(number) :].strip()]) if given else SIZE
    except (KeyError, ValueError, OverflowError):
        warn(f"ADXFORM_CACHE_SIZE is {given!r}, which is no size such as 100MB")
        return SIZE


_lock = kept_at_fork(threading.RLock(), Rank.DISK)
"""Held while SQLite is at work, so that no fork leaves a transaction, or a lock of its own, in the child."""
_warned: list[str] = []


def warn(message: str) -> None:
    """Give a `CacheWarning`, unless this process was given one before."""
    with _lock:
        if _warned:
            return
        _warned.append(message)
    warnings.warn(f"the cache of adxform: {message}", CacheWarning, stacklevel=2)


class Store:
    """The entries in one folder, which is made when the first one is written or looked up."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self._cache: Any = None
        self._off = False

    def get(self, key: bytes) -> bytes | None:
        """The bytes under `key`, exactly as they were written; ``None`` where there are none."""
        sealed = self._do(lambda cache: cache.get(key), None)
        if sealed is None:
            return None
        if isinstance(sealed, bytes) and sealed[:32] == seal(key, sealed[32:]):
            return sealed[32:]
        warn(f"an entry in {self.folder} was damaged, and is derived anew")
        self._do(lambda cache: cache.delete(key), False)
        return None

    def put(self, key: bytes, data: bytes) -> bool:
        """Write `data` under `key`, in place of what was there; return whether that worked."""
        return bool(self._do(lambda cache: cache.set(key, seal(key, data) + data), False))

    def add(self, key: bytes, data: bytes) -> bool:
        """Write `data` under `key` unless there is an entry; return whether it was written."""
        return bool(self._do(lambda cache: cache.add(key, seal(key, data) + data), False))

    def exists(self) -> bool:
        """Whether something was ever written."""
        return self.folder.is_dir()

    def summary(self) -> tuple[int, int]:
        """How many entries there are, and how many bytes they take."""
        return self._do(lambda cache: (len(cache), cache.volume()), (0, 0))

    def close(self) -> None:
        """Let go of the files."""
        if self._cache is not None:
            self._cache.close()

    def discard(self) -> None:
        """Remove the folder. Another process that has it open goes on with files that nobody else sees."""
        with _lock:
            self.close()
            self._cache = None
            aside = self.folder.with_name(f"{self.folder.name}.{os.getpid()}.{threading.get_ident()}")
            try:
                self.folder.replace(aside)
            except FileNotFoundError:  # another process was faster
                return
            shutil.rmtree(aside, ignore_errors=True)

    def _do(self, action: Callable[[Any], T], otherwise: T) -> T:
        """What `action` returns for the open cache; `otherwise` where the disk does not let it."""
        for attempt in range(2):
            if self._off:
                break
            try:
                return self._done(action)
            except RecursionError:  # the stack is ours, and says nothing of the disk
                self._let_go()
                raise
            except NotPrivateError as error:
                self._off = True
                warn(f"{error}; nothing is read or written there, and rules are derived anew")
            except Exception as error:
                if type(error).__name__ == "Timeout":
                    break
                self._refused(error, attempt)
            except BaseException:  # an interrupt, maybe in the middle of a transaction
                self._let_go()
                raise
        return otherwise

    def _done(self, action: Callable[[Any], T]) -> T:
        """What `action` returns for the open cache."""
        with _lock:
            try:
                return action(self._opened())
            finally:
                if threading.current_thread() is not threading.main_thread():
                    self.close()  # a connection is its thread's own

    def _let_go(self) -> None:
        """Close the connection, which rolls back what it has begun, and look at the files anew the next time."""
        with _lock:
            cache, self._cache = self._cache, None
            if cache is not None:
                cache.close()

    def _opened(self) -> Any:
        with _lock:
            if self._cache is None:
                refuse_links(self.folder.parent, self.folder)
                make_folder(self.folder)
                claim_folder(self.folder)
                claim_file(self.folder / "cache.db")  # whatever SQLite puts beside it may be read by the same users
                diskcache, rows = bring_in("diskcache"), bring_in("adxform.runtime.persistence.cache_rows")
                given = {"timeout": WAIT, "size_limit": self.limit, "disk": rows.Rows, **SETTINGS}
                self._cache = diskcache.Cache(str(self.folder), **given)
            return self._cache

    def _refused(self, error: Exception, attempt: int) -> None:
        """Begin anew after the first error where the files are damaged; use the disk no more after a second one."""
        sqlite3 = imported("sqlite3")
        lasting = isinstance(error, OSError | ImportError | sqlite3.OperationalError) and "no such" not in str(error)
        with _lock:
            self._cache = None
            if attempt:
                self._off = True
                warn(f"{self.folder} cannot be used ({error}); rules are derived anew")
            elif not lasting:
                warn(f"the files in {self.folder} were damaged, and are made anew")
                try:
                    self.discard()
                except OSError:
                    self._off = True


def seal(key: bytes, data: bytes) -> bytes:
    """The digest of an entry."""
    return sha256(key + data).digest()


_stores: dict[tuple[Path, int], Store] = {}


def store() -> Store | None:
    """The store that the environment names; ``None`` where the cache is switched off."""
    found = _placed()
    if isinstance(found, str):
        if found != OFF:
            warn(f"{found}; rules are derived anew")
        return None
    key = found / "rules", size_limit()
    with _lock:
        return _stores.get(key) or _stores.setdefault(key, Store(*key))


@atexit.register
def close() -> None:
    """Let go of all files."""
    for each in tuple(_stores.values()):
        each.close()
