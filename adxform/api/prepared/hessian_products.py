"""Prepared products of Hessians with vectors, forward over reverse unless said otherwise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from adxform.api import checked_argnums, checked_engine
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, checked_directions
from adxform.api.prepared.calls.fast_path import Answer, answer, is_settled, structured
from adxform.api.prepared.calls.fast_path_writer import MISS, Writer
from adxform.api.prepared.calls.outputs import LATER, writer
from adxform.api.prepared.calls.preparation import picker, values_at
from adxform.api.prepared.calls.sweeps import batch_answer
from adxform.api.prepared.matrices.columns import padded, put, rows_at, rows_like
from adxform.api.prepared.second import FORWARD, Parts, SecondOrder
from adxform.api.second_order import checked_order
from adxform.api.second_order_definitions import product
from adxform.backends.python.written_syntax import LOAD, call
from adxform.frontend.derivative_operators import USUAL, EngineName, Order, operator
from adxform.frontend.signature import Leaf, Tree
from adxform.runtime.dispatch.application import Argnums
from adxform.runtime.dispatch.batches import BatchResults, split
from adxform.runtime.dispatch.execution import runner
from adxform.runtime.dispatch.leaf_flattening import finisher, matcher
from adxform.runtime.dispatch.result_structures import leaves_of
from adxform.runtime.dispatch.tracebacks import for_users, shorten


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedHvp(SecondOrder):
    """``prepare_hvp(f, …)``: the product of the Hessian with a vector, as `adxform.hvp` returns it."""

    form = "hvp"
    shown = "hvp"
    forms = MappingProxyType(
        {
            "gradient_and_hvp": forms.gradient_and_hvp,
            "value_gradient_and_hvp": forms.value_gradient_and_hvp,
            "batch": forms.products_of_batch,
        }
    )

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The product with the last of `args`."""
        try:
            if not kwargs and (found := self._swiftly(args) if out is None else self._into(args, out)) is not MISS:
                return found
            return self._answer(args, kwargs, out, Parts.LAST)
        except Exception as error:
            shorten(error)
            raise

    @for_users
    def gradient_and_hvp(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient, and the product with the last of `args`, from one run."""
        return self._answer(args, kwargs, out, Parts.DERIVATIVES)

    def value_gradient_and_hvp(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the gradient, and the product with the last of `args`, from one run."""
        return self._answer(args, kwargs, out, Parts.ALL)

    @for_users
    def batch(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The products with the vectors in the last of `args`, all leaves of which have one more axis, the first."""
        if out is None and not kwargs and (found := self._batch(args)) is not MISS:
            return found
        primals, vs = self._split(args)
        this, inputs = self.at(primals, kwargs)
        this.refuse_repeated()
        batch = this.vectors("vectors", this.point, values_at(inputs, this.places), vs)
        stack, groups = BatchResults.of(batch.count, this.types), batch.rows(this.batched.request.directions)
        if out is None:
            for group, rows in groups:
                stack.put(group, this.products_along(inputs, rows))
            return this.arrange(stack.arrays)
        like = rows_like(batch.count, batch.likes, stack.dtypes)
        to = this.destination(this.arrange(like), out, [*inputs, *batch.leaves])
        blocks = to.blocks(like)
        for group, rows in groups:
            rule = this.product if len(rows) == 1 else this.batched
            vectors, targets = [*chain.from_iterable(rows)], rows_at(blocks, group)
            with this.in_workspace(rule, [*inputs, *vectors]) as work:
                found = work.run(inputs, vectors, padded(targets, len(vectors)))
                put(blocks, targets, split(found, 0, len(rows)))
        return to.delivered(this.arrange(blocks))

    @for_users
    def check(self, *args: Any, **kwargs: Any) -> None:
        """Say whether a call with these, the vector last, would fit: see `Prepared.check`."""
        primals, v = self._split(args)
        self.perturbation("vector", self.point, values_at(self.fitting(primals, kwargs), self.places), v)

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: all but that of the vector."""
        return args[:-1]

    @cached_property
    def _fitted(self) -> Callable[[Args], tuple[list[Any], Sequence[Any], list[Any]] | None]:
        """The inputs, the leaves among them, and those of the vector, for arguments as they were prepared for."""
        enter, picked, fitted = self.made.enter, picker(self.places), matcher(self.point)

        def fit(args: Args) -> tuple[list[Any], Sequence[Any], list[Any]] | None:
            inputs = enter(args[:-1]) if args else None
            if inputs is None:
                return None
            values = picked(inputs)
            vector = fitted(values, args[-1])
            return None if vector is None else (inputs, values, vector)

        return fit

    def _fast_path(self, *, into_out: bool = False) -> Callable[..., Any] | None:
        """The product by one function without a detour, in arrays that are given to it or not; ``None`` where there is none."""
        expected, like = self.made.expected, tuple([place for place in self.places if isinstance(place, int)])
        plain = len(like) == len(self.places) == sum(1 for _ in leaves_of(self.point))
        if expected is None or self.mode == FORWARD or not plain or not is_settled(self.product, range(len(like)), self.types):
            return None
        if into_out and not self.made.pool(self.product).rule.only_results:
            return None
        with_vector = replace(expected, vector=self.point, like=like)
        return answer(with_vector, self.product, lambda found: structured(self.point, iter(found)), like if into_out else None)

    @cached_property
    def _batch(self) -> Answer:
        """`batch` for arguments as they were prepared for; `MISS` where that takes a closer look."""
        expected = self.made.expected

        def returned(writer: Writer, values: list[ast.expr], leaves: list[ast.expr]) -> ast.expr:
            return call(writer.constant("arranged", self.arrange), ast.Tuple(leaves, LOAD))

        found = None
        if expected is not None and self.mode != FORWARD:
            found = batch_answer(expected, self.point, self.batched, 0, self.types, returned)
        return found or (lambda args: MISS)

    @cached_property
    def _swiftly(self) -> Callable[[Args], Any]:
        """The product for arguments as they were prepared for; `MISS` where that takes a closer look."""
        if (straight := self._fast_path()) is not None:
            return straight
        fit, finish = self._fitted, finisher(self.point, self.types)
        run = partial(self.run, self.product) if self.mode == FORWARD else runner(self.call.fn, self.made.pooled(self.product))

        def answer(args: Args) -> Any:
            fitted = fit(args)
            if fitted is None:
                return MISS
            inputs, _, vector = fitted
            return finish(run(inputs, vector), [*inputs, *vector])

        return answer

    @cached_property
    def _into(self) -> Callable[[Args, Any], Any]:
        """The product in arrays of the caller's; `MISS` where that takes a closer look."""
        if (straight := self._fast_path(into_out=True)) is not None:
            return straight
        if self.mode == FORWARD or not isinstance(self.point, Leaf):
            return lambda args, out: MISS
        fit, write = self._fitted, writer(self.call.fn, self.product, self.made.pool(self.product), 0)

        def into(args: Args, out: Any) -> Any:
            fitted = fit(args)
            if fitted is None:
                return MISS
            inputs, values, vector = fitted
            return write(inputs, vector, values[0], out)

        return into

    def _split(self, args: Args) -> tuple[Args, Any]:
        if not args:
            raise self.made.mismatch(self.__name__, ["expected the arguments and then the vector, got none"])
        return args[:-1], args[-1]

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, parts: Parts) -> Any:
        primals, v = self._split(args)
        this, inputs = self.at(primals, kwargs)
        values = values_at(inputs, this.places)
        vector = this.perturbation("vector", this.point, values, v)
        taken = [*inputs, *vector]
        rule = this.product if parts is Parts.LAST else this.whole
        if out is None:
            return this._arranged(this.run(rule, inputs, vector), parts, taken)
        point = this.arrange(values)
        to = this.destination(parts.of(LATER, point, point), out, taken)
        with this.in_workspace(rule, taken) as work:
            outs = to.beside(values)
            if rule is this.whole:
                outs = [*[None] * len(rule.typed.results), *outs, *to.beside(values)]
            return to.delivered(this._arranged(work.run(inputs, vector, outs), parts, None))

    def _arranged(self, found: Sequence[Any], parts: Parts, taken: list[Any] | None) -> Any:
        if parts is Parts.LAST:
            return self.arrange(self.settle(found, taken))
        value, gradient, last = self.results(found, taken)
        product = self.settle(last, None if taken is None else [*taken, *gradient])
        return parts.of(value, self.arrange(gradient), self.arrange(product))


@operator("hvp", product, PreparedHvp)
@for_users
def prepare_hvp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    mode: Order = USUAL,
    directions: int = 1,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
    **example_kwargs: Any,
) -> PreparedHvp:
    """The product of the Hessian of `f` with a vector, derived now for arguments like the example: ``p(*args, v)``.

    `mode` and `engine` are as for `adxform.hvp`; forward over forward takes one direction at a time whatever `directions` are.
    ``p.batch(*args, vs)`` takes any number of vectors at once, `directions` of them in one sweep.

    >>> import numpy as np
    >>> p = prepare_hvp(lambda x: x ** 3, 1.0, directions=2)
    >>> p(2.0, 1.0), p.value_gradient_and_hvp(2.0, 1.0)
    (12.0, (8.0, 12.0, 12.0))
    >>> p.batch(2.0, np.array([1.0, 2.0, 3.0]))
    array([12., 24., 36.])
    """
    numbers = checked_argnums(f, argnums)
    own = {"argnums": numbers, "mode": checked_order(mode), "directions": checked_directions(directions)}
    options = {**own, "strict": strict, "engine": checked_engine(engine, fastmath, prepared=True)}
    return PreparedHvp.of(f, example_args, example_kwargs, options)
