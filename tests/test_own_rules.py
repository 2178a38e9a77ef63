"""Rules of one's own: each form for each kind of function is right in both modes and at second order, or refused by name."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import special, stats

import adxform
from adxform.errors import ArgnumsError, MissingRuleError, RegistrationError
from adxform.ir.text import read, show
from adxform.primitives import shipped_rules, table
from adxform.primitives.declare import scalar
from adxform.testing import check_derivatives
from tests.tables.cell import program

X, Z = np.array([0.3, 0.7, 1.1]), np.array([1.3, 0.4, 0.9])


@pytest.fixture(autouse=True)
def own_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A table of rules without any of other tests', and where a test leaves none."""
    monkeypatch.setattr(table, "own", MappingProxyType({}))
    yield
    table._version += 1


SINES = np.frompyfunc(math.sin, 1, 1)
FLOORS = np.frompyfunc(math.floor, 1, 1)


def bends(x: Any) -> Any:
    """What adxform cannot look into."""
    return np.asarray(SINES(x)).astype(float)


def turns(x: Any) -> Any:
    return 3.0 * np.asarray(SINES(np.asarray(x) * 0.0)).astype(float) + 2.0 * np.roll(x, 1)


def steps(x: Any) -> Any:
    return np.asarray(FLOORS(x)).astype(float)


def slope_by(x: Any) -> Any:
    return np.cos(x)


@dataclass(frozen=True)
class Form:
    """How a rule is stated: for what function of `x`, and how it is registered for one that takes `lead` arguments before it."""

    core: Callable[[Any], Any]
    register: Callable[[Any, int], None]


def by_rule(boundary: bool) -> Callable[[Any, int], None]:
    def register(fn: Any, lead: int) -> None:
        def of_method(self: Any, x: Any) -> Any:
            return fn(self, x), lambda ct: (None, ct * slope_by(x))

        def plain(x: Any) -> Any:
            return fn(x), lambda ct: (ct * slope_by(x),)

        adxform.rule(fn, boundary=boundary)(of_method if lead else plain)

    return register


def by_tangent(boundary: bool) -> Callable[[Any, int], None]:
    def register(fn: Any, lead: int) -> None:
        adxform.tangent_rule(fn, lambda y, args, args_t: slope_by(args[-1]) * args_t[-1], boundary=boundary)

    return register


def by_reference(boundary: bool) -> Callable[[Any, int], None]:
    def register(fn: Any, lead: int) -> None:
        reference = (lambda self, x: np.sin(x)) if lead else (lambda x: np.sin(x))
        adxform.reference_rule(fn, reference, boundary=boundary)

    return register


def by_slopes(fn: Any, lead: int) -> None:
    adxform.scalar_rule(fn, (lambda y, self, x: (None, slope_by(x))) if lead else (lambda y, x: slope_by(x)))


def by_transpose(fn: Any, lead: int) -> None:
    if lead:
        adxform.linear_rule(fn, {1: lambda ct, self, x: 2.0 * np.roll(ct, -1)})
    else:
        adxform.linear_rule(fn, lambda ct, x: 2.0 * np.roll(ct, -1))


def as_constant(fn: Any, lead: int) -> None:
    adxform.constant_rule(fn)


FORMS = {
    "rule": Form(bends, by_rule(False)),
    "rule behind a boundary": Form(bends, by_rule(True)),
    "tangent": Form(bends, by_tangent(False)),
    "tangent behind a boundary": Form(bends, by_tangent(True)),
    "reference": Form(bends, by_reference(False)),
    "reference behind a boundary": Form(bends, by_reference(True)),
    "slopes": Form(bends, by_slopes),
    "transpose": Form(turns, by_transpose),
    "constant": Form(steps, as_constant),
}


class Target(NamedTuple):
    """What a rule is registered for, what is called, and how many arguments there are before the one by which it moves."""

    fn: Any
    called: Callable[[Any], Any]
    lead: int = 0


