"""Batches of vectors: a row is the single product, bit for bit where sums keep their order; what vectors share is done once."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import PreparationMismatchError, TangentMismatchError
from adxform.frontend.derivative_operators import EngineName
from tests.corpus.case import Program
from tests.oracle import float_leaves, leaves, pack, rebuild
from tests.test_corpus import blank, every_program, like, quiet, scalar_programs, tangents, weights

COUNT, DIRECTIONS = 5, 3
X = np.array([0.3, 0.7, 1.1, 1.9])
VS = np.stack([weights(X.size, seed) for seed in range(7)])


def stacked(trees: list[Any]) -> Any:
    """Return the trees as one, each float leaf an array with one more axis."""
    columns = zip(*(float_leaves(tree) for tree in trees), strict=True)
    return rebuild(blank(trees[0]), iter([np.stack(column) for column in columns]))


def same_bits(batch: Any, singles: list[Any]) -> None:
    """Assert that each row of a batch is the single result."""
    columns = zip(*(float_leaves(single) for single in singles), strict=True)
    for leaf, parts in zip(float_leaves(batch), columns, strict=True):
        assert leaf.shape == (len(singles), *np.shape(parts[0]))
        for got, wanted in zip(leaf, parts, strict=True):
            assert got.dtype == np.asarray(wanted).dtype
            assert np.array_equal(got, wanted, equal_nan=True), (got, wanted)


def same(value: Any, expected: Any) -> None:
    """Assert that two values are the same."""
    for got, wanted in zip(leaves(value), leaves(expected), strict=True):
        assert np.array_equal(got, wanted), (got, wanted)


def fits(prepared: Any, args: tuple[Any, ...]) -> bool:
    """Whether a preparation at one point of a program is for the arguments at another."""
    try:
        prepared.fitting(args, {})
    except PreparationMismatchError:
        return False
    return True


@every_program
@quiet
def test_tangents(program: Program) -> None:
    prepared = adxform.prepare_jvp(program.function, *program.points[0].fresh(), directions=DIRECTIONS)
    for point in program.points:
        if fits(prepared, point.fresh()):
            size = pack(float_leaves([point.args[i] for i in program.wrt])).size
            given = [tangents(program, point, weights(size, seed)) for seed in range(COUNT)]
            singles = [prepared(point.fresh(), tangent) for tangent in given]
            value, found = prepared.batch(point.fresh(), stacked(given))
            same(value, singles[0][0])
            same_bits(found, [tangent for _, tangent in singles])


@every_program
@quiet
def test_cotangents(program: Program) -> None:
    prepared = adxform.prepare_vjp(program.function, *program.points[0].fresh(), directions=DIRECTIONS)
    for point in program.points:
        if fits(prepared, point.fresh()):
            value, pullback = prepared(*point.fresh())
            given = [like(value, weights(pack(float_leaves(value)).size, seed)) for seed in range(COUNT)]
            singles = [pullback(ct) for ct in given]
            cts = stacked(given)
            same_bits(pullback.batch(cts), singles)
            same_bits(pullback.batch(cts), singles)
            again, found = prepared.batch(point.fresh(), cts)
            same(again, value)
            same_bits(found, singles)


@scalar_programs
@quiet
def test_products(program: Program) -> None:
    prepared = adxform.prepare_hvp(program.function, *program.points[0].fresh(), argnums=program.wrt, directions=DIRECTIONS)
    for point in program.points:
        if fits(prepared, point.fresh()):
            chosen = tuple(point.args[i] for i in program.wrt)
            given = [like(chosen, weights(pack(float_leaves(chosen)).size, seed)) for seed in range(COUNT)]
            singles = [prepared(*point.fresh(), v) for v in given]
            same_bits(prepared.batch(*point.fresh(), stacked(given)), singles)


def bent(x: Any) -> Any:
    y = x * 1.0
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * np.sin(x[i]) + x[i] ** 2
    return y


def energy(x: Any) -> Any:
    return np.sum(bent(x) ** 2)


@pytest.mark.parametrize("count", range(8))
@pytest.mark.parametrize("directions", [1, 2, 4, 7])
def test_any_number_of_vectors(count: int, directions: int) -> None:
    vs = VS[:count]
    forward = adxform.prepare_jvp(bent, X, directions=directions)
    reverse = adxform.prepare_vjp(bent, X, directions=directions)
    product = adxform.prepare_hvp(energy, X, directions=directions)
    value, found = forward.batch((X,), (vs,))
    assert np.array_equal(value, bent(X))
    assert found.shape == (count, X.size)
    jacobian, hessian = adxform.jacobian(bent)(X), adxform.hessian(energy)(X)
    assert np.allclose(found, vs @ jacobian.T, atol=1e-13)
    value, (pulled,) = reverse.batch((X,), vs)
    assert np.array_equal(value, bent(X))
    assert np.allclose(pulled, vs @ jacobian, atol=1e-13)
    assert np.array_equal(reverse(X)[1].batch(vs)[0], pulled)
    assert np.allclose(product.batch(X, vs), vs @ hessian, atol=1e-12)
    assert product.batch(X, vs).shape == (count, X.size)


def test_the_two_are_each_others_transpose() -> None:
    forward, reverse = adxform.prepare_jvp(bent, X, directions=7), adxform.prepare_vjp(bent, X, directions=7)
    cts = VS[::-1].copy()
    left = cts @ forward.batch((X,), (VS,))[1].T
    right = reverse.batch((X,), cts)[1][0] @ VS.T
    assert np.allclose(left, right, rtol=1e-13, atol=1e-13)


PASSES = itertools.count()


def watched(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        next(PASSES)
        total += np.sin(x[i]) * x[0]
    return total


@pytest.mark.parametrize(
    ("prepare", "call"),
    [
        (adxform.prepare_jvp, lambda p, vs: p.batch((X,), (vs,))),
        (adxform.prepare_vjp, lambda p, vs: p.batch((X,), vs[:, 0])),
        (adxform.prepare_hvp, lambda p, vs: p.batch(X, vs)),
    ],
    ids=["jvp", "vjp", "hvp"],
)
def test_a_sweep_runs_the_primal_once(prepare: Callable[..., Any], call: Callable[..., Any]) -> None:
    prepared = prepare(watched, X, directions=4)
    for count, sweeps in ((4, 1), (7, 2), (5, 2), (6, 3), (8, 2)):
        vs = np.resize(VS, (count, X.size))
        seen, before = next(PASSES), adxform.stats()["primal_calls"]
        call(prepared, vs)
        assert adxform.stats()["primal_calls"] - before == sweeps
        assert next(PASSES) - seen - 1 == X.size * sweeps


def test_partial_derivatives_are_there_once() -> None:
    single, wide = adxform.prepare_jvp(bent, X).source, adxform.prepare_jvp(bent, X, directions=6).rules[1].text
    for text in ("np.sin(", "np.cos(", "for i in"):
        assert wide.count(text) == single.count(text) == 1


def reaches(x: Any, n: int, out: Any) -> Any:
    if n > 0:
        out[n] = x * out[n - 1]
        reaches(x * 0.9, n - 1, out)
    return out


def test_a_recursive_helper_is_copied_once_for_all() -> None:
    def summed(x: Any) -> Any:
        return np.sum(reaches(x, 3, np.ones(4)) ** 2)

    prepared = adxform.prepare_hvp(summed, 0.7, directions=3)
    vs = np.array([1.0, -2.0, 0.5])
    assert np.array_equal(prepared.batch(0.7, vs), [prepared(0.7, v) for v in vs])


def structured(p: dict[str, Any], k: float, n: int) -> dict[str, Any]:
    return {"y": k * np.sin(p["a"]) * p["b"] ** n, "size": n, "s": p["b"] * k}


def test_structures_and_numbers() -> None:
    args = ({"a": X.astype(np.float32), "b": 0.5}, 2.0, 3)
    forward = adxform.prepare_jvp(structured, *args, directions=2)
    given = ({"a": VS[:3].astype(np.float32), "b": VS[:3, 0]}, VS[:3, 1], None)
    value, found = forward.batch(args, given)
    assert value["size"] == 3
    assert found["size"] is None
    rows = [forward(args, ({"a": given[0]["a"][i], "b": float(given[0]["b"][i])}, float(given[1][i]), None)) for i in range(3)]
    same_bits(found, [tangent for _, tangent in rows])
    assert found["s"].shape == (3,)
    reverse = adxform.prepare_vjp(structured, *args, directions=2)
    value, pulled = reverse.batch(args, {"y": VS[:3].astype(value["y"].dtype), "size": None, "s": VS[:3, 2]})
    assert pulled[0]["a"].shape == (3, 4)
    assert pulled[0]["a"].dtype == np.float32
    assert pulled[0]["b"].shape == pulled[1].shape == (3,)
    assert pulled[2] is None


def test_results_are_written_into_out() -> None:
    product = adxform.prepare_hvp(energy, X, directions=4)
    room = np.empty_like(VS)
    assert product.batch(X, VS, out=room) is room
    assert np.array_equal(room, product.batch(X, VS))
    forward, reverse = adxform.prepare_jvp(bent, X, directions=4), adxform.prepare_vjp(bent, X, directions=4)
    assert forward.batch((X,), (VS,), out=(None, room))[1] is room
    assert reverse.batch((X,), VS, out=(None, (room,)))[1][0] is room
    with pytest.raises(PreparationMismatchError, match=r"expected an array of float64 of shape \(7, 4\)"):
        product.batch(X, VS, out=np.empty(4))


def test_inputs_and_vectors_are_untouched() -> None:
    x, vs = X.copy(), VS.copy()
    adxform.prepare_hvp(energy, x, directions=4).batch(x, vs)
    adxform.prepare_vjp(bent, x, directions=4).batch((x,), vs)
    adxform.prepare_jvp(bent, x, directions=4).batch((x,), (vs,))
    assert np.array_equal(x, X)
    assert np.array_equal(vs, VS)


def test_a_batch_that_does_not_fit() -> None:
    args = ({"a": X, "b": 0.5}, 2.0, 3)
    forward = adxform.prepare_jvp(structured, *args, directions=2)
    with pytest.raises(PreparationMismatchError) as caught:
        forward.batch(args, ({"a": VS[:, :3], "b": VS[:3, 0].astype(np.float32)}, 1.0, None))
    text = str(caught.value)
    assert "`tangents[0]['a']`: expected an array of float64 of shape (n, 4), got an array of float64 of shape (7, 3)" in text
    assert "`tangents[0]['b']`: expected an array of float64 of shape (n,), got an array of float32 of shape (3,)" in text
    assert "`tangents[1]`: expected an array of float64 of shape (n,), got a Python float" in text
    assert "help: give the tangents the structure and dtype of the value, each leaf with one more axis, the first" in text
    with pytest.raises(PreparationMismatchError) as caught:
        forward.batch(args, ({"a": VS, "b": VS[:3, 0]}, VS[:, 1], None))
    assert "`tangents[0]['b']`: expected an array of float64 of shape (7,), got an array of float64 of shape (3,)" in str(
        caught.value
    )
    with pytest.raises(PreparationMismatchError, match="expected an array of float64 of shape"):
        forward.batch(args, ({"a": VS, "b": [1.0] * 7}, VS[:, 1], None))
    with pytest.raises(PreparationMismatchError, match=r"expected a dict with the keys .*a.*b., got a dict with the keys .a."):
        forward.batch(args, ({"a": VS}, VS[:, 1], None))


def test_each_operator_says_what_does_not_fit() -> None:
    product = adxform.prepare_hvp(energy, X, directions=4)
    with pytest.raises(
        PreparationMismatchError, match=r"`vectors`: expected an array of float64 of shape \(n, 4\), got .*\(4,\)"
    ):
        product.batch(X, X)
    with pytest.raises(PreparationMismatchError, match="`x`: expected an array of float64"):
        product.batch(X.astype(np.float32), VS)
    reverse = adxform.prepare_vjp(bent, X, directions=4)
    with pytest.raises(PreparationMismatchError, match=r"`cotangents`: expected an array of float64 of shape \(n, 4\)"):
        reverse.batch((X,), VS.astype(np.float32))
    with pytest.raises(TangentMismatchError, match=r"`cotangents`: expected an array of float64 of shape \(n, 4\)"):
        reverse(X)[1].batch(X)


@pytest.mark.parametrize("directions", [0, -1, 2.0, True, "4"])
def test_directions_are_a_positive_int(directions: Any) -> None:
    for prepare in (adxform.prepare_jvp, adxform.prepare_vjp, adxform.prepare_hvp):
        with pytest.raises(ValueError, match="it is how many vectors one sweep takes, 1 or more"):
            prepare(energy, X, directions=directions)


def test_the_plain_pullback_takes_batches_too() -> None:
    _, pullback = adxform.vjp(bent, X)
    same_bits(pullback.batch(VS), [pullback(ct) for ct in VS])


def test_prepared_anew_for_the_same_directions() -> None:
    product = adxform.prepare_hvp(energy, X, directions=4, strict=False)
    single = X.astype(np.float32)
    found = product.batch(single, VS.astype(np.float32))
    assert found.dtype == np.float32
    assert np.allclose(found, product.batch(X, VS), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("prepare", [adxform.prepare_jvp, adxform.prepare_vjp, adxform.prepare_hvp])
def test_it_is_frozen_and_pickles(prepare: Callable[..., Any]) -> None:
    prepared = prepare(energy, X, directions=4)
    args = {"jvp": ((X,), (VS,)), "vjp": ((X,), VS[:, 0]), "hvp": (X, VS)}[prepared.form]
    before, stats = prepared.fingerprint(), adxform.stats()
    found = prepared.batch(*args)
    assert prepared.fingerprint() == before
    assert before != prepare(energy, X).fingerprint()
    read = pickle.loads(pickle.dumps(prepared))
    assert read.fingerprint() == before
    again = read.batch(*args)
    if prepared.form == "vjp":
        same_bits(read(X)[1].batch(VS[:, 0]), [prepared(X)[1](ct) for ct in VS[:, 0]])
    for one, other in zip(leaves(again), leaves(found), strict=True):
        assert np.array_equal(one, other)
    after = adxform.stats()
    assert [after[name] for name in ("rule_builds", "py_compiles")] == [stats[name] for name in ("rule_builds", "py_compiles")]


def squares(x: Any) -> Any:
    return np.sum(x**2)


@adxform.rule(squares)
def _(x: Any) -> Any:
    def pullback(ct: Any) -> Any:
        if ct > 0.5:
            return 2.0 * x * ct
        x_ct = np.zeros_like(x)
        kept = x[x * ct > 0.04]
        for i in range(len(kept)):
            x_ct[i] = kept[i]
        return x_ct

    return squares(x), pullback


def test_control_flow_that_depends_on_the_vector() -> None:
    """A user's rule may do anything with a cotangent: it is done for each."""
    reverse = adxform.prepare_vjp(lambda x: squares(x) * x[0], X, directions=3)
    cts = np.array([0.1, 2.0, 0.2, 5.0, 0.15])
    value, (found,) = reverse.batch((X,), cts)
    _, pullback = reverse(X)
    assert value == squares(X) * X[0]
    singles = [pullback(ct) for ct in cts]
    same_bits((found,), singles)
    same_bits(pullback.batch(cts), singles)
    assert not np.array_equal(found[0] * 2.0, found[2])


