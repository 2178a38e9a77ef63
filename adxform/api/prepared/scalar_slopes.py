"""Prepared derivatives with respect to one number: the slope of a value of any structure, and the slope of the slope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from adxform.api import Derivative, checked_argnums
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared
from adxform.api.prepared.calls.preparation import Places, prepare, values_at
from adxform.errors import ArgnumsError, NonDifferentiableError
from adxform.frontend.derivative_operators import operator
from adxform.frontend.signature import Leaf
from adxform.ir.types import is_float, rank
from adxform.runtime.dispatch.application import Application
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.leaf_flattening import alongside, placed
from adxform.runtime.dispatch.refusals import (
    DERIVATIVE_BY_COMPLEX,
    JACOBIAN_WAY_OUT,
    definition,
    name_of,
    not_complex,
    of_kind,
    refuse_complex,
    refuse_real,
)
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedDerivative(Prepared):
    """``prepare_derivative(f, …)``: the derivative with respect to one number, in the structure of the value."""

    rule: DerivedRule
    places: Places
    form = "derivative"
    meaning = staticmethod(forms.slope)
    holomorphic_meaning = staticmethod(forms.holomorphic_slope)
    forms = MappingProxyType({"value_and_derivative": forms.value_and_derivative})

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The forward rule."""
        return (self.rule,)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {"argnums": self.argnums, "holomorphic": self.holomorphic, "strict": self.strict}

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, holomorphic = options["argnums"], options["holomorphic"]
        call, made = prepare(cls.wrapped(fn, argnums, holomorphic), args, kwargs, argnums)
        tree = call.argument(argnums)
        if not isinstance(tree, Leaf) or rank(tree.type) != 0:
            message = f"argument {argnums} of `{name_of(fn)}` is not one number"
            raise NonDifferentiableError(message, span=definition(fn), help="use `prepare_gradient` or `prepare_jacobian`")
        cls.refuse(call, argnums, holomorphic)
        (place,) = call.wrt(argnums)
        rule = call.rule("forward", (place,))
        preparation = made([rule])
        parts = {"made": preparation, "strict": options["strict"], "rule": rule, "places": preparation.places((place,))}
        meaning = cls.holomorphic_meaning if holomorphic else cls.meaning
        return cls("derivative", fn, argnums, definition=meaning, holomorphic=holomorphic, **parts)

    @classmethod
    def refuse(cls, call: Application, argnums: int, holomorphic: bool) -> None:
        """Raise where there is no derivative by the number `argnums`: it is complex and not `holomorphic`, or the reverse."""
        ((name, tree),) = call.named_arguments(argnums)
        if holomorphic:
            refuse_real(call.fn, name, tree)
            for leaf in leaves_of(call.result):
                if is_float(leaf.type):
                    raise not_complex(call.fn, of_kind(leaf.type))
        else:
            refuse_complex(call.fn, DERIVATIVE_BY_COMPLEX, JACOBIAN_WAY_OUT, name, tree)

    @classmethod
    def wrapped(cls, fn: Callable[..., Any], argnums: int, holomorphic: bool) -> Any:
        """What is differentiated."""
        return fn

    def applied(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """What is specialised for `fn`."""
        assert isinstance(self.argnums, int)
        found: Callable[..., Any] = self.wrapped(fn, self.argnums, self.holomorphic)
        return found

    @for_users
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The derivative at `args`."""
        return self._answer(args, kwargs, out, lambda value, tangent: tangent)

    @for_users
    def value_and_derivative(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the derivative at `args`, from one run."""
        return self._answer(args, kwargs, out, lambda value, tangent: (value, tangent))

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, form: Callable[[Any, Any], Any]) -> Any:
        this, inputs = self.at(args, kwargs)
        call, rule = this.call, this.rule
        (x,) = values_at(inputs, this.places)
        seed = np.ones_like(x) if isinstance(x, np.ndarray) else type(x)(1)

        def arranged(results: Sequence[Any]) -> Any:
            count = len(rule.typed.results)
            ends = results[:count]
            tangent = placed(call.result, alongside(ends, call.result, rule.spread(results[count:])))
            return form(rebuild(call.result, iter(ends)), tangent)

        return (
            arranged(call.run(this.made.pooled(rule), inputs, seed))
            if out is None
            else this.answered(rule, inputs, [seed], arranged, out)
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedSecondDerivative(PreparedDerivative):
    """``prepare_second_derivative(f, …)``: the derivative of the derivative, forward over forward."""

    form = "second_derivative"
    meaning = staticmethod(forms.curvature)
    holomorphic_meaning = staticmethod(forms.holomorphic_curvature)
    forms = MappingProxyType(
        {
            "value_and_derivative": forms.value_and_derivative,
            "value_derivative_and_second": forms.value_derivative_and_second,
        }
    )

    @classmethod
    def wrapped(cls, fn: Callable[..., Any], argnums: int, holomorphic: bool) -> Any:
        """The value and the slope of `fn`, as one function."""
        meaning = forms.holomorphic_value_and_slope if holomorphic else forms.value_and_slope
        return Derivative("derivative", fn, argnums, definition=meaning, holomorphic=holomorphic)

    @for_users
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The second derivative at `args`."""
        return self._answer(args, kwargs, out, lambda value, tangent: tangent[1])

    @for_users
    def value_derivative_and_second(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the derivative and the second derivative at `args`, from one run."""
        return self._answer(args, kwargs, out, lambda value, tangent: (*value, tangent[1]))

    @for_users
    def value_and_derivative(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the derivative at `args`."""
        return self._answer(args, kwargs, out, lambda value, tangent: value)


@operator("derivative", forms.slope, PreparedDerivative, forms.holomorphic_slope)
@for_users
def prepare_derivative(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: int = 0,
    holomorphic: bool = False,
    strict: bool = True,
    **example_kwargs: Any,
) -> PreparedDerivative:
    """The derivative of `f`, whatever it returns, with respect to one number, derived now for arguments like the example.

    By a complex number it is that of a `holomorphic` function: see `adxform.grad`.

    >>> p = prepare_derivative(lambda t: (t ** 2, {"cube": t ** 3}), 1.0)
    >>> p(2.0)
    (4.0, {'cube': 12.0})
    """
    number = one_argnum(f, argnums, len(example_args))
    options = {"argnums": number, "holomorphic": bool(holomorphic), "strict": strict}
    return PreparedDerivative.of(f, example_args, example_kwargs, options)


@operator("derivative", forms.curvature, PreparedSecondDerivative, forms.holomorphic_curvature)
@for_users
def prepare_second_derivative(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: int = 0,
    holomorphic: bool = False,
    strict: bool = True,
    **example_kwargs: Any,
) -> PreparedSecondDerivative:
    """The second derivative of `f`, whatever it returns, with respect to one number, derived now: see `prepare_derivative`.

    >>> p = prepare_second_derivative(lambda t: t ** 3, 1.0)
    >>> p(2.0), p.value_derivative_and_second(2.0)
    (12.0, (8.0, 12.0, 12.0))
    """
    number = one_argnum(f, argnums, len(example_args))
    options = {"argnums": number, "holomorphic": bool(holomorphic), "strict": strict}
    return PreparedSecondDerivative.of(f, example_args, example_kwargs, options)


def one_argnum(f: Callable[..., Any], argnums: Any, count: int) -> int:
    """`argnums` as the position of one argument, counted from the start where there is one."""
    found = checked_argnums(f, argnums)
    if isinstance(found, tuple):
        raise ArgnumsError(f"argnums is {argnums!r}", span=definition(f), help="a derivative is taken by one number")
    return found + count if -count <= found < 0 else found
