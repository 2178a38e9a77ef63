"""Code of packages that cannot be followed on all its paths: on that of the call at hand, and derived anew for another one."""

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
from adxform.errors import MissingRuleError, UnsupportedOperationError
from adxform.frontend.evaluate.control_flow import first_path
from adxform.ir import packages
from tests.tables.cell import Cell, judge

TEXT = """
import math
import numpy as np


class Fluid:
    # What it has depends on the state, and so does of which kind that is.
    def __init__(self, t, p):
        self.t, self.p = t, p
        if p > 2.0 * t:
            self.roots = [t / p]
            self.phase = "liquid"
            self.slopes = {"v": -t / p**2}
        else:
            self.roots = [t / p + 1.0, 0.3 * t, t * p]
            self.phase = None
            self.slopes = None

    def volume(self):
        if self.phase == "liquid":
            return self.roots[0]
        return self.roots[0] * self.roots[2]

    def slope(self):
        if self.slopes is None:
            raise ValueError("no slope in this state")
        return self.slopes["v"]


def guarded(x):
    y = np.array(x)
    if y.sum() > 100.0:
        y.shape = (y.size, 1)
        return eval("y.T @ y")
    for k in range(len(y)):
        y[k] += y[k - 1] ** 2
    if y[-1] > 0.0:
        found = (y[0], "up")
    else:
        found = [y[0], y[1], "down"]
    return found[0] * y[-1]


def within(rows, x):
    total = 0.0
    for row in rows:
        total = total + (row @ x if row @ x > 0.0 else 0.0)
    if total > 1.0:
        state = {"high": total}
    else:
        state = (total, 2.0 * total)
    return state["high"] if isinstance(state, dict) else state[1]


def tried(x):
    try:
        if x > 1.0:
            part = {"log": math.log(x)}
        else:
            part = [math.log(x), x]
    except ValueError:
        return 0.0 * x
    return part["log"] if isinstance(part, dict) else part[1]


def power(x, least):
    if np.sum(x) > least:
        found = {"square": np.sum(x**2)}
    else:
        found = [np.sum(x**3)]
    return found["square"] if isinstance(found, dict) else found[0]


class Unread:
    def __init__(self, x):
        self.value = eval("x * 2.0")


def case():
    return {"load": np.array([1.0, 2.0, 3.0]), "base": 100.0}


class Settings:
    def __init__(self, count):
        self.gain = np.ones(count)
        self.offset = 0.0

    def apply(self, x):
        return np.sum(self.gain * x) + self.offset


def settings(count):
    return Settings(count)


def long(x, kind):
    total = 0.0
    for name in ("sin", "cos", "tanh", "exp"):
        if kind > 0.5:
            for k in range(20):
                total = total + getattr(np, name)(x * (k + 1.0) / 20.0)
        else:
            for k in range(20):
                total = total * 0.9 + getattr(np, name)(-x * (k + 1.0) / 20.0)
    return total
"""


@pytest.fixture(name="package")
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "fluids_of_a_package.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(packages, "_INSTALLED", (str(tmp_path),))
    yield importlib.import_module("fluids_of_a_package")
    del sys.modules["fluids_of_a_package"]


def is_right(program: Any, *args: Any) -> bool:
    verdict = judge(Cell(getattr(program, "__name__", "program"), program, args))
    assert verdict.kind == "right", verdict.reason
    return True


def test_states_of_several_kinds_are_followed_one_by_one(package: ModuleType) -> None:
    def volume(t: Any, p: Any) -> Any:
        return package.Fluid(t, p).volume() ** 2

    def slope(t: Any, p: Any) -> Any:
        return package.Fluid(t, p).slope() * t

    assert is_right(volume, 0.4, 1.5)
    assert is_right(volume, 1.4, 1.5)
    assert is_right(volume, 0.5, 1.5)
    assert is_right(slope, 0.4, 1.5)
    assert is_right(slope, 1.4, 1.5)  # raises what it raises


