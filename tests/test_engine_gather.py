"""Adjoints of stencils as gathers: the same sums as the scatters, for every extent; and what must stay a scatter does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.analysis.stepping import interpret
from adxform.api.source import rule_of
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.passes.loops.gather import gather_contributions
from adxform.runtime.dispatch.split import as_tuple
from tests.oracle import central_jacobian, flat_function


def rosenbrock(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


def backwards(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0] - 2, 0, -1):
        y[i] = x[i - 1] * x[i] + 3.0 * x[i + 1] ** 2
    return np.sum(y * y)


def jacobi(x, steps):
    a = x.copy()
    b = x.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = 0.3 * (b[i, j] * b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    return np.sum(a * a)


def heat(x, steps):
    a = x.copy()
    b = x.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                for k in range(1, a.shape[2] - 1):
                    b[i, j, k] = 0.4 * a[i, j, k] + 0.1 * (a[i + 1, j, k] + a[i - 1, j, k] + a[i, j + 1, k])
                    b[i, j, k] += 0.1 * (a[i, j - 1, k] + a[i, j, k + 1] * a[i, j, k - 1])
        a, b = b, a
    return np.sum(a * a)


def waves(x, steps):
    u = x.copy()
    v = x[:, ::-1].copy()
    for _ in range(steps):
        for i in range(1, u.shape[0]):
            for j in range(u.shape[1]):
                u[i, j] -= 0.5 * (v[i, j] - v[i - 1, j])
        for i in range(u.shape[0] - 1):
            for j in range(u.shape[1] - 1):
                v[i, j] -= 0.7 * (u[i, j + 1] - u[i, j] + u[i + 1, j])
    return np.sum(u * v)


def across_rows(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        above, below = x[i], x[i + 1]
        for j in range(x.shape[1] - 2):
            s += above[j] * below[j + 2] - below[j] ** 2
    return s


def upwind(x, steps):
    for _ in range(steps):
        y = x.copy()
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i] - 0.1 * x[i] * (x[i] - x[i - 1] if x[i] > 0.0 else x[i + 1] - x[i])
        x = y
    return np.sum(x)


def seidel(x):
    a = x.copy()
    for i in range(1, a.shape[0] - 1):
        a[i] = 0.3 * (a[i - 1] + a[i] + a[i + 1])
    return np.sum(a * a)


def costly(x):
    y = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        y[i] = np.exp(x[i - 1] * x[i]) * np.sin(x[i + 1])
    return np.sum(y)


GRIDS = {
    rosenbrock: [(n,) for n in (0, 1, 2, 3, 7)],
    backwards: [(n,) for n in (0, 1, 2, 3, 4, 5, 9)],
    jacobi: [(0, 3), (2, 2), (3, 3), (3, 6), (4, 3), (4, 4), (5, 4), (6, 7)],
    heat: [(3, 3, 3), (3, 4, 5), (5, 4, 3), (4, 4, 4), (5, 5, 5)],
    waves: [(1, 1), (2, 2), (2, 5), (4, 2), (5, 6)],
    across_rows: [(1, 4), (2, 2), (2, 3), (3, 4), (5, 6)],
    upwind: [(n,) for n in (0, 2, 3, 4, 8)],
    seidel: [(n,) for n in (2, 3, 6)],
    costly: [(n,) for n in (2, 3, 6)],
}
STEPS = {jacobi: (3,), heat: (2,), waves: (3,), upwind: (2,)}
TOLERANCE = {"float64": 1e-12, "float32": 2e-5}
GATHERED = [rosenbrock, backwards, jacobi, heat, waves, across_rows]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", GRIDS, ids=lambda function: function.__name__)
def test_the_same_gradient_at_every_extent(function: Callable[..., Any], dtype: str) -> None:
    for shape in GRIDS[function]:
        x = np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)
        args = (x, *STEPS.get(function, ()))
        call, rule = rule_of(function, args, "reverse", 0)
        gathered = gather_contributions(rule.optimised)
        verify(gathered)
        run = load(emit(gathered, surroundings=rule.request.surroundings))
        expected, found = (as_tuple(each(*call.inputs(), *[x.dtype.type(1.0)] * rule.seeds), 2) for each in (rule.run, run))
        for a, b in zip(expected, found, strict=True):
            assert np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_allclose(
                b, a, rtol=1e-12 if dtype == "float64" else 2e-5, atol=1e-12 if dtype == "float64" else 1e-5
            )
        if dtype == "float64" and x.size:
            flat, point = flat_function(function, args, (0,))
            np.testing.assert_allclose(np.ravel(found[1]), np.ravel(central_jacobian(flat, point)[0]), rtol=1e-7, atol=1e-7)


def gradient(function: Callable[..., Any]) -> tuple[str, str]:
    """The gradient of a function as IR, before and after."""
    x = np.ones(GRIDS[function][-1])
    _, rule = rule_of(function, (x, *STEPS.get(function, ())), "reverse", 0)
    return show(rule.optimised), show(gather_contributions(rule.optimised))


@pytest.mark.parametrize("function", GATHERED, ids=lambda function: function.__name__)
def test_stencils_are_gathered(function: Callable[..., Any]) -> None:
    before, after = gradient(function)
    assert before != after


@pytest.mark.parametrize("function", [seidel], ids=lambda function: function.__name__)
def test_what_depends_on_the_order_stays(function: Callable[..., Any]) -> None:
    before, after = gradient(function)
    assert before == after


def random_nest(seed: int) -> str:
    """A nest of loops that adds to one or two arrays at random offsets, and loads, stores and sums as it likes."""
    rng = random.Random(seed)
    rank = rng.choice([1, 1, 2])
    names = ["i", "j"][:rank]
    shape = ", ".join(f"x.{axis}" for axis in range(rank))
    arrays = [f"{name}: f64[{shape}]" for name in ("u", "v", "w")]
    bound = {name: rng.randrange(2, 4) for name in names}
    lines = [f"def f({', '.join(arrays)}, {', '.join(f'n{axis}: int' for axis in range(rank))}, c: f64):"]
    fresh = iter(range(1000))
    if rng.random() < 0.5:
        for axis, name in enumerate(names):
            low, high = rng.randrange(1, 4), f"n{axis}"
            if rng.random() < 0.6:
                lines.append(f"{'    ' * (axis + 1)}m{axis}: int = operator.add(n{axis}, {rng.randrange(-1, 3)})")
                high = f"m{axis}"
            lines.append(f"{'    ' * (axis + 1)}for {name}{name}: int in range({low}, {high}, 1):")
        lines.append(f"{'    ' * (rank + 1)}operator.setitem(u, {'ii' if rank == 1 else '(ii, jj)'}, 0.0)")
    sums = rng.random() < 0.3
    indent = "    "
    ends = []
    for axis, name in enumerate(names):
        low, high = bound[name], f"n{axis}"
        source = f"{low}, {high}, 1" if rng.random() < 0.5 else f"{high}, {low - 1}, -1"
        carried = f" with s.{axis}: f64 = {'0.0' if axis == 0 else f's.{axis - 1}'}" if sums else ""
        lines.append(f"{indent}{f't.{axis}: f64 = ' if sums else ''}for {name}: int in range({source}){carried}:")
        ends.append(f"{indent}    yield t.{axis + 1}")
        indent += "    "
    values = ["c"]

    def index(aligned: bool) -> str:
        places = []
        for name in names:
            offset = 0 if aligned else rng.randrange(-2, 3)
            if offset:
                own = f"k.{next(fresh)}"
                lines.append(f"{indent}{own}: int = operator.{'add' if offset > 0 else 'sub'}({name}, {abs(offset)})")
                places.append(own)
            else:
                places.append(name)
        return places[0] if rank == 1 else f"({', '.join(places)})"

    aligned = {"u": rng.random() < 0.1, "v": rng.random() < 0.7, "w": rng.random() < 0.5}
    weights = {"load": rng.choice([2, 4]), "clear": 1, "add": 4, "op": 3}
    for _ in range(rng.randrange(4, 14)):
        match rng.choices(list(weights), list(weights.values()))[0]:
            case "load":
                array = rng.choice("vvwwu" if rng.random() < 0.1 else "vvww")
                at, name = index(aligned[array]), f"a.{next(fresh)}"
                lines.append(f"{indent}{name}: f64 = operator.getitem({array}, {at})")
                values.append(name)
            case "clear":
                array = "v" if rng.random() < 0.9 else "u"
                lines.append(f"{indent}operator.setitem({array}, {index(aligned[array])}, {rng.choice(['0.0', values[-1]])})")
            case "add":
                array, fn = (
                    rng.choice("uuuuvw" if rng.random() < 0.3 else "u"),
                    rng.choice(["accumulate", "accumulate", "deduct"]),
                )
                lines.append(f"{indent}intrinsics.{fn}({array}, {index(aligned[array])}, {rng.choice([*values[-2:], '2.0'])})")
            case "op":
                name, fn = f"b.{next(fresh)}", rng.choice(["add", "sub", "mul"])
                lines.append(
                    f"{indent}{name}: f64 = operator.{fn}({rng.choice(values[-3:])}, {rng.choice(['c', '0.5', values[-1]])})"
                )
                values.append(name)
    if sums:
        lines.append(f"{indent}t.{rank}: f64 = operator.add(s.{rank - 1}, {values[-1]})")
        lines += reversed(ends)
    lines.append(f"    return u, v, w, {'t.0' if sums else 'c'}")
    return "\n".join(lines)


@pytest.mark.parametrize("start", range(0, 600, 50))
def test_random_nests_compute_the_same(start: int) -> None:
    for seed in range(start, start + 50):
        text = random_nest(seed)
        fn = read(text)
        gathered = gather_contributions(fn)
        verify(gathered)
        rank = text.partition("\n")[0].count("n0") + text.partition("\n")[0].count("n1")
        for extent in ((0, 2), (2, 3), (4, 4), (5, 8), (6, 5)):
            rng = np.random.default_rng(seed)
            arrays = [rng.normal(size=tuple(size + 3 for size in extent[:rank])) for _ in range(3)]
            expected, found = (interpret(each, *(a.copy() for a in arrays), *extent[:rank], 0.7) for each in (fn, gathered))
            for a, b in zip(expected, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9, err_msg=f"{seed}\n{text}")
