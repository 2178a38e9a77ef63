"""The distances of `scipy.spatial.distance`: their values are those of their own calls, and these formulas tell how they move.

The length of a difference that is zero has slope zero, as that of `np.linalg.norm` has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import spatial, special
from scipy.spatial import distance

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Type
from adxform.primitives.declare import constant, general, linear
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.families.vector_lengths import length_pullback
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import spatial as calls

_EUCLIDEAN = ("euclidean", "euclid", "eu", "e")
_SQUARE = ("sqeuclidean", "sqe", "sqeuclid")
_COSINE = ("cosine", "cos")
_CORRELATION = ("correlation", "co")


def _lengths(d: Any, w: Any, p: Any) -> Any:
    """Lengths of the last axis of `d`, with weights."""
    if p == 2:
        return np.linalg.norm(d if w is None else np.sqrt(w) * d, axis=-1)
    if p == np.inf:
        return np.max(abs(d), axis=-1)
    if p == 1:
        return np.sum(abs(d) if w is None else w * abs(d), axis=-1)
    powers = abs(d) ** p
    return np.sum(powers if w is None else w * powers, axis=-1) ** (1.0 / p)


def _cosines(x: Any, y: Any, w: Any) -> Any:
    if w is not None:
        w = w / np.sum(w)
        return 1.0 - np.sum(w * x * y, axis=-1) / np.sqrt(np.sum(w * x * x, axis=-1) * np.sum(w * y * y, axis=-1))
    return 1.0 - np.sum(x * y, axis=-1) / (np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1))


def _cosines_of_pairs(x: Any, y: Any) -> Any:
    lengths = np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1)
    return 1.0 - (x @ y.T) / (lengths[0][:, None] * lengths[1])


def _between(x: Any, y: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """The distances of vectors along the last axes of `x` and `y`, which broadcast."""
    if metric in _EUCLIDEAN:
        return _lengths(x - y, w, 2)
    if metric in _SQUARE:
        return np.sum((x - y) ** 2 if w is None else w * (x - y) ** 2, axis=-1)
    if metric in ("cityblock", "cblock", "cb", "c"):
        return _lengths(x - y, w, 1)
    if metric in ("minkowski", "mi", "m", "pnorm"):
        return _lengths(x - y, w, p)
    if metric in ("chebyshev", "chebychev", "cheby", "cheb", "ch"):
        if w is not None:
            unsupported("chebyshev distances of scipy.spatial have no derivative with w")
        return _lengths(x - y, None, np.inf)
    if metric in _COSINE:
        return _cosines(x, y, w)
    if metric in _CORRELATION:
        if w is not None:
            unsupported("correlation distances of scipy.spatial have no derivative with w")
        return _cosines(x - np.mean(x, axis=-1, keepdims=True), y - np.mean(y, axis=-1, keepdims=True), None)
    if metric == "canberra" and w is None:
        return np.sum(abs(x - y) / (abs(x) + abs(y)), axis=-1)
    if metric == "braycurtis" and w is None:
        return np.sum(abs(x - y), axis=-1) / np.sum(abs(x + y), axis=-1)
    if metric in ("seuclidean", "se", "s") and V is not None:
        return _lengths((x - y) / np.sqrt(V), None, 2)
    if metric in ("mahalanobis", "mahal", "mah") and VI is not None:
        return np.sqrt(np.sum(((x - y) @ VI) * (x - y), axis=-1))
    return unsupported(f"distances of scipy.spatial have no derivative with metric={metric!r} and these parameters")


def _cdist(
    XA: Any,
    XB: Any,
    metric: Any = "euclidean",
    *,
    p: Any = None,
    w: Any = None,
    V: Any = None,
    VI: Any = None,
) -> Any:
    """Distances of two kinds have rules, of which the value is SciPy's own; the others move as their formulas."""
    if w is None and metric in _EUCLIDEAN:
        return calls.euclidean_distances(XA, XB)
    if w is None and metric in _SQUARE:
        return calls.square_distances(XA, XB)
    return intrinsics.valued(
        calls.distances(XA, XB, metric, p, w, V, VI), _of_all_pairs(XA, XB, metric, 2 if p is None else p, w, V, VI)
    )