def test_memory_that_is_written_on_the_way_decides(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        return package.guarded(x) + x[0]

    for x in ([0.4, -0.2, 1.1], [0.4, -0.2, -1.1], [0.1, 0.2, 0.3]):
        given = np.array(x)
        assert is_right(program, given)
        np.testing.assert_array_equal(given, x)


def test_loops_and_handlers_before_a_branch_decide(package: ModuleType) -> None:
    rows = np.array([[1.0, 0.5], [-0.3, 2.0], [0.2, -1.0]])

    def in_a_loop(x: Any) -> Any:
        return package.within(rows, x) ** 2

    def in_a_try(x: Any) -> Any:
        return package.tried(x) * x

    assert is_right(in_a_loop, np.array([0.4, 0.6]))
    assert is_right(in_a_loop, np.array([0.04, 0.06]))
    for x in (2.0, 0.5, -0.5):
        assert judge(Cell("tried", in_a_try, (x,))).kind in ("right", "refused")


AT, ELSEWHERE = np.array([0.5, 0.9]), np.array([-0.5, -0.9])
PREPARED: dict[str, tuple[Any, Any]] = {
    "gradient": (adxform.prepare_gradient, lambda made: made(ELSEWHERE)),
    "value and gradient": (adxform.prepare_value_and_gradient, lambda made: made(ELSEWHERE)),
    "jvp": (adxform.prepare_jvp, lambda made: made((ELSEWHERE,), (AT,))),
    "vjp": (adxform.prepare_vjp, lambda made: made(ELSEWHERE)[1](1.0)),
    "jacobian": (adxform.prepare_jacobian, lambda made: made(ELSEWHERE)),
    "hessian": (adxform.prepare_hessian, lambda made: made(ELSEWHERE)),
    "hvp": (adxform.prepare_hvp, lambda made: made(ELSEWHERE, AT)),
}


@pytest.mark.parametrize("kind", PREPARED)
def test_a_prepared_derivative_refuses_another_path(package: ModuleType, kind: str) -> None:
    def power(x: Any) -> Any:
        return package.power(x, 0.1)

    prepare, call = PREPARED[kind]
    prepared = prepare(power, AT)
    with pytest.raises(UnsupportedOperationError, match="on the path of the first call alone"):
        call(prepared)


def test_derivatives_of_derivatives_are_of_the_path_that_is_taken(package: ModuleType) -> None:
    def power(x: Any) -> Any:
        return package.power(x, 0.1)

    def steepness(x: Any) -> Any:
        return np.sum(adxform.grad(power)(x) ** 2)

    for x, second in ((AT, 2.0 * np.ones(2)), (ELSEWHERE, 6.0 * ELSEWHERE), (AT, 2.0 * np.ones(2))):
        np.testing.assert_allclose(adxform.hessian(power)(x), np.diag(second))
        np.testing.assert_allclose(adxform.grad(steepness)(x), 2.0 * second * adxform.grad(power)(x))


def test_what_is_made_of_nothing_that_moves_is_followed_where_it_is_changed(package: ModuleType) -> None:
    def by_item(x: Any) -> Any:
        case = package.case()
        case["load"][1] = x
        return np.sum(case["load"] ** 2) / case["base"]

    def by_attribute(x: Any) -> Any:
        found = package.settings(3)
        found.gain = found.gain * x
        found.offset = x**2
        return found.apply(np.arange(3.0))

    assert is_right(by_item, 0.7)
    assert is_right(by_attribute, 0.7)


def test_what_is_long_on_all_paths_is_followed_on_one(package: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_path, "LONG", 500)

    def program(x: Any, kind: Any) -> Any:
        return package.long(x, kind)

    assert is_right(program, 0.3, 0.9)
    assert is_right(program, 0.3, 0.1)


def test_an_error_tells_what_was_refused_in_the_package(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        return package.guarded(x)

    with pytest.raises(MissingRuleError) as caught:
        adxform.grad(program)(np.array([90.0, 90.0]))
    said = str(caught.value)
    assert "no derivative rule for `fluids_of_a_package.guarded`" in said
    assert "code of a package, left to the run" in said
    assert "fluids_of_a_package.py" in said


def test_no_rule_is_asked_for_a_class(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        return package.Unread(x).value

    with pytest.raises(MissingRuleError, match="no derivative rule for `Unread`") as caught:
        adxform.grad(program)(2.0)
    assert "register a rule for that" in caught.value.help
