"""Derivatives that are Python over `grad`, `jvp` and `vjp`: `hvp`, `hessian` and `jacobian`.

What each means is defined in `second_order_definitions`. `hessian` and `jacobian` run that definition, specialised like any
function; `hvp` runs a rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import optree

from adxform.api import Derivative, checked_argnums, checked_engine
from adxform.api.second_order_definitions import MODES, hessian_at, holomorphic_jacobian_at, jacobian_at, product
from adxform.errors import AdxError, OptionError
from adxform.frontend.derivative_operators import ORDERS, USUAL, EngineName, Order, operator
from adxform.frontend.signature import Tree
from adxform.runtime.dispatch.application import Application, Argnums, apply
from adxform.runtime.dispatch.execution import apart, execute
from adxform.runtime.dispatch.leaf_flattening import finisher, matcher, perturbations, placed
from adxform.runtime.dispatch.refusals import HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, jacobian_ends, refuse_complex
from adxform.runtime.dispatch.result_structures import rebuild
from adxform.runtime.dispatch.tracebacks import for_users


@operator("hvp", product)
def hvp(
    f: Callable[..., Any], argnums: Argnums = 0, mode: Order = USUAL, *, engine: EngineName = "auto", fastmath: bool = True
) -> HessianProduct:
    """The product of the Hessian of `f` with a vector: ``hvp(f)(*args, v)``, where `v` has the structure of the argument.

    `mode` says which sweep goes over which: ``"forward-over-reverse"``, ``"reverse-over-forward"``,
    ``"reverse-over-reverse"``, or ``"forward-over-forward"``, which takes a sweep for each number in the argument.
    `engine` and `fastmath` are as for `grad`.

    >>> hvp(lambda x: x ** 3)(2.0, 1.0)
    12.0
    """
    numbers, order = checked_argnums(f, argnums, "hvp", "v"), checked_order(mode)
    return HessianProduct("hvp", f, numbers, mode=order, definition=product, engine=checked_engine(engine, fastmath))


@operator("hessian", hessian_at)
def hessian(
    f: Callable[..., Any], argnums: Argnums = 0, mode: Order = USUAL, *, engine: EngineName = "auto", fastmath: bool = True
) -> Hessian:
    """The Hessian of `f`: for an array argument of shape ``s``, an array of shape ``s + s``.

    For a structure, each leaf holds a structure; for a tuple of `argnums`, a tuple of tuples. `mode` is as for `hvp`,
    `engine` and `fastmath` as for `grad`.

    >>> hessian(lambda x: (x ** 3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    numbers, order = checked_argnums(f, argnums, "hessian"), checked_order(mode)
    return Hessian("hessian", f, numbers, mode=order, definition=hessian_at, engine=checked_engine(engine, fastmath))


def checked_order(mode: Any) -> Order:
    """`mode`, one of `ORDERS`.

    Raises:
        OptionError: it is none of them.
    """
    for order in ORDERS:
        if mode == order:
            return order
    raise OptionError(f"mode is {mode!r}; it is one of {', '.join(ORDERS)}")


@operator("jacobian", jacobian_at, holomorphic=holomorphic_jacobian_at)
def jacobian(
    f: Callable[..., Any],
    argnums: Argnums = 0,
    mode: Literal["auto", "forward", "reverse"] = "auto",
    *,
    holomorphic: bool = False,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> Jacobian:
    """The Jacobian of `f`: for array value and argument of shapes ``r`` and ``s``, an array of shape ``r + s``.

    ``"forward"`` takes a run for each number in the argument, ``"reverse"`` one for each number in the value;
    ``"auto"`` the fewer. `engine` and `fastmath` are as for `grad`.

    Complex results of real arguments take forward mode. By complex arguments it is the complex derivative of a `holomorphic`
    function, which returns complex numbers.

    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0]]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 0.]])
    """
    if mode not in MODES:
        raise OptionError(f"mode is {mode!r}; it is one of {', '.join(MODES)}")
    numbers, chosen = checked_argnums(f, argnums, "jacobian"), checked_engine(engine, fastmath)
    meaning = holomorphic_jacobian_at if holomorphic else jacobian_at
    return Jacobian("jacobian", f, numbers, mode=mode, definition=meaning, engine=chosen, holomorphic=bool(holomorphic))


class DefinedDerivative(Derivative):
    """A derivative whose definition runs as a function of its own."""

    @for_users
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at `args`."""
        call = self.applied(args, kwargs)
        inputs = call.inputs()
        arrays = [value for value in inputs if isinstance(value, np.ndarray)]
        found = call.run(call.rule("primal", ()), inputs)
        return rebuild(call.result, iter([apart(value, arrays) for value in found]))

    def refuse(self, call: Application) -> None:
        """Raise where the function applied in `call` has no such derivative."""

    def applied(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Application:
        """The definition applied to these arguments. What is wrong with them is said of the function, not of its derivative."""
        try:
            call = apply(self, args, kwargs, engine=self.engine, mode="primal")
        except AdxError:
            if self.kind != "hvp":
                inner = apply(self.fn, args, kwargs, self.argnums)
                self.refuse(inner)
            raise
        if call.held and self.kind != "hvp":
            apply(self.fn, args, kwargs, self.argnums)
        return call


class HessianProduct(DefinedDerivative):
    """``hvp(f)``"""

    def __reduce__(self) -> tuple[object, ...]:
        return partial(hvp, **self.engine.keywords), (self.fn, self.argnums, self.mode)

    @for_users
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The product with the last of `args`."""
        if len(args) < 2:
            raise TypeError("hvp(f) is called with the arguments of f and then the vector: hvp(f)(*args, v)")
        primals, v = args[:-1], args[-1]
        call = apply(self.fn, primals, kwargs, self.argnums, self.engine, "hvp")
        plan = plan_product(call, self.argnums)
        given = plan.match([call.leaves[i] for i in plan.wrt], v)
        if given is None:
            argnums = self.argnums
            values = tuple(primals[n] for n in argnums) if isinstance(argnums, tuple) else primals[argnums]
            given = perturbations(call.fn, "vector", values, v)
        if self.mode != USUAL:
            vector = placed(plan.point, iter(given))
            return super().__call__(*primals, vector, **kwargs)
        inputs = call.inputs()
        found = execute(call.fn, call.rule("hvp", plan.wrt), inputs, given)
        return plan.finish(found, [*inputs, *given])


@dataclass(frozen=True)
class ProductPlan:
    """What a Hessian product of one specialised function does at every call, differentiated by its leaves `wrt`.

    `point` is the structure of these, which `match` finds in a vector and `finish` gives to the results.
    """

    wrt: tuple[int, ...]
    point: Tree
    match: Callable[[Sequence[Any], Any], list[Any] | None]
    finish: Callable[[Sequence[Any], list[Any] | None], Any]


def plan_product(call: Application, argnums: Argnums) -> ProductPlan:
    """The plan for the function applied in `call`, made at the first call."""
    key = ("hvp", argnums, call.lead)
    plan: ProductPlan | None = call.entry.plans.get(key)
    if plan is None:
        wrt, point = call.wrt(argnums), call.point(argnums)
        call.output(wrt, False)
        plan = call.entry.plans[key] = ProductPlan(wrt, point, matcher(point), finisher(point, call.types(wrt)))
    return plan


class Hessian(DefinedDerivative):
    """``hessian(f)``"""

    def __reduce__(self) -> tuple[object, ...]:
        return partial(hessian, **self.engine.keywords), (self.fn, self.argnums, self.mode)

    def refuse(self, call: Application) -> None:
        """Raise where there is no Hessian of the function applied in `call`."""
        call.output(call.wrt(self.argnums), False)
        for name, tree in call.named_arguments(self.argnums):
            refuse_complex(call.fn, HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, name, tree)


class Jacobian(DefinedDerivative):
    """``jacobian(f)``"""

    @for_users
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at `args`, with ``None`` for what in the value is no float.

        What came of a function without a rule may be one that nobody knows of: reverse mode says so.
        """
        found = super().__call__(*args, **kwargs)
        leaves: Any = [found] if isinstance(found, np.ndarray) else optree.tree_leaves(found, none_is_leaf=True)
        if any(leaf is None for leaf in leaves):
            call = apply(self.fn, args, kwargs, self.argnums)
            call.rule("reverse", call.wrt(self.argnums))
        return found

    def refuse(self, call: Application) -> None:
        """Raise where there is no Jacobian of the function applied in `call`."""
        jacobian_ends(call.fn, call.named_arguments(self.argnums), call.result, self.mode, holomorphic=self.holomorphic)

    def __reduce__(self) -> tuple[object, ...]:
        made = partial(jacobian, holomorphic=self.holomorphic, **self.engine.keywords)
        return made, (self.fn, self.argnums, self.mode)
