"""Distances between the points of two sets, and sums over their differences, of which no array holds all.

Differences are formed before they are summed: ``sum(w) * x - w @ y`` is as fast, and loses what points that lie close together
have apart from one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial import distance

NUMBERS = 1 << 15
"""How many differences are held at a time: a quarter of a megabyte, which stays in the caches nearest to a core."""


def euclidean_distances(x: Any, y: Any) -> Any:
    """Return ``scipy.spatial.distance.cdist(x, y)``."""
    return distance.cdist(x, y)


def distances(x: Any, y: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """Return ``scipy.spatial.distance.cdist(x, y, metric, …)``."""
    given = {"p": p, "w": w, "V": V, "VI": VI}
    return distance.cdist(x, y, metric, **{name: one for name, one in given.items() if one is not None})


def square_distances(x: Any, y: Any) -> Any:
    """Return ``scipy.spatial.distance.cdist(x, y, "sqeuclidean")``."""
    return distance.cdist(x, y, "sqeuclidean")


def weighted_differences(weights: Any, x: Any, y: Any) -> Any:
    """Return for each point of `x` the sum over all of `y` of the differences between the two, times their `weights`.

    >>> weighted_differences(np.array([[1.0, 2.0]]), np.array([[3.0]]), np.array([[1.0], [2.0]]))
    array([[4.]])
    """
    found = np.empty(x.shape, np.result_type(weights, x, y))
    for part, apart in _differences(x, y):
        found[part] = (apart @ weights[part, :, None])[..., 0]
    return found


def products_with_differences(u: Any, x: Any, y: Any) -> Any:
    """Return for each point of `x` and of `y` the inner product of their difference with the vector of `u` at the first.

    >>> products_with_differences(np.array([[2.0]]), np.array([[3.0]]), np.array([[1.0], [2.0]]))
    array([[4., 2.]])
    """
    found = np.empty((x.shape[0], y.shape[0]), np.result_type(u, x, y))
    for part, apart in _differences(x, y):
        found[part] = (u[part, None, :] @ apart)[:, 0, :]
    return found


def _differences(x: Any, y: Any) -> Iterator[tuple[slice, Any]]:
    """Points of `x`, a part at a time, and what they have apart from those of `y`, which lie along the last axis."""
    rows = max(1, NUMBERS // max(1, y.size))
    turned = np.ascontiguousarray(y.T)
    for start in range(0, x.shape[0], rows):
        part = slice(start, start + rows)
        yield part, x[part, :, None] - turned
