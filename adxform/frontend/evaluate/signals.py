"""How specialisation leaves a path, or starts again knowing more."""

from __future__ import annotations

from typing import Any

from adxform.ir.ops import Var


class Unreachable(Exception):  # noqa: N818 - not an error: control flow
    """What follows on this path is never reached."""


class Lost(Exception):  # noqa: N818 - not an error: control flow
    """What is used here comes of what has been refused."""


class Restart(Exception):  # noqa: N818 - not an error: control flow
    """Specialisation must start again, knowing more."""


class Unassumed(Exception):  # noqa: N818 - not an error: control flow
    """A form that assumes lengths cannot be had of this function."""


class Promote(Restart):
    """These parameters must be known when compiling."""

    def __init__(self, params: frozenset[Var]) -> None:
        super().__init__("a parameter must be known when compiling")
        self.params = params


class Recursive(Restart):
    """A function calls itself with arguments of the same types."""

    def __init__(self, key: Any) -> None:
        super().__init__("a function calls itself")
        self.key = key
