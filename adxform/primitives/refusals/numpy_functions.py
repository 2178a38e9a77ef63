"""Functions of NumPy's through which no derivative is followed: why, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.primitives.refusals.no_rule import NoRule


def _gives(what: str, *fns: Callable[..., Any], pure: bool = False) -> Iterator[NoRule]:
    """Functions that give `what`, and no numbers."""
    for fn in fns:
        yield NoRule(fn, f"gives {what}", numbers=False, pure=pure)


def _changes_length(*fns: Callable[..., Any]) -> Iterator[NoRule]:
    why = "gives as many values as there are different ones, a number that jumps where two of them meet"
    for fn in fns:
        yield NoRule(fn, why, "find the places outside of the function and pass them: `x[places]`", makes=True)


def _reads(*fns: Callable[..., Any]) -> Iterator[NoRule]:
    for fn in fns:
        yield NoRule(fn, "reads numbers from elsewhere", "read them outside of the function and pass them")


def _of_matrices(*fns: Callable[..., Any]) -> Iterator[NoRule]:
    for fn in fns:
        yield NoRule(fn, "gives a `np.matrix`, whose `*` is another", "use an array: `np.asarray`, `np.block`")


def _of_bytes(*fns: Callable[..., Any]) -> Iterator[NoRule]:
    for fn in fns:
        yield NoRule(fn, "takes the bytes of numbers, not the numbers", "convert them with `x.astype(dtype)`")


def _kind_by_value(*fns: Callable[..., Any], instead: str) -> Iterator[NoRule]:
    for fn in fns:
        yield NoRule(
            fn, "gives real or complex numbers, as the values say", instead, makes=fn is np.roots, pure=fn is np.real_if_close
        )


_SLOPES = "has a slope that is a Bessel function which NumPy does not have"
_HISTOGRAMS = "counts, which do not move, beside edges that may"

_NUMBERS = (
    *_changes_length(
        np.union1d,
        np.intersect1d,
        np.setdiff1d,
        np.setxor1d,
        np.unique,
        np.unique_all,
        np.unique_counts,
        np.unique_inverse,
        np.unique_values,
    ),
    *_kind_by_value(np.roots, instead="ask for what both have, which is followed: `np.roots(p).real`, `np.abs(np.roots(p))`"),
    *_kind_by_value(np.real_if_close, instead="say which it is: `np.real(x)`"),
    NoRule(np.i0, _SLOPES, "register a rule with `scipy.special.i1`: `adxform.rule(np.i0)`", makes=True, pure=True),
    NoRule(np.kaiser, _SLOPES, "make the window outside of the function, or register rules for `np.i0` and write it out"),
    NoRule(np.histogramdd, f"gives {_HISTOGRAMS}", "call it outside of the function, or use `np.histogram` along each axis"),
    NoRule(
        np.sort_complex,
        "orders complex numbers, which have no order",
        "take them in an order of real numbers: `z[np.argsort(…)]`",
    ),
    NoRule(
        np.require,
        "gives an array or a copy of it as memory lies",
        "use `np.ascontiguousarray`, `np.asfortranarray` or `x.copy()`",
    ),
    NoRule(
        np.lib.stride_tricks.as_strided,
        "shows the memory of an array as numbers of bytes say",
        "use `np.lib.stride_tricks.sliding_window_view(x, n)`, with a slice of its windows, or `x.reshape(…)`",
    ),
    NoRule(np.from_dlpack, "shares the memory of another library", "pass what it gives"),
    NoRule(np.frombuffer, "shares the memory of another object", "pass what it gives"),
    *_reads(np.fromfile, np.fromregex, np.fromstring, np.genfromtxt, np.load, np.loadtxt),
    *_of_matrices(np.asmatrix, np.bmat),
    NoRule(np.nested_iters, "walks elements that may be written to", "write loops over `range`"),
    *_of_bytes(np.ndarray.byteswap, np.ndarray.getfield, np.ndarray.setfield),
    NoRule(np.ndarray.to_device, "moves an array elsewhere", "leave it out: NumPy has one device"),
    NoRule(np.ndarray.setflags, "changes what may be done with an array", "set flags outside of the function"),
)

_OTHERS = (
    *_gives("a text", np.array2string, np.array_repr, np.array_str, np.format_float_positional, np.format_float_scientific),
    *_gives("a text", np.base_repr, np.binary_repr, pure=True),
    *_gives("dates", np.busday_offset, np.datetime_as_string, np.datetime_data),
    *_gives("a number of days", np.busday_count, np.is_busday, pure=True),
    *_gives("a dtype", np.common_type, np.min_scalar_type, np.mintypecode, np.promote_types, np.result_type, pure=True),
    *_gives("what is said of dtypes", np.can_cast, np.isdtype, np.issubdtype, np.typename, pure=True),
    *_gives("a shape", np.broadcast_shapes, pure=True),
    *_gives(
        "truth values",
        np.array_equiv,
        np.iscomplex,
        np.isreal,
        np.iscomplexobj,
        np.isrealobj,
        np.isfortran,
        np.iterable,
        pure=True,
    ),
    *_gives("truth values", np.isnat, np.may_share_memory, np.shares_memory),
    *_gives("places", np.mask_indices),
    *_gives("a plan of sums", np.einsum_path),
    *_gives("a setting", np.getbufsize, np.setbufsize, np.geterr, np.seterr, np.geterrcall, np.seterrcall),
    *_gives("a setting", np.get_printoptions, np.set_printoptions, np.printoptions),
    *_gives("what is said of NumPy", np.get_include, np.info, np.show_config, np.show_runtime, np.test),
    *_gives("what is said of NumPy", np.fft.test, np.linalg.test),  # type: ignore[attr-defined]
    *_gives("an error", np.linalg.LinAlgError),
    *_gives("a file", np.save, np.savetxt, np.savez, np.savez_compressed),
    *_gives("a file", np.ndarray.dump, np.ndarray.dumps, np.ndarray.tofile),
    *_gives("bytes", np.ndarray.tobytes),
    *_gives("bytes", np.packbits, np.unpackbits),
)

_CLASSES = (
    *_of_matrices(np.matrix),
    *_reads(np.memmap),
    NoRule(np.recarray, "has names for its columns", "pass the columns as arrays of their own"),
    NoRule(np.record, "has names for its columns", "pass the columns as arrays of their own"),
    *(NoRule(fn, "walks elements as memory lies", "write loops over `range`") for fn in (np.flatiter, np.broadcast)),
    NoRule(np.ndarray, "makes an array of memory that is given", "use `np.zeros`, `np.empty`, `np.array`"),
    *_gives("an object of its own", np.busdaycalendar, np.dtype, np.errstate, np.finfo, np.iinfo, np.ufunc),
)

REFUSED_ATTRIBUTES: Mapping[str, str] = MappingProxyType(
    {
        "base": "keep the array under a name of its own",
        "ctypes": "give the array itself, or register a rule for what takes it",
        "data": "give the array itself, or register a rule for what takes it",
        "device": "it is `'cpu'`",
    }
)
"""Attributes of arrays that are not followed, and what to do instead."""

REFUSED: tuple[NoRule, ...] = (*_NUMBERS, *_OTHERS, *_CLASSES)
