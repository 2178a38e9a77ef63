"""What cannot be differentiated, said of the user's function and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, assert_never

import numpy as np

from adxform.analysis.unseen_code import changes_outside
from adxform.errors import (
    AdxError,
    GlobalMutationError,
    NonDifferentiableError,
    NonScalarOutputError,
    OptionError,
    SourceUnavailableError,
)
from adxform.frontend.lowering.source_text import find_source
from adxform.frontend.signature import Fixed, Leaf, Node, Signature, Tree, sign
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Function
from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import Array, Dim, Scalar, Size, Type, is_complex, is_float, is_inexact
from adxform.runtime.dispatch.result_structures import leaves_of, named_ends

Sizes = Mapping[str, int]

COMPLEX_RESULT = (
    "return a real number of it, such as its `.real` or `abs(…) ** 2`; with `holomorphic=True`, where the function is "
    "holomorphic, the gradient is its complex derivative"
)
HOLOMORPHIC_ARGUMENT = "pass complex numbers, such as `x + 0j` or `x.astype(complex)`, or leave `holomorphic` out"
JACOBIAN_BY_COMPLEX = "a Jacobian by complex numbers is one matrix for holomorphic functions alone"
JACOBIAN_WAY_OUT = (
    "with `holomorphic=True`, where the function is holomorphic, it is the complex derivative; else use `jvp` or `vjp`, "
    "or differentiate by the real and the imaginary part"
)
REVERSE_ROWS = "of rows by cotangents, the imaginary part would be lost"
REVERSE_WAY_OUT = 'leave `mode` out or use `mode="forward"`; or return the real and the imaginary part'
HESSIAN_BY_COMPLEX = "a Hessian by complex numbers is not one matrix"
HESSIAN_WAY_OUT = "use `hvp`, the derivative of the gradient along a vector, or differentiate by the real and the imaginary part"
DERIVATIVE_BY_COMPLEX = "by a complex number there is a derivative of holomorphic functions alone"


def refuse_repeated(function: Function) -> None:
    """Raise where `function`, which a derivative runs several times, changes state outside of it: that happens once in a call."""
    for op in changes_outside(function):
        message = "this changes state outside of a function that a derivative along several vectors runs for each of them"
        way = "pull cotangents back by `vjp`, which runs it once, or take one product after the other"
        raise GlobalMutationError(message, span=op.span, help=way)


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


def refuse_real(fn: Callable[..., Any], name: str, tree: Tree) -> None:
    """Raise unless all numbers in the argument `name` are complex, as ``holomorphic=True`` has it."""
    for path, end in named_ends(tree, name):
        if isinstance(end, Leaf) and not is_complex(end.type):
            message = f"`{path}` of `{name_of(fn)}` is {of_kind(end.type)}, and with holomorphic=True arguments are complex"
            raise NonDifferentiableError(message, span=definition(fn), help=HOLOMORPHIC_ARGUMENT)


def refuse_complex(fn: Callable[..., Any], what: str, way_out: str, name: str, tree: Tree) -> None:
    """Raise where there are complex numbers in the argument `name`, by which there is no `what`."""
    for path, end in named_ends(tree, name):
        if isinstance(end, Leaf) and is_complex(end.type):
            message = f"`{path}` of `{name_of(fn)}` is {of_kind(end.type)}, and {what}"
            raise NonDifferentiableError(message, span=definition(fn), help=way_out)


def jacobian_ends(
    fn: Callable[..., Any], arguments: Iterable[tuple[str, Tree]], result: Tree, mode: str, *, holomorphic: bool
) -> str:
    """`mode`, in which the Jacobian of `fn` by `arguments` is taken; ``"forward"`` where no other would do.

    Raises:
        NonDifferentiableError: it is by complex numbers and not ``holomorphic``, or the other way round.
        NonScalarOutputError: what is returned is not complex where it has to be.
        OptionError: rows would hold only the real parts.
    """
    for name, tree in arguments:
        if holomorphic:
            refuse_real(fn, name, tree)
        else:
            refuse_complex(fn, JACOBIAN_BY_COMPLEX, JACOBIAN_WAY_OUT, name, tree)
    floats = [leaf for leaf in leaves_of(result) if is_inexact(leaf.type)]
    if holomorphic:
        for leaf in floats:
            if not is_complex(leaf.type):
                raise not_complex(fn, of_kind(leaf.type))
        return mode
    if not any(is_complex(leaf.type) for leaf in floats):
        return mode
    if mode == "reverse":
        raise OptionError(f"`{name_of(fn)}` returns complex numbers: {REVERSE_ROWS}", span=definition(fn), help=REVERSE_WAY_OUT)
    return "forward"


def not_complex(fn: Callable[..., Any], got: str) -> NonScalarOutputError:
    """The error for a function that returns `got` where ``holomorphic=True`` was given."""
    message = f"with holomorphic=True a complex number is returned, but `{name_of(fn)}` returns {got}"
    return NonScalarOutputError(message, span=definition(fn), help="leave `holomorphic` out: it is for complex results")


def differentiated_output(
    fn: Callable[..., Any], tree: Tree, sizes: Sizes, has_aux: bool, *, holomorphic: bool = False
) -> tuple[Any, int]:
    """The seed of the one real number that the function returns, and how many of its results are differentiated.

    Where the function is `holomorphic`, it is a complex number: a seed of one takes that to the complex derivative.

    Raises:
        NonScalarOutputError: it returns something else.
    """
    if has_aux:
        if not isinstance(tree, Node) or tree.kind != "tuple" or len(tree.children) != 2:
            raise non_scalar(fn, "with has_aux=True it returns `(value, aux)`", shown(tree, sizes))
        tree = tree.children[0]
    type_ = tree.type if isinstance(tree, Leaf) else scalar_type(tree.lit.value) if isinstance(tree, Fixed) else None
    one_number = isinstance(type_, Scalar | Array) and not getattr(type_, "shape", ())
    if isinstance(type_, Scalar | Array) and one_number and (is_complex if holomorphic else is_float)(type_):
        return _one(type_), int(isinstance(tree, Leaf))
    got = shown(tree, sizes)
    if holomorphic and isinstance(tree, Leaf) and is_float(tree.type):
        raise not_complex(fn, got)
    refused = non_scalar(fn, "a gradient needs a function that returns one real number", got)
    if type_ is not None and one_number and is_complex(type_) and isinstance(tree, Leaf):
        refused.help = COMPLEX_RESULT
    raise refused


def _one(type_: Scalar | Array) -> Any:
    """The number one of `type_`, which has no axes."""
    if isinstance(type_, Scalar) and type_.weak:
        return 1 + 0j if is_complex(type_) else 1.0
    return np.ones((), type_.dtype) if isinstance(type_, Array) and type_.shape == () else np.dtype(type_.dtype).type(1)


def non_scalar(fn: Callable[..., Any], need: str, got: str) -> NonScalarOutputError:
    """The error for a function that returns `got`."""
    return NonScalarOutputError(
        f"{need}, but `{name_of(fn)}` returns {got}",
        span=definition(fn),
        help="reduce the result with `.sum()` or `np.mean`, or use `jacobian` or `vjp`",
    )


def of_kind(type_: Type) -> str:
    """Numbers or arrays of `type_` in words, whatever their shape."""
    return f"an array of {type_.dtype}" if isinstance(type_, Array) else shown(Leaf(type_), {})


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
