"""Callables that the front end runs itself. A handler that leaves a call to the rule table returns ``None``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers.methods import Handler
from adxform.frontend.known import (
    arrays,
    cached_functions,
    cells,
    context_managers,
    exceptions,
    index_arrays,
    match_patterns,
    number_classes,
    object_operators,
    real_or_complex,
    small_products,
    stacked_lists,
    subscripts,
)
from adxform.frontend.known.items import (
    extremes,
    generator_objects,
    heap_functions,
    iterables,
    iterators,
    reducing,
    sorting,
    unpacking,
)
from adxform.frontend.known.of_objects import (
    attribute_functions,
    class_statements,
    classes,
    container_methods,
    dataclass_functions,
    object_copies,
    parameters_asked,
    texts,
)

_MODULES = (
    cached_functions,
    subscripts,
    unpacking,
    classes,
    container_methods,
    attribute_functions,
    object_copies,
    context_managers,
    dataclass_functions,
    parameters_asked,
    texts,
    exceptions,
    class_statements,
    object_operators,
    match_patterns,
    iterables,
    sorting,
    reducing,
    extremes,
    generator_objects,
    heap_functions,
    iterators,
    arrays,
    number_classes,
    index_arrays,
    cells,
    stacked_lists,
    small_products,
    real_or_complex,
)

KNOWN: Mapping[Any, Handler] = MappingProxyType({fn: handler for module in _MODULES for fn, handler in module.TABLE.items()})
