"""What products of vectors and matrices depend on: all of them are sums of products over common axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.ir.ops import Call
from adxform.ir.types import is_float
from adxform.primitives.contraction_types import einsum_terms
from adxform.primitives.facets import Contracts
from adxform.primitives.families.numpy_products import tensordot_axes
from adxform.primitives.table import TABLE
from adxform.sparse.calls import Handler, Tracing, everything, whole_numbers
from adxform.sparse.elementwise import product
from adxform.sparse.graph import CONST, ZERO, Graph
from adxform.sparse.pattern_values import Flow, concrete, ids_of

MOST = 4_000_000
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
Terms = tuple[Sequence[str], str]


def contracted(graph: Graph, terms: Terms, operands: Sequence[Any]) -> Any:
    """The ids of ``einsum(terms, *operands)``: for each element the union of all factors that it is made of.

    Where some factors are zero whatever the inputs are and the products are not too many, each product is looked at by itself.
    Elsewhere the factors are united along the axes that only they have first.
    """
    inputs, output = terms
    sizes: dict[str, int] = {}
    for term, ids in zip(inputs, operands, strict=True):
        for letter, size in zip(term, ids.shape, strict=True):
            sizes[letter] = max(sizes.get(letter, 1), size) if size != 0 and sizes.get(letter) != 0 else 0
    letters = output + "".join(letter for letter in sizes if letter not in output)
    if any((ids == ZERO).any() for ids in operands) and math.prod(sizes.values()) <= MOST:
        return _summed(graph, [(term, ids) for term, ids in zip(inputs, operands, strict=True)], letters, output, sizes, product)
    reduced: list[tuple[str, Any]] = []
    for term, ids in zip(inputs, operands, strict=True):
        own = "".join(letter for letter in dict.fromkeys(term) if letter in output)
        found = _summed(graph, [(term, ids)], own + "".join(x for x in dict.fromkeys(term) if x not in own), own, sizes, product)
        reduced.append((own, np.maximum(found, CONST)))
    return _summed(graph, reduced, output, output, sizes, product)


def _summed(
    graph: Graph,
    operands: Sequence[tuple[str, Any]],
    letters: str,
    output: str,
    sizes: Mapping[str, int],
    product: Callable[[Graph, Any, Any], Any],
) -> Any:
    """The products at each place of the space of `letters`, united over those that `output` does not have."""
    found: Any = None
    for term, ids in operands:
        own = "".join(dict.fromkeys(term))
        ids = np.einsum(ids, [LETTERS.index(x) for x in term], [LETTERS.index(x) for x in own]) if own != term else ids
        order = sorted(range(len(own)), key=lambda axis: letters.index(own[axis]))
        spread = np.transpose(ids, order)[tuple(slice(None) if letter in own else None for letter in letters)]
        found = spread if found is None else product(graph, found, spread)
    shape = tuple(sizes[letter] for letter in letters)
    kept = shape[: len(output)]
    if letters == output:
        return np.array(np.broadcast_to(found, shape))
    places = np.arange(math.prod(kept)).reshape(kept + (1,) * (len(letters) - len(output)))
    flat = graph.grouped(np.broadcast_to(places, shape), np.broadcast_to(found, shape), math.prod(kept))
    return flat.reshape(kept)


def matmul_terms(a: int, b: int) -> Terms:
    """The axes of ``a @ b`` for operands of these ranks.

    >>> matmul_terms(2, 1), matmul_terms(3, 2)
    ((('ik', 'k'), 'i'), (('Uik', 'kj'), 'Uij'))
    """
    lead = "ZYXWVU"
    left = lead[6 - max(a - 2, 0) :] if a > 2 else ""
    right = lead[6 - max(b - 2, 0) :] if b > 2 else ""
    left, right = left[::-1], right[::-1]
    most = max(left, right, key=len)
    left, right = most[len(most) - len(left) :], most[len(most) - len(right) :]
    rows, columns = "i" if a > 1 else "", "j" if b > 1 else ""
    return (left + rows + "k", right + "k" + columns), most + rows + columns


def dot_terms(a: int, b: int) -> Terms:
    """The axes of ``np.dot(a, b)``."""
    if not a or not b:
        return (LETTERS[:a], LETTERS[:b]), LETTERS[: a + b]
    first, second = LETTERS[: a - 1], LETTERS[a - 1 : a + b - 2]
    behind = second[:-1] + "Z" + second[-1] if b > 1 else "Z"
    return (first + "Z", behind), first + second


def inner_terms(a: int, b: int) -> Terms:
    """The axes of ``np.inner(a, b)``."""
    if not a or not b:
        return (LETTERS[:a], LETTERS[:b]), LETTERS[: a + b]
    first, second = LETTERS[: a - 1], LETTERS[a - 1 : a + b - 2]
    return (first + "Z", second + "Z"), first + second


def tensordot_terms(a: int, b: int, axes: Any = 2) -> Terms:
    """The axes of ``np.tensordot(a, b, axes)``."""
    kept_a, summed_a, kept_b, summed_b = tensordot_axes(a, b, axes)
    first, second = list(LETTERS[:a]), [""] * b
    for one, other in zip(summed_a, summed_b, strict=True):
        second[other] = first[one]
    for letter, axis in zip(LETTERS[a:], kept_b, strict=False):
        second[axis] = letter
    return ("".join(first), "".join(second)), "".join([*(first[i] for i in kept_a), *(second[i] for i in kept_b)])


TERMS: Mapping[Contracts, Callable[..., Terms]] = MappingProxyType(
    {
        Contracts.MATMUL: matmul_terms,
        Contracts.DOT: dot_terms,
        Contracts.INNER: inner_terms,
        Contracts.TENSORDOT: tensordot_terms,
        Contracts.EINSUM: lambda subscripts, *ranks: einsum_terms(subscripts, ranks),
    }
)


def _contraction(terms: Callable[..., Terms]) -> Handler:
    """A sum of products; `terms` says of which axes, from the ranks of the operands."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not is_float(call.outs[0].type):
            return whole_numbers(trace, call, args, kwargs)
        operands = [np.asarray(ids_of(arg)) for arg in (args[1:] if isinstance(args[0], str) else args[:2])]
        ranks = [ids.ndim for ids in operands]
        given = terms(args[0], *ranks) if isinstance(args[0], str) else terms(*ranks, *args[len(ranks) :], **concrete(kwargs))
        return Flow(contracted(trace.graph, given, operands))

    return handle


