"""The rule cache: what is built once, and what must be seen although it was built."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.primitives import table

RATE = 2.0
SETTINGS = SimpleNamespace(power=2)


def helper(x):
    return x * x


def other_helper(x):
    return x * x * x


def uses_helper(x):
    return helper(x) + 1.0


def uses_rate(x):
    return RATE * x


def uses_setting(x):
    return x**SETTINGS.power


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    adxform.clear_cache()
    yield
    adxform.clear_cache()


def scaled(c: Any) -> Callable[[Any], Any]:
    return lambda x: c * x


def built() -> int:
    return adxform.stats()["rule_builds"]


def test_a_second_call_builds_nothing() -> None:
    gradient = adxform.grad(uses_helper)
    gradient(2.0)
    before = adxform.stats()
    for x in (3.0, 4.0):
        assert gradient(x) == 2.0 * x
    after = adxform.stats()
    for name in ("rule_builds", "source_parses", "py_compiles"):
        assert after[name] == before[name]
    assert after["cache_hits"] == before["cache_hits"] + 2


def test_another_operator_object_finds_the_same_rule() -> None:
    adxform.grad(uses_helper)(2.0)
    assert adxform.grad(uses_helper)(3.0) == 6.0
    assert adxform.value_and_grad(uses_helper)(3.0) == (10.0, 6.0)
    assert built() == 1


def test_closures_over_numbers_of_equal_hash() -> None:
    assert hash(-1.0) == hash(-2.0)
    assert adxform.grad(scaled(-1.0))(3.0) == -1.0
    assert adxform.grad(scaled(-2.0))(3.0) == -2.0
    assert built() == 1


def test_closures_over_one_and_true_and_one_point_zero() -> None:
    for c in (1, 1.0, True):
        assert adxform.grad(scaled(c))(3.0) == 1.0
    assert adxform.jvp(lambda x: x * 1, (2.0,), (1.0,)) == (2.0, 1.0)


def test_arguments_one_and_true_and_one_point_zero_are_apart() -> None:
    def f(x, n):
        return x * n

    for n in (1, True, 1.0, 2):
        value, slope = adxform.value_and_grad(f)(3.0, n)
        assert (value, slope) == (3.0 * n, float(n))


def test_a_redefined_helper_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert adxform.grad(uses_helper)(3.0) == 6.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert adxform.grad(uses_helper)(3.0) == 27.0
    monkeypatch.undo()
    assert adxform.grad(uses_helper)(3.0) == 6.0
    assert built() == 2


def test_a_rebound_global_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert adxform.grad(uses_rate)(3.0) == 2.0
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert adxform.grad(uses_rate)(3.0) == 5.0
    assert built() == 1
    monkeypatch.setitem(globals(), "RATE", np.array([1.0, 2.0]))
    np.testing.assert_array_equal(adxform.jvp(uses_rate, (3.0,), (1.0,))[1], [1.0, 2.0])


def test_a_changed_attribute_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert adxform.grad(uses_setting)(3.0) == 6.0
    monkeypatch.setattr(SETTINGS, "power", 3)
    assert adxform.grad(uses_setting)(3.0) == 27.0


def test_a_changed_cell_is_seen() -> None:
    c = 2.0

    def f(x):
        return c * x

    assert adxform.grad(f)(3.0) == 2.0
    c = 7.0
    assert adxform.grad(f)(3.0) == 7.0


def test_a_changed_default_is_seen() -> None:
    def f(x, c=2.0):
        return c * x

    assert adxform.grad(f)(3.0) == 2.0
    f.__defaults__ = (4.0,)
    assert adxform.grad(f)(3.0) == 4.0
    f.__defaults__ = (np.array([1.0, 2.0]),)
    np.testing.assert_array_equal(adxform.jvp(f, (3.0,), (1.0,))[1], [1.0, 2.0])


def test_changed_code_is_seen() -> None:
    def f(x):
        return x * x

    def g(x):
        return x * x * x

    gradient = adxform.grad(f)
    assert gradient(3.0) == 6.0
    f.__code__ = g.__code__
    assert gradient(3.0) == 27.0


def test_a_reused_id_is_no_hit() -> None:
    def make(power: int) -> Callable[[Any], Any]:
        return (lambda x: x**2) if power == 2 else (lambda x: x**3)

    for _ in range(50):
        for power, slope in ((2, 6.0), (3, 27.0)):
            assert adxform.grad(make(power))(3.0) == slope
    assert built() == 2


def test_two_closures_of_one_code_share_a_build() -> None:
    for c in np.linspace(0.5, 3.0, 7):
        assert adxform.grad(scaled(float(c)))(1.0) == c
    assert built() == 1


def test_closures_over_functions() -> None:
    def through(g: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: g(x) * 2.0

    assert adxform.grad(through(helper))(3.0) == 12.0
    assert adxform.grad(through(other_helper))(3.0) == 54.0
    assert adxform.grad(through(lambda x: x))(3.0) == 2.0


def test_functions_as_arguments() -> None:
    def call(g, x):
        return g(x)

    for c in (2.0, 3.0):
        assert adxform.grad(call, 1)(scaled(c), 5.0) == c


def test_lengths_do_not_matter_but_length_one_does() -> None:
    def f(x, y):
        return np.sum(x * y)

    for n in (3, 4, 5):
        np.testing.assert_array_equal(adxform.grad(f)(np.ones(n), 2.0 * np.ones(n)), 2.0 * np.ones(n))
    assert built() == 1
    np.testing.assert_array_equal(adxform.grad(f)(np.ones(1), 2.0 * np.ones(3)), [6.0])
    assert built() == 2


def test_partials_and_bound_methods_are_found_again() -> None:
    for k in (2.0, 3.0):
        assert adxform.grad(functools.partial(lambda k, x: k * x, k))(1.0) == k


class Options:
    """Settings, some of which may be absent."""


def test_an_attribute_that_appears_is_seen() -> None:
    options = Options()

    def f(x):
        return 2.0 * x if hasattr(options, "double") else getattr(options, "factor", 1.0) * x

    gradient = adxform.grad(f)
    assert gradient(1.0) == 1.0
    options.factor = 5.0
    assert gradient(1.0) == 5.0
    options.double = True
    assert gradient(1.0) == 2.0
    del options.double, options.factor
    assert gradient(1.0) == 1.0


def test_an_attribute_that_a_class_gains_is_seen() -> None:
    def f(x):
        return 2.0 * x if hasattr(Options(), "sharp") else x

    assert adxform.grad(f)(1.0) == 1.0
    Options.sharp = True
    try:
        assert adxform.grad(f)(1.0) == 2.0
    finally:
        del Options.sharp


def test_a_registered_rule_is_seen() -> None:
    def black_box(x):
        return x * x

    def f(x):
        return black_box(x)

    assert adxform.grad(f)(3.0) == 6.0

    @adxform.rule(black_box)
    def _(x):
        def pullback(y_ct):
            return 100.0 * y_ct

        return x * x, pullback

    assert adxform.grad(f)(3.0) == 100.0


def test_nested_rules_are_built_once() -> None:
    def f(x):
        return x**4

    third = adxform.grad(adxform.grad(adxform.grad(f)))
    assert third(2.0) == pytest.approx(48.0)
    assert built() == 3
    assert third(3.0) == pytest.approx(72.0)
    assert built() == 3


def test_hvp_in_a_loop_builds_once() -> None:
    def f(x):
        return np.sum(x**3)

    product = adxform.hvp(f)
    x = np.array([1.0, 2.0])
    product(x, x)
    before = adxform.stats()
    for i in range(5):
        v = np.eye(2)[i % 2]
        np.testing.assert_allclose(product(x, v), 6.0 * x * v)
    after = adxform.stats()
    assert [after[k] - before[k] for k in ("rule_builds", "source_parses", "py_compiles")] == [0, 0, 0]


def test_buffers_are_counted() -> None:
    def f(x):
        y = x.copy()
        for i in range(1, x.shape[0]):
            y[i] = y[i] * y[i - 1]
        return np.sum(y)

    adxform.grad(f)(np.ones(3))
    first = adxform.stats()["buffer_allocs"]
    assert first >= 1
    adxform.grad(f)(np.ones(5))
    assert adxform.stats()["buffer_allocs"] == 2 * first


def test_threads_build_once() -> None:
    gate = threading.Barrier(8)
    found: list[float] = []

    def work() -> None:
        gate.wait()
        found.append(adxform.grad(uses_helper)(3.0))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [6.0] * 8
    assert built() == 1


def test_clear_cache_starts_again() -> None:
    adxform.grad(uses_helper)(2.0)
    adxform.clear_cache()
    assert set(adxform.stats().values()) == {0}
    adxform.grad(uses_helper)(2.0)
    assert built() == 1


def measured_slope(x):
    return FACTOR * x


def measured(x):
    return x * x


def scales(x):
    return x * WEIGHTS


def uses_measured(x):
    return measured(x) + 1.0


FACTOR: float = 2.0
WEIGHTS = np.ones(3)


@pytest.fixture
def measured_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule for `measured` that reads a helper and a number by name; no other test sees it."""
    monkeypatch.setattr(table, "own", {})

    @adxform.rule(measured)
    def _(x):
        return measured(x), lambda y_ct: measured_slope(x) * y_ct


