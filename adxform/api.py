"""The derivatives of Python functions, as functions: `grad`, `value_and_grad`, `jvp`, `vjp`; and what is told about them.

Each operator is an ordinary callable object that can be nested, pickled, and called with other arguments at every call. The rule
that it runs is built at the first call with arguments of a kind, and found in the cache from then on.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MethodType
from typing import Any

import numpy as np

from adxform.ad.record import Decision
from adxform.application import Application, Argnums, Tape, apply
from adxform.errors import ArgnumsError
from adxform.frontend.signature import Tree
from adxform.ir.types import Type
from adxform.operators import Operator, operator
from adxform.perturbations import matched, perturbations, placed, settled
from adxform.pipeline import DerivedRule
from adxform.refusals import definition, name_of, non_scalar
from adxform.runtime import private
from adxform.trees import rebuild


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
        return inspect.signature(self.fn)

    def __repr__(self) -> str:
        return f"{self.word}({name_of(self.fn)}, argnums={self.argnums})"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)


class Gradient(Derivative):
    """``grad(f)`` or ``value_and_grad(f)``."""

    def __reduce__(self) -> tuple[object, ...]:
        return (grad if self.kind == "grad" else value_and_grad), (self.fn, self.argnums, self.has_aux)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient at `args`, or the value and the gradient."""
        call = apply(self.fn, args, kwargs, self.argnums)
        value, gradient = value_and_gradient(call, self.argnums, self.has_aux)
        if self.kind == "value_and_grad":
            return value, gradient
        return (gradient, value[1]) if self.has_aux else gradient


@operator("grad")
def grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Gradient:
    """The gradient of `f`, which returns one real number, with respect to the positional arguments `argnums`.

    The gradient has the structure of the argument; for a tuple of `argnums` it is a tuple of gradients. With `has_aux`, `f`
    returns ``(value, aux)`` and the gradient function ``(gradient, aux)``.

    >>> grad(lambda x: x ** 3)(2.0)
    12.0
    """
    return Gradient("grad", f, checked_argnums(f, argnums), has_aux)


@operator("value_and_grad")
def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Gradient:
    """The value of `f` and its gradient (see `grad`), both from one run.

    >>> value_and_grad(lambda x: x ** 3)(2.0)
    (8.0, 12.0)
    """
    return Gradient("value_and_grad", f, checked_argnums(f, argnums), has_aux)


def checked_argnums(f: Callable[..., Any], argnums: Any) -> Argnums:
    """`argnums` as an int or a tuple of ints.

    Raises:
        ArgnumsError: it is neither.
    """
    numbers = argnums if isinstance(argnums, tuple | list) else (argnums,)
    if not numbers or any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in numbers):
        raise ArgnumsError(
            f"argnums is {argnums!r}", span=definition(f), help="give the position of an argument, or a tuple of positions"
        )
    return tuple(int(n) for n in numbers) if isinstance(argnums, tuple | list) else int(argnums)


@dataclass(frozen=True, slots=True)
class GradientPlan:
    """What a gradient of one specialised function does at every call.

    The first `count` results are the value's leaves, of which the first `scalar` are the number that is differentiated.
    """

    rule: DerivedRule
    seeds: tuple[Any, ...]
    scalar: int
    count: int
    types: tuple[Type, ...]
    trees: tuple[Tree, ...]


def plan_gradient(call: Application, argnums: Argnums, has_aux: bool) -> GradientPlan:
    """The plan for the function applied in `call`, made at the first call."""
    key = (argnums, has_aux, call.lead, call.scratch)
    plan: GradientPlan | None = call.entry.plans.get(key)
    if plan is None:
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        wrt = call.wrt(argnums)
        seed, outputs = call.output(wrt, has_aux)
        rule = call.rule("reverse", wrt, outputs if has_aux else None)
        trees = tuple(call.argument(number) for number in numbers)
        plan = GradientPlan(rule, (seed,) * rule.seeds, outputs, len(rule.typed.results), call.types(wrt), trees)
        call.entry.plans[key] = plan
    return plan


def value_and_gradient(call: Application, argnums: Argnums, has_aux: bool) -> tuple[Any, Any]:
    """The value and the gradient of the function applied in `call`."""
    plan = plan_gradient(call, argnums, has_aux)
    inputs = call.inputs()
    results = call.run(plan.rule, inputs, *plan.seeds)
    values = results[: plan.count]
    if plan.scalar and np.shape(values[0]) != ():
        raise non_scalar(call.fn, "a gradient needs a function that returns one real number", f"shape {np.shape(values[0])}")
    gradients = gradient_leaves(plan.types, results[plan.count :], [*inputs, *values, *plan.seeds])
    parts = tuple([placed(tree, gradients) for tree in plan.trees])
    return rebuild(call.result, iter(values)), (parts if isinstance(argnums, tuple) else parts[0])


