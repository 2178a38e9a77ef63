"""Promise: measures of parts of an image, morphology, nearest neighbours, triangles and hulls of SciPy move right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import ndimage, spatial

from tests.tables.cell import Cell, judge

RNG = np.random.default_rng(20261128)
IMAGE = ndimage.gaussian_filter(RNG.normal(size=(9, 12)), 1.0)
LABELS = np.zeros((9, 12), int)
LABELS[3:6, 2:7], LABELS[7:] = 1, 2
FLAT, SOLID, ASKED = RNG.normal(size=(9, 2)), RNG.normal(size=(10, 3)), RNG.normal(size=(4, 2))
TREE, OTHER = spatial.cKDTree(FLAT), spatial.KDTree(FLAT)


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) ** 2 * np.cos(np.arange(np.size(x))))


def measures(image: Any) -> Any:
    several = [
        made(image, LABELS, index)
        for made in (ndimage.sum, ndimage.mean, ndimage.variance, ndimage.standard_deviation, ndimage.maximum, ndimage.minimum)
        for index in ([1, 2], np.array([2, 0, 1]))
    ]
    total = ndimage.mean(image) * ndimage.minimum(image) + ndimage.sum_labels(image, LABELS[0]) ** 2
    for found in several:
        total = total + weighed(found)
    return total + ndimage.variance(image, LABELS, 1) + ndimage.standard_deviation(image, labels=LABELS)


def centers(image: Any) -> Any:
    middle = ndimage.center_of_mass(image**2)
    row, column = ndimage.center_of_mass(image**2, LABELS, 1)
    return middle[0] * middle[1] + row**2 + column


def morphology(image: Any) -> Any:
    return (
        weighed(ndimage.grey_erosion(image, size=3))
        + weighed(ndimage.grey_erosion(image, footprint=np.ones((2, 3), bool)))
        + weighed(ndimage.grey_dilation(image, size=(3, 2)))
        + weighed(ndimage.grey_dilation(image, size=2, mode="nearest"))
        + weighed(ndimage.grey_opening(image, size=(2, 3)))
        + weighed(ndimage.grey_closing(image, (3, 3)))
        + weighed(ndimage.morphological_gradient(image, size=3))
        + weighed(ndimage.morphological_laplace(image, size=(2, 3)))
        + weighed(ndimage.white_tophat(image, size=3))
        + weighed(ndimage.black_tophat(image, size=(4, 3)))
    )


def neighbours(places: Any, asked: Any) -> Any:
    made = spatial.cKDTree(places)
    one, which = made.query(asked)
    three, others = spatial.KDTree(places * 1.1).query(asked, k=3)
    alone, number = made.query(asked[0])
    two, numbers = made.query(asked[1], k=2)
    outside = np.sum(TREE.query(asked, k=2)[0]) + np.sum(OTHER.query(asked)[0] * OTHER.query(asked)[1])
    held = weighed(places[which]) + weighed(places[others]) + places[number, 0] * numbers[0]
    return weighed(one) + weighed(three) + alone + two[1] + outside + held


def near_one_another(places: Any) -> Any:
    """Forces between all that lie within a distance, which does not tell how they move."""
    made = spatial.cKDTree(places)
    total = 0.0
    for k in made.query_ball_point(places[0], 1.5):
        total = total + np.sum((places[k] - places[0]) ** 2)
    pairs = made.query_pairs(1.0, output_type="ndarray")
    return total + np.sum((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2)


def triangles(places: Any) -> Any:
    made = spatial.Delaunay(places)
    corners = places[made.simplices]
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    lies = made.find_simplex(ASKED * 0.1)
    around = np.sum(places[made.neighbors[lies[0]]]) + made.nsimplex * places[0, 1]
    return np.sum((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) ** 2) + made.points[0, 0] + around


def hulls(flat: Any, solid: Any) -> Any:
    plane, space = spatial.ConvexHull(flat), spatial.ConvexHull(solid)
    return plane.volume * plane.area + space.volume**2 + space.area + np.sum(flat[plane.vertices])


PROGRAMS: dict[str, tuple[Any, ...]] = {
    "measures": (measures, IMAGE),
    "centers": (centers, IMAGE),
    "morphology": (morphology, IMAGE),
    "neighbours": (neighbours, FLAT, ASKED),
    "near one another": (near_one_another, FLAT),
    "triangles": (triangles, FLAT),
    "hulls": (hulls, FLAT, SOLID),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts(name: str) -> None:
    function, *args = PROGRAMS[name]
    verdict = judge(Cell(name, function, tuple(args)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (lambda x: ndimage.center_of_mass(x, LABELS, [1, 2])[0][0], adxform.AdxError, "one index at a time"),
        (lambda x: ndimage.mean(x.astype(np.float32)), adxform.AdxError, "double precision"),
        (lambda x: ndimage.grey_dilation(x, footprint=np.ones((2, 2)))[0, 0], adxform.AdxError, "grey_dilation"),
        (lambda x: spatial.cKDTree(x).query(x[0], k=20)[0][0], RuntimeError, "fewer places"),
        (lambda x: spatial.cKDTree(x).query(x[0], p=1)[0], adxform.AdxError, "Euclidean"),
        (lambda x: spatial.ConvexHull(x[:, :2]).equations[0, 0], adxform.AdxError, "equations"),
    ],
)
def test_what_is_refused(model: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(IMAGE)
