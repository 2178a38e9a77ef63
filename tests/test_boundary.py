"""Boundaries: in every derivative, a call that is kept stays one call, and what it computes is computed once."""

from __future__ import annotations

import ast
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.special import i0, zetac

import adxform
from adxform.api import source
from adxform.errors import MissingRuleError
from adxform.frontend.calls import program_functions as calls
from adxform.frontend.evaluate.interpreter import Interpreter
from adxform.primitives import table
from tests import test_corpus
from tests.corpus import callees
from tests.corpus.case import Program, programs_of
from tests.corpus.catalogue import PROGRAMS
from tests.oracle import float_leaves, pack

POINT = np.array([0.5, 1.0, 0.3])
VECTOR = np.array([1.0, -2.0, 0.5])
COUNT = Counter[str]()


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    """Forget the rules that a test registers."""
    before = table.own
    COUNT.clear()
    yield
    table.own = before
    table._version += 1


def probe(x: Any) -> Any:
    COUNT["probe"] += 1
    return np.sin(x) * x


def slope(x: Any) -> Any:
    COUNT["slope"] += 1
    return np.sin(x) + x * np.cos(x)


def bend(x: Any) -> Any:
    COUNT["bend"] += 1
    return 2.0 * np.cos(x) - x * np.sin(x)


def twist(x: Any) -> Any:
    return -3.0 * np.sin(x) - x * np.cos(x)


def register_probes(*, boundary: bool = True) -> None:
    """Give `probe` and its derivatives rules, each by the next."""
    for fn, derivative in ((probe, slope), (slope, bend), (bend, twist)):
        adxform.rule(fn, boundary=boundary)(rule_of(fn, derivative))


def rule_of(fn: Callable[[Any], Any], derivative: Callable[[Any], Any]) -> Callable[..., Any]:
    def rule(x: Any) -> Any:
        def pullback(y_ct: Any) -> Any:
            return (y_ct * derivative(x),)

        return fn(x), pullback

    return rule


def summed(x: Any) -> Any:
    return np.sum(probe(x) * probe(x * x))


def looped(x: Any) -> Any:
    total = 1.0
    for i in range(x.shape[0]):
        if x[i] > 0.4:
            total = total * probe(x[i] + total)
        else:
            total = total + probe(x[i])
    return total


def central(f: Callable[[Any], Any], x: Any, v: Any) -> Any:
    step = 1e-5
    return (f(x + step * v) - f(x - step * v)) / (2.0 * step)


@pytest.mark.parametrize("boundary", [True, False])
@pytest.mark.parametrize("f", [summed, looped])
def test_primitives_run_once_for_each_call_of_the_primal(f: Callable[[Any], Any], boundary: bool) -> None:
    register_probes(boundary=boundary)
    calls = 2 if f is summed else 3
    gradient, product = adxform.grad(f), adxform.hvp(f)
    np.testing.assert_allclose(gradient(POINT) @ VECTOR, central(f, POINT, VECTOR), rtol=1e-7)
    np.testing.assert_allclose(product(POINT, VECTOR), central(gradient, POINT, VECTOR), rtol=1e-7)
    COUNT.clear()
    gradient(POINT)
    assert {"probe": calls, "slope": calls} == COUNT
    COUNT.clear()
    adxform.jvp(f, (POINT,), (VECTOR,))
    assert {"probe": calls, "slope": calls} == COUNT
    COUNT.clear()
    product(POINT, VECTOR)
    assert COUNT["probe"] == calls
    assert COUNT["bend"] == calls
    assert COUNT["slope"] == (2 * calls if boundary else calls)


