"""`np.nditer`: a walk over the places of arrays that are broadcast against one another, last axis fastest.

NumPy goes through arrays as they lie in memory, if nothing else is said; where that is another order, the run says no.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.definitions.definition import Definition, StandIn, Value, unsupported

_FLAGS = ("multi_index", "c_index", "f_index", "refs_ok", "zerosize_ok")
_OPERAND_FLAGS = ("readonly", "readwrite", "writeonly")


class ElementWalk(StandIn):
    """What `np.nditer` gives: it stands at one place, and shows the elements there as arrays without axes."""

    def __init__(self, operands: Any, written: Any, shape: Any, flags: Any) -> None:
        self._operands, self._written, self._flags = operands, written, flags
        self._shape, self._count = shape, _product(shape)
        self._at, self._begun, self._closed = 0, False, False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing can be asked afterwards."""
        self._closed = True

    def reset(self) -> None:
        """Stand at the first place again."""
        self._at, self._begun = 0, False

    def iternext(self) -> Any:
        """Go to the next place; whether there is one."""
        if self._at < self._count:
            self._at += 1
        return self._at < self._count

    def __iter__(self) -> Iterator[Any]:
        first = self._at + 1 if self._begun else self._at
        self._begun = True
        for k in range(first, self._count):
            self._at = k
            yield self.value
        self._at = self._count

    def __next__(self) -> Any:
        if self._begun and self._at < self._count:
            self._at += 1
        if self._at >= self._count:
            raise StopIteration
        self._begun = True
        return self.value

    def __getitem__(self, place: Any) -> Any:
        return self._element(self._operand(place))

    def __setitem__(self, place: Any, value: Any) -> None:
        k = self._operand(place)
        if not self._written[k]:
            raise ValueError(f"Iterator operand {k} is not writeable")
        self._element(k)[...] = value

    def __len__(self) -> int:
        return len(self._operands)

    @property
    def value(self) -> Any:
        """The element of the array here."""
        return self._element(0)

    @property
    def multi_index(self) -> Any:
        """The place, a number for each axis."""
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    @property
    def index(self) -> Any:
        """The number of the place."""
        if "c_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        self._see_that_it_is_there()
        return self._at

    @property
    def finished(self) -> Any:
        """Whether all places are behind."""
        return not self._closed and self._at >= self._count

    @property
    def itersize(self) -> int:
        """How many places there are."""
        self._see_that_it_is_open()
        return self._count  # type: ignore[no-any-return]

    @property
    def shape(self) -> Any:
        """The lengths of the axes of all arrays together."""
        self._see_that_axes_are_kept()
        self._see_that_it_is_there()
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        self._see_that_it_is_open()
        self._see_that_axes_are_kept()
        return len(self._shape)

    @property
    def nop(self) -> int:
        """How many arrays there are."""
        self._see_that_it_is_open()
        return len(self._operands)

    @property
    def operands(self) -> Any:
        """The arrays."""
        self._see_that_it_is_open()
        return tuple([self._operands[k] for k in range(len(self._operands))])

    def __getattr__(self, name: str) -> Any:
        unsupported(f"`{name}` of `np.nditer`: write loops over `range` or `np.ndindex`")

    def _operand(self, place: Any) -> Any:
        if isinstance(place, slice) or place is Ellipsis:
            unsupported("several operands of `np.nditer` at once: take each by its number")
        if not -len(self._operands) <= place < len(self._operands):
            raise IndexError(f"Iterator operand index {place} is out of bounds")
        return place % len(self._operands)

    def _element(self, k: int) -> Any:
        operand, place = self._operands[k], self._place()
        apart = len(place) - np.ndim(operand)  # along an axis of one element, that is at every place
        at = [place[apart + axis] % operand.shape[axis] for axis in range(np.ndim(operand))]
        found = operand[(*(at if len(self._operands) > 1 else place), ...)]
        return found if self._written[k] else intrinsics.only_read(found)

    def _place(self) -> Any:
        self._see_that_it_is_there()
        place: tuple[Any, ...] = ()
        left = self._at
        for axis in range(len(self._shape) - 1, 0, -1):
            place = (left % self._shape[axis], *place)
            left = left // self._shape[axis]
        return (left, *place) if self._shape else ()

    def _see_that_axes_are_kept(self) -> None:
        if "multi_index" not in self._flags:
            unsupported("axes of `np.nditer`, which joins them where it does not keep a `multi_index`")

    def _see_that_it_is_open(self) -> None:
        if self._closed:
            raise ValueError("Iterator is invalid")

    def _see_that_it_is_there(self) -> None:
        self._see_that_it_is_open()
        if self._at >= self._count:
            raise ValueError("Iterator is past the end")


