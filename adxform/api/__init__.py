"""The derivatives of Python functions, as functions: `grad`, `value_and_grad`, `jvp`, `vjp`.

Each operator is an ordinary callable object that can be nested, pickled, and called with other arguments at every call. The rule
that it runs is built at the first call with arguments of a kind, and found in the cache from then on.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MethodType
from typing import Any

import numpy as np

from adxform.api.checkpointing import with_checkpoints
from adxform.backends.registry import BACKENDS, may_compile
from adxform.errors import ArgnumsError, OptionError
from adxform.frontend.derivative_operators import ENGINES, PYTHON, Engine, EngineName, Operator, operator
from adxform.frontend.signature import Node, Tree
from adxform.ir.spans import own_signature
from adxform.ir.types import Scalar, Type
from adxform.runtime import private
from adxform.runtime.beliefs import is_debugging
from adxform.runtime.dispatch.application import Application, Argnums, apply
from adxform.runtime.dispatch.batches import BatchResults, batch_for, split
from adxform.runtime.dispatch.cache_entries import CacheEntry
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import Residuals, execute
from adxform.runtime.dispatch.leaf_flattening import alongside, finisher, matched, matcher, perturbations, placed, settler
from adxform.runtime.dispatch.refusals import definition, name_of, non_scalar, refuse_real
from adxform.runtime.dispatch.result_structures import builder, leaves_of, rebuild
from adxform.runtime.dispatch.split import CutRule
from adxform.runtime.dispatch.tracebacks import for_users


class Derivative(Operator):
    """A derivative of `fn` that can be called: the base of what `grad` and its kind return."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at `args`."""
        raise NotImplementedError

    @property
    def word(self) -> str:
        """What the operator is called."""
        return self.kind

    @property
    def __name__(self) -> str:
        return f"{name_of(self.fn)}_{self.word}"

    @property
    def __signature__(self) -> inspect.Signature:
        return own_signature(self.__call__ if self.kind == "hvp" else self.fn)

    def __repr__(self) -> str:
        return f"{self.word}({name_of(self.fn)}, argnums={self.argnums})"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)


