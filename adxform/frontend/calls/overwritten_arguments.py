"""Options by which a function of a library may write to what it is given (`overwrite_a=True`): it is given a copy of that.

What the array holds afterwards is not said, and a result may lie in its memory: whoever reads or writes it then is refused, by a
check of the whole function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Static, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array
from adxform.primitives.signatures import form_of
from adxform.primitives.writing_options import is_off, is_writing_option

_PREFIX = "overwrite_"

Given = tuple[tuple[Value, ...], dict[str, Value]]


def with_copies(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Given | None:
    """What `fn` is given with such options off, and copies of what they let it write to; ``None`` where that cannot be told."""
    try:
        form = form_of(fn, len(args), tuple(kwargs))
    except TypeError:
        return None
    names = () if form is None else tuple(one.name for one in form.positional[: len(args)])
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    options = [name for name in given if is_writing_option(name) and not is_off(given[name])]
    if not options or len(names) != len(args):
        return None
    for name in options:
        target = name.removeprefix(_PREFIX)
        place = target if target in given else next(iter(names), target)
        if given[name] != Lit(True) or not name.startswith(_PREFIX) or isinstance(given.get(place, Lit(None)), Static):
            return None
        given[name], given[place] = Lit(False), _copied(interp, given[place])
    return tuple(given[name] for name in names), {name: given[name] for name in kwargs if name not in options}


def _copied(interp: Interpreter, value: Value) -> Value:
    """A copy of an array, which is spent then; of anything else the library makes an array of its own."""
    if not isinstance(value, Var) or not isinstance(value.type, Array) or value.type.shape == ():
        return value
    copy = interp.call(Lit(np.ndarray.copy), (value,), hint=value.base)
    if isinstance(copy, Var):
        interp.to_check.spent.append((value, copy))
    return copy
