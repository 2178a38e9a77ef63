"""What `hvp`, `hessian` and `jacobian` mean, over `grad`, `jvp` and `vjp`: functions that are specialised like a user's own.

They run outside of a differentiated function, and are written in place inside one; they never run as they stand. A derivative of
a structure by a structure is a table of *blocks*: one row for each float (or array of floats) of the value, one column for each
of the arguments; a block has the shape of the one and then of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.api import grad, jvp, vjp
from adxform.frontend.nested.inline import many, on_copies, one_number, positions
from adxform.frontend.nested.mirrors import (
    columns_only,
    floats,
    hessian_ends,
    jacobian_ends,
    mirror,
    moves_both_ways,
    no_more,
    one_like,
    replaced,
    turned,
)

MODES = ("auto", "forward", "reverse")
Function = Callable[..., Any]


def product(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``hvp(f, argnums, mode)(*args, **kwargs)``"""
    if len(args) < 2:
        raise TypeError("hvp(f) is called with the arguments of f and then the vector: hvp(f)(*args, v)")
    primals, vector = args[:-1], args[-1]
    numbers = positions(argnums, primals)
    xs = tuple([primals[number] for number in numbers])
    along = vector if many(argnums) else (vector,)

    def gradient(*point: Any) -> Any:
        return grad(f, argnums)(*moved(primals, numbers, point), **kwargs)

    def value(*point: Any) -> Any:
        return one_number(on_copies(f, *moved(primals, numbers, point), **kwargs))

    def slope(*point: Any) -> Any:
        return jvp(value, point, along)[1]

    if mode == "forward-over-reverse":
        return jvp(gradient, xs, along)[1]
    if mode == "reverse-over-reverse":
        found = vjp(gradient, *xs)[1](vector)
    elif mode == "reverse-over-forward":
        found = grad(slope, tuple(range(len(xs))))(*xs)
    else:
        found = mirror(xs, slopes(lambda *leaves: slope(*replaced(xs, leaves)), floats(xs)))
    return found if many(argnums) else found[0]


