"""Products of vectors, matrices and tensors, and traces.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import rank
from adxform.primitives.complex_numbers import conjugate
from adxform.primitives.contraction_types import (
    cross_result,
    dot_result,
    einsum_result,
    einsum_terms,
    matmul_result,
    multi_dot_result,
)
from adxform.primitives.declare import constant, general, linear
from adxform.primitives.facets import Chooses, Contracts, Layout, Reduces
from adxform.primitives.record import PURE, Effect, Primitive


def matmul_left(ct: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in ``a @ b``."""
    if np.ndim(b) == 1:
        if np.ndim(a) == 1:
            return ct * b
        if np.ndim(a) == 2:
            return np.outer(ct, b)
        return np.expand_dims(ct, -1) * b
    if np.ndim(a) == 1:
        if np.ndim(b) == 2:
            return b @ ct
        return runtime.unbroadcast(np.sum(b * np.expand_dims(ct, -2), axis=-1), a)
    if np.ndim(b) == 2:
        return ct @ b.T
    return runtime.unbroadcast(ct @ np.swapaxes(b, -1, -2), a)


def matmul_right(ct: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in ``a @ b``."""
    if np.ndim(a) == 1:
        if np.ndim(b) == 1:
            return ct * a
        if np.ndim(b) == 2:
            return np.outer(a, ct)
        return np.expand_dims(a, -1) * np.expand_dims(ct, -2)
    if np.ndim(b) == 1:
        if np.ndim(a) == 2:
            return ct @ a
        return runtime.unbroadcast(np.expand_dims(ct, -1) * a, b)
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return a.T @ ct
    return runtime.unbroadcast(np.swapaxes(a, -1, -2) @ ct, b)


def _dot_left(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(b) == 0:
        return ct * b
    if np.ndim(a) == 0:
        return np.sum(ct * b)
    if np.ndim(b) == 1 or (np.ndim(b) == 2 and np.ndim(a) <= 2):
        return matmul_left(ct, a, b)
    axes = tuple(range(np.ndim(a) - 1, np.ndim(ct)))
    return np.tensordot(ct, np.moveaxis(b, -2, -1), (axes, tuple(range(len(axes)))))


def _dot_right(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0:
        return ct * a
    if np.ndim(b) == 0:
        return np.sum(ct * a)
    if np.ndim(b) <= 2 and np.ndim(a) <= 2:
        return matmul_right(ct, a, b)
    axes = tuple(range(np.ndim(a) - 1))
    b_ct = np.tensordot(ct, a, (axes, axes))
    return b_ct if np.ndim(b) == 1 else np.moveaxis(b_ct, -1, -2)


def _inner_left(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return runtime.unbroadcast(ct * b, a)
    if np.ndim(b) == 1:
        return np.expand_dims(ct, -1) * b
    return np.tensordot(ct, b, (tuple(range(np.ndim(a) - 1, np.ndim(ct))), tuple(range(np.ndim(b) - 1))))


def _inner_right(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return runtime.unbroadcast(ct * a, b)
    if np.ndim(a) == 1:
        return np.expand_dims(ct, -1) * a
    axes = tuple(range(np.ndim(a) - 1))
    return np.tensordot(ct, a, (axes, axes))


def _outer_left(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape(ct @ (b if np.ndim(b) == 1 else np.ravel(b)), np.shape(a))


def _outer_right(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape((a if np.ndim(a) == 1 else np.ravel(a)) @ ct, np.shape(b))


def tensordot_axes(
    rank_a: int, rank_b: int, axes: Any
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The axes that ``tensordot`` keeps and sums, of the first operand and then of the second.

    >>> tensordot_axes(3, 2, 1)
    ((0, 1), (2,), (1,), (0,))
    """
    if isinstance(axes, int):
        first, second = tuple(range(rank_a - axes, rank_a)), tuple(range(axes))
    else:
        first, second = (tuple(int(i) for i in np.atleast_1d(part)) for part in axes)
        first, second = tuple(i % rank_a for i in first), tuple(i % rank_b for i in second)
    kept_a = tuple(i for i in range(rank_a) if i not in first)
    kept_b = tuple(i for i in range(rank_b) if i not in second)
    return kept_a, first, kept_b, second


def _tensordot_left(ct: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    kept_a, summed_a, kept_b, summed_b = tensordot_axes(np.ndim(a), np.ndim(b), axes)
    last = tuple(range(len(kept_a), np.ndim(ct)))
    a_ct = np.tensordot(ct, np.transpose(b, kept_b + summed_b), (last, tuple(range(len(kept_b)))))
    return np.moveaxis(a_ct, tuple(range(np.ndim(a))), kept_a + summed_a)


def _tensordot_right(ct: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    kept_a, summed_a, kept_b, summed_b = tensordot_axes(np.ndim(a), np.ndim(b), axes)
    first = tuple(range(len(kept_a)))
    b_ct = np.tensordot(ct, np.transpose(a, kept_a + summed_a), (first, first))
    return np.moveaxis(b_ct, tuple(range(np.ndim(b))), kept_b + summed_b)


def einsum_subscripts(subscripts: str, ranks: tuple[int, ...], position: int) -> tuple[str, tuple[int, ...], bool]:
    """The subscripts of the ``einsum`` that is the cotangent of one operand of ``einsum(subscripts, …)``.

    It takes the cotangent and the other operands; then, for each of the axes returned (which repeat an earlier one: a diagonal),
    an identity matrix; and last, if so, ones shaped as the operand, which has an axis that nothing else has.

    >>> einsum_subscripts("ij,jk->ik", (2, 2), 1)
    ('ik,ij->jk', (), False)
    >>> einsum_subscripts("ij->j", (2,), 0)
    ('j,ij->ij', (), True)
    >>> einsum_subscripts("ii", (2,), 0)
    (',iA,iA->iA', (1,), True)
    """
    terms, output = einsum_terms(subscripts, ranks)
    own = terms.pop(position)
    free = iter([letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter not in subscripts])
    distinct, identities = "", []
    for axis, letter in enumerate(own):
        distinct += next(letter for letter in free if letter not in own + output) if letter in distinct else letter
        if distinct[axis] != letter:
            identities.append(axis)
    pairs = [own[axis] + distinct[axis] for axis in identities]
    alone = bool(set(own) - set(output) - set("".join(terms)))
    operands = [output, *terms, *pairs, *([distinct] if alone else [])]
    return ",".join(operands) + "->" + distinct, tuple(identities), alone


OPERANDS = 12
"""How many arrays an ``einsum`` has a rule for."""


def _einsum_cotangent(position: int, ct: Any, subscripts: str, *arrays: Any, optimize: Any = False, order: Any = "K") -> Any:
    ranks = tuple([np.ndim(array) for array in arrays])
    transposed, identities, alone = einsum_subscripts(subscripts, ranks, position)
    own = arrays[position]
    operands = [ct]
    for i in range(len(arrays)):
        if i != position:
            operands.append(arrays[i])
    for axis in identities:
        operands.append(np.eye(own.shape[axis], dtype=own.dtype))
    if alone:
        operands.append(np.ones_like(own))
    return runtime.broadcast_like(runtime.unbroadcast(np.einsum(transposed, *operands), own), own)


def _einsum_effect(call: Call) -> Effect:
    """The sum of one array with its axes in another order, or of a diagonal, is a view."""
    match call.args:
        case (Lit(str(subscripts)), Var() as only) if rank(only.type) is not None:
            terms, output = einsum_terms(subscripts, (rank(only.type) or 0,))
            return Effect(views=(1,)) if set(terms[0]) == set(output) else PURE
        case (Lit(str()), _):
            return Effect(views=(1,))
        case _:
            return PURE


def _trace_transpose(ct: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
    if np.ndim(x) > 2 or axis1 != 0 or axis2 != 1:
        x_ct = np.zeros_like(x)
        runtime.diagonal(x_ct, offset, axis1, axis2)[...] = np.expand_dims(ct, -1)
        return x_ct
    return ct * np.eye(x.shape[0], x.shape[1], offset, dtype=x.dtype)


def _spatial(v: Any) -> Any:
    """Vectors of two or three as vectors of three."""
    return v if np.shape(v)[-1] == 3 else np.concatenate((v, np.zeros_like(v[..., :1])), -1)


def _cross_left(ct: Any, a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    if axis is not None or axisa != -1 or axisb != -1 or axisc != -1:
        place, other, result = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
        a, b, ct = np.moveaxis(a, place, -1), np.moveaxis(b, other, -1), np.moveaxis(ct, result, -1)
        return np.moveaxis(_cross_left(ct, a, b), -1, place)
    if np.shape(a)[-1] != np.shape(b)[-1]:
        a_ct = np.cross(_spatial(b), ct)[..., : np.shape(a)[-1]]
    else:
        a_ct = np.cross(b, ct)
    return runtime.unbroadcast(a_ct, a)


def _cross_right(ct: Any, a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    if axis is not None or axisa != -1 or axisb != -1 or axisc != -1:
        other, place, result = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
        a, b, ct = np.moveaxis(a, other, -1), np.moveaxis(b, place, -1), np.moveaxis(ct, result, -1)
        return np.moveaxis(_cross_right(ct, a, b), -1, place)
    if np.shape(a)[-1] != np.shape(b)[-1]:
        b_ct = np.cross(ct, _spatial(a))[..., : np.shape(b)[-1]]
    else:
        b_ct = np.cross(ct, a)
    return runtime.unbroadcast(b_ct, b)


def _kron_blocks(ct: Any, a: Any, b: Any) -> Any:
    """The cotangent of ``kron(a, b)``, of two vectors or of two matrices, with the axes of `a` and then those of `b`."""
    if np.ndim(a) == 1:
        return np.reshape(ct, (a.shape[0], b.shape[0]))
    return np.swapaxes(np.reshape(ct, (a.shape[0], b.shape[0], a.shape[1], b.shape[1])), 1, 2)


def _is_plain_kron(a: Any, b: Any) -> Any:
    return np.ndim(a) == np.ndim(b) and 0 < np.ndim(a) < 3


def _kron_lengths(a: Any, rank: Any) -> Any:
    """The lengths of `a` with as many axes of one in front as make it of `rank`."""
    return (1,) * (rank - np.ndim(a)) + np.shape(a)


def _kron_parts(ct: Any, a: Any, b: Any) -> Any:
    """As `_kron_blocks`, for operands of any ranks, both taken to be of the larger one."""
    rank = max(np.ndim(a), np.ndim(b))
    pairs = [n for pair in zip(_kron_lengths(a, rank), _kron_lengths(b, rank), strict=True) for n in pair]
    return np.moveaxis(np.reshape(ct, tuple(pairs)), tuple(range(0, 2 * rank, 2)), tuple(range(rank)))


def _kron_left(ct: Any, a: Any, b: Any) -> Any:
    if not _is_plain_kron(a, b):
        rank = max(np.ndim(a), np.ndim(b))
        others = np.reshape(b, _kron_lengths(b, rank))
        return np.reshape(np.sum(_kron_parts(ct, a, b) * others, axis=tuple(range(rank, 2 * rank))), np.shape(a))
    return np.sum(_kron_blocks(ct, a, b) * b, axis=tuple(range(np.ndim(a), 2 * np.ndim(a))))


def _kron_right(ct: Any, a: Any, b: Any) -> Any:
    if not _is_plain_kron(a, b):
        rank = max(np.ndim(a), np.ndim(b))
        others = np.reshape(a, _kron_lengths(a, rank) + (1,) * rank)
        return np.reshape(np.sum(_kron_parts(ct, a, b) * others, axis=tuple(range(rank))), np.shape(b))
    blocks = np.moveaxis(_kron_blocks(ct, a, b), tuple(range(np.ndim(a))), tuple(range(np.ndim(a), 2 * np.ndim(a))))
    return np.sum(blocks * a, axis=tuple(range(np.ndim(a), 2 * np.ndim(a))))


def _multi_dot(arrays: Any) -> Any:
    y = np.linalg.multi_dot(arrays)

    def pullback(ct: Any) -> Any:
        before = [arrays[0]]
        for i in range(1, len(arrays) - 1):
            before.append(before[i - 1] @ arrays[i])
        cts: list[Any] = []
        for i in range(len(arrays) - 1, 0, -1):
            cts.insert(0, matmul_right(ct, before[i - 1], arrays[i]))
            ct = matmul_left(ct, before[i - 1], arrays[i])
        cts.insert(0, ct)
        return (tuple(cts),)

    return y, pullback


_V = np.array([0.5, -1.5, 2.0])


def _vdot_left(ct: Any, a: Any, b: Any) -> Any:
    """That of the first vector, whose conjugate is multiplied."""
    a_ct = ct * np.reshape(b, np.shape(a))
    return conjugate(a_ct) if np.iscomplexobj(a) else a_ct


_W = np.array([1.0, 0.25])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_T = np.arange(12.0).reshape(2, 2, 3) / 7 - 0.5

_matmul = {0: matmul_left, 1: matmul_right}
_dot = {0: _dot_left, 1: _dot_right}
_outer = {0: _outer_left, 1: _outer_right}
_tensordot = {0: _tensordot_left, 1: _tensordot_right}
_einsum = {place + 1: functools.partial(_einsum_cotangent, place) for place in range(OPERANDS)}
_cross = {0: _cross_left, 1: _cross_right}

RECORDS: tuple[Primitive, ...] = (
    linear(
        np.matmul,
        _matmul,
        (_M, _V),
        (_W, _M),
        (_M, _M.T),
        (_V, _V),
        (_T, _M.T),
        (_T, _V),
        (_W, _T),
        (_M.T, _T),
        (_T, _T[0].T),
        result=matmul_result,
        contracts=Contracts.MATMUL,
        layout=Layout.ROW_BY_ROW,
    ),
    linear(
        np.dot,
        _dot,
        (_M, _V),
        (_M, _M.T),
        (_V, _V),
        (2.0, _V),
        (_V, 2.0),
        (_T, _V),
        (_T, _M.T),
        result=dot_result,
        contracts=Contracts.DOT,
        takes_out=True,
    ),
    linear(np.ndarray.dot, _dot, (_M, _V), (_M, _M.T), (_V, _V), result=dot_result, contracts=Contracts.DOT),
    linear(
        np.vdot,
        {0: _vdot_left, 1: lambda ct, a, b: ct * np.reshape(conjugate(a), np.shape(b))},
        (_V, _V),
        (_M, _M),
        contracts=Contracts.VDOT,
    ),
    linear(
        np.inner,
        {0: _inner_left, 1: _inner_right},
        (_V, _V),
        (_M, _V),
        (_M, _M),
        (_T, _M),
        (_M, _T),
        (_V, 2.0),
        contracts=Contracts.INNER,
    ),
    linear(np.outer, _outer, (_V, _W), (_M, _W), contracts=Contracts.OUTER, takes_out=True),
    linear(
        np.tensordot, _tensordot, (_T, _M.T, 1), (_T, _T, ((0, 2), (0, 2))), (_M, _M), (_V, _W, 0), contracts=Contracts.TENSORDOT
    ),
    linear(
        np.einsum,
        _einsum,
        ("ij,j->i", _M, _V),
        ("ij,kj->ik", _M, _M),
        ("i,ij,j", _W, _M, _V),
        ("ij->ji", _M),
        ("ij->j", _M),
        ("i,ij,j,k->k", _W, _M, _V, _V),
        ("ii", _SPD),
        ("iij->j", _T),
        ("...ij,...j->...i", _T, _V),
        ("ij,i->j", _M[:1], _W),
        ("ij,i->j", _M, _W[:1]),
        effect=_einsum_effect,
        result=einsum_result,
        contracts=Contracts.EINSUM,
        takes_out=True,
    ),
    linear(np.trace, _trace_transpose, (_SPD,), (_M, 1), reduces=Reduces.TRACE, takes_out=True, chooses=Chooses.SOME),
    linear(np.ndarray.trace, _trace_transpose, (_SPD,), reduces=Reduces.TRACE, chooses=Chooses.SOME),
    linear(np.cross, _cross, (_V, _SPD[0]), (_SPD, _V), result=cross_result, contracts=Contracts.CROSS),
    linear(
        runtime.masked_matmul,
        _matmul,
        (_M, _V),
        (_W, _M),
        (_M, _M.T),
        (_T, _M.T),
        (_T, _V),
        result=matmul_result,
        contracts=Contracts.MATMUL,
        masks=operator.matmul,
        layout=Layout.ROW_BY_ROW,
        takes_out=True,
    ),
    linear(runtime.masked_outer, _outer, (_V, _W), (_M, _W), contracts=Contracts.OUTER, masks=np.outer, takes_out=True),
    linear(
        runtime.masked_tensordot,
        _tensordot,
        (_T, _M.T, 1),
        (_T, _T, ((0, 2), (0, 2))),
        (_V, _W, 0),
        contracts=Contracts.TENSORDOT,
        masks=np.tensordot,
    ),
    linear(
        runtime.masked_einsum,
        _einsum,
        ("ij,j->i", _M, _V),
        ("i,ij,j,k->k", _W, _M, _V, _V),
        result=einsum_result,
        contracts=Contracts.EINSUM,
        masks=np.einsum,
        takes_out=True,
    ),
    linear(
        runtime.masked_cross, _cross, (_V, _SPD[0]), (_SPD, _V), result=cross_result, contracts=Contracts.CROSS, masks=np.cross
    ),
    general(
        np.linalg.multi_dot,
        _multi_dot,
        ((_W, _M, _M.T),),
        ((_M, _M.T, _M, _V),),
        ([_S, _S],),
        result=multi_dot_result,
        sequences=True,
        of_complex=True,
    ),
    linear(np.kron, {0: _kron_left, 1: _kron_right}, (_V, _W), (_M, _S), (_V, _M), (_T, _W), (2.0, _V), contracts=Contracts.KRON),
    constant(tensordot_axes),
    constant(einsum_terms),
    constant(einsum_subscripts),
)