def _outer(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.outer(a, b)``"""
    a, b = (np.ravel(ids_of(arg)) for arg in args)
    return Flow(product(trace.graph, a[:, None], b))


def _kron(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.kron(a, b)`` of arrays of as many axes."""
    a, b = (np.asarray(ids_of(arg)) for arg in args)
    if a.ndim != b.ndim:
        return everything(trace, call, np.kron, args, kwargs)
    odd, even = tuple(range(1, 2 * a.ndim, 2)), tuple(range(0, 2 * a.ndim, 2))
    spread = product(trace.graph, np.expand_dims(a, odd), np.expand_dims(b, even))
    return Flow(np.reshape(spread, tuple(n * m for n, m in zip(a.shape, b.shape, strict=True))))


def _vdot(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.vdot(a, b)``"""
    a, b = (np.ravel(ids_of(arg)) for arg in args)
    return Flow(trace.graph.whole(product(trace.graph, a, b)))


KINDS: Mapping[Contracts, Handler] = MappingProxyType(
    {
        **{kind: _contraction(terms) for kind, terms in TERMS.items()},
        Contracts.OUTER: _outer,
        Contracts.KRON: _kron,
        Contracts.VDOT: _vdot,
    }
)
HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {fn: KINDS[kind] for fn, record in TABLE.items() if (kind := record.contracts) is not None and kind in KINDS}
)
