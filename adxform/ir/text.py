"""The textual IR, out: `show`. What it prints, `adxform.ir.parse.read` (here again as `read`) turns back into the same function.

The text looks like Python. A variable shows its type where it is defined (nothing for `Object`): ``float``, ``int``, ``bool``,
``complex`` are Python numbers; ``f64``, ``i32``, ``b8``, … NumPy scalars; ``f64[x.0, ?3-1, 1]`` arrays; ``f64[...]`` arrays of
unknown rank; ``stack``.

Callables go by qualified path; ``lit(…)`` sets a literal tuple, list, dict or slice apart from a `Pack`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, assert_never

import numpy as np

from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Pack,
    Raise,
    Snapshots,
    Var,
    While,
)
from adxform.ir.parse import DTYPES, WEAK, read
from adxform.ir.paths import path_of
from adxform.ir.spans import own_attribute
from adxform.ir.types import Array, Object, Scalar, Size, Stack, Type

__all__ = ["read", "show", "show_op", "show_operand", "show_type"]

_DTYPE_NAMES: Mapping[str, str] = {dtype: name for name, dtype in DTYPES.items()}
_WEAK_NAMES: Mapping[str, str] = {dtype: name for name, dtype in WEAK.items()}


def show(fn: Function) -> str:
    """The text of `fn` and, after it, of its helpers.

    >>> from adxform.ir.types import Dim
    >>> x, y = Var("x", Array("float64", (Dim("x.0"),))), Var("x.1", Scalar("float64"))
    >>> call = Call((y,), Lit(np.sum), (x,), (("axis", Lit(0)),))
    >>> print(show(Function("total", Block((x,), (call,), (y,)))))
    def total(x: f64[x.0]):
        x.1: f64 = np.sum(x, axis=0)
        return x.1
    """
    parts = [_function(fn, nested=False), *map(_function, fn.helpers)]
    return "\n\n\n".join("\n".join(part) for part in parts)


def show_op(op: Op) -> str:
    """The text of `op`, with its blocks."""
    return "\n".join(_op(op))


def _function(fn: Function, nested: bool = True) -> Iterator[str]:
    name = fn.name if fn.name.isidentifier() else repr(fn.name)
    kinds = f" by ({', '.join(fn.kinds)})" if fn.kinds else ""
    yield f"def {name}({_definitions(fn.params)}){kinds}:"
    yield from _indented(op_line for op in fn.body.ops for op_line in _op(op))
    yield from _indented([f"return {_operands(fn.results)}".rstrip()])
    if nested:
        for helper in fn.helpers:
            yield from _indented(_function(helper))


def _indented(lines: Iterator[str] | list[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}"


def _block(block: Block) -> Iterator[str]:
    for op in block.ops:
        yield from _indented(_op(op))
    if block.results:
        yield f"    yield {_operands(block.results)}"
    elif not block.ops:
        yield "    pass"


def _op(op: Op) -> Iterator[str]:
    match op:
        case Call(outs, fn, args, kwargs):
            given = [show_operand(arg) for arg in args] + [f"{key}={show_operand(value)}" for key, value in kwargs]
            yield f"{_target(outs)}{show_operand(fn)}({', '.join(given)})"
        case Free(out, name):
            yield f"{_target((out,))}free {name}"
        case Attribute(out, value, name):
            yield f"{_target((out,))}attribute {name} of {show_operand(value)}"
        case Closure(out, fn, captures, defaults):
            yield f"{_target((out,))}closure of ({_named(captures)}) defaults ({_named(defaults)}):"
            yield from _indented(_function(fn))
        case If(outs, cond, then, orelse):
            yield f"{_target(outs)}if {show_operand(cond)}:"
            yield from _block(then)
            if orelse.ops or orelse.results:
                yield "else:"
                yield from _block(orelse)
        case For(outs, source, inits, body, breaks, snapshots=snapshots):
            item = _definitions(body.params[:1])
            items = f"range({_operands(source)})" if len(source) > 1 else _operands(source)
            carried = _carried(body.params[1:], inits)
            yield f"{_target(outs)}for {item} in {items}{' breaks' * breaks}{_kept(snapshots)}{carried}:"
            yield from _block(body)
        case While(outs, inits, test, body, snapshots=snapshots):
            yield f"{_target(outs)}while{_kept(snapshots)}{_carried(test.params, inits)}:"
            yield from _block(test)
            yield f"do{' with ' * bool(body.params)}{_definitions(body.params)}:"
            yield from _block(body)
        case Invoke(outs, callee, args):
            name = callee if callee.isidentifier() else repr(callee)
            yield f"{_target(outs)}invoke {name}({_operands(args)})"
        case Raise(value):
            yield f"raise {show_operand(value)}"
        case _:
            assert_never(op)


def _target(outs: tuple[Var, ...]) -> str:
    return f"{_definitions(outs)} = " if outs else ""


def _definitions(params: tuple[Var, ...]) -> str:
    return ", ".join(_definition(param) for param in params)


def _definition(var: Var) -> str:
    return var.name if isinstance(var.type, Object) else f"{var.name}: {show_type(var.type)}"


def _kept(snapshots: Snapshots | None) -> str:
    if snapshots is None:
        return ""
    return f" keeps {snapshots.count}" if snapshots.memory is None else f" keeps {snapshots.memory} bytes"


def _carried(params: tuple[Var, ...], inits: tuple[Operand, ...]) -> str:
    pairs = [
        f"{_definition(param) if param else '<missing>'} = {show_operand(init) if init else '<missing>'}"
        for param, init in zip_longest(params, inits)
    ]
    return f" with {', '.join(pairs)}" if pairs else ""


def _named(pairs: tuple[tuple[str, Operand], ...]) -> str:
    return ", ".join(f"{name}={show_operand(value)}" for name, value in pairs)


def _operands(operands: tuple[Operand, ...]) -> str:
    return ", ".join(show_operand(operand) for operand in operands)


def show_operand(operand: Operand) -> str:
    """The text of `operand`."""
    match operand:
        case Var(name):
            return name
        case Lit(value):
            return "<undefined>" if operand == UNDEFINED else _literal(value)
        case Pack("dict", items):
            keys = ", ".join(f"{show_operand(k)}: {show_operand(v)}" for k, v in zip(items[::2], items[1::2], strict=True))
            return f"{{{keys}}}"
        case Pack(kind, items):
            return _bracketed(kind, [show_operand(item) for item in items])
        case _:
            assert_never(operand)


def _bracketed(kind: str, parts: list[str]) -> str:
    inside = ", ".join(parts)
    match kind:
        case "tuple":
            return f"({inside},)" if len(parts) == 1 else f"({inside})"
        case "list":
            return f"[{inside}]"
        case _:
            return f"{kind}({inside})"


def _literal(value: Any) -> str:
    if isinstance(value, tuple | list | dict | slice) and type(value) in (tuple, list, dict, slice):
        return f"lit({_plain(value)})"
    return _plain(value)


def _plain(value: Any) -> str:
    kind = type(value)
    if value is Ellipsis:
        return "..."
    if value is None or kind in (bool, int, str, bytes):
        return repr(value)
    if kind is float:
        text = repr(value)
        return re.sub(r"^(-?)(inf|nan)$", r"\1math.\2", text)
    if kind is complex:
        return f"complex({_plain(value.real)}, {_plain(value.imag)})"
    if isinstance(value, np.longdouble):
        return f"np.longdouble({str(value)!r})"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return f"np.{kind.__name__.rstrip('_')}({_plain(value.item())})"
    if isinstance(value, np.dtype):
        return f"np.dtype({value.str!r})"
    if kind is dict:
        return "{" + ", ".join(f"{_plain(k)}: {_plain(v)}" for k, v in value.items()) + "}"
    if kind is slice:
        return _bracketed("slice", [_plain(value.start), _plain(value.stop), _plain(value.step)])
    if kind in (tuple, list):
        return _bracketed(kind.__name__, [_plain(item) for item in value])
    name = str(own_attribute(value, "__qualname__", kind.__name__)).rpartition(".")[2]
    return path_of(value) or f"<{name.strip('<>')}>"


def show_type(type_: Type) -> str:
    """The text of `type_`.

    >>> from adxform.ir.types import Dim
    >>> show_type(Array("float32", (Dim("x.0", -2), 1))), show_type(Scalar("bool", weak=True)), show_type(Scalar("bool"))
    ('f32[x.0-2, 1]', 'bool', 'b8')
    """
    match type_:
        case Scalar(dtype, True):
            return _WEAK_NAMES.get(dtype) or f"weak {_dtype(dtype)}"
        case Scalar(dtype):
            return _dtype(dtype)
        case Array(dtype, shape):
            return f"{_dtype(dtype)}[{'...' if shape is None else ', '.join(_size(size) for size in shape)}]"
        case Stack():
            return "stack"
        case Object():
            return "object"
        case _:
            assert_never(type_)


def _dtype(dtype: str) -> str:
    return _DTYPE_NAMES.get(dtype) or repr(dtype)


def _size(size: Size) -> str:
    if isinstance(size, int):
        return str(size)
    base = size.base if re.fullmatch(r"\??\w+(\.\w+)*", size.base) and not size.base[0].isdigit() else repr(size.base)
    return f"{base}{size.offset:+d}" if size.offset else base
