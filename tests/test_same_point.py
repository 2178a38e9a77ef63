"""Hessian products at one point: what depends on the point is done once, and each vector leaves everything as it was."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, ArgnumsError, NonScalarOutputError, PreparationMismatchError
from adxform.runtime.dispatch.execution import Residuals
from tests import prepared_programs
from tests.oracle import central_jacobian, float_leaves, pack
from tests.prepared_programs import PROGRAMS, Program, X, building, points
from tests.test_corpus import SCALAR_PROGRAMS, SINGLE, close, like, quiet, tolerance, weights

V = np.array([1.0, -0.5, 0.25])
programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


def settling(x):
    u = x.copy()
    left, passes = 1.0, 0
    while left > 1e-2 and passes < 30:
        u[1:] = u[1:] * 0.5 + 0.1 * np.sin(u[:-1])
        left = np.sum(u[1:] ** 2) * 0.3
        passes += 1
    return np.sum(u**3) + left


def halves(x):
    if x.shape[0] <= 1:
        return np.sum(x**3)
    half = x.shape[0] // 2
    return halves(x[:half]) * halves(x[half:]) + x[0] ** 2


def bump(u, i):
    u[i] = u[i] * u[i - 1]
    return u[i]


def bumped(x):
    u = x.copy()
    total = 0.0
    for i in range(1, u.shape[0]):
        total = total + bump(u, i) ** 2
    return total


def overwriting(x):
    x[1:] = x[:-1] * x[1:]
    rows = x.reshape(-1, 1)
    rows[0] *= x[-1]
    return np.sum(x**2) + rows[0, 0] ** 3


def swapping(x):
    u, w = x * x, np.sin(x)
    for _ in range(3):
        u, w = w, u * w
        w[0] = u[-1] * w[0]
    return np.sum(u * w)


HARD = (settling, halves, bumped, overwriting, swapping)


@pytest.mark.parametrize("f", HARD)
def test_hard_programs_against_differences(f: Any) -> None:
    q = adxform.prepare_hvp_same_point(f, np.ones(5))
    for x in (np.linspace(0.3, 1.2, 5), np.linspace(1.1, -0.4, 5), np.linspace(0.5, 0.9, 6)):
        at = q.at(x)
        hessian = central_jacobian(lambda x: adxform.grad(f)(x.copy()), x)[0]
        slopes = central_jacobian(lambda x: np.array([f(x.copy())]), x)[0][0]
        np.testing.assert_allclose(at.gradient, slopes, rtol=1e-6, atol=1e-7)
        assert at.value == f(x.copy())
        first = [at(e) for e in np.eye(x.size)]
        np.testing.assert_allclose(first, hessian, rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal([at(e) for e in np.eye(x.size)[::-1]], first[::-1])


@programs
def test_prepared_programs(program: Program) -> None:
    q = adxform.prepare_hvp_same_point(program.function, X)
    product = adxform.prepare_hvp(program.function, X)
    mark, before = q.fingerprint(), building()
    for x in points(3):
        at = q.at(x)
        for v in (V, X):
            value, gradient, expected = product.value_gradient_and_hvp(x, v)
            assert at.value == pytest.approx(value, rel=1e-14)
            np.testing.assert_allclose(at.gradient, gradient, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(at(v), expected, rtol=1e-9, atol=1e-11)
    assert building() == before
    assert q.fingerprint() == mark
    assert q.at(V).fingerprint() != mark


@pytest.mark.parametrize("program", SCALAR_PROGRAMS, ids=lambda program: program.name)
@quiet
def test_every_scalar_program(program: Any) -> None:
    for point in program.points:
        if point.gradient is not None:
            continue
        chosen = tuple(point.args[i] for i in program.wrt)
        v = like(chosen, weights(pack(float_leaves(chosen)).size, 3))
        expected = pack(float_leaves(adxform.hvp(program.function, argnums=program.wrt)(*point.fresh(), v)))
        args = point.fresh()
        q = adxform.prepare_hvp_same_point(program.function, *args, argnums=program.wrt)
        tol = SINGLE if tolerance(point) == SINGLE else 1e-9
        found = [pack(float_leaves(q(v))) for _ in range(2)]
        close(found[0], expected, tol, f"at {point.args}")
        assert np.array_equal(*found, equal_nan=True)
        gradient = adxform.grad(program.function, argnums=program.wrt)(*point.fresh())
        close(pack(float_leaves(q.gradient)), pack(float_leaves(gradient)), tol, f"gradient at {point.args}")


def test_only_the_last_sweep_runs_for_a_vector() -> None:
    q = adxform.prepare_hvp_same_point(prepared_programs.looped, X)
    before = adxform.stats()["primal_calls"]
    for _ in range(3):
        q(V)
    assert adxform.stats()["primal_calls"] == before
    assert q.source.count("def looped_second") == 2
    forward, pullback = q.source.split("def looped_second_pullback")
    assert "np.sin" in forward
    assert "total +=" in forward
    assert "total +=" not in pullback


def test_what_is_fixed_at_the_point_is_computed_there() -> None:
    def f(x):
        return np.sum(np.log(1.0 + np.exp(x)) / x)

    q = adxform.prepare_hvp_same_point(f, V + 2.0)
    pullback = q.source.partition("def f_second_pullback")[2]
    assert not any(name in pullback for name in ("np.exp", "np.log", " / ", "**"))


def test_structures_argnums_keywords_and_partial() -> None:
    from functools import partial

    def model(weights: Any, x: Any, *, power: int) -> Any:
        return np.sum((weights["w"] @ x + weights["b"]) ** power)

    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(size=(2, 3)), "b": 0.5}
    vector = {"w": rng.normal(size=(2, 3)), "b": -1.0}
    for argnums, v in ((0, vector), (1, V), ((0, 1), (vector, V)), ((-1, 0), (V, vector))):
        for power in (1, 2, 3):
            q = adxform.prepare_hvp_same_point(model, weights, X, argnums=argnums, power=power)
            expected = adxform.hvp(model, argnums)(weights, X, v, power=power)
            np.testing.assert_allclose(pack(float_leaves(q(v))), pack(float_leaves(expected)), rtol=1e-9, atol=1e-12)
            assert type(q(v)) is type(expected)
    bound = adxform.prepare_hvp_same_point(partial(model, weights, power=3), X)
    np.testing.assert_allclose(bound(V), adxform.hvp(model, 1)(weights, X, V, power=3))
    assert bound.args[0].tolist() == X.tolist()


def test_small_and_plain_arguments() -> None:
    assert adxform.prepare_hvp_same_point(lambda x: x**3, 2.0)(1.0) == 12.0
    assert adxform.prepare_hvp_same_point(lambda x: 2.0 * x, 2.0)(1.0) == 0.0
    assert adxform.prepare_hvp_same_point(lambda x: 3.0, 2.0)(1.0) == 0.0
    np.testing.assert_array_equal(adxform.prepare_hvp_same_point(lambda x: np.sum(x), X)(V), np.zeros(3))
    empty = adxform.prepare_hvp_same_point(lambda x: np.sum(x**3), np.empty(0))
    assert empty(np.empty(0)).shape == (0,)
    assert empty.batch(np.empty((2, 0))).shape == (2, 0)
    narrow = np.float32([1.0, 2.0])
    q = adxform.prepare_hvp_same_point(lambda x: np.sum(x**3), narrow)
    assert q(narrow).dtype == np.float32
    np.testing.assert_array_equal(q(narrow), [6.0, 24.0])


def test_it_holds_the_point() -> None:
    box = {"scale": 2.0}

    def f(x, data):
        return box["scale"] * np.sum(x**3 * data)

    x, data = X.copy(), np.ones(3)
    q = adxform.prepare_hvp_same_point(f, x, data)
    expected = q(V)
    x[:], data[:], box["scale"] = 9.0, 9.0, 9.0
    np.testing.assert_array_equal(q(V), expected)
    np.testing.assert_array_equal(q.args[0], X)
    np.testing.assert_allclose(q.at(X, np.ones(3))(V), 4.5 * expected)
    for array in (q.gradient, q.args[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    first = q(V)
    first[:] = 0.0
    np.testing.assert_array_equal(q(V), expected)
    with pytest.raises(AttributeError):
        q.value = 1.0  # type: ignore[misc]


def test_a_closure_made_anew() -> None:
    def weighted(weight: Any) -> Any:
        return lambda x: weight * np.sum(np.exp(x) * x)

    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -0.5])
    q = adxform.prepare_hvp_same_point(weighted(1.0), x)
    mark, before = q.fingerprint(), building()
    other = q.rebind(weighted(3.0))
    np.testing.assert_allclose(other(v), 3.0 * np.exp(x) * (x + 2.0) * v, rtol=1e-14)
    np.testing.assert_allclose(other.gradient, 3.0 * q.gradient, rtol=1e-14)
    np.testing.assert_allclose(q(v), np.exp(x) * (x + 2.0) * v, rtol=1e-14)
    q.check(x + 1.0)
    assert (q.fingerprint(), building()) == (mark, before)


def test_out_and_batch() -> None:
    q = adxform.prepare_hvp_same_point(settling, X)
    out = np.empty(3)
    assert q(V, out=out) is out
    np.testing.assert_array_equal(out, q(V))
    rows = q.batch(np.eye(3))
    np.testing.assert_array_equal(rows, [q(e) for e in np.eye(3)])
    pair = adxform.prepare_hvp_same_point(lambda p: p["a"] ** 2 * np.sum(p["b"] ** 2), {"a": 2.0, "b": X})
    found = pair.batch({"a": np.array([1.0, 0.0]), "b": np.stack([V, X])})
    np.testing.assert_allclose(found["a"], [pair({"a": 1.0, "b": V})["a"], pair({"a": 0.0, "b": X})["a"]])
    np.testing.assert_allclose(found["b"], [pair({"a": 1.0, "b": V})["b"], pair({"a": 0.0, "b": X})["b"]])
    assert q.batch(np.empty((0, 3))).shape == (0, 3)
    for f in (*HARD, prepared_programs.treesum, prepared_programs.rosenbrock):
        for directions in (1, 2, 3):
            several = adxform.prepare_hvp_same_point(f, np.ones(4), directions=directions).at(np.linspace(0.3, 1.2, 4))
            vectors = np.vstack([np.eye(4), np.ones(4)])
            np.testing.assert_allclose(several.batch(vectors), [several(v) for v in vectors], rtol=1e-13, atol=1e-14)
            np.testing.assert_allclose(pickle.loads(pickle.dumps(several)).batch(vectors), several.batch(vectors))
    for wrong in (np.ones((2, 4)), {"a": np.eye(3)}, 1.0):
        with pytest.raises(PreparationMismatchError):
            q.batch(wrong)
    with pytest.raises(PreparationMismatchError):
        pair.batch({"a": np.ones(3), "b": np.ones((2, 3))})
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        q(V, out=V)


def test_what_does_not_fit() -> None:
    q = adxform.prepare_hvp_same_point(settling, X)
    for wrong in (V[:2], V.astype(np.float32), [1.0, 2.0, 3.0], 1.0, None):
        with pytest.raises(PreparationMismatchError, match="vector"):
            q(wrong)
    for args in ((), (X, X), (X.astype(np.float32),), (X.reshape(1, 3),)):
        with pytest.raises(PreparationMismatchError, match="was not prepared for this call"):
            q.at(*args)
    loose = adxform.prepare_hvp_same_point(settling, X, strict=False)
    np.testing.assert_allclose(loose.at(np.float32(X))(np.float32(V)), q(V), rtol=1e-4)
    with pytest.raises(NonScalarOutputError):
        adxform.prepare_hvp_same_point(lambda x: x, X)
    with pytest.raises(ArgnumsError):
        adxform.prepare_hvp_same_point(settling, X, argnums=1)


def test_threads_and_exceptions() -> None:
    at = [adxform.prepare_hvp_same_point(f, np.ones(5)).at(np.linspace(0.3, 1.2, 5)) for f in HARD]
    vectors = list(np.eye(5))
    expected = [[q(v) for v in vectors] for q in at]
    wrong: list[Any] = []

    def work(start: int) -> None:
        for k in range(100):
            i, j = (start + k) % len(at), (start * k) % 5
            if not np.array_equal(at[i](vectors[j]), expected[i][j]):
                wrong.append((i, j))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_inside_a_differentiated_function() -> None:
    q = adxform.prepare_hvp_same_point(settling, X)
    hessian = np.array([q(e) for e in np.eye(3)])

    def squared(v):
        return np.sum(q(v) ** 2) + q.value * (q.gradient @ v)

    expected = 2 * hessian @ hessian @ V + q.value * q.gradient
    np.testing.assert_allclose(adxform.grad(squared)(V), expected, rtol=1e-9)
    np.testing.assert_allclose(adxform.prepare_gradient(squared, V)(V), expected, rtol=1e-9)
    held = adxform.prepare_hvp_same_point(prepared_programs.mutating, X)
    with pytest.raises(AdxError, match="SCALE") as caught:
        adxform.grad(lambda v: np.sum(held(v)))(V)
    assert caught.value.span.line


READ = """
import pickle, sys
sys.path.insert(0, {root!r})
import adxform
import tests.test_same_point
before, said = adxform.stats(), []
for kept in pickle.load(sys.stdin.buffer):
    q, v = pickle.loads(kept)
    said.append((q.fingerprint(), q.value, q.gradient, q(v), q(v), q.at(v)(v)))
pickle.dump((said, before, adxform.stats()), sys.stdout.buffer)
"""


def test_another_process_builds_nothing(pytestconfig: pytest.Config) -> None:
    prepared = [adxform.prepare_hvp_same_point(f, X + 2.0) for f in (*HARD, prepared_programs.mutating)]
    script, kept = READ.format(root=str(Path(pytestconfig.rootpath))), [pickle.dumps((q, V)) for q in prepared]
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(kept), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    said, before, after = pickle.loads(done.stdout)
    for q, found in zip(prepared, said, strict=True):
        expected = q.fingerprint(), q.value, q.gradient, q(V), q(V), q.at(V)(V)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    assert [after[key] - before[key] for key in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]


def test_a_tape_is_saved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    run = Residuals.run

    def counted(self: Residuals, seeds: Any) -> Any:
        saved.append(len(self.contents))
        return run(self, seeds)

    monkeypatch.setattr(Residuals, "run", counted)
    _, pullback = adxform.vjp(settling, X)
    first = [pullback(float(k))[0] for k in range(4)]
    assert saved[0] == 0
    assert saved[1] == saved[2] == saved[3] > 0
    np.testing.assert_allclose(first, np.outer(range(4), first[1]))