def test_inside_a_differentiated_function() -> None:
    product = adxform.prepare_hvp(energy, X, directions=4)
    forward, reverse = adxform.prepare_jvp(bent, X), adxform.prepare_vjp(bent, X, directions=2)

    def outer(x: Any) -> Any:
        value, pushed = forward.batch((x,), (VS,))
        again, (pulled,) = reverse.batch((x,), VS)
        return np.sum(product.batch(x, VS) ** 2) + np.sum(pushed * pulled) + np.sum(value * again)

    def written(x: Any) -> Any:
        jacobian = adxform.jacobian(bent)(x)
        value = bent(x)
        mixed = np.sum((VS @ jacobian.T) * (VS @ jacobian))
        return np.sum((VS @ adxform.hessian(energy)(x)) ** 2) + mixed + np.sum(value * value)

    assert np.isclose(outer(X), written(X), rtol=1e-12)
    assert np.allclose(adxform.grad(outer)(X), adxform.grad(written)(X), rtol=1e-9)


def test_structures_inside_a_differentiated_function() -> None:
    forward, reverse = (prepare(structured, {"a": X, "b": 0.5}, 2.0, 3) for prepare in (adxform.prepare_jvp, adxform.prepare_vjp))
    product = adxform.prepare_hvp(lambda p, k: np.sum(structured(p, k, 3)["y"] ** 2), {"a": X, "b": 0.5}, 2.0, argnums=(0, 1))

    def outer(a: Any) -> Any:
        args = ({"a": a, "b": 0.5}, 2.0, 3)
        moved = ({"a": VS, "b": VS[:, 0].copy()}, VS[:, 1].copy(), None)
        value, pushed = forward.batch(args, moved)
        pulled = reverse.batch(args, {"y": pushed["y"], "size": None, "s": pushed["s"]})[1]
        found = product.batch(*args[:2], moved[:2])
        return value["s"], pushed, pulled[0], pulled[1], found

    def total(a: Any) -> Any:
        s, pushed, p, k, (q, j) = outer(a)
        rows = np.sum(p["a"]) + np.sum(p["b"] * k) + np.sum(q["a"] ** 2) + np.sum(q["b"] * j)
        return s + np.sum(pushed["y"] ** 2) + rows

    step = 1e-6 * np.array([1.0, -0.5, 0.25, 2.0])
    slope = (total(X + step) - total(X - step)) / 2.0
    assert np.isclose(adxform.grad(total)(X) @ step, slope, rtol=1e-6)


