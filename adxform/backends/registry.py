"""The backends, by the names that ``engine=`` has for them. Everything else asks the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from adxform.backends.interpret.backend import InterpretBackend
from adxform.backends.numba.backend import NumbaBackend
from adxform.backends.protocol import Backend, CompilingBackend
from adxform.backends.python.backend import PythonBackend
from adxform.frontend.derivative_operators import Engine

PLAIN: Backend = PythonBackend()
"""What runs where nothing else does."""
COMPILER: CompilingBackend = NumbaBackend()
"""What ``engine="auto"`` weighs against `PLAIN`."""
BACKENDS: Mapping[str, Backend] = MappingProxyType({each.name: each for each in (PLAIN, COMPILER, InterpretBackend())})


def backend_of(engine: Engine) -> Backend:
    """The backend of an engine that is not ``"auto"``."""
    return BACKENDS[engine.name]


def may_compile(engine: Engine) -> bool:
    """Whether machine code may come of asking for `engine`."""
    return engine.name == "auto" or backend_of(engine).compiles
