"""A rule that writes into memory kept between calls returns the same numbers as the rule that makes its arrays anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adxform.api import rule_of
from adxform.application import Application
from adxform.cut import as_tuple
from adxform.errors import AdxError
from adxform.pipeline import DerivedRule
from adxform.workspace import Pool, reusing
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.test_corpus import is_scalar, quiet


def seeds_of(rule: DerivedRule, call: Application, rng: np.random.Generator) -> list[Any]:
    """Tangents or cotangents in general position."""
    seeds: list[Any] = []
    results = as_tuple(call.entry.rule("primal", (), len(rule.typed.results)).run(*call.inputs()), len(rule.typed.results))
    likes = (
        [call.leaves[i] for i in call.wrt(0)]
        if rule.request.mode == "hvp"
        else [
            value
            for value in results
            if isinstance(value, float | np.floating) or getattr(value, "dtype", np.dtype(int)).kind == "f"
        ]
    )
    for like in likes[: rule.seeds]:
        value = rng.normal(size=np.shape(like))
        seeds.append(value.astype(like.dtype) if isinstance(like, np.ndarray) else type(like)(value))
    return seeds


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize("mode", ["reverse", "hvp"])
@quiet
def test_the_same_numbers_again_and_again(program: Program, mode: str) -> None:
    if mode == "hvp" and not is_scalar(program):
        pytest.skip("no Hessian")
    rng = np.random.default_rng(5)
    point = program.points[0]
    try:
        call, rule = rule_of(program.function, point.fresh(), mode, program.wrt)
    except AdxError as refused:
        pytest.skip(str(refused))
    pool = Pool(reusing(rule.optimised))
    for _ in range(3):
        inputs = call.inputs()
        seeds = seeds_of(rule, call, rng)
        if len(seeds) != rule.seeds:
            pytest.skip("more than one output")
        expected = as_tuple(rule.run(*inputs, *seeds), len(rule.optimised.results))
        with pool.lent([*inputs, *seeds]) as spaces:
            found = as_tuple(pool.rule.run(*inputs, *seeds, *spaces), pool.rule.results)
            for actual, wanted in zip(found, expected, strict=True):
                np.testing.assert_allclose(actual, wanted, rtol=1e-13, atol=1e-13)
                assert np.shape(actual) == np.shape(wanted)
