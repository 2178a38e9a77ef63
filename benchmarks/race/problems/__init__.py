"""The problems of the race, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.race.problem import Problem
from benchmarks.race.problems import (
    adi,
    bundle,
    chain,
    curvature,
    elementwise,
    fdtd,
    gmm,
    heat,
    jacobi,
    lstm,
    perceptron,
    products,
    relax,
    rosenbrock,
    scalar,
    seidel,
    steps,
    suite,
    triangular,
)

PROBLEMS: Mapping[str, Problem] = MappingProxyType(
    {
        race.name: race
        for race in (
            rosenbrock.RACE,
            jacobi.RACE,
            heat.RACE,
            seidel.RACE,
            relax.RACE,
            *elementwise.RACES,
            scalar.RACE,
            *gmm.RACES,
            lstm.RACE,
            *curvature.RACES,
            perceptron.RACE,
            bundle.RACE,
            *products.RACES,
            steps.RACE,
            chain.RACE,
            fdtd.RACE,
            adi.RACE,
            *suite.RACES,
            *triangular.RACES,
        )
    }
)
