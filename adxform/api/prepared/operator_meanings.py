"""What prepared derivatives and their methods mean over the plain operators, for a differentiated function that calls them.

Like the definitions in `adxform.api.second_order_definitions`, these are specialised, never run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.api import grad, jvp, value_and_grad, vjp
from adxform.api.second_order import hessian, hvp, jacobian
from adxform.api.second_order_definitions import allocated, moved
from adxform.frontend.nested.inline import many, positions
from adxform.frontend.nested.mirrors import floats, mirror, slope_ends

Function = Callable[..., Any]


def value_and_gradient(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_and_gradient(*args, **kwargs)``"""
    return value_and_grad(p.fn, p.argnums, p.has_aux, holomorphic=p.holomorphic)(*args, **kwargs)


def pushed(f: Function, argnums: Any, mode: Any, /, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """``prepare_jvp(f, …)(primals, tangents)``"""
    return jvp(f, primals, tangents)


def tangent(p: Any, /, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """``p.tangent(primals, tangents)``"""
    return jvp(p.fn, primals, tangents)[1]


def pulled(f: Function, argnums: Any, mode: Any, /, *primals: Any) -> Any:
    """``prepare_vjp(f, …)(*primals)``"""
    return vjp(f, *primals)


def cotangents(p: Any, /, primals: Sequence[Any], ct: Any) -> Any:
    """``p.cotangents(primals, ct)``"""
    return vjp(p.fn, *primals)[1](ct)


def tangents_of_batch(p: Any, /, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """``prepare_jvp(f, …).batch(primals, tangents)``: one row after another."""
    value = p.fn(*primals)
    leaves = floats(tangents)

    def push(i: Any) -> Any:
        return floats(jvp(p.fn, primals, mirror(primals, [leaf[i] for leaf in leaves]))[1])

    return value, mirror(value, rows(push, len(leaves[0]), floats(value)))


def cotangents_of_batch(p: Any, /, primals: Sequence[Any], cts: Any) -> Any:
    """``prepare_vjp(f, …).batch(primals, cts)``: one row after another."""
    value, pullback = vjp(p.fn, *primals)
    leaves = floats(cts)

    def pull(i: Any) -> Any:
        return floats(pullback(mirror(value, [leaf[i] for leaf in leaves])))

    return value, mirror(primals, rows(pull, len(leaves[0]), floats(primals)))


def products_of_batch(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``prepare_hvp(f, …).batch(*args, **kwargs)``: one row after another."""
    primals = args[:-1]
    chosen = tuple([primals[number] for number in positions(p.argnums, primals)])
    point = chosen if many(p.argnums) else chosen[0]
    return rows_of(lambda v: hvp(p.fn, p.argnums)(*primals, v, **kwargs), point, args[-1])


def rows(run: Function, count: Any, likes: Any) -> Any:
    """For each of `likes` an array of what ``run(i)`` returns for it, for `count` numbers."""
    blocks = [allocated((count, *np.shape(like)), like) for like in likes]
    for i in range(count):
        parts = run(i)
        for k in range(len(likes)):
            blocks[k][i] = parts[k]
    return blocks


def value_and_jacobian(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_and_jacobian(*args, **kwargs)``"""
    return p.fn(*args, **kwargs), jacobian(p.fn, p.argnums, p.mode, holomorphic=p.holomorphic)(*args, **kwargs)


def gradient_and_hvp(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.gradient_and_hvp(*args, **kwargs)``"""
    return grad(p.fn, p.argnums)(*args[:-1], **kwargs), hvp(p.fn, p.argnums, p.mode)(*args, **kwargs)


def value_gradient_and_hvp(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_gradient_and_hvp(*args, **kwargs)``"""
    value, gradient = value_and_grad(p.fn, p.argnums)(*args[:-1], **kwargs)
    return value, gradient, hvp(p.fn, p.argnums, p.mode)(*args, **kwargs)


@dataclass(frozen=True)
class AtPoint:
    """What ``prepare_hvp_same_point(f, …)`` returns: the pullback of the gradient, with what the gradient was taken of."""

    fn: Function
    argnums: Any
    value: Any
    gradient: Any
    pullback: Any

    def __call__(self, v: Any) -> Any:
        """The product with `v`."""
        found = self.pullback(v)
        return found if many(self.argnums) else found[0]

    def batch(self, vs: Any) -> Any:
        """The products with several vectors."""
        return rows_of(self, self.gradient, vs)

    def at(self, *args: Any, **kwargs: Any) -> Any:
        """The same at another point."""
        return products(self.fn, self.argnums, None, *args, **kwargs)


def at_point(f: Function, /, *args: Any, argnums: Any = 0, directions: Any = 1, strict: Any = True, **kwargs: Any) -> Any:
    """``prepare_hvp_same_point(f, *args, …)``"""
    return products(f, argnums, None, *args, **kwargs)


def products(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """What ``prepare_hvp_same_point(f, …)`` returns at `args`; the Hessian is symmetric."""
    numbers = positions(argnums, args)

    def gradient(*point: Any) -> Any:
        return grad(f, argnums)(*moved(args, numbers, point), **kwargs)

    found, pullback = vjp(gradient, *[args[number] for number in numbers])
    return AtPoint(f, argnums, f(*args, **kwargs), found, pullback)


def product_here(q: Any, /, v: Any) -> Any:
    """``q(v)`` for what ``prepare_hvp_same_point(f, …)`` returned."""
    return hvp(q.fn, q.argnums)(*q.args, v, **q.kwargs)


def products_here(q: Any, /, vs: Any) -> Any:
    """``q.batch(vs)`` for what ``prepare_hvp_same_point(f, …)`` returned."""
    return rows_of(lambda v: product_here(q, v), q.gradient, vs)


def moved_to(q: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``q.at(*args, **kwargs)`` for what ``prepare_hvp_same_point(f, …)`` returned."""
    return products(q.fn, q.argnums, None, *args, **kwargs)


def rows_of(run: Function, point: Any, vs: Any) -> Any:
    """What `run` returns for each of the vectors `vs` of the structure of `point`, along a new first axis."""
    leaves = floats(vs)

    def product(i: Any) -> Any:
        return floats(run(mirror(point, [leaf[i] for leaf in leaves])))

    return mirror(point, rows(product, len(leaves[0]), floats(point)))


def gradient_and_hessian(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.gradient_and_hessian(*args, **kwargs)``"""
    return grad(p.fn, p.argnums)(*args, **kwargs), hessian(p.fn, p.argnums, p.mode)(*args, **kwargs)


def value_gradient_and_hessian(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_gradient_and_hessian(*args, **kwargs)``"""
    value, gradient = value_and_grad(p.fn, p.argnums)(*args, **kwargs)
    return value, gradient, hessian(p.fn, p.argnums, p.mode)(*args, **kwargs)


def value_and_slope(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The value of `f` and its derivative with respect to the real number ``args[argnums]``."""
    return slope_along(f, argnums, False, args, kwargs)


def holomorphic_value_and_slope(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The value of `f` and its complex derivative with respect to the complex number ``args[argnums]``."""
    return slope_along(f, argnums, True, args, kwargs)


def slope_along(f: Function, argnums: Any, holomorphic: Any, args: Any, kwargs: Any) -> Any:
    """The value of `f` and its derivative, of a `holomorphic` function by a complex number."""
    (place,) = positions((argnums,), args)
    if np.ndim(args[place]):
        raise TypeError("a derivative is taken by one number")
    slope_ends(args[place], holomorphic)

    def along(x: Any) -> Any:
        return f(*args[:place], x, *args[place + 1 :], **kwargs)

    return jvp(along, (args[place],), (1.0,))


def slope(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``prepare_derivative(f, …, argnums=argnums)(*args, **kwargs)``"""
    return value_and_slope(f, argnums, mode, *args, **kwargs)[1]


def holomorphic_slope(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``prepare_derivative(f, …, argnums=argnums, holomorphic=True)(*args, **kwargs)``"""
    return slope_along(f, argnums, True, args, kwargs)[1]


def curvature(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``prepare_second_derivative(f, …, argnums=argnums)(*args, **kwargs)``"""
    return bend_along(f, argnums, False, args, kwargs)


def holomorphic_curvature(f: Function, argnums: Any, mode: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``prepare_second_derivative(f, …, argnums=argnums, holomorphic=True)(*args, **kwargs)``"""
    return bend_along(f, argnums, True, args, kwargs)


def bend_along(f: Function, argnums: Any, holomorphic: Any, args: Any, kwargs: Any) -> Any:
    """The derivative of what `slope_along` finds."""
    (place,) = positions((argnums,), args)

    def along(x: Any) -> Any:
        return slope_along(f, place, holomorphic, (*args[:place], x, *args[place + 1 :]), kwargs)[1]

    return jvp(along, (args[place],), (1.0,))[1]


def value_and_derivative(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_and_derivative(*args, **kwargs)``"""
    return slope_along(p.fn, p.argnums, p.holomorphic, args, kwargs)


def value_derivative_and_second(p: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``p.value_derivative_and_second(*args, **kwargs)``"""
    value, first = slope_along(p.fn, p.argnums, p.holomorphic, args, kwargs)
    return value, first, bend_along(p.fn, p.argnums, p.holomorphic, args, kwargs)
