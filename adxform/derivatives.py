"""Derivatives that are Python over `grad` and `jvp`: `hvp`, `hessian` and `jacobian`.

Each is stated twice: as a loop over the derived rule, which takes any structure of arguments; and, at the end of this module, as
a plain function, which is what a differentiated function sees when it calls the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from adxform.api import Derivative, checked_argnums, grad, gradient_leaves, jvp
from adxform.application import Application, Argnums, apply
from adxform.ir.types import is_float
from adxform.perturbations import perturbations, placed
from adxform.pipeline import Mode
from adxform.trees import leaves_of


def hvp(f: Callable[..., Any], argnums: Argnums = 0) -> HessianProduct:
    """The product of the Hessian of `f` with a vector: ``hvp(f)(*args, v)``, where `v` has the structure of the argument.

    >>> hvp(lambda x: x ** 3)(2.0, 1.0)
    12.0
    """
    return HessianProduct("other", f, checked_argnums(f, argnums), implementation=product)


def hessian(f: Callable[..., Any], argnums: Argnums = 0) -> Hessian:
    """The Hessian of `f`: for an array argument of shape ``s``, an array of shape ``s + s``.

    For a structure, each leaf holds a structure; for a tuple of `argnums`, a tuple of tuples.

    >>> hessian(lambda x: (x ** 3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return Hessian("other", f, checked_argnums(f, argnums), implementation=second)


def jacobian(f: Callable[..., Any], argnums: Argnums = 0, mode: Literal["auto", "forward", "reverse"] = "auto") -> Jacobian:
    """The Jacobian of `f`: for array value and argument of shapes ``r`` and ``s``, an array of shape ``r + s``.

    ``"forward"`` takes a run for each number in the argument, ``"reverse"`` one for each number in the value;
    ``"auto"`` the fewer.

    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0]]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 0.]])
    """
    if mode not in MATRICES:
        raise ValueError(f"mode is {mode!r}; it is one of auto, forward, reverse")
    return Jacobian("other", f, checked_argnums(f, argnums), implementation=MATRICES[mode])


class HessianProduct(Derivative):
    """``hvp(f)``"""

    word = "hvp"

    def __reduce__(self) -> tuple[object, ...]:
        return hvp, (self.fn, self.argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The product with the last of `args`."""
        """The Hessian at `args`."""
        """The product with the last of `args`."""
        if len(args) < 2:
            raise TypeError("hvp(f) is called with the arguments of f and then the vector: hvp(f)(*args, v)")
        primals, v = args[:-1], args[-1]
        call = apply(self.fn, primals, kwargs, self.argnums)
        many, numbers = split_argnums(self.argnums)
        rule = Tangents(call, numbers)
        at = tuple(primals[n] for n in numbers) if many else primals[numbers[0]]
        given = perturbations(call.fn, "vector", at, v)
        found = gradient_leaves(call.types(rule.wrt), rule.columns("hvp", given), [*rule.inputs, *given])
        parts = tuple(placed(call.argument(number), found) for number in numbers)
        return parts if many else parts[0]


class Hessian(Derivative):
    """``hessian(f)``"""

    word = "hessian"

    def __reduce__(self) -> tuple[object, ...]:
        return hessian, (self.fn, self.argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The Hessian at `args`."""
        call = apply(self.fn, args, kwargs, self.argnums)
        many, numbers = split_argnums(self.argnums)
        rule = Tangents(call, numbers)
        values = rule.values
        rows = []
        for i in range(len(values)):
            runs = [rule.columns("hvp", unit) for unit in units(values, i)]
            rows.append(rule.arranged(many, [stacked(runs, j, values[i], value) for j, value in enumerate(values)]))
        outer = iter(rows)
        parts = tuple(placed(call.argument(number), outer) for number in numbers)
        return parts if many else parts[0]


class Jacobian(Derivative):
    """``jacobian(f)``"""

    word = "jacobian"

    @property
    def mode(self) -> str:
        """How it is computed."""
        return next(mode for mode, matrix in MATRICES.items() if matrix is self.implementation)

    def __reduce__(self) -> tuple[object, ...]:
        return jacobian, (self.fn, self.argnums, self.mode)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The Jacobian at `args`."""
        call = apply(self.fn, args, kwargs, self.argnums)
        many, numbers = split_argnums(self.argnums)
        rule = Tangents(call, numbers)
        values = rule.values
        outs = rule.outs()
        forward = self.mode == "forward" or (self.mode == "auto" and total(values) <= total(outs))
        blocks: list[list[Any]] = [[] for _ in outs]
        if forward:
            for j, value in enumerate(values):
                runs = [rule.columns("forward", unit) for unit in units(values, j)]
                for i, out in enumerate(outs):
                    blocks[i].append(turned(stacked(runs, i, value, out), value, out))
        else:
            for i, out in enumerate(outs):
                runs = [rule.columns("reverse", unit) for unit in units(outs, i)]
                blocks[i] = [stacked(runs, j, out, value) for j, value in enumerate(values)]
        return placed(call.result, (rule.arranged(many, row) for row in blocks))


class Tangents:
    """The rules of one application with respect to some arguments, run for one seed after another."""

    def __init__(self, call: Application, numbers: tuple[int, ...]) -> None:
        self.call = call
        self.numbers = numbers
        self.wrt = call.wrt(numbers)
        self.inputs = call.inputs()
        self.values = [call.leaves[position] for position in self.wrt]

    def outs(self) -> list[Any]:
        """The float leaves of the value."""
        results = self.call.run(self.call.rule("primal", ()), self.inputs)
        kinds = [leaf.type for leaf in leaves_of(self.call.result)]
        return [value for value, kind in zip(results, kinds, strict=True) if is_float(kind)]

    def columns(self, mode: Mode, seeds: Sequence[Any]) -> tuple[Any, ...]:
        """What `seeds`, tangents or cotangents, are taken to."""
        call = self.call
        if mode == "hvp" and "scalar" not in call.entry.plans:
            call.output(self.wrt, False)
            call.entry.plans["scalar"] = True
        rule = call.rule(mode, self.wrt)
        results = call.run(rule, self.inputs, *(rule.seeded(seeds) if mode == "reverse" else seeds))
        match mode:
            case "hvp":
                return results
            case "forward":
                return tuple(rule.spread(results[len(rule.typed.results) :]))
            case _:
                return results[len(rule.typed.results) :]

    def arranged(self, many: bool, blocks: list[Any]) -> Any:
        """`blocks`, one for each leaf of the arguments, in the structure of the arguments."""
        found = iter(blocks)
        parts = tuple(placed(self.call.argument(number), found) for number in self.numbers)
        return parts if many else parts[0]


def split_argnums(argnums: Argnums) -> tuple[bool, tuple[int, ...]]:
    """Whether `argnums` is a tuple, and its numbers."""
    return isinstance(argnums, tuple), argnums if isinstance(argnums, tuple) else (argnums,)


def total(values: Sequence[Any]) -> int:
    """How many numbers `values` hold."""
    return sum(int(np.size(value)) for value in values)


def units(values: Sequence[Any], place: int) -> Iterator[list[Any]]:
    """The unit vectors of the space of `values` along the leaf `place`."""
    for element in range(int(np.size(values[place]))):
        vector = [np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0) for value in values]
        if isinstance(vector[place], np.ndarray):
            vector[place].flat[element] = 1
        else:
            vector[place] = type(values[place])(1)
        yield vector


def stacked(runs: Sequence[tuple[Any, ...]], place: int, over: Any, of: Any) -> Any:
    """Part `place` of each of `runs`, one for each number in `over`, as one array of the shapes of `over` and `of`."""
    if not np.ndim(over) and not np.ndim(of) and not isinstance(over, np.ndarray) and not isinstance(of, np.ndarray):
        number = runs[0][place]
        return number[()] if isinstance(number, np.ndarray) else number
    shape = np.shape(over) + np.shape(of)
    matrix = np.empty((int(np.size(over)), *np.shape(of)), np.result_type(of))
    for row, run in enumerate(runs):
        matrix[row] = run[place]
    return matrix.reshape(shape)


def turned(matrix: Any, over: Any, of: Any) -> Any:
    """`matrix`, of the shapes of `over` and `of`, with those of `of` first."""
    n, m = np.ndim(over), np.ndim(of)
    return np.ascontiguousarray(np.transpose(matrix, (*range(n, n + m), *range(n)))) if n and m else matrix


def product(f: Callable[..., Any], argnums: Argnums, *args: Any) -> Any:
    """``hvp(f, argnums)(*args)`` as a differentiated function sees it."""
    primals = args[:-1]
    vector = args[-1]
    if isinstance(argnums, int):

        def gradient(x: Any) -> Any:
            return grad(f, argnums)(*primals[:argnums], x, *primals[argnums + 1 :])

        return jvp(gradient, (primals[argnums],), (vector,))[1]

    def gradients(*xs: Any) -> Any:
        point = list(primals)
        for number, x in zip(argnums, xs, strict=False):
            point[number] = x
        return grad(f, argnums)(*point)

    return jvp(gradients, tuple([primals[number] for number in argnums]), vector)[1]


def second(f: Callable[..., Any], argnums: int, *args: Any) -> Any:
    """``hessian(f, argnums)(*args)`` of one number or array."""

    def gradient(x: Any) -> Any:
        return grad(f, argnums)(*args[:argnums], x, *args[argnums + 1 :])

    return by_columns(gradient, 0, args[argnums])


def by_columns(f: Callable[..., Any], argnums: int, *args: Any) -> Any:
    """The Jacobian by one tangent for each number in the argument."""
    x = args[argnums]

    def along(value: Any) -> Any:
        return f(*args[:argnums], value, *args[argnums + 1 :])

    if np.ndim(x) == 0:
        return jvp(along, (x,), (1.0,))[1]
    y = along(x)
    columns = np.zeros((np.size(x), np.size(y)))
    for i in range(np.size(x)):
        unit = np.zeros(np.size(x))
        unit[i] = 1.0
        columns[i] = np.ravel(jvp(along, (x,), (np.reshape(unit, np.shape(x)),))[1])
    return np.reshape(np.transpose(columns), np.shape(y) + np.shape(x))


def by_rows(f: Callable[..., Any], argnums: int, *args: Any) -> Any:
    """The Jacobian by one cotangent for each number in the value."""
    x = args[argnums]

    def along(value: Any) -> Any:
        return f(*args[:argnums], value, *args[argnums + 1 :])

    y = along(x)
    if np.ndim(y) == 0:
        return grad(along)(x)
    rows = np.zeros((np.size(y), np.size(x)))
    for i in range(np.size(y)):
        rows[i] = np.ravel(grad(element)(x, along, i))
    return np.reshape(rows, np.shape(y) + np.shape(x))


def element(x: Any, f: Callable[..., Any], i: int) -> Any:
    """Number `i` of ``f(x)``."""
    return np.ravel(f(x))[i]


def by_fewer(f: Callable[..., Any], argnums: int, *args: Any) -> Any:
    """The Jacobian by columns, unless the value is a number and the argument is not."""
    if np.ndim(f(*args)) == 0:
        return by_rows(f, argnums, *args)
    return by_columns(f, argnums, *args)


MATRICES = {"auto": by_fewer, "forward": by_columns, "reverse": by_rows}
