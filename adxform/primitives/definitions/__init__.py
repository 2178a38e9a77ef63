"""NumPy functions by what they mean in terms of others; the front end inlines these, so they need no rule of their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from adxform.primitives.declare import primitive
from adxform.primitives.definitions import (
    applied,
    arithmetic,
    in_place,
    missing_values,
    parts,
    polynomials,
    rearrangements,
    sampled_functions,
    spectra,
    stacking,
    statistics,
    ufunc_methods,
)
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive

FAMILIES = (
    stacking,
    statistics,
    missing_values,
    sampled_functions,
    polynomials,
    arithmetic,
    ufunc_methods,
    parts,
    rearrangements,
    in_place,
    applied,
    spectra,
)

_TABLE: Mapping[Callable[..., Any], Definition] = MappingProxyType(
    {one.fn: one for one in itertools.chain.from_iterable(family.DEFINITIONS for family in FAMILIES)}
)

DEFINITIONS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType({fn: one.body for fn, one in _TABLE.items()})

IN_KERNELS: frozenset[Callable[..., Any]] = frozenset(fn for fn, one in _TABLE.items() if one.value is Value.IN_KERNELS)
"""Functions whose definitions differ from them in rounding only: kernels take the definition, Python the function itself."""

OWN_VALUES: frozenset[Callable[..., Any]] = frozenset(fn for fn, one in _TABLE.items() if one.value is not Value.DEFINED)
"""Functions whose value is that of their own call; the definition tells how it moves. All others have that of the definition."""

OF_SEQUENCES: frozenset[Callable[..., Any]] = frozenset(fn for fn, one in _TABLE.items() if one.sequences)
"""Functions that take lists and tuples as they are; those that others are given become arrays first."""

MAKING: frozenset[Callable[..., Any]] = frozenset(fn for fn, one in _TABLE.items() if one.makes)
"""Functions whose results share no memory with what they are given."""

RECORDS: tuple[Primitive, ...] = tuple(
    primitive(fn, None, contracts=one.contracts, unsized=one.unsized) for fn, one in _TABLE.items() if fn in OWN_VALUES
)
