"""Rules of one's own: the derivative of a function, stated in the form that suits it.

Each form takes the function first. What a rule does not state follows from what it states: both modes, and all higher orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from adxform.api import jvp, vjp
from adxform.api.registrable import refuse_useless
from adxform.errors import RegistrationError
from adxform.frontend.nested.mirrors import at_rest, in_kind
from adxform.primitives import table
from adxform.primitives.declare import name_of
from adxform.primitives.record import Constant, Derivative, Effect, General, Linear, Partials, Primitive
from adxform.primitives.signatures import signature_of
from adxform.primitives.unruled import said
from adxform.runtime import ContentsAfter

Function = Callable[..., Any]


def register(record: Primitive, *, replaces: bool = False) -> Primitive:
    """Make `record` the rule of ``record.fn`` from now on, in place of an earlier one that the same module has registered.

    `replaces`: in place of that of any module.

    Raises:
        RegistrationError: a rule for this function would never apply, or another module has registered one.
    """
    refuse_useless(record.fn)
    return table.register(record, replaces=replaces)


def rule(
    fn: Function,
    *,
    tangent: Function | None = None,
    writes: tuple[int, ...] = (),
    samples: tuple[tuple[Any, ...], ...] = (),
    boundary: bool = False,
    replaces: bool = False,
) -> Callable[[Function], Function]:
    """Register the decorated function as the derivative of `fn`: it returns the value and the pullback.

    ``pullback(y_ct)`` returns a cotangent for each positional argument, of its shape. Forward mode transposes it, or takes
    ``tangent(y, args, args_t)``, where there is one. With `boundary`, derivatives call the rule's parts as functions of their
    own; otherwise they hold its statements. `writes`: the places of the arguments that `fn` writes to. Then its value is what it
    leaves in them, and it returns nothing.

    >>> def cube(x): return x ** 3
    >>> @rule(cube)
    ... def _(x):
    ...     def pullback(y_ct):
    ...         return 3 * x ** 2 * y_ct
    ...     return x ** 3, pullback
    >>> jvp(cube, (2.0,), (1.0,))
    (8.0, 12.0)

    Raises:
        RegistrationError: as of `register`.
    """
    refuse_useless(fn)

    def decorate(body: Function) -> Function:
        _state(fn, General(body, tangent, boundary), replaces, writes, samples)
        return body

    return decorate


def staged_rule(
    fn: Function,
    *,
    writes: tuple[int, ...] = (),
    samples: tuple[tuple[Any, ...], ...] = (),
    boundary: bool = False,
    replaces: bool = False,
) -> Callable[[Function], Function]:
    """Register what the decorated function returns, for arguments of a kind, as the derivative of `fn`: see `rule`.

    The decorated function is called once for each kind of arguments, with an `adxform.runtime.Argument` in the place of each,
    when a derivative is made. What the rule that it returns reads of what it made, arrays and functions too, is never written to.

    >>> import numpy as np
    >>> def mean(x, order): return np.polynomial.legendre.leggauss(order)[1] @ x
    >>> @staged_rule(mean)
    ... def _(x, order):
    ...     _, weights = np.polynomial.legendre.leggauss(order.value)
    ...     def mean_rule(x, order):
    ...         def pullback(y_ct):
    ...             return y_ct * weights, None
    ...         return weights @ x, pullback
    ...     return mean_rule
    >>> table.lookup(mean).derivative.staged
    True

    Raises:
        RegistrationError: as of `register`.
    """
    refuse_useless(fn)

    def decorate(build: Function) -> Function:
        _state(fn, General(build, boundary=boundary, staged=True), replaces, writes, samples)
        return build

    return decorate


def scalar_rule(fn: Function, partials: Function, *, singular: bool = False, replaces: bool = False) -> None:
    """Register the slopes of `fn`, which works element by element: ``partials(y, *args)`` has one for each argument.

    A single one may be bare; ``None`` stands for an argument without a derivative. Broadcasting is seen to. `singular`: a slope
    can be infinite where `fn` is finite, and zero times it is zero.

    >>> def cube(x): return x ** 3
    >>> scalar_rule(cube, lambda y, x: 3 * x ** 2)
    >>> jvp(cube, (2.0,), (1.0,))
    (8.0, 12.0)

    Raises:
        RegistrationError: as of `register`.
    """
    _state(fn, Partials(partials, singular), replaces)


def linear_rule(fn: Function, transpose: Function | Mapping[int, Function], *, replaces: bool = False) -> None:
    """Register ``transpose(ct, *args)`` as the cotangent of the first argument of `fn`, of its shape, where `ct` is the value's.

    `fn` is linear in that argument, so that its tangent is `fn` of the tangent. For a function that is linear in each of several,
    give a mapping from their places to a transpose for each.

    >>> def turned(x, k): return x[::-1] * k
    >>> linear_rule(turned, {0: lambda ct, x, k: ct[::-1] * k, 1: lambda ct, x, k: (ct * x[::-1]).sum()})
    >>> import numpy as np
    >>> vjp(turned, np.array([1.0, 2.0]), 3.0)[1](np.array([1.0, 0.0]))
    (array([0., 3.]), np.float64(2.0))

    Raises:
        RegistrationError: as of `register`.
    """
    _state(fn, Linear(transpose if isinstance(transpose, Mapping) else {0: transpose}), replaces)


def constant_rule(fn: Function, *, replaces: bool = False) -> None:
    """Register that the derivative of `fn` is zero wherever it exists.

    >>> def steps(x): return x // 0.5
    >>> constant_rule(steps)
    >>> jvp(steps, (2.25,), (1.0,))
    (4.0, 0.0)

    Raises:
        RegistrationError: as of `register`.
    """
    _state(fn, Constant(), replaces)


def tangent_rule(fn: Function, tangent: Function, *, boundary: bool = False, replaces: bool = False) -> None:
    """Register ``tangent(y, args, args_t)`` as the tangent of ``y = fn(*args)``: linear in the tangents `args_t`, with its shape.

    What does not move has the tangent ``0.0``. Reverse mode transposes `tangent`; where it cannot, because that calls what has no
    rule, it says so, and `rule` takes a pullback too.

    >>> def cube(x): return x ** 3
    >>> tangent_rule(cube, lambda y, args, args_t: 3 * args[0] ** 2 * args_t[0])
    >>> vjp(cube, 2.0)[1](1.0)
    (12.0,)

    Raises:
        RegistrationError: as of `register`.
    """

    def body(*args: Any, **options: Any) -> Any:
        y = fn(*args, **options)

        def moved(*args_t: Any) -> Any:
            return tangent(y, args, args_t, **options)

        def pullback(*cts: Any) -> Any:
            return vjp(moved, *at_rest(args))[1](cts if isinstance(y, tuple) else cts[0])

        return y, pullback

    _state(fn, General(_made_of(tangent, fn, body), tangent, boundary), replaces)


def reference_rule(fn: Function, reference: Function, *, boundary: bool = False, replaces: bool = False) -> None:
    """Register the derivative of `reference`, a function of the same arguments, as that of `fn`, whose value stays its own.

    >>> def cube(x): return float(x) ** 3
    >>> reference_rule(cube, lambda x: x * x * x)
    >>> vjp(cube, 2.0)[1](1.0)
    (12.0,)

    Raises:
        RegistrationError: as of `register`.
    """

    def body(*args: Any, **options: Any) -> Any:
        y = fn(*args, **options)

        def stands_in(*point: Any) -> Any:
            return reference(*point, **options)

        def pullback(*cts: Any) -> Any:
            return vjp(stands_in, *args)[1](cts if isinstance(y, tuple) else cts[0])

        return y, pullback

    def tangent(y: Any, args: Any, args_t: Any, **options: Any) -> Any:
        def stands_in(*point: Any) -> Any:
            return reference(*point, **options)

        return jvp(stands_in, args, in_kind(args, args_t))[1]

    made = General(_made_of(reference, reference, body), _made_of(reference, reference, tangent), boundary)
    _state(fn, made, replaces)


def _state(
    fn: Function,
    derivative: Derivative,
    replaces: bool,
    writes: tuple[int, ...] = (),
    samples: tuple[tuple[Any, ...], ...] = (),
) -> None:
    refuse_useless(fn)
    stated = [said(body) for body in table.bodies(Primitive(fn, "", derivative)) if body is not None]
    if not all(map(callable, stated)):
        raise RegistrationError("what states a derivative is no function", help="give a function, as docs/rules.md shows")
    effect = Effect(writes=writes)
    table.register(replace(_without_meaning(fn), derivative=derivative, effect=effect, samples=samples), replaces=replaces)
    if writes:
        contents = ContentsAfter(fn, writes)
        table.register(Primitive(contents, name_of(contents), derivative, samples=samples), replaces=replaces)


def _without_meaning(fn: Function) -> Primitive:
    """What the library knows of `fn` whatever its derivative: what it costs, what it does to memory, where it may run.

    Not what it means: ``np.add(x, z)`` is ``np.add(z, x)``, but by a rule of one's own their derivatives may differ.
    """
    known = table.TABLE.get(fn) or Primitive(fn, name_of(fn), None)
    known = replace(known, spelled=None, algebra=None, power=None, reduces=None, contracts=None, masks=None, moves=None)
    known = replace(known, faithful=False, finite_from=None, nowhere_flat=False, length=False, of_complex=None, linear_in=())
    return replace(known, result=None)


def _made_of(stated: Any, like: Any, body: Function) -> Function:
    """`body`, made of what was `stated`, which errors name, with the parameters of the function `like`."""
    signature = signature_of(like) if callable(like) else None
    body.__adx_stated__ = stated  # type: ignore[attr-defined]
    if signature is not None:
        body.__signature__ = signature  # type: ignore[attr-defined]
    return body
