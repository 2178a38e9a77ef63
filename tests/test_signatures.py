"""Every parameter of every primitive is called by a cell of the table of signatures, or refused by name: no rule states it."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.record import General, Linear, Partials
from adxform.primitives.signatures import arranged, form_of, signature_of, stated, taken
from adxform.primitives.table import TABLE, bodies
from tests.tables.signatures import base, options, parameters, primitives, values

Fn = Callable[..., Any]
RULES = [fn for fn in primitives() if fn in TABLE and isinstance(TABLE[fn].derivative, Partials | Linear | General)]


def states(fn: Fn) -> frozenset[str] | None:
    """The parameters that the rule or the definition of `fn` states; ``None``: all."""
    return stated(TABLE[fn]) if fn in TABLE else taken(fn, DEFINITIONS[fn])


@pytest.mark.parametrize("fn", primitives(), ids=name_of)
def test_each_parameter_is_in_the_table_or_refused(fn: Fn) -> None:
    covered = states(fn)
    for parameter in options(fn):
        refused = covered is not None and parameter.name not in covered
        assert values(fn, parameter.name) or refused, f"no cell calls `{name_of(fn)}` with `{parameter.name}`"


def test_a_parameter_that_is_new_is_noticed() -> None:
    def newer(a: Any, axis: Any = None, *, brand_new: Any = None) -> None: ...

    assert [one.name for one in inspect.signature(newer).parameters.values() if values(newer, one.name)] == ["axis"]


@pytest.mark.parametrize("fn", RULES, ids=name_of)
def test_a_rule_names_what_it_takes_as_the_function_does(fn: Fn) -> None:
    lead = 0 if isinstance(TABLE[fn].derivative, General) else 1
    own = list(parameters(fn).values())
    for body in [one for one in bodies(TABLE[fn])[: 1 if lead == 0 else None] if one is not None]:
        given = list(inspect.signature(body).parameters.values())[lead:]
        assert all(one.kind is not one.VAR_KEYWORD for one in given), "it would take what it does not look at"
        if any(one.kind is one.VAR_POSITIONAL for one in given):
            assert any(one.kind is one.VAR_POSITIONAL for one in own)
            continue
        for place, one in enumerate(given):
            needed = place < len(own) and own[place].default is inspect.Parameter.empty
            assert needed or one.name in parameters(fn) or place < len(base(fn)), f"`{one.name}` is no parameter of {name_of(fn)}"


@pytest.mark.parametrize("fn", RULES, ids=name_of)
def test_the_halves_of_a_rule_take_the_same(fn: Fn) -> None:
    derivative = TABLE[fn].derivative
    if isinstance(derivative, Linear):
        every = [taken(fn, body, 1) for body in derivative.transposes.values()]
        assert all(one == other for one, other in itertools.pairwise(every))


def test_calls_in_normal_form() -> None:
    def form(fn: Fn, *args: Any, **kwargs: Any) -> Any:
        covered = states(fn)
        return arranged(fn, args, kwargs, covered, lambda one, value: value is one.default)

    assert form(np.sum, a=1.5) == ((1.5,), {})
    assert form(np.sum, 1.5, None, None, None, True) == ((1.5, None, None), {"keepdims": True})
    assert form(np.max, 1.5, 0, None, True) == ((1.5, 0), {"keepdims": True})
    assert form(np.dot, b=2.5, a=1.5) == ((1.5, 2.5), {})
    assert form(np.add, 1.5, 2.5, 3.5) == ((1.5, 2.5), {"out": 3.5})
    assert form(np.add, 1.5, 2.5, where=True, casting="same_kind") == ((1.5, 2.5), {})
    assert form(np.ndarray.sum, 1.5, 0, None, None, True) == ((1.5, 0, None), {"keepdims": True})
    with pytest.raises(TypeError):
        form(np.sum, 1.5, a=2.5)


def test_signatures_that_are_stated_hold() -> None:
    for fn in (np.add, np.exp, np.ndarray.sum, np.ndarray.clip, np.einsum, np.pad, math.log, math.hypot, np.add.reduce):
        assert signature_of(fn) is not None
    assert form_of(np.pad, 2, ("reflect_type",)) is not None


@pytest.mark.parametrize(
    ("function", "parameter"),
    [
        (lambda x: np.sum(x, None, None, None, False, 2.0), "np.sum` does not cover its parameter `initial`"),
        (lambda x: np.nanquantile(x, 0.3, None, None, False, "lower"), "np.nanquantile` does not cover its parameter `method`"),
        (lambda x: np.interp(x[0], x, x, period=2.0), "np.interp` does not cover its parameter `period`"),
        (lambda x: np.sum(np.exp(x, dtype=np.float64)), "np.exp` does not cover its parameter `dtype`"),
    ],
    ids=["sum", "nanquantile", "interp", "exp"],
)
def test_what_a_rule_does_not_state_is_refused_by_name(function: Fn, parameter: str) -> None:
    for mode in (lambda x: adxform.vjp(function, x), lambda x: adxform.jvp(function, (x,), (x,))):
        with pytest.raises(MissingRuleError, match=parameter) as caught:
            mode(np.array([0.3, 1.2]))
        assert caught.value.span.line
        assert caught.value.help


def test_what_a_rule_does_not_cover_is_refused_in_forward_mode_alone() -> None:
    with pytest.raises(MissingRuleError, match="modes constant, edge"):
        adxform.jvp(lambda x: np.pad(x, 1, mode="maximum"), (np.ones(3),), (np.ones(3),))


def test_a_jacobian_of_what_has_no_rule_is_refused() -> None:
    with pytest.raises(MissingRuleError, match=r"numpy\.i0"):
        adxform.jacobian(lambda x: (np.i0(x), 2.0 * x))(np.ones(3))
    assert adxform.jacobian(lambda x: ("name", np.argmax(x)))(np.ones(3)) == (None, None)
