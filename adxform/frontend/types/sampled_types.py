"""The type of a primitive's result: found by running the primitive on small samples of its operands' types.

Each unknown length is sampled twice, with two different values; a length of the result that moves with it is that length
(plus an offset), one that does not move is a constant, and any other is a fresh unknown; so is a length of zero, at which others
are cut off. Integers and truth values of which nothing is known are two different ones too, so that a length that depends on them
is no constant.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform.frontend.types.samples import (
    FRESH,
    NoSample,
    SampleLengths,
    Sized,
    Spec,
    dims_of,
    is_shapeless,
    literal_sizes,
    literals,
    run,
    sample,
    spec_of,
)
from adxform.ir.kinds import dtype_name, scalar_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Several, Size, Type
from adxform.runtime.memos import Memo

DATA_DEPENDENT = frozenset(
    {"unique", "nonzero", "flatnonzero", "argwhere", "compress", "extract", "trim_zeros", "intersect1d", "union1d", "setdiff1d",
     "repeat", "delete", "bincount", "polyadd", "polysub"}
)  # fmt: skip
INTEGERS = ((1, 2), (0, 1), (1, 1), (0, 0))
_LARGEST_OFFSET = 4
_LARGEST = (5000, 300, 30)
"""The largest length of a sample of one axis, of two, and of more."""
_MANY = 4
"""How many unknown lengths samples may have before they are kept short: an outer product has them all."""


Types = Type | Several
"""The type of a result, or the types of the items of a tuple."""


def types_of(value: Any) -> Types:
    """The type of a result, with its lengths as they are; of a tuple of numbers and arrays, the type of each."""
    if isinstance(value, tuple) and value and (type(value) is tuple or hasattr(value, "_fields")):
        types_ = tuple(map(type_of, value))
        return Object() if Object() in types_ else Several(types_, type(value))
    return type_of(value)


def type_of(value: Any) -> Type:
    """The type of a result that is no tuple, with its lengths as they are."""
    if isinstance(value, np.ndarray):
        return Array(dtype_name(value.dtype), value.shape) if value.dtype.kind in "biufc" else Object()
    return scalar_type(value) or Object()


_types: Memo[tuple[Any, ...], Types | NoSample] = Memo(4096, kept=1024)


def sampled_type(
    fn: Callable[..., Any], args: tuple[Operand, ...], kwargs: Mapping[str, Operand], sizes: Mapping[Var, Dim]
) -> Type:
    """The type of ``fn(*args, **kwargs)``; a length that cannot be named is `FRESH`.

    Raises: `NoSample` when no sample can be run.
    """
    found = sampled_types(fn, args, kwargs, sizes)
    return Object() if isinstance(found, Several) else found


def sampled_types(
    fn: Callable[..., Any], args: tuple[Operand, ...], kwargs: Mapping[str, Operand], sizes: Mapping[Var, Dim]
) -> Types:
    """As `sampled_type`, with the type of each item of a tuple of numbers and arrays."""
    specs = tuple(spec_of(arg, sizes) for arg in args)
    named = tuple((key, spec_of(value, sizes)) for key, value in kwargs.items())
    key = (fn, specs, named)
    found = _types.get(key, lambda: _sampled_type(fn, specs, dict(named)))
    if isinstance(found, NoSample):
        raise found
    return found


@dataclass(frozen=True, slots=True)
class _Sampling:
    """A call that is run on samples, and its unknown lengths by number, in order."""

    fn: Callable[..., Any]
    specs: tuple[Spec, ...]
    named: dict[str, Spec]
    bases: dict[str, int]

    @property
    def operands(self) -> tuple[Spec, ...]:
        return (*self.specs, *self.named.values())

    def result(self, lengths: SampleLengths) -> Any:
        """What the call gives for samples of `lengths`; raises what it raises."""
        return run(self.fn, [sample(s, lengths) for s in self.specs], {key: sample(s, lengths) for key, s in self.named.items()})

    @property
    def depends_on_data(self) -> bool:
        """Whether lengths of the result may follow from what is in its operands."""
        by_number = self.fn is np.arange and not _by_one(self.specs, self.named)
        return by_number or getattr(self.fn, "__name__", "") in DATA_DEPENDENT

    @property
    def is_known(self) -> bool:
        """Whether lengths cannot depend on what is not known of the operands."""
        return all(map(_is_known, self.operands))


_Pair = tuple[SampleLengths, ...]
"""SampleLengths of the samples of two runs."""


def _sampled_type(fn: Callable[..., Any], specs: tuple[Spec, ...], named: dict[str, Spec]) -> Types | NoSample:
    dims = [dim for spec in (*specs, *named.values()) for dim in dims_of(spec)]
    bases = {base: number for number, base in enumerate(dict.fromkeys(dim.base for dim in dims))}
    call = _Sampling(fn, specs, named, bases)
    telling = _telling_lengths(bases, dims)
    larger = _larger(call.operands, telling[0])
    tries = (*telling[: 3 if len(bases) > 1 else 1], *_other_lengths(call, dims), larger)
    shapes = (((1,), (2, 3)), ((1,), (1,))) if any(map(is_shapeless, call.operands)) else (((1,), (1,)),)
    failure = NoSample("it cannot be run on samples")
    for lengths, shape, integers in itertools.product(tries, shapes, INTEGERS):
        pair = tuple(replace(lengths[run], integer=integers[run], shape=shape[run]) for run in (0, 1))
        try:
            results = [call.result(one) for one in pair]
        except NoSample as error:
            return error
        except RecursionError:  # the stack is ours: there may be room on another
            raise
        except Exception as error:  # whatever the primitive raises, this sample was none
            failure = NoSample(str(error))
            continue
        if any(dim.may_be_one for spec in specs for dim in dims_of(spec)) and getattr(fn, "__name__", "") == "squeeze":
            results[1] = call.result(SampleLengths(dict.fromkeys(bases, 1), 0))
        told = (lengths in telling or not bases) and integers[0] != integers[1]
        found = _type_of_both(call, results, pair, larger, told and not call.depends_on_data)
        return found if lengths in telling else _with_other_axes(found, call, pair)
    return failure


def _with_other_axes(found: Types, call: _Sampling, pair: _Pair) -> Types:
    """`found`, of an unknown number of axes where the length of a vector of integers says how many, the same in both runs."""
    for spec in call.operands:
        match spec:
            case Array(dtype, (Dim(base),)) if not dtype.startswith(("float", "long", "complex", "clong", "bool")):
                found = _agreed(
                    found, call, tuple(replace(one, values={**one.values, base: one.values[base] + 1}) for one in pair)
                )
    return found


def _telling_lengths(bases: Mapping[str, int], dims: Sequence[Dim]) -> tuple[_Pair, _Pair, _Pair]:
    """SampleLengths that are others in each run: all distinct; all the same; and such that operands are equally long."""
    least, step, more = (11, 5, 2) if len(bases) <= _MANY else (6, 1, 1)  # the result may have all of these axes
    first = {dim.base: dim.offset for dim in reversed(dims)}
    return (
        tuple(SampleLengths({base: least + step * k + run * (more * k + 3) for base, k in bases.items()}, run) for run in (0, 1)),
        tuple(SampleLengths(dict.fromkeys(bases, 11 + 3 * run), run) for run in (0, 1)),
        tuple(SampleLengths({base: 11 + 3 * run - first[base] for base in bases}, run) for run in (0, 1)),
    )


def _other_lengths(call: _Sampling, dims: Sequence[Dim]) -> list[_Pair]:
    """SampleLengths that are the same in both runs: one, and those with which operands are as long as lengths that are known."""
    sizes = dict.fromkeys([*(size for spec in call.operands for size in literal_sizes(spec)), 2, 3])
    offsets = dict.fromkeys([0, *(dim.offset for dim in dims)])
    lengths = [1, *(dict.fromkeys(size - offset for offset in offsets for size in sizes) if call.bases else ())]
    return [tuple(SampleLengths(dict.fromkeys(call.bases, length), run) for run in (0, 1)) for length in lengths]


def _type_of_both(call: _Sampling, results: Sequence[Any], pair: _Pair, larger: _Pair, told: bool) -> Types:
    """The type that both `results` have; its lengths, if the runs have `told` them, as samples of other sizes have them too."""
    first, second = map(types_of, results)
    if call.fn is np.where and isinstance(first, Several):  # the places where a condition holds
        told = False
    found = _combine(first, second, pair, not told)
    if told and call.bases:
        for other in (_descending(call.bases, pair), larger):
            found = _agreed(found, call, tuple(replace(one, shape=pair[one.run].shape) for one in other))
    return found if call.is_known else _without_zeros(found)


def each(types_: Types, change: Callable[[Type], Type]) -> Types:
    """`types_` with each changed."""
    return replace(types_, types=tuple(map(change, types_.types))) if isinstance(types_, Several) else change(types_)


def _pairwise(first: Types, second: Types, combine: Callable[[Type, Type], Type]) -> Types:
    """Each of `first` combined with the one of `second`; `Object` where there are not as many."""
    match first, second:
        case Several(types_, cls), Several(others, other) if len(types_) == len(others) and cls is other:
            return Several(tuple(map(combine, types_, others)), cls)
        case Several(), _:
            return Object()
        case _, Several():
            return Object()
        case _:
            return combine(first, second)


def _descending(bases: Mapping[str, int], pair: _Pair) -> _Pair:
    """SampleLengths as unlike those of `pair` as can be: the first the largest, the last smaller than any literal one."""
    places = {base: len(bases) - 1 - k for base, k in bases.items()}
    step, more = (5, 2) if len(bases) <= _MANY else (2, 1)
    return tuple(
        replace(one, values={base: 2 + step * k + one.run * (more * k + 3) for base, k in places.items()}) for one in pair
    )


def _larger(specs: Sequence[Spec], pair: _Pair) -> _Pair:
    """SampleLengths like those of `pair`, but beyond every literal one and every literal integer, if samples may be so large."""
    axes = max((sum(1 for _ in dims_of(spec)) for spec in specs), default=0)
    ranks = (len(spec.shape or ()) for spec in specs if isinstance(spec, Array))
    most = _LARGEST[min(max(axes, 1, *ranks), len(_LARGEST)) - 1]
    more = min(max((number for spec in specs for number in literals(spec)), default=0), most)
    return tuple(replace(one, values={base: value + more for base, value in one.values.items()}) for one in pair)


def _by_one(specs: tuple[Spec, ...], named: Mapping[str, Spec]) -> bool:
    """Whether ``np.arange`` goes from one number to another by one, and both are lengths or known; or all is known."""
    given = {**dict(zip(("start", "stop", "step"), specs, strict=False)), **named}
    numbers = [given[name] for name in ("start", "stop", "step") if name in given]
    step = given.get("step", Lit(1))
    return all(isinstance(one, Lit) for one in numbers) or (
        all(isinstance(one, Lit | Sized) for one in numbers) and isinstance(step, Lit) and step.value in (1, -1)
    )


def _is_known(spec: Spec) -> bool:
    """Whether lengths cannot depend on what is not known of `spec`."""
    match spec:
        case Array(_, shape):
            return shape is not None and all(isinstance(size, int) for size in shape)
        case (str(), items):
            return all(map(_is_known, items))
        case _:
            return isinstance(spec, Lit)


def _without_zeros(found: Types) -> Types:
    """`found`, with a fresh length for each of zero: that of a sample may have been cut off there."""

    def without(one: Type) -> Type:
        if not isinstance(one, Array) or one.shape is None:
            return one
        return Array(one.dtype, tuple(FRESH if size == 0 else size for size in one.shape))

    return each(found, without)


def _agreed(found: Types, call: _Sampling, pair: _Pair) -> Types:
    """`found`, with a fresh length wherever other samples say otherwise: it was the smaller or the larger of two."""
    if not isinstance(found, Several) and (not isinstance(found, Array) or found.shape is None):
        return found
    try:
        results = [call.result(one) for one in pair]
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception:  # too small for the primitive
        return found
    return _pairwise(found, _combine(types_of(results[0]), types_of(results[1]), pair, False), _same_lengths)


def _same_lengths(found: Type, other: Type) -> Type:
    """`found`, with a fresh length where `other` has another one."""
    if not isinstance(found, Array) or found.shape is None:
        return found
    if not isinstance(other, Array) or other.shape is None or len(other.shape) != len(found.shape):
        return Array(found.dtype, None)
    return Array(found.dtype, tuple(a if a == b else FRESH for a, b in zip(found.shape, other.shape, strict=True)))


def _combine(first: Types, second: Types, lengths: _Pair, unknown: bool) -> Types:
    return _pairwise(first, second, lambda one, other: _combined(one, other, lengths, unknown))


def _combined(first: Type, second: Type, lengths: _Pair, unknown: bool) -> Type:
    match first, second:
        case (Scalar(dtype), Array()) | (Array(dtype), Scalar()):
            return Array(dtype, None)
        case Array(dtype, a), Array(_, b) if a is not None and b is not None:
            if len(a) != len(b):
                return Array(dtype, None)
            if unknown:
                return Array(dtype, tuple(FRESH for _ in a))
            return Array(dtype, tuple(_size(n, m, lengths) for n, m in zip(a, b, strict=True)))  # type: ignore[arg-type]
        case _:
            return first


def _size(first: int, second: int, lengths: _Pair) -> Size:
    matches = [
        Dim(base, first - value)
        for base, value in lengths[0].values.items()
        if first - value == second - lengths[1].values[base] and abs(first - value) <= _LARGEST_OFFSET
    ]
    if len(matches) == 1:
        return matches[0]
    return first if first == second else FRESH


def with_fresh(type_: Type, fresh: Callable[[], Dim], unknown: Dim = FRESH) -> Type:
    """`type_` with each `unknown` length made one of its own."""
    match type_:
        case Array(dtype, shape) if shape is not None and unknown in shape:
            return Array(dtype, tuple(fresh() if size == unknown else size for size in shape))
        case _:
            return type_
