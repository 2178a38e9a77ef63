"""Results written into the caller's arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adxform.application import overlap
from adxform.frontend.signature import Node, meta_of, parts
from adxform.perturbations import kind
from adxform.prepared.arguments import line
from adxform.trees import assemble

Pair = tuple[Any, Any]


def written(result: Any, out: Any, taken: Sequence[Any]) -> tuple[Any, list[str]]:
    """`result` with its arrays written into those of `out`, and what is wrong with `out`, if anything: then nothing is written.

    `out` has the structure of the result, with ``None`` for what is returned as it is; its arrays share no memory with one
    another nor with those that the derivative has `taken`.
    """
    pairs: list[Pair] = []
    lines = list(_matched(result, out, "out", pairs))
    targets = [target for target, _ in pairs]
    others = [value for value in taken if isinstance(value, np.ndarray)]
    for i, target in enumerate(targets):
        if any(overlap(target, other) for other in others):
            lines.append("`out`: expected memory of its own, got memory of an argument")
        if any(overlap(target, other) for other in targets[:i]):
            lines.append("`out`: expected arrays apart, got two that share memory")
    if lines:
        return result, list(dict.fromkeys(lines))
    for target, value in pairs:
        target[...] = value
    return replaced(result, out), []


def _matched(result: Any, out: Any, path: str, pairs: list[Pair]) -> Iterator[str]:
    if out is None:
        return
    if isinstance(result, np.ndarray) or np.isscalar(result):
        fits = type(out) is np.ndarray and out.shape == np.shape(result) and out.dtype == np.result_type(result)
        if not fits:
            expected = kind(result) if isinstance(result, np.ndarray) else f"None or {kind(np.asarray(result))}"
            yield line(path, expected, kind(out))
        elif not out.flags.writeable:
            yield line(path, "an array that can be written to", "a read-only one")
        else:
            pairs.append((out, result))
        return
    mine, given = parts(result), parts(out)
    if mine is None or given is None or mine[:2] != given[:2] or type(result) is not type(out):
        yield line(path, f"the structure of the result, {kind(result)}" if mine else "None", kind(out))
        return
    for key, one, other in zip(mine[1], mine[2], given[2], strict=True):
        yield from _matched(one, other, f"{path}[{key!r}]", pairs)


def replaced(result: Any, out: Any) -> Any:
    """`result` with the arrays of `out` in the places of its own."""
    if out is None or isinstance(out, np.ndarray):
        return result if out is None else out
    found = parts(result)
    assert found is not None
    given = parts(out)
    assert given is not None
    structure, keys, children = found
    items = [replaced(one, other) for one, other in zip(children, given[2], strict=True)]
    return assemble(Node(structure, type(result), keys, (), meta_of(result)), items)
