"""Short slices with literal bounds: loops of names for as long as they say, the general form where they are cut off."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from benchmarks.race.problems import bundle
from tests.oracle import central_jacobian
from tests.test_engine_sizes import Shapes, agree, arrays, outcome


def turned(m):  # type: ignore[no-untyped-def]
    r, d = m[:, :3], m[:, 3:6]
    angle = np.sqrt(np.sum(r * r + 1.0, axis=1))[:, None]
    a = r / angle
    cross = np.stack(
        [a[:, 1] * d[:, 2] - a[:, 2] * d[:, 1], a[:, 2] * d[:, 0] - a[:, 0] * d[:, 2], a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0]],
        axis=1,
    )
    return np.sum(np.tanh(cross * np.cos(angle) + d) ** 2)


def spread(m):  # type: ignore[no-untyped-def]
    return np.sum(m[:, :2] * m[:, 2:4] ** 2) + np.sum(np.sin(m[:, 1:2]) * m)


def ends(m):  # type: ignore[no-untyped-def]
    return np.sum(m[:, -2:] * m[..., :2]) + np.sum(m[:, -3:-1] ** 3) + np.sum(np.cos(m[:, -1:]) * m[:, 0:1])


def with_steps(m):  # type: ignore[no-untyped-def]
    return np.sum(m[:, 3:0:-1] * m[:, 1:4] ** 2) + np.sum(m[:, ::2] ** 3) + np.sum(m[:, 4:2] * 2.0) + np.sum(m[:, -9:2] ** 2)


def alone(v, w):  # type: ignore[no-untyped-def]
    return np.sum(v[:3] * np.cos(v[3:6])) + np.sum(v[-2:] ** 3 * w[:2]) + v[6] * np.sum(v[0:4] ** 2)


def row_by_row(m, p):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(m)):
        camera = m[i]
        away = p[i] - camera[3:6]
        total += np.sum(camera[:3] * away) ** 2 * camera[6] + np.sum(m[i, -1:] ** 2)
    return total


def stored(m, x):  # type: ignore[no-untyped-def]
    m = m.copy()
    m[:, 3:5] = m[:, :2] * x
    m[:, 1:3] += np.sin(m[:, 2:4])
    m[:, -1:] *= x[0, 1]
    m[:, :1] = 0.5
    m[:, 4:6] += m[:, 0:1]
    return np.sum(m**3)


def two_names(m, p):  # type: ignore[no-untyped-def]
    m[:, :2] += p[:, 1:3]
    p[:, 1:3] *= m[:, :2]
    return np.sum(m**2) + np.sum(p**3)


def looked_up(m, p):  # type: ignore[no-untyped-def]
    table = np.arange(len(p)) // 2
    away = m[table][:, 3:6] - p
    return np.sum(m[table, 0] * np.sqrt(np.sum(away**2, axis=1) + 1.0)) + np.sum(away[:, :2] / (2.0 + away[:, 2:3] ** 2))


def on_a_path(m, p):  # type: ignore[no-untyped-def]
    if m[0, 0] > 1e9:
        return np.sum(m[:, 3:6] * p)
    return np.sum(m[:, 3:6] ** 2) + np.sum(p)


def within(m):  # type: ignore[no-untyped-def]
    return np.sum(adxform.grad(spread)(m) * m)


WIDTHS = (7, 6, 5, 4, 3, 2, 1, 0, 8, 7)
CASES: list[tuple[Callable[..., Any], list[Shapes]]] = [
    (turned, [*[((4, n),) for n in WIDTHS], ((0, 7),), ((1, 7),), ((0, 5),), ((1, 4),)]),
    (spread, [*[((3, n),) for n in WIDTHS], ((0, 7),), ((1, 7),), ((0, 3),), ((1, 3),)]),
    (ends, [*[((3, n),) for n in WIDTHS], ((0, 7),), ((1, 7),), ((0, 1),)]),
    (with_steps, [*[((3, n),) for n in WIDTHS], ((0, 7),), ((1, 7),)]),
    (alone, [((n,), (2,)) for n in (9, 8, 7, 6, 5, 4, 0)] + [((7,), (n,)) for n in (3, 1, 0)]),
    (row_by_row, [*[((3, n), (3, 3)) for n in WIDTHS], ((0, 7), (0, 3)), ((1, 7), (1, 3)), ((2, 7), (2, 2)), ((2, 7), (2, 1))]),
    (stored, [*[((3, n), (3, 2)) for n in WIDTHS], ((0, 7), (1, 2)), ((1, 7), (1, 2)), ((2, 7), (2, 3)), ((2, 7), (1, 2))]),
    (two_names, [*[((3, n), (3, 5)) for n in WIDTHS], *[((3, 5), (3, n)) for n in WIDTHS], ((0, 7), (0, 5))]),
    (looked_up, [*[((3, n), (6, 3)) for n in WIDTHS], ((3, 7), (0, 3)), ((3, 7), (9, 3)), ((1, 7), (2, 3)), ((3, 7), (6, 2))]),
    (on_a_path, [*[((3, n), (3, 3)) for n in WIDTHS], ((3, 7), (3, 2)), ((3, 7), (2, 2))]),
    (within, [*[((3, n),) for n in WIDTHS if n != 2], ((0, 7),), ((1, 7),)]),
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("fn", "points"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_slices_that_may_be_cut_off(fn: Callable[..., Any], points: list[Shapes]) -> None:
    """Gradients, prepared ones, also read from bytes, with memory given and products; by slopes where there are any."""
    first = arrays(points[0])
    plain, compiled = adxform.prepare_gradient(fn, *first), adxform.prepare_gradient(fn, *first, engine="numba")
    read = pickle.loads(pickle.dumps(compiled))
    gradient = adxform.grad(fn, engine="numba"), adxform.grad(fn)
    for shapes in (*points, *points[::-1]):
        args, v, out = arrays(shapes), arrays(shapes, 1)[0], np.full(shapes[0], np.nan)
        for run, python in ((compiled, plain), (read, plain), gradient):
            given = [x.copy() for x in args]
            expected = outcome(python, *[x.copy() for x in args])
            agree(outcome(run, *given), expected)
            assert isinstance(expected, type) or all(map(np.array_equal, given, args))
        agree(outcome(lambda *given, out=out: compiled(*given, out=out), *args), outcome(plain, *args))
        agree(outcome(adxform.hvp(fn, engine="numba"), *args, v), outcome(adxform.hvp(fn), *args, v))
        if not isinstance(expected, type) and args[0].size:

            def value(x: Any, args: Any = args) -> Any:
                return np.atleast_1d(fn(x.reshape(args[0].shape).copy(), *[other.copy() for other in args[1:]]))

            slope, error = central_jacobian(value, args[0].ravel().copy())
            np.testing.assert_allclose(expected.ravel(), slope.ravel(), atol=1e-6 + 10.0 * error)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "by columns": np.asfortranarray,
    "backwards": lambda x: x[::-1].copy()[::-1],
    "columns backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    """In machine code; NaN and infinity come out as they do in Python."""
    for fn, shapes in ((turned, ((6, 7),)), (stored, ((5, 7), (5, 2))), (two_names, ((4, 6), (4, 5)))):
        args = arrays(shapes)
        args[0][1, 0], args[0][2, 3] = np.nan, np.inf
        gradients = [adxform.grad(fn, engine=engine) for engine in ("numba", "python")]
        with np.errstate(all="ignore"):
            found, expected = [gradient(*[LAYOUTS[layout](x.copy()) for x in args]) for gradient in gradients]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.usefixtures("interpreted")
def test_one_array_under_two_names() -> None:
    x = arrays(((4, 6),))[0]
    agree(adxform.grad(two_names, engine="numba")(x.copy(), x.copy()), adxform.grad(two_names)(x.copy(), x.copy()))
    same, other = x.copy(), x.copy()
    agree(outcome(adxform.grad(two_names, engine="numba"), same, same), outcome(adxform.grad(two_names), other, other))


def test_bundle_adjustment_is_one_kernel_without_arrays_inside() -> None:
    source = adxform.source(lambda *args: np.sum(bundle.reprojection(*args)), *bundle.make(3), argnums=(0, 1, 2), engine="numba")
    assert source.count("@kernel") == 1
    assert "unbroadcast" not in source
    assert ":" not in "".join(line.partition("cameras[")[2] for line in source.splitlines())
    assert source.count("np.empty") + source.count("np.zeros") <= 3
