"""The corpus as one list."""

from tests.corpus import (
    aliases,
    broadcasting,
    callees,
    closures,
    control_flow,
    derivatives,
    dtypes,
    edge_cases,
    encounters,
    iterators,
    linear_algebra,
    lists,
    loops,
    models,
    optional,
    peers,
    raising,
    recursion,
    scalars,
    structures,
    views,
    writes,
)
from tests.corpus.case import Program, programs_of

MODULES = (
    scalars,
    control_flow,
    loops,
    aliases,
    views,
    writes,
    callees,
    recursion,
    closures,
    broadcasting,
    linear_algebra,
    lists,
    structures,
    peers,
    derivatives,
    dtypes,
    edge_cases,
    encounters,
    iterators,
    models,
    optional,
)
PROGRAMS: tuple[Program, ...] = tuple(program for module in MODULES for program in programs_of(module))
RAISING: tuple[Program, ...] = tuple(programs_of(raising))
