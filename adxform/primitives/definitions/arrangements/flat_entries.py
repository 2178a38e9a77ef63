"""``x.flat``: the entries of an array along its axes, the last fastest, however they lie in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import partial
from typing import Any

import numpy as np

from adxform.primitives.definitions.arrangements.in_place import in_turn
from adxform.primitives.definitions.definition import Definition, unsupported


class FlatEntries:
    """What ``x.flat`` means: entries by one number, read and written in the array, and a walk over them, of which there is one.

    For the program its class is `np.flatiter`. NumPy begins the walk anew where entries are asked for by a number; that is
    refused where the walk has begun.
    """

    def __init__(self, base: Any) -> None:
        self.base = base
        self._walk = _entries(base)
        self._begun = False

    def __len__(self) -> int:
        return self.base.size  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        self._begun = True
        return self._walk

    def __getitem__(self, key: Any) -> Any:
        if self._begun:
            unsupported("`x.flat` is indexed after a walk over it has begun, which begins anew then")
        key = _plain_key(key)
        if key is Ellipsis:
            return self.base.flatten()
        if _is_number(key):
            return _entry(self.base, key)
        along = self.base if np.ndim(self.base) == 1 else np.ravel(self.base)
        return along[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._begun:
            unsupported("`x.flat` is indexed after a walk over it has begun, which begins anew then")
        store(self.base, key, value)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def copy(self) -> Any:
        """The entries, as an array of one axis."""
        return self.base.flatten()

    def __eq__(self, other: Any) -> Any:
        return self.base.flatten() == _as_array(other)

    def __ne__(self, other: Any) -> Any:
        return self.base.flatten() != _as_array(other)

    def __lt__(self, other: Any) -> Any:
        return self.base.flatten() < _as_array(other)

    def __le__(self, other: Any) -> Any:
        return self.base.flatten() <= _as_array(other)

    def __gt__(self, other: Any) -> Any:
        return self.base.flatten() > _as_array(other)

    def __ge__(self, other: Any) -> Any:
        return self.base.flatten() >= _as_array(other)

    __hash__ = None  # type: ignore[assignment]


def store(base: Any, key: Any, value: Any) -> None:
    """``base.flat[key] = value``: what is stored begins anew where it is shorter than the places."""
    if isinstance(key, tuple) and len(key) == 0:
        raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
    key = _plain_key(key)
    if isinstance(value, np.flatiter):
        value = value.base.flatten()
    elif not isinstance(value, (np.ndarray, np.generic, list, tuple, range, int, float, complex)):
        unsupported("what is stored in `x.flat` is no number, array or list of numbers")
    if key is not Ellipsis and _is_number(key):
        if np.ndim(base) == 0:
            base = np.reshape(base, 1)
        base[_place(base, key)] = value
    else:
        _set_entries(base, slice(None) if key is Ellipsis else key, value)


def _set_entries(base: Any, key: Any, value: Any) -> None:
    base.flat[key] = value


def _store_several(base: Any, key: Any, value: Any) -> None:
    if np.ndim(base) == 0:
        base = np.reshape(base, 1)
    if isinstance(value, (list, tuple, range)):
        value = np.array(value)
    places: Any = np.arange(base.size)[key]
    at = places if np.ndim(base) == 1 else np.unravel_index(places, base.shape)
    if np.ndim(value) == 0:
        base[at] = value
    elif np.size(value) > 0:
        base[at] = np.reshape(in_turn(value, np.arange(np.size(places))), np.shape(places))


def _entries(base: Any) -> Iterator[Any]:
    return map(partial(_entry, base), range(base.size))


def _entry(base: Any, k: Any) -> Any:
    """Entry `k`, one of those before the end where it is below zero."""
    if np.ndim(base) == 0:
        base = np.reshape(base, 1)
    return base[_place(base, k)]


def _place(base: Any, k: Any) -> Any:
    """The place of entry `k` in an array of one axis or several: it is out of range where its first number is."""
    place: tuple[Any, ...] = ()
    if np.ndim(base) > 1 and np.size(base) == 0:
        raise IndexError(f"index {k} is out of bounds for size 0")
    for axis in range(np.ndim(base) - 1):
        length = base.shape[np.ndim(base) - 1 - axis]
        place = (k % length, *place)
        k = k // length
    return (k, *place)


def _plain_key(key: Any) -> Any:
    """`key` as NumPy takes it; what some versions take and others do not is refused."""
    if isinstance(key, tuple):
        if len(key) > 1:
            raise IndexError("too many indices for flat iterator: flat iterator is 1-dimensional")
        key = Ellipsis if len(key) == 0 else key[0]
    if key is None:
        raise IndexError("only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices")
    if key is Ellipsis or isinstance(key, slice):
        return key
    if isinstance(key, list):
        key = np.array(key, dtype=int) if len(key) == 0 else np.array(key)
        if key.dtype == bool:
            unsupported("`x.flat` by a list of truth values: make it an array")
    if isinstance(key, np.ndarray):
        if key.dtype == bool and np.ndim(key) != 1:
            raise IndexError("too many indices for flat iterator: flat iterator is 1-dimensional")
    elif isinstance(key, bool | np.bool_ | float | np.floating):
        unsupported("`x.flat` by a number that is not whole")
    return key


def _is_number(key: Any) -> bool:
    return not isinstance(key, slice) and np.ndim(key) == 0


def _as_array(other: Any) -> Any:
    return other.base.flatten() if isinstance(other, np.flatiter) else other


DEFINITIONS: tuple[Definition, ...] = (Definition(_set_entries, _store_several, interleaved=True),)

_SERIES = (
    *(np.polynomial.polynomial.polyder, np.polynomial.polynomial.polyint),
    *(np.polynomial.chebyshev.chebder, np.polynomial.chebyshev.chebint),
    *(np.polynomial.legendre.legder, np.polynomial.legendre.legint),
    *(np.polynomial.hermite.hermder, np.polynomial.hermite.hermint),
    *(np.polynomial.hermite_e.hermeder, np.polynomial.hermite_e.hermeint),
    *(np.polynomial.laguerre.lagder, np.polynomial.laguerre.lagint),
)
"""Functions that give the coefficients that they are given where they take no derivative, and no integral, of the series."""

KEEPING: Set[Callable[..., Any]] = frozenset(
    (np.copy, np.nan_to_num, np.tile, np.ix_, np.histogram, np.histogram_bin_edges, *_SERIES)
)
"""Functions that give an array of their own for any argument but an ``x.flat``: NumPy makes no copy of the memory of that."""
