"""Structured arrays of one axis that a function makes: a set of arrays, one for each field, that share nothing.

A field is a view with steps, as it is of NumPy's: what copies it there copies it here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import StandIn, unsupported

WAY_OUT = "keep an array for each field"


class StructuredRow(StandIn):
    """The element of a structured array at a place, which shows what is stored there."""

    def __init__(self, names: Any, fields: Any, place: Any) -> None:
        self.names, self.fields, self.place = names, fields, place

    def __getitem__(self, key: Any) -> Any:
        """A field of the element, by its name or its number."""
        return self.fields[_name(self.names, key)][self.place]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.fields[_name(self.names, key)][self.place] = value

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Any:
        """The fields in their order."""
        for name in self.names:
            yield self.fields[name][self.place]

    def copy(self) -> Any:
        """Another element with the same fields, in no array."""
        parts = {name: self.fields[name] for name in self.names}
        return StructuredRow(
            self.names, {name: np.array([parts[name][self.place]], dtype=parts[name].dtype) for name in parts}, 0
        )

    def __copy__(self) -> Any:
        """Another element with the same fields, in no array."""
        return self.copy()

    def __getattr__(self, name: str) -> Any:
        """What else an element has is not followed."""
        unsupported(f"`{name}` of an element of a structured array: {WAY_OUT}")

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal, which is not followed."""
        unsupported(f"a comparison of elements of structured arrays: {WAY_OUT}")

    def __bool__(self) -> bool:
        unsupported(f"the truth of an element of a structured array: {WAY_OUT}")


class StructuredArray(StandIn):
    """A structured array: its `fields` by their names, and the dtype that says their order."""

    def __init__(self, names: Any, fields: Any, dtype: Any) -> None:
        self.names, self.fields, self.dtype = names, fields, dtype

    def __getitem__(self, key: Any) -> Any:
        """The array of a field; the element at a place; or the structured array of a slice, of a mask, or of some places."""
        if isinstance(key, str):
            return self.fields[_name(self.names, key)]
        if _is_place(key):
            return StructuredRow(self.names, self.fields, key)
        key = _places(key)
        return StructuredArray(self.names, {name: self.fields[name][key] for name in self.names}, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self.fields[_name(self.names, key)][...] = value
            return
        if not _is_place(key):
            key = _places(key)
        if isinstance(value, tuple):
            if len(value) != len(self.names):
                raise ValueError(f"could not assign tuple of length {len(value)} to structure with {len(self.names)} fields.")
            for name, part in zip(self.names, value, strict=True):
                self.fields[name][key] = part
        elif isinstance(value, (StructuredRow, StructuredArray)) and len(value.names) == len(self.names):
            for name, other in zip(self.names, value.names, strict=True):
                self.fields[name][key] = value[other]
        else:
            unsupported(f"what is stored in elements of a structured array is neither a tuple nor elements of one: {WAY_OUT}")

    def __len__(self) -> Any:
        return len(self.fields[self.names[0]])

    def __iter__(self) -> Any:
        """The elements, one after the other."""
        for place in range(len(self)):
            yield StructuredRow(self.names, self.fields, place)

    @property
    def shape(self) -> Any:
        """How many elements there are, as a tuple."""
        return (self.fields[self.names[0]].shape[0],)

    @property
    def size(self) -> Any:
        """How many elements there are."""
        return self.shape[0]

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    def copy(self) -> Any:
        """Another one with the same elements."""
        copied = {name: _spread(self.fields[name], len(self.names)) for name in self.names}
        return StructuredArray(self.names, copied, self.dtype)

    def __copy__(self) -> Any:
        """Another one with the same elements."""
        return self.copy()

    def __getattr__(self, name: str) -> Any:
        """What else an array has is not followed."""
        unsupported(f"`{name}` of a structured array: {WAY_OUT}")

    def __eq__(self, other: object) -> bool:
        """Which elements are equal, which is not followed."""
        unsupported(f"a comparison of structured arrays: {WAY_OUT}")

    def __bool__(self) -> bool:
        unsupported(f"the truth of a structured array: {WAY_OUT}")


def _name(names: Any, key: Any) -> Any:
    """The name of a field, which is given by its name or its number."""
    if isinstance(key, int):
        return names[key]
    if not isinstance(key, str):
        unsupported(f"several fields of a structured array at once: {WAY_OUT}")
    if key not in names:
        raise ValueError(f"no field of name {key}")
    return key


def _is_place(key: Any) -> Any:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _places(key: Any) -> Any:
    """An index for several elements."""
    if isinstance(key, list) and len(key) > 0 and not isinstance(key[0], str):
        key = np.asarray(key)
    if not (isinstance(key, slice) or (isinstance(key, np.ndarray) and np.ndim(key) == 1)):
        unsupported(f"this index of a structured array, which is no name, place, slice, mask or array of places: {WAY_OUT}")
    return key


def _spread(values: Any, count: Any) -> Any:
    """An array of these values as a field of a structured array of `count` fields lies in memory."""
    if count == 1:
        return np.copy(values)
    field = np.zeros((values.shape[0], 2, *values.shape[1:]), dtype=values.dtype)[:, 0]
    field[...] = values
    return field


def structured(length: Any, value: Any, names: Any, kinds: Any, shapes: Any, dtype: Any) -> StructuredArray:
    """A structured array of `length` elements of which each field is `value`."""
    length = length[0] if isinstance(length, tuple) else length
    made = {}
    for name, kind, shape in zip(names, kinds, shapes, strict=True):
        made[name] = _spread(np.full((length, *shape), value, dtype=kind), len(names))
    return StructuredArray(names, made, dtype)


def structured_rows(rows: Any, names: Any, kinds: Any, shapes: Any, dtype: Any) -> StructuredArray:
    """A structured array of elements that are given as tuples."""
    made = {}
    for place, name, kind, shape in zip(range(len(names)), names, kinds, shapes, strict=True):
        column = np.zeros((len(rows), *shape), dtype=kind)
        for k in range(len(rows)):
            column[k] = rows[k][place]
        made[name] = _spread(column, len(names))
    return StructuredArray(names, made, dtype)
