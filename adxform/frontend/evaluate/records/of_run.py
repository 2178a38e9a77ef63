"""What is known of the objects that only the run has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.spans import Span
from adxform.primitives.text_functions import gives_text


@dataclass(slots=True)
class OfRun:
    """Objects by the variables that have them in the run."""

    made: dict[Var, type] = field(default_factory=dict)
    """The classes of objects that the run makes."""
    lists: set[Var] = field(default_factory=set)
    """Lists of texts and other objects that the run makes, of which only that knows how many items they have."""
    packed: set[Var] = field(default_factory=set)
    """Objects that the run makes, for code that nobody looks into, of what may carry a derivative."""
    sets: dict[Var, Any] = field(default_factory=dict)
    """Sets that the run makes, and what their elements are."""
    generators: dict[Var, type] = field(default_factory=dict)
    draws: dict[Var, tuple[type, str]] = field(default_factory=dict)
    methods: dict[Var, str] = field(default_factory=dict)
    """Attributes of objects that only the run knows, by their names."""
    followed: dict[Var, Any] = field(default_factory=dict)
    """Numbers of which only the run knows whether they are real or complex, as the complex ones as which they are followed."""
    makers: dict[Var, CodeType] = field(default_factory=dict)
    """What functions of packages return that are given nothing that moves, and what is made of it: by the code of those."""
    unruled: dict[Var, tuple[object, Span]] = field(default_factory=dict)
    """What functions without a rule return: each with that function, and where it is called."""

    def makes_text(self, fn: Any, args: Sequence[Operand]) -> bool:
        """Whether ``fn(*args)`` is a text."""
        return gives_text(fn, bool(args) and self.is_text(args[0]))

    def is_text(self, value: Operand) -> bool:
        """Whether `value` is known to be a text."""
        return self.made.get(value) is str if isinstance(value, Var) else isinstance(value, Lit) and isinstance(value.value, str)
