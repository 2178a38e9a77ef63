"""A derived rule with its loops compiled, and the way back to Python where compiled code does not do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.backend.emit import Generated, emit
from adxform.backend.loading import load
from adxform.backend.references import Surroundings
from adxform.backend.syntax import callee
from adxform.engine.kernels import kernel
from adxform.engine.outline import outline
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Function
from adxform.ir.walk import all_ops
from adxform.rules.effects import is_opaque

HARMLESS = frozenset({intrinsics.turning_point, intrinsics.push, intrinsics.pop, intrinsics.new_stack, runtime.private})


@dataclass(frozen=True, slots=True)
class Compiled:
    """The source with its `kernels`, and what runs it. Only those of its helpers that are kernels are compiled."""

    generated: Generated
    run: Callable[..., Any]
    kernels: tuple[str, ...]


@dataclass(slots=True)
class Guarded:
    """Runs `compiled`; where that raises, `plain` instead, which gives the right result or the right error.

    Compiled code raises where an index is, or may be, out of bounds, where a number leaves the domain of an operation of Python's,
    and where Numba cannot compile it after all: then it is not tried again.
    """

    compiled: Callable[..., Any]
    plain: Callable[..., Any]
    refusal: str | None = None

    def __call__(self, *args: Any) -> Any:
        """What `plain` returns for `args`."""
        if self.refusal is None:
            try:
                return self.compiled(*args)
            except Exception as error:
                if type(error).__module__.startswith("numba."):
                    self.refusal = f"{type(error).__name__}: {error}"
        return self.plain(*args)


def compiled(fn: Function, surroundings: Surroundings) -> Compiled | None:
    """`fn`, optimised typed IR, with kernels; ``None`` where there is nothing to compile, or nothing that may be run again."""
    if not is_repeatable(fn):
        return None
    found = outline(fn)
    if not found.kernels:
        return None
    generated = emit(found.function, surroundings=surroundings, decorators=dict.fromkeys(found.kernels, kernel))
    return Compiled(generated, load(generated), found.kernels)


def is_repeatable(fn: Function) -> bool:
    """Whether running `fn` a second time, from the same arguments, changes nothing but what it returns."""
    ops = [op for part in (fn, *fn.helpers) for op in all_ops(part.body)]
    return not any(is_opaque(op) and callee(op) not in HARMLESS for op in ops if isinstance(op, Call))
