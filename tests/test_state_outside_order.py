"""State outside of a function, in order: ahead of what raises and not after it, by getters and hooks, in memory that others have.

Each program is run plainly and derived, from the same state: both raise the same or return the same, and leave the same.
"""

from __future__ import annotations

import functools
import itertools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, AliasError, GlobalMutationError, PreparationMismatchError
from tests.test_state_outside import MODES, X, compiled, differences, outcome, shown

LOG: list[Any] = []
COUNTS: dict[str, Any] = {"n": 1.0}
LOCAL = threading.local()


class Kept:
    """What programs change, with hooks that change something themselves."""

    def __init__(self):
        vars(self).update(calls=0, hits=0, k=2.0, last=None, log=[], table={}, buffer=np.zeros(3), name="abc")

    @property
    def scale(self):
        self.hits += 1
        return self.k

    @functools.cached_property
    def matrix(self):
        self.hits += 1
        return np.eye(3) * self.k

    def __getattr__(self, name):
        if name != "absent":
            raise AttributeError(name)
        self.hits += 1
        return 4.0

    def __setattr__(self, name, value):
        object.__setattr__(self, "hits", self.hits + 1)
        super().__setattr__(name, value)

    def __index__(self):
        self.hits += 1
        return 1

    def count(self, x):
        self.calls += 1
        return np.sum(x**2)

    # What raises and is read by nobody

    def divides(self, x):
        self.calls += 1
        a = 1.0 / float(self.k - self.k)  # noqa: F841
        self.calls += 10
        return np.sum(x)

    def looks_up(self, x):
        self.calls += 1
        a = self.table[int(x[0])]  # noqa: F841
        self.log.append(1)
        return np.sum(x)

    def indexes(self, x):
        a = x[int(x[0] * 7)]  # noqa: F841
        self.calls += 10
        return np.sum(x**2)

    def leaves_a_domain(self, x):
        a = math.sqrt(-x[0])  # noqa: F841
        self.calls += 10
        return np.sum(x**2)

    def inverts(self, x):
        self.calls += 1
        a = np.linalg.inv(np.outer(x, x) * 0)  # noqa: F841
        self.calls += 10
        return np.sum(x**2)

    def adds_other_lengths(self, x):
        a = x + np.ones(4)  # noqa: F841
        self.log.append(float(x[0]))
        return np.sum(x**2)

    def parses(self, x):
        a = int(self.name)  # noqa: F841
        self.calls += 10
        return np.sum(x**2)

    def divides_in_a_loop(self, x):
        for i in range(3):
            self.calls += 1
            a = 1.0 / float(x[i] - 2.0)  # noqa: F841
        return np.sum(x**2)

    def divides_in_a_loop_ahead(self, x):
        for i in range(3):
            a = 1.0 / float(x[i] - 2.0)  # noqa: F841
        self.calls += 1
        return np.sum(x**2)

    def divides_on_a_path(self, x):
        a = 1.0 / float(x[1] - 2.0) if x[0] > 0 else 3.0  # noqa: F841
        self.log.append(1)
        return np.sum(x**2)

    def divides_in_a_helper(self, x):
        self.calls += 1
        s = self.helper(x[0]) + self.helper(x[1])
        self.calls += 1
        return s * x[2]

    def helper(self, v):
        a = 1.0 / float(v - 2.0)  # noqa: F841
        return v * 2

    def stores_beyond_the_end(self, x):
        y = np.zeros(2)
        y[int(x[2])] = x[0]
        self.log.append(1)
        return np.sum(x**2)

    def is_of_use_to_no_derivative(self, x):
        a = 1.0 / float(x[1] - 2.0)
        self.log.append(1)
        return np.sum(x**2) + 0 * int(a)

    # Arrays when something raises

    def writes_and_divides(self, x):
        self.buffer[0] = x[0]
        a = 1.0 / float(x[1] - 2.0)  # noqa: F841
        self.buffer[1] = x[1]
        return np.sum(x)

    def writes_and_factors(self, x):
        self.buffer[0] = x[0]
        y = np.linalg.cholesky(np.diag(x - 1.5))
        self.buffer[1] = x[0]
        return np.sum(y)

    def keeps_writes_and_factors(self, x):
        self.last = np.zeros(3)
        for i in range(3):
            self.last[i] = x[i]
            y = math.sqrt(float(1.5 - x[i]))
        return x[0] * y

    def replaces_and_factors(self, x):
        self.last = np.zeros(3)
        self.last[0] = x[0]
        self.last = np.ones(2)
        return np.sum(np.linalg.cholesky(np.diag(x - 1.5)))

    # Hooks

    def a_property_that_counts(self, x):
        return np.sum(x**2) * self.scale + self.scale

    def a_cached_property(self, x):
        self.calls += 1
        return x @ self.matrix @ self.matrix @ x

    def an_absent_attribute(self, x):
        s = self.absent
        object.__setattr__(self, "absent", x[0])
        return np.sum(x**2) * self.absent * s

    def set_by_the_hook(self, x):
        self.last = x[0]
        self.calls += 1
        return self.last * x[1] * self.calls

    def set_past_the_hook(self, x):
        object.__setattr__(self, "last", x[0] * 2)
        return self.last * x[1]

    def an_index_that_counts(self, x):
        return x[self] * 2

    # Records and memo dicts

    def the_best_so_far(self, x):
        f = np.sum(x**2)
        if "f" not in self.table or f < self.table["f"]:
            self.table["f"], self.table["x"] = f, x.copy()
        return f

    def the_last_two(self, x):
        self.log.append(float(x[0]))
        if len(self.log) > 2:
            self.log.pop(0)
        return np.sum(x**2)

    def a_warm_start(self, x):
        y = self.k
        for _ in range(3):
            y = 0.5 * (y + x[0] / y)
        self.k = y
        return y * x[1]


