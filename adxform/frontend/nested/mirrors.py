"""Gradients, tangents and cotangents inside a differentiated function: values with the structure of what they belong to."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adxform.errors import AdxError, NonDifferentiableError, NonScalarOutputError, OptionError, TangentMismatchError
from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Ref, Tuple, Value, is_int
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type, is_complex, is_inexact, rank

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def type_of(value: Value | Operand) -> Type | None:
    """The type of a number or an array; ``None`` for anything else."""
    match value:
        case Var(_, type_):
            return type_
        case Lit(literal):
            return scalar_type(literal)
        case _:
            return None


def is_live(value: Value | Operand) -> bool:
    """Whether `value` is a float or an array of floats."""
    type_ = type_of(value)
    return type_ is not None and is_inexact(type_)


def floats_of(interp: Interpreter, value: Value) -> list[Value]:
    """The floats and arrays of floats in `value`, in order."""
    return [leaf for leaf in structures.leaves_of(interp, value) if is_live(leaf)]


def with_floats(interp: Interpreter, value: Value, floats: Iterator[Value]) -> Value:
    """`value` with `floats` for its floats, and the rest as it is."""
    leaves = [next(floats) if is_live(leaf) else leaf for leaf in structures.leaves_of(interp, value)]
    return structures.rebuilt(interp, value, iter(leaves))


def mirrored(interp: Interpreter, value: Value, floats: Iterator[Value]) -> Value:
    """The structure of `value` with `floats` for its floats, and ``None`` for everything else."""
    match value:
        case Tuple() | Ref(kind="list" | "dict" | "instance"):
            return structures.made_like(
                interp, value, [mirrored(interp, item, floats) for item in structures.items_of(interp, value)]
            )
        case Maybe(_, held):  # a result: where it is None, the run raises
            return mirrored(interp, held, floats)
        case _:
            return next(floats) if is_live(value) else NONE


def refuse(interp: Interpreter, number: int, value: Value) -> None:
    """Raise unless all that argument `number` holds are floats and ``None``."""
    match value:
        case Tuple() | Ref(kind="list" | "dict" | "instance"):
            parts = structures.items_of(interp, value)
        case _ if value == NONE or is_live(value):
            return
        case _:
            message = f"argument {number} holds {described(value)}, so there is no derivative with respect to it"
            raise interp.error(message, "pass a float, or choose other `argnums`", NonDifferentiableError)
    for part in parts:
        refuse(interp, number, part)


def refuse_real(interp: Interpreter, leaves: Sequence[Value]) -> None:
    """Raise unless all of `leaves` are complex, as ``holomorphic=True`` has it."""
    if not all(map(of_complex, leaves)):
        message = "with `holomorphic=True` the arguments by which it is differentiated are complex"
        raise interp.error(message, "pass complex numbers, or leave `holomorphic` out", NonDifferentiableError)


def of_complex(value: Value | Operand) -> bool:
    """Whether `value` is a complex number or an array of them."""
    type_ = type_of(value)
    return type_ is not None and is_complex(type_)


def matched(interp: Interpreter, value: Value, given: Value, what: str) -> list[Operand]:
    """The leaves of `given`, a tangent or cotangent of `value`, one for each of its floats.

    Raises:
        TangentMismatchError: structure, rank or dtype differ. (Where shapes can, the program asks when it runs.)
    """
    match value, given:
        case Tuple(items, cls), Tuple(others, other) if cls is other and len(items) == len(others):
            pairs = zip(items, others, strict=True)
        case Ref(kind=kind, cls=cls), Ref(kind=other_kind, cls=other) if (kind, cls) == (other_kind, other):
            left, right = interp.contents(value), interp.contents(given)
            if left.keys != right.keys or not structures.same_kind(interp, value, given):
                raise mismatch(interp, value, given, what)
            pairs = zip(structures.items_of(interp, value), structures.items_of(interp, given), strict=True)
        case (Tuple() | Ref(), _) | (_, Tuple() | Ref()):
            raise mismatch(interp, value, given, what)
        case _ if is_live(value):
            return [fitted(interp, value, given, what)]
        case (Var() | Lit(), Lit(number)) if not number or type_of(value) is None:
            return []
        case (Var() | Lit(), _) if type_of(value) is not None:
            raise mismatch(interp, value, given, what)
        case _:
            return []
    return [leaf for part, other_part in pairs for leaf in matched(interp, part, other_part, what)]


def fitted(interp: Interpreter, value: Value, given: Value, what: str) -> Operand:
    """`given` as a tangent or cotangent of the float or array of floats `value`."""
    type_, own = type_of(value), type_of(given)
    if own is None or not _may_fit(type_, own, given):
        raise mismatch(interp, value, given, what)
    match type_, own:
        case Array(dtype, shape), Array(other, theirs):
            if dtype != other:
                raise mismatch(interp, value, given, what)
            if shape != theirs:
                interp.call(constant(interp, ask_shape), (given, value, Lit(what)))
        case Array(), Scalar():
            return interp.operand(interp.call(Lit(np.full_like), (value, given)))
        case Scalar(dtype, weak), Scalar(other, other_weak):
            if not weak and not other_weak and dtype != other:
                raise mismatch(interp, value, given, what)
            if (dtype, weak) != (other, other_weak) and (isinstance(given, Lit) or not is_inexact(own)):
                return interp.operand(interp.call(Lit(_python_class(type_) if weak else np.dtype(dtype).type), (given,)))
        case Scalar(), Array():
            return interp.operand(interp.call(Lit(operator.getitem), (given, Tuple(()))))
    return interp.operand(given)


def _may_fit(type_: Type | None, own: Type, given: Value) -> bool:
    """Whether `given`, of the type `own`, may be the tangent or cotangent of what is of the type `type_`."""
    if not is_inexact(own) and (isinstance(own, Array) or not is_int(given)):
        return False
    if type_ is None:
        return True
    ranks = rank(own), rank(type_)
    return (None in ranks or ranks[0] == ranks[1]) and (is_complex(type_) or not is_complex(own))


def _python_class(type_: Scalar) -> type:
    return complex if is_complex(type_) else float


def ask_shape(given: Any, value: Any, what: str) -> None:
    """Raise `ValueError` unless `given` has the shape of `value`."""
    if np.shape(given) != np.shape(value):
        raise ValueError("the " + what + " differs in shape from the value it belongs to")


def mismatch(interp: Interpreter, value: Value, given: Value, what: str) -> AdxError:
    """The error for a `given` that does not fit `value`."""
    message = f"the {what} does not fit the value it belongs to: expected {described(value)}, got {described(given)}"
    return interp.error(message, f"give the {what} the structure, shape and dtype of the value", TangentMismatchError)


def described(value: Value) -> str:
    """`value` in a few words."""
    match type_of(value), value:
        case Scalar(dtype, weak), _:
            return f"a Python {dtype.rstrip('0123456789')}" if weak else f"a number of type {dtype}"
        case Array(dtype, None), _:
            return f"a number or an array of {dtype}"
        case Array(dtype, shape), _:
            return f"an array of {dtype} with {len(shape or ())} axes"
        case _, Lit(literal):
            return repr(literal)
        case _, Tuple(items, cls):
            return f"a {cls.__name__} of {len(items)}"
        case _, Ref(cls=cls):
            return f"a {cls.__name__}"
        case _:
            return "an object"


# -- what the definitions of `hessian` and `jacobian` are written with ------------------------------------------------------


def _floats(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Tuple(tuple(floats_of(interp, args[0])))


def _with_floats(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return with_floats(interp, args[0], iter(interp.items(args[1])))


def _mirrored(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return mirrored(interp, args[0], iter(interp.items(args[1])))


def _fewer(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Whether the first values hold no more numbers than the others, as far as that can be told before the program runs."""
    few, many = ([type_of(item) for item in interp.items(arg)] for arg in args)
    if all(isinstance(type_, Scalar) for type_ in many):
        return Lit(all(isinstance(type_, Scalar) for type_ in few) and len(few) <= len(many))
    order = compared([shape_of(type_) for type_ in few], [shape_of(type_) for type_ in many])
    if order is not None:
        return Lit(order)
    totals = []
    for arg in args:
        total: Value = Lit(0)
        for item in interp.items(arg):
            total = interp.call(Lit(operator.add), (total, interp.call(Lit(np.size), (item,), hint="size")), hint="size")
        totals.append(total)
    return interp.call(Lit(operator.le), totals)


