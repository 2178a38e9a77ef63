"""What the bodies of registered rules reach by name, watched: one that reaches something else now is registered anew.

Derivatives are kept for the rules that they were made from. A helper that a rule calls, or a number that it reads, is expanded
with the rule, so a change of it is a change of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adxform.frontend.access import Guard, guards_hold
from adxform.rules.table import renew

_REACHED: dict[Callable[..., Any], frozenset[Guard]] = {}


def reaches(body: Callable[..., Any], guards: Iterable[Guard]) -> None:
    """Note what an expansion of `body` assumed. The library's own rules reach nothing that changes."""
    if not body.__module__.startswith("adxform."):
        _REACHED[body] = _REACHED.get(body, frozenset()).union(guards)


def renew_changed() -> None:
    """Register each rule anew that reaches something else than when it was expanded."""
    for body, guards in tuple(_REACHED.items()):
        if not guards_hold(guards, body):
            _REACHED.pop(body, None)
            renew(body)
