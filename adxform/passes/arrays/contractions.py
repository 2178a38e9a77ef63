"""Products of arrays by their axes: outer products, ``einsum``, and products of small matrices of known lengths, as loops.

Each axis of an operand has a letter, as in ``einsum``: what has the same letter runs together, what the result has not is summed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Size
from adxform.passes.arrays.maps import FIRST, AffineIndex, Counted, NestAccess, composed, loop_space, loops, spread, whole
from adxform.passes.arrays.recording import Recorder
from adxform.passes.arrays.reductions import Reduction
from adxform.passes.arrays.small_axes import FEW
from adxform.passes.arrays.units import Assign, Elements, Source
from adxform.passes.linalg.kernel_products import MATMULS, MATRIX_PRODUCTS
from adxform.primitives.contraction_types import einsum_terms
from adxform.primitives.effects import effect_of
from adxform.primitives.facets import Contracts

MOST = {3: 64, 2: FEW * FEW}
"""So many multiplications of matrices are written out as loops, by how many of their lengths are known; more are a call."""
MANY = "b"
"""The letter of an axis of which one of two operands of a product may have one element only."""
OF_MATRICES: Mapping[tuple[int, int], tuple[tuple[str, str], str]] = {
    (1, 2): (("k", "kj"), "j"),
    (2, 1): (("ik", "k"), "i"),
    (2, 2): (("ik", "kj"), "ij"),
    (3, 2): (("bik", "kj"), "bij"),
    (2, 3): (("ik", "bkj"), "bij"),
    (3, 3): (("bik", "bkj"), "bij"),
}


def contracted(op: Call, out: Var, recorder: Recorder) -> bool:
    """Reads a product of arrays, added up over some of their axes or not; one that is better a call is not read."""
    arrays = op.args[1:] if callee(op) is np.einsum else op.args
    shapes = [_shape(arg) for arg in arrays]
    known = [shape for shape in shapes if shape is not None]
    if op.kwargs or not any(known) or len(known) < len(shapes) or effect_of(op).views or _shape(out) is None:
        return False
    found = _letters(op, known)
    if found is None:
        return False
    terms, output = found
    sizes = _sizes(terms, known, MANY if callee(op) in MATMULS else "")
    if sizes is None:
        return False
    own = tuple(sizes[letter] for letter in output)
    matrices = callee(op) in MATRIX_PRODUCTS or _is_matrix_product(terms, output)
    if _shape(out) != own or (matrices and not _is_small(terms, output, sizes)):
        return False
    order = _order(terms, output)
    space = tuple(sizes[letter] for letter in order)
    numbers = dict(zip(order, loops(space), strict=True))
    given = [_source(arg, term, numbers, recorder) for arg, term in zip(arrays, terms, strict=True)]
    sources = tuple(source for source in given if source is not None)
    return len(sources) == len(given) and _added_up(op, out, (order, output, space), sources, recorder)


def _added_up(
    op: Call, out: Var, axes: tuple[str, str, tuple[Size, ...]], sources: tuple[Source, ...], recorder: Recorder
) -> bool:
    """Reads the products of `sources` in loops by the letters `order`, of lengths `space`; what `output` has not is summed."""
    order, output, space = axes
    if set(order) == set(output):
        own = tuple(space[order.index(letter)] for letter in output)
        target = spread(whole(out), own, own)
        if target is None or not loop_space(own) or not recorder.scope.measurable(loop_space(own)):
            return False
        recorder.add(op, (out,), loop_space(own), Assign(target), sources, multiplied)
        return True
    gone = tuple(place for place, letter in enumerate(order) if letter not in output)
    result = tuple(AffineIndex(order.index(letter)) for letter in output)
    return recorder.reduce(op, out, Reduction(space, gone, result, sources, multiplied, runtime.add_up, Lit(0.0), "float64"))


def _sizes(terms: list[str], shapes: list[tuple[Size, ...]], many: str) -> dict[str, Size] | None:
    """The length of each letter's axes, which is one, but for the letter `many`, of which some may be one element long."""
    sizes: dict[str, Size] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, size in zip(term, shape, strict=True):
            one = letter == many and 1 in (size, sizes.get(letter))
            if sizes.setdefault(letter, size) != size and not one:
                return None
            sizes[letter] = size if sizes[letter] == 1 else sizes[letter]
    return sizes


