"""The problems of the race, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.race.problem import Problem
from benchmarks.race.problems import elementwise, gmm, heat, jacobi, lstm, rosenbrock, scalar, seidel

PROBLEMS: Mapping[str, Problem] = MappingProxyType(
    {
        race.name: race
        for race in (
            rosenbrock.RACE,
            jacobi.RACE,
            heat.RACE,
            seidel.RACE,
            *elementwise.RACES,
            scalar.RACE,
            *gmm.RACES,
            lstm.RACE,
        )
    }
)