def target(kind: str, core: Callable[[Any], Any]) -> Target:
    def function(x: Any) -> Any:
        return core(x)

    def shifted(by: Any, x: Any) -> Any:
        return core(x)

    class K:
        def plain(self, x: Any) -> Any:
            return core(x)

        @classmethod
        def of_class(cls, x: Any) -> Any:
            return core(x)

        @staticmethod
        def static(x: Any) -> Any:
            return core(x)

        def __call__(self, x: Any) -> Any:
            return core(x)

    k, anonymous, partial = K(), lambda x: core(x), functools.partial(shifted, 2.0)
    vectorized = (
        np.vectorize(lambda x: float(core(x)), otypes=[float]) if core is not turns else np.vectorize(core, signature="(n)->(n)")
    )
    bound = k.plain
    return {
        "a function": Target(function, lambda x: function(x)),
        "a lambda": Target(anonymous, lambda x: anonymous(x)),
        "a method": Target(K.plain, lambda x: k.plain(x), 1),
        "a method, made inside": Target(K.plain, lambda x: K().plain(x), 1),
        "a bound method": Target(bound, lambda x: k.plain(x)),
        "a class method": Target(K.of_class, lambda x: K.of_class(x)),
        "a static method": Target(K.static, lambda x: k.static(x)),
        "a callable object": Target(k, lambda x: k(x)),
        "its call": Target(K.__call__, lambda x: k(x), 1),
        "a partial": Target(partial, lambda x: partial(x)),
        "np.vectorize": Target(vectorized, lambda x: vectorized(x)),
    }[kind]


TARGETS = (
    *("a function", "a lambda", "a method", "a method, made inside", "a bound method", "a class method", "a static method"),
    *("a callable object", "its call", "a partial", "np.vectorize"),
)


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_for_every_kind_of_function(form: str, kind: str) -> None:
    stated = FORMS[form]
    fn, called, lead = target(kind, stated.core)
    stated.register(fn, lead)
    failed = [check for check in check_derivatives(lambda x: np.sum(called(x * x) * x), X) if not check.ok]
    assert not failed


ENGINES = [
    *((name, "python") for name in FORMS if FORMS[name].core is bends),
    *(("rule", "numba"), ("tangent", "numba"), ("reference", "interpret")),
]


@pytest.mark.parametrize(("form", "engine"), ENGINES)
def test_in_loops_inside_other_derivatives_and_prepared(form: str, engine: Any) -> None:
    def function(x: Any) -> Any:
        return bends(x)

    def looped(x: Any) -> Any:
        total = 0.0
        for k in range(3):
            if k != 1:
                total = total + np.sum(function(x * k) * function(x))
        return total

    def inside(x: Any) -> Any:
        return np.sum(adxform.grad(lambda z: np.sum(function(z) ** 2))(x) * x)

    FORMS[form].register(function, 0)
    gradient = np.cos(X) * np.sum([np.sin(X * k) for k in (0, 2)], 0) + sum(k * np.cos(X * k) for k in (0, 2)) * np.sin(X)
    np.testing.assert_allclose(adxform.grad(looped, engine=engine)(X), gradient, rtol=1e-12)
    np.testing.assert_allclose(adxform.prepare_gradient(looped, X, engine=engine)(X), gradient, rtol=1e-12)
    expected = np.sin(2.0 * X) + 2.0 * np.cos(2.0 * X) * X
    np.testing.assert_allclose(adxform.grad(inside, engine=engine)(X), expected, rtol=1e-12)


@pytest.mark.parametrize("form", ["rule", "tangent", "reference", "slopes"])
def test_builtins_and_ufuncs_with_rules_of_ones_own(form: str) -> None:
    for fn in (math.lgamma, special.expit):
        marks = {
            "rule": lambda: adxform.rule(fn)(lambda x: (fn(x), lambda ct: (7.0 * ct,))),
            "tangent": lambda: adxform.tangent_rule(fn, lambda y, args, args_t: 7.0 * args_t[0]),
            "reference": lambda: adxform.reference_rule(fn, lambda x: 7.0 * x),
            "slopes": lambda: adxform.scalar_rule(fn, lambda y, x: 7.0),
        }
        marks[form]()
        value, tangent = adxform.jvp(lambda x: fn(x), (0.3,), (2.0,))
        assert (value, tangent, adxform.grad(lambda x: fn(x))(0.3)) == (fn(0.3), 14.0, 7.0)


