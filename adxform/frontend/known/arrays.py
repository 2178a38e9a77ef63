"""Shapes, conversions and fills of arrays."""

from __future__ import annotations

import itertools
import operator
import string
from typing import Any

import numpy as np

from adxform.frontend.containers import collecting, lists_of_lists
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.parts import array_subscripts, stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value, is_unknown
from adxform.frontend.known import structured_arrays_made
from adxform.frontend.known.number_classes import kinds_of
from adxform.frontend.types import forgotten_kinds
from adxform.ir import intrinsics
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object, Scalar, rank
from adxform.primitives.definitions.arrangements import rearrangements


def _shape(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _array_fact(interp, args[0], "shape", Tuple(()), hint)


def _ndim(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _array_fact(interp, args[0], "ndim", Lit(0), hint)


def _size(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if len(args) > 1 or kwargs:
        axis = interp.static(args[1] if len(args) > 1 else kwargs["axis"], "an axis")
        if axis is None:
            return _array_fact(interp, args[0], "size", Lit(1), hint)
        shape = _shape(interp, args[:1], {}, hint)
        if shape is None:
            return None
        count: Value = Lit(1)
        for one in axis if isinstance(axis, tuple | list) else (axis,):
            count = interp.call(Lit(operator.mul), (interp.call(Lit(operator.getitem), (shape, Lit(int(one)))), count))
        return count
    return _array_fact(interp, args[0], "size", Lit(1), hint)


def _array_fact(interp: Interpreter, value: Value, name: str, of_number: Value, hint: str) -> Answer:
    match value:
        case Var(_, Scalar()):
            return of_number
        case Lit(found) if scalar_type(found) is not None:
            return of_number
        case Var(_, Array(_, None)):
            if name == "shape":
                return interp.emit(np.shape, (value,), Object(), hint)
            return interp.attribute(value, name, hint)
        case Var(_, Array()):
            return interp.attribute(value, name, hint)
        case Tuple() | Ref(kind="list"):
            return _array_fact(interp, interp.call(Lit(np.array), (value,)), name, of_number, hint)
        case _:
            return None


def _of_lists(interp: Interpreter, fn: Any, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """``fn(lists)`` of as many lists as only a run can tell."""
    assert isinstance(args[0], Ref)
    found = lists_of_lists.as_array(interp, args[0])
    return interp.call(Lit(fn), (found, *args[1:]), kwargs, hint) if args[1:] or kwargs else found


def _of_object(interp: Interpreter, fn: Any, x: Ref, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """An array of a list whose length only a run can tell, of lists of such, or of an object of adxform's own."""
    if interp.is_long(x):
        rows = collecting.as_array(interp, x)
        if not args[1:] and not kwargs:
            forgotten_kinds.require_fractions(interp, {x: rows})
        own = interp.call(Lit(np.ndarray.copy), (rows,), hint=hint)
        return interp.call(Lit(fn), (own, *args[1:]), kwargs, hint) if args[1:] or kwargs else own
    if x.cls.__module__.startswith("adxform.") and (made := protocols.special(interp, x, "__array__")) is not None:
        return interp.call(Lit(fn), (interp.call(made, ()), *args[1:]), kwargs, hint)
    return None if interp.portions(x) is None else _of_lists(interp, fn, args, kwargs, hint)


def _as_array(fn: Any) -> Handler:
    """An array that is already what is asked for, passed on as it is."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if isinstance(args[0], Ref) and (found := _of_object(interp, fn, args[0], args, kwargs, hint)) is not None:
            return found
        if fn is np.array:
            return structured_arrays_made.of_rows(interp, args, kwargs, hint)
        if not isinstance(args[0], Var) or not isinstance(args[0].type, Array) or args[0].type.shape is None:
            return None
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype", NONE)
        if len(args) > 2 or set(kwargs) - {"dtype"}:
            return None
        if dtype == NONE or np.dtype(interp.static(dtype, "a dtype")) == np.dtype(args[0].type.dtype):
            return args[0]
        return None

    return handler


def _copy_into(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.copyto(x, value)`` is ``x[...] = value`` where numbers of that kind may be cast to those of `x`."""
    if len(args) != 2 or kwargs.keys() - {"where"} or not (isinstance(args[0], Var) and isinstance(args[0].type, Array)):
        return None
    kinds = kinds_of(interp, args[1])
    fit = {np.can_cast(np.dtype(kind), np.dtype(args[0].type.dtype), "same_kind") for kind in kinds}
    if fit == {False}:
        message = f"Cannot cast from dtype('{kinds[0]}') to dtype('{args[0].type.dtype}') according to the rule 'same_kind'"
        return interp.fail(TypeError, message)
    if False in fit:
        raise interp.error("whether this number may be cast to those of the array depends on the run", "convert it: `float(…)`")
    chosen = interp.call(Lit(np.where), (kwargs["where"], args[1], args[0])) if "where" in kwargs else args[1]
    stored_items.store(interp, args[0], Lit(...), chosen)
    return NONE


def _only_read(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    (view,) = args
    if isinstance(view, Var):
        interp.to_check.only_read.append(view)
    return view


def _kind(dtype: str) -> str:
    return np.dtype(dtype).kind


def _fill(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``x.fill(value)`` is ``x[...] = value`` of a number."""
    if len(args) != 2 or kwargs or not (isinstance(args[0], Var) and isinstance(args[0].type, Array)):
        return None
    if isinstance(args[1], Tuple | Ref) or (_axes_of(args[1]) or 0) > 0:
        return interp.fail(ValueError, "setting an array element with a sequence.")
    stored_items.store(interp, args[0], Lit(...), args[1])
    return NONE


def _sort_in_place(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``x.sort(axis)`` is ``x[...] = np.sort(x, axis)``."""
    if not (isinstance(args[0], Var) and isinstance(args[0].type, Array)):
        return None
    if NONE in (*args[1:2], kwargs.get("axis")):
        return interp.fail(TypeError, "'NoneType' object cannot be interpreted as an integer")
    stored_items.store(interp, args[0], Lit(...), interp.call(Lit(np.sort), args, kwargs))
    return NONE


_WIDE = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64, "c": np.complex128}
"""Of which dtype an array is that has Python's own numbers, by the kind of the dtype that it had."""


def _tolist(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    x = args[0]
    if not isinstance(x, Var) or not isinstance(x.type, Array) or x.type.shape is None:
        return interp.call(Lit(np.ndarray.item), args, hint=hint) if isinstance(x, Var) and isinstance(x.type, Scalar) else None
    if not x.type.shape:
        return interp.call(Lit(np.ndarray.item), args, hint=hint)
    if not all(isinstance(size, int) for size in x.type.shape):
        wide = _WIDE.get(np.dtype(x.type.dtype).kind)
        if wide is None or np.result_type(x.type.dtype, wide) != wide:
            raise interp.error(f"of {x.type.dtype} numbers Python has no like", "convert the array first: `x.astype(float)`")
        items = interp.call(Lit(np.ndarray.astype), (x, Lit(wide)), hint=hint)
        return collecting.new_list(interp, items, len(x.type.shape) - 1, weak=True)
    count = iteration.literal_trips(interp, x) or 0
    tolist = Lit(np.ndarray.tolist)
    return interp.new_list(tuple(interp.call(tolist, (iteration.item_at(interp, x, Lit(k)),)) for k in range(count)))


def _where(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.where(condition)`` is ``np.nonzero(condition)``."""
    return interp.call(Lit(np.nonzero), args, hint=hint) if len(args) == 1 and not kwargs else None


def _einsum(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.einsum(a, [0, 1], b, [1, 2], [0, 2])`` is ``np.einsum("AB,BC->AC", a, b)``."""
    if not args or not is_static(interp, args[-1]) or isinstance(args[0], Lit):
        return None
    terms = ["".join(map(_subscript, interp.static(term, "subscripts"))) for term in args[1::2]]
    output = [] if len(args) % 2 == 0 else ["".join(map(_subscript, interp.static(args[-1], "subscripts")))]
    return interp.call(
        Lit(np.einsum), (Lit("->".join([",".join(terms), *output])), *args[: 2 * len(terms) : 2]), kwargs, hint=hint
    )


def _subscript(number: Any) -> str:
    """The letter of an axis; letters are in the order of the numbers, as NumPy sorts those of a result that is not stated."""
    return "..." if number is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[operator.index(number)]


def _nan_to_num(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """With ``copy=False``, a store to the array itself; what stands for others is a number, or has no more axes than these."""
    axes = _axes_of(args[0])
    if axes is not None and any((_axes_of(one) or 0) > axes for one in (*args[2:], *kwargs.values())):
        raise interp.error(
            "`np.nan_to_num` is given numbers with more axes than the array", "choose by `np.where` and `np.isnan`"
        )
    x, copies, *rest = (*args, kwargs.pop("copy", Lit(True)))[:2] + args[2:]
    if isinstance(copies, Tuple | Ref):
        return interp.call(Lit(np.nan_to_num), (x, Lit(truth(interp, copies)), *rest), kwargs, hint=hint)
    if truth(interp, copies) is True or not isinstance(x, Var) or not isinstance(x.type, Array):
        return None
    interp.static(copies, "`copy`")
    found = interp.call(Lit(np.nan_to_num), (x, Lit(True), *rest), kwargs, hint=hint)
    stored_items.store(interp, x, Lit(...), found)
    return x


def _axes_of(value: Value) -> int | None:
    return rank(value.type) if isinstance(value, Var) else None


def _take(fn: Any) -> Handler:
    """Truths become whole numbers, and floats where they are no array yet, as NumPy takes them: a rule would see a mask.

    So do the items of a tuple, which is a list of places here: a rule would see a place along each of several axes.
    """

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        places = args[1] if len(args) > 1 else kwargs.get("indices", NONE)
        kinds = set(map(_kind, kinds_of(interp, places)))
        floats = kinds == {"f"} and not (isinstance(places, Var) and isinstance(places.type, Array))
        if kinds != {"b"} and not floats and not isinstance(places, Tuple):
            return None
        array = interp.call(Lit(np.array), (places,))
        whole = interp.call(Lit(np.ndarray.astype), (array, Lit(np.int64))) if kinds == {"b"} or floats else array
        if len(args) > 1:
            return interp.call(Lit(fn), (args[0], whole, *args[2:]), kwargs, hint)
        return interp.call(Lit(fn), args, {**kwargs, "indices": whole}, hint)

    return handler


def _repeat(fn: Any) -> Handler:
    """A list of counts is the array of them: a sample of a list would be of another length than that of what is repeated."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        x, *rest = args
        counts = rest[0] if rest else kwargs.get("repeats", NONE)
        if not isinstance(counts, Tuple | Ref):
            return None
        array = interp.call(Lit(np.array), (counts,), hint="counts")
        if rest:
            return interp.call(Lit(fn), (x, array, *rest[1:]), kwargs, hint)
        return interp.call(Lit(fn), (x,), {**kwargs, "repeats": array}, hint)

    return handler


def _at_least(fn: Any) -> Handler:
    """Of several arrays as of each of them."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if len(args) < 2 or kwargs:
            return None
        return Tuple(tuple(interp.call(Lit(fn), (arg,), hint=hint) for arg in args))

    return handler


def _add_at(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.add.at(x, index, v)``: an index is a tuple or places, as in ``x[index]``."""
    if len(args) < 2:
        return None
    index = array_subscripts.with_arrays(interp, array_subscripts.by_axes(interp, args[1]))
    return None if index == args[1] else interp.call(Lit(np.add.at), (args[0], index, *args[2:]), kwargs, hint)


def _broadcast_arrays(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Arrays of one shape are what `np.broadcast_arrays` gives back; of others it makes views, to which NumPy still writes."""
    if kwargs or not args or any(is_unknown(arg) for arg in args):
        return None
    arrays = tuple(interp.call(Lit(np.asarray), (arg,)) for arg in args)
    shapes = {one.type.shape if isinstance(one, Var) and isinstance(one.type, Array) else None for one in arrays}
    if len(arrays) == 1 or (len(shapes) == 1 and None not in shapes):
        return Tuple(arrays)
    found = interp.call(Static(rearrangements.spread_together), arrays, hint=hint)
    interp.to_check.only_read += [one for one in interp.items(found) if isinstance(one, Var)]
    return found


def _resize(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Lengths that were asked before would go on to be those of the array."""
    raise interp.error("`resize` gives an array another shape in place", "make another array, e.g. with `np.resize(x, shape)`")


def _empty(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.ndarray(shape, dtype)``; ``None`` where it is given memory."""
    made_new = len(args) < 3 and kwargs.keys() <= {"shape", "dtype", "order"}
    return interp.call(Lit(np.empty), args, kwargs, hint) if made_new else None


def _from_iterator(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.fromiter(iterable, dtype, count)``: the array of a list of the items, or of the first `count` of them."""
    given = {**dict(zip(("iter", "dtype", "count"), args, strict=False)), **kwargs}
    if not given.keys() <= {"iter", "dtype", "count"} or not {"iter", "dtype"} <= given.keys():
        return None
    items, count = given["iter"], given.get("count", Lit(-1))
    if count != Lit(-1):
        items = interp.call(Lit(itertools.islice), (items, count))
    listed = interp.call(Lit(list), (items,))
    if count != Lit(-1):
        enough = interp.operand(interp.call(Lit(operator.eq), (iteration.length(interp, listed), count)))
        interp.require(enough, ValueError, "iterator too short")
    made = interp.call(Lit(np.array), (listed,), {"dtype": given["dtype"]}, hint=hint)
    if not isinstance(made, Var) or rank(made.type) != 1:
        raise interp.error("`np.fromiter` of other items than numbers", "make an array of a list: `np.array([…])`")
    return made


TABLE: dict[Any, Handler] = {
    np.fromiter: _from_iterator,
    np.ndarray: _empty,
    np.ndarray.resize: _resize,
    **{fn: _repeat(fn) for fn in (np.repeat, np.ndarray.repeat)},
    **{fn: _at_least(fn) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    np.add.at: _add_at,
    np.broadcast_arrays: _broadcast_arrays,
    **{fn: _take(fn) for fn in (np.take, np.ndarray.take)},
    np.nan_to_num: _nan_to_num,
    np.einsum: _einsum,
    intrinsics.only_read: _only_read,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.asarray: _as_array(np.asarray),
    np.asanyarray: _as_array(np.asanyarray),
    np.array: _as_array(np.array),
    **{fn: structured_arrays_made.filled_with(int(fn is np.ones)) for fn in (np.zeros, np.empty, np.ones)},
    np.copyto: _copy_into,
    np.ndarray.fill: _fill,
    np.ndarray.sort: _sort_in_place,
    np.where: _where,
    np.ndarray.tolist: _tolist,
}
