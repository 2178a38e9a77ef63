"""What the bodies of registered rules reach by name, watched: one that reaches something else now is registered anew.

Derivatives are kept for the rules that they were made from. A helper that a rule calls, or a number that it reads, is expanded
with the rule, so a change of it is a change of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adxform.frontend.signature.access import Guard
from adxform.frontend.signature.watched_access import Trail, trail
from adxform.primitives.table import renew
from adxform.primitives.unruled import is_users

REACHED: dict[Callable[..., Any], Trail] = {}
"""What the bodies of the user's rules reach, those that were expanded so far."""


def reaches(body: Callable[..., Any], guards: Iterable[Guard]) -> None:
    """Note what an expansion of `body` assumed. The library's own rules reach nothing that changes."""
    assumed = tuple(guards)
    if assumed and is_users(body):
        known = REACHED.get(body)
        REACHED[body] = trail(body, dict.fromkeys((*(known.guards if known is not None else ()), *assumed)))


def renew_changed() -> None:
    """Register each rule anew that reaches something else than when it was expanded."""
    if not REACHED:
        return
    for body, reached in tuple(REACHED.items()):
        if not reached.holds():
            REACHED.pop(body, None)
            renew(body)