def hessian_at(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``hessian(f, argnums, mode)(*args, **kwargs)``: a row of blocks for each number in the arguments, each a product."""
    numbers = positions(argnums, args)
    xs = tuple([args[number] for number in numbers])
    inputs = floats(xs)
    hessian_ends(inputs)

    def gradient(*leaves: Any) -> Any:
        return floats(grad(f, argnums)(*moved(args, numbers, replaced(xs, leaves)), **kwargs))

    def value(*leaves: Any) -> Any:
        return one_number(on_copies(f, *moved(args, numbers, replaced(xs, leaves)), **kwargs))

    if mode == "forward-over-reverse":
        rows = [pushing(gradient, inputs, row) for row in range(len(inputs))]
    elif mode == "reverse-over-reverse":
        rows = [pulling(gradient, inputs, row) for row in range(len(inputs))]
    else:
        rows = [bending(value, inputs, row, mode == "forward-over-forward") for row in range(len(inputs))]
    blocks = [stacked(rows[row], inputs[row], inputs, False) for row in range(len(inputs))]
    return table(blocks, xs if many(argnums) else xs[0], xs, argnums)


def bending(value: Function, inputs: Any, place: Any, forward: Any) -> Function:
    """Takes a vector of number `place` of `inputs` to the derivatives by `inputs` of the slope of `value` along it."""

    def bend(vector: Any) -> Any:
        def slope(*leaves: Any) -> Any:
            return jvp(lambda x: value(*leaves[:place], x, *leaves[place + 1 :]), (leaves[place],), (vector,))[1]

        return slopes(slope, inputs) if forward else grad(slope, tuple(range(len(inputs))))(*inputs)

    return bend


def slopes(value: Function, inputs: Any) -> Any:
    """The gradient of the number that `value` returns by each of `inputs`, by forward sweeps.

    By x + iy it is the slope along x less i times that along y: see docs/complex.md.
    """

    def flat(*leaves: Any) -> Any:
        return (value(*leaves),)

    found = []
    for place in range(len(inputs)):
        over = inputs[place]
        number = np.zeros((), over.real.dtype) if isinstance(over, np.ndarray) else over.real
        slope = stacked(pushing(flat, inputs, place), over, (number,), False)[0]
        if moves_both_ways(over):
            slope = slope - 1j * stacked(pushing(flat, inputs, place), over, (number,), False, True)[0]
        found.append(slope)
    return tuple(found)


def jacobian_at(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``jacobian(f, argnums, mode)(*args, **kwargs)``"""
    return jacobian_between(f, argnums, mode, False, args, kwargs)


def holomorphic_jacobian_at(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``jacobian(f, argnums, mode, holomorphic=True)(*args, **kwargs)``"""
    return jacobian_between(f, argnums, mode, True, args, kwargs)


def jacobian_between(f: Function, argnums: Any, mode: Any, holomorphic: Any, args: Any, kwargs: Any) -> Any:
    """The Jacobian of `f` at `args`: of a `holomorphic` function the complex derivative."""
    numbers = positions(argnums, args)
    xs = tuple([args[number] for number in numbers])
    inputs = floats(xs)

    def value(*leaves: Any) -> Any:
        return on_copies(f, *moved(args, numbers, replaced(xs, leaves)), **kwargs)

    y = value(*inputs)
    outs = floats(y)
    jacobian_ends(inputs, outs, mode, holomorphic)
    if mode == "forward" or (mode == "auto" and (columns_only(inputs, outs) or no_more(inputs, outs))):
        blocks = by_columns(value, inputs, outs)
    elif mode == "auto" or mode == "reverse":
        blocks = by_rows(value, inputs, outs)
    else:
        raise ValueError("mode is one of auto, forward, reverse")
    return table(blocks, y, xs, argnums)


def by_columns(value: Function, inputs: Any, outs: Any) -> Any:
    """The blocks of the derivative of `value` by one tangent for each number in `inputs`."""

    def flat(*leaves: Any) -> Any:
        return floats(value(*leaves))

    columns = [stacked(pushing(flat, inputs, column), inputs[column], outs, True) for column in range(len(inputs))]
    return tuple([tuple([column[row] for column in columns]) for row in range(len(outs))])


def by_rows(value: Function, inputs: Any, outs: Any) -> Any:
    """The blocks of the derivative of `value` by one cotangent for each number in `outs`."""
    return tuple([stacked(pulling(value, inputs, row), outs[row], inputs, False) for row in range(len(outs))])


def pushing(flat: Function, inputs: Any, place: Any) -> Function:
    """Takes a tangent of number `place` of `inputs` to those of what `flat` returns."""

    def along(x: Any) -> Any:
        return flat(*inputs[:place], x, *inputs[place + 1 :])

    def push(tangent: Any) -> Any:
        return jvp(along, (inputs[place],), (tangent,))[1]

    return push


def pulling(value: Function, inputs: Any, place: Any) -> Function:
    """Takes a cotangent of float `place` of what `value` returns to those of `inputs`."""

    def part(*leaves: Any) -> Any:
        return floats(value(*leaves))[place]

    return vjp(part, *inputs)[1]


def stacked(run: Function, over: Any, ofs: Any, last: Any, imaginary: Any = False) -> Any:
    """What `run` makes of each unit of the space of `over`: for each of `ofs` an array, the axes of `over` first or `last`.

    The units are those of the real axis, or of the `imaginary` one.
    """
    if not isinstance(over, np.ndarray):
        return run(turned(over) if imaginary else one_like(over))
    n = np.size(over)
    blocks = []
    for of in ofs:
        block = allocated((*np.shape(of), n) if last else (n, *np.shape(of)), of)
        blocks.append(block)
    for i in range(n):
        unit = np.zeros(n) if over.dtype == float else np.zeros(n, over.dtype)
        unit[i] = 1j if imaginary else 1.0
        parts = run(unit if np.ndim(over) == 1 else np.reshape(unit, np.shape(over)))
        for k in range(len(ofs)):
            if last:
                blocks[k][..., i] = parts[k]
            else:
                blocks[k][i] = parts[k]
    if np.ndim(over) == 1:
        return tuple(blocks)
    if last:
        return tuple([np.reshape(blocks[k], np.shape(ofs[k]) + np.shape(over)) for k in range(len(ofs))])
    return tuple([np.reshape(blocks[k], np.shape(over) + np.shape(ofs[k])) for k in range(len(ofs))])


def allocated(shape: Any, like: Any) -> Any:
    """A new array of `shape` for numbers like those of `like`."""
    if isinstance(like, float) or (isinstance(like, np.ndarray) and like.dtype == float):
        return np.empty(shape)
    return np.empty(shape, like.dtype)


def moved(args: Any, numbers: Any, xs: Any) -> Any:
    """`args` with `xs` in the places `numbers`."""
    point = list(args)
    for k in range(len(numbers)):
        point[numbers[k]] = xs[k]
    return point


def table(blocks: Any, y: Any, xs: Any, argnums: Any) -> Any:
    """`blocks` in the structure of the value `y`, each float of it replaced by the structure of the arguments `xs`."""
    rows = [mirror(xs, row) for row in blocks]
    return mirror(y, rows if many(argnums) else [row[0] for row in rows])