@pytest.mark.usefixtures("measured_rule")
def test_what_a_rule_reaches_by_name_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, product = adxform.grad(uses_measured), adxform.hvp(uses_measured)
    prepared = adxform.prepare_gradient(uses_measured, 1.0)
    nested = adxform.grad(lambda x: adxform.grad(uses_measured)(x) * x)
    anew = adxform.prepare_gradient(uses_measured, 1.0, strict=False)
    for factor in (2.0, 5.0, np.float64(3.0), 2):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        for x in (3.0, 4.0):
            assert gradient(x) == anew(x) == factor * x
            assert product(x, 1.0) == factor
            assert nested(x) == 2.0 * factor * x
    builds = built()
    gradient(5.0)
    assert built() == builds
    with pytest.raises(adxform.errors.PreparationMismatchError, match="rule for"):
        prepared(3.0)
    monkeypatch.setitem(globals(), "measured_slope", lambda x: x * x)
    assert gradient(3.0) == 9.0
    assert product(3.0, 1.0) == 6.0


@pytest.mark.usefixtures("measured_rule")
def test_an_array_that_a_rule_reads_outside_is_refused() -> None:
    @adxform.rule(scales)
    def _(x):
        return scales(x), lambda y_ct: y_ct * WEIGHTS

    with pytest.raises(adxform.errors.UnsupportedOperationError, match="array `WEIGHTS`") as caught:
        adxform.grad(lambda x: np.sum(scales(x)))(np.ones(3))
    assert caught.value.span.line > 0
