"""What users see when something fails: their frames, all refusals of a function at once, and that a defect is a defect."""

from __future__ import annotations

import functools
import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import stats
from scipy.special import zeta, zetac

import adxform
from adxform.errors import (
    AdxError,
    ArgnumsError,
    InternalError,
    MissingRuleError,
    PreparationMismatchError,
    UnsupportedSyntaxError,
    VerificationError,
)
from adxform.runtime import cache
from adxform.runtime.dispatch import derivation

OWN = str(Path(adxform.__file__).parent)
X = np.array([1.5, 2.5, 3.5])


@pytest.fixture(autouse=True)
def _shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_TRACEBACK")


def raised(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    pytest.fail("nothing was raised")


def own_frames(error: BaseException) -> list[str]:
    found = []
    chain: BaseException | None = error
    while chain is not None:
        found += [f"{f.name}:{f.lineno}" for f in traceback.extract_tb(chain.__traceback__) if f.filename.startswith(OWN)]
        chain = chain.__cause__ or chain.__context__
    return found


def out_of_bounds(x):
    s = 0.0
    for i in range(5):
        s += x[i] ** 2
    return s


def unruled(x):
    return np.sum(zeta(x, 2.0) * x)


def users_own(x):
    if x[0] > 0.0:
        raise LookupError("the user's")
    return np.sum(x)


ENTRIES: list[Callable[[Callable[..., Any]], Any]] = [
    lambda f: adxform.grad(f)(X),
    lambda f: adxform.value_and_grad(f)(X),
    lambda f: adxform.jvp(f, (X,), (X,)),
    lambda f: adxform.vjp(f, X)[1](1.0),
    lambda f: adxform.hvp(f)(X, X),
    lambda f: adxform.hessian(f)(X),
    lambda f: adxform.jacobian(f)(X),
    lambda f: adxform.prepare_gradient(f, X)(X),
    lambda f: adxform.prepare_hvp(f, X)(X, X),
    lambda f: adxform.prepare_jacobian(f, X)(X),
]


@pytest.mark.parametrize("entry", range(len(ENTRIES)))
@pytest.mark.parametrize("f", [out_of_bounds, unruled, users_own])
def test_a_traceback_shows_the_users_frames(f: Callable[..., Any], entry: int) -> None:
    error = raised(lambda: ENTRIES[entry](f))
    assert len(own_frames(error)) <= 4, own_frames(error)
    if not isinstance(error, AdxError):
        assert any("<adxform" in f.filename for f in traceback.extract_tb(error.__traceback__))
    else:
        assert own_frames(error) == []
    assert any(f.filename == __file__ for f in traceback.extract_tb(error.__traceback__))


def test_refusals_of_arguments_are_short_too() -> None:
    prepared = adxform.prepare_gradient(np_sum, X)
    for call, cls in (
        (lambda: adxform.grad(np_sum, 3)(X), ArgnumsError),
        (lambda: prepared(X[:, None]), PreparationMismatchError),
        (lambda: adxform.explain(unruled, X), MissingRuleError),
    ):
        error = raised(call)
        assert type(error) is cls
        assert len(own_frames(error)) <= 2, own_frames(error)


def np_sum(x):
    return np.sum(x)


def squares(x):
    return x**2


class Outside:
    @adxform.differentiable
    def loss(self, x):
        return np.sum(x[7] ** 2)


@adxform.differentiable
def outside(x):
    return np.sum(x[7] ** 2)


WIDE = np.ones((2, 2))
ENTRANCES: list[Callable[[], Any]] = [
    lambda: adxform.grad(np_sum, 3)(X),
    lambda: adxform.value_and_grad(np_sum, 3)(X),
    lambda: adxform.hvp(np_sum, 3)(X, X),
    lambda: adxform.hessian(np_sum, 3)(X),
    lambda: adxform.jacobian(np_sum, 3)(X),
    lambda: adxform.jvp(np_sum, (X,), (WIDE,)),
    lambda: adxform.vjp(np_sum, X)[1](WIDE),
    lambda: adxform.source(unruled, X),
    lambda: adxform.explain(unruled, X),
    lambda: adxform.check_derivatives(unruled, X),
    lambda: adxform.check_rule(np_sum, (X,)),
    lambda: adxform.prepare_gradient(unruled, X),
    lambda: adxform.prepare_gradient(np_sum, X)(WIDE),
    lambda: adxform.prepare_gradient(np_sum, X).value_and_gradient(WIDE),
    lambda: adxform.prepare_gradient(np_sum, X).check(WIDE),
    lambda: adxform.prepare_value_and_gradient(np_sum, X)(WIDE),
    lambda: adxform.prepare_jvp(np_sum, (X,), (X,))((WIDE,), (X,)),
    lambda: adxform.prepare_jvp(np_sum, (X,), (X,)).tangent((WIDE,), (X,)),
    lambda: adxform.prepare_vjp(np_sum, X)(WIDE),
    lambda: adxform.prepare_vjp(np_sum, X).cotangents((WIDE,), 1.0),
    lambda: adxform.prepare_hvp(np_sum, X)(WIDE, X),
    lambda: adxform.prepare_hvp(np_sum, X).gradient_and_hvp(WIDE, X),
    lambda: adxform.prepare_hvp_same_point(np_sum, X)(WIDE),
    lambda: adxform.prepare_hessian(np_sum, X)(WIDE),
    lambda: adxform.prepare_hessian(np_sum, X, sparse=True)(WIDE),
    lambda: adxform.prepare_jacobian(squares, X)(WIDE),
    lambda: adxform.prepare_jacobian(squares, X, sparse=True)(WIDE),
    lambda: adxform.prepare_derivative(squares, 1.0)(WIDE),
    lambda: adxform.prepare_second_derivative(squares, 1.0)(WIDE),
    lambda: outside(X),
    lambda: outside.grad(X),
    lambda: outside.value_and_grad(X),
    lambda: outside.jvp((X,), (X,)),
    lambda: outside.vjp(X),
    lambda: outside.hvp(X, X),
    lambda: outside.hessian(X),
    lambda: outside.jacobian(X),
    lambda: outside.source(X, mode="backward"),
    lambda: Outside().loss(X),
    lambda: Outside().loss.grad(X),
    lambda: adxform.grad(Outside().loss)(X),
]


@pytest.mark.parametrize("entrance", range(len(ENTRANCES)))
def test_no_entrance_shows_a_frame_of_adxform(entrance: int) -> None:
    error = raised(ENTRANCES[entrance])
    assert own_frames(error) == []


def test_a_switch_shows_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_TRACEBACK", "full")
    assert len(own_frames(raised(lambda: adxform.grad(unruled)(X)))) > 10


# -- all refusals at once -----------------------------------------------------------------------------------------------


def test_functions_without_a_rule_are_told_together() -> None:
    def two(x):
        a = zetac(x)
        b = np.linalg.eigvals(np.outer(x, x))
        return np.sum(a) + np.sum(b * 2.0)

    error = raised(lambda: adxform.grad(two)(X))
    assert isinstance(error, MissingRuleError)
    (other,) = error.also
    assert "zeta" in error.message
    assert "eigvals" in other.message
    assert other.span.line == error.span.line + 1
    assert str(error).count("error[ADX201]") == 2
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.also[0].span == other.span


def test_statements_that_are_not_supported_are_told_together() -> None:
    def three(x):
        try:
            x = x * 2.0
        except* ValueError:
            x = x + 1.0
        y = [any((last := v) > 1.0 for v in x)]

        async def inner():
            pass

        return np.sum(x) + y[0] + last

    error = raised(lambda: adxform.grad(three)(X))
    assert isinstance(error, UnsupportedSyntaxError)
    lines = [each.span.line - error.span.line for each in (error, *error.also)]
    assert lines == [0, 4, 6]
    assert all(f"{each.span.file}:{each.span.line}:" in str(error) for each in error.also)
    shown = "".join(traceback.format_exception_only(error))
    assert str(error) in shown  # for a `SyntaxError`, Python shows another text unless told


# -- messages that led astray -------------------------------------------------------------------------------------------


@functools.lru_cache
def cached(x):
    return x * 2.0


from_python = np.frompyfunc(lambda t: t * t, 1, 1)
frozen = stats.nct(3.0, 0.2)


@pytest.mark.parametrize(
    ("f", "message", "way"),
    [
        (lambda x: np.sum(from_python(x)), "`np.frompyfunc`", "in a loop"),
        (lambda x: cached(x[0]) * x[1], "a cache, here of `cached`", "`__wrapped__`"),
        (lambda x: np.sum(frozen.logpdf(x)), "`logpdf` of a distribution", "formula"),
        (lambda x: np.sum(stats.nct(3.0, 0.2).logpdf(x)), "`logpdf` of a distribution", "register a rule for the method"),
        (lambda x: np.sum(Polynomial.basis(2)(x)), "a call of something that only the run knows", "outside of the function"),
    ],
)
def test_what_no_rule_can_be_registered_for_gets_advice_that_can_be_followed(
    f: Callable[..., Any], message: str, way: str
) -> None:
    error = raised(lambda: adxform.grad(f)(X))
    assert isinstance(error, MissingRuleError)
    assert message in error.message
    assert way in error.help
    assert "adxform.rule(" not in error.help
    assert not error.also


def appended(x):
    out = []
    for i in range(len(x)):
        out.append(zeta(x[i], 2.0))
    return sum(out)


def appended_while(x):
    out = []
    while len(out) < x[0] * 2.0:
        out.append(zeta(x[0], 2.0))
    return sum(out)


@pytest.mark.parametrize("f", [appended, appended_while])
def test_a_function_without_a_rule_is_named_where_a_loop_lists_what_it_returns(f: Callable[..., Any]) -> None:
    error = raised(lambda: adxform.grad(f)(X))
    assert isinstance(error, MissingRuleError)
    assert "zeta" in error.message
    assert error.span.line == f.__code__.co_firstlineno + 3


def test_values_without_a_name_are_not_called_tmp() -> None:
    error = raised(lambda: adxform.grad(lambda x: zeta(x[0] * 2.0, 2.0))(X))
    assert "`tmp`" not in str(error)


# -- defects ------------------------------------------------------------------------------------------------------------


def polynomial(x):
    return np.sum(x**3)


FAILURES = {"lookup": "{}['s']", "assertion": "check(False)", "verification": "fail(VerificationError('an op reads nothing'))"}


def in_package(text: str) -> Callable[..., Any]:
    """A stage of the pipeline that fails in a line of the package's own."""
    namespace: dict[str, Any] = {"VerificationError": VerificationError}
    lines = f"def fail(error):\n    raise error\ndef check(c):\n    assert c\ndef stage(*_, **__):\n    return {text}\n"
    exec(compile(lines, f"{OWN}/stage.py", "exec"), namespace)
    stage: Callable[..., Any] = namespace["stage"]
    return stage


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("stage", ["transform", "specialize"])
def test_a_defect_says_that_it_is_one_and_saves_a_reproducer(
    stage: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derivation if stage == "transform" else cache, stage, in_package(FAILURES[failure]))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    adxform.clear_cache()
    error = raised(lambda: adxform.grad(polynomial)(X))
    assert isinstance(error, InternalError)
    assert "defect in adxform" in error.message
    assert error.span.file == __file__
    (saved,) = tmp_path.glob("adxform-defect-*.txt")
    assert str(saved) in error.help
    text = saved.read_text()
    assert "np.sum(x**3)" in text
    assert "Traceback" in text
    assert adxform.__version__ in text
    assert ("def polynomial(x: f64[x.0])" in text) == (stage == "transform")
    assert ("Signature(" in text) == (stage == "specialize")
    assert saved.stat().st_mode & 0o077 == 0
    adxform.clear_cache()


def test_errors_of_the_users_code_are_no_defects() -> None:
    class Odd:
        @property
        def rate(self) -> float:
            raise LookupError("the user's")

    odd = Odd()

    def f(x):
        return odd.rate * x

    for call in (lambda: adxform.grad(f)(2.0), lambda: adxform.hvp(polynomial)(X), lambda: adxform.grad(3)(X)):
        assert not isinstance(raised(call), InternalError)


# -- kinks --------------------------------------------------------------------------------------------------------------


def kinked(x):
    return np.sum(np.where(x >= 0.0, 3.0 * x, x))


def jumping(x):
    return np.sum(np.where(x >= 0.0, 3.0 * x, x - 1.0))


def test_a_check_names_a_kink() -> None:
    at = np.array([0.0, 1.0])
    notes = {check.name: check.note for check in adxform.check_derivatives(kinked, at)}
    assert "a kink: the slope is 1 on one side and 3 on the other, the derivative 3" in notes["forward"]
    assert "a kink" in notes["reverse"]
    assert "a jump" in next(check.note for check in adxform.check_derivatives(jumping, at) if check.name == "forward")
    bent = {check.name: check for check in adxform.check_derivatives(lambda x: np.sum(np.abs(x)), at)}
    assert not bent["hvp"].ok
    assert "the gradient is another on one side" in bent["hvp"].note
    assert not any(check.note for check in adxform.check_derivatives(kinked, at + 0.5))


@dataclass
class Settings:
    scale: float


def test_an_attribute_beside_the_fields_of_an_argument_gets_advice_that_can_be_followed() -> None:
    settings = Settings(2.0)
    settings.offset = 1.0  # type: ignore[attr-defined]
    error = raised(lambda: adxform.grad(lambda s, x: np.sum(s.offset * x), argnums=1)(settings, X))
    assert "`offset` is an attribute of a Settings beside its fields" in error.message
    assert "make it a field of Settings" in error.help


def test_an_operator_in_place_is_called_as_it_is_written() -> None:
    price = Decimal(2)

    def raises(x):
        y = x * 1.0
        y **= price
        return np.sum(y)

    assert "is given to `**=` of an array" in raised(lambda: adxform.grad(raises)(X)).message
