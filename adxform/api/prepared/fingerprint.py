"""What a prepared derivative is, in 64 digits: the same for the same sources in every process, and after any number of calls."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, assert_never

import numpy as np

from adxform.frontend.signature import Fixed, Leaf, Node, Signature, Tree
from adxform.ir.spans import own_attribute


def digest(parts: Iterable[str]) -> str:
    """The fingerprint of these texts in this order."""
    found = sha256()
    for part in parts:
        text = part.encode("utf-8", "surrogatepass")
        found.update(len(text).to_bytes(8, "big") + text)
    return found.hexdigest()


def signature_text(signature: Signature) -> str:
    """`signature` as text: equal for equal ones."""
    named = (f"{name}={tree_text(tree)}" for name, tree in signature.kwargs)
    shared = ",".join(map(str, sorted(signature.shared)))
    return f"({'; '.join((*map(tree_text, signature.args), *named))}) {shared}"


def tree_text(tree: Tree) -> str:
    """The description of an argument as text."""
    match tree:
        case Leaf(type=type_):
            return repr(type_)
        case Fixed(lit):
            return static_text(lit.value)
        case Node(kind, cls, keys, children, meta):
            extra = "" if meta is None else f" {static_text(meta.lit.value)}"
            return f"{kind} {named(cls)} {keys!r} [{', '.join(map(tree_text, children))}]{extra}"
        case _:
            assert_never(tree)


def static_text(value: Any) -> str:
    """A value that is compared as a whole, as text without addresses: code by its content, other objects by their class."""
    match value:
        case None | str() | bytes() | bool() | int() | float() | complex() | np.generic() | np.dtype():
            return f"{type(value).__name__} {value!r}"
        case tuple() | list():
            return f"{type(value).__name__} [{', '.join(map(static_text, value))}]"
        case frozenset() | set():
            return f"{type(value).__name__} [{', '.join(sorted(map(static_text, value)))}]"
        case dict():
            return f"dict [{', '.join(f'{static_text(key)}: {static_text(item)}' for key, item in value.items())}]"
        case np.ndarray():
            return f"array {value.dtype} {value.shape} {sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
        case types.CodeType():
            return code_text(value)
        case types.MethodType():
            return f"method {static_text(value.__func__)}"
        case types.FunctionType():
            return f"function {named(value)} {code_text(value.__code__)}"
        case types.ModuleType():
            return f"module {value.__name__}"
        case _ if isinstance(own_attribute(value, "__qualname__"), str):
            return f"{type(value).__name__} {named(value)}"
        case np.ufunc():
            return f"ufunc {value.__name__}"
        case _:
            return f"a {named(type(value))}"


def code_text(code: types.CodeType) -> str:
    """The content of `code`, whatever file it came from."""
    return digest(_code_parts(code))


def _code_parts(code: types.CodeType) -> Iterator[str]:
    yield code.co_name
    yield code.co_code.hex()
    yield from (repr(names) for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield from map(static_text, code.co_consts)
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))


def named(value: Any) -> str:
    """The name by which a class or a function is known."""
    return f"{getattr(value, '__module__', None)}.{value.__qualname__}"