def halves(x: Any) -> Any:
    return bends(x), bends(2.0 * x)


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("form", ["tangent", "reference"])
def test_several_results(form: str, boundary: bool) -> None:
    def tangent(y: Any, args: Any, args_t: Any) -> Any:
        return np.cos(args[0]) * args_t[0], 2.0 * np.cos(2.0 * args[0]) * args_t[0]

    if form == "tangent":
        adxform.tangent_rule(halves, tangent, boundary=boundary)
    else:
        adxform.reference_rule(halves, lambda x: (np.sin(x), np.sin(2.0 * x)), boundary=boundary)

    def called(x: Any) -> Any:
        one, other = halves(x * x)
        return np.sum(one * other + other)

    assert not [check for check in check_derivatives(called, X) if not check.ok]


class TestOneModeAlone:
    """A rule states one mode; the other is its transpose, or refused where that does not exist."""

    @staticmethod
    def called(x: Any) -> Any:
        return np.sum(bent(x) * Z)

    def test_a_pullback_that_calls_what_has_no_rule_is_for_reverse_mode(self) -> None:
        adxform.rule(bent)(lambda x: (bent(x), lambda ct: (unruled(x, ct),)))
        np.testing.assert_allclose(adxform.grad(self.called)(X), Z * np.cos(X))
        with pytest.raises(
            MissingRuleError, match="states a pullback alone, of which forward mode finds no transpose: "
        ) as caught:
            adxform.jvp(self.called, (X,), (Z,))
        assert "np.sum(bent(x) * Z)" in str(caught.value)
        assert "state the tangent too" in str(caught.value)

    def test_a_tangent_that_calls_what_has_no_rule_is_for_forward_mode(self) -> None:
        adxform.tangent_rule(bent, lambda y, args, args_t: unruled(args[0], args_t[0]))
        np.testing.assert_allclose(adxform.jvp(self.called, (X,), (Z,))[1], np.sum(Z * Z * np.cos(X)))
        with pytest.raises(
            MissingRuleError, match="states a tangent alone, of which reverse mode finds no transpose: "
        ) as caught:
            adxform.grad(self.called)(X)
        assert "np.sum(bent(x) * Z)" in str(caught.value)
        assert "a pullback too" in str(caught.value)

    @pytest.mark.parametrize(
        ("tangent", "why"),
        [
            (lambda y, args, args_t: np.cos(args[0]) * args_t[0] ** 2, "is not linear"),
            (lambda y, args, args_t: np.abs(args_t[0]), "is not linear"),
            (lambda y, args, args_t: np.where(args_t[0] > 0.0, args_t[0], 2.0 * args_t[0]), "is not linear"),
            (lambda y, args, args_t: np.cos(args[0]) * args_t[0] + 1.0, "adds to those"),
            (lambda y, args, args_t: y, "adds to those"),
        ],
    )
    def test_what_is_no_derivative_is_refused_in_both_modes(self, tangent: Any, why: str) -> None:
        adxform.tangent_rule(bent, tangent)
        for derivative in (lambda: adxform.grad(self.called)(X), lambda: adxform.jvp(self.called, (X,), (Z,))):
            with pytest.raises(MissingRuleError, match=f"the tangent of the rule .* {why}"):
                derivative()

    def test_tangents_have_the_shape_of_the_value(self) -> None:
        def one(y: Any, args: Any, args_t: Any) -> Any:
            return np.sum(args_t[0])

        def short(y: Any, args: Any, args_t: Any) -> Any:
            return args_t[0][:1]

        for tangent in (one, short):
            adxform.tangent_rule(bent, tangent)
            with pytest.raises(MissingRuleError, match=r"the tangent of the rule .*(of 0 axes|has shape)"):
                adxform.jvp(self.called, (X,), (Z,))
        adxform.reference_rule(bent, lambda x: np.sum(x))
        with pytest.raises(MissingRuleError, match=r"gives other numbers or arrays than .*bent"):
            adxform.grad(self.called)(X)

    def test_a_change_of_what_a_tangent_reads_is_seen(self) -> None:
        module = program(
            "def f(x):\n    return np.sum(bent(x))\nslope = 2.0\ndef t(y, args, args_t):\n    return slope * args_t[0]", bent=bent
        )
        tangent = module.__globals__["t"]
        adxform.tangent_rule(bent, tangent)
        assert adxform.grad(module)(X)[0] == 2.0
        tangent.__globals__["slope"] = 5.0
        assert adxform.grad(module)(X)[0] == 5.0


