"""Rules that write into buffers which outlive a call, where the arrays that a function makes have a plan of those.

A `BufferedRule` is the realised form of a function with such a plan (`adxform.passes.memory.buffer_plan`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform.backends.choice import realise
from adxform.backends.protocol import Backend
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import load
from adxform.backends.registry import backend_of
from adxform.frontend.derivative_operators import PYTHON, Engine
from adxform.ir.ops import Block, Function, Var
from adxform.passes.memory.buffer_plan import BufferPlan, plan_buffers
from adxform.passes.memory.buffer_sharing import share_buffers
from adxform.passes.memory.out_forms import is_elementwise
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.primitives.alias import alias_classes


@dataclass(frozen=True, slots=True)
class BufferedRule:
    """A generated function that takes its memory, `buffers`, after its own parameters.

    The lengths of `params`, its own parameters or those of the function that it is the later part of, are what memory is made by.
    Of these, `stacked` are `adxform.runtime.BufferStack`. `homes` says for each result which of `buffers` it is, if it is one.
    `contiguous`: it is only right for arguments that are.
    """

    generated: Generated
    run: Callable[..., Any]
    params: tuple[Var, ...]
    buffers: tuple[Var, ...]
    stacked: tuple[Var, ...]
    homes: tuple[int | None, ...]
    contiguous: bool

    @property
    def only_results(self) -> bool:
        """Whether there is no memory but that of results."""
        return {home for home in self.homes if home is not None} == {*range(len(self.buffers))}

    def takes(self, inputs: Sequence[Any]) -> bool:
        """Whether `inputs` are laid out as they have to be."""
        return not self.contiguous or all(value.flags.c_contiguous for value in inputs if isinstance(value, np.ndarray))


def buffered(
    fn: Function, surroundings: Surroundings, engine: Engine, fallback: Callable[..., Any] | None = None
) -> BufferedRule:
    """`fn`, optimised typed IR, realised on `engine` so that it writes into memory that it is given.

    Where compiled code gives up, or what it assumes does not hold, `fallback` runs, or else `fn` itself, which make their own.
    """
    backend = backend_of(engine)
    lowered = backend.lower(fn, engine)
    instead: Unbuffered | None = None
    if lowered.may_give_up or fallback is not None:
        instead = Unbuffered(fallback or load(emit(fn, surroundings=surroundings)), len(fn.params))
    found = plan_buffers(lowered.function)
    found = shared(replace(found, function=eliminate_dead_code(found.function)))
    return with_buffers(fn, found, *realise(backend, lowered.with_function(found.function), surroundings, instead))


def buffered_later(
    joint: Function, ahead: Block, later: Block, tape: Sequence[Var], surroundings: Surroundings, backend: Backend
) -> BufferedRule:
    """The part `later` of `joint`, of which `ahead` is the other one, on `backend` in the form that writes into memory of others.

    It takes what lives across the cut, `tape`, of which it knows from the whole what may share memory.
    """
    whole = Block(joint.params, (*ahead.ops, *later.ops), later.results)
    found = shared(plan_buffers(replace(joint, body=whole), len(ahead.ops)))
    body = found.function.body
    body = replace(body, params=(*tape, *later.params, *found.buffers), ops=body.ops[len(ahead.ops) :])
    later_alone = replace(joint, body=body)
    lowered = backend.lower(later_alone, PYTHON)
    return with_buffers(joint, found, *realise(backend, lowered, surroundings, aliases=alias_classes(found.function)))


def shared(found: BufferPlan) -> BufferPlan:
    """The same with fewer places: see `adxform.passes.memory.buffer_sharing`."""
    function, buffers = share_buffers(found.function, found.buffers, found.stacked, is_elementwise)
    return replace(found, function=function, buffers=buffers)


def with_buffers(fn: Function, found: BufferPlan, generated: Generated, run: Callable[..., Any]) -> BufferedRule:
    """The rule for `fn` that is what was `found`, of which `generated` is the source, run by `run`."""
    homes = tuple(found.buffers.index(result) if result in found.buffers else None for result in found.function.results)
    return BufferedRule(generated, run, fn.params, found.buffers, found.stacked, homes, found.contiguous)


@dataclass(frozen=True, slots=True)
class Unbuffered:
    """Calls `run` with the first `count` of what it is given."""

    run: Callable[..., Any]
    count: int

    def __call__(self, *given: Any) -> Any:
        """What `run` returns."""
        return self.run(*given[: self.count])