class Gradient(Derivative):
    """``grad(f)`` or ``value_and_grad(f)``."""

    def __reduce__(self) -> tuple[object, ...]:
        of = grad if self.kind == "grad" else value_and_grad
        made = partial(of, holomorphic=self.holomorphic, **self.engine.keywords)
        return made, (self.fn, self.argnums, self.has_aux)

    @for_users
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient at `args`, or the value and the gradient."""
        call = apply(self.fn, args, kwargs, self.argnums, self.engine)
        valued = self.has_aux or self.kind == "value_and_grad"
        plan = plan_gradient(call, self.argnums, self.has_aux, valued=valued, holomorphic=self.holomorphic)
        inputs = call.inputs()
        value, gradient = plan.arrange(call.fn, execute(call.fn, plan.rule, inputs, plan.seeds), inputs)
        if self.kind == "value_and_grad":
            return value, gradient
        return (gradient, value[1]) if self.has_aux else gradient


@operator("grad")
def grad(
    f: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> Gradient:
    """The gradient of `f`, which returns one real number, with respect to the positional arguments `argnums`.

    The gradient has the structure of the argument; for a tuple of `argnums` it is a tuple of gradients. With `has_aux`, `f`
    returns ``(value, aux)`` and the gradient function ``(gradient, aux)``. With `checkpoint_steps` or `max_memory`, the loops of
    `f` keep few of their states, and run iterations again: see `adxform.checkpoint`.

    By a complex number x + iy the gradient is df/dx - i df/dy: see docs/complex.md. With `holomorphic`, `f` takes complex numbers
    and returns one, and the gradient is its complex derivative, if it has one.

    The `engine` ``"numba"`` compiles loops and array expressions at the first call, ``"python"`` compiles nothing, and
    ``"auto"`` compiles what has loops over numbers; ``"interpret"`` is to debug (see `adxform.testing.trace`). With
    ``fastmath=False``, sums of compiled code are taken in the order of the program, and its elementary functions are those of the
    mathematics library of C.

    >>> grad(lambda x: x ** 3)(2.0)
    12.0
    """
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    numbers, chosen = checked_argnums(f, argnums, "grad"), checked_engine(engine, fastmath)
    return Gradient("grad", f, numbers, has_aux, engine=chosen, holomorphic=bool(holomorphic))


@operator("value_and_grad")
def value_and_grad(
    f: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> Gradient:
    """The value of `f` and its gradient (see `grad`), both from one run.

    >>> value_and_grad(lambda x: x ** 3)(2.0)
    (8.0, 12.0)
    """
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    numbers, chosen = checked_argnums(f, argnums, "value_and_grad"), checked_engine(engine, fastmath)
    return Gradient("value_and_grad", f, numbers, has_aux, engine=chosen, holomorphic=bool(holomorphic))


def checked_engine(engine: Any, fastmath: Any = True, *, prepared: bool = False) -> Engine:
    """The engine of that name, which is installed; that of ``ADXFORM_ENGINE`` in the environment, if any, for ``"auto"``.

    Raises:
        OptionError: it is none of `ENGINES`.
        MissingExtraError: what it needs is not installed.
    """
    chosen = engine
    if engine == "auto":
        chosen = os.environ.get("ADXFORM_ENGINE") or "auto"
    for known in ENGINES:
        if chosen == known:
            if known in BACKENDS:
                BACKENDS[known].check_installed()
            if is_debugging() and may_compile(Engine(known)):  # machine code holds no checks
                known = PYTHON.name
            return Engine(known, bool(fastmath), prepared and known == "auto")
    what = "engine" if chosen is engine else "ADXFORM_ENGINE"
    raise OptionError(f"{what} is {chosen!r}; it is one of {', '.join(ENGINES)}")


def checked_argnums(f: Callable[..., Any], argnums: Any, operator: str = "", *after: str) -> Argnums:
    """`argnums` as an int or a tuple of ints.

    Raises:
        ArgnumsError: it is neither: arguments of `f`, perhaps, which go to what the `operator` returns, with `after` them.
    """
    numbers = argnums if isinstance(argnums, tuple | list) else (argnums,)
    if not numbers or any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in numbers):
        message, way = f"argnums is {argnums!r}", "give the position of an argument, or a tuple of positions"
        if operator and not all(isinstance(n, int | str | None) for n in numbers):
            given = ", ".join((*parameters_of(f), *after))
            message = f"`{operator}` is given values for `argnums`: it takes a function, and returns one that takes the arguments"
            way = f"write `{operator}({name_of(f)})({given})`"
        raise ArgnumsError(message, span=definition(f), help=way)
    return tuple(int(n) for n in numbers) if isinstance(argnums, tuple | list) else int(argnums)


def parameters_of(f: Callable[..., Any]) -> Iterator[str]:
    """The names of what `f` takes by position and cannot do without."""
    try:
        parameters = own_signature(f).parameters.values()
    except (TypeError, ValueError):
        yield "*args"
        return
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            yield f"*{one.name}"
        elif one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
            yield one.name


@dataclass(frozen=True)
class GradientPlan:
    """What a gradient of one specialised function does at every call.

    The first `count` results are the value's leaves, of which the first `scalar` are the number that is differentiated. `result`
    is the structure of the value, `point` that of what is differentiated. A `rule` that is not valued does not return the value.
    """

    rule: DerivedRule
    seeds: tuple[Any, ...]
    scalar: int
    count: int
    types: tuple[Type, ...]
    result: Tree
    point: Tree

    @property
    def valued(self) -> bool:
        """Whether the rule returns the value as well as the gradient."""
        return self.rule.request.valued

    def returning(self, entry: CacheEntry) -> GradientPlan:
        """The plan of which the rule, one of `entry`, is valued."""
        if self.valued:
            return self
        request = replace(self.rule.request, valued=True)
        return replace(self, rule=entry.asked(request))

    @cached_property
    def arrange(self) -> Callable[[Callable[..., Any], Sequence[Any], Sequence[Any] | None], tuple[Any, Any]]:
        """Makes the value and the gradient of what the rule, derived of a function, returned for these inputs.

        Without inputs, arrays stay where they are: see `settled`. The value is ``None`` where the rule is not valued.
        """
        return self.arrange_all if self.valued else self._arrange_gradient

    @cached_property
    def _arrange_gradient(self) -> Callable[[Callable[..., Any], Sequence[Any], Sequence[Any] | None], tuple[Any, Any]]:
        gradient = finisher(self.point, self.types)
        return lambda fn, results, inputs: (None, gradient(results, None if inputs is None else [*inputs]))

    @cached_property
    def arrange_all(self) -> Callable[[Callable[..., Any], Sequence[Any], Sequence[Any] | None], tuple[Any, Any]]:
        """The same for a form of the rule that returns the value, whether or not the rule does."""
        count, scalar, seeds = self.count, self.scalar, self.seeds
        value, gradient, ndarray = builder(self.result), finisher(self.point, self.types), np.ndarray

        def arrange(fn: Callable[..., Any], results: Sequence[Any], inputs: Sequence[Any] | None) -> tuple[Any, Any]:
            values = results[:count]
            if scalar and isinstance(values[0], ndarray) and values[0].shape != ():
                needed = "a gradient needs a function that returns one real number"
                raise non_scalar(fn, needed, f"shape {np.shape(values[0])}")
            return value(values), gradient(results[count:], None if inputs is None else [*inputs, *values, *seeds])

        return arrange


def plan_gradient(
    call: Application, argnums: Argnums, has_aux: bool, *, valued: bool = True, holomorphic: bool = False
) -> GradientPlan:
    """The plan for the function applied in `call`, made at the first call.

    A rule that is compiled has the seed put in, and computes the value only where the plan is to be `valued`. Without fastmath
    it has not: what is simplified for a known seed may be rounded otherwise.
    """
    closed = may_compile(call.engine) and call.engine.fastmath
    key = (argnums, has_aux, call.lead, call.scratch, call.engine, valued or not closed, holomorphic)
    plan: GradientPlan | None = call.entry.plans.get(key)
    if plan is None:
        wrt = call.wrt(argnums)
        for name, tree in call.named_arguments(argnums) if holomorphic else ():
            refuse_real(call.fn, name, tree)
        seed, outputs = call.output(wrt, has_aux, holomorphic=holomorphic)
        number = next(leaves_of(call.result), None)
        if closed and isinstance(seed, float) and number is not None and isinstance(number.type, Scalar):
            rule = call.rule("reverse", wrt, outputs if has_aux else None, seeds=(seed,), valued=valued)
        else:
            rule = call.rule("reverse", wrt, outputs if has_aux else None)
        seeds, count = (seed,) * rule.seeds, len(rule.typed.results)
        plan = GradientPlan(rule, seeds, outputs, count, call.types(wrt), call.result, call.point(argnums))
        call.entry.plans[key] = plan
    return plan


@operator("jvp", made=None)
@for_users
def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> tuple[Any, Any]:
    """The value of ``f(*primals)`` and its derivative in the direction `tangents`.

    The tangent of the value has the structure of the value, with ``None`` where it holds no float. `engine` and `fastmath` are
    as for `grad`.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    call = apply(f, tuple(primals), {}, engine=checked_engine(engine, fastmath), mode="forward")
    plan, tangents = plan_tangent(call), tuple(tangents)
    given = plan.match([call.leaves[i] for i in plan.wrt], tangents)
    if given is None:
        given = perturbations(call.fn, "tangent", call.free(primals), tangents)
    rule = plan.rule
    results = call.run(rule, call.inputs(), *given)
    count = len(rule.typed.results)
    slopes = alongside(results[:count], call.result, rule.spread(results[count:]))
    return rebuild(call.result, iter(results[:count])), placed(call.result, slopes)


