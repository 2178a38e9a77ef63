"""Forward mode is the transpose of a pullback that is linear in its cotangent: one that asks how large it is, is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from tests.tables.cell import program
from tests.tables.rules import FORWARD_WRITES, MODES, forward_text

X = np.array([0.31, 0.73, 1.2])


def gates_by_sign(x):
    def pullback(ct):
        return (ct * (ct > 0) * np.cos(x),)

    return np.sin(x), pullback


def chooses_by_sign(x):
    def pullback(ct):
        return (np.where(ct > 0, ct, 0.0) * np.cos(x),)

    return np.sin(x), pullback


def passes_signs(x):
    def pullback(ct):
        return (np.sign(ct) * np.cos(x),)

    return np.sin(x), pullback


def branches_on_an_element(x):
    def pullback(ct):
        found = np.cos(x) * ct
        found[0] = 0.0 if ct[0] > 0 else found[0]
        return (found,)

    return np.sin(x), pullback


def cuts_in_place(x):
    def pullback(ct):
        found = np.cos(x) * ct
        found[found > 1.0] = 1.0
        return (found,)

    return np.sin(x), pullback


def cuts_in_a_branch(x):
    def pullback(ct):
        found = np.cos(x) * ct
        if np.max(ct) > 1.0:
            found[:2] = 1.0
        return (found,)

    return np.sin(x), pullback


def passes_squares_on(x):
    def pullback(ct):
        return (squared(ct) * np.cos(x),)

    return np.sin(x), pullback


def divides_by_its_length(x):
    def pullback(ct):
        return (ct / np.linalg.norm(ct) * np.cos(x),)

    return np.sin(x), pullback


def squared(v):
    return v * v


@adxform.rule(squared)
def squared_rule(v):
    def pullback(ct):
        return (2.0 * ct * v,)

    return squared(v), pullback


def forth(v):
    return v[::-1] * 2.0


def back(v):
    return 2.0 * v[::-1]


@adxform.rule(forth)
def forth_rule(v):
    return forth(v), lambda ct: (back(ct),)


@adxform.rule(back)
def back_rule(v):
    return back(v), lambda ct: (forth(ct),)


def passes_on_what_has_a_rule(x):
    def pullback(ct):
        return (0.25 * forth(back(ct)) * np.cos(x),)

    return np.sin(x), pullback


SHIFTED = {
    "a number": ("0.0", "np.cos(x) * ct + 1.0"),
    "an array": ("np.cos(x)", "ct * 2.0 + c"),
    "an array less": ("np.cos(x)", "ct - c"),
    "an array in some places": ("np.cos(x)", "np.where(x > 0.5, ct, c)"),
    "an array in the others": ("np.cos(x)", "np.concatenate((ct[:1], c[1:]))"),
    "an array alone": ("np.cos(x)", "c * 1.0"),
    "a number on a path": ("np.cos(x)", "ct if x[0] > 5.0 else c"),
    "what is filled in": ("np.cos(x)", "np.pad(ct[1:], (1, 0), constant_values=2.0)"),
    "what a copy holds": ("np.cos(x)", "filled(c.copy(), ct)"),
    "what a sum begins with": ("1.0", "added(c, ct) * np.ones(3)"),
}


def filled(found, ct):
    found[1:] = ct[1:]
    return found


def added(total, ct):
    for v in ct:
        total += v
    return total


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("name", SHIFTED)
def test_zero_has_no_derivative(name: str, boundary: bool) -> None:
    before, returned = SHIFTED[name]
    text = f"""
def wave(x):
    return np.sin(x)
def wave_rule(x):
    c = {before}
    def pullback(ct):
        return ({returned},)
    return np.sin(x), pullback
adxform.rule(wave, boundary=boundary)(wave_rule)
def f(x):
    return np.sum(wave(x) * x)
