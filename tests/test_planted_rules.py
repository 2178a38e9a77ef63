"""Promise: a wrong rule is caught, whichever way it is stated and wrong: five faults, planted one by one.

`check_rule`, the table `primitives` and the audit of memory must say no, each of the right mode and order, and yes to the rule
without the fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.primitives.record import Derivative, General, Partials, Primitive
from adxform.primitives.table import register
from tests.tables.cell import judge
from tests.tables.primitives import cells_of
from tests.test_rules_allocate_nothing import COUNT, audited

X, Y = np.array([[0.3, 0.7, 1.1], [0.2, 0.4, 0.9], [0.6, 0.5, 0.8]]), np.array([0.4, 0.2, 0.5])
FIRST, SECOND = {"forward", "reverse"}, {"forward-over-reverse", "reverse-over-forward", "reverse-over-reverse"}


def planted(name: str, fn: Callable[..., Any], derivative: Derivative | None = None) -> Callable[..., Any]:
    """A function of its own that is `fn`, with a record of this derivative."""

    def made(*args: Any) -> Any:
        return fn(*args)

    made.__name__ = name
    if derivative is not None:
        register(Primitive(made, name, derivative))
    return made


def wrong_modes(fn: Callable[..., Any], *args: Any) -> set[str]:
    """The modes and orders whose cells are wrong."""
    verdicts = [judge(cell) for cell in cells_of("planted", fn, args, ("float64",))]
    assert {verdict.kind for verdict in verdicts} <= {"right", "wrong"}
    return {verdict.cell.name.rpartition(": ")[2] for verdict in verdicts if verdict.kind == "wrong"}


def caught(fn: Callable[..., Any], *args: Any, says: str) -> None:
    with pytest.raises(AssertionError, match=f"(?s){says}"):
        adxform.check_rule(fn, [args])


def test_rules_without_a_fault_pass() -> None:
    fn = planted("product", np.multiply, Partials(lambda z, x, y: (y, x)))
    adxform.check_rule(fn, [(X, Y)])
    assert wrong_modes(fn, X, Y) == set()


class TestSign:
    """A sign is the other one."""

    def test_in_a_record(self) -> None:
        fn = planted("cosine", np.cos, Partials(lambda y, x: np.sin(x)))
        caught(fn, X, says=r"cosine.*forward differs")
        assert wrong_modes(fn, X) == FIRST | SECOND

    def test_in_a_rule_in_one_parameter_alone(self) -> None:
        fn = planted("difference", np.subtract)

        @adxform.rule(fn)
        def _(x: Any, y: Any) -> Any:
            def pullback(ct: Any) -> Any:
                return ct, ct

            return x - y, pullback

        caught(fn, X, X, says=r"difference.*differs")
        cells = list(cells_of("planted", fn, (X, X), ("float64",)))
        assert {cell.name.split(": ")[1] for cell in cells if judge(cell).kind == "wrong"} == {"argument 1"}

    def test_in_a_transpose(self) -> None:
        fn = planted("backwards", lambda x: x[::-1])
        adxform.linear_rule(fn, lambda ct, x: ct)
        caught(fn, X, says=r"backwards.*differs")
        assert wrong_modes(fn, X) >= {"reverse"}  # tangents are what the function makes of them


class TestUnbroadcast:
    """The cotangent of what is broadcast is not summed, or along another axis."""

    def test_not_summed(self) -> None:
        fn = planted("scaled", np.multiply)

        @adxform.rule(fn)
        def _(x: Any, y: Any) -> Any:
            def pullback(ct: Any) -> Any:
                return ct * y, ct * x

            return x * y, pullback

        with pytest.raises(AdxError, match="an array of 2 axes for an array of 1 axis as the cotangent of argument 1") as error:
            adxform.check_rule(fn, [(X, Y)])
        assert error.value.span.line

    def test_summed_along_another_axis(self) -> None:
        def body(x: Any, y: Any) -> Any:
            def pullback(ct: Any) -> Any:
                return ct * y, np.sum(ct * x, axis=1)

            return x * y, pullback

        fn = planted("scaled", np.multiply, General(body))
        caught(fn, X, Y, says=r"scaled.*differs")
        assert wrong_modes(fn, X, Y) >= FIRST


def slope_of_sine(x: Any) -> Any:
    return np.cos(x)


adxform.constant_rule(slope_of_sine)


@pytest.mark.parametrize("slope", [np.cos, slope_of_sine], ids=["stopped", "constant"])
def test_a_rule_that_is_right_at_first_order_alone(slope: Callable[..., Any]) -> None:
    fn = planted("sine", np.sin)

    @adxform.rule(fn)
    def _(x: Any) -> Any:
        c = adxform.stop_gradient(np.cos(x)) if slope is np.cos else slope(x)

        def pullback(ct: Any) -> Any:
            return c * ct

        return np.sin(x), pullback

    adxform.check_rule(fn, [(X,)], second_order=False)
    caught(fn, X, says=r"sine.*hvp differs")
    assert wrong_modes(fn, X) == SECOND


class TestMutatedInput:
    """A rule writes to what is its caller's."""

    def test_the_forward_part_writes_to_its_argument(self) -> None:
        fn = planted("doubled", lambda x: 2.0 * x)

        @adxform.rule(fn)
        def _(x: Any) -> Any:
            x *= 2.0
            return x, lambda ct: 2.0 * ct

        x = X.copy()
        with pytest.raises(AdxError, match="writes to") as error:
            adxform.check_rule(fn, [(x,)])
        assert error.value.span.file == __file__
        np.testing.assert_array_equal(x, X)

    def test_the_pullback_writes_to_its_cotangent(self) -> None:
        fn = planted("doubled", lambda x: 2.0 * x)

        @adxform.rule(fn)
        def _(x: Any) -> Any:
            def pullback(ct: Any) -> Any:
                ct *= 2.0
                return ct

            return 2.0 * x, pullback

        with pytest.raises(AdxError, match="writes to") as error:
            adxform.check_rule(fn, [(X,)])
        assert error.value.span.file == __file__

    def test_by_code_that_nobody_can_look_into(self) -> None:
        fn = planted("total", np.sum)
        shuffle = np.random.default_rng(0).shuffle

        @adxform.rule(fn, boundary=True)
        def _(x: Any) -> Any:
            shuffle(x)
            return np.sum(x), lambda ct: np.full_like(x, ct)

        x = X.copy()
        with pytest.raises(AdxError, match="writes to an argument") as error:
            adxform.grad(lambda x: fn(x))(x)
        assert error.value.span.file == __file__
        np.testing.assert_array_equal(x, X)


def add_into(w: Any, x: Any) -> None:
    """``w += x``, by code that adxform does not look into."""
    np.add(w, x, out=w)


def tidy(w: Any, x: Any) -> Any:
    return w + x, lambda ct: (ct, ct)


def wasteful(w: Any, x: Any) -> Any:
    return w + x, lambda ct: (ct, np.sort(np.concatenate((ct, -np.abs(ct))))[: len(ct)] * 0.0 + ct)


def adding(w: Any, x: Any) -> Any:
    add_into(w, x)
    return np.sum(w * w)


@pytest.mark.parametrize("body", [tidy, wasteful])
def test_a_rule_that_makes_arrays_where_its_function_makes_none(body: Callable[..., Any]) -> None:
    adxform.rule(add_into, writes=(0,), replaces=True)(body)
    args = np.ones(COUNT), np.linspace(-1.0, 1.0, COUNT)
    if body is tidy:
        audited(adding, args, (0, 1))
        return
    with pytest.raises(AssertionError):
        audited(adding, args, (0, 1))
