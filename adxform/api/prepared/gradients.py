"""Prepared gradients: one reverse sweep for the value and the gradient."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

from adxform.api import GradientPlan, checked_argnums, checked_engine, plan_gradient
from adxform.api.checkpointing import with_checkpoints
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared
from adxform.api.prepared.calls.fast_path import Answer, answer, is_settled, structured
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.api.prepared.calls.outputs import LATER, writer
from adxform.api.prepared.calls.preparation import Places, picker, prepare, values_at
from adxform.backends.python.written_syntax import LOAD
from adxform.frontend.derivative_operators import EngineName, Kind, operator
from adxform.frontend.signature import Leaf
from adxform.ir.types import Scalar
from adxform.runtime.dispatch.application import Argnums
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import execute, runner
from adxform.runtime.dispatch.leaf_flattening import placed
from adxform.runtime.dispatch.tracebacks import for_users, shorten


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedGradient(Prepared):
    """``prepare_gradient(f, …)``: the gradient, as `adxform.grad` returns it."""

    plan: GradientPlan
    places: Places
    form = "gradient"
    shown: ClassVar[Kind] = "grad"
    forms = MappingProxyType({"value_and_gradient": forms.value_and_gradient})

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The reverse rule."""
        return (self.plan.rule,)

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, has_aux = options["argnums"], options["has_aux"]
        call, made = prepare(fn, args, kwargs, argnums, options["engine"])
        valued, holomorphic = has_aux or cls.shown == "value_and_grad", options["holomorphic"]
        plan = plan_gradient(call, argnums, has_aux, valued=valued, holomorphic=holomorphic)
        preparation = made([plan.rule])
        return cls(
            cls.shown,
            fn,
            argnums,
            has_aux,
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            holomorphic=holomorphic,
            plan=plan,
            places=preparation.places(call.wrt(argnums)),
        )

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient at `args`; with `has_aux`, ``(gradient, aux)``."""
        try:
            if not kwargs and (found := self._gradient(args) if out is None else self._into(args, out)) is not MISS:
                return found
            return self._answer(args, kwargs, out, with_value=False)
        except Exception as error:
            shorten(error)
            raise

    def value_and_gradient(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the gradient at `args`, from one run."""
        try:
            if out is None and not kwargs and self.plan.valued and (found := self._both(args)) is not MISS:
                return found
            return self._answer(args, kwargs, out, with_value=True)
        except Exception as error:
            shorten(error)
            raise

    @cached_property
    def _gradient(self) -> Answer:
        """The gradient for arguments as they were prepared for, with `has_aux` what is beside the value; or `MISS`."""
        if not self.plan.valued and (straight := self._fast_path(with_value=False)) is not None:
            return straight
        both, has_aux = self._both, self.has_aux

        def gradient(args: Args) -> Any:
            found = both(args)
            return MISS if found is MISS else (found[1], found[0][1]) if has_aux else found[1]

        return gradient

    def _fast_path(self, *, with_value: bool, into_out: bool = False) -> Callable[..., Any] | None:
        """The value and the gradient, or the gradient alone, by one function without a detour; ``None`` where there is none.

        `into_out`: in arrays that are given to it, where no other memory would be kept between calls.
        """
        plan, expected = self.plan, self.made.expected
        skipped = plan.count if plan.valued else 0
        places = range(plan.count, plan.count + len(plan.types))
        if expected is None or plan.seeds or not is_settled(plan.rule, places, plan.types):
            return None
        if into_out and not self.made.pool(plan.rule).rule.only_results:
            return None

        def returned(found: list[ast.expr]) -> ast.expr | None:
            gradient = structured(plan.point, iter(found[skipped:]))
            if not with_value or gradient is None:
                return gradient
            return ast.Tuple([found[0], gradient], LOAD) if isinstance(plan.result, Leaf) else None

        like = (*[None] * skipped, *self.places)
        return answer(expected, plan.rule, returned, like if into_out else None)

    @cached_property
    def _both(self) -> Answer:
        """The value and the gradient for arguments as they were prepared for; `MISS` where that takes a closer look."""
        if self.plan.valued and (found := self._fast_path(with_value=True)) is not None:
            return found
        enter, fn, seeds, arrange = self.made.enter, self.call.fn, self.plan.seeds, self.plan.arrange
        run = runner(fn, self.made.pooled(self.plan.rule))

        def both(args: Args) -> Any:
            inputs = enter(args)
            return MISS if inputs is None else arrange(fn, run(inputs, seeds), inputs)

        return both

    @cached_property
    def _into(self) -> Callable[[Args, Any], Any]:
        """The gradient in arrays of the caller's; `MISS` where that takes a closer look."""
        plan, enter = self.plan, self.made.enter
        if not plan.valued and (straight := self._fast_path(with_value=False, into_out=True)) is not None:
            return straight
        if not (isinstance(plan.point, Leaf) and isinstance(plan.result, Leaf) and isinstance(plan.result.type, Scalar)):
            return lambda args, out: MISS
        picked, seeds = picker(self.places), plan.seeds
        write = writer(self.call.fn, plan.rule, self.made.pool(plan.rule), plan.count)

        def into(args: Args, out: Any) -> Any:
            inputs = enter(args)
            return MISS if inputs is None else write(inputs, seeds, picked(inputs)[0], out)

        return into

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, *, with_value: bool) -> Any:
        this, inputs = self.at(args, kwargs)
        plan, fn = this.plan, this.call.fn
        if out is None:
            plan = plan.returning(this.call.entry) if with_value else plan
            results = execute(fn, this.made.pooled(plan.rule), inputs, plan.seeds)
            return self._parts(*plan.arrange(fn, results, inputs), with_value)
        values = values_at(inputs, this.places)
        like = self._parts((LATER, LATER) if this.has_aux else LATER, placed(plan.point, iter(values)), with_value)
        to = this.destination(like, out, inputs)
        with this.in_workspace(plan.rule, [*inputs, *plan.seeds]) as rule:
            results = rule.run(inputs, plan.seeds, [*[None] * plan.count, *to.beside(values)])
            return to.delivered(self._parts(*plan.arrange_all(fn, results, None), with_value))

    def _parts(self, value: Any, gradient: Any, with_value: bool) -> Any:
        if with_value:
            return value, gradient
        return (gradient, value[1]) if self.has_aux else gradient


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedValueAndGradient(PreparedGradient):
    """``prepare_value_and_gradient(f, …)``: the value and the gradient, as `adxform.value_and_grad` returns them."""

    form = "value_and_gradient"
    shown = "value_and_grad"

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the gradient at `args`."""
        try:
            if not kwargs and (found := self._both(args) if out is None else self._both_into(args, out)) is not MISS:
                return found
            return self._answer(args, kwargs, out, with_value=True)
        except Exception as error:
            shorten(error)
            raise

    @cached_property
    def _both_into(self) -> Callable[[Args, Any], Any]:
        """The value, and the gradient in arrays of the caller's; `MISS` where that takes a closer look."""
        return self._fast_path(with_value=True, into_out=True) or (lambda args, out: MISS)


