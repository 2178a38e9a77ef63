"""Where paths meet: the type of a number or an array that comes from one of two places."""

from __future__ import annotations

from collections.abc import Callable

from adxform.frontend.evaluate.control_flow.templates import Slot, Template
from adxform.ir.kinds import alternatives, one_of, scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Type, is_inexact


def join_types(a: Type, b: Type, fresh: Callable[[], Dim]) -> Type | None:
    """The type of a value of type `a` or `b`; ``None`` when there is none that loses nothing."""
    if a == b:
        return a
    match a, b:
        case Scalar(), Scalar():
            return one_of((a, b))
        case (Array(), Scalar()) | (Scalar(), Array()) | (Array(), Array()):
            dtype = join_dtypes(a, b)
            shapes = [type_.shape if isinstance(type_, Array) else () for type_ in (a, b)]
            first, second = shapes
            if isinstance(a, Scalar) or isinstance(b, Scalar) or first is None or second is None or len(first) != len(second):
                return Array(dtype, None)
            return Array(dtype, tuple(n if n == m else fresh() for n, m in zip(first, second, strict=True)))
        case (Object(), other) | (other, Object()):
            return None if is_inexact(other) else Object()
        case _:
            return None


def join_dtypes(a: Type, b: Type) -> str:
    """The dtype of a number or an array of type `a` or `b`, of all kinds that either may be."""
    assert isinstance(a, Scalar | Array)
    assert isinstance(b, Scalar | Array)
    parts = [kind for t in (a, b) for kind in (alternatives(t) if isinstance(t, Scalar) else (Scalar(t.dtype),))]
    return one_of(parts).dtype


def number_type(value: Template) -> Type | None:
    """The type of a number, an array or an opaque variable; ``None`` for structures and other statics."""
    match value:
        case Slot(type_) | Var(_, type_):
            return type_
        case Lit(literal):
            return scalar_type(literal)
        case _:
            return None


def alike_rows(a: Type | None, b: Type | None, alike: bool) -> bool:
    """Whether arrays of the types `a` and `b` may be rows of one, or one in the place of the other.

    `alike`: both hold numbers of Python's, or both of NumPy's.
    """
    if not isinstance(a, Array) or not isinstance(b, Array):
        return True
    return a.dtype == b.dtype and (alike or is_inexact(a))
