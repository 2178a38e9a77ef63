"""Calls of one of several functions, of which the run knows which: each is called in a branch of its own."""

from __future__ import annotations

import operator
from collections.abc import Callable

from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import OneFunction, Value
from adxform.ir.ops import Lit


def call_chosen(
    interp: Interpreter, fn: OneFunction, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value:
    """The result of a call of the function that the run has."""
    return on_each(interp, fn, lambda one: interp.call(one, args, kwargs, hint, wanted), hint)


def on_each(interp: Interpreter, fn: OneFunction, run: Callable[[Value], Value], hint: str) -> Value:
    """What `run` gives for the function that the run has."""

    def among(functions: tuple[Value, ...]) -> list[Value]:
        first, *others = functions
        if not others:
            return [run(first)]
        number = Lit(interp.heap.contents.number_of(first))
        chosen = interp.operand(interp.call(Lit(operator.eq), (fn.which, number)))
        return branch(interp, chosen, lambda: [run(first)], lambda: among(tuple(others)), [hint], interp.span)

    return among(fn.functions)[0]
