"""What is checked once a whole function is specialised."""

from __future__ import annotations

from dataclasses import dataclass, field

from adxform.frontend.checks.handed_over import HandedArray, Shown, UnseenCall
from adxform.frontend.checks.held_copies import Filled, Taken, Widened
from adxform.frontend.checks.shared_memory import Apart
from adxform.ir.ops import Var
from adxform.ir.spans import Span


@dataclass(slots=True)
class ToCheck:
    """Where a program could see what its derivative has in another way, if it goes on to do so."""

    held: list[Filled | Taken | Widened] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)
    only_read: list[Var] = field(default_factory=list)
    """Views by `np.nditer` and `np.broadcast_arrays`."""
    spent: list[tuple[Var, Var]] = field(default_factory=list)
    """Arrays that a function is let write to, each with the copy that it is given."""
    told_dtypes: list[tuple[Var, Span]] = field(default_factory=list)
    """Arrays of floats, by their types, of which the program asks the dtype, and where."""
    written: list[Var] = field(default_factory=list)
    """Arrays that a function writes of which a derivative is taken here."""
    kept_arrays: list[tuple[Var, Span]] = field(default_factory=list)
    """Arrays that a cache keeps, or what is computed of them, and where that is seen."""
    unseen: list[UnseenCall] = field(default_factory=list)
    handed_arrays: list[HandedArray] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    handed_on: list[str] = field(default_factory=list)
    """The code that may hand on lists and dicts of the function, of which it has copies."""
