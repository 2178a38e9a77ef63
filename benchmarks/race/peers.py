"""How the users of other systems get a gradient or a Hessian product out of a function, and call it again and again.

Each function here takes the function as that system's users write it, the problem and its arguments, and returns a call without
arguments. Arguments are brought into the system's own arrays once, outside of the call; results come back as NumPy arrays,
which all but CasADi do without a copy.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.race.problem import Function, Problem

Arguments = tuple[Any, ...]
Call = Callable[[], Any]
INSTRUCTIONS = 60_000


class UnableError(Exception):
    """A contender cannot take a problem, for the reason given."""


def with_jax(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``jax.jit(jax.grad(f))`` in double precision; Hessian products forward over reverse, as its cookbook has them."""
    import jax

    jax.config.update("jax_enable_x64", True)
    values = [jax.numpy.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
    static = tuple(place for place, x in enumerate(arguments) if isinstance(x, int))
    if problem.kind == "product":

        def product(*values: Any) -> Any:
            x, *rest, v = values
            return jax.jvp(lambda x: jax.grad(f)(x, *rest), (x,), (v,))[1]

        compiled = jax.jit(product, static_argnums=static)
    elif problem.kind == "blocks":
        compiled = jax.jit(jax.vmap(jax.jacrev(f, argnums=problem.wrt)))
    else:
        compiled = jax.jit(jax.grad(f, argnums=problem.wrt), static_argnums=static)
    if problem.kind == "product":
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
    if problem.kind == "blocks":
        blocks = torch.func.vmap(torch.func.jacrev(f, argnums=problem.wrt))
        return lambda: tuple(part.numpy() for part in blocks(*values))
    if problem.kind == "product":
        x, *rest, v = values
        return lambda: torch.autograd.functional.vhp(lambda x: f(x, *rest), x, v)[1].numpy()
    for place in problem.wrt:
        values[place].requires_grad_()
    inputs = [values[place] for place in problem.wrt]
    return lambda: tuple(part.numpy() for part in torch.autograd.grad(f(*values), inputs))


def with_torch_compile(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """The same with ``torch.compile(f)``."""
    import torch

    if problem.kind == "blocks":
        return _compiled_blocks(f, problem, arguments)
    torch._dynamo.reset()  # what it learnt of other sizes would make it compile for any
    if problem.kind == "product":
        raise UnableError("torch.compile does not go through double backward")
    return with_torch(torch.compile(f), problem, arguments)


def _compiled_blocks(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """The whole of ``vmap(jacrev(f))`` compiled."""
    import torch

    values = [torch.from_numpy(x) for x in arguments]
    blocks = torch.compile(torch.func.vmap(torch.func.jacrev(f, argnums=problem.wrt)))
    return lambda: tuple(part.numpy() for part in blocks(*values))


def with_autograd(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``autograd.grad(f)``, of the user's module with ``import autograd.numpy as np``."""
    import autograd

    if problem.kind == "blocks":
        seeds = np.broadcast_to(np.eye(2)[:, None, :], (2, len(arguments[0]), 2))

        def blocks() -> Any:
            pulled = [autograd.make_vjp(f, place)(*arguments)[0] for place in problem.wrt]
            return tuple(np.stack([pull(seed) for seed in seeds], axis=1) for pull in pulled)

        return blocks
    if problem.kind == "product":
        product = autograd.hessian_vector_product(f)
        return lambda: product(*arguments)
    gradient = autograd.grad(f, argnum=problem.wrt)
    return lambda: gradient(*arguments)


def with_tangent(f: Function, problem: Problem, arguments: Arguments) -> Call:
    """``tangent.grad(f)``."""
    import tangent

    if problem.kind != "gradient":
        raise UnableError("has gradients of scalars only")
    gradient = tangent.grad(f, wrt=problem.wrt)
    return lambda: gradient(*arguments)


def _casadi_function(f: Function, problem: Problem, arguments: Arguments, kind: Any) -> Any:
    """The derivative as a CasADi function of all arguments that are arrays or floats; of one row, mapped over all, for blocks."""
    import casadi

    blocks = problem.kind == "blocks"
    point = problem.point(arguments)
    count = len(arguments[0]) if blocks else 0
    arguments = tuple(x[0] for x in arguments) if blocks else arguments
    symbols = [x if isinstance(x, int) else kind.sym(f"x{k}", *np.atleast_1d(x).shape) for k, x in enumerate(arguments)]
    value = f(*symbols[: len(point)])
    inputs = [symbols[place] for place in problem.wrt]
    results = [casadi.jacobian(value, x).T if blocks else casadi.gradient(value, x) for x in inputs]
    if problem.kind == "product":
        results = [casadi.jtimes(results[0], inputs[0], symbols[-1])]
    function = casadi.Function("g", [x for x in symbols if not isinstance(x, int)], [casadi.densify(part) for part in results])
    return function.map(count) if blocks else function


def _casadi_call(function: Any, problem: Problem, arguments: Arguments) -> Call:
    """Call through buffers, which spares conversions; the results are the same arrays at every call."""
    order: Any = "C" if problem.kind == "blocks" else "F"
    columns = [np.array(np.ravel(x, order=order), dtype=float) for x in arguments if not isinstance(x, int)]
    shapes = [np.shape(arguments[place]) for place in problem.wrt]
    if problem.kind == "blocks":
        shapes = [(shape[0], 2, *shape[1:]) for shape in shapes]
    buffer, evaluate = function.buffer()
    for k, column in enumerate(columns):
        buffer.set_arg(k, memoryview(column))
    places = [np.empty(int(np.prod(shape))) for shape in shapes]
    for k, place in enumerate(places):
        buffer.set_res(k, memoryview(place))

    results = tuple(place.reshape(shape, order=order) for place, shape in zip(places, shapes, strict=True))

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
    if problem.kind != "blocks" and function.n_instructions() > INSTRUCTIONS:
        raise UnableError(f"{function.n_instructions():,} instructions of C take the compiler minutes")
    flags = ["-O2", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    with tempfile.TemporaryDirectory(prefix="adxform-race-", ignore_cleanup_errors=True) as folder:
        made = casadi.CodeGenerator("g.c")
        made.add(function)
        made.generate(f"{folder}/")
        library = Path(folder) / "g.so"
        subprocess.run(["cc", *flags, "-o", str(library), str(Path(folder) / "g.c")], check=True, capture_output=True)
        external = casadi.external(function.name(), str(library))  # loaded: the file may go
    return _casadi_call(external, problem, arguments)
