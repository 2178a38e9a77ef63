"""Callables that the front end runs itself. A handler that leaves a call to others, or to the rule table, returns ``None``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
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
    real_or_complex,
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
)


def in_turn(tables: Iterable[Mapping[Any, Handler]]) -> dict[Any, Handler]:
    """The handlers of `tables`; of a function that several know, each is asked in the order of the tables until one answers."""
    found: dict[Any, Handler] = {}
    for table in tables:
        for fn, handler in table.items():
            found[fn] = _else(found[fn], handler) if fn in found else handler
    return found


def _else(first: Handler, other: Handler) -> Handler:
    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Answer:
        answer = first(interp, args, kwargs, hint)
        return other(interp, args, kwargs, hint) if answer is None else answer

    return handler


KNOWN: Mapping[Any, Handler] = MappingProxyType(in_turn(module.TABLE for module in _MODULES))
