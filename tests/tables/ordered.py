"""What is put in order: by what the items are, by what they are compared by, by how they are put in order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

ITEMS = {
    "floats": ("x[k % 5]", "v", "{v}"),
    "Python's floats": ("float(x[k % 5])", "v", "{v}"),
    "whole numbers": ("(k * 3) % 4", "x[v]", "x[{v}]"),
    "pairs": ("(x[k % 5], k)", "v[0] * v[1]", "{v}[0]"),
    "pairs with a number first": ("(k % 2, x[k % 5])", "v[1] + v[0]", "{v}[1]"),
    "nested pairs": ("((k % 2, k), x[k % 5])", "v[1] + v[0][1]", "{v}[1]"),
    "lists": ("[x[j % 5] * k for j in range(n)]", "v[0] + v[1]", "{v}[0]"),
    "arrays": ("x * k", "v[0]", "{v}[0]"),
    "a missing number among others": ("x[k % 5] + gaps[k]", "v", "{v}"),
    "a missing number first": ("x[k % 5] + gaps[k - 2]", "v", "{v}"),
    "zeros of both signs": ("x[k % 5] * signs[k]", "v", "{v}"),
}
"""Item `k` of `n`, a number of it, and a number of it that moves."""
GAPS, SIGNS = np.array([0.0, 0.0, np.nan, 0.0]), np.array([0.0, -0.0, 0.0, -0.0])
KEYS = {
    "nothing": None,
    "a number": "{v}",
    "its opposite": "-({v})",
    "a pair": "({w} > 0.8, {v})",
    "a pair with equal parts": "({w} > 0.8, 1)",
    "a pair of a pair": "(({w} > 0.8, 0), -({v}))",
}
ORDERS = {
    "sorted": "ks = sorted([{i} for k in range(n)]{key})",
    "sorted backwards": "ks = sorted([{i} for k in range(n)]{key}, reverse=True)",
    "sorted in place": "ks = [{i} for k in range(n)]\n    ks.sort({only})",
    "largest": "ks = [max([{i} for k in range(n)]{key})]",
    "smallest": "ks = [min([{i} for k in range(n)]{key})]",
}


def cells() -> Iterator[Cell]:
    """Every order of every kind of items by every key, of a number of items that an argument or only the run tells."""
    counts = {"as told": "", "as found": "    n = 0\n    while n < x[2] + 1.5:\n        n += 1\n"}
    for (items, (i, v, w)), (by, key), (order, made), (count, first) in itertools.product(
        ITEMS.items(), KEYS.items(), ORDERS.items(), counts.items()
    ):
        said = "" if key is None else f"key=lambda v: {key.format(v=v, w=w.format(v='v'))}"
        body = made.format(i=i, key=f", {said}" if said else "", only=said)
        r = " + ".join(f"{2.0 * k + 1.0} * ({w.format(v=f'ks[{k}]')})" for k in (range(1) if "est" in order else range(3)))
        text = f"def f(x, n):\n{first}    {body}\n    return {r}\n"
        args = (np.array([0.7, 1.3, 2.1, 0.4, 0.9]), 4)
        made_of = program(text, gaps=GAPS, signs=SIGNS)
        yield Cell(
            f"{items}, {order} by {by}, as many {count}",
            made_of,
            args,
            smooth=not {"gaps", "signs"} & set(i.replace("[", " ").split()),
        )
