"""Ordered dicts, dicts with defaults and registered classes at the edge of the interface: their class and what belongs to it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optree
import pytest
from optree.registry import __GLOBAL_NAMESPACE as EVERYWHERE

import adxform
from adxform.errors import ArgnumsError, PreparationMismatchError, TangentMismatchError, UnsupportedOperationError
from tests.corpus.containers import Affine, Interval, Polynomial, ordered

ROOT = Path(__file__).parent.parent
X = np.array([0.5, -1.5])
LAYER = Affine(np.array([[1.0, 0.5], [-0.5, 2.0]]), np.array([0.1, 0.2]), name="first")


def loss(layer: Any, x: Any) -> Any:
    return np.sum(np.tanh(layer(x)) ** 2)


def product(params: Any) -> Any:
    return params["b"] ** 2 * params["a"]


def area(interval: Any) -> Any:
    return (interval.high - interval.low) ** 2 * interval.high


def flat(layer: Affine) -> Any:
    return np.concatenate([layer.weight.reshape(-1), layer.bias])


def unflat(numbers: Any) -> Affine:
    return Affine(numbers[:4].reshape(2, 2), numbers[4:], name="first")


def test_a_gradient_has_the_class_of_its_argument_and_what_belongs_to_it() -> None:
    found = adxform.grad(loss)(LAYER, X)
    assert type(found) is Affine
    assert found.name == "first"
    expected = adxform.grad(lambda numbers: loss(unflat(numbers), X))(flat(LAYER))
    np.testing.assert_allclose(flat(found), expected, rtol=1e-14)
    made = adxform.grad(product)(ordered(b=2.0, a=3.0))
    assert type(made) is OrderedDict
    assert list(made.items()) == [("b", 12.0), ("a", 4.0)]
    counted = adxform.grad(product)(defaultdict(int, b=2.0, a=3.0))
    assert counted == {"b": 12.0, "a": 4.0}
    assert counted.default_factory is int


def test_second_order_of_a_registered_class() -> None:
    interval, v = Interval(0.5, 2.0), Interval(1.0, -0.5)
    low, high = interval.low, interval.high
    rows = np.array([[2.0 * high, 2.0 * low - 4.0 * high], [2.0 * low - 4.0 * high, 6.0 * high - 4.0 * low]])
    found = adxform.hessian(area)(interval)
    got = [[found.low.low, found.low.high], [found.high.low, found.high.high]]
    np.testing.assert_allclose(got, rows, rtol=1e-14)
    moved = adxform.hvp(area)(interval, v)
    np.testing.assert_allclose([moved.low, moved.high], rows @ [v.low, v.high], rtol=1e-14)
    twice = adxform.jvp(adxform.grad(area), (interval,), (v,))[1]
    np.testing.assert_allclose([twice.low, twice.high], [moved.low, moved.high], rtol=1e-14)


def test_pullbacks_take_and_give_registered_classes() -> None:
    out, pullback = adxform.vjp(lambda p, s: Affine(p.low * s, p.high**2, name="out"), Interval(0.5, X), 1.5)
    assert out.name == "out"
    found, slope = pullback(Affine(2.0, X, name="out"))
    assert (found.low, slope) == (3.0, 1.0)
    np.testing.assert_allclose(found.high, 2.0 * X**2)
    with pytest.raises(TangentMismatchError):
        pullback(Affine(2.0, X, name="in"))


@pytest.mark.parametrize("tangent", [(0.5, 1.0), {"low": 0.5, "high": 1.0}, Affine(0.5, 1.0)])
def test_a_tangent_of_another_class_is_refused(tangent: Any) -> None:
    with pytest.raises(TangentMismatchError):
        adxform.jvp(area, (Interval(0.5, 2.0),), (tangent,))


def test_a_tangent_of_another_class_is_refused_inside() -> None:
    def inner(interval: Any) -> Any:
        return adxform.jvp(area, (interval,), (Affine(1.0, 0.5),))[1]

    with pytest.raises(TangentMismatchError) as caught:
        adxform.grad(inner)(Interval(0.5, 2.0))
    assert caught.value.span is not None


def test_what_belongs_to_a_class_is_part_of_the_signature() -> None:
    def evaluated(polynomial: Any, x: Any) -> Any:
        return polynomial(x)

    for power in (2, 3, 2):
        found = adxform.grad(evaluated)(Polynomial(np.array([2.0, 3.0]), power), X)
        np.testing.assert_allclose(found.factors, X**power)
        assert found.power == power


def test_dicts_of_other_classes_are_other_arguments() -> None:
    def told(params: Any) -> Any:
        return params["a"] * (2.0 if isinstance(params, OrderedDict) else 3.0)

    found = [adxform.grad(told)(kind(a=1.0)) for kind in (dict, OrderedDict, dict)]
    assert [item["a"] for item in found] == [3.0, 2.0, 3.0]


PREPARED = {
    "ordered": (product, ordered(b=2.0, a=3.0), ordered(b=4.0, a=1.0), [8.0, 16.0]),
    "default": (product, defaultdict(float, b=2.0, a=3.0), defaultdict(float, b=4.0, a=1.0), [8.0, 16.0]),
    "registered": (area, Interval(0.5, 2.0), Interval(1.0, 3.0), [-12.0, 16.0]),
}
WRONG = {
    "ordered": ({"b": 4.0, "a": 1.0}, "expected a OrderedDict with the keys 'b', 'a', got a dict with the keys 'b', 'a'"),
    "default": (defaultdict(int, b=4.0, a=1.0), "expected a defaultdict with the keys"),
    "registered": (Affine(0.5, 2.0), "expected a Interval, got a Affine"),
}


@pytest.mark.parametrize("name", PREPARED)
def test_prepared(name: str) -> None:
    f, example, other, expected = PREPARED[name]
    prepared = adxform.prepare_gradient(f, example)
    before = prepared.fingerprint()
    found = prepared(other)
    assert type(found) is type(example)
    np.testing.assert_allclose(sorted(optree.tree_leaves(found)), sorted(expected))
    wrong, line = WRONG[name]
    with pytest.raises(PreparationMismatchError, match=line):
        prepared(wrong)
    second = adxform.prepare_hvp(f, example)(other, other)
    assert type(second) is type(example)
    assert prepared.fingerprint() == before


def test_prepared_for_what_belongs_to_a_class() -> None:
    prepared = adxform.prepare_gradient(loss, LAYER, X)
    with pytest.raises(PreparationMismatchError, match="expected a Affine"):
        prepared(Affine(LAYER.weight, LAYER.bias, name="second"), X)


SCRIPT = """
import pickle, sys
sys.path[:0] = [{root!r}]
import adxform, tests.test_containers
said = {{}}
for name, kept in pickle.load(sys.stdin.buffer).items():
    prepared, args = pickle.loads(kept)
    said[name] = prepared.fingerprint(), prepared(*args)
