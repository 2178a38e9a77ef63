"""Prepared second derivatives: Hessian products, forward over reverse unless said otherwise, and Hessians made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adxform.api import checked_argnums, checked_engine
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared, apart_from_one_another, checked_directions
from adxform.api.prepared.columns import block_like, filled, padded, put, rows_at, rows_like, units, views, width
from adxform.api.prepared.fast_path import Answer, answer, is_settled, structured
from adxform.api.prepared.fast_path_writer import MISS, Writer
from adxform.api.prepared.outputs import LATER, writer
from adxform.api.prepared.preparation import Places, picker, prepare, values_at
from adxform.api.prepared.sweeps import batch_answer
from adxform.api.second_order import checked_order
from adxform.api.second_order_definitions import hessian_at, product
from adxform.backends.python.written_syntax import LOAD, call
from adxform.frontend.derivative_operators import USUAL, Definition, EngineName, Kind, Order, operator
from adxform.frontend.signature import Leaf, Tree
from adxform.ir.types import Type
from adxform.runtime.dispatch.application import Application, Argnums
from adxform.runtime.dispatch.batches import BatchResults, split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.execution import InWorkspace, execute, runner
from adxform.runtime.dispatch.leaf_flattening import finisher, matcher, placer, settler
from adxform.runtime.dispatch.refusals import HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, refuse_complex, refuse_repeated
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users, shorten

FORWARD: Order = "forward-over-forward"
SECOND: tuple[Mode, ...] = ("hvp", "second")
DEFINITIONS: Mapping[str, Definition] = {"hvp": product, "hessian": hessian_at}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SecondOrder(Prepared):
    """A derivative of the gradient of a function that returns one number.

    `product` returns the tangent of the gradient, `batched` those for `directions` vectors, `whole` the value, the gradient and
    its tangent. `point` describes what is differentiated, and `places` say where its leaves are.
    """

    product: DerivedRule
    batched: DerivedRule
    whole: DerivedRule
    directions: int | None
    places: Places
    types: tuple[Type, ...]
    point: Tree
    shown: ClassVar[Kind]

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rule for the product, the one for several at once, and the one for the value, the gradient and the product."""
        return apart_from_one_another(self.product, self.batched, self.whole)

    def products_along(self, inputs: list[Any], rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The leaves of the product with each of `rows`, from one sweep."""
        if len(rows) == 1:
            return [self.run(self.product, inputs, rows[0])]
        return split(self.call.run(self.made.pooled(self.batched), inputs, *chain.from_iterable(rows)), 0, len(rows))

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, directions = options["argnums"], options["directions"]
        call, made = prepare(fn, args, kwargs, argnums, options["engine"])
        wrt = call.wrt(argnums)
        call.output(wrt, False)
        cls.refuse(call, argnums)
        order = options["mode"]
        one = 1 if order == FORWARD else cls.at_once([call.leaves[place] for place in wrt], directions)
        product, whole = (call.rule(mode, wrt, order=order, directions=one) for mode in SECOND)
        if product.request.directions != whole.request.directions:
            product, whole = (call.rule(mode, wrt, order=order) for mode in SECOND)
        several = 1 if order == FORWARD else directions or product.request.directions
        rules = product, call.rule("hvp", wrt, order=order, directions=several), whole
        preparation = made(rules, buffered=apart_from_one_another(*rules))
        return cls(
            cls.shown,
            fn,
            argnums,
            definition=DEFINITIONS[cls.shown],
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            mode=order,
            product=rules[0],
            batched=rules[1],
            whole=rules[2],
            directions=directions,
            places=preparation.places(wrt),
            types=call.types(wrt),
            point=call.point(argnums),
        )

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        own = {"argnums": self.argnums, "mode": self.mode, "directions": self.directions}
        return {**own, "strict": self.strict, "engine": self.engine}

    def run(self, rule: DerivedRule, inputs: Sequence[Any], vector: Sequence[Any]) -> tuple[Any, ...]:
        """What `rule`, `product` or `whole`, returns for `vector`."""
        if self.mode != FORWARD:
            return execute(self.made.call.fn, self.made.pooled(rule), inputs, vector)
        values = values_at(inputs, self.places)
        zeros = [np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0) for value in values]
        return self.swept(rule, zeros, (), lambda unit: self.call.run(self.made.pooled(rule), inputs, *vector, *unit))

    def swept(
        self, rule: DerivedRule, zeros: list[Any], outs: Sequence[Any], run: Callable[[Sequence[Any]], Sequence[Any]]
    ) -> tuple[Any, ...]:
        """What `rule`, forward over forward, would return were it of another order: a `run` for each unit vector.

        Unit vectors are made of `zeros`; those of the imaginary axes too, which give the gradient -i times the slope along them.
        Of `outs`, an array or ``None`` for each result, those of derivatives are written to.
        """
        self.refuse_repeated()
        count, width = (len(rule.typed.results), 2) if rule is self.whole else (0, 1)
        size = len(zeros)
        given = [*outs[count:], *[None] * (width * size)][: width * size]
        made = [
            np.empty_like(zero) if out is None and isinstance(zero, np.ndarray) else zero if out is None else out
            for zero, out in zip(zeros * width, given, strict=True)
        ]
        parts = [made[i * size : (i + 1) * size] for i in range(width)]
        found: Sequence[Any] | None = None
        for ((place, index),), unit in units(zeros, 1):
            found = run(unit)
            for part, slope in zip(parts, found[count:], strict=True):
                if isinstance(part[place], np.ndarray):
                    part[place][index] = slope
                else:
                    part[place] = slope[()] if isinstance(slope, np.ndarray) else slope
        for ((place, index),), unit in units(zeros, 1, 1j):
            for part, slope in zip(parts, run(unit)[count:], strict=True):
                if isinstance(part[place], np.ndarray):
                    part[place][index] -= 1j * slope
                else:
                    part[place] = part[place] - 1j * (slope[()] if isinstance(slope, np.ndarray) else slope)
        if found is None:
            found = run(zeros)
        return *found[:count], *chain.from_iterable(parts)

    def in_workspace(self, rule: DerivedRule, taken: Sequence[Any]) -> InWorkspace:
        """`rule` in memory for calls with `taken`: see `Prepared.in_workspace`."""
        if self.mode != FORWARD:
            return super().in_workspace(rule, taken)
        work = super().in_workspace(rule, [*taken, *values_at(taken, self.places)])
        return Swept(work.fn, work.rule, work.pool, work.workspace, self)

    @classmethod
    def refuse(cls, call: Application, argnums: Argnums) -> None:
        """Raise where the function applied in `call` has no such derivative."""

    @classmethod
    def at_once(cls, values: Sequence[Any], directions: int | None) -> int:
        """How many vectors a run of `product` and of `whole` is for, when what is differentiated is like `values`."""
        return 1

    @cached_property
    def arrange(self) -> Callable[[Sequence[Any]], Any]:
        """Puts leaves into the structure of what is differentiated."""
        return placer(self.point)

    @cached_property
    def settle(self) -> Callable[[Sequence[Any], list[Any] | None], list[Any]]:
        """Makes the leaves of a gradient, or of its tangent, what the caller gets."""
        return settler(self.types)

    def results(self, found: Sequence[Any], taken: list[Any] | None) -> tuple[Any, list[Any], Sequence[Any]]:
        """The value, the leaves of the gradient, and those of its tangent, in what `whole` returned: see `settled`."""
        count, size = len(self.whole.typed.results), len(self.places)
        values, first, last = found[:count], found[count : count + size], found[count + size :]
        gradient = self.settle(first, None if taken is None else [*taken, *values])
        return rebuild(self.call.result, iter(values)), gradient, last


@dataclass(frozen=True, slots=True)
class Swept(InWorkspace):
    """A rule forward over forward in a workspace, run as `SecondOrder.swept` says."""

    of: SecondOrder

    def run(self, inputs: Sequence[Any], seeds: Sequence[Any], outs: Sequence[Any] = ()) -> tuple[Any, ...]:
        """What a rule of another order would return; see `InWorkspace.run`."""
        zeros = self.workspace.zeros(values_at(inputs, self.of.places), "units")
        return self.of.swept(self.rule, zeros, outs, lambda unit: InWorkspace.run(self, inputs, [*seeds, *unit]))


class Parts(Enum):
    """What is returned of a value, a gradient and a derivative of it."""

    ALL = slice(0, 3)
    DERIVATIVES = slice(1, 3)
    LAST = slice(2, 3)

    def of(self, value: Any, gradient: Any, last: Any) -> Any:
        """These parts."""
        return last if self is Parts.LAST else (value, gradient, last)[self.value]


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedHessian(SecondOrder):
    """``prepare_hessian(f, …)``: the Hessian, as `adxform.hessian` returns it: a product for each number in the arguments."""

    form = "hessian"
    shown = "hessian"
    forms = MappingProxyType(
        {"gradient_and_hessian": forms.gradient_and_hessian, "value_gradient_and_hessian": forms.value_gradient_and_hessian}
    )

    @classmethod
    def refuse(cls, call: Application, argnums: Argnums) -> None:
        """Raise where it is by complex numbers, or the function changes state outside of it."""
        refuse_repeated(call.entry.specialized.function)
        for name, tree in call.named_arguments(argnums):
            refuse_complex(call.fn, HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, name, tree)

    @classmethod
    def at_once(cls, values: Sequence[Any], directions: int | None) -> int:
        """How many columns are found in one sweep."""
        return directions or width(values)

    @for_users
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The Hessian at `args`."""
        return self._answer(args, kwargs, out, Parts.LAST)

    @for_users
    def gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient and the Hessian at `args`."""
        return self._answer(args, kwargs, out, Parts.DERIVATIVES)

    @for_users
    def value_gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the gradient and the Hessian at `args`: the first product brings the value and the gradient along."""
        return self._answer(args, kwargs, out, Parts.ALL)

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, parts: Parts) -> Any:
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        like = [[block_like(value, other, other) for other in values] for value in values]
        directions, vectors = this.product.request.directions, values * this.product.request.directions
        to = this.destination(parts.of(LATER, this.arrange(values), this._table(like)), out, inputs)
        taken = [*inputs, *vectors]
        first = nullcontext() if parts is Parts.LAST else this.in_workspace(this.whole, taken)
        with this.in_workspace(this.product, taken) as product, first as whole:
            zeros = product.workspace.zeros(vectors)
            ahead = [None] * len(this.whole.typed.results) + ([] if whole is None else to.beside(values))
            blocks = [to.blocks(row) for row in like]
            value, gradient = None, values
            last: Sequence[Any]
            for spots, seeds in units(zeros, directions):
                targets = [views(blocks[place], (*index, ...)) for place, index in spots]
                outs = padded(targets, len(vectors))
                if whole is None:
                    last = product.run(inputs, seeds, outs)
                else:
                    value, gradient, last = this.results(whole.run(inputs, seeds, [*ahead, *outs]), None)
                    whole = None
                for (place, _), memory, found in zip(spots, targets, split(last, 0, directions), strict=False):
                    filled(blocks[place], memory, found)
            if whole is not None:
                value, gradient, _ = this.results(whole.run(inputs, zeros), None)
            return to.delivered(parts.of(value, this.arrange(gradient), this._table(blocks)))

    def _table(self, blocks: Sequence[Sequence[Any]]) -> Any:
        return self.arrange([self.arrange(row) for row in blocks])


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
