"""Prepared reverse derivatives: cotangents pulled back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adxform.api import Pullback, checked_engine, kept
from adxform.api.checkpointing import with_checkpoints
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, apart_from_one_another, checked_directions
from adxform.api.prepared.calls.fast_path import Answer
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.api.prepared.calls.preparation import prepare, values_at
from adxform.api.prepared.directional import Directional, parts_of_first
from adxform.frontend.derivative_operators import EngineName, operator
from adxform.frontend.signature import Tree, python_class
from adxform.ir.ops import Var
from adxform.ir.types import Array, Dim, Scalar
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.leaf_flattening import settler
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedVjp(Directional):
    """``prepare_vjp(f, …)``: the value and the pullback, as `adxform.vjp` returns them."""

    parted: DerivedRule
    batched_parted: DerivedRule
    primal: tuple[DerivedRule, ...]
    form = "vjp"
    forms = MappingProxyType({"cotangents": forms.cotangents, "batch": forms.cotangents_of_batch})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these, the cut rule of the pullback included."""
        call, made = prepare(fn, args, {}, engine=options["engine"])
        wrt = call.float_leaves()
        directions = options["directions"]
        rule, batched = (call.rule("reverse", wrt, directions=count) for count in (1, directions))
        parted, batched_parted = (call.rule_to_cut("reverse", wrt, directions=count) for count in (1, directions))
        primal = (call.rule("primal", ()),) if stand_ins(call.result, rule.typed.params) is None else ()
        return cls(
            "vjp",
            fn,
            definition=forms.pulled,
            made=made(apart_from_one_another(rule, batched, *primal)),
            strict=options["strict"],
            engine=call.engine,
            rule=rule,
            batched=batched,
            directions=directions,
            wrt=wrt,
            parted=parted,
            batched_parted=batched_parted,
            primal=primal,
        )

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rules for both sweeps at once, those that are cut in two, and the primal where only that tells lengths."""
        return apart_from_one_another(self.rule, self.batched, self.parted, self.batched_parted, *self.primal)

    @for_users
    def __call__(self, *primals: Any) -> tuple[Any, Pullback]:
        """The value at `primals`, and the function that takes a cotangent of it to those of the primals."""
        this, inputs = self.at(primals, {})
        call = this.call
        results, tape = call.run_forward(this.parted, call.keep(this.parted, inputs))
        like = [kept(value) for value in results]
        batched = call.cut(this.batched_parted)
        return rebuild(call.result, iter(results)), Pullback(call, this.wrt, this.parted, tape, like, batched)

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: all of them, or the primals."""
        return parts_of_first(args) if form in ("cotangents", "batch") else args

    @for_users
    def cotangents(self, primals: Sequence[Any], ct: Any, *, out: Any = None) -> Any:
        """The cotangents of `primals` for the cotangent `ct` of the value, in one run of both sweeps."""
        this, inputs = self.at(tuple(primals), {})
        call, rule = this.call, this.rule
        count = len(rule.typed.results)
        if this.primal and out is None:
            _, pullback = this(*primals)
            this.perturbation("cotangent", call.result, pullback.like, ct)
            return pullback(ct)
        given = this.perturbation("cotangent", call.result, this.likes(inputs), ct)
        seeds = rule.seeded(given)

        def arranged(results: Sequence[Any], taken: list[Any] | None = None) -> Any:
            return call.placed(iter(settler(call.types(this.wrt))(results[count:], taken)))

        if out is not None:
            return this.answered(rule, inputs, seeds, arranged, out)
        return arranged(call.run(this.made.pooled(rule), inputs, *seeds), [*inputs, *given])

    @cached_property
    def _batch(self) -> Answer:
        """`batch` for arguments as they were prepared for; `MISS` where that takes a closer look."""
        call = self.call
        return self.swiftly(call.result, call.types(self.wrt), lambda leaves: call.placed(iter(leaves)))

    def likes(self, inputs: list[Any]) -> list[Any]:
        """Values of the types and shapes of the leaves of the result; their contents may be anything."""
        for primal in self.primal:
            self.refuse_repeated()
            with self.in_workspace(primal, inputs) as work:
                return list(work.run(inputs, ()))
        assert self._stand_ins is not None
        return self._stand_ins(inputs)

    @cached_property
    def _stand_ins(self) -> Callable[[Sequence[Any]], list[Any]] | None:
        return stand_ins(self.call.result, self.rule.typed.params)

    @for_users
    def batch(self, primals: Sequence[Any], cts: Any, *, out: Any = None) -> Any:
        """The value, and the cotangents of `primals` for `cts`, all leaves of which have one more axis, the first."""
        if out is None and (found := self._batch((*primals, cts))) is not MISS:
            return found
        this, inputs = self.at(tuple(primals), {})
        this.refuse_repeated()
        call = this.call
        ends = this.likes(inputs)
        batch = this.vectors("cotangents", call.result, ends, cts)
        likes = ends, values_at(inputs, this.made.places(this.wrt))

        def arranged(leaves: Sequence[Any], zero: Any) -> Any:
            return call.placed(iter(leaves))

        return this.along(inputs, batch, call.types(this.wrt), arranged, out, likes, seeded=this.rule.seeded)