def kronecker(op: Call, out: Var, recorder: Recorder) -> bool:
    """Notes of ``np.kron``, which stays a call, what its elements are: products, with an axis for each of those of both operands.

    What takes all of them in any order needs no more.
    """
    shapes = [_shape(arg) for arg in op.args]
    if op.kwargs or len(shapes) != 2 or not recorder.scope.fixed(out) or _shape(out) is None:
        return False
    a, b = shapes
    if not a or not b or len(a) != len(b):
        return False
    shape = tuple(size for pair in zip(a, b, strict=True) for size in pair)
    space, numbers = loop_space(shape), loops(shape)
    if not space or not recorder.scope.measurable(space):
        return False
    letters = {str(place): number for place, number in enumerate(numbers)}
    terms = ["".join(map(str, range(first, len(shape), 2))) for first in (0, 1)]
    first, second = (_source(arg, term, letters, recorder) for arg, term in zip(op.args, terms, strict=True))
    steady = all(recorder.scope.fixed(source.base) for source in (first, second) if isinstance(source, NestAccess))
    if first is not None and second is not None and steady:
        recorder.scope.flat[out.name] = Elements(shape, (first, second), multiplied)
    return False


def multiplied(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """The product of all."""
    total = args[0]
    for arg in args[1:]:
        total = builder.call(operator.mul, total, arg, type=Scalar("float64"), hint=hint)
    return total


def _letters(op: Call, shapes: list[tuple[Size, ...]]) -> tuple[list[str], str] | None:
    """The letters of the axes of each operand, and of the result."""
    fn, ranks = callee(op), tuple(map(len, shapes))
    if fn is np.outer:
        return (["i", "j"], "ij") if ranks == (1, 1) else None
    if fn in (MATMULS if max(ranks, default=0) > 2 else MATRIX_PRODUCTS) and len(ranks) == 2 and ranks in OF_MATRICES:
        terms, output = OF_MATRICES[ranks]
        return list(terms), output
    if fn is np.einsum and isinstance(op.args[0], Lit) and isinstance(op.args[0].value, str):
        return einsum_terms(op.args[0].value, ranks)
    return None


def _shape(arg: Operand) -> tuple[Size, ...] | None:
    match arg:
        case Var(type=Array("float64", tuple() as shape)):
            return shape
        case Var(type=Scalar("float64")) | Lit(float()):
            return ()
        case _:
            return None


def _is_matrix_product(terms: list[str], output: str) -> bool:
    """Whether rows of one operand meet columns of another, in which case loops are slow for what is large."""
    summed = {letter for term in terms for letter in term if letter not in output}
    own = [set(term) & set(output) - {letter for other in terms if other is not term for letter in other} for term in terms]
    return bool(summed) and sum(map(bool, own)) == 2


def _is_small(terms: list[str], output: str, sizes: Mapping[str, Size]) -> bool:
    """Whether the matrices that are multiplied are small, or all but one of the lengths of rows, columns and sums are.

    How many matrices there are does not matter.
    """
    first, *others = [{letter for letter in term if letter in output} for term in terms]
    second = set().union(*others)
    kinds = first - second, second - first, {letter for term in terms for letter in term} - set(output)
    known = [kind for kind in kinds if all(isinstance(sizes[letter], int) for letter in kind)]
    lengths = [size for kind in known for letter in kind if isinstance(size := sizes[letter], int)]
    return math.prod(lengths) <= MOST.get(len(known), 0)


def _order(terms: list[str], output: str) -> str:
    """The letters from the outermost loop to the innermost: as they lie in an operand that has all of them, if one has."""
    largest, everything = max(terms, key=len), {letter for term in terms for letter in term}
    if set(largest) == everything != set(output):
        return "".join(dict.fromkeys(largest))
    return "".join(dict.fromkeys([*output, *(letter for term in terms for letter in term)]))


def _source(arg: Operand, term: str, numbers: Mapping[str, int | None], recorder: Recorder) -> Source | None:
    """What each iteration takes of `arg`, whose axes have the letters `term`: of one that is one element long, that."""
    source = recorder.scope.source(arg)
    if not isinstance(source, NestAccess | Counted):
        return source
    own = zip(term, _shape(arg) or (), strict=True)
    return composed(
        source, [FIRST if size == 1 or numbers[letter] is None else AffineIndex(numbers[letter]) for letter, size in own]
    )


CONTRACTIONS = {
    **dict.fromkeys((Contracts.OUTER, Contracts.EINSUM, Contracts.MATMUL, Contracts.DOT), contracted),
    Contracts.KRON: kronecker,
}