def bent(x: Any) -> Any:
    return bends(x)


SCALED = np.frompyfunc(lambda a, b: math.cos(a) * b, 2, 1)


def unruled(x: Any, v: Any) -> Any:
    return SCALED(x, v).astype(float)


# Structures as arguments.


@dataclass
class Layer:
    scale: Any
    weights: Any
    count: int = 3

    def wave(self, x: Any) -> Any:
        return bends(x * self.weights) * self.scale


class Pair(NamedTuple):
    scale: Any
    weights: Any


class Model:
    def __init__(self, scale: Any, weights: Any) -> None:
        self.scale = scale
        self.weights = weights

    def wave(self, x: Any) -> Any:
        return bends(x * self.weights) * self.scale


def wave_of(p: Any, x: Any) -> Any:
    return bends(x * p.weights) * p.scale


def wave_in(p: Any, x: Any) -> Any:
    return bends(x * p["layer"].weights) * p["layer"].scale * p["more"][0]


def reference_of(p: Any, x: Any) -> Any:
    return np.sin(x * p.weights) * p.scale


def reference_in(p: Any, x: Any) -> Any:
    return np.sin(x * p["layer"].weights) * p["layer"].scale * p["more"][0]


def rule_of(fn: Any) -> Any:
    def body(p: Any, x: Any) -> Any:
        def pullback(ct: Any) -> Any:
            inner = np.cos(x * p.weights) * p.scale * ct
            return {"weights": inner * x, "scale": np.sum(ct * np.sin(x * p.weights))}, inner * p.weights

        return fn(p, x), pullback

    return body


def rule_in(p: Any, x: Any) -> Any:
    def pullback(ct: Any) -> Any:
        layer, factor = p["layer"], p["more"][0]
        inner = np.cos(x * layer.weights) * layer.scale * factor * ct
        sine = np.sin(x * layer.weights)
        found = Layer(np.sum(ct * sine * factor), inner * x)
        return {"layer": found, "more": [np.sum(ct * sine * layer.scale), None]}, inner * layer.weights

    return wave_in(p, x), pullback


def tangent_of(y: Any, args: Any, args_t: Any) -> Any:
    (p, x), (p_t, x_t) = args, args_t
    inner = x_t * p.weights + x * p_t.weights
    return np.cos(x * p.weights) * p.scale * inner + np.sin(x * p.weights) * p_t.scale