def stand_ins(tree: Tree, params: Sequence[Var]) -> Callable[[Sequence[Any]], list[Any]] | None:
    """What makes, for values of `params`, leaves of the types and shapes of those of the result `tree`.

    ``None`` where the types do not tell the lengths or the kind of a number, and where there are no leaves: what returns nothing
    may be what always raises. Arrays have one element in memory.
    """
    places: dict[str, tuple[int, int]] = {}
    for place, param in enumerate(params):
        if isinstance(param.type, Array):
            sizes = enumerate(param.type.shape or ())
            places |= {size.base: (place, axis) for axis, size in sizes if isinstance(size, Dim) and not size.offset}
    makers: list[Callable[[Sequence[Any]], Any]] = []
    leaves = list(leaves_of(tree))
    for leaf in leaves:
        match leaf.type:
            case Scalar(dtype, weak, kinds) if (
                not kinds or dtype == "float64"
            ):  # or a whole number, the cotangent of which is zero
                makers.append(partial(_same, python_class(dtype, weak)(0)))
            case Array(dtype, tuple(shape)) if all(not isinstance(size, Dim) or size.base in places for size in shape):
                axes = [(*places[size.base], size.offset) if isinstance(size, Dim) else (None, 0, size) for size in shape]
                makers.append(partial(_stretched, np.zeros(1, dtype), axes))
            case _:
                return None
    return (lambda inputs: [make(inputs) for make in makers]) if leaves else None


def _same(number: Any, inputs: Sequence[Any]) -> Any:
    return number


def _stretched(number: NDArray[Any], axes: Iterable[tuple[int | None, int, int]], inputs: Sequence[Any]) -> NDArray[Any]:
    """An array of `number`, each axis as long as one of one of `inputs`, or of none, and so many more."""
    lengths = [more if place is None else max(inputs[place].shape[axis] + more, 0) for place, axis, more in axes]
    return np.ndarray(lengths, number.dtype, number, strides=[0] * len(lengths))


@operator("vjp", forms.pulled, PreparedVjp)
@for_users
def prepare_vjp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    directions: int = 1,
    strict: bool = True,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> PreparedVjp:
    """The reverse derivative of `f`, derived now for arguments like the example: ``p(*primals)`` as `adxform.vjp`.

    ``p.batch(primals, cts)`` and ``pullback.batch(cts)`` take any number of cotangents at once, `directions` in one sweep.
    For `checkpoint_steps` and `max_memory` see `adxform.checkpoint`; `engine` is as for `adxform.grad`.

    >>> p = prepare_vjp(lambda x, y: x * y, 1.0, 1.0, directions=2)
    >>> value, pullback = p(2.0, 3.0)
    >>> value, pullback(1.0), p.cotangents((2.0, 3.0), 1.0)
    (6.0, (3.0, 2.0), (3.0, 2.0))
    >>> pullback.batch(np.array([1.0, 10.0]))
    (array([ 3., 30.]), array([ 2., 20.]))
    """
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    options = {
        "strict": strict,
        "directions": checked_directions(directions),
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    return PreparedVjp.of(f, example_args, {}, options)
