"""Which backend runs a rule: the one that was asked for, or where adxform is to choose, the one that offers more."""

from __future__ import annotations

from dataclasses import replace

from adxform.backends.protocol import Backend, Choice, Lowered, Run, Uncut
from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.backends.registry import COMPILER, PLAIN, backend_of
from adxform.frontend.derivative_operators import Engine
from adxform.ir.ops import Function
from adxform.passes.pipeline import with_checks
from adxform.primitives.alias import Aliases, alias_classes
from adxform.runtime.beliefs import is_debugging


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


def realise(
    backend: Backend, lowered: Lowered, surroundings: Surroundings, fallback: Run | None = None, aliases: Aliases | None = None
) -> tuple[Generated, Run]:
    """What `backend` makes of what was `lowered`, with checks of what was believed of it where the environment asks for them."""
    if is_debugging() and isinstance(lowered, Uncut):
        fn, aliases = with_checks(lowered.function, aliases or alias_classes(lowered.function))
        lowered = lowered.with_function(fn)
    return backend.realise(lowered, surroundings, fallback, aliases)
