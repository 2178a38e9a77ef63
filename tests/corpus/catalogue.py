"""The corpus as one list, and whole programs as another, which fewer tests walk through."""

from importlib import import_module
from pathlib import Path

from tests.corpus import (
    aliases,
    boundaries,
    broadcasting,
    call_forms,
    callees,
    cells,
    closures,
    containers,
    contexts,
    control_flow,
    deques,
    derivatives,
    dtypes,
    edge_cases,
    encounters,
    floats_in_counts,
    frames,
    generators,
    inheritance,
    iterators,
    kinds,
    left_out,
    lengths,
    linear_algebra,
    lists,
    local_classes,
    loops,
    models,
    objects,
    optional,
    overwritten,
    own_values,
    patterns,
    peers,
    raising,
    recursion,
    run_time_places,
    scalars,
    singular,
    structures,
    views,
    whole,
    writes,
)
from tests.corpus.case import Program, programs_of

MODULES = (
    boundaries,
    scalars,
    control_flow,
    loops,
    aliases,
    views,
    writes,
    callees,
    recursion,
    cells,
    closures,
    broadcasting,
    call_forms,
    linear_algebra,
    lists,
    local_classes,
    structures,
    containers,
    contexts,
    deques,
    peers,
    derivatives,
    dtypes,
    edge_cases,
    encounters,
    floats_in_counts,
    frames,
    generators,
    inheritance,
    iterators,
    kinds,
    left_out,
    lengths,
    models,
    objects,
    optional,
    overwritten,
    own_values,
    patterns,
    run_time_places,
    singular,
)
CORPUS: tuple[Program, ...] = tuple(program for module in MODULES for program in programs_of(module))
PROGRAMS = CORPUS
"""Those that tests are about: all, or with `--fast` a sample (`tests/conftest.py`)."""
RAISING: tuple[Program, ...] = tuple(programs_of(raising))
WHOLE: tuple[Program, ...] = tuple(
    program
    for path in sorted(Path(whole.__file__).parent.glob("[!_]*.py"))
    for program in programs_of(import_module(f"{whole.__name__}.{path.stem}"))
)
