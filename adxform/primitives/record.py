"""What a primitive is: one record with its derivative, effects, result type and samples.

A derivative is stated once, in one of four forms, and both modes follow from it. The bodies are ordinary Python; they
are lowered by the same front end as user code, so they appear in generated code as plain statements and can be
differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adxform.ir.ops import Call, Operand
from adxform.ir.types import Type


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does beside returning a value.

    `writes`: positions of the operands whose memory changes. `views`: positions of the operands whose memory an array
    result may share. `reads`: whether it reads the contents of its array operands (``False``: only shapes and dtypes).
    `opaque`: it may do anything Python can, so it stays, once and in order. `raises`: it raises where numbers leave its domain
    though its derivatives do not, so it stays.
    """

    writes: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    reads: bool = True
    opaque: bool = False
    raises: bool = False


PURE = Effect()
SHAPE_ONLY = Effect(reads=False)
WRITES_FIRST = Effect(writes=(0,))
VIEWS_FIRST = Effect(views=(0,))
OPAQUE = Effect(opaque=True)
RAISES = Effect(raises=True)


@dataclass(frozen=True, slots=True)
class Partials:
    """Elementwise. ``body(y, *args, **kwargs)`` returns the partial derivative for each positional argument.

    `y` is the output. One partial may be returned bare; ``None`` stands for an argument that has no derivative.
    `singular`: a partial can be infinite or NaN in lanes where the function is finite or its value is not used (`sqrt` at 0):
    ``True``, or a test of the operands; ask `masked`. Zero times such a slope is zero (docs/rules.md); `analysis.infinite_slopes`
    says which products have to see to it.
    """

    body: Callable[..., Any]
    singular: bool | Callable[[tuple[Operand, ...]], bool] = False

    def masked(self, args: tuple[Operand, ...]) -> bool:
        """Whether a partial can be infinite or NaN on `args`."""
        return self.singular(args) if callable(self.singular) else self.singular


@dataclass(frozen=True, slots=True)
class Linear:
    """Linear in each argument of `transposes` (with the others held): the tangent is the function itself.

    ``transposes[i](ct, *args, **kwargs)`` returns the cotangent of argument ``i``, with the shape of that argument;
    for an argument that is a sequence of arrays, a tuple of cotangents. `shapes`: the arguments of which only the shape and
    the dtype are read; a derivative with respect to any other argument is an error. `of_a_part`: what takes the
    place of the function in forward mode, and of ``transposes[0]``, where the argument may be empty.
    """

    transposes: Mapping[int, Callable[..., Any]]
    shapes: tuple[int, ...] = ()
    of_a_part: tuple[Callable[..., Any], Callable[..., Any]] | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """The derivative is zero wherever it exists (`floor`, comparisons, shapes, fresh zeros)."""


@dataclass(frozen=True, slots=True)
class General:
    """``body(*args, **kwargs)`` returns ``(y, pullback)``; ``pullback(y_ct)`` a cotangent per positional argument.

    The pullback's free variables are the residuals. ``tangent(y, args, args_t)``, optional, is used in forward mode
    instead of transposing the pullback; a zero tangent comes as ``0.0``. `boundary`: in a derivative the rule stays a call of
    functions of its own, at every order; otherwise its body is written in the place of the call. `elementwise`: the function
    broadcasts its arguments and works on one element of each at a time. `singular`: as of `Partials`.
    """

    body: Callable[..., Any]
    tangent: Callable[..., Any] | None = None
    boundary: bool = False
    elementwise: bool = False
    singular: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """A load, a store or a tape operation: the AD transforms know it themselves."""


Derivative = Partials | Linear | Constant | General | Memory


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One primitive. `fn` is its identity; `derivative` is ``None`` when it has none (an error on an active path).

    `result`, when given, is the type of the result from the operands (typed variables, literals, packs); otherwise, or
    where it gives ``None``, the type is found by running `fn` on tiny samples. `samples` are argument tuples inside the
    domain, for `check_rule`.
    """

    fn: Callable[..., Any]
    name: str
    derivative: Derivative | None
    effect: Effect | Callable[[Call], Effect] = PURE
    result: Callable[[tuple[Operand, ...], Mapping[str, Operand]], Type | None] | None = None
    samples: tuple[tuple[Any, ...], ...] = field(default=())

    @property
    def elementwise(self) -> bool:
        """Whether its rule says that it works on one element of each argument at a time."""
        return isinstance(self.derivative, Partials) or (isinstance(self.derivative, General) and self.derivative.elementwise)
