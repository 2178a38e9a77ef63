"""Source of a Python function to untyped SSA, once per code object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

import gast

from adxform.errors import UnsupportedSyntaxError
from adxform.frontend.lowering.closures import build_function
from adxform.frontend.lowering.expressions import lower_expression
from adxform.frontend.lowering.scope import State
from adxform.frontend.lowering.statements import lower_function_body
from adxform.frontend.source import FunctionSource, code_of, find_source
from adxform.ir.ops import Function, Operand
from adxform.source import Span


def lower(fn: Callable[..., Any] | CodeType) -> Function:
    """Return the untyped SSA of a function, a method, a lambda or a code object.

    Decorators of `fn` itself have no part in it; defaults and free variables are read by whoever calls.

    Raises: `SourceUnavailableError`, `UnsupportedSyntaxError`, `GlobalMutationError`.
    """
    code = code_of(fn)
    return _lower_code(code, code.co_filename, code.co_firstlineno)


@functools.lru_cache(maxsize=4096)
def _lower_code(code: CodeType, file: str, line: int) -> Function:
    """`file` belongs to the key: equal code may stand in two files."""
    try:
        return lower_source(find_source(code))
    except RecursionError:
        message = f"`{code.co_qualname}` nests too deeply"
        span = Span(file, line, 0, line, 0)
        raise UnsupportedSyntaxError(message, span=span, help="split the nested expression or statement in two") from None


def lower_source(source: FunctionSource) -> Function:
    """Return the untyped SSA of a definition."""
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        help_ = "differentiate an ordinary function"
        raise UnsupportedSyntaxError("`async def` is not supported", span=source.span(node), help=help_)

    def fill(state: State) -> Operand:
        return lower_expression(state, node.body) if isinstance(node, gast.Lambda) else lower_function_body(state, node.body)

    return build_function(source, fill)
