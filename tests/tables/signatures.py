"""Every parameter of every primitive, by position and by keyword, at its default and at other values.

Each cell is right, or refused with the function and the parameter named. The operators and what only derivatives call are left
out: their parameters have no names.
"""

from __future__ import annotations

import cmath
import functools
import inspect
import math
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.polynomial._polybase import ABCPolyBase

from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.signatures import PLAIN, signature_of
from adxform.primitives.table import TABLE
from tests.tables.cell import Cell, program
from tests.tables.further_forms import BASES, OWN
from tests.tables.signature_samples import ANY, Base, M, Text, V

Fn = Callable[..., Any]
IN_PLACE = (
    np.copyto,
    np.putmask,
    np.put,
    np.fill_diagonal,
    np.ndarray.fill,
    np.ndarray.sort,
    np.add.at,
    np.subtract.at,
    np.place,
    np.put_along_axis,
    np.ndarray.put,
    np.ndarray.partition,
)
UNINITIALISED = (np.empty, np.empty_like)
OF_OBJECTS = (np.vectorize, np.vectorize.__call__, np.frompyfunc, np.nditer)
"""What makes an object of arguments, and calls one: `tests/test_vectorized.py` and `tests/test_element_walks.py` have theirs."""
COARSE = ("np.float32",)


def primitives() -> tuple[Fn, ...]:
    """The functions with a rule or a definition that a program calls by name."""
    modules = ("_operator", "adxform")
    return tuple(
        fn
        for fn in dict.fromkeys((*TABLE, *DEFINITIONS))
        if not (getattr(fn, "__module__", None) or "").startswith(modules)
        and not name_of(fn).startswith("scipy.")
        and signature_of(fn) is not None
        and fn not in OF_OBJECTS
    )


def base(fn: Fn) -> Base:
    """The arguments that `fn` cannot do without."""
    if fn in BASES:
        return BASES[fn]
    record = TABLE.get(fn)
    name = getattr(fn, "__name__", "")
    if isinstance(fn, np.ufunc):
        return tuple(V * 0.4 + 0.1 * k for k in range(fn.nin))
    if getattr(fn, "__module__", None) == "cmath":
        return (Text("(0.7 + 0.3j * t)"), Text("(0.3 - 0.2j * t)"))[: 2 if fn is cmath.isclose else 1]
    if record is not None and record.samples and "axis" not in parameters(fn):
        return record.samples[0]
    if getattr(fn, "__module__", None) == "math":
        return (0.7, 0.3)[: len(parameters(fn))]
    return (M, M + 0.03) if name == "outer" else (M,)


@functools.cache
def parameters(fn: Fn) -> dict[str, inspect.Parameter]:
    """The parameters of `fn`, by name."""
    signature = signature_of(fn)
    assert signature is not None
    return dict(signature.parameters)


def options(fn: Fn) -> Iterator[inspect.Parameter]:
    """The parameters of `fn` that a call may leave out, without ``out`` and what stands for any others."""
    for parameter in parameters(fn).values():
        kind = parameter.kind
        named = parameter.default is not parameter.empty or kind is parameter.KEYWORD_ONLY
        if named and kind is not parameter.VAR_KEYWORD and parameter.name != "out" and not _is_given(fn, parameter.name):
            yield parameter


def _is_given(fn: Fn, name: str) -> bool:
    place = list(parameters(fn)).index(name)
    return place < len(base(fn)) and parameters(fn)[name].kind is not inspect.Parameter.KEYWORD_ONLY


def values(fn: Fn, name: str) -> tuple[str, ...]:
    """The values of an option, as a program writes them; none where the table knows of none."""
    return OWN.get((fn, name), ANY.get(name, ()))


def cells() -> Iterator[Cell]:
    """A cell for each parameter of each primitive, each way to give it, and each of its values."""
    for fn in primitives():
        yield from _operands(fn)
        for parameter in options(fn):
            for value in values(fn, parameter.name):
                if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
                    yield _cell(fn, f"{parameter.name}={value}", named={parameter.name: value})
                if (before := _before(fn, parameter)) is not None:
                    yield _cell(fn, f"{parameter.name} at its place, {value}", more=(*before, value))
        if "out" in parameters(fn):
            yield from _outs(fn)


def _operands(fn: Fn) -> Iterator[Cell]:
    """Calls without options, one with each argument that can be given by name given so, and calls that Python refuses."""
    yield _cell(fn, "plain")
    given = list(parameters(fn).values())[: len(base(fn))]
    first = isinstance(fn, types.MethodDescriptorType)  # a method is called on its array
    named = {one.name: place for place, one in enumerate(given) if one.kind is one.POSITIONAL_OR_KEYWORD and place >= first}
    for start in sorted(named.values()):
        chosen = {name: place for name, place in named.items() if place >= start}
        yield _cell(fn, f"{', '.join(chosen)} by name", by_name=chosen)
    if len(named) > 1:
        yield _cell(fn, "all by name, last first", by_name=dict(reversed(named.items())))
    if not isinstance(fn, type) and fn is not np.pad:
        yield _cell(fn, "an unknown parameter", named={"no_such_parameter": "1"})


def _outs(fn: Fn) -> Iterator[Cell]:
    found = _called(fn)
    if not isinstance(found, np.ndarray) or fn in IN_PLACE:
        return
    z = f"np.zeros({found.shape!r}, np.{found.dtype.name})"
    yield _cell(fn, "out by name", named={"out": "z"}, first=f"z = {z}", result="z")
    if isinstance(fn, np.ufunc):
        yield _cell(fn, "out in a tuple", named={"out": "(z,)"}, first=f"z = {z}", result="z")
    if (before := _before(fn, parameters(fn)["out"])) is not None:
        yield _cell(fn, "out at its place", more=(*before, "z"), first=f"z = {z}", result="z")


