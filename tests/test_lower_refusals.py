"""What lowering refuses, and that the error points at it."""

# The programs are written as people write them.
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from adxform.errors import AdxError, UnsupportedSyntaxError
from adxform.frontend.lowering.lower import lower


def try_block(x):
    if x:
        try:
            x = 1 / x
        except* ZeroDivisionError:
            pass
    return x


def local_class(x):
    class Box:
        v = x + 1

    return Box


def late_bound_comprehension(x):
    fs = [lambda: i * x for i in range(3)]
    return fs[0]()


def reraised(x):
    if x:
        raise
    return x


async def coroutine(x):
    return x


REFUSED = [
    (try_block, UnsupportedSyntaxError, "try:", "`except*`"),
    (local_class, UnsupportedSyntaxError, "x + 1", "uses the variable `x`"),
    (late_bound_comprehension, UnsupportedSyntaxError, "lambda: i * x", "outlives"),
    (reraised, UnsupportedSyntaxError, "raise\n", "`raise`"),
    (coroutine, UnsupportedSyntaxError, "async def", "`async def`"),
]


@pytest.mark.parametrize(("program", "error", "text", "message"), REFUSED, ids=lambda value: getattr(value, "__name__", None))
def test_what_is_refused_is_located(program: Callable[..., Any], error: type[AdxError], text: str, message: str) -> None:
    with pytest.raises(error) as caught:
        lower(program)
    lines, first = inspect.getsourcelines(program)
    line, column = next((k, line.index(text)) for k, line in enumerate(lines) if text in line)
    span = caught.value.span
    assert (span.file, span.line, span.column) == (__file__, first + line, column)
    assert message in str(caught.value)
    assert caught.value.help
    assert "^" in str(caught.value)
