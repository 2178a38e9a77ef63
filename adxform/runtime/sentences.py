"""Names in sentences."""

from __future__ import annotations


def listed(names: list[str]) -> str:
    """`names` in a sentence; the number of the rest after eight.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(names) > 9:
        names = [*names[:8], f"{len(names) - 8} more"]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
