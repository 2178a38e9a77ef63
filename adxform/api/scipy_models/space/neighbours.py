"""What SciPy finds of places: nearest neighbours, triangles and hulls.

Which ones these are does not move; distances and sizes do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import spatial

from adxform.api.scipy_models.solving import as_it_stays, fixed, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.run_time_checks import without_derivative


class Tree:
    """Places among which nearest ones are looked for, that the function has made."""

    def __init__(self, data: Any) -> None:
        self.data = np.array(as_it_stays(np.asarray(data)) * 1.0)  # SciPy holds the places, and what it found of them
        self.n, self.m = self.data.shape

    def query(self, x: Any, k: Any = None, p: Any = None) -> Any:
        """The distances of the nearest places, and their numbers."""
        return nearest(self.data, x, 1 if k is None else k, 2 if p is None else p, int)

    def query_ball_point(self, x: Any, r: Any) -> Any:
        """The numbers of the places within a distance of `x`."""
        return solve(_within, (), (), ("any",), self.data, np.asarray(x) * 1.0, r)

    def query_pairs(self, r: Any, *, output_type: Any = None) -> Any:
        """The pairs of numbers of places that are no further apart."""
        if output_type == "ndarray":
            return solve(_rows_of_pairs, (), (), (2,), self.data, r).astype(np.int64)
        return solve(_pairs, (), (), ("any",), self.data, r)


class PythonTree(Tree):
    """The same of SciPy's class in Python, which gives numbers of NumPy's."""

    def query(self, x: Any, k: Any = None, p: Any = None) -> Any:
        """The distances of the nearest places, and their numbers."""
        return nearest(self.data, x, 1 if k is None else k, 2 if p is None else p, np.int64)


def _within(data: Any, at: Any, r: Any) -> Any:
    return spatial.cKDTree(data).query_ball_point(at, r)


def _pairs(data: Any, r: Any) -> Any:
    return spatial.cKDTree(data).query_pairs(r)


def _rows_of_pairs(data: Any, r: Any) -> Any:
    return 1.0 * spatial.cKDTree(data).query_pairs(r, output_type="ndarray")


def nearest(data: Any, x: Any, k: Any, p: Any, whole: Any) -> Any:
    """The distances from `x` to the `k` nearest rows of `data`, and their numbers, of one place a `whole` one."""
    if np.ndim(k) > 0 or p != 2:
        unsupported("`query` has a derivative for a whole number `k` and Euclidean distances")
    k = fixed(k)
    at = np.asarray(x) * 1.0
    axes = np.ndim(at) - (1 if k == 1 else 0)
    kinds = ("float" if axes == 0 else axes,) * 2
    value, numbers = solve(_nearest, (), (), kinds, data, at, k)
    which = whole(numbers) if axes == 0 else numbers.astype(np.int64)
    apart = np.linalg.norm((at if k == 1 else np.expand_dims(at, -2)) - data[which], axis=-1)
    return moving(value, apart), which


def _nearest(data: Any, at: Any, k: Any) -> Any:
    """SciPy's distances and numbers, which must be those of places that there are.

    Raises:
        UnsupportedOperationError: there are fewer places than are asked for.
    """
    distances, numbers = spatial.cKDTree(data).query(at, k)
    if not np.all(np.isfinite(distances)):
        raise without_derivative("`query` has found fewer places than it was asked for, whose distances have no derivative")
    return (float(distances), float(numbers)) if np.ndim(numbers) == 0 else (distances, 1.0 * numbers)


def _outer_query(whole: Any) -> Any:
    def body(tree: Any, x: Any, k: Any = 1, *, p: Any = 2) -> Any:
        return nearest(solve(_data_of, (), (), (2,), tree), x, k, p, whole)

    return body


def _data_of(tree: Any) -> Any:
    return np.array(tree.data)


class Triangles:
    """The triangles between places that the function has made: which places they have does not move."""

    def __init__(self, points: Any) -> None:
        self.points = np.array(as_it_stays(np.asarray(points)) * 1.0)
        found, around, self.nsimplex = solve(_triangles, (), (), (2, 2, "any"), self.points)
        self.simplices, self.neighbors = found.astype(np.int32), around.astype(np.int32)

    def find_simplex(self, xi: Any) -> Any:
        """The number of the triangle that each place lies in."""
        at = np.asarray(xi) * 1.0
        if np.ndim(at) < 2:
            unsupported("`find_simplex` is followed for places that are rows")
        return solve(_triangle_of, (), (), (np.ndim(at) - 1,), self.points, at).astype(np.int32)


def _triangle_of(points: Any, at: Any) -> Any:
    return 1.0 * spatial.Delaunay(points).find_simplex(at)


def _triangles(points: Any) -> Any:
    made = spatial.Delaunay(points)
    return 1.0 * made.simplices, 1.0 * made.neighbors, made.nsimplex


class Hull:
    """The convex hull of places that the function has made: which places lie on it does not move, how large it is does."""

    def __init__(self, points: Any) -> None:
        self.points = np.array(as_it_stays(np.asarray(points)) * 1.0)
        simplices, vertices, self.space, self.outside = solve(_hull, (), (), (2, 1, "float", "float"), self.points)
        self.simplices, self.vertices = simplices.astype(np.int32), vertices.astype(np.int32)

    @property
    def volume(self) -> Any:
        """How much lies within: of a plane the area."""
        middle = np.mean(self.points, axis=0)
        corners = self.points[self.simplices] - middle
        dims = self.points.shape[1]
        parts = np.sqrt(np.linalg.det(corners @ np.swapaxes(corners, -1, -2)))
        return moving(self.space, np.sum(parts) / _factorial(dims))

    @property
    def area(self) -> Any:
        """How large the surface is: of a plane the length around."""
        corners = self.points[self.simplices]
        sides = corners[:, 1:] - corners[:, :1]
        parts = np.sqrt(np.linalg.det(sides @ np.swapaxes(sides, -1, -2)))
        return moving(self.outside, np.sum(parts) / _factorial(self.points.shape[1] - 1))


def _factorial(n: Any) -> Any:
    return np.prod(np.arange(1, n + 1) * 1.0)


def _hull(points: Any) -> Any:
    made = spatial.ConvexHull(points)
    return 1.0 * made.simplices, 1.0 * made.vertices, float(made.volume), float(made.area)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(spatial.cKDTree, Tree, Value.FOLLOWED, sequences=True),
    Definition(spatial.KDTree, PythonTree, Value.FOLLOWED, sequences=True),
    Definition(spatial.cKDTree.query, _outer_query(int), sequences=True),
    Definition(spatial.KDTree.query, _outer_query(np.int64), sequences=True),
    Definition(spatial.Delaunay, Triangles, Value.FOLLOWED, sequences=True),
    Definition(spatial.ConvexHull, Hull, Value.FOLLOWED, sequences=True),
)
