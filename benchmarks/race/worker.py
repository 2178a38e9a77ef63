"""A contender in a process of its own, for as long as the race goes: it builds, checks, times and weighs what it is asked to."""

from __future__ import annotations

import ctypes
import gc
import os
import time
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def environment(threads: int) -> Mapping[str, str]:
    """What a process has to find in its environment so that libraries use that many threads, and no rule is read from a disk."""
    number = str(threads)
    libraries = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB", "NUMEXPR")
    return {
        **{f"{name}_NUM_THREADS": number for name in libraries},
        "OMP_WAIT_POLICY": "PASSIVE",
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}",
        "JAX_PLATFORMS": "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "ADXFORM_CACHE_DIR": "off",
    }


def serve(connection: Connection, contender: str, threads: int, clock: str) -> None:
    """Answer requests until the other end closes: ``load`` a problem of a size, ``start``, ``settle``, ``time``, ``weigh``."""
    warnings.simplefilter("ignore")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
    nowhere = os.open(os.devnull, os.O_WRONLY)  # what libraries print, C code among them
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    from benchmarks.race.contenders import CONTENDERS
    from benchmarks.race.peers import UnableError

    chosen = next(entry for entry in CONTENDERS if entry.name == contender)
    if chosen.package:
        __import__(chosen.package)
    state = State(chosen, CLOCKS[clock])
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(("done", state.answer(*request)))
        except UnableError as reason:
            connection.send(("unable", str(reason)))
        except BaseException as error:
            connection.send(("failed", described(error)))


class State:
    """What a process remembers between requests."""

    def __init__(self, contender: Any, clock: Callable[[], float]) -> None:
        self.contender, self.clock = contender, clock
        self.problem: Any = None
        self.arguments: Any = None
        self.call: Any = None
        self.number, self.before = 1, 0

    def answer(self, request: str, *details: Any) -> Any:
        """The answer to a request."""
        from benchmarks.race.problems import PROBLEMS
        from benchmarks.timing import average, repeats

        match request:
            case "load":
                name, size = details
                self.call = None
                release()
                self.problem = PROBLEMS[name]
                self.arguments = self.problem.make(size)
                return None
            case "start":
                self.before = resident()
                began = time.perf_counter()
                self.call = self.contender.start(self.problem, self.arguments)
                result = self.call()
                return time.perf_counter() - began, flat(result)
            case "settle":
                self.number = repeats(self.call)
                return None
            case "time":
                gc.disable()
                try:
                    return average(self.call, self.number, self.clock)
                finally:
                    gc.enable()
            case "weigh":
                forget_peak()
                self.call()
                return max(peak() - self.before, 0)
            case _:
                raise ValueError(request)


def described(error: BaseException) -> str:
    """The error's name and the words of its message, not too many.

    >>> described(ValueError("=====\\n no\\nmore"))
    'ValueError: no more'
    """
    words = " ".join(line.strip() for line in str(error).splitlines() if line.strip(" =-"))
    return f"{type(error).__name__}: {words}"[:140]


def flat(result: Any) -> Any:
    """The derivative as one vector, whatever its parts."""
    import numpy as np

    parts = result if isinstance(result, tuple | list) else (result,)
    return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])


def release() -> None:
    """Collect what the last heat left, and give the system its memory back, where the C library can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def _status(key: str) -> int:
    """A line of the process's status in bytes; 0 where the system has none."""
    if not STATUS.exists():
        return 0
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024


def resident() -> int:
    """The memory that the process has now."""
    return _status("VmRSS:")


def peak() -> int:
    """The most that it had since `forget_peak`."""
    return _status("VmHWM:")


def forget_peak() -> None:
    """Let the peak start from what there is now."""
    if CLEAR.exists():
        CLEAR.write_text("5")
