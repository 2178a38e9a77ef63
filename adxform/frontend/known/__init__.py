"""Callables that the front end runs itself. A handler that leaves a call to the rule table returns ``None``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers.methods import Handler
from adxform.frontend.known import (
    arrays,
    cells,
    classes,
    contexts,
    dataclass_functions,
    deques,
    exceptions,
    extremes,
    generators,
    iterables,
    iterators,
    local_classes,
    object_operators,
    patterns,
    small_products,
    stacked_lists,
    subscripts,
    unpacking,
)

_MODULES = (
    subscripts,
    unpacking,
    classes,
    contexts,
    dataclass_functions,
    deques,
    exceptions,
    local_classes,
    object_operators,
    patterns,
    iterables,
    extremes,
    generators,
    iterators,
    arrays,
    cells,
    stacked_lists,
    small_products,
)

KNOWN: Mapping[Any, Handler] = MappingProxyType({fn: handler for module in _MODULES for fn, handler in module.TABLE.items()})
