"""Batches of compiled derivatives that write into their rows of the result: what comes out is what single calls return."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.errors import PreparationMismatchError

pytest.importorskip("numba")

X = np.linspace(-1.0, 1.5, 6)
SCALE = np.linspace(0.5, 2.0, 6)
VS = np.random.default_rng(5).normal(size=(8, 6))


def mixed(x: Any, k: float) -> Any:
    y = np.sin(x) * k
    return {"rows": y * x, "sum": np.sum(y * SCALE)}


def energy(x: Any, w: Any) -> Any:
    return np.sum(np.sin(x) * w**2 * x)


def neighbours(x: Any) -> Any:
    return x[1:] * x[:-1] + x[1:] ** 2


def logs(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += math.log(x[i]) * x[i]
    return total


def leaves(value: Any) -> list[Any]:
    """The numbers and arrays of a structure."""
    if isinstance(value, dict):
        value = tuple(value.values())
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]


def agree(found: Any, expected: Any) -> None:
    """The same arrays, of the same classes, up to rounding."""
    assert len(leaves(found)) == len(leaves(expected))
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        assert type(one) is type(other)
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


def pair(prepare: Callable[..., Any], f: Callable[..., Any], *args: Any, **options: Any) -> list[Any]:
    """The derivative compiled, and as it is in Python."""
    return [prepare(f, *args, engine=engine, **options) for engine in ("numba", "python")]


@pytest.mark.parametrize("directions", [1, 2, 4])
@pytest.mark.parametrize("count", range(9))
def test_each_row_is_a_single_product(count: int, directions: int) -> None:
    vs, ks = VS[:count], VS[:count, 0].copy()
    quick = count > 1 and count % directions == 0
    compiled, plain = pair(adxform.prepare_jvp, mixed, X, 2.0, directions=directions)
    assert (compiled._batch((X, 2.0, (vs, ks))) is not MISS) == quick
    value, tangents = compiled.batch((X, 2.0), (vs, ks))
    agree((value, tangents), plain.batch((X, 2.0), (vs, ks)))
    for i, (v, k) in enumerate(zip(vs, ks, strict=True)):
        single = plain((X, 2.0), (v, float(k)))
        agree((value, {name: tangent[i] for name, tangent in tangents.items()}), single)
    compiled, plain = pair(adxform.prepare_vjp, mixed, X, 2.0, directions=directions)
    cts = {"rows": vs, "sum": ks}
    assert (compiled._batch((X, 2.0, cts)) is not MISS) == quick
    agree(compiled.batch((X, 2.0), cts), plain.batch((X, 2.0), cts))
    compiled, plain = pair(adxform.prepare_hvp, energy, X, SCALE, argnums=(1, 0), directions=directions)
    assert (compiled._batch((X, SCALE, (vs, 2.0 * vs))) is not MISS) == quick
    agree(compiled.batch(X, SCALE, (vs, 2.0 * vs)), plain.batch(X, SCALE, (vs, 2.0 * vs)))


def test_differences_say_the_same() -> None:
    compiled = adxform.prepare_jvp(neighbours, X, engine="numba", directions=2)
    step = 1e-6
    _, tangents = compiled.batch((X,), (VS,))
    for v, tangent in zip(VS, tangents, strict=True):
        slope = (neighbours(X + step * v) - neighbours(X - step * v)) / (2.0 * step)
        np.testing.assert_allclose(tangent, slope, atol=1e-8)
    cts = VS[:, :5].copy()
    _, (pulled,) = adxform.prepare_vjp(neighbours, X, engine="numba", directions=4).batch((X,), cts)
    np.testing.assert_allclose(cts @ tangents.T, pulled @ VS.T, rtol=1e-12)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda vs: np.repeat(vs, 2, axis=1)[:, ::2], lambda vs: vs[::-1]])
def test_vectors_of_any_layout(layout: Callable[[Any], Any]) -> None:
    compiled, plain = pair(adxform.prepare_vjp, neighbours, X, directions=2)
    for cts in (VS[:, :5], np.where(VS > 0.5, np.nan, VS)[:, :5], np.where(VS > 0.5, np.inf, 0.0)[:, :5]):
        with np.errstate(invalid="ignore"):
            agree(compiled.batch((X,), layout(cts)), plain.batch((X,), layout(cts)))
    frozen = VS[:, :5].copy()
    frozen.flags.writeable = False
    agree(compiled.batch((X,), frozen), plain.batch((X,), frozen))


def test_vectors_may_be_arguments() -> None:
    square = VS[:6].copy()

    def product(a: Any) -> Any:
        return np.sin(a) * a

    compiled, plain = pair(adxform.prepare_vjp, product, square[0], directions=2)
    agree(compiled.batch((square[0],), square), plain.batch((square[0],), square))
    np.testing.assert_array_equal(square, VS[:6])


def test_no_length_and_lengths_that_do_not_fit() -> None:
    compiled, plain = pair(adxform.prepare_vjp, neighbours, X, directions=2)
    agree(compiled.batch((X,), VS[:, :5]), plain.batch((X,), VS[:, :5]))
    for size in (0, 1, 2, 3):
        x, cts = X[:size], VS[:4, : max(size - 1, 0)]
        for prepared in (compiled, plain):
            if size in (0, 1):
                assert prepared._batch((x, cts)) is MISS
        if size != 1:
            agree(compiled.batch((x,), cts), plain.batch((x,), cts))
    empty = adxform.prepare_hvp(energy, X, SCALE, directions=2, engine="numba")
    assert empty.batch(np.empty(0), np.empty(0), np.empty((4, 0))).shape == (4, 0)
    for wrong in (VS, VS[:, :4], VS[0, :5], VS[:, :5].astype(np.float32), [VS[:, :5]]):
        with pytest.raises(PreparationMismatchError):
            compiled.batch((X,), wrong)


def test_results_are_the_callers() -> None:
    compiled = adxform.prepare_vjp(mixed, X, 2.0, engine="numba", directions=2)
    cts = {"rows": VS[:4], "sum": VS[:4, 0].copy()}
    first = compiled.batch((X, 2.0), cts)
    held = [np.copy(leaf) for leaf in leaves(first)]
    second = compiled.batch((-X, 1.0), cts)
    for leaf, then in zip(leaves(first), held, strict=True):
        np.testing.assert_array_equal(leaf, then)
    arrays = [leaf for leaf in (*leaves(first), *leaves(second)) if isinstance(leaf, np.ndarray)]
    assert not any(np.shares_memory(one, other) for i, one in enumerate(arrays) for other in arrays[:i])


def test_what_a_kernel_refuses_python_does() -> None:
    compiled = adxform.prepare_vjp(logs, np.abs(X) + 0.1, engine="numba", directions=2)
    _, (pulled,) = compiled.batch((np.abs(X) + 0.1,), VS[:4, 0])
    np.testing.assert_allclose(pulled, VS[:4, :1] * (np.log(np.abs(X) + 0.1) + 1.0), rtol=1e-12)
    with pytest.raises(ValueError, match="math domain error"):
        compiled.batch((X,), VS[:4, 0])


def test_a_sweep_counts_as_a_call() -> None:
    compiled = adxform.prepare_hvp(energy, X, SCALE, engine="numba", directions=4)
    compiled.batch(X, SCALE, VS)
    before = adxform.stats()["primal_calls"]
    compiled.batch(X, SCALE, VS)
    assert adxform.stats()["primal_calls"] - before == 2


def test_what_is_around_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = adxform.prepare_jvp(mixed, X, 2.0, engine="numba", directions=2)
    vectors = VS[:2], VS[:2, 0].copy()
    before = compiled.batch((X, 2.0), vectors)[1]["sum"]
    monkeypatch.setitem(globals(), "SCALE", 2.0 * SCALE)
    np.testing.assert_allclose(compiled.batch((X, 2.0), vectors)[1]["sum"], 2.0 * before, rtol=1e-12)
    monkeypatch.setitem(globals(), "SCALE", "other")
    with pytest.raises(PreparationMismatchError):
        compiled.batch((X, 2.0), vectors)


def powers(x: Any, n: int) -> Any:
    return np.sin(x) ** n


def test_arguments_that_are_no_floats() -> None:
    compiled, plain = pair(adxform.prepare_jvp, powers, X, 3, directions=2)
    agree(compiled.batch((X, 3), (VS, None))[1], plain.batch((X, 3), (VS, None))[1])
    compiled, plain = pair(adxform.prepare_vjp, powers, X, 3, directions=2)
    assert compiled._batch((X, 3, VS)) is not MISS
    agree(compiled.batch((X, 3), VS)[1][0], plain.batch((X, 3), VS)[1][0])


@pytest.mark.parametrize("count", [0, 1, 4, 5])
def test_sweeps_write_into_out(count: int) -> None:
    compiled, plain = pair(adxform.prepare_vjp, mixed, X, 2.0, directions=2)
    cts = {"rows": VS[:count], "sum": VS[:count, 0].copy()}
    expected = plain.batch((X, 2.0), cts)
    for prepared in (compiled, plain):
        for strided in (False, True):
            rows, sums = np.full((count, 12), np.nan)[:, ::2] if strided else np.full((count, 6), np.nan), np.full(count, np.nan)
            value = {"rows": np.full(6, np.nan), "sum": None}
            for _ in range(2):
                found = prepared.batch((X, 2.0), cts, out=(value, (rows, sums)))
                agree(found, expected)
                assert found[0]["rows"] is value["rows"]
                assert found[1][0] is rows
                assert found[1][1] is sums
        with pytest.raises(PreparationMismatchError):
            prepared.batch((X, 2.0), cts, out=(value, (np.empty((count + 1, 6)), sums)))
        if count:
            with pytest.raises(PreparationMismatchError):
                prepared.batch((X, 2.0), cts, out=(value, (cts["rows"], sums)))