def _of_all_pairs(x: Any, y: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    if w is None and metric in _COSINE:
        return _cosines_of_pairs(x, y)
    if w is None and metric in _CORRELATION:
        return _cosines_of_pairs(x - np.mean(x, axis=1, keepdims=True), y - np.mean(y, axis=1, keepdims=True))
    return _between(x[:, None, :], y[None, :, :], metric, p, w, V, VI)


def _pdist(X: Any, metric: Any = "euclidean", *, p: Any = 2, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    first, second = np.triu_indices(X.shape[0], 1)
    if w is None and metric in (*_EUCLIDEAN, *_SQUARE, *_COSINE, *_CORRELATION):
        return _cdist(X, X, metric)[first, second]
    return _between(X[first], X[second], metric, p, w, V, VI)


def _euclidean_distances(x: Any, y: Any) -> Any:
    """How the slopes move, which have no direction where two points meet, is told as of the lengths of all differences."""
    lengths = calls.euclidean_distances(x, y)

    def pullback(ct: Any) -> Any:
        weights = runtime.ratio(ct, lengths)
        movement = length_pullback(ct, np.expand_dims(x, 1) - np.expand_dims(y, 0), lengths, -1, False)
        x_ct, y_ct = calls.weighted_differences(weights, x, y), calls.weighted_differences(weights.T, y, x)
        return intrinsics.valued(x_ct, np.sum(movement, axis=1)), intrinsics.valued(y_ct, -np.sum(movement, axis=0))

    return lengths, pullback


def _square_distances(x: Any, y: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return 2.0 * calls.weighted_differences(ct, x, y), 2.0 * calls.weighted_differences(ct.T, y, x)

    return calls.square_distances(x, y), pullback


def _weighted_differences(weights: Any, x: Any, y: Any) -> Any:
    def pullback(ct: Any) -> Any:
        x_ct = np.sum(weights, axis=1, keepdims=True) * ct
        return calls.products_with_differences(ct, x, y), x_ct, -(weights.T @ ct)

    return calls.weighted_differences(weights, x, y), pullback


def _products_with_differences(u: Any, x: Any, y: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return calls.weighted_differences(ct, x, y), np.sum(ct, axis=1, keepdims=True) * u, -(ct.T @ u)

    return calls.products_with_differences(u, x, y), pullback


def _euclidean(u: Any, v: Any, w: Any = None) -> Any:
    return _lengths(u - v, w, 2)


def _sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    return _between(u, v, "sqeuclidean", 2, w, None, None)


def _cityblock(u: Any, v: Any, w: Any = None) -> Any:
    return _lengths(u - v, w, 1)


def _minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return _lengths(u - v, w, p)


def _chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    return _between(u, v, "chebyshev", 2, w, None, None)


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    return _cosines(u, v, w)


def _correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    return _between(u, v, "correlation" if centered else "cosine", 2, w, None, None)


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    return _between(u, v, "canberra", 2, w, None, None)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    return _between(u, v, "braycurtis", 2, w, None, None)


def _mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    return np.sqrt(np.sum(((u - v) @ VI) * (u - v)))


def _seuclidean(u: Any, v: Any, V: Any) -> Any:
    return _lengths((u - v) / np.sqrt(V), None, 2)


def _jensenshannon(p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False) -> Any:
    p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    middle = (p + q) / 2.0
    parts = special.rel_entr(p, middle) + special.rel_entr(q, middle)
    found = np.sum(parts, axis=axis, keepdims=keepdims) / 2.0
    apart = found > 0.0  # where two tables of shares are one the distance is zero, and has slope zero as a length has
    return np.where(apart, np.sqrt(np.where(apart, found if base is None else found / np.log(base), 1.0)), 0.0)


def _squareform_transpose(ct: Any, X: Any, force: Any = "no", checks: Any = True) -> Any:
    """Of a matrix the upper triangle is read."""
    if np.ndim(X) == 1:
        return distance.squareform(ct + ct.T, "tovector", False)
    return np.triu(distance.squareform(ct, "tomatrix"))


def _squareform_result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array(dtype, (_,))):
            return Array(dtype, (Dim("?*"), Dim("?*")))
        case Var(_, Array(dtype, (_, _))):
            return Array(dtype, (Dim("?*"),))
        case _:
            return None


def _for_each_pair(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """A number for each point of one matrix and each of another: as many columns as either says stand in both."""
    match args[-2:]:
        case Var(_, Array(_, (n, _))), Var(_, Array(_, (m, _))):
            return Array(_dtype(args), (n, m))
        case _:
            return None


def _of_points(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return _for_each_pair(args[:2], {})


def _for_each_point(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[1:]:
        case Var(_, Array(_, (n, d))), Var(_, Array(_, (_, other))):
            return Array(_dtype(args), (n, d if isinstance(d, int) else other))
        case _:
            return None


def _dtype(args: tuple[Operand, ...]) -> str:
    """SciPy's distances are of double precision, whatever they are of; sums of three arrays are as these are."""
    types = [arg.type.dtype for arg in args if isinstance(arg, Var) and isinstance(arg.type, Array)]
    return "float64" if len(types) < 3 else dtype_name(np.result_type(*map(np.dtype, types)))


_METRICS = (
    *_EUCLIDEAN, *_SQUARE, *_COSINE, *_CORRELATION, "cityblock", "cblock", "cb", "c", "minkowski", "mi", "m", "pnorm",
    "chebyshev", "chebychev", "cheby", "cheb", "ch",
    "canberra", "braycurtis", "seuclidean", "se", "s", "mahalanobis", "mahal", "mah",
)  # fmt: skip
_X = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_Y = np.array([[0.5, -2.0, 0.25]])
_U = np.array([[1.5], [-0.5]])

RECORDS: tuple[Primitive, ...] = (
    general(calls.euclidean_distances, _euclidean_distances, (_X, _Y), result=_for_each_pair),
    constant(calls.distances, result=_of_points),
    general(calls.square_distances, _square_distances, (_X, _Y), result=_for_each_pair),
    general(calls.weighted_differences, _weighted_differences, (_U, _X, _Y), linear_in=(0,), result=_for_each_point),
    general(calls.products_with_differences, _products_with_differences, (_X, _X, _Y), linear_in=(0,), result=_for_each_pair),
    linear(
        distance.squareform,
        _squareform_transpose,
        (np.array([1.0, 2.0, 3.0]),),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "tovector", False),
        result=_squareform_result,
    ),
)


def _distance_matrix(x: Any, y: Any, p: Any = 2.0, threshold: Any = 1000000) -> Any:
    return _lengths(x[:, None, :] - y[None, :, :], None, p)


def _minkowski_distance(x: Any, y: Any, p: Any = 2.0) -> Any:
    return _lengths(x - y, None, p)


def _minkowski_distance_p(x: Any, y: Any, p: Any = 2.0) -> Any:
    if np.isinf(p):
        return np.max(np.abs(x - y), axis=-1)
    return np.sum(np.abs(x - y) ** p, axis=-1)


def _geometric_slerp(start: Any, end: Any, t: Any, tol: Any = 1e-7) -> Any:
    """Along the great circle through two places on a sphere; where they meet the way between them has no direction.

    Source: Shoemake, Animating rotation with quaternion curves, SIGGRAPH (1985), section 3.3.
    """
    across = end - np.sum(start * end) * start
    size = np.sqrt(np.sum(across * across))
    angle = np.arctan2(size, np.sum(start * end))
    at = np.expand_dims(t, -1) * angle
    return start * np.cos(at) + across / size * np.sin(at)


def _procrustes(data1: Any, data2: Any) -> Any:
    """Two sets of places, of which the second is moved, scaled and turned to the first, and how far they are apart."""
    first, second = data1 - np.mean(data1, axis=0), data2 - np.mean(data2, axis=0)
    first, second = first / np.sqrt(np.sum(first * first)), second / np.sqrt(np.sum(second * second))
    both = np.swapaxes(first, 0, 1) @ second
    u, s, v = np.linalg.svd(both, full_matrices=False)
    turned = np.sum(s) * (second @ np.swapaxes(u @ v, 0, 1))
    return first, turned, np.sum((first - turned) ** 2)


def _of_way(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """Samples do not tell it: they are not of length one."""
    match args[0], kwargs.get("t", args[2] if len(args) > 2 else None):
        case Var(_, Array(_, (n,))), Var(_, Array(_, (count,))):
            return Array("float64", (count, n))
        case Var(_, Array(_, (n,))), Var(_, Scalar()) | Lit():
            return Array("float64", (n,))
        case _:
            return None


DEFINITIONS: tuple[Definition, ...] = (
    Definition(distance.cdist, _cdist, only={"metric": _METRICS}),
    Definition(distance.pdist, _pdist, Value.OWN, only={"metric": _METRICS}),
    *(
        Definition(fn, body, Value.OWN)
        for fn, body in (
            (distance.euclidean, _euclidean),
            (distance.sqeuclidean, _sqeuclidean),
            (distance.cityblock, _cityblock),
            (distance.minkowski, _minkowski),
            (distance.chebyshev, _chebyshev),
            (distance.cosine, _cosine),
            (distance.correlation, _correlation),
            (distance.canberra, _canberra),
            (distance.braycurtis, _braycurtis),
            (distance.mahalanobis, _mahalanobis),
            (distance.jensenshannon, _jensenshannon),
            (distance.seuclidean, _seuclidean),
        )
    ),
    Definition(spatial.distance_matrix, _distance_matrix, Value.OWN),
    Definition(spatial.minkowski_distance, _minkowski_distance, Value.OWN),
    Definition(spatial.minkowski_distance_p, _minkowski_distance_p, Value.OWN),
    Definition(spatial.geometric_slerp, _geometric_slerp, Value.OWN, sequences=True, result=_of_way),
    Definition(spatial.procrustes, _procrustes, Value.OWN),
)