def _one_like(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """One, as a float of the kind of a number; where only a run can tell the kind, of the one that stands for all of them."""
    type_ = type_of(args[0])
    assert isinstance(type_, Scalar)
    one = _python_class(type_)(1.0)
    return Lit(one) if type_.weak else Lit(np.dtype(type_.dtype).type(one))


def _turned(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """The imaginary unit, as a complex number of the kind of a number."""
    type_ = type_of(args[0])
    assert isinstance(type_, Scalar)
    return Lit(1j) if type_.weak else Lit(np.dtype(type_.dtype).type(1j))


def _is_complex(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Lit(of_complex(args[0]))


def _at_rest(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Zero tangents of all that a structure holds, each of the kind of what it belongs to."""

    def resting(value: Value) -> Value:
        match value:
            case Tuple() | Ref(kind="list" | "dict" | "instance"):
                return structures.made_like(interp, value, [resting(item) for item in structures.items_of(interp, value)])
            case _:
                return _zero(interp, value)

    return resting(args[0])


def _in_kind(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """The tangents of a structure, in which ``0.0`` stands for a zero of any kind."""

    def tangent(value: Value, given: Value) -> Value:
        match value, given:
            case ((Tuple() | Ref(kind="list" | "dict" | "instance")), (Tuple() | Ref())):
                pairs = zip(structures.items_of(interp, value), structures.items_of(interp, given), strict=True)
                return structures.made_like(interp, value, [tangent(part, other) for part, other in pairs])
            case _:
                return _zero(interp, value) if given == Lit(0.0) else given

    return tangent(*args)


def _zero(interp: Interpreter, value: Value) -> Value:
    match type_of(value):
        case Scalar() as type_ if is_inexact(type_):
            zero = _python_class(type_)(0.0)
            return Lit(zero) if type_.weak else Lit(np.dtype(type_.dtype).type(zero))
        case Array() as type_ if is_inexact(type_):
            return interp.call(Lit(np.zeros_like), (value,))
        case _:
            return Lit(0.0)


def _columns_only(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Whether complex numbers are made of real ones, so that rows by cotangents would be those of the real parts."""
    few, many = (interp.items(arg) for arg in args)
    return Lit(any(map(of_complex, many)) and not any(map(of_complex, few)))


def _jacobian_ends(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Nothing, unless there is no Jacobian between these ends: see `adxform.runtime.dispatch.refusals.jacobian_ends`."""
    few, many = (interp.items(arg) for arg in args[:2])
    if interp.static(args[3], "`holomorphic`"):
        refuse_real(interp, few)
        if not all(map(of_complex, many)):
            message = "with `holomorphic=True` the function given to `jacobian` returns complex numbers"
            raise interp.error(message, "leave `holomorphic` out: it is for complex results", NonScalarOutputError)
    elif any(map(of_complex, few)):
        message = "a Jacobian by complex numbers is one matrix for holomorphic functions alone"
        raise interp.error(message, "give `holomorphic=True`, where it is; else use `jvp` or `vjp`", NonDifferentiableError)
    elif any(map(of_complex, many)) and interp.static(args[2], "`mode`") == "reverse":
        message = "of the rows of a Jacobian of complex results by cotangents, the imaginary part would be lost"
        raise interp.error(message, 'use `mode="forward"`', OptionError)
    return NONE


def _hessian_ends(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Nothing, unless it is complex numbers by which a Hessian is taken."""
    if any(map(of_complex, interp.items(args[0]))):
        message = "a Hessian by complex numbers is not one matrix"
        way_out = "use `hvp`, the derivative of the gradient along a vector, or the real and the imaginary part"
        raise interp.error(message, way_out, NonDifferentiableError)
    return NONE


def _slope_ends(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """Nothing, unless there is no derivative by this number."""
    if of_complex(args[0]) != interp.static(args[1], "`holomorphic`"):
        message = "by a complex number there is a derivative of holomorphic functions alone, and by a real one of any"
        raise interp.error(message, "give `holomorphic=True` for complex numbers, and for these only", NonDifferentiableError)
    return NONE


def shape_of(type_: Type | None) -> tuple[Size, ...] | None:
    """The shape of numbers and arrays of `type_`, as far as it is known."""
    return type_.shape if isinstance(type_, Array) else ()


def based(size: Size) -> tuple[str, int]:
    """The base and the offset of a length."""
    return (size.base, size.offset) if isinstance(size, Dim) else ("", size)


def compared(few: list[tuple[Size, ...] | None], many: list[tuple[Size, ...] | None]) -> bool | None:
    """Whether values of the shapes `few` hold no more numbers than those of the shapes `many`; ``None`` where a run must tell."""
    if [shape and len(shape) for shape in few] != [shape and len(shape) for shape in many] or None in few:
        return None
    pairs = [(n, m) for one, other in zip(few, many, strict=True) for n, m in zip(one or (), other or (), strict=True)]
    lengths = [(based(n), based(m)) for n, m in pairs]
    if any(one[0] != other[0] for one, other in lengths):
        return None
    if all(one[1] <= other[1] for one, other in lengths):
        return True
    return False if all(one[1] >= other[1] for one, other in lengths) else None


floats = Known("floats", _floats)
"""``floats(tree)``: the floats and arrays of floats in a structure, as a tuple."""
replaced = Known("replaced", _with_floats)
"""``replaced(tree, floats)``: the structure with these for its floats."""
mirror = Known("mirror", _mirrored)
"""``mirror(tree, values)``: the structure with these for its floats, and ``None`` for everything else."""
no_more = Known("no_more", _fewer)
"""``no_more(some, others)``: whether the tuple `some` of numbers and arrays holds at most as many numbers as `others`."""
one_like = Known("one_like", _one_like)
"""``one_like(number)``: one, as a tangent or a cotangent of a number."""
at_rest = Known("at_rest", _at_rest)
"""``at_rest(tree)``: the structure with tangents of zero for all that it holds."""
in_kind = Known("in_kind", _in_kind)
"""``in_kind(tree, tangents)``: the tangents, each ``0.0`` among them as a zero of the kind of what it belongs to."""
turned = Known("turned", _turned)
"""``turned(number)``: the imaginary unit, as a tangent of a complex number."""
moves_both_ways = Known("moves_both_ways", _is_complex)
"""``moves_both_ways(value)``: whether `value` is complex, with two directions in which each number moves."""
columns_only = Known("columns_only", _columns_only)
"""``columns_only(inputs, outs)``: whether complex numbers `outs` are made of real ones: a Jacobian is one of columns."""
jacobian_ends = Known("jacobian_ends", _jacobian_ends)
"""``jacobian_ends(inputs, outs, mode, holomorphic)``: raises where there is no Jacobian of these."""
hessian_ends = Known("hessian_ends", _hessian_ends)
"""``hessian_ends(inputs)``: raises where there is no Hessian by these."""
slope_ends = Known("slope_ends", _slope_ends)
"""``slope_ends(number, holomorphic)``: raises where there is no derivative by that number."""
