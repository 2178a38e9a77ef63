"""Engines of LLVM's, which hold machine code: each kernel has one of its own, and gives it back when it goes. It imports Numba.

Numba has one engine for all, and an engine frees nothing as long as it is there. What a kernel calls of other kernels and of
Numba's functions is linked into it (`linking`), so that nothing but what holds the kernel leads to its machine code: arrays that
it returned are freed by functions of the process. The functions of Numba that kernels share stay where Numba has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import finalize

import llvmlite.binding
import numpy as np
from numba.core.codegen import JITCPUCodegen


def new_engine() -> tuple[Any, Any]:
    """A code generator with an engine of its own, and what the code that is put there has to hold: the engine goes with it.

    An engine that the collector saw would go too early. Of all that goes together it first calls each `__del__`, in any order,
    and those of users may run a kernel then, or keep it. What is held here is of a class that the collector does not look at:
    nothing leads to it any more when it goes.
    """
    made = JITCPUCodegen("adxform")
    held = np.empty(0)
    finalize(held, made._engine._ee.close).atexit = False
    return made, held


def outside(module: Any) -> list[str]:
    """The names of what the code in `module` calls and reads outside of it."""
    return [value.name for value in (*module.functions, *module.global_variables) if value.is_declaration]


def are_there(names: Iterable[str]) -> bool:
    """Whether functions and variables with these `names` are in the process. LLVM ends a process in which one is not."""
    return all(name.startswith("llvm.") or llvmlite.binding.address_of_symbol(name) for name in names)