def test_source_holds_each_call_once() -> None:
    register_probes()
    text = adxform.source(summed, POINT, mode="hvp")
    called = Counter(ast.unparse(node.func) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    assert called["probe"] == 1
    assert called["probe_jvp"] == 2
    assert called["probe_bwd_jvp"] == 2
    entry = ast.parse(text).body[-1]
    assert isinstance(entry, ast.FunctionDef)
    assert not {"slope", "bend"} & {node.id for node in ast.walk(entry) if isinstance(node, ast.Name)}


def test_derivatives_of_derivatives_are_calls() -> None:
    register_probes()
    third = adxform.grad(lambda x: np.sum(adxform.grad(summed)(x) * VECTOR))
    np.testing.assert_allclose(third(POINT), adxform.hvp(summed)(POINT, VECTOR), rtol=1e-12)


def test_missing_rule_of_higher_order_is_located() -> None:
    @adxform.rule(i0, boundary=True)
    def _(x: Any) -> Any:
        def pullback(y_ct: Any) -> Any:
            return (y_ct * zetac(x),)  # any function without a rule

        return i0(x), pullback

    def f(x: Any) -> Any:
        return np.sum(i0(x))

    np.testing.assert_allclose(adxform.grad(f)(POINT), zetac(POINT))
    with pytest.raises(MissingRuleError, match="zetac") as caught:
        adxform.hvp(f)(POINT, VECTOR)
    assert caught.value.span.file == __file__
    assert "np.sum(i0(x))" in Path(__file__).read_text().splitlines()[caught.value.span.line - 1]


def test_rules_registered_anew_are_seen() -> None:
    register_probes()
    first = adxform.grad(summed)(POINT)
    assert "probe_bwd" in adxform.source(summed, POINT)
    adxform.rule(probe)(rule_of(probe, slope))
    assert "probe_bwd" not in adxform.source(summed, POINT)
    np.testing.assert_array_equal(adxform.grad(summed)(POINT), first)

    @adxform.rule(probe, boundary=True)
    def _(x: Any) -> Any:
        return probe(x), lambda y_ct: (0.0 * y_ct,)

    assert not adxform.grad(summed)(POINT).any()


def test_prepared_products_keep_boundaries() -> None:
    register_probes()
    prepared = adxform.prepare_hvp(looped, POINT)
    before = prepared.fingerprint()
    built = adxform.stats()["rule_builds"]
    for k in range(5):
        x, v = POINT + 0.01 * k, VECTOR * (k + 1)
        COUNT.clear()
        found = prepared(x, v)
        assert COUNT["probe"] == 3
        np.testing.assert_allclose(found, central(adxform.grad(looped), x, v), rtol=1e-7)
    assert prepared.fingerprint() == before
    assert adxform.stats()["rule_builds"] <= built + 1  # the gradient


@adxform.differentiable(boundary=True)
def kept(x: Any, k: Any = 2.0, *, shift: Any = 0.5) -> Any:
    return np.exp(k * x) + shift


@pytest.mark.parametrize("boundary", [True, False])
def test_a_pullback_takes_a_cotangent_for_each_result(boundary: bool) -> None:
    def both(x: Any) -> Any:
        return np.sin(x), np.cos(x)

    adxform.rule(both, boundary=boundary)(lambda x: ((np.sin(x), np.cos(x)), lambda cts: (cts[0] * np.cos(x),)))
    with pytest.raises(MissingRuleError, match="does not take 2 cotangents"):
        adxform.grad(lambda x: np.sum(both(x)[0]))(POINT)


@dataclass(frozen=True)
class Model:
    scale: float
    offsets: tuple[float, float] = field(default=(0.1, 0.2))

    @adxform.differentiable(boundary=True)
    def energy(self, x: Any) -> Any:
        return self.scale * np.sum(np.exp(x) * x) + self.offsets[0] * self.offsets[1]


def calls_kept(x: Any, model: Model) -> Any:
    return np.sum(kept(x, shift=x[0])) + np.sum(kept(x, 1.5)) * model.energy(x)


def test_kept_functions_are_calls_in_every_mode() -> None:
    model = Model(0.7)
    for mode, suffixes in (("forward", ["jvp"]), ("reverse", ["fwd", "bwd"]), ("hvp", ["fwd_jvp", "bwd_jvp"])):
        tree = ast.parse(adxform.source(calls_kept, POINT, model, mode=mode))
        entry = tree.body[-1]
        names = Counter(ast.unparse(node.func) for node in ast.walk(entry) if isinstance(node, ast.Call))
        for suffix in suffixes:
            found = [name for name in names.elements() if name.endswith(f"_{suffix}") or f"_{suffix}_" in name]
            assert sum(name.startswith("kept") for name in found) == 2, (mode, found)
            assert sum(name.startswith("energy") for name in found) == 1, (mode, found)
        assert not any("exp" in name for name in names), mode


def test_kept_functions_have_right_derivatives() -> None:
    model = Model(0.7)
    gradient = adxform.grad(calls_kept)
    np.testing.assert_allclose(gradient(POINT, model) @ VECTOR, central(lambda x: calls_kept(x, model), POINT, VECTOR), rtol=1e-7)
    product = adxform.hvp(calls_kept)(POINT, model, VECTOR)
    np.testing.assert_allclose(product, central(lambda x: gradient(x, model), POINT, VECTOR), rtol=1e-7)
    prepared = adxform.prepare_hvp(calls_kept, POINT, model)
    np.testing.assert_array_equal(prepared(POINT, model, VECTOR), product)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prepared))(POINT, model, VECTOR), product)
    assert kept(1.0) == np.exp(2.0) + 0.5
    assert kept.grad(1.0) == pytest.approx(2.0 * np.exp(2.0))
    assert pickle.loads(pickle.dumps(kept)) is kept


