"""Callables that the front end runs itself. A handler that leaves a call to the rule table returns ``None``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.known import arrays, classes, iterables, iterators, operators, subscripts
from adxform.frontend.methods import Handler

KNOWN: Mapping[Any, Handler] = MappingProxyType(
    {**subscripts.TABLE, **classes.TABLE, **operators.TABLE, **iterables.TABLE, **iterators.TABLE, **arrays.TABLE}
)
