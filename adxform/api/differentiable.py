"""``@differentiable``: a function that carries its derivatives with it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from adxform import api
from adxform.api import second_order
from adxform.api import source as sources
from adxform.frontend.derivative_operators import USUAL, Decorated, Order
from adxform.runtime.dispatch.application import Argnums
from adxform.runtime.dispatch.tracebacks import for_users

P = ParamSpec("P")
R = TypeVar("R")


class Differentiable(Decorated, Generic[P, R]):
    """The decorated function: called as before, with its derivatives as methods."""

    def __init__(self, fn: Callable[P, R], boundary: bool = False) -> None:
        functools.update_wrapper(self, fn)
        self.__adx_function__ = fn
        self.__adx_boundary__ = boundary

    __qualname__: str

    @for_users
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the function returns."""
        result: R = self.__adx_function__(*args, **kwargs)
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Differentiable[..., R]:
        if instance is None:
            return self
        return Differentiable(MethodType(self.__adx_function__, instance), self.__adx_boundary__)

    def __repr__(self) -> str:
        return f"<differentiable {self.__qualname__}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        fn = self.__adx_function__
        return (getattr, (fn.__self__, fn.__name__)) if isinstance(fn, MethodType) else self.__qualname__

    @for_users
    def grad(self, *args: Any, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False, **kwargs: Any) -> Any:
        """The gradient at `args`: see `adxform.grad`."""
        return api.grad(self.__adx_function__, argnums, has_aux, holomorphic=holomorphic)(*args, **kwargs)

    @for_users
    def value_and_grad(
        self, *args: Any, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False, **kwargs: Any
    ) -> Any:
        """The value and the gradient at `args`: see `adxform.value_and_grad`."""
        return api.value_and_grad(self.__adx_function__, argnums, has_aux, holomorphic=holomorphic)(*args, **kwargs)

    @for_users
    def jvp(self, primals: Any, tangents: Any) -> Any:
        """The value at `primals` and the tangent along `tangents`: see `adxform.jvp`."""
        return api.jvp(self.__adx_function__, primals, tangents)

    @for_users
    def vjp(self, *primals: Any) -> Any:
        """The value at `primals` and the pullback: see `adxform.vjp`."""
        return api.vjp(self.__adx_function__, *primals)

    @for_users
    def hvp(self, *args: Any, argnums: Argnums = 0, mode: Order = USUAL, **kwargs: Any) -> Any:
        """The product of the Hessian with the last of `args`: see `adxform.hvp`."""
        return second_order.hvp(self.__adx_function__, argnums, mode)(*args, **kwargs)

    @for_users
    def hessian(self, *args: Any, argnums: Argnums = 0, mode: Order = USUAL, **kwargs: Any) -> Any:
        """The Hessian at `args`: see `adxform.hessian`."""
        return second_order.hessian(self.__adx_function__, argnums, mode)(*args, **kwargs)

    @for_users
    def jacobian(
        self,
        *args: Any,
        argnums: Argnums = 0,
        mode: Literal["auto", "forward", "reverse"] = "auto",
        holomorphic: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The Jacobian at `args`: see `adxform.jacobian`."""
        return second_order.jacobian(self.__adx_function__, argnums, mode, holomorphic=holomorphic)(*args, **kwargs)

    @for_users
    def source(self, *example_args: Any, mode: str = "reverse", argnums: Argnums = 0) -> str:
        """The generated module: see `adxform.source`."""
        return sources.source(self.__adx_function__, *example_args, mode=mode, argnums=argnums)


@overload
def differentiable(fn: Callable[P, R], /) -> Differentiable[P, R]: ...


@overload
def differentiable(*, boundary: bool = False) -> Callable[[Callable[P, R]], Differentiable[P, R]]: ...


def differentiable(fn: Callable[..., Any] | None = None, /, *, boundary: bool = False) -> Any:
    """Give a function or method its derivatives as methods, from ``.grad`` to ``.source``; with or without parentheses.

    With `boundary`, what calls it is differentiated into calls of its own derivatives, functions beside that of the caller at
    every order; otherwise its statements become part of the caller's.

    >>> @differentiable
    ... def cube(x):
    ...     return x ** 3
    >>> cube(2.0)
    8.0
    """
    return functools.partial(Differentiable, boundary=boundary) if fn is None else Differentiable(fn, boundary)
