"""What cannot be differentiated, said of the user's function and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

import numpy as np

from adxform.errors import AdxError, NonDifferentiableError, NonScalarOutputError, SourceUnavailableError
from adxform.frontend.lowering.source_text import find_source
from adxform.frontend.signature import Fixed, Leaf, Node, Signature, Tree, sign
from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import Array, Dim, Scalar, Size, is_float, is_inexact
from adxform.runtime.dispatch.result_structures import leaves_of

Sizes = Mapping[str, int]


def name_of(fn: Callable[..., Any]) -> str:
    """The name of `fn` for messages."""
    return getattr(fn, "__name__", type(fn).__name__)


def definition(fn: Callable[..., Any]) -> Span:
    """Where `fn` is defined, or the user's function that it is a derivative of, as far as that can be told."""
    try:
        source = find_source(fn)
    except SourceUnavailableError:
        return NOWHERE
    span = source.span(source.node)
    return definition(fn.__wrapped__) if span.is_own and hasattr(fn, "__wrapped__") else span


def signed(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Signature, list[Any]]:
    """The signature of the call ``fn(*args, **kwargs)`` and its leaves; a refusal of an argument is where `fn` is defined."""
    try:
        return sign(fn, args, kwargs)
    except AdxError as error:
        if not error.span.line:
            error.span = definition(fn)
        raise


def refuse(fn: Callable[..., Any], path: str, end: Leaf | Fixed) -> None:
    """Raise unless the leaf or fixed value at `path` has a derivative, or is a ``None`` that takes its place."""
    match end:
        case Leaf(type=type_) if is_inexact(type_):
            return
        case Fixed() if end.lit.value is None:
            return
        case Leaf(type=Scalar(dtype, weak)):
            what, way = (dtype.rstrip("0123456789") if weak else f"np.{dtype}"), "pass a float"
        case Leaf(type=Array(dtype)):
            what, way = f"{dtype} array", "pass a float array, such as `x.astype(float)`"
        case Fixed():
            what, way = type(end.lit.value).__name__, "move it to an argument that is not differentiated"
        case _:
            what, way = "value", "pass a float"
    article = "an" if what[0] in "aeiou" else "a"
    raise NonDifferentiableError(
        f"`{path}` of `{name_of(fn)}` is {article} {what}, which has no derivative",
        span=definition(fn),
        help=f"{way}, or choose other arguments with `argnums`",
    )


def differentiated_output(fn: Callable[..., Any], tree: Tree, sizes: Sizes, has_aux: bool) -> tuple[Any, int]:
    """The seed of the one real number that the function returns, and how many of its results are differentiated.

    Raises:
        NonScalarOutputError: it returns something else.
    """
    if has_aux:
        if not isinstance(tree, Node) or tree.kind != "tuple" or len(tree.children) != 2:
            raise non_scalar(fn, "with has_aux=True it returns `(value, aux)`", shown(tree, sizes))
        tree = tree.children[0]
    match tree:
        case Leaf(type=Scalar(dtype, weak) as type_) if is_float(type_):
            return (1.0 if weak else np.dtype(dtype).type(1)), 1
        case Leaf(type=Array(dtype, shape) as type_) if is_float(type_) and not shape:
            return (np.ones((), dtype) if shape == () else np.dtype(dtype).type(1)), 1
        case Fixed() if isinstance(tree.lit.value, float):
            return 1.0, 0
        case _:
            raise non_scalar(fn, "a gradient needs a function that returns one real number", shown(tree, sizes))


def non_scalar(fn: Callable[..., Any], need: str, got: str) -> NonScalarOutputError:
    """The error for a function that returns `got`."""
    return NonScalarOutputError(
        f"{need}, but `{name_of(fn)}` returns {got}",
        span=definition(fn),
        help="reduce the result with `.sum()` or `np.mean`, or use `jacobian` or `vjp`",
    )


def shown(tree: Tree, sizes: Sizes) -> str:
    """`tree` in words, with the lengths that are known."""
    match tree:
        case Leaf(type=Array(dtype, None)):
            return f"an array of {dtype}"
        case Leaf(type=Array(dtype, shape)) if shape is not None:
            lengths = [length(size, sizes) for size in shape]
            return f"an array of {dtype} of shape ({', '.join(lengths)}{',' * (len(lengths) == 1)})"
        case Leaf(type=Scalar(dtype, weak)):
            return f"a Python {dtype.rstrip('0123456789')}" if weak else f"a number of type {dtype}"
        case Leaf():
            return "an object"
        case Fixed():
            return repr(tree.lit.value)
        case Node():
            return f"a {tree.kind} of {len(tree.children)}"
        case _:
            assert_never(tree)


def length(size: Size, sizes: Sizes) -> str:
    """The length `size` as a number where an argument tells it, else by its name."""
    if isinstance(size, int):
        return str(size)
    known = sizes.get(size.base)
    return str(size) if known is None else str(max(known + size.offset, 0))


def known_sizes(signature: Signature, leaves: tuple[Any, ...]) -> Sizes:
    """The lengths behind the dims of the arguments, by the name of the dim."""
    trees = (*signature.args, *(tree for _, tree in signature.kwargs))
    sizes: dict[str, int] = {}
    for leaf, value in zip((leaf for tree in trees for leaf in leaves_of(tree)), leaves, strict=True):
        if isinstance(leaf.type, Array) and leaf.type.shape:
            for size, actual in zip(leaf.type.shape, np.shape(value), strict=True):
                if isinstance(size, Dim):
                    sizes[size.base] = actual - size.offset
    return sizes
