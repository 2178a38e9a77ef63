"""A derived rule run on values: at once, cut at its tape, or in a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from adxform.backends.python.emit import Generated
from adxform.backends.python.loading import annotate
from adxform.errors import AliasError
from adxform.runtime import counters
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.refusals import definition, name_of
from adxform.runtime.dispatch.split import Contents, CutRule, as_tuple, put_back, saved
from adxform.runtime.dispatch.workspaces import Pool, Workspace
from adxform.runtime.strides import overlaps_itself

one_more_call = counters.stepper("primal_calls")


@dataclass(frozen=True, slots=True)
class InWorkspace:
    """`rule`, derived of `fn`, in a `workspace` of `pool`, to be given back: results are good until then, or the next run."""

    fn: Callable[..., Any]
    rule: DerivedRule
    pool: Pool
    workspace: Workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.give_back(self.workspace)

    def run(self, inputs: Sequence[Any], seeds: Sequence[Any], outs: Sequence[Any] = ()) -> tuple[Any, ...]:
        """What the rule returns for these inputs and these cotangents or tangents.

        Of `outs`, an array or ``None`` for each result, those that can be are written to at once.
        """
        rule, form = self.rule, self.workspace.rule
        if rule.private:
            check_sharing(self.fn, rule, inputs, seeds)
        if form.contiguous and not form.takes([*inputs, *seeds]):
            return execute(self.fn, rule, inputs, seeds)
        one_more_call()
        try:
            found = form.run(*inputs, *seeds, *self.workspace.given(outs))
        except Exception as error:
            annotate(error, form.generated)
            raise
        return as_tuple(found, len(form.homes))


def called(run: Callable[..., Any], generated: Generated, count: int, *given: Any) -> tuple[Any, ...]:
    """The `count` results of `run`, the function of `generated`."""
    try:
        found = run(*given)
    except Exception as error:
        annotate(error, generated)
        raise
    return as_tuple(found, count)


def execute(fn: Callable[..., Any], rule: DerivedRule, inputs: Sequence[Any], seeds: Sequence[Any]) -> tuple[Any, ...]:
    """What `rule`, derived of `fn`, returns for these inputs and these cotangents or tangents."""
    if rule.private:
        check_sharing(fn, rule, inputs, seeds)
    one_more_call()
    if rule.buffers:
        counters.count("buffer_allocs", rule.buffers)
    try:
        found = rule.run(*inputs, *seeds)
    except Exception as error:
        annotate(error, rule.generated)
        raise
    results = as_tuple(found, rule.returned)
    if not rule.request.scratch:
        return results
    work = [inputs[i] for i in rule.request.scratch]
    return tuple(apart(value, work) for value in results)


def runner(fn: Callable[..., Any], rule: DerivedRule) -> Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]:
    """`execute` of `rule`, which is derived of `fn`: takes inputs, and cotangents or tangents."""
    if rule.private or rule.buffers or rule.request.scratch:
        return partial(execute, fn, rule)
    run, generated, count, one_more = rule.run, rule.generated, rule.returned, one_more_call

    def plain(inputs: Sequence[Any], seeds: Sequence[Any]) -> tuple[Any, ...]:
        one_more()
        try:
            found = run(*inputs, *seeds)
        except Exception as error:
            annotate(error, generated)
            raise
        return found if count > 1 else as_tuple(found, count)

    return plain


@dataclass(frozen=True, slots=True)
class Residuals:
    """What the backward part of a rule takes beside cotangents; the same before and after each `run`.

    What a run changes is saved at the first one, and put back after each.
    """

    parts: CutRule
    values: tuple[Any, ...]
    lock: Any
    contents: list[Contents] = field(default_factory=list)

    def run(
        self, seeds: Sequence[Any], batched: CutRule | None = None, work: Workspace | None = None, outs: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        """What the backward part returns for these cotangents: that of the rule, or that of `batched`, for several vectors.

        In `work`, memory of the form for it, results are good until the next run, and those of `outs`, an array or ``None`` for
        each, that can be are written to at once.
        """
        parts = batched or self.parts
        if not parts.changed:
            return self._run(parts, seeds, work, outs)
        with self.lock:
            if not self.contents:
                self.contents.extend(saved((self.values[i], deep) for i, deep in parts.changed))
            try:
                return self._run(parts, seeds, work, outs)
            finally:
                put_back(self.contents)

    def _run(self, parts: CutRule, seeds: Sequence[Any], work: Workspace | None, outs: Sequence[Any]) -> tuple[Any, ...]:
        if work is None:
            return called(parts.run_backward, parts.backward, parts.gradients, *self.values, *seeds)
        form = work.rule
        return called(form.run, form.generated, parts.gradients, *self.values, *seeds, *work.given(outs))


def apart(value: Any, arrays: list[Any]) -> Any:
    """`value`, copied if it is an array that shares memory with one of `arrays`."""
    if isinstance(value, np.ndarray) and any(np.may_share_memory(value, array) for array in arrays):
        return value.copy()
    return value


def check_sharing(fn: Callable[..., Any], rule: DerivedRule, inputs: Sequence[Any], seeds: Sequence[Any] = ()) -> None:
    """Raise where an array that the function writes shares memory with another of its arrays, or work space with a seed.

    Each is copied before it is written, so that the other one would not see the write. Work space is not, so that a tangent or
    cotangent would.
    """
    written = rule.private
    for i in written:
        if isinstance(inputs[i], np.ndarray) and inputs[i].flags.writeable and overlaps_itself(inputs[i]):
            raise _shared(fn, rule, i, "itself: elements of it lie at the same place", "pass a copy of it")
        for j, other in enumerate(inputs):
            if i != j and isinstance(other, np.ndarray) and (j not in written or i < j) and overlap(inputs[i], other):
                raise _shared(fn, rule, i, f"`{rule.typed.params[j].base}`")
    for i in rule.request.scratch:
        if any(isinstance(seed, np.ndarray) and overlap(inputs[i], seed) for seed in seeds):
            raise _shared(fn, rule, i, "a tangent or cotangent")


def _shared(
    fn: Callable[..., Any], rule: DerivedRule, written: int, other: str, way: str = "pass a copy of one of them"
) -> AliasError:
    return AliasError(
        f"`{name_of(fn)}` may write to `{rule.typed.params[written].base}`, which shares memory with {other}",
        span=definition(fn),
        help=way,
    )


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share an element, as far as that is quickly told."""
    if a is not b and a.flags.owndata and b.flags.owndata:
        return False
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
