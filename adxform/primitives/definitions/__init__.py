"""NumPy functions by what they mean in terms of others; the front end inlines these, so they need no rule of their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Set
from types import MappingProxyType
from typing import Any

from adxform.primitives.declare import primitive
from adxform.primitives.definitions import arithmetic, sampled_functions, transforms
from adxform.primitives.definitions.arrangements import (
    element_walks,
    flat_entries,
    in_place,
    parts,
    rearrangements,
    stacking,
    structured_arrays,
)
from adxform.primitives.definitions.calling import applied, ufunc_methods, vectorized
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.definitions.of_python import compared, lazy_builtins, python_statistics
from adxform.primitives.definitions.polynomials import older_polynomials, polynomial_series, polynomials, series_objects
from adxform.primitives.definitions.reductions import chosen_reductions, missing_values, statistics
from adxform.primitives.record import Primitive

FAMILIES = (
    stacking,
    statistics,
    python_statistics,
    missing_values,
    chosen_reductions,
    sampled_functions,
    polynomials,
    polynomial_series,
    series_objects,
    older_polynomials,
    arithmetic,
    ufunc_methods,
    parts,
    rearrangements,
    in_place,
    flat_entries,
    element_walks,
    applied,
    vectorized,
    compared,
    transforms,
)

_bodies: dict[Callable[..., Any], Callable[..., Any]] = {}
_in_kernels: set[Callable[..., Any]] = set()
_own_values: set[Callable[..., Any]] = set()
_without_out: set[Callable[..., Any]] = set()
_of_sequences: set[Callable[..., Any]] = set()
_making: set[Callable[..., Any]] = set()
_only: dict[Callable[..., Any], Mapping[str, tuple[Any, ...]]] = {}
_followed: set[Callable[..., Any]] = set()
_makers: set[Callable[..., Any]] = {structured_arrays.structured, structured_arrays.structured_rows, lazy_builtins.groups_of}
_calling_back: set[Callable[..., Any]] = set()
_interleaved: set[Callable[..., Any]] = set()
_forms: dict[Callable[..., Any], tuple[Definition, Primitive]] = {}

DEFINITIONS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(_bodies)

IN_KERNELS: Set[Callable[..., Any]] = _in_kernels
"""Functions whose definitions differ from them in rounding only: kernels take the definition, Python the function itself."""

OWN_VALUES: Set[Callable[..., Any]] = _own_values
"""Functions whose value is that of their own call; the definition tells how it moves. All others have that of the definition."""

WITHOUT_OUT: Set[Callable[..., Any]] = _without_out
"""Functions whose parameter ``out`` is refused."""

OF_SEQUENCES: Set[Callable[..., Any]] = _of_sequences
"""Functions that take lists and tuples as they are; those that others are given become arrays first."""

MAKING: Set[Callable[..., Any]] = _making
"""Functions whose results share no memory with what they are given."""

ONLY: Mapping[Callable[..., Any], Mapping[str, tuple[Any, ...]]] = MappingProxyType(_only)
"""The values of their parameters with which functions have a definition, where it holds with some only."""

FOLLOWED: Set[Callable[..., Any]] = _followed
"""Functions whose result is an object, which the definition makes whatever is known of the arguments."""

MAKERS: Set[Callable[..., Any]] = _makers
"""The definitions of these, of structured arrays and of groups."""

CALLING_BACK: Set[Callable[..., Any]] = _calling_back
"""Functions that are given functions of the program, which are followed where they can be."""

INTERLEAVED: Set[Callable[..., Any]] = _interleaved
"""Functions that read some operands while they write to another: not given memory that these share."""


def extend(family: Iterable[Definition]) -> tuple[Primitive, ...]:
    """Take in a `family` of definitions; return the records of those whose value is that of their own call."""
    made: list[Primitive] = []
    for one in family:
        if one.taken_with:
            _forms[one.fn] = one, primitive(one.fn, None, result=one.result)
            continue
        _bodies[one.fn] = one.body
        if one.value is Value.FOLLOWED:
            _makers.add(one.body)
        if one.only:
            _only[one.fn] = one.only
        if one.value in (Value.OWN, Value.IN_KERNELS):
            _own_values.add(one.fn)
            made.append(primitive(one.fn, None, result=one.result, contracts=one.contracts, unsized=one.unsized))
        for holds, functions in (
            (one.value is Value.IN_KERNELS, _in_kernels),
            (one.value is Value.FOLLOWED, _followed),
            (one.calls_back, _calling_back),
            (one.interleaved, _interleaved),
            (not one.takes_out, _without_out),
            (one.sequences, _of_sequences),
            (one.makes, _making),
        ):
            if holds:
                functions.add(one.fn)
    return tuple(made)


def form(fn: Any, named: Iterable[str], is_known: Callable[[str], bool]) -> tuple[Primitive, Callable[..., Any]] | None:
    """The record and the body of the definition that is taken in the place of a rule of `fn`, for a parameter among `named`."""
    try:
        one, record = _forms[fn]
    except (KeyError, TypeError):
        return None
    given = [name for name in named if name in one.taken_with]
    if not given or (one.where_unknown and all(map(is_known, given))):
        return None
    return record, one.body


RECORDS: tuple[Primitive, ...] = extend(itertools.chain.from_iterable(family.DEFINITIONS for family in FAMILIES))