@dataclass(frozen=True)
class TangentPlan:
    """What a tangent of one specialised function does at every call: it moves with its leaves `wrt`, which `match` finds."""

    rule: DerivedRule
    wrt: tuple[int, ...]
    match: Callable[[Sequence[Any], Any], list[Any] | None]


def plan_tangent(call: Application) -> TangentPlan:
    """The plan for the function applied in `call`, made at the first call."""
    key = ("jvp", call.lead, call.held, call.scratch, call.engine)
    plan: TangentPlan | None = call.entry.plans.get(key)
    if plan is None:
        wrt, trees = call.float_leaves(), call.signature.args[call.lead :]
        point = Node("tuple", tuple, tuple(range(len(trees))), trees)
        plan = call.entry.plans[key] = TangentPlan(call.rule("forward", wrt), wrt, matcher(point))
    return plan


@operator("vjp", made=None)
@for_users
def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Pullback]:
    """The value of ``f(*primals)``, and the function that takes a cotangent of it to those of the primals.

    >>> out, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> out, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    call = apply(f, primals, {})
    wrt = call.float_leaves()
    rule = call.rule_to_cut("reverse", wrt)
    results, tape = call.run_forward(rule, call.keep(rule, call.inputs()))
    like = [kept(value) for value in results]
    return rebuild(call.result, iter(results)), Pullback(call, wrt, rule, tape, like)


@dataclass(frozen=True, eq=False)
class Pullback:
    """Takes cotangents of a value to cotangents of the primals. It may be called any number of times.

    `batched` is the rule of its tape for several vectors.
    """

    call: Application
    wrt: tuple[int, ...]
    rule: DerivedRule
    tape: Residuals
    like: list[Any]
    batched: CutRule | None = None

    @for_users
    def __call__(self, ct: Any) -> tuple[Any, ...]:
        """One cotangent for each primal, with its structure, and ``None`` where it holds no float."""
        call = self.call
        given = matched(call.fn, "cotangent", call.result, self.like, ct)
        gradients = self.tape.run(self.rule.seeded(given))
        return call.placed(iter(settler(call.types(self.wrt))(gradients, [*self.tape.values, *given])))

    def batch(self, cts: Any) -> tuple[Any, ...]:
        """What a call returns for each of the cotangents `cts`, all leaves of which have one more axis, the first.

        The pullback of a derivative that was prepared for several `directions` takes them that many at a time.
        """
        call = self.call
        batch = batch_for(call.fn, "cotangents", call.result, self.like, cts)
        found = BatchResults.of(batch.count, call.types(self.wrt))
        for group, rows in batch.rows(1 if self.batched is None else self.batched.directions):
            seeds = [seed for row in rows for seed in self.rule.seeded(row)]
            found.put(group, split(self.tape.run(seeds, None if len(rows) == 1 else self.batched), 0, len(rows)))
        return call.placed(iter(found.arrays))


def kept(value: Any) -> Any:
    """`value` as it is now, whatever is written to it later."""
    return private(value) if isinstance(value, np.ndarray) else value


@operator("stop_gradient", made=None)
def stop_gradient(x: Any) -> Any:
    """`x` itself, which a derivative takes for a constant."""
    return x
