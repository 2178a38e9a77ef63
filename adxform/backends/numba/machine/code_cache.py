"""Machine code on the disk, beside the derived rules: what Numba compiled in another process is read and not compiled again.

An entry is found by all that the code depends on: the text of what was compiled, the versions and sources of Python, NumPy, Numba
and adxform, the processor, and the settings of Numba. It imports Numba, as `adxform.backends.numba.machine.kernels` does.
"""

from __future__ import annotations

import atexit
import pickle
from functools import lru_cache
from hashlib import sha256
from typing import Any

import llvmlite
import llvmlite.binding
import llvmlite.binding.ffi
import numba
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]  # a module in C
from numba.core.serialize import dumps

from adxform.backends.numba.machine.blas import name_routines
from adxform.backends.numba.machine.engines import are_there, new_engine, outside
from adxform.backends.numba.machine.special import name_special_functions
from adxform.runtime import counters
from adxform.runtime.persistence.store import store
from adxform.runtime.persistence.versions import environment
from adxform.runtime.strict import way_back
from adxform.runtime.timing import phase
from adxform.threads.locks import PATIENCE, Rank, kept_at_fork

SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LLVM_REFPRUNE_PASS")


LOCKS = (
    kept_at_fork(global_compiler_lock._lock, Rank.COMPILER),
    kept_at_fork(llvmlite.binding.ffi.lib._lock._lock, Rank.MACHINE),
)
"""Numba's and LLVM's: what is compiled when another thread forks would be half there in the child, for ever locked."""


def unlock() -> None:
    """Open the locks that an interrupt left closed: Numba's statements for that are not safe from it."""
    for lock in LOCKS:
        while lock._is_owned():
            lock.release()


@atexit.register
def finish() -> None:
    """Wait for what other threads compile, and let them compile no more: LLVM ends a process whose end strikes it at work."""
    for lock in LOCKS:
        lock.acquire(timeout=PATIENCE)


class OnDisk(NullCache):
    """What Numba asks for the machine code of one function, and gives it to."""

    def __init__(self, *what: str) -> None:
        self.what = what

    @phase("disk")
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for arguments of the types `sig`; ``None`` where it has to be compiled."""
        where = store()
        key = None if where is None else self._key(sig, target_context.codegen())
        data = None if where is None or key is None else where.get(key)
        found = None if data is None else read(data, target_context)
        if found is not None:
            counters.count("disk_hits")
        return found

    @phase("disk")
    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code that was compiled for arguments of the types `sig`."""
        counters.count("machine_compiles")
        where = store()
        key = None if where is None else self._key(sig, data.codegen)
        if where is not None and key is not None and (written := as_bytes(data)) is not None and where.put(key, written):
            counters.count("disk_writes")

    def _key(self, sig: Any, codegen: Any) -> bytes | None:
        stamp = environment()
        if stamp is None:
            return None
        settings = [getattr(config, name) for name in SETTINGS]
        found = self.what, sig, codegen.magic_tuple(), numba.__version__, llvmlite.__version__, settings
        return sha256(stamp + repr(found).encode()).digest()


def kept(dispatcher: Any) -> Any:
    """`dispatcher`, the machine code of which is kept on the disk. What it compiles is known by its module and its name there.

    Where Numba is told to compile nothing, it is the function itself.
    """
    if not hasattr(dispatcher, "targetoptions"):
        return dispatcher
    options = dispatcher.targetoptions.items()
    plain = [f"{name}={sorted(value) if isinstance(value, set) else value}" for name, value in options]
    dispatcher._cache = OnDisk(dispatcher.__module__, dispatcher.__qualname__, *sorted(plain))
    return dispatcher


def as_bytes(compiled: Any) -> bytes | None:
    """What Numba compiled, and the names of what it calls outside; ``None`` where it is for this process only."""
    if compiled.lifted or compiled.library.has_dynamic_globals:
        return None
    try:
        written: bytes = dumps((outside(compiled.library._final_module), compiled._replace(type_annotation="")._reduce()))
    except Exception as error:  # whatever it is that has no name in another process
        way_back(error)
        return None
    return written


def read(data: bytes, target_context: Any) -> Any:
    """What `as_bytes` wrote; ``None`` where it is not for this process.

    Numba's own start, which compiling needs, takes longer than all else: it is left out unless the code calls what comes with it.
    """
    try:
        called, made = pickle.loads(data)
        name_allocators()
        name_routines(called)
        name_special_functions(called)
        if not are_there(called):
            target_context.refresh()
            if not are_there(called):
                return None
        codegen, held = new_engine()
        found = CompileResult._rebuild(target_context.subtarget(_internal_codegen=codegen), *made)
        found.library._held = held
        return found
    except Exception as error:  # whatever Numba makes of it
        way_back(error)
        return None


@lru_cache(maxsize=1)
def name_allocators() -> None:
    """Let code find the functions that make arrays, which Numba names no sooner than it compiles."""
    for name, address in _nrt_python.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
