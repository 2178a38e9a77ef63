"""A rule that writes into memory kept between calls returns the same numbers as the rule that makes its arrays anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adxform.api.source import rule_of
from adxform.backends.python.free_names import Surroundings
from adxform.frontend.derivative_operators import PYTHON
from adxform.runtime.dispatch.application import Application
from adxform.runtime.dispatch.buffered_rules import buffered
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.split import as_tuple
from adxform.runtime.dispatch.workspaces import Pool
from benchmarks.memory import peak_and_kept
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.test_corpus import SCALAR_PROGRAMS, quiet


def seeds_of(rule: DerivedRule, call: Application, rng: np.random.Generator) -> list[Any]:
    """Tangents or cotangents in general position."""
    inputs = call.inputs()
    likes = [inputs[position] for position in rule.request.wrt]
    if rule.request.mode == "reverse":
        primal = call.entry.rule("primal", (), len(rule.typed.results))
        results = as_tuple(primal.run(*inputs), len(rule.typed.results))
        likes = rule.seeded([value for value in results if np.asarray(value).dtype.kind == "f"])
    values = [rng.normal(size=np.shape(like)) for like in likes]
    return [
        value.astype(like.dtype) if isinstance(like, np.ndarray) else type(like)(value)
        for like, value in zip(likes, values, strict=True)
    ]


CASES = [("reverse", program) for program in PROGRAMS] + [("hvp", program) for program in SCALAR_PROGRAMS]


@pytest.mark.parametrize(("mode", "program"), CASES, ids=[f"{mode}-{program.name}" for mode, program in CASES])
@quiet
def test_the_same_numbers_again_and_again(program: Program, mode: str) -> None:
    rng = np.random.default_rng(5)
    point = program.points[0]
    call, rule = rule_of(program.function, point.fresh(), mode, program.wrt)
    pool = Pool(call.entry.buffered(rule))
    for _ in range(3):
        inputs = call.inputs()
        seeds = seeds_of(rule, call, rng)
        assert len(seeds) == rule.seeds
        expected = as_tuple(rule.run(*inputs, *seeds), len(rule.optimised.results))
        if not pool.rule.takes([*inputs, *seeds]):
            pytest.skip("arguments that are not contiguous")
        work = pool.take([*inputs, *seeds])
        for space in work.buffers:
            if isinstance(space, np.ndarray):
                space.fill(np.nan if space.dtype.kind == "f" else 1)
        found = as_tuple(pool.rule.run(*inputs, *seeds, *work.given()), len(pool.rule.homes))
        for actual, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(actual, wanted, rtol=1e-13, atol=1e-13)
            assert np.shape(actual) == np.shape(wanted)
        pool.give_back(work)


def vectorised(x: Any, w: Any) -> Any:
    y = np.sin(x) * w + x**2
    return np.sum(np.where(y > 0.5, y, 0.1 * y)) + np.log(np.sum(np.exp(x - np.max(x))))


def swept(x: Any, w: Any) -> Any:
    y = x.copy()
    for _ in range(3):
        y[1:-1] = y[1:-1] + 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2]) * w[1:-1]
    return np.sum(y**2)


def carried(x: Any, w: Any) -> Any:
    y = x
    for _ in range(4):
        y = np.tanh(y * w) + 0.5 * y
    return np.dot(y, x)


def in_place_product(x: Any, w: Any) -> Any:
    a = np.stack((x, w))
    c = np.zeros((2, 2))
    total = 0.0
    for _ in range(3):
        np.matmul(a, a.T, out=c)
        a *= 0.5
        total += np.sum(c * c)
    return total


def branched(x: Any, w: Any) -> Any:
    y = x * w
    z = np.exp(y) if y[0] > 0 else np.cos(y)
    while z[0] > 0.1:
        z = z * 0.5
    return z.sum()


@pytest.mark.parametrize("function", [vectorised, swept, carried, in_place_product, branched])
@pytest.mark.parametrize("mode", ["reverse", "hvp"])
def test_a_warm_call_makes_no_array(function: Any, mode: str) -> None:
    peaks = [peak_of_warm_call(function, mode, n) for n in (50_000, 400_000)]
    assert abs(peaks[1] - peaks[0]) < 1_000, peaks


def peak_of_warm_call(function: Any, mode: str, n: int) -> int:
    """How many bytes a call has in use at most beside what it found."""
    rng = np.random.default_rng(3)
    x, w, v = rng.normal(size=(3, n))
    call, rule = rule_of(function, (x, w), mode, 0)
    pool = Pool(buffered(rule.optimised, Surroundings(), PYTHON))
    given = [*call.inputs(), *([v] if mode == "hvp" else [1.0])]

    def run() -> None:
        work = pool.take(given)
        pool.rule.run(*given, *work.given())
        pool.give_back(work)

    return peak_and_kept(run)[0]
