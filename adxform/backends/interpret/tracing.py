"""What every op gives, told as it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePath
from typing import Any

import numpy as np

from adxform.analysis.stepping import Given
from adxform.ir.ops import Function, Op
from adxform.ir.text import show_op, show_operand
from adxform.ir.walk import outs

SHOWN = 8
"""Of how many elements an array is shown as a whole; of a larger one, three at either end of each axis."""

_write: ContextVar[Callable[[str], object] | None] = ContextVar("write", default=None)


@contextmanager
def trace(write: Callable[[str], object] = print) -> Iterator[None]:
    """Inside the block, `write` is given a line for each op that runs, in the order in which they do: the op and its values.

    That is for derivatives with ``engine="interpret"``; nothing else tells of itself. Of a store the memory is shown, as it is
    then, of a loop or a branch, after its ops, what it gives.
    """
    token = _write.set(write)
    try:
        yield
    finally:
        _write.reset(token)


def watcher(fn: Function) -> Callable[[Op, Given], None] | None:
    """What to tell of each op of `fn`, whose beginning is written; ``None`` where nobody asked."""
    write = _write.get()
    if write is None:
        return None
    write(f"{fn.name}({', '.join(param.name for param in fn.params)})")

    def watch(op: Op, given: Given) -> None:
        write(f"{place(op):16}  {line_of(op, given)}".rstrip())

    return watch


def place(op: Op) -> str:
    """The file and the line that `op` comes from."""
    return f"{PurePath(op.span.file).name}:{op.span.line}" if op.span.line else ""


def line_of(op: Op, given: Given) -> str:
    """What `op` is, and its values; where it makes none, with the name of what it wrote to."""
    head = show_op(op).partition("\n")[0]
    values = [shown(value) if outs(op) else f"{show_operand(operand)} = {shown(value)}" for operand, value in given]
    return f"{head}  # {', '.join(values)}" if values else head


def shown(value: Any) -> str:
    """A value on one line.

    >>> shown(np.arange(3.0)), shown(0.1)
    ('[0. 1. 2.]', '0.1')
    """
    if isinstance(value, np.ndarray):
        return " ".join(np.array2string(value, threshold=SHOWN, edgeitems=3).split())
    return str(value) if isinstance(value, np.generic) else repr(value)
