"""What the command line names: a function, example arguments, and arguments to differentiate."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adxform.ir.spans import own_signature
from adxform.runtime.cache import check_call

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
PLAIN: dict[str, Any] = {"float": 0.5, "int": 2}


class UsageError(Exception):
    """The command line names something that is not there."""


def load_function(name: str) -> tuple[Callable[..., Any], ModuleType]:
    """The function behind ``FILE.py:FUNC`` or ``module:FUNC``, and its module."""
    place, colon, path = name.rpartition(":")
    if not colon or not place:
        raise UsageError(f"`{name}` names no function: write FILE.py:FUNC or module:FUNC")
    module = load_file(Path(place)) if place.endswith(".py") else load_module(place)
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"`{place}` has no function `{path}`")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"`{path}` in `{place}` is not a function")
    return found, module


def load_file(path: Path) -> ModuleType:
    """The module in the file `path`, imported under the name of the file."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def load_module(name: str) -> ModuleType:
    """The importable module `name`."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"there is no module {error.name}") from error


def example_arguments(fn: Callable[..., Any], module: ModuleType, at: str | None, sig: str | None) -> tuple[Any, ...]:
    """Example arguments: the expressions `at`, values of the types `sig`, or values for the annotations of `fn`."""
    if at is not None and sig is not None:
        raise UsageError("give --at or --sig, not both")
    if at is not None:
        args = evaluated(at, module)
    else:
        args = of_types(sig) if sig is not None else of_annotations(fn)
    try:
        check_call(fn, args, {})
    except TypeError as error:
        raise UsageError(str(error)) from error
    return args


def evaluated(expressions: str, module: ModuleType) -> tuple[Any, ...]:
    """The values of ``EXPR, EXPR, …`` with the names of `module` and ``np``."""
    if not expressions.strip():
        return ()
    try:
        tree = ast.parse(f"({expressions},)", mode="eval")
    except SyntaxError as error:
        raise UsageError(f"--at {expressions!r} is not a list of Python expressions") from error
    try:
        values: tuple[Any, ...] = eval(compile(tree, "--at", "eval"), {"np": np, **vars(module)})
    except Exception as error:
        raise UsageError(f"--at {expressions!r} raises {type(error).__name__}: {error}") from error
    return values


def of_types(text: str) -> tuple[Any, ...]:
    """Values of the types ``f64[n, 3], float, int``; each named length is a small number of its own.

    >>> of_types("f64[n], float")
    (array([0.5, 0.7, 0.9]), 0.5)
    """
    lengths: dict[str, int] = {}
    return tuple(of_type(part.strip(), lengths) for part in re.split(r",(?![^\[]*\])", text) if part.strip())


def of_type(text: str, lengths: dict[str, int]) -> Any:
    """A value of the type `text`; `lengths` holds the named lengths so far."""
    if text in PLAIN:
        return PLAIN[text]
    match = re.fullmatch(r"(\w+)(?:\[(.*)\])?", text)
    if match is None or match[1] not in DTYPES:
        raise UsageError(f"`{text}` is not a type: write float, int, f64, f32, i64, i32 or bool, and lengths as in f64[n, 3]")
    dtype, sizes = DTYPES[match[1]], match[2]
    if sizes is None:
        return dtype(PLAIN["int"] if dtype is not np.bool_ and dtype(1.5) == 1 else 0.5)
    names = [size.strip() for size in sizes.split(",") if size.strip()]
    shape = tuple(int(name) if name.isdigit() else lengths.setdefault(name, len(lengths) + 3) for name in names)
    count = int(np.prod(shape))
    return (0.5 + 0.2 * np.arange(count)).reshape(shape).astype(dtype)


def of_annotations(fn: Callable[..., Any]) -> tuple[Any, ...]:
    """Values for the annotated parameters of `fn` that have no default."""
    values = []
    lengths: dict[str, int] = {}
    for parameter in own_signature(fn).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = parameter.annotation
        word = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
        try:
            values.append(of_type(word.strip("'\""), lengths))
        except UsageError:
            raise UsageError(
                f"the annotations do not tell the type of `{parameter.name}`: give --at or --sig, "
                'such as --at "np.ones(3), 0.5" or --sig "f64[n], float"'
            ) from None
    return tuple(values)


def argument_numbers(fn: Callable[..., Any], wrt: str | None) -> int | tuple[int, ...]:
    """The positions of the arguments that `wrt` lists by name or position; the first one when it is not given."""
    if wrt is None:
        return 0
    names = list(own_signature(fn).parameters)
    numbers = []
    for part in (part.strip() for part in wrt.split(",")):
        if part.lstrip("-").isdigit():
            numbers.append(int(part))
        elif part in names:
            numbers.append(names.index(part))
        else:
            raise UsageError(f"--wrt: there is no argument `{part}`; there are {', '.join(names)}")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)
