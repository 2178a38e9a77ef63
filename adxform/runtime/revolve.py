"""Where the reverse of a long loop keeps a state of it, so that the fewest iterations run again.

The reverse sweep visits the iterations of a loop from the last to the first, and needs the state that each began with. It keeps a
few states, the *snapshots*, and runs iterations again from the nearest one. With `s` snapshots, and no iteration run more than
`r` times, up to ``binomial(s + r, s)`` iterations can be reversed: memory and time both grow with the logarithm of the number of
iterations.

Source: Griewank and Walther, Algorithm 799: Revolve, ACM Transactions on Mathematical Software 26(1), 2000, pages 19-45,
section 2 (the numbers beta and t, and which splits are optimal).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.errors import BudgetError, OptionError

OVERHEAD = 128
"""The bytes that an array takes beside its elements, about."""
NUMBER = 32
"""The bytes that a number takes, with its place in a list."""


def check_options(checkpoint_steps: Any, max_memory: Any) -> None:
    """Return if the options of a checkpoint make sense.

    Raises:
        OptionError: both are given, or one is not a whole number of at least one.
    """
    if checkpoint_steps is not None and max_memory is not None:
        raise OptionError("give `checkpoint_steps` or `max_memory`, not both")
    for name, value in (("checkpoint_steps", checkpoint_steps), ("max_memory", max_memory)):
        if value is not None and (type(value) is not int or value < 1):
            raise OptionError(f"{name} is {value!r}; it is to be a whole number of Python's, at least one")


def next_snapshot(at: int, target: int, free: int) -> int:
    """Where to keep the next state on the way from the snapshot at iteration `at` to the state before iteration `target`.

    `free` snapshots can still be kept, and those on the way are for reversing the iterations from `at` up to and with `target`.
    It is `target` itself where nothing is kept on the way.

    >>> next_snapshot(0, 10, 0), next_snapshot(0, 10, 1), next_snapshot(0, 10, 20)
    (10, 7, 1)
    """
    if free == 0:
        return target
    steps, snapshots = target + 1 - at, free + 1
    # binomial(snapshots + r, snapshots) for `repetitions` r, the fewest that do (`reach`), and for one and for two less
    before, low, reach, repetitions = 0, 1, snapshots + 1, 1
    while reach < steps:
        repetitions += 1
        before, low, reach = low, reach, reach * (snapshots + repetitions) // repetitions
    least_after = low * snapshots // (snapshots + repetitions - 1)  # binomial(snapshots + r - 2, snapshots - 1)
    return at + max(1, before, min(low, steps - least_after))


def snapshots_within(memory: int, *state: Any) -> int:
    """How many snapshots of `state` take at most `memory` bytes.

    Raises:
        BudgetError: not even one does.

    >>> snapshots_within(10_000, np.zeros(100), 1.0)
    10
    """
    size = NUMBER + sum(value.nbytes + OVERHEAD if isinstance(value, np.ndarray) else NUMBER for value in state)
    if size > memory:
        raise BudgetError(
            f"`max_memory` is {memory} bytes, and one state of the loop takes {size}",
            help=f"give `max_memory` {size} bytes or, for fewer iterations to run again, several times that",
        )
    return memory // size
