"""Forward mode is the transpose of a pullback that is linear in its cotangent: one that asks how large it is, is refused."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError

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


def adds_a_number(x):
    def pullback(ct):
        return (np.cos(x) * ct + 1.0,)

    return np.sin(x), pullback


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
    "body", [gates_by_sign, chooses_by_sign, passes_signs, branches_on_an_element, cuts_in_place, adds_a_number]
)
def test_no_tangent_follows_from_what_depends_on_the_size_of_the_cotangent(body) -> None:
    program = program_with(body)
    assert adxform.grad(program)(X).shape == X.shape  # reverse mode takes it as it is
    with pytest.raises(MissingRuleError, match="not linear in its cotangent"):
        adxform.jvp(program, (X,), (X,))


@pytest.mark.parametrize("body", [fills_zeros, loops_over_its_length, branches_on_the_argument])
def test_what_is_linear_has_the_tangent_of_the_function(body) -> None:
    _, slope = adxform.jvp(program_with(body), (X,), (np.ones(3),))
    np.testing.assert_allclose(slope, np.sum(np.sin(X) + X * np.cos(X)), rtol=1e-12)