@operator("grad", made=PreparedGradient)
@for_users
def prepare_gradient(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    strict: bool = True,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
    **example_kwargs: Any,
) -> PreparedGradient:
    """The gradient of `f`, derived now for arguments like the example: see `adxform.grad`.

    A call with arguments that it was not prepared for raises `PreparationMismatchError`; with ``strict=False`` it prepares anew.
    For `checkpoint_steps` and `max_memory` see `adxform.checkpoint`; `engine` and `holomorphic` are as for `adxform.grad`.

    >>> p = prepare_gradient(lambda x: x ** 3, 1.0)
    >>> p(2.0), p.value_and_gradient(2.0)
    (12.0, (8.0, 12.0))
    """
    options = {
        "argnums": checked_argnums(f, argnums),
        "has_aux": has_aux,
        "holomorphic": bool(holomorphic),
        "strict": strict,
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    return PreparedGradient.of(f, example_args, example_kwargs, options)


@operator("value_and_grad", made=PreparedValueAndGradient)
@for_users
def prepare_value_and_gradient(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    strict: bool = True,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
    **example_kwargs: Any,
) -> PreparedValueAndGradient:
    """The value of `f` and its gradient, derived now for arguments like the example: see `prepare_gradient`.

    >>> prepare_value_and_gradient(lambda x: x ** 3, 1.0)(2.0)
    (8.0, 12.0)
    """
    options = {
        "argnums": checked_argnums(f, argnums),
        "has_aux": has_aux,
        "holomorphic": bool(holomorphic),
        "strict": strict,
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    return PreparedValueAndGradient.of(f, example_args, example_kwargs, options)