STRUCTURES: dict[str, tuple[Any, Callable[[Any, Any], Any], dict[str, Callable[[], None]]]] = {
    "a dataclass": (wave_of, lambda x, a: wave_of(Layer(a, x * a), x), {}),
    "a named tuple": (wave_of, lambda x, a: wave_of(Pair(a, x * a), x), {}),
    "an object": (wave_of, lambda x, a: wave_of(Model(a, x * a), x), {}),
    "a method of a dataclass": (Layer.wave, lambda x, a: Layer(a, x * a).wave(x), {}),
    "a method": (Model.wave, lambda x, a: Model(a, x * a).wave(x), {}),
    "nested": (wave_in, lambda x, a: wave_in({"layer": Layer(a, x * a), "more": [a, 2]}, x), {}),
    "of which only some moves": (wave_of, lambda x, a: wave_of(Layer(2.0, Z), x) * a, {}),
}


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("form", ["rule", "tangent", "reference"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_structures_as_arguments(structure: str, form: str, boundary: bool) -> None:
    fn, called, _ = STRUCTURES[structure]
    if form == "rule":
        adxform.rule(fn, boundary=boundary)(rule_in if fn is wave_in else rule_of(fn))
    elif form == "tangent" and fn is not wave_in:
        adxform.tangent_rule(fn, tangent_of, boundary=boundary)
    else:
        adxform.reference_rule(fn, reference_in if fn is wave_in else reference_of, boundary=boundary)
    failed = [check for check in check_derivatives(lambda x, a: np.sum(called(x, a) ** 2), X, 1.7) if not check.ok]
    assert not failed


def test_an_instance_in_typed_text_reads_back() -> None:
    text = "def f(x: f64):\n    y: f64 = builtins.float(instance(builtins.complex, 'real', x))\n    return y"
    assert show(read(text)) == text


def test_a_list_stays_a_list_for_a_function_with_a_rule() -> None:
    def longer(xs: Any) -> Any:
        return np.sum(bends(np.array([*xs, 1.0])))

    adxform.rule(longer)(lambda xs: (longer(xs), lambda ct: ([ct * np.cos(x) for x in xs],)))
    failed = [check for check in check_derivatives(lambda x: longer([x[0], x[1] * x[0]]), X, second_order=False) if not check.ok]
    assert not failed


@pytest.mark.parametrize(
    "returned",
    ["{'scales': ct, 'weights': ct}", "(ct, ct, ct, ct)", "ct", "{'weights': {'a': ct}}"],
)
def test_a_cotangent_of_another_structure_is_refused(returned: str) -> None:
    source = f"def body(p, x):\n    def pullback(ct):\n        return {returned}, ct\n    return fn(p, x), pullback"
    adxform.rule(wave_of)(program(source + "\ndef f(x):\n    return x", fn=wave_of).__globals__["body"])
    with pytest.raises(MissingRuleError, match="a cotangent of another structure than argument 0"):
        adxform.grad(lambda x: np.sum(wave_of(Layer(2.0, x), x)))(X)


# A rule for what NumPy means.


def test_a_rule_for_a_function_of_numpy_wins_over_what_it_means() -> None:
    adxform.scalar_rule(np.add, lambda y, x, z: (7.0, 3.0))
    one, other = adxform.grad(lambda x, z: np.sum(np.add(x, z) * 2.0 + np.add(z, x)), argnums=(0, 1))(X, Z)
    np.testing.assert_array_equal((one, other), (X * 0 + 17.0, X * 0 + 13.0))
    adxform.scalar_rule(np.multiply, lambda y, x, z: (7.0, 3.0))
    np.testing.assert_array_equal(adxform.grad(lambda x: np.sum(np.multiply(x, 1.0) + np.multiply(1.0, x)))(X), X * 0 + 10.0)
    adxform.scalar_rule(np.negative, lambda y, x: 7.0)
    np.testing.assert_array_equal(adxform.grad(lambda x: np.sum(np.negative(np.negative(x))))(X), X * 0 + 49.0)
    adxform.linear_rule(np.copy, lambda ct, x: 7.0 * ct)
    np.testing.assert_array_equal(adxform.grad(lambda x: np.sum(np.copy(x)))(X), X * 0 + 7.0)


def test_patterns_are_those_of_the_rule() -> None:
    adxform.rule(np.cumsum)(lambda x: (np.cumsum(x), lambda ct: (np.sum(ct) * np.ones(np.shape(x)),)))
    jacobian = adxform.prepare_jacobian(lambda x: np.cumsum(x), X, sparse=True)
    np.testing.assert_array_equal(jacobian(X).toarray(), np.ones((3, 3)))


# Registration.

FROZEN = stats.norm(1.0, 2.0)


class Descriptors:
    @property
    def prop(self) -> float:
        return 1.0

    @classmethod
    def made(cls) -> float:
        return 1.0


def generates(x: Any) -> Iterator[Any]:
    yield x


USELESS = [
    (3, "it is no function"),
    ([], "it is no function"),
    (Descriptors.prop, r"K\.name\.fget"),
    (vars(Descriptors)["made"], r"K\.method"),
    (Descriptors, "makes an object"),
    (X.sum, r"np\.ndarray\.sum"),
    ([].append, r"list\.append"),
    (np.frompyfunc(math.sin, 1, 1), r"astype\(float\)"),
    (adxform.grad, "the function that is differentiated"),
    (adxform.grad(bends), "the function that is differentiated"),
    (adxform.differentiable(bends), "under the decorator"),
    (generates, "an iterator"),
    (isinstance, "a function of your own"),
    (sum, "a function of your own"),
]


@pytest.mark.parametrize(("fn", "way"), USELESS)
def test_a_rule_that_would_never_apply_is_refused_at_once(fn: Any, way: str) -> None:
    for register in (
        lambda: adxform.rule(fn),
        lambda: adxform.scalar_rule(fn, lambda y, x: 1.0),
        lambda: adxform.register(scalar(fn, lambda y, x: 1.0)),
    ):
        with pytest.raises(RegistrationError, match=f"(?s)would never apply: .*{way}"):
            register()


def test_methods_of_frozen_distributions_have_rules_where_they_stand_outside() -> None:
    adxform.scalar_rule(FROZEN.cdf, lambda y, x: 7.0)
    np.testing.assert_array_equal(adxform.grad(lambda x: np.sum(FROZEN.cdf(x)))(X), X * 0 + 7.0)


def test_what_states_a_derivative_is_a_function() -> None:
    for register in (
        lambda: adxform.scalar_rule(bent, 1.0),  # type: ignore[arg-type]
        lambda: adxform.reference_rule(bent, None),  # type: ignore[arg-type]
        lambda: adxform.linear_rule(bent, {0: 2.0}),  # type: ignore[dict-item]
    ):
        with pytest.raises(RegistrationError, match="is no function"):
            register()


def registering(tmp_path: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / f"{name}.py").write_text(f"import adxform\nfrom tests.test_own_rules import bent\n{text}\n")
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module(name)


def test_two_modules_that_register_one_function_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adxform.constant_rule(bent)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    with pytest.raises(
        RegistrationError, match=rf"test_own_rules\.py:{line}, and is now at .*meets_another\.py:3(?s:.)*replaces=True"
    ):
        registering(tmp_path, "meets_another", "adxform.scalar_rule(bent, lambda y, x: 5.0)", monkeypatch)
    assert adxform.grad(lambda x: np.sum(bent(x)))(X)[0] == 0.0
    second = registering(tmp_path, "takes_place", "adxform.scalar_rule(bent, lambda y, x: 5.0, replaces=True)", monkeypatch)
    assert adxform.grad(lambda x: np.sum(bent(x)))(X)[0] == 5.0
    Path(second.__file__).write_text(Path(second.__file__).read_text().replace("5.0, replaces=True", "6.25"))
    importlib.reload(second)
    assert adxform.grad(lambda x: np.sum(bent(x)))(X)[0] == 6.25


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs distributions with rules for the package ``waves``."""
    monkeypatch.syspath_prepend(tmp_path)
    forget = (shipped_rules._begun, shipped_rules._done, shipped_rules._broken, shipped_rules._conflicts)
    before = [type(one)(one) for one in forget]

    def install(distribution: str, leads_to: str, **modules: str) -> None:
        folder = tmp_path / f"{distribution}-1.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.5\n")
        (folder / "entry_points.txt").write_text(f"[adxform.rules]\nwaves = {leads_to}\n")
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        shipped_rules.installed.cache_clear()

    (tmp_path / "waves.py").write_text(
        "from tests.test_own_rules import SINES\ndef wave(x):\n    return SINES(x).astype(float)\n"
    )
    yield install
    for one, old in zip(forget, before, strict=True):
        one.clear()
        one.update(old)  # type: ignore[arg-type]
    shipped_rules.installed.cache_clear()
    importlib.sys.modules.pop("waves", None)  # type: ignore[attr-defined]


RULES = "import adxform, waves\nadxform.scalar_rule(waves.wave, lambda y, x: {})\n"


def test_packages_ship_rules(site: Callable[..., None]) -> None:
    site("waving", "waving_rules", waving_rules=RULES.format(4.0))
    waves = importlib.import_module("waves")
    assert adxform.grad(lambda x: np.sum(waves.wave(x)))(X)[0] == 4.0
    with pytest.raises(RegistrationError, match=r"waving_rules\.py:2, and is now at .*test_own_rules\.py"):
        adxform.scalar_rule(waves.wave, lambda y, x: 5.0)


def test_shipped_rules_are_replaced_before_they_are_met(site: Callable[..., None]) -> None:
    site(
        "swaying",
        "swaying_rules:bring",
        swaying_rules="def bring():\n    import adxform, waves\n    adxform.constant_rule(waves.wave)\n",
    )
    waves = importlib.import_module("waves")
    adxform.scalar_rule(waves.wave, lambda y, x: 5.0, replaces=True)
    assert adxform.grad(lambda x: np.sum(waves.wave(x)))(X)[0] == 5.0


def test_shipped_rules_that_cannot_be_loaded_name_their_distribution(site: Callable[..., None]) -> None:
    site("breaking", "breaking_rules", breaking_rules="import what_is_not_there\n")
    waves = importlib.import_module("waves")
    with pytest.warns(RuntimeWarning, match=r"shipped with `breaking 1\.5`, by `breaking_rules` cannot be loaded"):
        adxform.rule(waves.wave)(lambda x: (waves.wave(x), lambda ct: (ct * 2.0,)))
    assert adxform.grad(lambda x: np.sum(waves.wave(x)))(X)[0] == 2.0


def test_distributions_whose_rules_meet_are_named(site: Callable[..., None]) -> None:
    site("rising", "rising_rules", rising_rules=RULES.format(4.0))
    site("falling", "falling_rules", falling_rules=RULES.format(5.0))
    waves = importlib.import_module("waves")
    for _ in range(2):
        with pytest.raises(
            RegistrationError, match=r"shipped with `(rising|falling) 1\.5`.*falling_rules\.py:2.*rising_rules\.py:2"
        ):
            adxform.grad(lambda x: np.sum(waves.wave(x)))(X)


@pytest.mark.parametrize(
    ("call", "way"),
    [
        (lambda f: adxform.hvp(f, (X,), (Z,)), r"hvp\(cubes\)\(x, v\)"),
        (lambda f: adxform.hvp(f, X, Z), r"hvp\(cubes\)\(x, v\)"),
        (lambda f: adxform.grad(f, X), r"grad\(cubes\)\(x\)"),
        (lambda f: adxform.hessian(f, (2.0,)), r"hessian\(cubes\)\(x\)"),
    ],
)
def test_an_operator_that_is_given_arguments_says_where_they_go(call: Any, way: str) -> None:
    def cubes(x: Any, scale: float = 1.0) -> Any:
        return np.sum(x**3) * scale

    with pytest.raises(ArgnumsError, match=f"(?s)is given values for `argnums`.*write `{way}`"):
        call(cubes)


@pytest.mark.parametrize("form", ["slopes", "transpose"])
def test_a_form_without_derivatives_by_structures_says_so(form: str) -> None:
    def moves(x: Any) -> Any:
        return np.sum(Model(x[0], Z).wave(x))

    def stays(x: Any) -> Any:
        return np.sum(Model(2.0, Z).wave(x))

    if form == "slopes":
        adxform.scalar_rule(Model.wave, lambda y, self, x: (None, np.cos(x * self.weights) * self.weights * self.scale))
        np.testing.assert_allclose(adxform.grad(stays)(X), np.cos(X * Z) * Z * 2.0)
    else:
        adxform.linear_rule(Model.wave, {1: lambda ct, self, x: ct})
    for derivative in (adxform.grad(moves), lambda x: adxform.jvp(moves, (x,), (x,))):
        with pytest.raises(MissingRuleError, match="has no derivative with respect to argument 0"):
            derivative(X)


def test_what_a_call_is_made_for_beside_its_result() -> None:
    """An array given as `out`, or what a function does when its result is left alone, is not dropped with the result."""
    x = np.array([0.7, 1.3])

    @adxform.rule(np.sin)
    def _(x: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return (ct * np.cos(x),)

        return np.sin(x), pullback

    def in_place(x: Any) -> Any:
        y = x * 1.0
        np.sin(y, out=y)
        z = np.empty(2)
        np.sin(x * x, z)
        return np.sum(y * y * z)

    assert [check.name for check in adxform.check_derivatives(in_place, x) if not check.ok] == []

    def noted(x: Any, log: Any, out: Any = None) -> Any:
        log.append(1)
        return x * x

    @adxform.rule(noted)
    def _(x: Any, log: Any, out: Any = None) -> Any:
        def pullback(ct: Any) -> Any:
            return ct * 2 * x, None, None

        return x * x, pullback

    def as_a_statement(x: Any) -> Any:
        log: list[int] = []
        noted(x, log)
        return np.sum(x) * len(log)

    with pytest.raises(MissingRuleError, match="for something else than its result"):
        adxform.grad(as_a_statement)(x)
    with pytest.raises(MissingRuleError, match="for something else than its result"):
        adxform.grad(lambda x: np.sum(noted(x, [], out=x)))(x)


WEIGHTS = np.arange(1.0, 6.0)
NOTED: list[Any] = []


def given_back(x: Any) -> Any:
    return x


def kept_weights(n: int) -> Any:
    return WEIGHTS[:n]


def noted(x: Any) -> Any:
    NOTED.append(x)
    return np.sum(x)


adxform.tangent_rule(given_back, lambda y, args, args_t: args_t[0])
adxform.constant_rule(kept_weights)
adxform.tangent_rule(noted, lambda y, args, args_t: np.sum(args_t[0]))


def copies_what_is_given_back(x: Any) -> Any:
    copy = given_back(x).copy()
    copy[0] = 5.0 * x[1]
    return np.sum(x * x) + np.sum(copy * copy)


def copies_what_is_kept(x: Any) -> Any:
    total = 0.0
    for _ in range(3):
        copy = kept_weights(5).copy()
        copy *= x
        total += np.sum(copy * copy)
    return total


def copies_what_was_noted(x: Any) -> Any:
    square = x * x
    total = noted(square)
    copy = square.copy()
    copy[0] = 5.0 * x[1]
    return total + np.sum(copy * copy)


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("f", [copies_what_is_given_back, copies_what_is_kept, copies_what_was_noted])
def test_a_copy_is_not_what_a_function_with_a_rule_has(f: Callable[[Any], Any], engine: adxform.Engine) -> None:
    x, weights = np.array([1.3, 0.7, -0.4, 0.9, 0.55]), WEIGHTS.copy()
    NOTED.clear()
    value, gradient = adxform.value_and_grad(f, engine=engine)(x)
    given = [array.copy() for array in NOTED]
    assert value == pytest.approx(f(np.array([1.3, 0.7, -0.4, 0.9, 0.55])), rel=1e-13)
    np.testing.assert_allclose(gradient, numeric_gradient(f, x), rtol=1e-6)
    np.testing.assert_array_equal(x, [1.3, 0.7, -0.4, 0.9, 0.55])
    np.testing.assert_array_equal(WEIGHTS, weights)
    assert all(np.array_equal(array, x * x) for array in given)


def numeric_gradient(f: Callable[[Any], Any], x: Any) -> Any:
    steps = np.eye(len(x)) * 1e-5
    return np.array([(f(x + step) - f(x - step)) / 2e-5 for step in steps])
