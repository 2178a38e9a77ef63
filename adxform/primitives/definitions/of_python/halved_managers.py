"""What `contextlib.contextmanager` makes of a generator that is cut at its ``yield``: an object like any with these methods."""

from __future__ import annotations

from typing import Any


class HalvedManager:
    """A manager whose `begin` gives what is named by ``as``, and a function that does what is left when the body is left."""

    begin: Any
    leave: Any

    def __enter__(self) -> Any:
        found, self.leave = self.begin()
        return found

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.leave(kind is not None)
