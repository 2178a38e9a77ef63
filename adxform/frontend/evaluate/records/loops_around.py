"""What is known of the loops around the place that is being run."""

from __future__ import annotations

from dataclasses import dataclass, field

from adxform.frontend.evaluate.values import LoopTurn, Ref, Value
from adxform.ir.ops import Var


@dataclass(slots=True)
class LoopsAround:
    """The innermost loop is the last one."""

    turns: list[LoopTurn] = field(default_factory=list)
    """The iterations of loops, and calls, that are being run."""
    deciding: list[frozenset[Var]] = field(default_factory=list)
    """What decides how often each goes on, where that would be known if parameters were."""
    of_unknown_rank: set[Var] = field(default_factory=set)
    """What decides how often loops go on, of which a run must tell whether they leave a number or an array."""
    walking: list[tuple[Ref, ...]] = field(default_factory=list)
    """The lists and dicts that they walk over."""
    walked_as: dict[Ref, tuple[Value, str]] = field(default_factory=dict)
    """Lists of what dicts and sets held when a walk over them began, as that sees it: of which, and which part of it."""
    unrolled: int = 1
    """How many iterations of them are written out."""
    chooses: bool = True
    """Whether a branch may choose an item at a place that only the run knows: not while other ways of a loop are open."""
    would_choose: bool = False
    """Whether one would have been chosen."""
