"""Options of functions by which they write to what they are given: ``out=``, ``output=``, ``overwrite_a=True``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adxform.ir.ops import Call, Lit
from adxform.ir.spans import own_attribute
from adxform.primitives.signatures import form_of


def is_writing_option(name: str) -> bool:
    """Whether an option of this name says that an argument is written: to it, or where it lies; ``out2`` is one of several."""
    return name.rstrip("0123456789") in ("out", "output", "inplace") or name.startswith("overwrite")


def writing_options(fn: object, count: int, names: tuple[str, ...]) -> Iterator[int | str]:
    """The places, of `count`, and the names of the options by which a call of `fn` may write to what it is given."""
    yield from filter(is_writing_option, names)
    try:
        form = form_of(fn, count, names)
    except TypeError:  # one that cannot be called so, or that is no key of a table
        return
    for place, one in enumerate(() if form is None else form.positional):
        if is_writing_option(one.name):
            yield place


def is_off(value: object) -> bool:
    """Whether an option that is given `value` writes nowhere: it is not taken, or a text says what is to be given."""
    return value in (Lit(None), Lit(False)) or (isinstance(value, Lit) and isinstance(value.value, str))


def has_writing_options(fn: object) -> bool:
    """Whether `fn` is a function of SciPy's, which writes where an option says so; its rules are for calls that do not."""
    return not isinstance(fn, np.ufunc) and str(own_attribute(fn, "__module__")).startswith("scipy.")


def is_told_to_write(call: Call) -> bool:
    """Whether `call` has an option by which a function of SciPy's may write to what it is given."""
    if not isinstance(call.fn, Lit) or not has_writing_options(call.fn.value):
        return False
    named = dict(call.kwargs)
    options = writing_options(call.fn.value, len(call.args), tuple(named))
    return any(not is_off(call.args[one] if isinstance(one, int) else named[one]) for one in options)
