"""What prepared second derivatives share: rules for a product, for several at once, and for the value and the gradient beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from adxform.api.prepared.base import Args, Kwargs, Prepared, apart_from_one_another
from adxform.api.prepared.calls.preparation import Places, prepare, values_at
from adxform.api.prepared.matrices.columns import units
from adxform.api.second_order_definitions import hessian_at, product
from adxform.frontend.derivative_operators import Definition, Kind, Order
from adxform.frontend.signature import Tree
from adxform.ir.types import Type
from adxform.runtime.dispatch.application import Application, Argnums
from adxform.runtime.dispatch.batches import split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.execution import InWorkspace, execute
from adxform.runtime.dispatch.leaf_flattening import placer, settler
from adxform.runtime.dispatch.result_structures import rebuild

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
