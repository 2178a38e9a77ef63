"""Prepared forward derivatives: tangents pushed forward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

from adxform.api import checked_engine
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, apart_from_one_another, checked_directions
from adxform.api.prepared.calls.fast_path import Answer
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.api.prepared.calls.preparation import Places, picker, prepare, values_at
from adxform.api.prepared.directional import Directional, parts_of_first
from adxform.frontend.derivative_operators import EngineName, operator
from adxform.frontend.signature import Fixed, Node, Tree
from adxform.ir.ops import Lit
from adxform.ir.types import Scalar, is_inexact
from adxform.runtime.dispatch.execution import runner
from adxform.runtime.dispatch.leaf_flattening import alongside, matcher, placed, placer
from adxform.runtime.dispatch.result_structures import builder, leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users, shorten

NOTHING = Fixed(Lit(None))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedJvp(Directional):
    """``prepare_jvp(f, …)``: the value and the tangent, as `adxform.jvp` returns them."""

    primals: Tree
    places: Places
    form = "jvp"
    forms = MappingProxyType({"tangent": forms.tangent, "batch": forms.tangents_of_batch})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        call, made = prepare(fn, args, {}, engine=options["engine"])
        wrt = call.float_leaves()
        directions = options["directions"]
        rule, batched = (call.rule("forward", wrt, directions=count) for count in (1, directions))
        trees = tuple(NOTHING if i in call.held else tree for i, tree in enumerate(call.signature.args[call.lead :]))
        owners = [i for i, tree in enumerate(call.signature.args) for _ in leaves_of(tree)]
        leaves = tuple(i for i, owner in enumerate(owners) if owner >= call.lead and owner - call.lead not in call.held)
        tree = Node("tuple", tuple, tuple(range(len(trees))), trees)
        preparation = made(apart_from_one_another(rule, batched))
        return cls(
            "jvp",
            fn,
            definition=forms.pushed,
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            rule=rule,
            batched=batched,
            directions=directions,
            wrt=wrt,
            primals=tree,
            places=preparation.places(leaves),
        )

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The value at `primals` and its tangent along `tangents`."""
        try:
            if out is None and (found := self._both(tuple(primals), tuple(tangents))) is not None:
                return found
            return self._answer(tuple(primals), tuple(tangents), out, with_value=True)
        except Exception as error:
            shorten(error)
            raise

    def tangent(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The tangent of the value alone."""
        try:
            if out is None and (found := self._both(tuple(primals), tuple(tangents))) is not None:
                return found[1]
            return self._answer(tuple(primals), tuple(tangents), out, with_value=False)
        except Exception as error:
            shorten(error)
            raise

    @for_users
    def batch(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The value at `primals` and its tangents along `tangents`, all leaves of which have one more axis, the first."""
        if out is None and (found := self._batch((*primals, tuple(tangents)))) is not MISS:
            return found
        this, inputs = self.at(tuple(primals), {})
        this.refuse_repeated()
        batch = this.vectors("tangents", this.primals, values_at(inputs, this.places), tuple(tangents))
        ends = this.call.result
        types = (leaf.type for leaf in leaves_of(ends) if is_inexact(leaf.type))

        def arranged(leaves: Sequence[Any], zero: Any) -> Any:
            return placed(ends, iter(leaves), zero)

        return this.along(inputs, batch, types, arranged, out, spread=this.slopes)

    def slopes(self, ends: Sequence[Any], tangents: Sequence[Any]) -> Iterator[Any]:
        """The tangent of each float among the leaves `ends` of the value, made of those that a rule returns."""
        return alongside(ends, self.call.result, self.rule.spread(tangents))

    @for_users
    def check(self, primals: Sequence[Any], tangents: Sequence[Any]) -> None:
        """Say whether a call with these would fit: see `Prepared.check`."""
        inputs = self.fitting(tuple(primals), {})
        self.perturbation("tangents", self.primals, values_at(inputs, self.places), tuple(tangents))

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: the primals."""
        return parts_of_first(args)

    @cached_property
    def _batch(self) -> Answer:
        """`batch` for arguments as they were prepared for; `MISS` where that takes a closer look."""
        result = self.call.result
        return self.swiftly(self.primals, (leaf.type for leaf in leaves_of(result) if is_inexact(leaf.type)), placer(result))

    @cached_property
    def _both(self) -> Callable[[Args, Args], tuple[Any, Any] | None]:
        """The value and the tangent for arguments as they were prepared for; ``None`` where that takes a closer look."""
        rule, result = self.rule, self.call.result
        enter, picked, fitted, run = (
            self.made.enter,
            picker(self.places),
            matcher(self.primals),
            runner(self.call.fn, self.made.pooled(rule)),
        )
        known = all(not isinstance(leaf.type, Scalar) or not leaf.type.kinds for leaf in leaves_of(result))
        count, spread = len(rule.typed.results), None if known and all(rule.takes()) else self.slopes
        value, tangent = builder(result), placer(result)

        def both(primals: Args, tangents: Args) -> tuple[Any, Any] | None:
            inputs = enter(primals)
            given = None if inputs is None else fitted(picked(inputs), tangents)
            if inputs is None or given is None:
                return None
            found = run(inputs, given)
            slopes = found[count:]
            ends = found[:count]
            return value(ends), tangent(slopes if spread is None else tuple(spread(ends, slopes)))

        return both

    @for_users
    def _answer(self, primals: Args, tangents: Args, out: Any, *, with_value: bool) -> Any:
        this, inputs = self.at(primals, {})
        call, rule = this.call, this.rule
        given = this.perturbation("tangents", this.primals, values_at(inputs, this.places), tangents)

        def arranged(results: Sequence[Any]) -> Any:
            count = len(rule.typed.results)
            tangent = placed(call.result, this.slopes(results[:count], results[count:]))
            return (rebuild(call.result, iter(results[:count])), tangent) if with_value else tangent

        if out is None:
            return arranged(call.run(this.made.pooled(rule), inputs, *given))
        return this.answered(rule, inputs, given, arranged, out)


@operator("jvp", forms.pushed, PreparedJvp)
@for_users
def prepare_jvp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    directions: int = 1,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> PreparedJvp:
    """The forward derivative of `f`, derived now for arguments like the example: ``p(primals, tangents)`` as `adxform.jvp`.

    ``p.batch(primals, tangents)`` takes any number of tangents at once, `directions` of them in one sweep. `engine`
    is as for `adxform.grad`.

    >>> import numpy as np
    >>> p = prepare_jvp(lambda x, y: x * y, 1.0, 1.0, directions=2)
    >>> p((2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    >>> p.batch((2.0, 3.0), (np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    (6.0, array([3., 2.]))
    """
    options = {
        "strict": strict,
        "directions": checked_directions(directions),
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    return PreparedJvp.of(f, example_args, {}, options)
