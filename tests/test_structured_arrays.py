"""Structured arrays that a function makes: fields, elements, slices and masks are right in both modes; the rest is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.testing import check_derivatives

X = np.array([0.35, 0.95, -0.45, 1.25])
PARTICLE = np.dtype([("x", float), ("m", float)])


def filled(x: Any) -> Any:
    p = np.zeros(4, PARTICLE)
    p["x"] = x
    p["m"] = x[::-1] * 2.0
    return p


def by_fields(x):
    p = np.zeros(4, dtype=[("x", float), ("m", float)])
    p["x"] = x
    p["m"] = 2.0
    p["x"][1] += x[0] * x[2]
    p["x"], p["m"] = p["m"], p["x"]
    return np.sum(p["m"] * p["x"] ** 2)


def by_elements(x):
    p = np.empty(len(x), dtype="f8,f8")
    for i in range(len(x)):
        p[i] = (x[i], x[i] * x[0])
        p[i]["f1"] += x[1]
    last = p[-1]
    last[0] = x[3] ** 2
    a, b = p[1]
    return a * b * len(p) * len(last) + sum(row["f0"] * row["f1"] for row in p)


def with_arrays_as_fields(x):
    p = np.zeros(4, dtype=[("pos", float, (3,)), ("id", int), ("w", "f8")])
    p["pos"] = np.outer(x, x[:3])
    p["id"] = np.arange(4)
    p[1]["pos"] += x[:3]
    p[1]["pos"][2] = x[0] ** 2
    q = p[1:]
    q["pos"][0, 1] = x[3]
    m = p[p["id"] > 1]
    m["pos"] *= 2.0
    return np.sum(p["pos"] ** 2 * p["id"][:, None]) + np.sum(m["pos"]) + p[2]["pos"] @ x[:3]


def copies(x):
    p = filled(x)
    q, r, s = p.copy(), copy.copy(p), copy.deepcopy(p)
    q["x"][0], r["x"][1], s["x"][2] = 0.0, x[0], 5.0
    q[1] = p[2]
    p[2:] = q[:2]
    return np.sum(p["x"] * np.arange(1, 5.0)) + np.sum(q["x"] ** 2 * r["x"] * s["x"])


def places_and_masks(x):
    p = filled(x)
    p[[0, 1]] = p[[1, 0]]
    p[p["x"] > 0.5] = (1.0, 2.0)
    p = p[np.argsort(p["x"])]
    return np.sum(p["x"] * np.arange(4.0) * p["m"]) + p[::2]["x"].sum()


def exchanged_through_views(x):
    p = filled(x)
    p[0], p[1] = p[1], p[0]
    return np.sum(p["x"] * np.arange(4.0))


def swapped_by_copies_of_elements(x):
    p = np.zeros(4, dtype=[("a", float), ("k", int), ("r", float, (2,))])
    p["a"], p["r"] = x, np.outer(x, x)[:, :2]
    for i in range(3):
        if p[i]["a"] > p[i + 1]["a"]:
            t, u = p[i].copy(), copy.copy(p[-1])
            p[i] = p[i + 1]
            p[i + 1] = t
            t["a"], t["r"][0], u["k"] = 100.0, 5.0, x[0] * 10
            p["a"][-1] += u["k"]
    return np.sum(p["a"] * np.arange(4)) + np.sum(p["r"] ** 2)


def walked_over_by_an_object(x):
    p = np.zeros(4, dtype=[("a", float), ("b", float)])
    p["a"], p["b"] = x, x * x
    total = 0.0
    for element in _Walk(p):
        element["a"] += element["b"]
        total += element["a"] ** 2
    return total + np.sum(p["a"])


class _Walk:
    """An iterator over the elements of an array."""

    def __init__(self, p):
        self.p, self.i = p, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= len(self.p):
            raise StopIteration
        self.i += 1
        return self.p[self.i - 1]


def ravelled_is_a_copy_and_reshaped_a_view(x):
    p = filled(x)
    p["x"].ravel()[0] = 7.0
    p["m"].reshape(2, 2)[0] = x[3] ** 2
    return np.sum(p["x"] ** 2 * p["m"])


def made_of_tuples(x):
    p = np.array([(x[0], 1.0), (x[1] * x[2], x[3])], dtype=PARTICLE)
    return np.sum(p["x"] * p["m"]) + np.sum(np.ones(3, PARTICLE)["x"] * x[:3])


def in_loops_and_helpers(x):
    def force(p, i):
        return p[i]["x"] * p["m"][i]

    p = filled(x)
    for _ in range(3):
        for i in range(4):
            p["x"][i] += 0.1 * force(p, i)
    while p["x"][0] < 3.0:
        p["x"] = p["x"] * 1.5 + 0.1
    return np.sum(p["x"])


def chosen_by_a_branch(x):
    p = filled(x)
    q = p if x[0] > 0 else p.copy()
    q["x"][0] = 3 * x[1]
    if x[1] > 2:
        p = np.ones(4, PARTICLE)
    return np.sum(p["x"] * p["m"])


def of_other_numbers(x):
    p = np.zeros(4, [("c", complex), ("y", "f8"), ("n", int)])
    p["c"] = x * (1 + 2j)
    p["n"] = x * 10
    p["y"] = np.abs(p["c"])
    return np.sum(p["y"] * p["n"])


def of_no_elements(x):
    p = np.zeros(0, PARTICLE)
    p["x"] = x[4:]
    return np.sum(p["x"]) + x[0] * len(p.dtype.names) + p.size * x[1]


FOLLOWED = [
    *(by_fields, by_elements, with_arrays_as_fields, copies, places_and_masks, exchanged_through_views),
    *(swapped_by_copies_of_elements, walked_over_by_an_object),
    *(ravelled_is_a_copy_and_reshaped_a_view, made_of_tuples, in_loops_and_helpers, chosen_by_a_branch, of_other_numbers),
    of_no_elements,
]


@pytest.mark.parametrize("function", FOLLOWED)
def test_it_is_followed(function: Callable[..., Any]) -> None:
    records = check_derivatives(function, X.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]
    assert adxform.value_and_grad(function)(X.copy())[0] == function(X.copy())


@pytest.mark.parametrize("function", FOLLOWED)
def test_of_second_order(function: Callable[..., Any]) -> None:
    v, step = np.array([1.0, 0.5, -1.0, 2.0]), 1e-6
    slope = (adxform.grad(function)(X + step * v) - adxform.grad(function)(X - step * v)) / (2 * step)
    assert np.allclose(adxform.hvp(function)(X, v), slope, rtol=1e-5, atol=1e-7)


def test_prepared() -> None:
    prepared = adxform.prepare_gradient(in_loops_and_helpers, X)
    for factor in (1.0, 1.1):
        assert np.array_equal(prepared(X * factor), adxform.grad(in_loops_and_helpers)(X * factor))


def test_single_precision_is_kept() -> None:
    def f(x: Any) -> Any:
        p = np.zeros(4, [("x", np.float32), ("y", "f8")])
        p["x"] = x
        p["y"] = p["x"] * x
        return np.sum(p["y"])

    value, gradient = adxform.value_and_grad(f)(X)
    assert value == f(X)
    assert gradient == pytest.approx(2.0 * X, rel=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: float(np.sum(filled(x)["x"])) if isinstance(filled(x), np.ndarray) else x[0],
        lambda x: x[0] * (type(filled(x)) is np.ndarray),
        lambda x: x[0] * (filled(x).__class__ is np.ndarray),
        lambda x: filled(x),
        lambda x: np.sort(filled(x), order="x")["x"][0],
        lambda x: np.sum(filled(x)[["x", "m"]]["x"]),
        lambda x: x[0] * np.sum(filled(x) == filled(x)),
        lambda x: x[0] if filled(x)[0] else x[1],
        lambda x: np.concatenate([filled(x), filled(x)])["x"].sum(),
        lambda x: filled(x).view(float).sum(),
        lambda x: filled(x)[0].item()[0],
        lambda x: len(f"{filled(x)}") * x[0] * filled(x)["x"][0],
        lambda x: isinstance(np.vectorize(lambda v: v), np.vectorize) * x[0],
    ],
)
def test_the_rest_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(AdxError) as caught:
        adxform.grad(function)(X)
    assert caught.value.span.line > 0
    assert caught.value.help


def test_fields_that_share_memory_are_refused() -> None:
    both = np.dtype({"names": ["a", "b"], "formats": [float, float], "offsets": [0, 0]})

    def f(x: Any) -> Any:
        p = np.zeros(4, both)
        p["a"] = x
        return np.sum(p["b"] ** 2)

    with pytest.raises(AdxError):
        adxform.grad(f)(X)


def test_where_nothing_moves_in_them_they_are_what_they_are() -> None:
    def f(x: Any) -> Any:
        p = np.zeros(4, PARTICLE)
        p["x"] = [3.0, 1.0, 2.0, 4.0]
        q = np.sort(p, order="x")
        grid = np.zeros((2, 2), PARTICLE)
        return np.sum(x) * float(q["x"][1]) * len(grid.tolist()) * isinstance(p, np.ndarray)

    assert adxform.grad(f)(X) == pytest.approx(np.full(4, 4.0))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(filled(x)["y"]),
        lambda x: np.sum(np.zeros(3, PARTICLE)["x"] + x),
        lambda x: filled(x)[7]["x"],
        lambda x: filled(x).__setitem__(0, (1.0, 2.0, x[0])) or x[0],
    ],
)
def test_what_numpy_raises_is_raised(function: Callable[..., Any]) -> None:
    with pytest.raises((ValueError, IndexError)) as plain:
        function(X)
    with pytest.raises(plain.type, match=str(plain.value)[:15]):
        adxform.grad(function)(X)
