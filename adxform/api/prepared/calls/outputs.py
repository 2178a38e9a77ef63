"""Results written into the caller's arrays, and out of memory that the next call writes to again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform.api.prepared.calls.arguments import line
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.backends.python.loading import annotate
from adxform.frontend.signature import Node, meta_of, parts
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import check_sharing, one_more_call, overlap
from adxform.runtime.dispatch.leaf_flattening import among, kind
from adxform.runtime.dispatch.result_structures import assemble
from adxform.runtime.dispatch.workspaces import Pool
from adxform.runtime.strides import overlaps_itself

LATER = object()
"""A part of a result of which only the run tells what it is like."""
Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class ExpectedArray:
    """An array that a result will hold."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return f"an array of {self.dtype} of shape {self.shape}"


ARRAYS = np.ndarray, ExpectedArray


@dataclass(slots=True)
class Destination:
    """The caller's arrays `out` for a result: `arrays` are what they hold for each array in it, in order.

    Where that is not known before the run, there are none, and what is delivered is checked first.
    """

    out: Any
    taken: Sequence[Any]
    refused: Callable[[list[str]], Exception]
    arrays: Iterator[Any] | None
    own: list[Any] = field(default_factory=list)

    def beside(self, values: Sequence[Any]) -> list[Any]:
        """The next arrays for parts like `values`, and ``None`` for what goes to none at once."""
        arrays = self.arrays
        if arrays is None:
            return [None] * len(values)
        return [next(arrays) if isinstance(value, ARRAYS) else None for value in values]

    def blocks(self, like: Sequence[Any]) -> list[Any]:
        """The next arrays for parts like `like`: new ones where the caller gave none, and numbers as they are."""
        found = self.beside(like)
        for i, (block, expected) in enumerate(zip(found, like, strict=True)):
            if block is None and isinstance(expected, ExpectedArray):
                found[i] = np.empty(expected.shape, expected.dtype)
                self.own.append(found[i])
        return found

    def held(self, values: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """`values`, which lie in a workspace, in the caller's `arrays`, or copied where there is none."""
        found = [*arrays]
        for i, (block, value) in enumerate(zip(found, values, strict=True)):
            if block is not None:
                block[...] = value
            else:
                found[i] = value.copy() if isinstance(value, np.ndarray) else value
                self.own.append(found[i])
        return found

    def delivered(self, result: Any) -> Any:
        """`result`, which may lie in a workspace, in the arrays of `out`, or copied where there is none."""
        if self.arrays is None:
            destination(result, self.out, self.taken, self.refused)
        return moved(result, self.out, self.own)


def destination(like: Any, out: Any, taken: Sequence[Any], refused: Callable[[list[str]], Exception]) -> Destination:
    """The arrays of `out` for a result like `like`, made of the arrays `taken`.

    `out` has the structure of the result, with ``None`` for what is returned as it is; its arrays share no memory with one
    another nor with those `taken`. In `like`, an `ExpectedArray` may stand for an array, and `LATER` for a part.

    Raises:
        Exception: whatever `refused` makes of what is wrong with `out`.
    """
    found: list[Pair] = []
    lines: list[str] = []
    if not _fits(like, out, found):
        found.clear()
        lines += _matched(like, out, "out", found)
    targets = [target for _, target in found if type(target) is np.ndarray]
    for i, target in enumerate(targets):
        for other in taken:
            if isinstance(other, np.ndarray) and overlap(target, other):
                lines.append("`out`: expected memory of its own, got memory of an argument")
        for other in targets[:i]:
            if overlap(target, other):
                lines.append("`out`: expected arrays apart, got two that share memory")
    if lines:
        raise refused(list(dict.fromkeys(lines))) from None
    for leaf, _ in found:
        if leaf is LATER:
            return Destination(out, taken, refused, None)
    return Destination(out, taken, refused, iter([target for leaf, target in found if isinstance(leaf, ARRAYS)]))


def writer(fn: Callable[..., Any], rule: DerivedRule, pool: Pool, position: int) -> Callable[..., Any]:
    """What writes result number `position` of `rule`, an array, into the caller's, where `Destination` has nothing to say.

    It takes the inputs and the seeds of `rule`, derived of `fn`, an array like the result, and the caller's. It returns that, or
    `MISS` where it takes a closer look.
    """
    form, home, count = pool.rule, pool.rule.homes[position], len(pool.rule.homes)
    run, one_more, ndarray = form.run, one_more_call, np.ndarray

    def write(inputs: Sequence[Any], seeds: Sequence[Any], like: Any, out: Any) -> Any:
        if type(out) is not ndarray or type(like) is not ndarray or out.shape != like.shape or out.dtype != like.dtype:
            return MISS
        flags, taken = out.flags, [*inputs, *seeds]
        if not flags.carray or (form.contiguous and not form.takes(taken)):
            return MISS
        own = flags.owndata
        for other in taken:
            if type(other) is ndarray and (other is out or not (own and other.flags.owndata)) and overlap(out, other):
                return MISS
        if rule.private:
            check_sharing(fn, rule, inputs, seeds)
        work = pool.take(taken)
        try:
            one_more()
            found = run(*taken, *work.given_one(home, out))
            if count > 1:
                found = found[position]
            if found is not out:
                out[...] = found
            return out
        except Exception as error:
            annotate(error, form.generated)
            raise
        finally:
            pool.give_back(work)

    return write


def _fits(result: Any, out: Any, found: list[Pair]) -> bool:
    """Whether `_matched` has nothing to say, as far as that is quickly told; if so, `found` is what it finds."""
    cls = type(result)
    if result is LATER:
        if out is not None:
            found.append((LATER, out))
        return True
    if cls in ARRAYS:
        found.append((result, out))
        same = type(out) is np.ndarray and out.shape == result.shape and out.dtype == result.dtype
        return out is None or (same and out.flags.writeable and not overlaps_itself(out))
    if cls is tuple or cls is list:
        others = [None] * len(result) if out is None else out
        if (out is not None and type(out) is not cls) or len(others) != len(result):
            return False
        return all(_fits(one, other, found) for one, other in zip(result, others, strict=True))
    return False


def _matched(result: Any, out: Any, path: str, found: list[Pair]) -> Iterator[str]:
    if result is LATER:
        if out is not None:
            found.append((LATER, out))
        return
    number = isinstance(result, np.generic | int | float | complex)
    if number or isinstance(result, np.ndarray | ExpectedArray):
        found.append((result, out))
        if out is not None:
            yield from _unfit(result, out, path)
        return
    mine = parts(result)
    if mine is None:
        if out is not None:
            yield line(path, "None", kind(out))
        return
    given = None if out is None else parts(out)
    if out is not None and (given is None or mine[:2] != given[:2] or type(result) is not type(out)):
        yield line(path, f"the structure of the result, {kind(result)}", kind(out))
        return
    others = [None] * len(mine[2]) if given is None else given[2]
    for key, one, other in zip(mine[1], mine[2], others, strict=True):
        yield from _matched(one, other, f"{path}[{key!r}]", found)


def _unfit(result: Any, out: Any, path: str) -> Iterator[str]:
    """What keeps `result`, an array or a number, from being written into `out`."""
    number = not isinstance(result, np.ndarray | ExpectedArray)
    shape = () if number else result.shape
    dtype = np.result_type(result) if number else result.dtype
    if type(out) is not np.ndarray or out.shape != shape or out.dtype != dtype:
        expected = str(ExpectedArray(shape, dtype))
        yield line(path, f"None or {expected}" if number else expected, kind(out))
    elif not out.flags.writeable:
        yield line(path, "an array that can be written to", "a read-only one")
    elif overlaps_itself(out):
        yield line(path, "an array with a place for each element", "one with elements that share memory")


def moved(result: Any, out: Any, own: list[Any]) -> Any:
    """`result` with its arrays written into those of `out`, which fits; where that is ``None``, copied, but for its `own`."""
    if isinstance(out, np.ndarray):
        if out is not result:
            out[...] = result
        return out
    if isinstance(result, np.ndarray):
        return result if among(result, own) else result.copy()
    found = parts(result)
    if found is None:
        return result
    structure, keys, children = found
    given = None if out is None else parts(out)
    others: Sequence[Any] = [None] * len(children) if given is None else given[2]
    items = [moved(one, other, own) for one, other in zip(children, others, strict=True)]
    if all(one is item for one, item in zip(children, items, strict=True)):
        return result
    return assemble(Node(structure, type(result), keys, (), meta_of(result)), items)
