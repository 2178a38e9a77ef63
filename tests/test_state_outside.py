"""State outside of a function that it changes: done once, as a plain call does it, and read back with its derivative, or refused.

Each program is judged by plain calls: its value, its gradient by differences of plain calls from the same state, and the state
afterwards. Three calls follow one another, so that each begins with what the one before it left; of them only the first ones
may derive anything.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import itertools
import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, AliasError, GlobalMutationError
from adxform.runtime import counters

HISTORY: list[Any] = []
COUNTS: dict[Any, Any] = {}
DEFAULTS: collections.defaultdict[str, int] = collections.defaultdict(int)
BUFFER = np.zeros(3)
CALLS = 0
SHARED = types.SimpleNamespace(calls=0, log=[])


def counted():
    global CALLS
    CALLS += 1
    return CALLS


class Child:
    def __init__(self):
        self.k = 2.0
        self.log = []


class Model:
    """An objective function as people write them, with state of every kind."""

    best_seen = 7.0

    def __init__(self):
        self.calls = 0
        self.k = 2.0
        self.best = None
        self.last = None
        self.log = []
        self.table = {}
        self.buffer = np.ones(3)
        self.bins = np.zeros(3, dtype=int)
        self.child = Child()
        self.register = {"a": Child()}

    @property
    def scale(self):
        return self.k

    @scale.setter
    def scale(self, value):
        self.k = 2.0 * value

    def scaled(self, t):
        return t * self.k

    def count(self, x):
        self.calls += 1
        return np.sum(x**2) * self.k

    def count_and_use(self, x):
        self.calls += 1
        return x[0] ** 2 * self.calls

    def count_in_a_loop(self, x):
        for i in range(len(x)):
            self.calls += 1
            if x[i] > 1.5:
                self.k = self.k * x[i]
        return self.k * np.sum(x)

    def count_while(self, x):
        self.calls = 0
        s = x[0]
        while s < 10.0:
            s = s * 1.7
            self.calls += 1
            self.last = s
        return s * self.last

    def count_in_helpers(self, x):
        return self.step(x[0]) + self.step(x[1]) * self.calls

    def step(self, v):
        self.calls += 1
        self.k = v * self.k
        return v * self.k

    def keep_the_last(self, x):
        self.last = x
        return np.sum(x**2)

    def keep_the_best(self, x):
        f = np.sum(x**3)
        if self.best is None or f < self.best:
            self.best = float(f)
            self.last = x.copy()
        return f

    def read_back(self, x):
        self.last = x[0] * x[1]
        return self.last * x[2] + self.last**2

    def read_back_after_paths(self, x):
        if x[0] > 0.5:
            self.k = x[1] ** 2
        return self.k * x[2]

    def a_new_attribute(self, x):
        if not hasattr(self, "made"):
            self.made = 3
        self.made += 1
        self.other = x[0]
        return x[1] * self.made * getattr(self, "other", 1.0)

    def an_attribute_of_the_class_first(self, x):
        self.best_seen = min(self.best_seen, float(x[0]))
        return self.best_seen * x[1]

    def a_property(self, x):
        self.scale = x[0]
        return self.scale * x[1]

    def by_setattr(self, x):
        setattr(self, "made", x[0])  # noqa: B010
        object.__setattr__(self, "other", 2)
        return self.made**2 * self.other

    def tuples_and_texts(self, x):
        self.last = (x[0], x.copy(), "a")
        self.best = f"at {x[0]:.3f}"
        return self.last[0] ** 2 * self.last[1][1]

    def swapped(self, x):
        self.a, self.b = x[0], x[1]
        self.a, self.b = self.b, self.a
        return self.a**2 * self.b

    def another_object(self, x):
        self.child.k += 1.0
        self.child = self.register["a"]
        self.child.k *= x[0]
        return self.child.k * x[1]

    def in_a_nested_function(self, x):
        def step(v):
            self.calls += 1
            return v * self.calls

        return step(x[0]) + step(x[1])

    def a_callback_reads_it(self, x):
        self.calls = 3
        return float(np.vectorize(lambda_of(self))(np.ones(1))[0]) * x[1]

    def of_a_namespace(self, x):
        SHARED.calls += 1
        SHARED.log.append(float(x[0]))
        return x[0] * SHARED.calls

    def raises(self, x):
        self.calls += 1
        if x[0] > 0.5:
            raise ValueError("no")
        self.calls += 10
        return x[0]

    def divides_by_zero(self, x):
        self.calls += 1
        a = 1.0 / float(self.calls - self.calls)
        self.calls += 10
        return x[0] * a

    def a_global_counter(self, x):
        before = CALLS
        counted()
        return x[0] * CALLS + before

    def a_global_name_of_a_loop(self, x):
        global CALLS
        s = 0.0
        for CALLS in range(3):
            s += x[CALLS] ** 2
        return s

    def logged(self, x):
        self.log.append(float(x[0]))
        HISTORY.append(x.copy())
        HISTORY.extend([(x[0], "a", 3), [float(x[1])], {"f": x[2]}])
        return np.sum(x**2)

    def logged_in_a_loop(self, x):
        for i in range(len(x)):
            self.log.append((i, float(x[i])))
            if len(self.log) > 5:
                self.log.clear()
        self.log += [1.0]
        return np.sum(x**2)

    def counted_by_keys(self, x):
        COUNTS["n"] = COUNTS.get("n", 0) + 1
        DEFAULTS["k"] += 1
        for i in range(3):
            COUNTS[i] = i
            if x[i] > 1.5:
                self.table[i] = x[i]
        self.table.update(f=x[0])
        del self.table["f"]
        return np.sum(x**2) * COUNTS["n"]

    def how_long_a_log_is(self, x):
        self.log.append(1.0)
        self.child.log.append(float(x[0]))
        return x[0] * len(self.log) * sum(self.log)

    def begun_anew(self, x):
        self.log = []
        for i in range(3):
            self.log.append(float(x[i]))
        return x[0] ** 2

    def a_table_by_lengths(self, x):
        n = len(x)
        if n not in COUNTS:
            COUNTS[n] = 3.5 * n
        return COUNTS[n] * x[0]

    def a_default(self, x, cache={}):  # noqa: B006
        cache["a"] = cache.get("a", 0) + 1
        return x[0] * cache["a"]

    def an_array_in_place(self, x):
        self.buffer += x
        return np.sum(self.buffer**2)

    def elements_and_views(self, x):
        self.buffer[0] = x[0]
        row = self.buffer[1:]
        row *= x[1]
        return np.sum(self.buffer**2 * x)

    def a_histogram(self, x):
        for i in range(3):
            if x[i] > 1.5:
                self.bins[i] += 1
        return np.sum(x**2) * self.bins[2]

    def a_global_array(self, x):
        BUFFER[:] = x
        BUFFER[1] *= BUFFER[0]
        return np.sum(BUFFER**2)

    def a_workspace(self, x):
        self.last = np.zeros(len(x))
        for i in range(len(x)):
            self.last[i] = x[i] ** 2 + (self.last[i - 1] if i else 0.0)
        return np.sum(self.last**2)

    def kept_and_then_written(self, x):
        y = x * 2
        self.last = y
        y[0] = x[1] ** 2
        s = np.sum(y * y)
        y[0] = 5.0 * x[0] * y[0]
        return np.sum(y * x) + s

    def a_workspace_of_either_path(self, x):
        self.last = x * 1.0 if x[0] > 0 else x * 2.0
        self.last[0] = x[1] ** 2
        return np.sum(self.last**2)

    def fields_that_trade_places(self, x):
        self.a, self.b = np.zeros((2, 3)), np.ones((2, 3))
        for _ in range(3):
            self.b[0] = self.a[1] * x + 1.0
            self.a[1] = self.b[0] * x
            self.a, self.b = self.b, self.a
        return np.sum(self.a * self.b)

    def written_before_it_raises(self, x):
        self.buffer[0] += 1
        if x[0] > 0:
            raise ValueError("no")
        self.buffer[1] += 1
        return x[0]


def lambda_of(model):
    return model.counted_times


def counted_times(self, t):
    return t * self.calls


Model.counted_times = counted_times
HELPERS = ("scale", "scaled", "step", "best_seen", "counted_times")
PROGRAMS = [name for name in vars(Model) if not name.startswith("_") and name not in HELPERS]
X = np.array([1.0, 2.0, 3.0])
LISTS = (HISTORY,)
DICTS = (COUNTS, DEFAULTS)


@dataclasses.dataclass
class World:
    """A model, and all that is global, kept and put back."""

    model: Model
    rest: Any = None

    def keep(self) -> None:
        self.rest = copy.deepcopy((self.model, HISTORY, COUNTS, DEFAULTS, BUFFER, CALLS, SHARED))

    def back(self) -> Model:
        global CALLS
        model, history, counts, defaults, buffer, CALLS, shared = copy.deepcopy(self.rest)
        HISTORY[:] = history
        for one, kept in ((COUNTS, counts), (DEFAULTS, defaults), (vars(SHARED), vars(shared))):
            one.clear()
            one.update(kept)
        BUFFER[:] = buffer
        return model


def shown(value: Any) -> Any:
    """`value` in a form that can be compared, with classes of numbers, to the bit."""
    match value:
        case Model() | Child() | types.SimpleNamespace():
            return type(value).__name__, {key: shown(item) for key, item in vars(value).items()}
        case dict():
            return type(value).__name__, [(shown(key), shown(item)) for key, item in value.items()]
        case list() | tuple():
            return type(value).__name__, [shown(item) for item in value]
        case np.ndarray():
            return "array", str(value.dtype), value.tolist()
        case _:
            return type(value).__name__, value


def state(model: Model) -> Any:
    return [shown(one) for one in (model, HISTORY, COUNTS, DEFAULTS, BUFFER, CALLS, SHARED)]


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    global CALLS
    for one in (HISTORY, COUNTS, DEFAULTS):
        one.clear()
    BUFFER[:] = 0.0
    CALLS, SHARED.calls, SHARED.log = 0, 0, []
    Model.a_default.__defaults__[0].clear()
    yield


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, ZeroDivisionError) as error:
        return type(error), str(error)


def differences(call: Callable[[np.ndarray], Any], x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    slopes = [(call(x + step * e) - call(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    return np.array(slopes)


def by_value_and_grad(f: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    return adxform.value_and_grad(f)(x)


def by_vjp(f: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    value, pullback = adxform.vjp(f, x)
    pullback(0.5)
    return value, pullback(1.0)[0]


def by_jvp(f: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    value, slope = adxform.jvp(f, (x,), (np.ones(3),))
    return value, float(slope)


def prepared(f: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    return adxform.prepare_value_and_gradient(f, x)(x)


def compiled(f: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    return adxform.value_and_grad(f, engine="numba")(x)


MODES = [by_value_and_grad, by_vjp, by_jvp, prepared, compiled]
CASES = [(name, mode) for name, mode in zip(PROGRAMS, itertools.cycle(MODES), strict=False)]
CASES += [(name, by_value_and_grad) for name, mode in CASES if mode is not by_value_and_grad]


@pytest.mark.parametrize(("name", "mode"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_as_a_plain_call(name: str, mode: Callable[..., Any]) -> None:
    world = World(Model())
    world.keep()
    model = world.model
    for _ in range(3):
        world.model = model
        world.keep()
        default = dict(Model.a_default.__defaults__[0])

        def plain(x: np.ndarray) -> Any:
            Model.a_default.__defaults__[0].clear()
            Model.a_default.__defaults__[0].update(default)  # noqa: B023
            plain.model = world.back()  # type: ignore[attr-defined]
            return getattr(plain.model, name)(x)  # type: ignore[attr-defined]

        value = outcome(lambda: plain(X))
        left = state(plain.model)  # type: ignore[attr-defined]
        slope = None if isinstance(value, tuple) else differences(plain, X)
        plain_default = dict(Model.a_default.__defaults__[0])
        Model.a_default.__defaults__[0].clear()
        Model.a_default.__defaults__[0].update(default)
        world.back()
        found = outcome(lambda: mode(getattr(model, name), X))
        if slope is None:
            assert found == value
        else:
            assert found[0] == value
            assert type(found[0]) is type(value)
            expected = np.sum(slope) if isinstance(found[1], float) else slope
            np.testing.assert_allclose(found[1], expected, rtol=1e-5, atol=1e-7)
        assert state(model) == left
        if name == "a_default":
            assert Model.a_default.__defaults__[0] == plain_default
