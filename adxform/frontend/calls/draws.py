"""Random numbers: what a method of a generator returns is known by its name and arguments, so that a draw has a type."""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.types.sampled_types import sampled_type, with_fresh
from adxform.frontend.types.samples import NoSample
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.spans import own_attribute
from adxform.ir.types import Object, Type

GENERATORS: tuple[Any, ...] = (np.random.Generator, np.random.RandomState, random.Random)
MAKERS: dict[Any, type] = {np.random.default_rng: np.random.Generator, **{cls: cls for cls in GENERATORS[1:]}}


@functools.cache
def _sampled(cls: Any, name: str) -> Callable[..., Any]:
    def sampled(*args: Any, **kwargs: Any) -> Any:
        generator = np.random.default_rng(0) if cls is np.random.Generator else cls(0)
        return getattr(generator, name)(*args, **kwargs)

    return sampled


def method_of(interp: Interpreter, fn: Any, args: tuple[Operand, ...]) -> tuple[Any, str, int] | None:
    """The class of a generator, the name of its method that ``fn(*args)`` calls, and how many of `args` are not the method's.

    ``None`` where no such method is called.
    """
    first = args[0] if args else None
    if fn is operator.call:
        found = interp.of_run.draws.get(first) if isinstance(first, Var) else None
        return None if found is None else (*found, 1)
    owner, lead = (first.value, 1) if isinstance(first, Lit) else (own_attribute(fn, "__self__"), 0)
    cls = next((cls for cls in GENERATORS if isinstance(owner, cls)), None)
    name = own_attribute(fn, "__name__", "")
    return None if cls is None or not hasattr(cls, name) else (cls, name, lead)


def drawn_type(interp: Interpreter, cls: Any, name: str, args: tuple[Operand, ...], named: dict[str, Operand]) -> Type:
    """The type of what a generator's method draws, found by drawing from a generator of our own."""
    try:
        return with_fresh(sampled_type(_sampled(cls, name), args, named, interp.integers.sizes), interp.integers.fresh_dim)
    except NoSample:
        return Object()
