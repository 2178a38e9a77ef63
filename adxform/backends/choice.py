"""Which backend runs a rule: the one that was asked for, or where adxform is to choose, the one that offers more."""

from __future__ import annotations

from dataclasses import replace

from adxform.backends.protocol import Choice, Lowered
from adxform.backends.table import COMPILER, PLAIN, backend_of
from adxform.frontend.derivative_operators import Engine
from adxform.ir.ops import Function


def choose(fn: Function, engine: Engine, skipped: int = 0) -> tuple[Choice, Lowered]:
    """What runs `fn`, optimised typed IR, where `engine` was asked for; and `fn` as that runs it.

    For `skipped` see `adxform.backends.protocol.Backend.lower`.
    """
    if engine.name != "auto":
        backend = backend_of(engine)
        backend.load()
        return Choice(engine), backend.lower(fn, engine, skipped)
    reason, lowered = COMPILER.offer(fn, engine, skipped)
    backend = PLAIN if lowered is None else COMPILER
    chosen = replace(engine, name=backend.name, prepared=False)
    return Choice(chosen, reason), lowered or backend.lower(fn, chosen, skipped)