"""
    f = program(text, adxform=adxform, boundary=boundary, filled=filled, added=added)
    for mode in (lambda: adxform.grad(f)(X), lambda: adxform.jvp(f, (X,), (X,)), lambda: adxform.prepare_gradient(f, X)(X)):
        with pytest.raises(MissingRuleError, match=r"of the rule `wave_rule` .* zero would have a derivative") as caught:
            mode()
        assert caught.value.span.line == 11


def fills_zeros(x):
    def pullback(ct):
        found = np.zeros(3)
        found[:] = ct * np.cos(x)
        return (found,)

    return np.sin(x), pullback


def loops_over_its_length(x):
    def pullback(ct):
        found, ones = np.zeros_like(ct), np.ones_like(ct)
        for i in range(len(ct)):
            found[i] += ct[i] * np.cos(x[i]) * ones[i]
        return (found,)

    return np.sin(x), pullback


def branches_on_the_argument(x):
    mask = x > 0.5

    def pullback(ct):
        found = np.where(mask, ct, 0.0) * np.cos(x)
        found[~mask] = ct[~mask] * np.cos(x)[~mask]
        return (np.reshape(found, ct.shape).astype(ct.dtype),)

    return np.sin(x), pullback


def program_with(body):
    def wave(x):
        return np.sin(x)

    adxform.rule(wave)(body)
    return lambda x: np.sum(wave(x) * x)


@pytest.mark.parametrize(
    "body",
    [
        gates_by_sign,
        chooses_by_sign,
        passes_signs,
        branches_on_an_element,
        cuts_in_place,
        cuts_in_a_branch,
        passes_squares_on,
        divides_by_its_length,
    ],
)
def test_no_tangent_follows_from_what_depends_on_the_size_of_the_cotangent(body) -> None:
    program = program_with(body)
    assert adxform.grad(program)(X).shape == X.shape  # reverse mode takes it as it is
    with pytest.raises(MissingRuleError, match="not linear in its cotangent"):
        adxform.jvp(program, (X,), (X,))


@pytest.mark.parametrize("body", [fills_zeros, loops_over_its_length, branches_on_the_argument, passes_on_what_has_a_rule])
def test_what_is_linear_has_the_tangent_of_the_function(body) -> None:
    _, slope = adxform.jvp(program_with(body), (X,), (np.ones(3),))
    np.testing.assert_allclose(slope, np.sum(np.sin(X) + X * np.cos(X)), rtol=1e-12)


def rule_that(returned: str, before: str = "", boundary: bool = False, forward: str = "m = x > 0.5"):
    """A program of a function with a rule, whose pullback comes with it."""
    lines = "\n        ".join(before.split("; "))
    text = f"""
def wave(x):
    return np.sin(x)
def wave_rule(x):
    {forward}
    def pullback(ct):
        {lines or "pass"}
        return ({returned},)
    return np.sin(x), pullback
adxform.rule(wave, boundary=boundary)(wave_rule)
def f(x):
    return np.sum(wave(x) * x)
