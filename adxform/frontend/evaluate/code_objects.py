"""What a nested function says of its own code: its name, and the names of its parameters and variables."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType

from adxform.frontend.evaluate.values import FunctionValue


def code_of(value: FunctionValue) -> CodeType | None:
    """The code of a nested function, which that of the function around it holds; ``None`` where several differ on its line."""
    if value.scope is None:
        return None
    names = tuple(param.base for param in value.fn.params)
    here = [code for code in _codes(value.scope.fn.__code__) if code.co_firstlineno == value.fn.span.line]
    found = [code for code in here if code.co_varnames[: len(names)] == names]
    return found[0] if found and all(code == found[0] for code in found) else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)
