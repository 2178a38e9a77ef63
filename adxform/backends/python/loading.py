"""Generated source to a callable that tracebacks and debuggers can follow back to the user's lines."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Callable, Container, Mapping
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any
from weakref import finalize

from adxform.backends.python.emit import Generated
from adxform.errors import AdxError, LargeNumberError
from adxform.ir.spans import Span
from adxform.runtime import counters

_ORIGINS: dict[str, Generated] = {}
"""What was generated, by the name of its file, as long as a function of it is there."""
_functions: Counter[str] = Counter()


def load(generated: Generated) -> Callable[..., Any]:
    """Compile `generated` and return its function."""
    counters.count("py_compiles")
    return install(generated, compile(generated.text, filename(generated), "exec", dont_inherit=True))


def install(generated: Generated, code: CodeType) -> Callable[..., Any]:
    """The function of `generated`, of which `code` is the compiled text. `linecache` keeps the text under `filename`."""
    file = filename(generated)
    show(file, generated.text)
    _ORIGINS[file] = generated
    namespace: dict[str, Any] = {"__name__": f"adxform.generated.{generated.entry}"}
    exec(code, namespace)
    function: FunctionType = namespace[generated.entry]
    function.__kwdefaults__ = dict(generated.externals)
    vars(function)["installed"] = generated, code
    keep_text(function, file)
    return function


def show(file: str, text: str) -> None:
    """Let tracebacks and debuggers find `text` under `file`."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file


def keep_text(function: Callable[..., Any], file: str) -> None:
    """Let the text of `file` go when `function`, and each other function of the same text, is gone."""
    _functions[file] += 1
    finalize(function, forget_text, file).atexit = False


def forget_text(file: str) -> None:
    """Note that a function of `file` is gone."""
    _functions[file] -= 1
    if not _functions[file]:
        del _functions[file]
        _ORIGINS.pop(file, None)
        linecache.cache.pop(file, None)


def load_with(text: str, title: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `title` that `text` defines, where `names` are its globals."""
    file = f"<adxform {title} {sha256(text.encode()).hexdigest()[:12]}>"
    show(file, text)
    namespace: dict[str, Any] = {"__name__": f"adxform.generated.{title}", **names}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    function: FunctionType = namespace[title]
    keep_text(function, file)
    return function


def installed(function: Callable[..., Any]) -> tuple[Generated, CodeType] | None:
    """What `install` made `function` of; ``None`` for any other function."""
    found: tuple[Generated, CodeType] | None = getattr(function, "installed", None)
    return found if str(getattr(function, "__module__", "")).startswith("adxform.generated.") else None


def filename(generated: Generated) -> str:
    """The name under which tracebacks show `generated`: the same for the same text."""
    return f"<adxform {generated.entry} {sha256(generated.text.encode()).hexdigest()[:12]}>"


def generated_text(function: Callable[..., Any]) -> str | None:
    """The text of the generated module that `function` is part of; ``None`` for any other function."""
    found = _ORIGINS.get(function.__code__.co_filename)
    return None if found is None else found.text


def user_location(file: str, line: int) -> Span | None:
    """The user's code that `line` of the generated `file` stems from: that of the line, else of the nearest line above."""
    generated = _ORIGINS.get(file)
    if generated is None:
        return None
    while line > 0:
        if (span := generated.origins.get(line)) is not None:
            return span
        line -= 1
    return None


def annotate(exception: BaseException, generated: Generated) -> None:
    """Say in `exception` where in the user's code it arose, if it passed through the code of `generated`.

    Where that has kernels, what raises is the same in Python, other generated code.

    Raises:
        LargeNumberError: in the place of `exception`, if that is of a number too large for an array, which may stand for a list.
    """
    place = _innermost(exception.__traceback__, {filename(generated)}) or _innermost(exception.__traceback__, _ORIGINS)
    span = user_location(*place) if place else None
    if span is not None:
        locate(exception, span)


def locate(exception: BaseException, span: Span) -> None:
    """Say in `exception` that it arose in the user's code at `span`: an error of adxform's own has a place, others get a note.

    Raises:
        LargeNumberError: as `annotate` does.
    """
    if isinstance(exception, AdxError):
        exception.span = exception.span if exception.span.line else span
        return
    if isinstance(exception, OverflowError) and exception.args == _TOO_LARGE:
        message = "a whole number does not fit in the 64 bits that an array, which derivatives make of a list as well, has for it"
        raise LargeNumberError(message, span=span, help="make it a float, `float(…)`") from exception
    text = linecache.getline(span.file, span.line).strip()
    note = f"in the derivative of {Path(span.file).name}:{span.line}" + (f": {text}" if text else "")
    if note not in getattr(exception, "__notes__", ()):
        exception.add_note(note)


_TOO_LARGE = ("Python int too large to convert to C long",)
"""What NumPy says of a number of Python's for which an array of whole numbers has no room."""


def _innermost(traceback: TracebackType | None, files: Container[str]) -> tuple[str, int] | None:
    """The file among `files` and the line in it at which the innermost frame of such a file stood."""
    found: tuple[str, int] | None = None
    while traceback is not None:
        if (file := traceback.tb_frame.f_code.co_filename) in files:
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found
