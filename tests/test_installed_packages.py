"""Code of installed packages: read where a call is given what moves, else left to the run, and where it cannot be read."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from adxform.ir import packages
from tests.tables.cell import Cell, judge

X = np.array([1.0, 2.0])
TEXT = """
import numpy as np
SEEN = []
SCALE = 2.0


def energy(x, order=2):
    if order > 3:
        return x
    return SCALE * np.sum(x**order)


def unreadable(x):
    return eval("x * 2.0")


class Unreadable:
    def __init__(self, x):
        self.x = x

    def value(self):
        return eval("self.x") * 2.0


def weights(n):
    return eval("[0.5] * n")


def note(x):
    SEEN.append(float(x))


ROWS = np.zeros(2)


def kept(x):
    SEEN.append(x[0])
    return unread_back() * x[1]


def unread_back():
    return eval("SEEN")[-1]


def written(x):
    ROWS[:] = x
    return unread_rows() * x[1]


def unread_rows():
    return eval("ROWS").sum()


COUNTED = [2.0]


def count():
    COUNTED[0] = eval("3.0")


def counted(x):
    count()
    return np.sum(x) * COUNTED[0]


def progress(items):
    yield from items


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return self.stiffness * energy(x)

    def width(self):
        return self.stiffness


class Field:
    def __init__(self, many):
        self.many = many

    def value(self, x):
        found = {}
        if self.many:
            found["f"] = np.sum(x[:, 0, 0])
        else:
            self.fill(x, found)
        return found["f"]

    def fill(self, x, found):
        found["f"] = np.prod(x)


SPRINGS = {"soft": Spring(0.5), "hard": Spring(7.0)}


def spring(name):
    return SPRINGS[name]


def made(*, order=2, unreadable=False):
    weights = eval("(1.0, 2.0)") if unreadable else (1.0, 2.0)

    def weighed(x):
        return sum(w * energy(v, order) for w, v in zip(weights, x))

    return weighed


class Table:
    def __init__(self, rows):
        self.rows = eval("list(rows)")

    def width(self):
        return len(self.rows)
