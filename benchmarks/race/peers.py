"""How the users of other systems get a gradient or a Hessian product out of a function, and call it again and again.

Each function here takes the function as that system's users write it, the problem and its arguments, and returns a call without
arguments. Arguments are brought into the system's own arrays once, outside of the call; results come back as NumPy arrays,
which all but CasADi do without a copy.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.race.problem import Function, Problem

Arguments = tuple[Any, ...]
Call = Callable[[], Any]


class UnableError(Exception):
    """A contender cannot take a problem, for the reason given."""


def with_jax(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``jax.jit(jax.grad(f))`` in double precision; Hessian products forward over reverse, as its cookbook has them."""
    import jax

    jax.config.update("jax_enable_x64", True)
    values = [jax.numpy.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
    static = tuple(place for place, x in enumerate(arguments) if isinstance(x, int))
    if problem.product:

        def product(*values: Any) -> Any:
            x, *rest, v = values
            return jax.jvp(lambda x: jax.grad(f)(x, *rest), (x,), (v,))[1]

        compiled = jax.jit(product, static_argnums=static)
    else:
        compiled = jax.jit(jax.grad(f, argnums=problem.wrt), static_argnums=static)
    if problem.product:
        return lambda: np.asarray(compiled(*values))
    return lambda: tuple([np.asarray(part) for part in compiled(*values)])


def with_torch(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``torch.autograd.grad`` in eager mode.

    Hessian products by ``torch.autograd.functional.vhp``, which its documentation prefers.
    """
    import torch

    values = [
        torch.tensor(x, dtype=torch.float64) if isinstance(x, float) else torch.from_numpy(x) if isinstance(x, np.ndarray) else x
        for x in arguments
    ]
    torch.set_num_interop_threads(1)
    if problem.product:
        x, *rest, v = values
        return lambda: torch.autograd.functional.vhp(lambda x: f(x, *rest), x, v)[1].numpy()
    for place in problem.wrt:
        values[place].requires_grad_()
    inputs = [values[place] for place in problem.wrt]
    return lambda: tuple(part.numpy() for part in torch.autograd.grad(f(*values), inputs))


def with_torch_compile(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """The same with ``torch.compile(f)``."""
    import torch

    if problem.product:
        raise UnableError("torch.compile does not go through double backward")
    return with_torch(torch.compile(f), problem, arguments)


def with_autograd(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``autograd.grad(f)``, of the user's module with ``import autograd.numpy as np``."""
    import autograd

    if problem.product:
        product = autograd.hessian_vector_product(f)
        return lambda: product(*arguments)
    gradient = autograd.grad(f, argnum=problem.wrt)
    return lambda: gradient(*arguments)


def with_tangent(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``tangent.grad(f)``."""
    import tangent

    if problem.product:
        raise UnableError("has no Hessian products")
    gradient = tangent.grad(f, wrt=problem.wrt)
    return lambda: gradient(*arguments)


def _casadi_function(f: Function, problem: Problem, arguments: Arguments, kind: Any) -> Any:
    """The derivative as a CasADi function of all arguments that are arrays or floats."""
    import casadi

    point = problem.point(arguments)
    symbols = [x if isinstance(x, int) else kind.sym(f"x{k}", *np.atleast_1d(x).shape) for k, x in enumerate(arguments)]
    value = f(*symbols[: len(point)])
    inputs = [symbols[place] for place in problem.wrt]
    results = [casadi.gradient(value, x) for x in inputs]
    if problem.product:
        results = [casadi.jtimes(results[0], inputs[0], symbols[-1])]
    return casadi.Function("g", [x for x in symbols if not isinstance(x, int)], [casadi.densify(part) for part in results])


def _casadi_call(function: Any, problem: Problem, arguments: Arguments) -> Call:
    """Call through buffers, which spares conversions; the results are the same arrays at every call."""
    columns = [np.asfortranarray(x, dtype=float).reshape(-1, order="F") for x in arguments if not isinstance(x, int)]
    shapes = [np.shape(arguments[place]) for place in problem.wrt]
    buffer, evaluate = function.buffer()
    for k, column in enumerate(columns):
        buffer.set_arg(k, memoryview(column))
    places = [np.empty(int(np.prod(shape))) for shape in shapes]
    for k, place in enumerate(places):
        buffer.set_res(k, memoryview(place))

    results = tuple(place.reshape(shape, order="F") for place, shape in zip(places, shapes, strict=True))

    def call(kept: Any = (function, buffer, columns)) -> Any:
        evaluate()
        return results

    return call


def with_casadi(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """CasADi's virtual machine, on a graph of scalars (`SX`)."""
    import casadi

    return _casadi_call(_casadi_function(f, problem, arguments, casadi.SX), problem, arguments)


def with_casadi_and_gcc(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """C code that CasADi generates, compiled by the C compiler."""
    import casadi

    function = _casadi_function(f, problem, arguments, casadi.SX)
    if function.n_instructions() > 60_000:
        raise UnableError(f"{function.n_instructions():,} instructions of C take the compiler minutes")
    folder = Path(tempfile.mkdtemp(prefix="adxform-race-"))
    # CasADi writes into the working directory alone.
    made = casadi.CodeGenerator("g.c")
    made.add(function)
    made.generate(f"{folder}/")
    library = folder / "g.so"
    flags = ["-O2", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(library), str(folder / "g.c")], check=True, capture_output=True)
    return _casadi_call(casadi.external("g", str(library)), problem, arguments)


def with_import(f: Function, name: str, replacement: Any) -> Function:
    """`f` of a fresh copy of its module, in which a global is another one: what a user gets who changes an import."""
    spec = sys.modules[f.__module__].__spec__
    assert spec is not None, f.__module__
    assert spec.loader is not None, f.__module__
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    setattr(copy, name, replacement)
    found: Function = getattr(copy, f.__name__)
    return found
