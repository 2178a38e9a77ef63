"""Read-only arrays among the arguments: a function that writes to one raises NumPy's error, one that does not has derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adxform import runtime
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.loading import annotate, load
from adxform.ir.ops import Function
from adxform.passes.scalar.chosen_values import has_values, own_values
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.memos import Memo


def refuse_writes_to_read_only(rule: DerivedRule, inputs: Sequence[Any]) -> None:
    """Raise what the function of `rule` raises on `inputs` where it writes to a read-only one.

    The derivative works on copies, which can be written to. So where the function may write to an array that is read-only, the
    function itself runs first, on copies of all else that it may write to: whether it does only the run can tell.

    Raises:
        ValueError: it writes to one.
    """
    written = [i for i in rule.private if isinstance(inputs[i], np.ndarray)]
    if all(inputs[i].flags.writeable for i in written):
        return
    given = list(inputs)
    for i in written:
        if given[i].flags.writeable:
            given[i] = runtime.private(given[i])
    generated, run = primal(rule)
    try:
        run(*given)
    except ValueError as error:
        if "read-only" in str(error):
            annotate(error, generated)
            raise
    except Exception:  # the derivative raises it as well
        return


def primal(rule: DerivedRule) -> tuple[Generated, Callable[..., Any]]:
    """The function that `rule` was derived of, as it was specialised: with every store, whether anything reads it or not."""

    def made() -> tuple[Generated, Callable[..., Any]]:
        fn = rule.request.function
        generated = emit(own_values(fn) if has_values(fn) else fn, surroundings=rule.request.surroundings)
        return generated, load(generated)

    return _primals.get(rule.request.function, made)


_primals: Memo[Function, tuple[Generated, Callable[..., Any]]] = Memo(64)