def summing(x: Any) -> Any:
    """Sums in loops and over arrays, of which compiled code may change the order."""
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        total += x[i - 1] * x[i] / (1.0 + x[i + 1] ** 2)
    return total * np.sum(x * np.cos(x))


@pytest.mark.parametrize(("engine", "fastmath"), [("python", True), ("numba", False), ("numba", True)])
def test_rows_are_single_products_bit_for_bit_where_sums_keep_their_order(engine: EngineName, fastmath: bool) -> None:
    rng = np.random.default_rng(3)
    x, vs = rng.uniform(0.3, 1.5, 24), rng.normal(size=(7, 24))
    given: dict[str, Any] = {"engine": engine, "fastmath": fastmath}
    wide, single = (adxform.prepare_hvp(summing, x, **given, **more) for more in ({"directions": 4}, {}))
    rows, expected = wide.batch(x, vs), np.array([single(x, v) for v in vs])
    if engine == "python" or not fastmath:
        assert np.array_equal(rows, expected)
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-13)
    assert np.array_equal(rows, wide.batch(x, vs))


def test_vectors_in_dicts_may_be_in_any_order() -> None:
    def double(x: Any) -> Any:
        return {"b": x["q"] * 2.0, "a": {"d": x["p"] ** 2, "c": x["q"]}}

    def cost(x: Any) -> Any:
        return x["q"] ** 2 * x["p"]

    x = {"q": 1.5, "p": 2.0}
    q, p = np.array([1.0, 0.0, 3.0]), np.array([0.5, 2.0, -1.0])
    cotangents = {"a": {"c": q, "d": p}, "b": p}
    expected = {"q": 2.0 * p + q, "p": 2.0 * x["p"] * p}
    prepared = adxform.prepare_vjp(double, x, engine="python")
    for (found,) in (prepared.batch((x,), cotangents)[1], adxform.vjp(double, x)[1].batch(cotangents)):
        assert list(found) == ["q", "p"]
        assert all(np.allclose(found[key], expected[key]) for key in found)
    found = adxform.prepare_jvp(double, x, engine="python").batch((x,), ({"p": p, "q": q},))[1]
    assert np.allclose(found["b"], 2.0 * q)
    assert np.allclose(found["a"]["d"], 2.0 * x["p"] * p)
    assert np.allclose(found["a"]["c"], q)
    found = adxform.prepare_hvp(cost, x, engine="python").batch(x, {"p": p, "q": q})
    assert np.allclose(found["q"], 2.0 * x["p"] * q + 2.0 * x["q"] * p)
    assert np.allclose(found["p"], 2.0 * x["q"] * q)
    found = adxform.prepare_hvp_same_point(cost, x, engine="python").batch({"p": p, "q": q})
    assert np.allclose(found["p"], 2.0 * x["q"] * q)
    with pytest.raises(PreparationMismatchError, match="a dict with the keys 'b', 'a', got a dict with the keys 'b'"):
        prepared.batch((x,), {"b": p})