"""
    f = program(text, adxform=adxform, boundary=boundary, math=math)
    return f, f.__globals__["wave_rule"]


CLIPS = {
    "where it is large": "np.where(ct > 1.0, 1.0, ct)",
    "where it is large, an array": "np.where(ct > 1.0, np.full(3, 1.0), ct)",
    "on both sides": "np.where(np.abs(ct) > 1.0, np.where(ct > 0, 1.0, -1.0), ct)",
    "where it is undefined": "np.where(np.isnan(ct), 1.0, ct)",
    "by a list of cases": "np.select([ct > 1.0, ct < -1.0], [1.0, -1.0], ct)",
    "to its sign": "np.where(ct > 0, 1.0, 0.0)",
    "by a matrix made of it": "np.linalg.solve(np.diag(ct) + np.eye(3), x) * ct",
    "by a matrix made of it alone": "np.linalg.solve(np.diag(ct), x)",
}
UNRULED = {"by counting": "np.bincount(np.array([0, 0, 2]), weights=ct, minlength=3)"}
NOTHING_MORE = {"an array less itself": "ct * 2.0 + (x - x)"}
FILLED_LATER = {
    "element by element": "g = np.ones_like(x); for i in range(len(x)): g[i] = 2.0 * ct[i]",
    "a copy element by element": "g = x.copy(); for i in range(x.shape[0]): g[i] = np.sum(ct[i:])",
    "what was computed": "g = x * 0.5; for i, c in enumerate(ct): g[i] = 2.0 * c",
    "a slice of all": "g = x.copy(); g[0:3] = ct * 2.0",
    "two slices": "g = np.full(3, np.nan); g[0] = ct[0]; g[1:] = 2.0 * ct[1:]",
    "by a mask and its opposite": "g = x.copy(); g[m] = ct[m]; g[~m] = -ct[~m]",
    "with what is clipped": "g = x.copy(); for i in range(3): g[i] = min(ct[i], 1.0)",
    "by a number on the path not taken": "g = ct + (0.0 if x.size > 0 else 1.0)",
    "by a path not taken": "g = ct * 2.0 if x[0] < 5.0 else x",
    "by what cancels": "g = ct + (x - x * 1.0)",
    "by what a function makes of zeros": "g = ct + np.abs(np.zeros(3))",
    "where the mask is everywhere": "g = np.where(x < 5.0, ct, x)",
}
LEFT = {
    "an element": "g = x.copy(); g[1:] = ct[1:]",
    "elements of a loop": "g = x.copy(); for i in range(1, len(x)): g[i] = ct[i]",
    "elements outside of a mask": "g = np.ones(3); g[m] = ct[m]",
    "a number on a path": "g = ct + (1.0 if x.size > 0 else 0.0)",
    "a path": "g = ct if x[0] > 5.0 else x",
    "an element filled in": "g = ct.copy(); g[0] = 1.0",
}
LINEAR_OF_ITS_OWN = [
    "np.convolve(ct, np.array([1.0, 2.0]))[:3]",
    "np.full(3, np.average(ct))",
    "np.full(3, np.average(ct, weights=x))",
    "np.average(np.stack([ct, 3.0 * ct]), axis=0)",
    "np.full(3, np.trapezoid(ct)) if hasattr(np, 'trapezoid') else ct",
    "np.full(3, np.vecdot(ct, x)) if hasattr(np, 'vecdot') else ct",
    "np.full(3, np.polyval(ct, 2.0))",
    "np.interp(np.array([0.5, 1.5, 2.0]), np.arange(3.0), ct)",
    "np.full(3, np.nansum(ct))",
    "np.full(3, np.nanmean(ct))",
    "np.full(3, math.fsum(ct))",
    "np.gradient(ct)",
]


def expected(rule):
    """The gradient as the plain pullback tells it."""
    return np.sin(X) + rule(X)[1](X.copy())[0]


@pytest.mark.parametrize("returned", [*CLIPS.values(), *UNRULED.values(), *NOTHING_MORE.values()])
def test_reverse_mode_takes_a_pullback_that_moves_as_it_is(returned: str) -> None:
    f, rule = rule_that(returned)
    np.testing.assert_allclose(adxform.grad(f)(X), expected(rule), rtol=1e-12)


@pytest.mark.parametrize("name", CLIPS)
def test_no_tangent_follows_from_what_is_clipped_by_the_cotangent(name: str) -> None:
    with pytest.raises(MissingRuleError, match="not linear in its cotangent"):
        adxform.jvp(rule_that(CLIPS[name])[0], (X,), (X,))


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("name", FILLED_LATER)
def test_what_an_array_held_before_it_was_filled_says_nothing(name: str, boundary: bool) -> None:
    f, rule = rule_that("g", FILLED_LATER[name], boundary)
    np.testing.assert_allclose(adxform.grad(f)(X), expected(rule), rtol=1e-12)
    np.testing.assert_allclose(adxform.prepare_gradient(f, X)(X), expected(rule), rtol=1e-12)
    with pytest.raises(MissingRuleError, match=r"may add to its cotangent|not linear"):
        adxform.jvp(f, (X,), (X,))


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_of_what_an_array_held_is_found_by_the_call(name: str, boundary: bool) -> None:
    f, _ = rule_that("g", LEFT[name], boundary)
    for mode in (lambda: adxform.grad(f)(X), lambda: adxform.prepare_gradient(f, X)(X)):
        with pytest.raises(
            MissingRuleError, match=r"of the rule `wave_rule` .* adds to its cotangent .* zero would have"
        ) as caught:
            mode()
        assert caught.value.span.line == 12 + LEFT[name].count("; ")


def test_what_may_not_end_for_zero_is_refused_where_it_may_add_something() -> None:
    f, _ = rule_that("g", "g = x.copy(); c = ct * 1.0; g[0:3] = ct\n        while np.max(c) < 2.0:\n            c = c * 2.0")
    with pytest.raises(MissingRuleError, match="may add to its cotangent"):
        adxform.grad(f)(X)


def test_what_is_filled_by_a_function_without_a_rule_is_taken() -> None:
    f, rule = rule_that("g", "g = x.copy(); g[0:3] = np.correlate(ct, np.ones(1), 'same')")
    np.testing.assert_allclose(adxform.grad(f)(X), expected(rule), rtol=1e-12)


def test_what_is_filled_later_has_second_derivatives() -> None:
    f, _ = rule_that("g", "g = x.copy(); c = np.cos(x); for i in range(len(x)): g[i] = c[i] * ct[i]")
    np.testing.assert_allclose(adxform.hvp(f)(X, np.ones(3)), 2.0 * np.cos(X) - X * np.sin(X), rtol=1e-12)


@pytest.mark.parametrize("returned", LINEAR_OF_ITS_OWN)
def test_functions_that_are_linear_have_a_tangent_in_a_pullback(returned: str) -> None:
    f, rule = rule_that(returned)
    along = np.array([0.3, -1.1, 0.7])
    _, slope = adxform.jvp(f, (X,), (along,))
    np.testing.assert_allclose(slope, expected(rule) @ along, rtol=1e-12)


def test_a_tangent_leaves_the_arguments_as_they_are() -> None:
    def wave(x):
        return np.sin(x)

    def tangent(y, args, args_t):
        (x,) = args
        x *= 2.0
        return args_t[0] * y

    @adxform.rule(wave, tangent=tangent)
    def wave_rule(x):
        return np.sin(x), lambda ct: (ct * np.cos(x),)

    with pytest.raises(MissingRuleError, match=r"the tangent of the rule .*wave_rule.* writes to an argument"):
        adxform.jvp(lambda x: np.sum(wave(x)), (X,), (X,))


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("name", [name for name in FORWARD_WRITES if "nothing is known" not in name and name != "a copy"])
def test_the_forward_part_leaves_the_arguments_as_they_are(name: str, boundary: bool) -> None:
    f = program(forward_text(FORWARD_WRITES[name]), adxform=adxform, boundary=boundary)
    for mode in MODES.values():
        with pytest.raises(MissingRuleError, match="the forward part of the rule `wave_rule`"):
            mode(f, X)
