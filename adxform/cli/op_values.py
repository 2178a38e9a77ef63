"""The ops of a derivative as they run, with their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from adxform.api import source
from adxform.backends.interpret.tracing import trace
from adxform.frontend.derivative_operators import Engine
from adxform.runtime.dispatch.application import Application, Argnums
from adxform.runtime.dispatch.derivation import DerivedRule


def run_values(fn: Callable[..., Any], args: Sequence[Any], mode: str, argnums: Argnums) -> str:
    """A line for each op that runs of the derivative of `fn`, along cotangents, or tangents, that are all ones."""
    call, rule = source.rule_of(fn, args, source.SWEPT.get(mode, mode), argnums, Engine("interpret"))
    inputs, seeds = call.inputs(), [*ones(call, rule)]
    lines: list[str] = []
    with trace(lines.append):
        call.run(rule, inputs, *seeds)
    return "".join(f"{line}\n" for line in lines)


def ones(call: Application, rule: DerivedRule) -> Iterator[Any]:
    """What `rule` takes after its inputs: ones like the float results of the function, or like what is differentiated."""
    inputs = call.inputs()
    if rule.request.mode == "reverse":
        values = call.run(call.rule("primal", ()), inputs)
        like = rule.seeded([value for value in values if np.asarray(value).dtype.kind == "f"])
    else:
        like = [inputs[position] for position in rule.request.wrt]
    for value in like:
        yield np.ones_like(value) if isinstance(value, np.ndarray) else type(value)(1.0)