"""


@pytest.fixture(name="package")
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "springs_of_a_package.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(packages, "_INSTALLED", (str(tmp_path),))
    yield importlib.import_module("springs_of_a_package")
    del sys.modules["springs_of_a_package"]


def is_right(program: Any, *args: Any) -> bool:
    verdict = judge(Cell(getattr(program, "__name__", "program"), program, args))
    assert verdict.kind == "right", verdict.reason
    return True


def test_functions_and_classes_are_followed(package: ModuleType) -> None:
    def by_function(x: Any) -> Any:
        return package.energy(x) * x[0]

    def by_class(x: Any) -> Any:
        return package.Spring(3.0).energy(x) + package.Spring(x[1]).energy(x)

    spring = package.Spring(1.5)

    def by_object_from_outside(x: Any) -> Any:
        return spring.energy(x)

    def by_map(x: Any) -> Any:
        return sum(map(package.energy, [x, 2.0 * x]))

    assert all(is_right(program, X) for program in (by_function, by_class, by_object_from_outside, by_map, package.energy))


def test_what_cannot_be_read_is_left_to_the_run(package: ModuleType) -> None:
    def beside_what_is_read(x: Any) -> Any:
        total = 0.0
        for v in package.progress(x):
            total = total + v**2
        return total * package.Table((1, 2)).width()

    def alone(x: Any) -> Any:
        return np.sum(x * x) * np.sum(np.array(package.weights(3)))

    assert all(is_right(program, X) for program in (beside_what_is_read, alone))


def test_what_objects_say_is_known_before_a_function_is_left(package: ModuleType) -> None:
    field = package.Field(many=False)

    def program(x: Any) -> Any:
        return field.value(x) * x[0]

    def given(x: Any, many: bool) -> Any:
        return package.Field(many).value(x) * x.sum()

    assert is_right(program, X)
    assert is_right(given, X, False)
    assert is_right(given, np.ones((2, 2, 2)), True)
    field.many = True
    assert is_right(program, np.arange(1.0, 9.0).reshape(2, 2, 2))


def test_what_makes_an_object_that_is_called_with_what_moves_is_read(package: ModuleType) -> None:
    def by_name(x: Any) -> Any:
        return package.spring("soft").energy(x) * x[1]

    def in_two_steps(x: Any) -> Any:
        hard = package.spring("hard")
        weighed = package.made(order=3)
        return hard.energy(weighed(x) * x)

    def beside(x: Any) -> Any:
        return package.made(unreadable=True)((1.0, 2.0)) * np.sum(x**2)

    assert all(is_right(program, X) for program in (by_name, in_two_steps, beside))

    def refused(x: Any) -> Any:
        return package.made(unreadable=True)(x)

    with pytest.raises(MissingRuleError, match="something that only the run knows"):
        adxform.grad(refused)(X)


def test_what_changes_is_read_again(package: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Any) -> Any:
        return package.Spring(1.0).energy(x)

    gradient = adxform.grad(program)
    np.testing.assert_allclose(gradient(X), 4.0 * X)
    monkeypatch.setattr(package, "SCALE", 3.0)
    np.testing.assert_allclose(gradient(X), 6.0 * X)
    monkeypatch.setattr(package, "energy", lambda x: np.sum(x))
    np.testing.assert_allclose(gradient(X), np.ones(2))
    monkeypatch.setattr(package.Spring, "energy", lambda self, x: 5.0 * np.sum(x))
    np.testing.assert_allclose(gradient(X), [5.0, 5.0])


def test_what_it_keeps_is_kept_once(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        package.note(x[0])
        return np.sum(x * x)

    np.testing.assert_allclose(adxform.grad(program)(X), 2.0 * X)
    assert package.SEEN == [1.0]


def test_code_that_cannot_be_read_is_said_to_have_no_rule(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        return package.unreadable(x[0])

    def of_an_object(x: Any) -> Any:
        return package.Unreadable(x[0]).value()

    line, method = (TEXT[: TEXT.index(eval_)].count("\n") + 1 for eval_ in ('eval("x * 2.0")', 'eval("self.x")'))
    for fn, name, at_line in (
        (program, r"springs_of_a_package\.unreadable", line),
        (of_an_object, "Unreadable", method),
    ):
        said = rf"no derivative rule for `{name}`, whose code cannot be read: springs_of_a_package\.py:{at_line}: `eval` is not"
        with pytest.raises(MissingRuleError, match=said):
            adxform.grad(fn)(X)


def test_what_is_left_neither_reads_nor_changes_what_the_rest_of_its_package_has(package: ModuleType) -> None:
    for program in (package.kept, package.written, package.counted):
        verdict = judge(Cell("kept", lambda x, program=program: program(x), (X,)))
        assert verdict.kind == "refused", verdict.reason


def test_a_rule_comes_before_the_code(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        return package.unreadable(x[0]) * x[1]

    @adxform.rule(package.unreadable)
    def _(x: Any) -> Any:
        def pullback(y_ct: Any) -> Any:
            return 2.0 * y_ct

        return 2.0 * x, pullback

    assert is_right(program, X)


def test_what_is_asked_of_an_object_that_nothing_moves_is_derived_once(package: ModuleType) -> None:
    spring = package.Spring(3.0)

    def program(x: Any) -> Any:
        return spring.width() * np.sum(x * x)

    gradient = adxform.grad(program)
    np.testing.assert_allclose(gradient(X), 6.0 * X)
    before = adxform.stats()["rule_builds"]
    np.testing.assert_allclose(gradient(2.0 * X), 12.0 * X)
    assert adxform.stats()["rule_builds"] == before
    spring.stiffness = 4.0
    np.testing.assert_allclose(gradient(X), 8.0 * X)