pickle.dump((said, adxform.stats()), sys.stdout.buffer)
"""


def test_prepared_in_another_process() -> None:
    prepared = {name: adxform.prepare_gradient(f, example) for name, (f, example, _, _) in PREPARED.items()}
    kept = {name: pickle.dumps((prepared[name], (other,))) for name, (_, _, other, _) in PREPARED.items()}
    script = SCRIPT.format(root=str(ROOT))
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(kept), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    said, stats = pickle.loads(done.stdout)
    assert list(said) == list(PREPARED)
    for name, (fingerprint, found) in said.items():
        _, example, other, _ = PREPARED[name]
        assert fingerprint == prepared[name].fingerprint()
        assert type(found) is type(example)
        assert optree.tree_leaves(found) == optree.tree_leaves(prepared[name](other))
    assert [stats[key] for key in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]


class Angle:
    """Registered in the tests that follow, each in its way."""

    def __init__(self, turn: Any) -> None:
        self.turn = turn


@pytest.fixture
def registered_anew() -> Iterator[None]:
    yield
    optree.unregister_pytree_node(Angle, namespace=EVERYWHERE)


def halves(angle: Angle) -> Any:
    return (angle.turn * 0.5,), None


def whole(angle: Angle) -> Any:
    return (angle.turn,), None


def from_half(_: None, parts: Any) -> Angle:
    return Angle(parts[0] * 2.0)


def from_whole(_: None, parts: Any) -> Angle:
    return Angle(parts[0])


def squared(angle: Angle) -> Any:
    return angle.turn**2


@pytest.mark.usefixtures("registered_anew")
def test_a_class_registered_in_another_way_is_derived_anew() -> None:
    optree.register_pytree_node(Angle, halves, from_half, namespace=EVERYWHERE)
    assert adxform.grad(squared)(Angle(3.0)).turn == 2.0 * 12.0  # by half of the turn, and that is half of what is made of it
    optree.unregister_pytree_node(Angle, namespace=EVERYWHERE)
    optree.register_pytree_node(Angle, whole, from_whole, namespace=EVERYWHERE)
    assert adxform.grad(squared)(Angle(3.0)).turn == 6.0


def unmade(_: None, parts: Any) -> Any:
    return parts


@pytest.mark.usefixtures("registered_anew")
def test_a_class_that_is_not_made_again_is_refused() -> None:
    optree.register_pytree_node(Angle, whole, unmade, namespace=EVERYWHERE)
    with pytest.raises(UnsupportedOperationError, match="how a Angle is made cannot be followed"):
        adxform.grad(squared)(Angle(3.0))


def test_a_class_of_one_namespace_is_not_taken_apart() -> None:
    class Local:
        def __init__(self, value: float) -> None:
            self.value = value

    optree.register_pytree_node(Local, lambda x: ((x.value,), None), lambda _, parts: Local(*parts), namespace="elsewhere")
    with pytest.raises((ArgnumsError, adxform.errors.NonDifferentiableError)):
        adxform.grad(lambda x: x.value**2)(Local(2.0))


def test_a_default_that_depends_on_local_values_is_refused() -> None:
    def summed(x: Any) -> Any:
        found = defaultdict(lambda: x * 2.0)
        return found["a"] * x

    with pytest.raises(UnsupportedOperationError, match="depends on local values"):
        adxform.grad(summed)(1.5)
