"""``try`` in a derivative: value, exception and state are those of a plain call, and so is the path that is differentiated.

The table `tries` (`python -m tests.tables tries`) has the product of what raises, where, and what becomes of it.
"""

from __future__ import annotations

import collections
import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError
from tests.tables.cell import Cell, judge


def factor_with_jitter(x: Any) -> Any:
    a = np.outer(x, x)
    jitter = 1e-6
    while True:
        try:
            c = np.linalg.cholesky(a - (1e-4 - jitter) * np.eye(2))
        except np.linalg.LinAlgError:
            jitter *= 10.0
        else:
            return np.sum(c * c) * x[0] + jitter


def written_and_raised(y: Any, i: int) -> Any:
    y[i] *= 2.0
    if y[i] > 3.0:
        raise ValueError(f"{i} is too large")
    return y[i]


def in_place_and_again(x: Any) -> Any:
    y, s = x.copy(), 0.0
    for i in range(len(x)):
        try:
            s += written_and_raised(y, i) * y[i]
        except ValueError:
            s += y[i] ** 3
            if y[i] > 30.0:
                raise
        finally:
            y[i] += 1.0
    return s * np.sum(y)


def methods_of_numbers(x: Any) -> Any:
    s = 0.0
    for v in x:
        try:
            v.item()
            s += v.round(1) + v.clip(0.0, 2.1) * x[0]
            v.item(int(v))
        except IndexError:
            s += v.sum() ** 2
    return s


def looked_up(x: Any) -> Any:
    seen: dict[str, Any] = {}
    s = 0.0
    for key in ("a", "b", "a", "c", "b"):
        try:
            seen[key] = seen[key] * x[0]
        except KeyError:
            seen[key] = x[1]
        s += seen[key] ** 2
    return s


def of_python(x: Any) -> Any:
    total = 0.0
    for value in (x[0], x[1], x[0] - x[0]):
        try:
            total += float(x[1]) / float(value) + math.log(value)
        except (ZeroDivisionError, ValueError) as error:
            total += len(str(error)) * x[0]
        except OverflowError:
            total = 0.0
    return total


def to_the_end(x: Any) -> Any:
    k, s = 0, 0.0
    while True:
        try:
            s += x[k] ** 2
            k += 1
        except IndexError:
            return s * s


def suppressed(x: Any) -> Any:
    s = x[0] * x[1]
    with contextlib.suppress(KeyError, IndexError):
        s *= x[0]
        s += x[5]
        s += 100.0
    return s


class Counted:
    def __init__(self) -> None:
        self.weight = 1.0

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        self.weight += 1.0
        return True


def swallowed(x: Any) -> Any:
    s = x[1]
    with Counted() as counted:
        s = s * x[0] / x[1]
        s *= np.linalg.solve(np.outer(x, x), x)[0]
    return s * counted.weight


def of_floats(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        try:
            with np.errstate(divide="raise"):
                s += np.log(x[i] - 0.5)
        except FloatingPointError:
            s += x[i] * 5.0
    return s


def left_by_finally(x: Any) -> Any:
    s = 0.0
    for i in range(4):
        try:
            s += x[i] * x[0]
        finally:
            s *= 2.0
            if i == 2:
                break  # noqa: B012 - as programs do it
    return s


def validated(x: Any) -> Any:
    def checked(x: Any) -> Any:
        try:
            assert np.all(x > 0.6), "out of range"
            return np.log(x)
        except AssertionError as error:
            raise ValueError("not positive") from error

    try:
        try:
            return np.sum(checked(x))
        finally:
            x = x * 2.0
    except ValueError as error:
        return np.sum(x**2) * len(error.args)


PROGRAMS = (
    *(
        factor_with_jitter,
        in_place_and_again,
        methods_of_numbers,
        looked_up,
        of_python,
        to_the_end,
        suppressed,
        swallowed,
        of_floats,
    ),
    *(left_by_finally, validated),
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("x", [[1.2, 0.7], [0.5, 2.0], [20.0, 1.0]], ids=str)
def test_a_program_is_right(program: Callable[..., Any], x: list[float]) -> None:
    verdict = judge(Cell(program.__name__, program, (np.array(x),)))
    assert verdict.kind == "right", verdict.reason


def once(x: Any) -> Any:
    try:
        c = np.linalg.cholesky(np.diag(x))
        print("factored")
    except np.linalg.LinAlgError:
        return 0.0
    return np.sum(c)


def test_a_call_is_made_once_in_a_try_of_the_generated_source(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([1.0, 4.0])
    source = adxform.source(once, x)
    assert "    try:" in source
    assert source.count("np.linalg.cholesky(") == 1
    assert adxform.value_and_grad(once)(x)[0] == 3.0
    assert capsys.readouterr().out == "factored\n"
    assert adxform.value_and_grad(once)(-x)[0] == 0.0
    assert not capsys.readouterr().out
    assert adxform.value_and_grad(once, engine="numba")(x)[0] == 3.0


def negative_power(x: Any) -> Any:
    try:
        return (-x) ** x
    except Exception:
        return 0.0 * x


def test_what_adxform_refuses_at_run_time_no_handler_of_the_program_catches() -> None:
    with pytest.raises(AdxError):
        adxform.grad(negative_power)(1.5)


def said(x: Any) -> Any:
    try:
        raise ValueError(x * 2.0)
    except ValueError as error:
        return error.args[0] * x


def test_what_an_exception_holds_has_no_derivative() -> None:
    with pytest.raises(MissingRuleError, match="ValueError"):
        adxform.grad(said)(1.5)


def test_only_what_a_handler_is_for_is_looked_for() -> None:
    def plain(x: Any) -> Any:
        try:
            return np.sum(x[0] * x)
        except KeyError:
            return 0.0

    assert "raised" not in adxform.source(plain, np.ones(2))


def bounded_queue(x: Any) -> Any:
    last = collections.deque([x[0]], maxlen=2)
    try:
        last.extend(math.sqrt(v) for v in x)
    except ValueError:
        last.append(x[1])
    return sum(last)


def dict_updated(x: Any) -> Any:
    found = {9: x[0]}
    try:
        found.update((k, math.sqrt(v)) for k, v in enumerate(x))
    except ValueError:
        found[9] = x[1]
    return sum(found.values())


@pytest.mark.parametrize("program", [bounded_queue, dict_updated])
def test_what_takes_a_part_of_an_iterator_that_raises_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(AdxError, match="those before an exception would stay in it") as caught:
        adxform.grad(program)(np.array([0.7, -1.3, 1.9]))
    assert caught.value.span is not None
