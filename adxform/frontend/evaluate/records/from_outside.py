"""What a function reads and changes outside of its arguments, as one specialisation finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adxform.frontend.evaluate.values import Ref, Value
from adxform.frontend.signature.access import Access, Guard
from adxform.ir.ops import Var


@dataclass(slots=True)
class FromOutside:
    """Numbers and arrays are `hidden` arguments, what is constant is known with `guards` that each call checks."""

    hidden: dict[Access, Var] = field(default_factory=dict)
    hidden_values: dict[Var, Any] = field(default_factory=dict)
    hidden_axes: dict[str, tuple[Access, int]] = field(default_factory=dict)
    """The axes of hidden arrays that have lengths of their own, by the bases of these."""
    guards: dict[Guard, None] = field(default_factory=dict)
    known: dict[tuple[Access, int], Value] = field(default_factory=dict)
    """What is known of an object, by what leads to it and its place in memory."""
    classes: dict[int, type] = field(default_factory=dict)
    paths: dict[int, Access] = field(default_factory=dict)
    """Of functions and objects, by their place in memory, the path on which each was found first."""
    modules: dict[int, Access] = field(default_factory=dict)
    unordered: dict[int, frozenset[Any]] = field(default_factory=dict)
    """Frozen sets, by their place, of which the elements are known, but not the order."""
    cells: dict[tuple[int, str], Ref] = field(default_factory=dict)
    """What holds the values of places outside that the function sets."""
    objects: dict[Var, type] = field(default_factory=dict)
    """The classes of lists and dicts outside that the function changes: the run asks what is in them."""
    containers: dict[int, Var] = field(default_factory=dict)
    """Those of them that are there when the function begins, by their place in memory."""
    asked: int = 0
    """How often the function has asked for what it sets or changes outside."""
