"""State outside of a function that it changes: done once, as a plain call does it, and read back with its derivative, or refused.

Each program is judged by plain calls: its value, its gradient by differences of plain calls from the same state, and the state
afterwards. Three calls follow one another, so that each begins with what the one before it left; of them only the first ones
may derive anything.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import decimal
import fractions
import inspect
import itertools
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import spatial

import adxform
from adxform.errors import AdxError, AliasError, GlobalMutationError
from adxform.runtime import counters
from tests.tables.cell import Cell, judge

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

    def getters(self, x):
        self.k = x[0]
        return operator.attrgetter("k")(self) * x[1]

    def last_value_and_count(self, x):
        self.table["last"] = x[0] * x[1]
        self.table["calls"] = self.calls
        self.table["calls"] += 1
        return x[0] * x[1] ** 2

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
        self.best_seen = self.best_seen * x[0]
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
def _nothing_kept() -> None:
    global CALLS
    for one in (HISTORY, COUNTS, DEFAULTS):
        one.clear()
    BUFFER[:] = 0.0
    CALLS, SHARED.calls, SHARED.log = 0, 0, []
    Model.a_default.__defaults__[0].clear()


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
            Model.a_default.__defaults__[0].update(default)
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


def test_each_call_runs_what_the_first_one_derived() -> None:
    model = Model()
    for name in PROGRAMS:
        if name in ("raises", "divides_by_zero", "written_before_it_raises"):
            continue
        derivative = adxform.grad(getattr(model, name))
        for _ in range(3):  # an attribute that was not there, or None at first, is another program then
            derivative(X)
        built = counters.snapshot()["rule_builds"]
        derivative(X)
        derivative(X + 0.1)
        assert counters.snapshot()["rule_builds"] == built, name


def test_deriving_changes_nothing() -> None:
    model = Model()
    for name in PROGRAMS:
        before = state(model)
        adxform.source(getattr(model, name), X)
        adxform.prepare_gradient(getattr(model, name), X)
        assert state(model) == before, name


@pytest.mark.parametrize("name", ["count", "logged_in_a_loop", "an_array_in_place", "a_global_counter", "keep_the_best"])
def test_a_hessian_product_runs_it_once(name: str) -> None:
    model, other = Model(), Model()
    getattr(other, name)(X)
    left = state(other)
    _nothing_kept.__wrapped__()  # type: ignore[attr-defined]
    adxform.hvp(getattr(model, name))(X, np.ones(3))
    assert state(model) == left


def test_two_derivatives_of_one_function_see_what_the_other_left() -> None:
    model = Model()
    assert adxform.grad(model.count_and_use)(X)[0] == 2.0
    assert adxform.jvp(model.count_and_use, (X,), (np.ones(3),))[1] == 4.0
    prepared = adxform.prepare_gradient(model.count_and_use, X)
    assert [prepared(X)[0], prepared(X, out=np.empty(3))[0], model.calls] == [6.0, 8.0, 4]


def test_each_object_has_its_own_state() -> None:
    first, second = Model(), Model()
    for _ in range(2):
        adxform.grad(first.count)(X)
    adxform.grad(second.count)(X)
    assert (first.calls, second.calls) == (2, 1)


def reads_by_another_path(x):
    PAIR[0].calls += 1
    PAIR[0].k = x[0]
    return x[1] * PAIR[1].calls * PAIR[1].k


def appends_by_another_path(x):
    PAIR[0].log.append(1.0)
    return x[1] * sum(PAIR[1].log)


PAIR = [Model(), Model()]


@pytest.mark.parametrize("f", [reads_by_another_path, appends_by_another_path])
@pytest.mark.parametrize("first", [True, False], ids=["one object at first", "two at first"])
def test_two_paths_to_one_object(f: Callable[..., Any], first: bool) -> None:
    for same in (first, not first, first):
        PAIR[:] = [Model()] * 2 if same else [Model(), Model()]
        expected = differences(lambda x: (reset_pair(), f(x))[1], X)
        reset_pair()
        np.testing.assert_allclose(adxform.grad(f)(X), expected, rtol=1e-6)


def reset_pair() -> None:
    for one in PAIR:
        vars(one).clear()
        one.__init__()  # type: ignore[misc]


def test_an_array_outside_that_is_an_argument() -> None:
    model = Model()
    with pytest.raises(AliasError, match="shares memory with `x`"):
        adxform.vjp(model.elements_and_views, model.buffer)


class Refused:
    """What is no counter, log or cache: a number that moves would come back without its derivative, or be done twice."""

    def __init__(self):
        self.k = 2.0
        self.calls = 0
        self.log = []
        self.table = {}

    def scaled(self, t):
        return t * self.k

    def a_log_that_is_read(self, x):
        self.log.append(x[0])
        return x[1] * self.log[-1]  # here

    def a_table_read_under_a_key_of_the_run(self, x):
        self.table["calls" if x[0] > 0 else "last"] = x[0]
        return self.table["calls"] * x[1]  # here

    def a_table_that_is_updated(self, x):
        self.table["last"] = x[0]
        self.table.update(calls=x[1])
        return self.table["calls"] * x[1]  # here

    def a_table_read_under_the_same_text(self, x):
        self.table["last"] = x[0] * x[1]
        return self.table["last"] * x[1]  # here

    def a_memo_of_values(self, x):
        key = x.tobytes()
        if key not in self.table:
            self.table[key] = np.sum(x**2)
        return self.table[key] * 1.0  # here

    def a_callback_that_reads_it(self, x):
        self.k = x[0]
        return float(np.frompyfunc(self.scaled, 1, 1)(np.ones(1))[0]) * x[1]  # here

    def an_array_that_is_logged_and_then_written(self, x):
        y = x * 2
        self.log.append(y)  # here
        y[0] = 3
        return np.sum(y * x)

    def a_list_that_is_kept_and_then_changed(self, x):
        row = [x[0]]
        self.log.append(row)
        row.append(x[1])  # here
        return np.sum(np.array(row))

    def an_inner_derivative(self, x):
        def inner(y):
            self.calls += 1  # here
            return np.sum(y**2)

        return np.sum(adxform.grad(inner)(x))

    def a_function_is_kept(self, x):
        self.step = self.scaled  # here
        return self.step(x[0])


@pytest.mark.parametrize("name", [name for name in vars(Refused) if name.startswith(("a_", "an_"))])
def test_what_is_refused(name: str) -> None:
    model = Refused()
    lines = inspect.getsource(getattr(Refused, name)).splitlines()
    line = next(k for k, text in enumerate(lines) if text.endswith("# here")) + getattr(Refused, name).__code__.co_firstlineno
    with pytest.raises(AdxError) as caught:
        adxform.grad(getattr(model, name))(X)
    assert caught.value.span.line == line
    assert vars(model) == vars(Refused())


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: adxform.hessian(f)(X),
        lambda f: adxform.jacobian(f)(X),
        lambda f: adxform.prepare_hessian(f, X),
        lambda f: adxform.prepare_jacobian(f, X),
        lambda f: adxform.prepare_hvp(f, X).batch(X, np.eye(3)),
        lambda f: adxform.prepare_jvp(f, X).batch((X,), (np.eye(3),)),
        lambda f: adxform.prepare_vjp(f, X).batch((X,), np.ones(2)),
    ],
)
def test_what_would_run_it_several_times(derivative: Callable[..., Any]) -> None:
    model = Model()
    with pytest.raises(GlobalMutationError, match="changes state outside"):
        derivative(model.count)
    assert model.calls == 0


KEPT = 0.0


def kept_outside(u):
    global KEPT
    KEPT = u * 2.0
    return u


class ReadsWhatIsKept(fractions.Fraction):
    def __float__(self) -> float:
        return float(KEPT)


def beside_classes_of_libraries(x):
    first = kept_outside(x[0] * 2)
    return first * float(fractions.Fraction(1, 3)) + x[1] * float(decimal.Decimal("0.5")) * collections.Counter("aba")["a"]


def beside_a_class_that_reads_it(x):
    first = kept_outside(x[0] * 2)
    return first * float(ReadsWhatIsKept(1, 3)) + x[1]


@pytest.mark.parametrize(("f", "kind"), [(beside_classes_of_libraries, "right"), (beside_a_class_that_reads_it, "refused")])
def test_code_of_libraries_reads_no_variable_of_the_program(f: Callable[..., Any], kind: str) -> None:
    verdict = judge(Cell(f.__name__, f, (np.array([0.7, 0.55, 0.31]),)))
    assert verdict.kind == kind, verdict.reason


class AnswersForAnyName:
    """Says of each name that it is asked for that it is there now."""

    def __getattr__(self, name: str) -> float:
        return self.__dict__.setdefault(name, 1.0)

    def __call__(self, v: float) -> float:
        return v * 2.0


ANSWERING = AnswersForAnyName()


def sets_what_answers(x):
    ANSWERING.rate = x[0]
    return ANSWERING.rate * x[1]


def calls_what_answers(x):
    return np.sum(x * ANSWERING(x[0])) + np.vectorize(ANSWERING)(x).sum()


def prints_what_answers(x):
    return x[0] * x[1] * len(str(ANSWERING is None))


@pytest.mark.parametrize("f", [sets_what_answers, calls_what_answers, prints_what_answers])
def test_no_name_is_asked_for_that_the_function_does_not_ask_for(f: Callable[..., Any]) -> None:
    ANSWERING.__dict__.clear()
    f(X)
    plainly = set(vars(ANSWERING))
    ANSWERING.__dict__.clear()
    adxform.grad(f)(X)
    adxform.jvp(f, (X,), (X,))
    assert set(vars(ANSWERING)) <= plainly


POINTS = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]])
NEAR, NEIGHBOURS = spatial.KDTree(POINTS), spatial.cKDTree(POINTS)


def distance_to_what_moves(x):
    POINTS[1] = x[:2]
    return NEAR.query(np.array([0.9, 0.8]))[0] * x[0]


def distance_by_the_class_in_c(x):
    POINTS[1] = x[:2]
    return NEIGHBOURS.query(np.array([0.9, 0.8]))[0] * x[0]


def distance_to_what_stays(x):
    return NEIGHBOURS.query(x[:2])[0] + NEAR.query(x[1:])[0]


@pytest.mark.parametrize("f", [distance_to_what_moves, distance_by_the_class_in_c])
def test_trees_of_neighbours_have_the_memory_of_their_places(f: Callable[..., Any]) -> None:
    kept = POINTS.copy()
    with pytest.raises(GlobalMutationError):
        adxform.grad(f)(np.array([0.7, 0.55, 0.31]))
    POINTS[:] = kept
    verdict = judge(Cell("stays", distance_to_what_stays, (np.array([0.7, 0.55, 0.31]),)))
    assert verdict.kind == "right", verdict.reason
