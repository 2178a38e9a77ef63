"""Derivatives of typed functions as IR, of first and second order, with the seeds and the shapes that a rule is asked for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, assert_never

import numpy as np

from adxform.autodiff.ends import float_results
from adxform.autodiff.reverse.residuals import Decision
from adxform.frontend.derivative_operators import USUAL, Order
from adxform.frontend.evaluate.rule_bodies.expander import RuleExpander
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Function, Lit, Operand, Var
from adxform.ir.types import is_inexact
from adxform.ir.walk import Names
from adxform.passes.driver import checked
from adxform.passes.pipeline import optimise, pulled, pushed

Mode = Literal["primal", "reverse", "forward", "hvp", "second"]
Decisions = tuple[Decision, ...]
SUFFIX: dict[Mode, str] = {"primal": "", "reverse": "_vjp", "forward": "_jvp", "hvp": "_hvp", "second": "_second"}


def transform(
    mode: Mode, fn: Function, wrt: tuple[int, ...], outputs: int, expander: RuleExpander, order: Order = USUAL
) -> tuple[Function, Decisions]:
    """The derivative of `fn` as IR, named after it, and what its reverse sweep keeps.

    ``"hvp"`` returns the product of the Hessian with the vector that it takes, ``"second"`` the results of `fn`, the gradient and
    the product: see `second_order`.
    """
    name = fn.name + SUFFIX[mode]
    match mode:
        case "primal":
            return fn, ()
        case "reverse":
            adjoint, decisions = pulled(fn, wrt, dict.fromkeys(range(outputs, len(fn.results)), 0.0), expander)
            return renamed(adjoint, name), decisions
        case "forward":
            return renamed(pushed(fn, wrt, expander), name), ()
        case "hvp" | "second":
            both, decisions = second_order(fn, wrt, outputs, order, expander, whole=mode == "second")
            return renamed(both, name), decisions
        case _:
            assert_never(mode)


def second_order(
    fn: Function, wrt: tuple[int, ...], outputs: int, order: Order, expander: RuleExpander, *, whole: bool
) -> tuple[Function, Decisions]:
    """The function of ``fn.params`` and a vector that returns the product of the Hessian of `fn` with it.

    `whole`: it returns the results of `fn` and the gradient ahead of the product. Forward over forward takes a second vector,
    and has numbers where the others have arrays: the derivatives of `fn` and of its tangent along the second vector.

    Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 5.
    """
    values = len(fn.results) if whole else 0
    ones = {i: 1.0 if i < outputs else 0.0 for i in range(len(fn.results))}
    match order:
        case "forward-over-reverse":
            gradient, decisions = pulled(fn, wrt, ones, expander, again=True)
            gradient = checked(optimise(restricted(gradient, range(len(fn.results) - values, len(gradient.results)))))
            both = pushed(gradient, wrt, expander)
            kept = both.results[: len(gradient.results)] if whole else ()
            return with_results(both, (*kept, *tangents(both, gradient)[values:])), decisions
        case "reverse-over-reverse":
            gradient, first = pulled(fn, wrt, ones, expander, again=True)
            count = len(fn.results)
            gradient = seedable(checked(optimise(gradient)), count, [fn.params[i] for i in wrt])
            both, decisions = pulled(gradient, wrt, dict.fromkeys(range(count), 0.0), expander)
            return restricted(both, range(0 if whole else len(gradient.results), len(both.results))), first + decisions
        case "reverse-over-forward":
            tangent = pushed(fn, wrt, expander)
            tangent = checked(optimise(with_results(tangent, (*tangent.results[:values], *tangents(tangent, fn)))))
            vector = tuple(range(len(fn.params), len(tangent.params))) if whole else ()
            seeds = {**dict.fromkeys(range(values), 0.0), **{values + i: one for i, one in ones.items()}}
            both, decisions = pulled(stopped(tangent, range(values)), (*wrt, *vector), seeds, expander)
            start = len(tangent.results)
            product, slopes = both.results[start : start + len(wrt)], both.results[start + len(wrt) :]
            return with_results(both, (*both.results[:values], *slopes, *product)), decisions
        case "forward-over-forward":
            tangent = pushed(fn, wrt, expander)
            tangent = checked(optimise(with_results(tangent, (*tangent.results[:values], *tangents(tangent, fn)))))
            both = pushed(tangent, wrt, expander)
            moved = tangents(both, tangent)
            slopes = moved[: values + 1] if fn.results else (Lit(0.0), Lit(0.0))
            return with_results(both, (*both.results[:values], *(slopes[:1] if whole else ()), slopes[-1])), ()
        case _:
            assert_never(order)


def renamed(fn: Function, name: str) -> Function:
    """`fn` under `name`, unless it calls itself under another one."""
    if any(helper.name in (fn.name, name) for helper in fn.helpers):
        return fn
    return replace(fn, name=name)


def restricted(fn: Function, keep: Iterable[int]) -> Function:
    """`fn` returning only some of its results."""
    return with_results(fn, tuple(fn.results[i] for i in keep))


def with_results(fn: Function, results: tuple[Operand, ...]) -> Function:
    """`fn` returning `results`."""
    return replace(fn, body=replace(fn.body, results=results))


def is_number(operand: Operand) -> bool:
    """Whether a result is a float: a variable, or a literal."""
    match operand:
        case Var(type=type_):
            return is_inexact(type_)
        case Lit(value):
            return isinstance(value, float | complex | np.inexact)
        case _:
            return False


def tangents(both: Function, primal: Function) -> tuple[Operand, ...]:
    """The tangents of the results of `primal` in its forward function `both`; zero for a literal."""
    found = iter(both.results[len(primal.results) :])
    floats = float_results(primal)
    return tuple(next(found) if i in floats else Lit(0.0) for i in range(len(primal.results)))


def aux_stopped(fn: Function, outputs: int) -> Function:
    """`fn` with its results from position `outputs` on cut off from differentiation."""
    return stopped(fn, range(outputs, len(fn.results)))


def stopped(fn: Function, places: Container[int]) -> Function:
    """`fn` with its float results at `places` cut off from differentiation."""
    cut = [i for i in float_results(fn) if i in places]
    return replaced(fn, {i: fn.results[i] for i in cut}, fn.results)


def seedable(fn: Function, values: int, likes: Sequence[Var]) -> Function:
    """The gradient function `fn` with its first `values` results cut off, and each of the others, like `likes`, a variable."""
    found = stopped(fn, range(values))
    numbers = {i: result for i, result in enumerate(found.results) if i >= values and isinstance(result, Lit)}
    return replaced(found, numbers, (*found.results[:values], *likes))


def replaced(fn: Function, cut: Mapping[int, Operand], likes: Sequence[Operand]) -> Function:
    """`fn` with the results `cut` taken for constants, variables of the types of those in `likes`."""
    if not cut:
        return fn
    builder = Builder(Names.of(fn), fn.span)
    results = list(fn.results)
    for i, value in cut.items():
        like = likes[i]
        assert isinstance(like, Var)
        results[i] = builder.call(intrinsics.stop_gradient, value, type=like.type, hint=like.base)
    return replace(fn, body=Block(fn.params, (*fn.body.ops, *builder.ops), tuple(results)))