def gradient_leaves(types: Sequence[Type], found: Sequence[Any], taken: list[Any]) -> Iterator[Any]:
    """The gradients `found` of leaves of `types`, as the caller gets them: none of `taken`, and none the same."""
    return iter([settled(value, type_, taken) for value, type_ in zip(found, types, strict=True)])


@operator("jvp")
def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of ``f(*primals)`` and its derivative in the direction `tangents`.

    The tangent of the value has the structure of the value, with ``None`` where it holds no float.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    call = apply(f, tuple(primals), {})
    given = perturbations(call.fn, "tangent", call.free(primals), tuple(tangents))
    rule = call.rule("forward", call.float_leaves())
    results = call.run(rule, call.inputs(), *given)
    count = len(rule.typed.results)
    tangent = placed(call.result, rule.spread(results[count:]))
    return rebuild(call.result, iter(results[:count])), tangent


@operator("vjp")
def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Pullback]:
    """The value of ``f(*primals)``, and the function that takes a cotangent of it to those of the primals.

    >>> out, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> out, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    call = apply(f, primals, {})
    wrt = call.float_leaves()
    results, tape = call.run_forward(wrt, [kept(value) for value in call.inputs()])
    like = [kept(value) for value in results]
    return rebuild(call.result, iter(results)), Pullback(call, wrt, tape, like)


@dataclass(frozen=True, eq=False)
class Pullback:
    """Takes cotangents of a value to cotangents of the primals. It may be called any number of times."""

    call: Application
    wrt: tuple[int, ...]
    tape: Tape
    like: list[Any]

    def __call__(self, ct: Any) -> tuple[Any, ...]:
        """One cotangent for each primal, with its structure, and ``None`` where it holds no float."""
        call = self.call
        given = matched(call.fn, "cotangent", call.result, self.like, ct)
        gradients = gradient_leaves(call.types(self.wrt), self.tape.run(given), [*self.tape.values, *given])
        return call.placed(gradients)


def kept(value: Any) -> Any:
    """`value` as it is now, whatever is written to it later."""
    return private(value) if isinstance(value, np.ndarray) else value


@operator("stop_gradient")
def stop_gradient(x: Any) -> Any:
    """`x` itself, which a derivative takes for a constant."""
    return x


def source(f: Callable[..., Any], *example_args: Any, mode: str = "reverse", argnums: Argnums = 0) -> str:
    """The generated module that runs for `f` at arguments like `example_args`.

    `mode` is ``"reverse"``, ``"forward"``, ``"hvp"``, ``"hessian"`` (the product that the Hessian is made of) or ``"primal"``.
    """
    _call, rule = rule_of(f, example_args, mode, argnums)
    return rule.text


def rule_of(f: Callable[..., Any], args: Sequence[Any], mode: str, argnums: Argnums) -> tuple[Application, DerivedRule]:
    """The application of `f` to `args`, and its derived rule in `mode`."""
    numbers = checked_argnums(f, argnums)
    call = apply(f, tuple(args), {}, None if mode == "primal" else numbers)
    wrt = () if mode == "primal" else call.wrt(numbers)
    match mode:
        case "reverse" | "forward" | "primal":
            return call, call.rule(mode, wrt)
        case "hvp" | "hessian":
            call.output(wrt, False)
            return call, call.rule("hvp", wrt)
        case _:
            raise ValueError(f"mode is {mode!r}; it is one of reverse, forward, hvp, hessian, primal")


def explain(f: Callable[..., Any], *example_args: Any, mode: str = "reverse", argnums: Argnums = 0) -> str:
    """What the derivative of `f` keeps, recomputes or puts on a tape, value by value, and why."""
    call, rule = rule_of(f, example_args, mode, argnums)
    names = [param.base for param in rule.request.function.params]
    wrt = ", ".join(names[position] for position in rule.request.wrt)
    lines = [f"{name_of(call.fn)}({', '.join(names)}): {mode} mode with respect to {wrt or 'nothing'}"]
    rows = [(place(decision), described(decision), decision.kind, decision.reason) for decision in rule.decisions]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        lines.append("  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3])).rstrip())
    if not rows:
        lines.append("nothing is kept: the reverse sweep needs only what is there")
    return "\n".join(lines)


def place(decision: Decision) -> str:
    """The file and line of a decision, without the folder."""
    span = decision.span
    return f"{PurePath(span.file).name}:{span.line}" if span.line else ""


def described(decision: Decision) -> str:
    """The value of a decision as the user wrote it, and its name where it has one of its own."""
    span = decision.span
    name = decision.name.partition(".")[0]
    line = linecache.getline(span.file, span.line) if span.line else ""
    text = line[span.column : span.end_column if span.end_line == span.line else None].strip()
    if not text or text == name:
        return name
    return text if name == "tmp" else f"{name}: {text}"
