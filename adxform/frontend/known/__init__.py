"""Callables that the front end runs itself. A handler that leaves a call to the rule table returns ``None``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers.methods import Handler
from adxform.frontend.known import (
    arrays,
    cells,
    class_statements,
    classes,
    context_managers,
    dataclass_functions,
    exceptions,
    extremes,
    generator_objects,
    heap_functions,
    index_arrays,
    iterables,
    iterators,
    match_patterns,
    object_operators,
    small_products,
    stacked_lists,
    subscripts,
    unpacking,
)

_MODULES = (
    subscripts,
    unpacking,
    classes,
    context_managers,
    dataclass_functions,
    exceptions,
    class_statements,
    object_operators,
    match_patterns,
    iterables,
    extremes,
    generator_objects,
    heap_functions,
    iterators,
    arrays,
    index_arrays,
    cells,
    stacked_lists,
    small_products,
)

KNOWN: Mapping[Any, Handler] = MappingProxyType({fn: handler for module in _MODULES for fn, handler in module.TABLE.items()})
