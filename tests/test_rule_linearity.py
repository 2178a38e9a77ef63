"""Forward mode is the transpose of a pullback that is linear in its cotangent: one that asks how large it is, is refused."""

from __future__ import annotations

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
    for mode in (lambda: adxform.grad(f)(X), lambda: adxform.jvp(f, (X,), (X,)), lambda: adxform.prepare_gradient(f, X)):
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
