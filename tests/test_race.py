"""The race.

Derivatives written by hand against differences of the user's function, and adxform's against them. No peer is needed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.race import report, vector_math
from benchmarks.race.contenders import (
    CONTENDERS,
    DIFFERENCES,
    FUNCTION,
    HAND,
    LIMIT,
    differences,
    generated,
    into_out,
    limit,
    slopes,
)
from benchmarks.race.heat import Lane, Terms, check, compared, heat, lanes
from benchmarks.race.peers import UnableError
from benchmarks.race.problem import Problem
from benchmarks.race.problems import PROBLEMS
from benchmarks.race.worker import flat

EACH = pytest.mark.parametrize("problem", list(PROBLEMS.values()), ids=list(PROBLEMS))


def close(got: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Equal up to a part of the largest component."""
    assert got.shape == expected.shape
    assert np.max(np.abs(got - expected)) <= tolerance * np.max(np.abs(expected))


def expected(problem: Problem, arguments: tuple) -> np.ndarray:
    """Central differences: of the function, or of its gradient by differences along the vector."""
    if problem.kind != "product":
        return flat(differences(problem, arguments)())
    x, *rest, v = arguments
    step = 1e-3

    def slope(moved: np.ndarray) -> np.ndarray:
        return slopes(problem.function, (moved, *rest), 0)

    near, far = ((slope(x + h * v) - slope(x - h * v)) / (2.0 * h) for h in (step, 2.0 * step))
    return flat((4.0 * near - far) / 3.0)


@EACH
def test_by_hand(problem: Problem) -> None:
    arguments = problem.make(problem.tiny)
    close(flat(problem.by_hand(*arguments)), expected(problem, arguments), 1e-5 if problem.kind == "product" else 1e-6)


@EACH
def test_the_limit_before_it_is_compiled(problem: Problem) -> None:
    arguments = problem.make(problem.tiny)
    close(flat(problem.limit(*arguments)), flat(problem.by_hand(*arguments)), 1e-11)


@EACH
def test_generated(problem: Problem) -> None:
    arguments = problem.make(problem.tiny)
    close(flat(generated(problem, arguments)()), flat(problem.by_hand(*arguments)), 1e-10)


@pytest.mark.parametrize("name", ["rosenbrock", "reduction", "hvp-rosenbrock", "bundle"])
def test_generated_into_arrays_made_once(name: str) -> None:
    race = PROBLEMS[name]
    arguments = race.make(race.tiny)
    call = into_out(race, arguments)
    first = call()
    second = call()
    assert all(np.shares_memory(one, other) for one, other in zip(each_of(first), each_of(second), strict=True))
    close(flat(second), flat(race.by_hand(*arguments)), 1e-10)


def each_of(result: object) -> tuple:
    """The parts of a derivative."""
    return result if isinstance(result, tuple) else (result,)


def test_a_number_is_not_written_into_anything() -> None:
    race = PROBLEMS["scalar"]
    with pytest.raises(UnableError):
        into_out(race, race.make(race.tiny))


def test_a_heat_checks_times_and_reports(tmp_path: Path) -> None:
    race = PROBLEMS["rosenbrock"]
    chosen = [entry for entry in CONTENDERS if entry.package is None and entry.races(race)]
    with lanes(chosen, Terms(rounds=2)) as running:
        findings = heat(race, race.tiny, running)
    assert [entry.contender for entry in findings] == ["adxform python", HAND, FUNCTION, DIFFERENCES]
    assert all(entry.reason is None and entry.median and entry.first for entry in findings)
    report.write_json(tmp_path / "race.json", [findings])
    assert report.read_json(tmp_path / "race.json") == [findings]
    report.write_markdown(tmp_path / "race.md", [findings], {race.name: race.title})
    assert "| adxform python |" in (tmp_path / "race.md").read_text(encoding="utf-8")
    limit = replace(findings[1], contender=LIMIT)
    report.plot(tmp_path / "race.png", [compared([findings[0], limit])])
    assert (tmp_path / "race.png").stat().st_size > 1_000


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((0.1, np.array([1.0, 2.0])), None),
        ((0.1, np.array([1.0, 2.0 + 1e-6])), "wrong: off by 5.0e-07 of the largest component"),
        ((0.1, np.array([1.0, np.nan])), "wrong: off by nan of the largest component"),
        ((0.1, np.array([1.0])), "wrong: 1 numbers, not 2"),
    ],
)
def test_who_is_wrong_is_not_timed(answer: tuple, reason: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    lane = Lane(CONTENDERS[0], Terms())
    monkeypatch.setattr(lane, "ask", lambda seconds, *request: answer)
    check(lane, np.array([1.0, 2.0]))
    assert lane.reason == reason


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "sin", "cos"])
def test_the_vector_forms_of_the_limit(name: str) -> None:
    numba = pytest.importorskip("numba")
    form = vector_math.forms()[name]

    @numba.njit
    def each(x: np.ndarray) -> np.ndarray:
        y = np.empty_like(x)
        for i in range(x.shape[0]):
            y[i] = form(x[i])
        return y

    chance = np.random.default_rng(0)
    x = np.concatenate([chance.uniform(0.0, 3.0, 1_000), chance.uniform(0.0, 100.0, 1_000)])
    exact = getattr(np, name)(x.astype(np.longdouble))
    assert np.max(np.abs(each(x) - exact) / np.spacing(np.abs(exact).astype(float))) < 2.0


@pytest.mark.parametrize("name", ["rosenbrock", "reduction", "scalar"])
def test_compiled(name: str) -> None:
    pytest.importorskip("numba")
    race = PROBLEMS[name]
    arguments = race.make(race.tiny)
    close(flat(limit(race, arguments)()), flat(race.by_hand(*arguments)), 1e-12)
    close(flat(generated(race, arguments, engine="numba")()), flat(race.by_hand(*arguments)), 1e-12)


def test_a_time_loop_with_checkpoints() -> None:
    race = PROBLEMS["time-loop"]
    arguments = race.make(500)
    chosen = next(entry for entry in CONTENDERS if entry.only == (race.name,))
    close(flat(chosen.start(race, arguments)()), flat(race.by_hand(*arguments)), 1e-12)


def test_every_peer_has_a_form_or_a_reason() -> None:
    asked = {"jax", "torch", "casadi"}
    for race in PROBLEMS.values():
        assert asked <= {*race.forms, *race.absent}, race.name
