"""What prepared forward and reverse derivatives have in common: the derivatives along any number of vectors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.api.prepared.base import Prepared, apart_from_one_another
from adxform.api.prepared.calls.fast_path_writer import MISS, Writer
from adxform.api.prepared.calls.outputs import LATER, Destination
from adxform.api.prepared.calls.sweeps import batch_answer
from adxform.api.prepared.matrices.columns import padded, put, rows_at, rows_like
from adxform.backends.python.written_syntax import LOAD, call
from adxform.frontend.signature import Node, Tree
from adxform.ir.types import Type
from adxform.runtime.dispatch.batches import Batch, BatchResults, split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.result_structures import builder, rebuild


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Directional(Prepared):
    """A derivative with respect to every float of the positional arguments; `batched` is its rule for `directions` vectors."""

    rule: DerivedRule
    batched: DerivedRule
    directions: int
    wrt: tuple[int, ...]

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rule for one vector, and the one for several."""
        return apart_from_one_another(self.rule, self.batched)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {"strict": self.strict, "directions": self.directions, "engine": self.engine}

    def swiftly(
        self, vectors: Tree, types: Iterable[Type], arranged: Callable[[Sequence[Any]], Any]
    ) -> Callable[[tuple[Any, ...]], Any]:
        """The value, and what `arranged` makes of derivatives of these `types`, for arguments as they were prepared for.

        Of many `vectors`, which come last. `MISS` where that takes a closer look.
        """
        expected, rule, count = self.made.expected, self.batched, len(self.batched.typed.results)

        def returned(writer: Writer, values: list[ast.expr], leaves: list[ast.expr]) -> ast.expr:
            value = call(writer.constant("value", builder(self.call.result)), ast.Tuple(values, LOAD))
            return ast.Tuple([value, call(writer.constant("arranged", arranged), ast.Tuple(leaves, LOAD))], LOAD)

        found = None
        if expected is not None and all(rule.takes()):
            found = batch_answer(expected, vectors, rule, count, tuple(types), returned)
        return found or (lambda args: MISS)

    def along(
        self,
        inputs: list[Any],
        batch: Batch,
        types: Iterable[Type],
        arranged: Callable[[Sequence[Any], Any], Any],
        out: Any,
        likes: tuple[Sequence[Any], Sequence[Any]] | None = None,
        seeded: Callable[[Sequence[Any]], Sequence[Any]] = list,
        spread: Callable[[Sequence[Any], Sequence[Any]], Iterable[Any]] = lambda ends, slopes: slopes,
    ) -> Any:
        """The value, and derivatives of these `types` for the vectors of a `batch`; in the arrays of `out`, if there are any.

        `arranged` gives derivatives their structure, and takes what to put for known floats. The rule takes what `seeded` makes
        of a vector; `spread` makes a derivative of the value and of what the rule returns. Where that is all, and the leaves of
        the value and of a derivative are known to be like `likes`, it writes into `out` at once.
        """
        result, count, stack = self.call.result, len(self.rule.typed.results), BatchResults.of(batch.count, types)
        to: Destination | None = None
        values: Sequence[Any] = ()
        own: list[Any] = []
        blocks: list[Any] = []

        def told(results: Sequence[Any], several: int) -> tuple[Sequence[Any], list[list[Any]]]:
            ends = results[:count]
            return ends, [list(spread(ends, part)) for part in split(results, count, several)]

        def begun(ends: Sequence[Any], slopes: Sequence[Any]) -> tuple[Destination, list[Any], list[Any]]:
            like = rows_like(batch.count, slopes, stack.dtypes)
            expected = rebuild(result, iter(ends)), arranged(like, LATER)
            to = self.destination(expected, out, [*inputs, *batch.leaves])
            return to, to.beside(ends), to.blocks(like)

        if out is not None and likes is not None:
            to, own, blocks = begun(*likes)
        for group, rows in batch.rows(self.batched.request.directions):
            rule = self.rule if len(rows) == 1 else self.batched
            seeds = [seed for row in rows for seed in seeded(row)]
            if out is None:
                found, parts = told(self.call.run(self.made.pooled(rule), inputs, *seeds), len(rows))
                values = values or found
                stack.put(group, parts)
                continue
            with self.in_workspace(rule, [*inputs, *seeds]) as work:
                targets = rows_at(blocks, group)
                outs = [] if likes is None else [*[None] * count, *padded(targets, len(rule.optimised.results) - count)]
                found, parts = told(work.run(inputs, seeds, outs), len(rows))
                if to is None:
                    to, own, blocks = begun(found, parts[0])
                    targets = rows_at(blocks, group)
                values = values or to.held(found, own)
                put(blocks, targets, parts)
        leaves = stack.arrays if to is None else blocks
        both = rebuild(result, iter(values)), arranged(leaves, np.zeros(batch.count))
        return both if to is None else to.delivered(both)


def parts_of_first(args: Sequence[Any]) -> Sequence[Tree | None]:
    """The descriptions of what the first of `args` holds."""
    return args[0].children if args and isinstance(args[0], Node) else ()