def _before(fn: Fn, parameter: inspect.Parameter) -> tuple[str, ...] | None:
    """The defaults of what comes before `parameter` where it is given by position; ``None`` where it cannot be."""
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        return None
    between = []
    for place, one in enumerate(parameters(fn).values()):
        if one.name == parameter.name:
            return tuple(between)
        if place < len(base(fn)):
            continue
        if one.kind is one.VAR_POSITIONAL or not isinstance(one.default, PLAIN):
            return None
        between.append(repr(one.default))
    return None


def _called(fn: Fn) -> Any:
    try:
        return fn(*(eval(arg) if isinstance(arg, Text) else arg for arg in base(fn)))
    except Exception:
        return None


def _cell(
    fn: Fn,
    what: str,
    *,
    more: tuple[str, ...] = (),
    named: dict[str, str] | None = None,
    by_name: dict[str, int] | None = None,
    first: str = "",
    result: str = "r",
) -> Cell:
    """The cell of a call of `fn` with `more` arguments by position, and some by name."""
    named, by_name = named or {}, by_name or {}
    given, args = _written(base(fn))
    by_place = [text for place, text in enumerate(given) if place not in by_name.values()]
    keywords = [f"{name}={given[place]}" for name, place in by_name.items()] + [f"{k}={v}" for k, v in named.items()]
    lines = [first] if first else []
    if fn in IN_PLACE and 0 not in by_name.values():
        lines.append(f"a = {by_place[0]} * 1.0")
        by_place[0] = result = "a"
    elif fn in IN_PLACE:
        lines.append(f"a = {given[0]} * 1.0")
        keywords[0], result = f"{next(iter(by_name))}=a" if keywords[0].endswith("=x0") else keywords[0], "a"
        keywords = [f"{text.partition('=')[0]}=a" if text.endswith("=x0") else text for text in keywords]
    call = _call(fn, by_place + list(more), keywords)
    lines.append(f"r = {call}" if fn not in IN_PLACE else call)
    if fn in UNINITIALISED:
        lines.append("r[...] = 0.7")
    names = {"math": math, "cmath": cmath, "fn": fn, "MASK": _weights()["MASK"]}
    head = f"def f(t{''.join(f', x{k}' for k in range(len(args)))}):\n"
    body = "".join(f"    {line}\n" for line in lines)
    measure = _measured(program(f"{head}{body}    return {result}\n", **names), args, result)
    coarse = fn in (np.float16, np.float32) or any(text in "".join((*more, *named.values())) for text in COARSE)
    weights = _weights()
    if coarse:
        weights = {**weights, "w": weights["w"].astype(np.float16 if fn is np.float16 else np.float32)}
    function = program(f"{head}{body}    return {measure}\n", **{**names, **weights})
    return Cell(f"{_name(fn)}: {what}", function, (1.3, *args), smooth=not coarse)


def _written(arguments: Base) -> tuple[list[str], tuple[Any, ...]]:
    """How arguments are written, and those that are arguments of the program."""
    texts, args = [], []
    for argument in arguments:
        if isinstance(argument, Text):
            texts.append(str(argument))
        else:
            texts.append(f"x{len(args)}")
            args.append(argument)
    return texts, tuple(args)


def _name(fn: Fn) -> str:
    """The name of `fn`, of a method of a class that of the class through which it is called."""
    if isinstance(fn, types.MethodType) and isinstance(fn.__self__, type):
        return f"{name_of(fn.__self__)}.{fn.__name__}"
    return name_of(fn)


def _call(fn: Fn, by_place: list[str], keywords: list[str]) -> str:
    name = _name(fn)
    if isinstance(fn, types.MethodDescriptorType) and fn.__objclass__ is np.ndarray:
        return f"{by_place[0]}.{fn.__name__}({', '.join(by_place[1:] + keywords)})"
    if getattr(fn, "__module__", None) in ("math", "cmath", "builtins") or name.startswith("np."):
        return f"{name}({', '.join(by_place + keywords)})"
    return f"fn({', '.join(by_place + keywords)})"


def _measured(function: Fn, args: tuple[Any, ...], result: str) -> str:
    """A number that tells the elements of the result of `function` apart, written as an expression."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(1.3, *(np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args))
    except Exception:
        return f"np.sum({result}) * t"
    return _part(found, result)


def _part(found: Any, name: str) -> str:
    if isinstance(found, tuple | list):
        return " + ".join(_part(part, f"{name}[{k}]") for k, part in enumerate(found)) or "t"
    if isinstance(found, np.poly1d | ABCPolyBase):
        return f"({name}(0.3 * t) + np.sum({name}.coef * {name}.coef * w[: {len(found.coef)}])) * t"
    size, shape = np.size(found), np.shape(found)
    if np.iscomplexobj(found):
        weights = f" * w[: {size}].reshape({shape!r})" if shape else ""
        return f"(np.sum({name}.real * {name}.real{weights}) + np.sum({name}.imag{weights})) * t"
    if not shape:
        return f"{name} * {name} * t"
    weighted = f"w[: {size}].reshape({shape!r})"
    return (
        f"np.sum({name} * {name} * {weighted}) * t" if np.asarray(found).dtype.kind == "f" else f"np.sum({name} * {weighted}) * t"
    )


@functools.cache
def _weights() -> dict[str, Any]:
    return {"w": np.cos(np.arange(512.0)), "MASK": np.array([True, False, True])}
