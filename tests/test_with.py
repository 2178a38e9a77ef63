"""``with`` in a derivative: what a plain call does to the world is done, once and in order; exceptions leave as they do there."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, UnsupportedOperationError
from tests.tables import cell
from tests.tables.cell import Cell, judge

LOG: list[str] = []
LOCK = threading.Lock()
PLACE = Path("/dev/null")


class Noted:
    """Notes what happens; `__exit__` may swallow."""

    def __init__(self, name: str, swallows: bool = False) -> None:
        self.name = name
        self.swallows = swallows

    def __enter__(self) -> Noted:
        note(f"{self.name} entered")
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        note(f"{self.name} left by {kind}")
        return self.swallows


OUTSIDE = Noted("outside")


def note(text: str) -> None:
    print(text)


@contextlib.contextmanager
def noting(name: str) -> Iterator[str]:
    note(f"{name} begins")
    yield name
    note(f"{name} ends")


def managers(x: Any) -> Any:
    with LOCK, Noted("a") as a, noting("b") as b, PLACE.open("w") as file:
        file.write(a.name + b)
        y = np.sum(x * x)
        with OUTSIDE:
            if y > 10.0:
                raise ValueError("too large")
            return y * x[0]


def of_a_matrix(x: Any) -> Any:
    with Noted("solving"):
        return np.sum(np.linalg.solve(np.outer(x, x) + np.diag(x), x))


def swallowing(x: Any, swallows: bool = True) -> Any:
    with Noted("swallowing", swallows):
        return np.sum(np.linalg.solve(np.outer(x, x), x))


@pytest.mark.parametrize(
    ("program", "x"), [(managers, [1.0, 2.0]), (managers, [3.0, 2.0]), (of_a_matrix, [1.0, 2.0]), (of_a_matrix, [0.0, 0.0])]
)
@pytest.mark.parametrize("engine", ["python", "numba"])
def test_entered_and_left_as_in_a_plain_call(
    program: Callable[..., Any], x: list[float], engine: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    value = adxform.value_and_grad(program, engine=engine)
    for call in (lambda: program(np.array(x)), lambda: value(np.array(x))[0]):
        try:
            said.append(("value", call()))
        except (ValueError, np.linalg.LinAlgError) as error:
            said.append(("raised", repr(error)))
        said.append(capsys.readouterr().out)
        assert not LOCK.locked()
    assert said[:2] == said[2:]
    verdict = judge(Cell(program.__name__, program, (np.array(x),)))
    assert verdict.kind == "right", verdict.reason


def test_an_exception_that_is_swallowed_by_what_only_the_run_knows_is_refused() -> None:
    assert adxform.grad(swallowing)(np.array([2.0]), True).shape == (1,)
    with pytest.raises(UnsupportedOperationError, match="swallows a LinAlgError"):
        adxform.grad(swallowing)(np.zeros(2), True)
    with pytest.raises(UnsupportedOperationError, match="returns None here"):
        adxform.grad(swallowing)(np.zeros(2))


def quotients(x: Any) -> Any:
    y = x.copy()
    with np.errstate(divide="raise", invalid="ignore"):
        y /= x - 2.0
        for i in range(len(x)):
            y[i] -= 1.0 / x[i]
        return np.sum(y) + np.std(x)


def exponentials(x: Any) -> Any:
    with np.errstate(all="ignore"), np.errstate(over="raise"):
        y = np.exp(x)
    return np.sum(y * np.log(x))


def lengths(x: Any) -> Any:
    with np.errstate(all="raise"):
        return np.sum(np.sqrt(x))


@pytest.mark.parametrize(
    ("program", "x"),
    [
        *((quotients, x) for x in ([1.0, 3.0], [2.0, 1.0], [1.0, 0.0])),
        *((exponentials, x) for x in ([1.0, 3.0], [0.0, 1.0], [800.0, 1.0])),
        *((lengths, x) for x in ([1.0, 3.0], [0.0, 1.0], [-1.0, 1.0])),
    ],
)
def test_floating_point_errors_raise_where_those_of_a_plain_call_do(program: Callable[..., Any], x: list[float]) -> None:
    smooth = all(value > 0.0 for value in x)
    verdict = judge(Cell(program.__name__, program, (np.array(x),), smooth=smooth, orders=2 if smooth else 1))
    assert verdict.kind == "right", verdict.reason


def silent(x: Any) -> Any:
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x)
    return np.sum(np.where(x > 0.0, y, 0.0))


def loud(x: Any) -> Any:
    with np.errstate(over="ignore"):
        y = np.log(x)
    return np.sum(np.where(x > 0.0, y, 0.0))


def test_warnings_of_the_primal_are_those_of_a_plain_call() -> None:
    for program in (silent, loud):
        told = []
        for call in (program, lambda x, f=program: adxform.jvp(f, (x,), (0.0 * x,))):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call(np.array([0.0, 2.0]))
            told.append(any("log" in str(warning.message) for warning in caught))
        assert told == [program is loud] * 2


def said_by_the_run(x: Any, what: str) -> Any:
    with np.errstate(divide=what):
        return np.sum(np.log(x))


def test_what_becomes_of_errors_is_known_beforehand() -> None:
    assert adxform.grad(lambda x: said_by_the_run(x, "raise"))(np.ones(2)).tolist() == [1.0, 1.0]


class ByItsClass:
    """What an object has of its own in the place of these methods, Python does not ask."""

    def __enter__(self) -> float:
        return 2.0

    def __exit__(self, *error: object) -> None:
        return None


class WithoutItself:
    """These are looked up as any other attribute of the class is."""

    @classmethod
    def __enter__(cls) -> float:
        return 3.0

    @staticmethod
    def __exit__(*error: object) -> None:
        return None


@pytest.mark.parametrize("manager", [ByItsClass(), WithoutItself()], ids=lambda manager: type(manager).__name__)
def test_the_methods_are_those_of_the_class(manager: Any) -> None:
    if isinstance(manager, ByItsClass):
        manager.__enter__ = lambda: 9.0  # type: ignore[method-assign]
        manager.__exit__ = lambda *error: 1 / 0  # type: ignore[assignment, method-assign]

    def f(x: Any) -> Any:
        with manager as k:
            return np.sum(x * k)

    value, gradient = adxform.value_and_grad(f)(np.array([0.7, 1.3]))
    assert value == f(np.array([0.7, 1.3]))
    assert gradient[0] == value / 2.0


class Doubling:
    """Its `__exit__` tells an exception, as Python raises when it closes a generator, from the end of the ``with``."""

    def __init__(self, y: Any) -> None:
        self.y = y

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.y[0] = self.y[0] * (2.0 if kind is None else 5.0)


def in_doubling(x: Any, y: Any) -> Iterator[Any]:
    with Doubling(y):
        for v in x:
            yield v * y[0]


def generator_to_its_end(x: Any) -> Any:
    y, s = x.copy(), 0.0
    for v in in_doubling(x, y):
        s += v
    return s * y[0]


def generator_left(x: Any) -> Any:
    y, s = x.copy(), 0.0
    for v in in_doubling(x, y):
        s += v
        break
    return s * y[0]


def generator_asked(x: Any) -> Any:
    y = x.copy()
    return next(in_doubling(x, y)) * y[0]


def test_a_generator_that_is_left_in_a_with() -> None:
    x = np.array([0.7, 1.3])
    assert judge(Cell("end", generator_to_its_end, (x,))).kind == "right"
    for left in (generator_left, generator_asked):
        with pytest.raises(UnsupportedOperationError, match="`with` whose manager does something when Python closes") as caught:
            adxform.grad(left)(x)
        assert caught.value.span is not None


def test_a_manager_that_stops_as_an_iterator_does_is_refused() -> None:
    def f(x):
        @contextlib.contextmanager
        def manager(v):
            if x[0] < 0:
                raise StopIteration  # which is a RuntimeError once it leaves the generator
            yield v

        try:
            with manager(x[1]) as v:
                return v**2
        except RuntimeError:
            return x[0]

    assert judge(Cell("stops", f, (np.array([-0.3, 1.2]),))).kind == "refused"


@contextlib.contextmanager
def doubled(value):
    yield value * 2.0


@contextlib.contextmanager
def in_a_list(value):
    yield [value, 1.0]


class Maker:
    @contextlib.contextmanager
    def doubled(self, value):
        yield value * 2.0


MAKER = Maker()


@contextlib.contextmanager
def forgiving(value):
    try:
        yield value * 2.0
    except ValueError:
        print("forgiven")


@contextlib.contextmanager
def chosen(value):
    if value > 0.0:
        yield value * 2.0
    else:
        yield value


@pytest.mark.parametrize("manager", ["doubled(x[0])", "in_a_list(x[0])", "MAKER.doubled(x[0])", "doubled(float(x[0]))"])
def test_what_a_manager_from_outside_gives_of_what_moves_has_its_derivative(manager: str) -> None:
    text = f"def f(x):\n    with {manager} as y:\n        r = np.sum(y) * x[1]\n    return r\n"
    made = cell.program(text, "f", doubled=doubled, in_a_list=in_a_list, MAKER=MAKER)
    assert judge(Cell(manager, made, (np.array([1.3, 0.7]),))).kind == "right"


@pytest.mark.parametrize("manager", ["forgiving(x[0])", "chosen(x[0])"])
def test_what_a_manager_from_outside_gives_that_cannot_be_cut_is_refused(manager: str) -> None:
    """Nobody looks into it: what it gives would come back without its derivative."""
    text = f"def f(x):\n    with {manager} as y:\n        r = np.sum(y) * x[1]\n    return r\n"
    made = cell.program(text, "f", forgiving=forgiving, chosen=chosen)
    assert made(np.array([1.3, 0.7])) > 0.0
    for mode in (adxform.grad(made), lambda x: adxform.jvp(made, (x,), (x,))):
        with pytest.raises(AdxError):
            mode(np.array([1.3, 0.7]))
