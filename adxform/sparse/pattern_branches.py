"""Branches of which only a run can tell which is taken: both run, from the same memory, and what they leave is joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.sparse.graph import GiveUp, Graph
from adxform.sparse.pattern_memory import Log, Note, merge, taken_back
from adxform.sparse.pattern_operands import Values
from adxform.sparse.unbounded_loops import Ends

DEPTH = 60


class Branches:
    """The graph of a run, what was written since the latest branch point, and how deep in unknown branches the run is."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.log: Log | None = None
        self.depth = 0

    def noted(self, x: Any, index: Any, flow: bool = True) -> None:
        """Remember ``x[index]``, which is about to be written."""
        self.graph.check(x)
        if self.log is not None:
            self.log.append(Note(x, index, np.copy(x[index]), flow))

    def either(self, then: Callable[[], Values], orelse: Callable[[], Values]) -> tuple[Values | None, Values | None]:
        """What `then` and `orelse` return, each run from the memory as it is, which is then what either leaves.

        ``None`` for one that raises an error.
        """
        outer = self.log
        self.depth += 1
        if self.depth > DEPTH:
            raise GiveUp("its branches lie too deep in one another")
        try:
            one, written = self._apart(then)
            other, written_too = self._apart(orelse)
        finally:
            self.log = outer
            self.depth -= 1
        if one is None and other is None:
            raise Ends
        if one is None:
            written = written_too
        elif other is None:
            written_too = written
        merge(self.graph, written, written_too, outer)
        return one, other

    def _apart(self, run: Callable[[], Values]) -> tuple[Values | None, Any]:
        log: Log = []
        self.log = log
        try:
            found: Values | None = run()
        except Ends:
            found = None
        return found, taken_back(log)
