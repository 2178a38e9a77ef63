"""Source of a Python function to untyped SSA, once per code object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

import gast

from adxform.errors import UnsupportedSyntaxError
from adxform.frontend.lowering.closures import build_function
from adxform.frontend.lowering.expressions import lower_expression
from adxform.frontend.lowering.halved_generators import halved
from adxform.frontend.lowering.managers_in_place import written_out
from adxform.frontend.lowering.scope import State
from adxform.frontend.lowering.source_text import FunctionSource, code_of, find_source
from adxform.frontend.lowering.statements import lower_function_body
from adxform.ir.code_constants import set_orders
from adxform.ir.ops import Function, Operand
from adxform.ir.spans import Span, is_own
from adxform.runtime.memos import Memo


def lower(fn: Callable[..., Any] | CodeType) -> Function:
    """Return the untyped SSA of a function, a method, a lambda or a code object.

    Decorators of `fn` itself have no part in it; defaults and free variables are read by whoever calls.

    Raises: `SourceUnavailableError`, `UnsupportedSyntaxError`, `GlobalMutationError`.
    """
    code = code_of(fn)
    file, line = code.co_filename, code.co_firstlineno
    return _lowered.get((code, file, line, set_orders(code)), lambda: _lower_code(code, file, line))


_Key = tuple[CodeType, str, int, tuple[tuple[Any, ...], ...]]


def _is_own(key: _Key) -> bool:
    return is_own(key[1])


_lowered: Memo[_Key, Function] = Memo(1024, lasting=_is_own)
"""The file belongs to the key: equal code may stand in two files. So does the order of sets, which differs in equal code."""


def _lower_code(code: CodeType, file: str, line: int) -> Function:
    try:
        return lower_source(find_source(code))
    except RecursionError:
        message = f"`{code.co_qualname}` nests too deeply"
        span = Span(file, line, 0, line, 0)
        raise UnsupportedSyntaxError(message, span=span, help="split the nested expression or statement in two") from None


def lower_halves(fn: FunctionType) -> Function | None:
    """Return the untyped SSA of a generator function that is cut at its ``yield``; ``None`` where it cannot be."""
    code = code_of(fn)
    return _halves.get((code, code.co_filename, code.co_firstlineno, set_orders(code)), lambda: _lower_halves(code))


_halves: Memo[_Key, Function | None] = Memo(1024, lasting=_is_own)


def _lower_halves(code: CodeType) -> Function | None:
    source = find_source(code)
    node = halved(source.node)
    return None if node is None else lower_source(replace(source, node=node))


def lower_source(source: FunctionSource) -> Function:
    """Return the untyped SSA of a definition."""
    source = replace(source, node=written_out(source.node))
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        help_ = "differentiate an ordinary function"
        raise UnsupportedSyntaxError("`async def` is not supported", span=source.span(node), help=help_)

    def fill(state: State, own: Any) -> Operand:
        return lower_expression(state, own.body) if isinstance(own, gast.Lambda) else lower_function_body(state, own.body)

    return build_function(source, fill)
