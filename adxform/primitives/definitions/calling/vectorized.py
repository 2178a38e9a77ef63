"""`np.vectorize`, `np.frompyfunc` and `numba.vectorize`: a function of numbers, called for each place of arrays spread alike.

The first calls it once more beforehand, with the first number of each array, where nothing says of which types its results are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.definitions.definition import Definition, StandIn, Value, unsupported


class Vectorized(StandIn):
    """What `np.vectorize` gives where the function that is differentiated calls it."""

    def __init__(self, pyfunc: Any, otypes: Any, excluded: Any, cache: Any, signature: Any) -> None:
        self.pyfunc, self.otypes, self.excluded, self.cache, self.signature = pyfunc, otypes, excluded, cache, signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function at each place; or, where there is none yet, what calls the one that is given here."""
        if self.pyfunc is np._NoValue:
            return Vectorized(args[0], self.otypes, self.excluded, self.cache, self.signature)
        return _call(self, *args, **kwargs)


class FromFunction(StandIn):
    """What `np.frompyfunc` gives where the function that is differentiated calls it."""

    def __init__(self, func: Any, nin: int, nout: int) -> None:
        self.func, self.nin, self.nout = func, nin, nout

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function at each place, as arrays of objects."""
        if kwargs:
            unsupported("options of what `np.frompyfunc` gives: use `np.vectorize`")
        if len(args) != self.nin:
            raise TypeError(f"the function takes {self.nin} positional arguments but {len(args)} were given")
        found, shape = _at_each_place(lambda *numbers: self.func(*numbers), [_object(one) for one in args], False)
        if self.nout == 1:
            return _objects(found, shape)
        return tuple([_objects([one[k] for one in found], shape) for k in range(self.nout)])


class Objects(StandIn):
    """An array of objects, which becomes one of numbers by `astype`."""

    def __init__(self, found: Any, shape: Any) -> None:
        self._found, self.shape = found, shape

    def astype(self, dtype: Any) -> Any:
        """The numbers that these objects are, in an array."""
        kind = np.dtype(dtype)
        return _array([_number(one, kind) for one in self._found], kind, self.shape)

    def __getattr__(self, name: str) -> Any:
        unsupported(f"`{name}` of an array of objects: make it one of numbers first, `.astype(float)`")


def _objects(found: Any, shape: Any) -> Any:
    return Objects(found, shape) if len(shape) > 0 else found[0]


def _frompyfunc(func: Any, nin: Any, nout: Any, *, identity: Any = None) -> Any:
    if nin < 1 or nout < 1:
        unsupported("`np.frompyfunc` of a function without arguments or results")
    return FromFunction(func, nin, nout)


def at_each_place(pyfunc: Any, *args: Any) -> Any:
    """What the function gives that `numba.vectorize` makes of `pyfunc`: NumPy's numbers, or an array of them."""
    given = [_operand(one) for one in args]
    for one in given:
        if isinstance(one, np.ndarray) and one.dtype not in _COMPILED_FOR:
            unsupported(f"functions of `numba.vectorize` given arrays of {one.dtype}: give them 64-bit numbers")
    found, shape = _at_each_place(pyfunc, given)
    numbers = [intrinsics.widest(one) for one in found]
    return np.reshape(np.array(numbers), shape) if len(shape) > 0 else numbers[0]


def _vectorize(
    pyfunc: Any = np._NoValue,
    otypes: Any = None,
    doc: Any = None,
    excluded: Any = None,
    cache: Any = False,
    signature: Any = None,
) -> Any:
    if pyfunc is not np._NoValue and not callable(pyfunc):
        raise TypeError("When used as a decorator, only accepts keyword arguments.")
    kinds = None if otypes is None else [np.dtype(one) for one in otypes]
    return Vectorized(pyfunc, kinds, () if excluded is None else excluded, cache, signature)


