"""What a primitive took or gave is overwritten afterwards: the reverse sweep must read what was there before.

Every form of `tests.tables.forms`, times each array that it takes or gives, times where this happens; each cell overwrites in the
next of the ways, so that every primitive meets every way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import adxform
from tests.tables.cell import Cell, program
from tests.tables.forms import GLOBALS, Form, forms

OVERWRITES = {
    "whole": "{0}[...] = 0.7",
    "add": "{0} += 0.05",
    "part": "{0}[1:] += 0.05",
    "multiply": "{0} *= 1.05",
    "fill": "{0}.fill(0.7)",
    "copyto": "np.copyto({0}, 0.7)",
    "sort": "{0}.sort()",
    "view": "w = {0}[::-1]; w *= 1.05",
    "transposed": "w = {0}.T; w[...] = 1.02 * w",
    "out": "np.multiply({0}, 1.05, out={0})",
    "item": "{0}[0] = 0.7",
    "mask": "{0}[{0} > 0.6] += 0.05",
    "fancy": "{0}[[0, -1]] *= 1.05",
    "power": "{0} **= power",
}
READ = "s += np.sum(np.cos(r))"
# What comes before the call, the call with what overwrites, and what comes after, by where it happens.
PLACES = {
    "straight": "{copies}{call}{overwrite}{read}",
    "argument": "{call}{overwrite}{read}",
    "twice": "{copies}{call}before = r\n{call}{overwrite}{read}s += np.sum(np.sin(before))\n",
    "straight, it alone moves": "{copies}{call}{overwrite}{read}",
    "loop, another alone moves": "{copies}for k in range(2):\n{again:1}{call:1}{overwrite:1}{read:1}",
    "branch": "{copies}if t > 0.0:\n{call:1}{overwrite:1}{read:1}else:\n    s += 2.0 * np.sum(a)\n",
    "branch after": "{copies}{call}if t > 0.0:\n{overwrite:1}{read}",
    "loop": "{copies}for k in range(2):\n{again:1}{call:1}{overwrite:1}{read:1}",
    "fresh in a loop": "for k in range(2):\n{fresh:1}{call:1}{overwrite:1}{read:1}",
    "while": "{copies}k = 0\nwhile k < 2:\n{again:1}{call:1}{overwrite:1}{read:1}    k += 1\n",
    "helper": "{copies}{call}wipe({target}, power)\n{read}",
    "boundary": "{copies}{call}kept({target}, power)\n{read}",
    "checkpointed": "{copies}for k in range(3):\n{again:1}{call:1}{overwrite:1}{read:1}",
}


class _Lines(str):
    """Lines of source; ``f"{lines:1}"`` indents them by one step."""

    def __format__(self, steps: str) -> str:
        return "".join(f"{'    ' * int(steps or 0)}{line}\n" for line in self.splitlines())


def cells(every: int = 1) -> Iterator[Cell]:
    """Every form, each array in it and its result, in every place, each time with the next way of overwriting it.

    With `every`, one cell of so many in a row: a number that shares no factor with how many places and ways there are.
    """
    for form, target, way, place in itertools.islice(_chosen(), 0, None, every):
        yield Cell(f"{form.name}; {target}: {way}; {place}", *_made(form, target, way, place), bits=False)


def _chosen() -> Iterator[tuple[Form, str, str, str]]:
    """What each cell is made of."""
    ways = itertools.cycle(OVERWRITES)
    for form in forms():
        value = form.value()
        written = moving_arrays(form) + ["r"] * is_array(value)
        for target, place in itertools.product(written, PLACES):
            if place.endswith("moves") and len(moving_arrays(form)) < 2:
                continue
            yield form, target, next(ways), place


def moving_arrays(form: Form) -> list[str]:
    """The names of the arrays that have a derivative and can be overwritten."""
    return [name for name, array in form.arrays.items() if is_array(array)]


def is_array(value: Any) -> bool:
    """Whether `value` is an array of floats that has elements to overwrite."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim > 0 and value.size > 0


def _made(form: Form, target: str, way: str, place: str) -> tuple[Any, tuple[Any, ...]]:
    """The program of a cell and its arguments."""
    given = tuple(form.arrays)
    moving = moving_arrays(form)
    overwrite = OVERWRITES[way].format(target)
    parts = {
        "copies": _Lines("\n".join(f"{name} = {name}_.copy()" for name in moving)),
        "again": _Lines("\n".join(f"{name}[...] = {name}_ * (1.0 + 0.01 * k)" for name in moving)),
        "fresh": _Lines("\n".join(f"{name} = {name}_ * (1.0 + 0.01 * k)" for name in moving)),
        "call": _Lines("\n".join(form.lines)),
        "overwrite": _Lines(overwrite),
        "read": _Lines("\n".join((READ, *(f"s += np.sum(np.sin({name}))" for name in moving)))),
    }
    body = PLACES[place].format(target=target, **parts)
    still = _still(moving, target, place)
    suffixed = "" if place == "argument" else "_"
    args = {f"{name}{suffixed}" if name in moving else name: form.arrays[name] for name in given if name not in still}
    params = ", ".join((*args, *form.parameters, "t", "power"))
    helpers = "def wipe(v, power):\n" + f"{_Lines(OVERWRITES[way].format('v')):1}" + "    return v\n\n"
    text = f"{helpers}kept = boundary(wipe)\n\ndef f({params}):\n    s = 0.0\n{_Lines(body):1}    return s\n"
    if place == "checkpointed":
        text += "\nf = checkpoint(f, checkpoint_steps=2)\n"
    names = {**GLOBALS, **{f"{name}_": np.copy(form.arrays[name]) for name in still}}
    function = program(text, **names, boundary=adxform.differentiable(boundary=True), checkpoint=adxform.checkpoint)
    return function, (*map(np.copy, args.values()), *form.parameters.values(), 1.5, 2)


def _still(moving: list[str], target: str, place: str) -> list[str]:
    """The arrays that are no arguments of the program, but constants from outside of it."""
    if not place.endswith("moves"):
        return []
    own = target if target in moving else moving[0]
    return [name for name in moving if (name == own) == ("another" in place)]
