"""The part of a block that runs inside a ``with``: from the op that enters a manager to the one that leaves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adxform import runtime
from adxform.ir.ops import Call, Lit, Op


def is_call_of(op: Op, fn: Callable[..., Any]) -> bool:
    """Whether `op` is a call of `fn` itself."""
    return isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value is fn


def left_at(ops: Sequence[Op], place: int) -> int:
    """Where among `ops` the manager is left that the op at `place` enters; behind all of them where an exception leaves it."""
    depth = 0
    for at in range(place, len(ops)):
        depth += is_call_of(ops[at], runtime.entered) - is_call_of(ops[at], runtime.left)
        if depth == 0:
            return at
    return len(ops)