def _call(made: Any, *args: Any, **kwargs: Any) -> Any:
    if made.signature is not None:
        unsupported("`signature=` of `np.vectorize`, of a function of rows, has no derivative: call it on each row in a loop")
    if made.cache:
        raise runtime.without_derivative("`cache=True` of `np.vectorize` has no derivative: leave it out, or state `otypes=`")
    places = [place for place in range(len(args)) if place not in made.excluded]
    names = [name for name in kwargs if name not in made.excluded]
    given = [_operand(one) for one in [*[args[place] for place in places], *[kwargs[name] for name in names]]]
    if not given:
        return made.pyfunc(*args, **kwargs)

    def at(*numbers: Any) -> Any:
        positional, named = list(args), dict(kwargs)
        for place, number in zip(places, numbers, strict=False):
            positional[place] = number
        for name, number in zip(names, numbers[len(places) :], strict=True):
            named[name] = number
        return made.pyfunc(*positional, **named)

    if made.otypes is None:
        for one in given:
            if np.size(one) == 0:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = at(*[np.ravel(one)[0] for one in given])
        several = isinstance(first, tuple)
        kinds = [intrinsics.dtype_of(one) for one in (first if several else (first,))]
    else:
        kinds = [np.dtype(one) for one in made.otypes]
        several = len(kinds) > 1
    found, shape = _at_each_place(lambda *numbers: _checked(at(*numbers), kinds, several), given)
    if several:
        return tuple([_array([one[k] for one in found], kinds[k], shape) for k in range(len(kinds))])
    return _array(found, kinds[0], shape)


def _checked(found: Any, kinds: Any, several: Any) -> Any:
    """The results at a place, which have to be as many numbers as there are types."""
    if not several:
        return _number(found, kinds[0])
    if not isinstance(found, tuple) or len(found) != len(kinds):
        unsupported("a function of `np.vectorize` whose results are not a tuple of as many numbers as there are types")
    return tuple([_number(found[k], kinds[k]) for k in range(len(kinds))])


def _operand(given: Any) -> Any:
    """What is given for an argument, as an array if it is a sequence."""
    return np.asarray(given) if isinstance(given, (list, tuple, range)) else given


def _object(given: Any) -> Any:
    """What is given for an argument, as an array if it is a sequence, and as one of Python's numbers if it is one of NumPy's."""
    return _operand(given) if isinstance(given, (list, tuple, range, np.ndarray)) else runtime.python_number(given)


def _at_each_place(at: Any, given: Any, copied: Any = True) -> Any:
    """What a function gives for the numbers at each place, and the shape that these places have."""
    arrays = [one for one in given if isinstance(one, np.ndarray)]
    if not arrays:
        return [at(*given)], ()
    for one in arrays:
        if not runtime.by_rows(one, True) or not (copied or runtime.by_rows(one, False)):  # a function with state can tell
            raise runtime.without_derivative(
                "`np.vectorize` and `np.frompyfunc`, where rows do not lie one after the other: give them a copy, `x.copy()`"
            )
    spread = arrays if len(arrays) == 1 else np.broadcast_arrays(*[np.copy(one) for one in arrays])
    found = [at(*_numbers(given, numbers)) for numbers in zip(*[np.ravel(one).tolist() for one in spread], strict=True)]
    return found, np.shape(spread[0])


def _numbers(given: Any, numbers: Any) -> Any:
    """The operands at a place: numbers as they were given, and of arrays Python's own, those of `numbers`."""
    found, k = [], 0
    for one in given:
        if isinstance(one, np.ndarray):
            found.append(numbers[k])
            k += 1
        else:
            found.append(one)
    return found


def _number(found: Any, kind: Any) -> Any:
    """A result of the function, which has to be a number; a float where it becomes one in any case, as ``None`` does."""
    if found is None:
        return np.nan if kind in (np.float64, np.float32, np.float16) else found
    if isinstance(found, (tuple, list)) or np.ndim(found) > 0:
        raise ValueError("setting an array element with a sequence.")
    return float(found) if kind in (np.float64, np.float32, np.float16) else found


def _array(found: Any, kind: Any, shape: Any) -> Any:
    return np.reshape(np.array(found, dtype=kind), shape)


_COMPILED_FOR = (np.float64, np.int64, np.bool_, np.complex128)
"""Types whose numbers Python's own are as precise as."""

DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.vectorize, _vectorize, Value.FOLLOWED, sequences=True),
    Definition(np.frompyfunc, _frompyfunc, Value.FOLLOWED),
    Definition(np.vectorize.__call__, _call, sequences=True, makes=True),
)
