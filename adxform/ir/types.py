"""The types of typed IR: what is known of a value before the program runs.

A type says enough to choose a derivative rule and to emit lean code: the dtype, the rank, and which lengths are
equal or one. It never holds a length that only a run can tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FLOATS = ("float16", "float32", "float64", "longdouble")
COMPLEX = ("complex64", "complex128", "clongdouble")
UNSPREAD = "?="


@dataclass(frozen=True, slots=True)
class Dim:
    """A length known only at run time: ``max(base + offset, 0)``.

    Equal dims are equal lengths. A base starting with ``?`` may turn out to be one (and then broadcast), but for those that
    start with `UNSPREAD`, which are never spread over more elements; any other base stands for a length that the signature says
    is not one.

    >>> str(Dim("x.0", -2)), Dim("x.0").may_be_one, Dim("x.0", -1).may_be_one
    ('x.0-2', False, True)
    """

    base: str
    offset: int = 0

    def __hash__(self) -> int:
        return hash(self.base)

    @property
    def may_be_one(self) -> bool:
        """Whether the length can be one."""
        return self.base.startswith("?") or self.offset != 0

    @property
    def may_spread(self) -> bool:
        """Whether an array of this length may be broadcast to another one."""
        return self.may_be_one and (self.offset != 0 or not self.base.startswith(UNSPREAD))

    def __str__(self) -> str:
        return self.base if self.offset == 0 else f"{self.base}{self.offset:+d}"


Size = int | Dim


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number. `weak`: a Python ``bool``/``int``/``float``/``complex``, else a NumPy scalar of that dtype.

    `kinds`, while a function is specialised and in the tree of its result: what it may be where only a run can tell, see
    `adxform.ir.kinds`. `as_float`: the run cannot tell either which of them it was, since a list has kept it as a float.
    `merged`, afterwards: the kinds of which this one stands for all; types that differ in it alone are equal.
    """

    dtype: str
    weak: bool = False
    kinds: tuple[Scalar, ...] = ()
    as_float: bool = False
    merged: tuple[Scalar, ...] = field(default=(), compare=False)

    def __hash__(self) -> int:
        return hash(self.dtype)


@dataclass(frozen=True, slots=True)
class Array:
    """An ``ndarray``. `shape` is ``None`` when even the rank is unknown (the value may then be a scalar)."""

    dtype: str
    shape: tuple[Size, ...] | None

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))


@dataclass(frozen=True, slots=True)
class Stack:
    """A tape that grows: values are pushed in the forward sweep and popped in the reverse sweep."""


@dataclass(frozen=True, slots=True)
class Object:
    """Anything else. Never active; the type of every variable before specialisation."""


Type = Scalar | Array | Stack | Object
UNTYPED = Object()


@dataclass(frozen=True, slots=True)
class Several:
    """The types of what a call with several results returns, a tuple or a named tuple of class `cls`: no variable has it."""

    types: tuple[Type, ...]
    cls: type = tuple


FLOAT = Scalar("float64", weak=True)
INT = Scalar("int64", weak=True)
BOOL = Scalar("bool", weak=True)


def is_float(type_: Type) -> bool:
    """Whether values of `type_` are real numbers that can carry a derivative."""
    return isinstance(type_, Scalar | Array) and type_.dtype in FLOATS


def is_complex(type_: Type) -> bool:
    """Whether values of `type_` are complex numbers."""
    return isinstance(type_, Scalar | Array) and type_.dtype in COMPLEX


def is_inexact(type_: Type) -> bool:
    """Whether values of `type_` can carry a derivative: real and complex numbers."""
    return is_float(type_) or is_complex(type_)


def is_unknown(type_: Type) -> bool:
    """Whether nothing, or no more than a dtype, is known of values of `type_`."""
    return isinstance(type_, Object) or (isinstance(type_, Array) and type_.shape is None)


def hides(type_: Type) -> bool:
    """Whether values of `type_` may depend on inputs in a way that no derivative follows: objects, unknown ones."""
    return type_.dtype.startswith("object") if isinstance(type_, Scalar | Array) else isinstance(type_, Object)


def rank(type_: Type) -> int | None:
    """The number of axes of a scalar or array; ``None`` when unknown."""
    match type_:
        case Scalar():
            return 0
        case Array(_, shape) if shape is not None:
            return len(shape)
        case _:
            return None
