"""What a primitive is: one record of all that any stage asks about a function.

A derivative is stated once, in one of four forms, and both modes follow from it. The bodies are ordinary Python; they
are lowered by the same front end as user code, so they appear in generated code as plain statements and can be
differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.ir.ops import Call, Operand
from adxform.ir.spans import Place
from adxform.ir.types import Several, Type
from adxform.primitives.facets import Algebra, Chooses, Contracts, Fresh, Gives, Kernel, Layout, Moves, Reduces, Sign, Views


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does beside returning a value.

    `writes`: positions of the operands whose memory changes. `views`: positions of the operands whose memory an array
    result may share. `reads`: whether it reads the contents of its array operands (``False``: only shapes and dtypes).
    `opaque`: it may do anything Python can, so it stays, once and in order. `marks`: it stays so, and does nothing. `raises`: it
    raises where numbers leave its domain though its derivatives do not, so it stays.
    """

    writes: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    reads: bool = True
    opaque: bool = False
    raises: bool = False
    marks: bool = False


PURE = Effect()
SHAPE_ONLY = Effect(reads=False)
WRITES_FIRST = Effect(writes=(0,))
VIEWS_FIRST = Effect(views=(0,))
OPAQUE = Effect(opaque=True)
RAISES = Effect(raises=True)
MARKS = Effect(opaque=True, marks=True)


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
    the dtype are read, or which are checked; a derivative with respect to any other argument is an error. `of_a_part`: what
    takes the place of the function in forward mode, and of ``transposes[0]``, where the argument may be empty.
    """

    transposes: Mapping[int, Callable[..., Any]]
    shapes: tuple[int, ...] = ()
    of_a_part: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def read(self, count: int) -> tuple[int, ...]:
        """The places of the arguments, of which there are `count`, on whose contents the result depends."""
        return tuple(place for place in range(count) if place not in self.shapes)

    def untransposed(self, count: int) -> tuple[int, ...]:
        """Those of them of which it is not known how the result depends on them: no transpose is stated."""
        return tuple(place for place in self.read(count) if place not in self.transposes)


@dataclass(frozen=True, slots=True)
class Constant:
    """The derivative is zero wherever it exists (`floor`, comparisons, shapes, fresh zeros)."""


@dataclass(frozen=True, slots=True)
class General:
    """``body(*args, **kwargs)`` returns ``(y, pullback)``; ``pullback(y_ct)`` a cotangent per positional argument.

    The pullback's free variables are the residuals. ``tangent(y, args, args_t)``, optional, is used in forward mode
    instead of transposing the pullback; a zero tangent comes as ``0.0``. Of a function that returns a tuple, `y` and what
    `tangent` returns are tuples, and the pullback takes a cotangent for each item; what only a cotangent of zero needs is left
    out (`autodiff.unused_cotangents`). `constant`: the places of the items whose derivative is zero wherever it exists,
    if they are real.
    `boundary`: in a derivative the rule stays a call of functions of its own, at every order; otherwise its body is written in
    the place of the call. `staged`: `body` is given what is known of the arguments, an `adxform.runtime.Argument` for each, and
    returns what is said of `body` here. `elementwise`: the function broadcasts its arguments and works on one element of each at
    a time. `singular`: as of `Partials`.
    """

    body: Callable[..., Any]
    tangent: Callable[..., Any] | None = None
    boundary: bool = False
    elementwise: bool = False
    singular: bool = False
    constant: tuple[int, ...] = ()
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """A load, a store or a tape operation: the AD transforms know it themselves."""


Derivative = Partials | Linear | Constant | General | Memory


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One primitive, and all that any stage asks about it: each facet is a field.

    `fn` is its identity; `derivative` is ``None`` when it has none (an error on an active path). A facet that a record leaves out
    says nothing. Of costs and kernels, that makes code slower at most; that a function is a view, that it chooses, or that its
    slope has no rate of change where it is zero, has to be said where it holds.
    """

    fn: Callable[..., Any]
    name: str
    derivative: Derivative | None
    effect: Effect | Callable[[Call], Effect] = PURE
    result: Callable[[tuple[Operand, ...], Mapping[str, Operand]], Type | Several | None] | None = None
    """The type of the result from the operands (typed variables, literals, packs), or the types of several, whose unknown lengths
    are one; where it gives ``None``, or there is none, it is found by running `fn` on tiny samples."""
    samples: tuple[tuple[Any, ...], ...] = ()
    """Tuples of arguments inside the domain, for `check_rule`."""
    place: Place | None = None
    """Where it was registered, if it is no record of the library's."""

    # What it means.
    spelled: Callable[..., Any] | None = None
    """The function of Python's that does to one element what this one does to all."""
    ufunc: np.ufunc | None = None
    """The function that does to arrays what this operator does, and takes an ``out``."""
    algebra: Algebra | None = None
    """The operation of arithmetic that it is."""
    gives: Gives | None = None
    """The dtype in which it computes an element, if loops may hold it."""
    broadcasts: bool = False
    """It works on one element of each argument at a time, though its rule is not one of partial derivatives."""
    whole: bool = False
    """What programs reckon lengths and places with: a whole number of whole numbers."""
    tabulates: bool = False
    """It gives places in a matrix, all of which follow from numbers that it is given."""
    unsized: bool = False
    """Its result is as long as the values of its arguments say."""
    open_integers: bool = False
    """Integers are lengths, places or values to it: that only a run knows them leaves open no more than a length. For all others
    but elementwise ones an integer may decide of what kind the result is: how many axes it has, which are left."""
    measures: bool = False
    """It asks for the shape of its argument only."""
    power: float | None = None
    """The power of its argument that it is."""
    reduces: Reduces | None = None
    """What it makes of the numbers along an axis."""
    contracts: Contracts | None = None
    """The sum of products that it is."""
    masks: Callable[..., Any] | None = None
    """The product, or sum of products, that this one is where zero may meet what is infinite or missing."""
    moves: Moves | None = None
    """Where it puts the elements that it is given, of which it makes no new ones."""
    fresh: Fresh | None = None
    """The new array that it makes."""
    sequences: bool = False
    """It takes lists and tuples as they are; those that others are given become arrays first."""
    objects: bool = False
    """It takes objects as they are that are no numbers and no arrays, and has no derivative by them."""

    # How its result depends on its arguments.
    sign: Sign = Sign.ANY
    """The sign of its result, if that of the argument says no more."""
    keeps_sign: bool = False
    """Its result has the sign of its first argument."""
    chooses: Chooses | None = None
    """What it takes over as it is, and leaves all else out."""
    faithful: bool = False
    """No lane of a cotangent becomes zero by it."""
    finite_from: tuple[int, Sign] | None = None
    """An argument, and from which sign of it on the slopes are finite."""
    nowhere_flat: bool = False
    """Its slope is not zero where its argument is finite."""
    length: bool = False
    """Its slope has no rate of change where it is zero."""
    of_complex: bool | None = None
    """Whether its rule holds for complex numbers. Where this is not said, that of a linear function does, and no other."""
    linear_in: tuple[int, ...] = ()
    """The arguments in which a `General` function is linear together."""

    # What it does to memory.
    view: Views | None = None
    """Whether its result shares memory with its first argument wherever `effect` says that it may."""
    layout: Layout | None = None
    """The order of its result in memory."""
    takes_out: bool = False
    """It writes into what it is given as ``out``, though it is no ufunc."""

    # What it costs, and where it may run.
    recomputed: bool = False
    """On numbers it is computed again in a reverse sweep rather than kept."""
    short: bool = False
    """On numbers it takes about as long as an addition."""
    beside_memory: bool = False
    """On an element it takes less than three times a load and a store; a division takes more."""
    in_lanes: bool = False
    """Processors do several at once."""
    safe: bool = False
    """On numbers of Python's own it neither raises nor warns, whatever they are."""
    divides: bool = False
    """It raises where its second operand is zero, and only there."""
    total: bool = False
    """It raises nowhere, though it is a function of the module `math`."""
    folds: bool = False
    """On numbers that are known it is computed when a derivative is made."""
    form: Callable[..., Any] | None = None
    """The function of numbers that kernels call in its place."""
    complex_form: Callable[..., Any] | None = None
    """That of complex numbers."""
    wrapped_form: Callable[..., Any] | None = None
    """That of NumPy's integers, whose results a compiler would take to stay within 64 bits."""
    kernel: Kernel | None = None
    """The numbers on which kernels hold it."""
    arity: int | None = None
    """Of a function that takes more operands or fewer, with how many kernels have it."""

    @property
    def elementwise(self) -> bool:
        """Whether its rule says that it works on one element of each argument at a time."""
        return isinstance(self.derivative, Partials) or (isinstance(self.derivative, General) and self.derivative.elementwise)

    @property
    def takes_complex(self) -> bool:
        """Whether its rule holds for complex numbers."""
        return isinstance(self.derivative, Linear | Constant | Memory) if self.of_complex is None else self.of_complex

    @property
    def blank(self) -> bool:
        """Whether it makes a new array that holds zeros, or nothing yet."""
        return self.fresh is not None and not self.fresh.given and self.fresh.number != 1.0
