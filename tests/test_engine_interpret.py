"""The engine that interprets the IR: bit for bit what Python gives, and the value of every op on request."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

import adxform
from adxform.api import source
from adxform.backends.registry import BACKENDS
from adxform.errors import OptionError
from adxform.frontend.derivative_operators import ENGINES, Engine, EngineName
from adxform.runtime.dispatch.split import as_tuple
from adxform.testing import trace
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.test_engine import seeds_for

SAMPLE = [program for program in PROGRAMS[::9] if program.wrt and program.raises is None]
X = np.linspace(0.5, 1.5, 4)


def found(program: Program, mode: str, engine: EngineName) -> list[Any]:
    """What the derivative of `program` in `mode` returns at each of its points."""
    results: list[Any] = []
    for point in program.points:
        call, rule = source.rule_of(program.function, point.fresh(), mode, program.wrt, Engine(engine))
        inputs = call.inputs()
        with np.errstate(all="ignore"):
            results += copy.deepcopy(as_tuple(rule.run(*inputs, *seeds_for(rule, inputs)), rule.returned))
    return results


def bits(value: Any) -> Any:
    """What tells `value` from any other: its class, and its bits."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return type(value), np.asarray(value).tobytes() if isinstance(value, float | int | complex | np.generic) else value


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("program", SAMPLE, ids=lambda program: program.name)
def test_the_bits_are_those_of_python(program: Program, mode: Literal["reverse", "forward"]) -> None:
    got, expected = (found(program, mode, engine) for engine in ("interpret", "python"))
    assert list(map(bits, got)) == list(map(bits, expected))


def sums(x: Any, k: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += k * np.sin(x[i]) * x[i]
    return total


def recursive(x: Any, n: int) -> Any:
    return x if n == 0 else recursive(np.sin(x) * 1.5, n - 1)


def derivatives(engine: EngineName) -> list[Any]:
    """Derivatives of `sums` by every operator that takes an engine."""
    prepared = adxform.prepare_gradient(sums, X, 2.0, engine=engine)
    product = adxform.prepare_hvp_same_point(sums, X, 2.0, engine=engine)
    _, pullback = adxform.prepare_vjp(sums, X, 2.0, engine=engine)(X, 2.0)
    given: list[Any] = [
        adxform.grad(sums, engine=engine)(X, 2.0),
        adxform.value_and_grad(sums, engine=engine)(X, 2.0),
        adxform.jvp(sums, (X, 2.0), (X, 1.0), engine=engine),
        adxform.hvp(sums, engine=engine)(X, 2.0, X),
        adxform.hessian(sums, engine=engine)(X, 2.0),
        adxform.jacobian(sums, engine=engine)(X, 2.0),
        prepared(X, 2.0),
        prepared(X, 2.0, out=np.empty_like(X)),
        product(X),
        product(X, out=np.empty_like(X)),
        pullback(1.0)[0],
    ]
    return [leaf for value in given for leaf in (value if isinstance(value, tuple) else (value,))]


def test_every_operator_takes_it() -> None:
    assert list(map(bits, derivatives("interpret"))) == list(map(bits, derivatives("python")))


def test_functions_that_call_themselves_have_room() -> None:
    got, expected = (adxform.grad(recursive, engine=engine)(0.3, 300) for engine in ("interpret", "python"))
    assert got == expected


def test_the_table_has_the_names_of_the_option() -> None:
    assert {"auto", *BACKENDS} == set(ENGINES)
    with pytest.raises(OptionError, match="engine is 'interpreted'; it is one of auto, python, numba, interpret"):
        adxform.grad(sums, engine="interpreted")  # type: ignore[arg-type]


def test_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADXFORM_ENGINE", "interpret")
    assert adxform.grad(sums).engine == Engine("interpret")


def square(x: float) -> float:
    y = x * x
    return y + 1.0


def traced(run: Callable[[], Any]) -> list[str]:
    """The lines that are told while `run` runs, without places."""
    lines: list[str] = []
    with trace(lines.append):
        run()
    return [line[16:].strip() if line.startswith(("test_", " ")) else line for line in lines]


def test_values_of_ops_are_told_on_request() -> None:
    lines = traced(lambda: adxform.value_and_grad(square, engine="interpret")(3.0))
    assert lines[0] == "square_vjp(x, result_ct)"
    assert any(line.endswith("operator.mul(x, x)  # 9.0") for line in lines)
    assert lines[-1].endswith("# 6.0")
    assert traced(lambda: adxform.value_and_grad(square, engine="python")(3.0)) == []


def failing(x: float) -> float:
    return x / (x - x)


def test_errors_say_where_they_arose() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        adxform.grad(failing, engine="interpret")(1.0)
    assert "in the derivative of test_engine_interpret.py" in "".join(caught.value.__notes__)


def test_its_source_is_the_ir() -> None:
    assert adxform.source(square, 3.0, engine="interpret").startswith("def square_vjp(x: float, result_ct: float):\n")
    assert "engine: interpret" in adxform.explain(square, 3.0, engine="interpret")
