"""Pullbacks that are kept, and Hessian products at one point, compiled: what both parts return is what Python's return."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.compiled_rule import Guarded
from adxform.frontend.derivative_operators import Engine
from adxform.runtime.dispatch.application import apply

pytest.importorskip("numba")

X = np.linspace(-1.0, 1.5, 7)


def two(x: Any, w: Any) -> Any:
    y = np.sin(x) * w
    return np.exp(y) + x**2, np.sum(y)


def heat(u: Any, k: float, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def repeated(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = np.sin(u) * u
    return u


def logs(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += math.log(x[i]) * x[i]
    return total


def overwritten(x: Any) -> Any:
    y = x.copy()
    z = y[1:]
    for i in range(len(z)):
        z[i] = z[i] * y[i]
    return y * z[0]


def printing(x: Any) -> Any:
    print(len(x))
    return np.sum(np.sin(x) * x)


def leaves(value: Any) -> list[Any]:
    """The numbers and arrays of a structure."""
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [] if value is None else [value]


def agree(found: Any, expected: Any) -> None:
    """The same arrays and numbers, up to rounding."""
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("f", "args", "ct", "directions"),
    [(two, (X, np.cos(X)), (X, np.float64(2.0)), 1), (repeated, (X, 3), X, 2), (overwritten, (X,), X, 1)],
)
def test_kept_pullbacks(f: Callable[..., Any], args: Any, ct: Any, directions: int) -> None:
    compiled, plain = (adxform.prepare_vjp(f, *args, directions=directions, engine=engine) for engine in ("numba", "python"))
    value, pullback = compiled(*args)
    expected, other = plain(*args)
    agree(value, expected)
    for _ in range(2):
        agree(pullback(ct), other(ct))
    rows = tuple(np.stack([leaf, 3.0 * leaf, -leaf]) for leaf in leaves(ct))
    rows = rows if isinstance(ct, tuple) else rows[0]
    agree(pullback.batch(rows), other.batch(rows))
    for leaf in leaves(value):
        if isinstance(leaf, np.ndarray):
            leaf[:] = 0.0
    agree(pullback(ct), other(ct))


def test_both_parts_are_compiled() -> None:
    for f, args in ((two, (X, X)), (heat, (X, 0.2, 4)), (repeated, (X, 3))):
        call = apply(f, args, {}, engine=Engine("numba"))
        parts = call.cut(call.rule_to_cut("reverse", call.float_leaves()))
        assert isinstance(parts.run_forward, Guarded)
        assert isinstance(parts.run_backward, Guarded)
        assert not parts.changed


def test_what_may_do_anything_is_not_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    value, pullback = adxform.prepare_vjp(printing, X, engine="numba")(X)
    assert capsys.readouterr().out == "7\n"
    agree(pullback(type(value)(1.0)), (np.cos(X) * X + np.sin(X),))
    assert capsys.readouterr().out == ""


def test_errors_are_those_of_python() -> None:
    prepared = adxform.prepare_vjp(logs, np.abs(X) + 0.1, engine="numba")
    value, pullback = prepared(np.abs(X) + 0.1)
    agree(pullback(type(value)(1.0)), (np.log(np.abs(X) + 0.1) + 1.0,))
    with pytest.raises(ValueError, match="math domain error"):
        prepared(-np.abs(X))


def test_products_at_one_point() -> None:
    args = X, 0.2, 4
    compiled, plain = (adxform.prepare_hvp_same_point(heat, *args, directions=2, engine=engine) for engine in ("numba", "python"))
    assert isinstance(compiled.tape.parts.run_backward, Guarded)
    agree((compiled.value, compiled.gradient), (plain.value, plain.gradient))
    agree(compiled(X**2), plain(X**2))
    agree(compiled.batch(np.stack([X, X**2, -X])), plain.batch(np.stack([X, X**2, -X])))
    agree(compiled.at(2.0 * X, 0.1, 3)(X), plain.at(2.0 * X, 0.1, 3)(X))
    out = np.empty_like(X)
    agree(compiled(X, out=out), plain(X))


def test_they_are_pickled() -> None:
    prepared = adxform.prepare_vjp(repeated, X, 3, engine="numba")
    again = pickle.loads(pickle.dumps(prepared))
    assert again.call.engine == Engine("numba")
    agree(again(X, 3)[1](X), prepared(X, 3)[1](X))


def bounded(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 2.0:
            raise ValueError("too large")
        total += np.sin(x[i]) * x[i]
    return total


def test_what_runs_in_kept_memory_is_compiled_where_there_are_checks() -> None:
    compiled, plain = (adxform.prepare_gradient(bounded, X, engine=engine) for engine in ("numba", "python"))
    out = np.empty_like(X)
    for x in (X, X[::-1]):
        assert compiled(x, out=out) is out
        agree(out, plain(x))
    form = compiled.made.pool(compiled.plan.rule).rule.run
    assert isinstance(form, Guarded)
    assert form.kernels
    assert form.refusal is None
    with pytest.raises(ValueError, match="too large"):
        compiled(2.0 * X, out=out)