HELPERS = ("count", "helper")
PROGRAMS = [name for name, found in vars(Kept).items() if callable(found) and name[:2] != "__" and name not in HELPERS]
CASES = list(zip(PROGRAMS, itertools.cycle(mode for mode in MODES if mode is not compiled), strict=False))
CASES += [(name, compiled) for name in ("inverts", "divides_in_a_loop", "writes_and_factors")]


def outcome_of(call: Callable[[], Any]) -> Any:
    try:
        return outcome(call)
    except (KeyError, IndexError, OverflowError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(("name", "mode"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_as_a_plain_call(name: str, mode: Callable[..., Any]) -> None:
    plain, model = Kept(), Kept()
    value = outcome_of(lambda: getattr(plain, name)(X.copy()))
    assert adxform.source(getattr(model, name), X)
    assert shown(vars(model)) == shown(vars(Kept()))
    found = outcome_of(lambda: mode(getattr(model, name), X.copy()))
    assert shown(vars(model)) == shown(vars(plain))
    if isinstance(value, tuple):
        assert found == value
        return
    slope = differences(lambda x: getattr(Kept(), name)(x), X)
    assert found[0] == pytest.approx(value, rel=1e-14)
    np.testing.assert_allclose(found[1], np.sum(slope) if isinstance(found[1], float) else slope, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["inverts", "divides_in_a_loop_ahead", "is_of_use_to_no_derivative", "set_by_the_hook"])
def test_a_hessian_product(name: str) -> None:
    plain, model = Kept(), Kept()
    value = outcome_of(lambda: getattr(plain, name)(X))
    found = outcome_of(lambda: adxform.hvp(getattr(model, name))(X, np.ones(3)))
    assert shown(vars(model)) == shown(vars(plain))
    assert not isinstance(value, tuple) or found == value


# Code that begins anew


class Sums:
    """A loop that is compiled, and gives up where a number leaves a domain."""

    def __init__(self):
        self.calls, self.log = 0, []

    def cost(self, x):
        self.calls += 1
        self.log.append(len(self.log))
        s = 0.0
        for i in range(len(x)):
            s += 1.0 / float(x[i] - 2.0) ** 2 * x[i]
        self.calls += 10
        return s


@pytest.mark.parametrize("prepared", [False, True])
def test_compiled_code_that_gives_up_has_done_it_once(prepared: bool) -> None:
    model, other = Sums(), np.array([1.0, 5.0, 3.0])
    if prepared:
        derivative = adxform.prepare_value_and_gradient(model.cost, other, engine="numba")
    else:
        derivative = adxform.value_and_grad(model.cost, engine="numba")
    assert "kernel" in adxform.source(model.cost, other, engine="numba")
    for calls, given in ((11, other), (12, X), (23, other)):
        found = outcome_of(lambda given=given: derivative(given))
        assert isinstance(found[0], float) or given is X
        assert model.calls == calls
    assert model.log == [0, 1, 2]


# Memory that others have


def kept_whole(x):
    y = np.sin(x)
    LOG.append(y)
    return np.sum(y**3)


def kept_on_the_way(x):
    y = x * 1.0
    for _ in range(3):
        y = y * y
        LOG.append((y, 1.0))
    return np.sum(y)


def kept_in_part(x):
    y = np.outer(x, x)
    LOG.append(y[0])
    return np.sum(y**3)


def kept_as_it_came(x):
    LOG.append(x)
    return np.sum(x**3)


@pytest.mark.parametrize("f", [kept_whole, kept_on_the_way, kept_in_part, kept_as_it_came])
@pytest.mark.parametrize("prepared", [False, True])
def test_a_pullback_after_what_was_kept_is_written_to(f: Callable[..., Any], prepared: bool) -> None:
    x = X / 2
    expected = adxform.grad(f)(x)
    LOG.clear()
    _, pullback = adxform.prepare_vjp(f, x)(x) if prepared else adxform.vjp(f, x)
    for one in LOG:
        (one[0] if isinstance(one, tuple) else one)[...] = 777.0
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-14)
    assert f is not kept_as_it_came or LOG[0] is x


def counted_by_a_dict(x, given):
    COUNTS["n"] = COUNTS["n"] + 1.0
    return np.sum(x**2) * given["n"]


def test_a_dict_that_is_changed_and_an_argument() -> None:
    before = dict(COUNTS)
    for _ in range(2):
        np.testing.assert_array_equal(adxform.grad(counted_by_a_dict)(X, {"n": 2.0}), 4 * X)
    COUNTS.update(before)
    for derive in (adxform.grad, adxform.value_and_grad, lambda f: functools.partial(adxform.vjp, f)):
        with pytest.raises(AliasError, match="`COUNTS`, which `counted_by_a_dict` changes, is given as an argument"):
            derive(counted_by_a_dict)(X, COUNTS)
    prepared = adxform.prepare_gradient(counted_by_a_dict, X, {"n": 2.0})
    with pytest.raises(PreparationMismatchError, match="is given as an argument as well"):
        prepared(X, COUNTS)
    assert before == COUNTS


# What cannot be told


class Recalling:
    """A result that an earlier call kept has no derivative."""

    def __init__(self):
        self.x, self.f, self.k = None, None, 2.0

    def by_equality(self, x):
        if self.x is not None and np.array_equal(x, self.x):
            return self.f
        self.x, self.f = x.copy(), np.sum(x**2)
        return self.f

    def by_elements(self, x):
        if self.x is not None and np.all(x == self.x):
            return self.f
        self.x, self.f = x.copy(), np.sum(x**2)
        return self.f

    def by_bytes(self, x):
        key = x.tobytes()
        if key == self.x:
            return self.f
        self.x, self.f = key, np.sum(x**2)
        return self.f


@pytest.mark.parametrize("name", [name for name in vars(Recalling) if name.startswith("by_")])
def test_what_an_earlier_call_kept(name: str) -> None:
    model = Recalling()
    derivative = adxform.grad(getattr(model, name))
    with pytest.raises(GlobalMutationError, match="what may move is compared with what an earlier call kept"):
        _ = [derivative(X) for _ in range(2)]


class Watching:
    """Reading an attribute runs code that changes something, and is no property."""

    def __init__(self):
        self.hits = 0

    def __getattribute__(self, name):
        if name == "k":
            vars(self)["hits"] += 1
            return 2.0
        return object.__getattribute__(self, name)

    def scaled(self, x):
        return np.sum(x**2) * self.k


def of_a_thread(x):
    LOCAL.calls = LOCAL.calls + 1
    return np.sum(x**2)


def test_what_is_refused() -> None:
    LOCAL.calls, watching, kept = 0, Watching(), Kept()
    for f in (watching.scaled, of_a_thread, lambda x: np.sum(x**2) if hasattr(kept, "absent") else x[0]):
        with pytest.raises(AdxError) as caught:
            adxform.grad(f)(X)
        assert caught.value.span.line
        assert caught.value.help
    assert (watching.hits, LOCAL.calls, kept.hits) == (0, 0, 0)
