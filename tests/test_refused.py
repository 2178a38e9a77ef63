"""Programs that cannot be differentiated: the error says which construct, on which line, and what to do."""

from __future__ import annotations

import inspect
import linecache

import pytest

import adxform
from adxform.errors import AdxError
from tests.corpus import refused
from tests.corpus.case import Program, programs_of

REFUSED = tuple(programs_of(refused))


def marked_line(program: Program) -> int:
    """Return the number of the line of the program that ends in ``# here``."""
    lines, first = inspect.getsourcelines(program.function)
    return next(first + i for i, line in enumerate(lines) if line.rstrip().endswith("# here"))


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.name)
def test_error_is_located(program: Program) -> None:
    assert program.raises is not None
    args = program.points[0].args
    with pytest.raises(AdxError) as caught:
        adxform.grad(program.function, argnums=program.wrt)(*args)
    error = caught.value
    assert type(error) is program.raises, str(error)
    assert error.span.file == inspect.getsourcefile(program.function)
    text = linecache.getline(error.span.file, error.span.line).rstrip()
    assert error.span.line == marked_line(program), f"points at: {text}"
    assert 0 <= error.span.column < len(text)
    assert error.help
    assert f"{error.span.line}:{error.span.column + 1}" in str(error)
    assert "^" in str(error)