def test_the_flag_is_part_of_what_a_rule_is_made_for() -> None:
    def make(boundary: bool) -> Callable[[Any], Any]:
        inner = adxform.differentiable(boundary=boundary)(lambda z: np.sum(np.exp(z) * z))
        return lambda x: inner(x) * x[0]

    inlined, called = (adxform.source(make(boundary), POINT) for boundary in (False, True))
    assert inlined.count("def ") == 1
    assert called.count("def ") == 3
    np.testing.assert_allclose(adxform.grad(make(True))(POINT), adxform.grad(make(False))(POINT), rtol=1e-14)


class Counting:
    """A module of which every call of a function is counted, by its name and what it is given."""

    def __init__(self, module: Any, found: Counter[tuple[Any, ...]]) -> None:
        self._module, self._found = module, found

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, ModuleType):
            return Counting(value, self._found)
        if name not in ("sin", "cos", "exp", "log", "tanh", "sqrt", "inv", "solve"):
            return value

        def counted(*args: Any) -> Any:
            self._found[name, *(np.asarray(arg).tobytes() for arg in args)] += 1
            return value(*args)

        return counted


COUNTED = ["models.euler_pendulum", "models.gradient_descent_by_hand", "models.kalman_filter_matrices",
           "loops.triangular_loops", "boundaries.writes_loops_and_recursion", "boundaries.rule_in_a_loop"]  # fmt: skip


@pytest.mark.parametrize(
    "program", [program for program in PROGRAMS if program.name in COUNTED], ids=lambda program: program.name
)
def test_no_function_is_computed_again_in_a_derivative(program: Program) -> None:
    point = program.points[0]
    chosen = tuple(point.args[i] for i in program.wrt)
    v = test_corpus.like(chosen, test_corpus.weights(pack(float_leaves(chosen)).size, 3))
    found: dict[str, Counter[tuple[Any, ...]]] = {}
    for mode, seeds in (("primal", []), ("reverse", [1.0]), ("hvp", test_corpus.flattened(v))):
        call, rule = source.rule_of(program.function, point.fresh(), mode, program.wrt)
        space: dict[str, Any] = {"__name__": "emitted"}
        exec(compile(rule.text, "<emitted>", "exec"), space)
        found[mode] = Counter()
        space |= {name: Counting(space[name], found[mode]) for name in ("np", "math") if name in space}
        space[rule.generated.entry](*call.inputs(), *seeds)
    primal = found["primal"]
    for mode in ("reverse", "hvp"):
        assert {key[0]: count for key, count in found[mode].items() if key in primal and count > primal[key]} == {}, mode


@pytest.fixture
def everything_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep every call of a user's function behind a boundary."""
    run_function = calls.run_function

    def run(interp: Interpreter, fn: Any, bound: Any, captured: Any, scope: Any) -> Any:
        user = scope is not None and not scope.fn.__module__.startswith("adxform")
        interp.kept = interp.kept or (bool(interp.frames) and user)
        return run_function(interp, fn, bound, captured, scope)

    adxform.clear_cache()
    monkeypatch.setattr(calls, "run_function", run)
    yield
    adxform.clear_cache()


@pytest.mark.usefixtures("everything_kept")
@pytest.mark.parametrize("program", list(programs_of(callees)), ids=lambda program: program.name)
def test_keeping_every_call_changes_no_derivative(program: Program) -> None:
    test_corpus.test_reverse(program)
    test_corpus.test_forward(program)
    if program in test_corpus.SCALAR_PROGRAMS:
        test_corpus.test_hessian_product(program)
