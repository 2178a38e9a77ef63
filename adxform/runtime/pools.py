"""Memory that outlives a call: a workspace is what one call works in, and a pool holds those that no call is using."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Pools:
    """The pools of one prepared derivative; safe to share between threads.

    A call pops a workspace and appends it when it is done, or makes one of its own where there is none: calls under way at once,
    in threads or one inside the other, do not meet.
    """

    pools: list[deque[Any]] = field(default_factory=list)

    def new(self) -> deque[Any]:
        """An empty pool, for workspaces of one kind."""
        self.pools.append(deque())
        return self.pools[-1]

    def release(self) -> None:
        """Let go of every workspace that no call is using."""
        for pool in self.pools:
            pool.clear()
