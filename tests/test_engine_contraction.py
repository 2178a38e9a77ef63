"""Tapes of arrays of which all rows hold the same: which axes they lack, and that gradients come out right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.passes.loops.contract_tapes import contract_invariant_axes

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
Sweep = Callable[..., Any]


def pivots(p: Any, q: Any, u: Any) -> None:
    """Every row of `p` is the same."""
    p[1:-1, 0] = 0.0
    for j in range(1, u.shape[0] - 1):
        p[1:-1, j] = 1.0 / (3.0 - p[1:-1, j - 1])
        q[1:-1, j] = (u[j, 1:-1] + q[1:-1, j - 1]) * p[1:-1, j]


def by_rows(p: Any, q: Any, u: Any) -> None:
    """The same, row by row."""
    for i in range(1, u.shape[0] - 1):
        p[i, 0] = 0.5
        for j in range(1, u.shape[0] - 1):
            p[i, j] = 1.0 / (3.0 - p[i, j - 1])
            q[i, j] = (u[j, i] + q[i, j - 1]) * p[i, j]


def one_apart(p: Any, q: Any, u: Any) -> None:
    """What one row had is read for the next one."""
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[0] - 1):
            p[i, j] = 0.5 + 0.5 * p[i - 1, j]
            q[i, j] = u[j, i] * p[i, j] + q[i, j - 1]


def one_row(p: Any, q: Any, u: Any) -> None:
    """One row is written alone."""
    pivots(p, q, u)
    if u.shape[0] > 3:
        p[2, 1:-1] = p[2, 1:-1] * 1.5


def by_number(p: Any, q: Any, u: Any) -> None:
    """What is stored depends on the row."""
    for j in range(1, u.shape[0] - 1):
        for i in range(1, u.shape[0] - 1):
            p[i, j] = 1.0 / (3.0 + i - p[i, j - 1])
            q[i, j] = (u[j, i] + q[i, j - 1]) * p[i, j]


def some_rows(p: Any, q: Any, u: Any) -> None:
    """Only some rows are written."""
    for j in range(1, u.shape[0] - 1):
        for i in range(1, u.shape[0] - 1):
            if u[i, j] > 0.5:
                p[i, j] = 1.0 / (3.0 - p[i, j - 1])
            q[i, j] = (u[j, i] + q[i, j - 1]) * p[i, j]


def fewer_columns(p: Any, q: Any, u: Any) -> None:
    """Of each row another part is written."""
    for i in range(1, u.shape[0] - 1):
        for j in range(1, i):
            p[i, j] = 1.0 / (3.0 - p[i, j])
    q[1:-1, 1:-1] = (u[1:-1, 1:-1] + q[1:-1, :-2]) * p[1:-1, 1:-1]


def halfway(p: Any, q: Any, u: Any) -> None:
    """All rows are read where half of them are written."""
    for m in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[0] - 1):
            p[m, j] = p[m, j] + 1.0
            for i in range(1, u.shape[0] - 1):
                q[i, j] = q[i, j] * 0.5 + u[i, j] * p[i, j]


def from_the_end(p: Any, q: Any, u: Any) -> None:
    """Rows are counted from the end as well."""
    for j in range(1, u.shape[0] - 1):
        p[-1, j] = 0.25
        p[1:-1, j] = 1.0 / (3.0 - p[1:-1, j - 1])
        q[1:-1, j] = (u[j, 1:-1] + q[1:-1, j - 1]) * p[1:-1, j]
        p[1:, j] = p[1:, j] * 0.5


SWEEPS: list[Sweep] = [pivots, by_rows, one_apart, one_row, by_number, some_rows, fewer_columns, halfway, from_the_end]


def stepped(sweep: Sweep) -> Callable[[Any, int], Any]:
    """A few steps, of which each goes on from the arrays of the last one."""

    def f(u0: Any, steps: int) -> Any:
        n = u0.shape[0]
        u = u0.copy()
        p = np.zeros((n, n))
        q = np.zeros((n, n))
        for _ in range(steps):
            sweep(p, q, u)
            u[1:-1, 1:-1] = u[1:-1, 1:-1] * 0.5 + q[1:-1, 1:-1] * p[1:-1, 1:-1]
        return np.sum(u * u)

    return f


def by_differences(f: Callable[[Any, int], Any], x: Any, steps: int) -> Any:
    """Central differences, one component after the other."""
    found = np.empty_like(x)
    for place in np.ndindex(x.shape):
        more, less = x.copy(), x.copy()
        more[place] += 1e-6
        less[place] -= 1e-6
        found[place] = (f(more, steps) - f(less, steps)) / 2e-6
    return found


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.__name__)
def test_gradients_through_rows(sweep: Sweep) -> None:
    f = stepped(sweep)
    compiled, plain = (
        adxform.prepare_gradient(f, np.ones((6, 6)), 1, engine=engine, strict=False) for engine in ("numba", "python")
    )
    for n in (2, 3, 7):
        for steps in (0, 1, 2):
            x = np.random.default_rng(n).uniform(size=(n, n))
            found = compiled(x, steps)
            np.testing.assert_allclose(found, plain(x, steps), rtol=1e-12, atol=1e-14)
            expected = by_differences(f, x, steps)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize(
    ("body", "places"),
    [
        # all rows, then what they hold
        (["for r: int in range(1, k, 1):", "    operator.setitem(p, (r, m), 1.0)", "{reads}"], "m"),
        (["for r: int in range(0, n, 1):", "    operator.setitem(p, (r, m), 1.0)", "{reads}"], "m"),
        # too few of them, one of them, from the end, each something else
        (["for r: int in range(2, k, 1):", "    operator.setitem(p, (r, m), 1.0)", "{reads}"], "(m, i)"),
        (["operator.setitem(p, (m, 0), 1.0)", "{reads}"], "(m, i)"),
        (["for r: int in range(-1, n, 1):", "    operator.setitem(p, (r, m), 1.0)", "{reads}"], "(m, i)"),
        (["for r: int in range(1, k, 1):", "    operator.setitem(p, (r, r), 1.0)", "{reads}"], "(m, i)"),
        (["for r: int in range(1, k, 1):", "    v: f64 = operator.getitem(x, r)",
          "    operator.setitem(p, (r, m), v)", "{reads}"], "(m, i)"),
        # while only some are written
        (["operator.setitem(p, (m.1, 0), 1.0)", "{reads}"], "(m, i)"),
        (["for r: int in range(1, k, 1):", "    w: int = operator.add(r, 1)", "    v: f64 = operator.getitem(p, (w, m))",
          "    operator.setitem(p, (r, m), v)", "{reads}"], "(m, i)"),
    ],
)  # fmt: skip
def test_what_is_alike(body: list[str], places: str) -> None:
    reads = [
        "for i: int in range(0, l, 1):",
        "    m.2: int = operator.add(i, 1)",
        "    a: f64 = operator.getitem(p, (m.2, 0))",
        "    operator.setitem(tape, (m, i), a)",
    ]
    lines = [one for line in body for one in (reads if line == "{reads}" else [line])]
    fn = read(
        """
def f(x: f64[x.0], n: int):
    n.1: int = builtins.max(n, 0)
    k: int = operator.sub(n, 1)
    l: int = operator.sub(n, 2)
    l.1: int = builtins.max(l, 0)
    p: f64[?0, ?0] = np.zeros((n.1, n.1))
    tape: f64[?0, ?1] = np.empty((n.1, l.1))
    for m: int in range(0, n, 1):
        m.1: int = operator.add(m, 1)
"""
        + "".join(f"        {line}\n" for line in lines)
        + """    for m.3: int in range(0, n, 1):
        for i.1: int in range(0, l, 1):
            b: f64 = operator.getitem(tape, (m.3, i.1))
            operator.setitem(x, i.1, b)
    return x"""
    )
    verify(fn)
    found = contract_invariant_axes(fn)
    verify(found)
    assert f"operator.setitem(tape, {places}, a)" in show(found)


def test_rows_that_are_alike_are_kept_once() -> None:
    text = adxform.source(stepped(pivots), np.ones((6, 6)), 2, engine="numba")
    assert "p_old_tape[item, k] = " in text
