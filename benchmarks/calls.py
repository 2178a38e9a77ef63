"""What a call of a prepared derivative costs beside the machine code that it runs: arguments of a few numbers, compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import adxform
from benchmarks.race.contenders import room_for
from benchmarks.race.problems.rosenbrock import rosenbrock
from benchmarks.race.problems.scalar import scalar
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, interleaved

LIMIT = 1e-6
COLUMNS = ("derivative", "kernel s", "prepared s", "beside it s", "into out s", "beside it s")


def product(x, y):
    """x, y: numbers"""
    return x * np.sin(y) + y / x


def squares(x):
    """x: (n,)"""
    return np.sum(x**2)


def distance(x, y):
    """x, y: (n,)"""
    return np.sqrt(np.sum((x - y) ** 2))


def affine(parameters, x):
    """parameters: a dict of weights (n,) and a bias; x: (n,)"""
    return np.tanh(np.sum(parameters["weights"] * x) + parameters["bias"])


def derivatives() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Yield what is called with which arguments, and its name."""
    x, y = np.linspace(-1.0, 1.5, 10), np.linspace(2.0, 1.0, 10)
    for name, f, arguments, argnums in (
        ("a number", scalar, (0.7,), 0),
        ("two numbers", product, (0.7, 1.3), (0, 1)),
        ("ten numbers", squares, (x,), 0),
        ("ten numbers, a loop", rosenbrock, (x,), 0),
        ("two arrays of ten", distance, (x, y), (0, 1)),
        ("a dict", affine, ({"weights": x, "bias": 0.3}, y), 0),
    ):
        yield f"gradient, {name}", adxform.prepare_gradient(f, *arguments, argnums=argnums, engine="numba"), arguments
    yield "value and gradient, ten numbers", adxform.prepare_value_and_gradient(squares, x, engine="numba"), (x,)
    yield "Hessian product, ten numbers", adxform.prepare_hvp(rosenbrock, x, engine="numba"), (x, y)


def kernels_of(prepared: Any, arguments: tuple[Any, ...]) -> Callable[[], Any]:
    """The machine code that the call runs, with what it is given there, and nothing else."""
    rule = prepared.rules[-1]
    run, calls = rule.run, []
    names = run.compiled.__globals__

    def noted(name: str) -> Callable[..., Any]:
        kernel, machine = names[name], run.machine_code(name)

        def note(*given: Any) -> Any:
            calls.append((machine, given))
            return kernel(*given)

        return note

    before = {name: names[name] for name in run.kernels}
    names.update({name: noted(name) for name in run.kernels})
    try:
        rule.run(*prepared.made.quickly(arguments[: len(prepared.made.checks)], {}), *arguments[len(prepared.made.checks) :])
    finally:
        names.update(before)
    (call,) = calls
    machine, given = call
    return lambda: machine(*given)


def calls(quick: bool) -> Result:
    """Time the kernel alone, the prepared call, and that into arrays made once, in turns."""
    rows = []
    for name, prepared, arguments in derivatives():
        contenders = {"kernel": kernels_of(prepared, arguments), "call": lambda: prepared(*arguments)}
        out = room_for(prepared(*arguments))
        if any(isinstance(part, np.ndarray) for part in (out if isinstance(out, tuple) else (out,))):
            contenders["into"] = lambda: prepared(*arguments, out=out)
            contenders["into"]()  # that form is compiled at the first call
        taken = interleaved(contenders, clock=time.process_time, **effort(quick, 9))
        kernel, call, into = taken["kernel"], taken["call"], taken.get("into", "")
        rows.append((name, kernel, call, call - kernel, into, into - kernel if into else ""))
    most = max(row[3] for row in rows)
    claim = Claim(f"a call costs at most {LIMIT * 1e6:.0f} us more than its kernel: {most * 1e6:.2f} us at most", most <= LIMIT)
    return Result("Calls of prepared derivatives of a few numbers, compiled", COLUMNS, tuple(rows), (claim,))