class ElementWalkOfSeveral(ElementWalk):
    """What `np.nditer` gives for a sequence of arrays."""

    @property
    def value(self) -> Any:
        """The elements of the arrays here."""
        return tuple([self._element(k) for k in range(len(self._operands))])


def _walked(given: Any, written: Any) -> Any:
    """The arrays that are walked over, of which some are `written` to."""
    for one, writes in zip(given, written, strict=True):
        if one is None:
            unsupported("`np.nditer` that makes an array of its own: make it, `np.empty_like(x)`")
        if writes and not isinstance(one, np.ndarray):
            unsupported("`np.nditer` that writes to what is no array: make it an array")
    return [np.asarray(one) for one in given]


def _common_shape(arrays: Any, written: Any, order: Any) -> Any:
    """The shape that all arrays are spread to, of which rows are walked over in turn."""
    spread = arrays if len(arrays) == 1 else np.broadcast_arrays(*arrays)
    shape = spread[0].shape
    for one, writes in zip(arrays, written, strict=True):
        if writes and one.shape != shape:
            raise ValueError("non-broadcastable operand that is written to")
        if order in ("K", "A") and not runtime.by_rows(one, False):
            raise runtime.without_derivative(
                "`np.nditer` has no derivative where rows do not lie one after the other, but with `order='C'`"
            )
    return shape


def _nditer(
    op: Any,
    flags: Any = (),
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    op_axes: Any = None,
    itershape: Any = None,
    buffersize: Any = 0,
) -> Any:
    if op_dtypes is not None or op_axes is not None or itershape is not None or buffersize != 0:
        unsupported("`np.nditer` with dtypes, axes, a shape or a buffer of its own: write loops over `range` or `np.ndindex`")
    flags = () if flags is None else flags
    for flag in flags:
        if flag not in _FLAGS:
            unsupported(f"`np.nditer` with the flag {flag!r}: write loops over `range` or `np.ndindex`")
    several = isinstance(op, (list, tuple))
    given = op if several else (op,)
    if len(given) == 0:
        raise ValueError("Must provide at least one operand")
    written = _written(op_flags, len(given))
    arrays = _walked(given, written)
    shape = _common_shape(arrays, written, order)
    if order not in ("K", "A", "C"):
        unsupported("`np.nditer` in another order than that of rows: write loops over `range` or `np.ndindex`")
    if "f_index" in flags:
        unsupported("`np.nditer` that counts places by columns: use `multi_index`")
    if _product(shape) == 0 and "zerosize_ok" not in flags:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    return (ElementWalkOfSeveral if several else ElementWalk)(arrays, written, shape, flags)


def _written(op_flags: Any, count: int) -> Any:
    """Which operands are written to."""
    if op_flags is None or len(op_flags) == 0:
        return [False] * count
    each = [op_flags] * count if isinstance(op_flags[0], str) else op_flags
    if len(each) != count:
        raise ValueError("op_flags must be a tuple or array of per-op flag-tuples")
    for names in each:
        if len(names) != 1 or names[0] not in _OPERAND_FLAGS:
            unsupported("`np.nditer` with other flags of its operands than `readonly`, `readwrite` and `writeonly`, one for each")
    return [names[0] != "readonly" for names in each]


def _product(shape: Any) -> Any:
    count = 1
    for length in shape:
        count = count * length
    return count


DEFINITIONS: tuple[Definition, ...] = (Definition(np.nditer, _nditer, Value.FOLLOWED, sequences=True),)
