"""The oracle and the corpus, without adxform: every program is smooth where its derivatives are checked."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpus.case import Program
from tests.corpus.catalogue import CORPUS, PROGRAMS, RAISING
from tests.derived import differences
from tests.oracle import central_jacobian, flat_function, float_leaves, pack, rebuild


def test_differences_of_known_functions() -> None:
    jacobian, error = central_jacobian(lambda x: np.array([np.sin(x[0]) * x[1], x[1] ** 3]), np.array([0.7, 2.0]))
    exact = np.array([[np.cos(0.7) * 2.0, np.sin(0.7)], [0.0, 12.0]])
    assert np.max(np.abs(jacobian - exact)) < 1e-11
    assert error < 1e-9


def test_leaves_go_back_where_they_came_from() -> None:
    tree = {"b": (1.0, [2, np.array([3.0])]), "a": "text"}
    assert rebuild(tree, iter(float_leaves(tree))) == tree


def test_names_are_unique() -> None:
    names = [program.name for program in (*CORPUS, *RAISING)]
    assert len(set(names)) == len(names) >= 120


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program_is_smooth_at_its_points(program: Program) -> None:
    for point, found in zip(program.points, differences(program), strict=True):
        with np.errstate(all="ignore"):
            assert np.all(np.isfinite(pack(float_leaves(program.function(*point.fresh())))))
        if found is None:
            continue
        jacobian, error = found
        with np.errstate(all="ignore"):  # programs may leave out what overflows
            other, _ = central_jacobian(*flat_function(program.function, point.args, program.wrt), step=7e-3)
        scale = max(1.0, float(np.max(np.abs(jacobian), initial=0.0)))
        assert error <= 1e-8 * scale
        assert np.max(np.abs(jacobian - other), initial=0.0) <= 1e-9 * scale


@pytest.mark.parametrize("program", RAISING, ids=lambda program: program.name)
def test_program_raises(program: Program) -> None:
    assert program.raises is not None
    with pytest.raises(program.raises):
        program.function(*program.points[0].fresh())
