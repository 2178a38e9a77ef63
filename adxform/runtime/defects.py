"""Internal failures: said to be such, with a reproducer that can be sent to whoever mends it.

While a derivation runs, what it is of is noted on whatever exception leaves it. If that turns out to be no error of the user's
program and no refusal, `as_defect` makes an `InternalError` of it.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from types import TracebackType
from typing import Any

from adxform.errors import AdxError, BeliefError, InternalError, VerificationError
from adxform.frontend.signature import Signature
from adxform.ir.ops import Function
from adxform.ir.spans import Span, is_own
from adxform.ir.text import show
from adxform.runtime.dispatch.refusals import definition, name_of
from adxform.runtime.persistence.versions import versions

_NOTE = "_adxform_derivation"
_saved: dict[bytes, str] = {}


@dataclass(frozen=True, slots=True)
class Derivation:
    """What was being derived: a function at a signature, as far as these were known, and its typed IR."""

    fn: Callable[..., Any] | None = None
    signature: Signature | None = None
    function: Function | None = None


@contextmanager
def deriving(
    fn: Callable[..., Any] | None = None, signature: Signature | None = None, function: Function | None = None
) -> Iterator[None]:
    """Note on an exception that leaves the block what was being derived in it."""
    try:
        yield
    except Exception as error:
        known = getattr(error, _NOTE, Derivation())
        if fn is None and known.fn is None and hasattr(error, "__dict__"):
            setattr(error, _NOTE, replace(known, function=function))
        elif fn is not None and known.fn is None and hasattr(error, "__dict__"):
            setattr(error, _NOTE, replace(known, fn=fn, signature=signature))
        raise


def as_defect(error: BaseException) -> InternalError | None:
    """The error that says that `error` is a failure of adxform; ``None`` where it is the user's, or a refusal."""
    known: Derivation | None = getattr(error, _NOTE, None)
    if isinstance(error, BeliefError):
        error.help = _kept(_save(run_report(error)), "the traceback, the source, and the derivative with its checks")
        return None
    if isinstance(error, InternalError) or (isinstance(error, AdxError) and not isinstance(error, VerificationError)):
        return None
    if not isinstance(error, VerificationError) and (known is None or not _is_own(error)):
        return None
    found = known or Derivation()
    what = error.message if isinstance(error, VerificationError) else f"{type(error).__name__}: {error}"
    name = name_of(found.fn) if found.fn is not None else found.function.name if found.function is not None else ""
    where = f" on `{name}`" if name else ""
    kept = _kept(_save(report(error, found)), "the source, the signature and the IR")
    made = InternalError(
        f"adxform failed{where}: {what}. This is a defect in adxform, not in the program",
        help=f"{kept}; `stop_gradient` or a rule (`adxform.rule`) may lead around it",
    )
    if found.fn is not None:
        made.span = definition(found.fn)
    elif found.function is not None:
        made.span = found.function.span
    return made


def _kept(place: str, what: str) -> str:
    """What to do with a report at `place`, if there is one."""
    return f"please report it with {place}, which holds {what}" if place else "please report it"


def run_report(error: BeliefError) -> str:
    """All that is known where a run shows what was not believed: the user's function, and each derivative that was running."""
    parts = [versions(), "".join(traceback.format_exception(error)), "".join(_around(error.span))]
    running = dict.fromkeys(step.f_code.co_filename for step, _ in traceback.walk_tb(error.__traceback__))
    parts += ["".join(linecache.getlines(file)) for file in running if file.startswith("<adxform ")]
    return "\n\n".join(parts) + "\n"


def _around(span: Span) -> list[str]:
    """The lines of the outermost function around `span`, or that line alone."""
    lines = linecache.getlines(span.file)
    for node in ast.parse("".join(lines)).body if span.file.endswith(".py") else ():
        if node.lineno <= span.line <= (node.end_lineno or 0):
            return lines[node.lineno - 1 : node.end_lineno]
    return lines[max(span.line - 1, 0) : span.line]


def report(error: BaseException, known: Derivation) -> str:
    """All that it takes to see the failure again: versions, the traceback, the source, the signature, the IR."""
    parts = [versions(), "".join(traceback.format_exception(error))]
    if known.fn is not None:
        try:
            parts.append(inspect.getsource(inspect.unwrap(known.fn)))
        except (OSError, TypeError):
            parts.append(repr(known.fn))
    elif known.function is not None:
        lines = linecache.getlines(known.function.span.file)[max(known.function.span.line - 1, 0) :]
        parts.append("".join(inspect.getblock(lines)))
    if known.signature is not None:
        parts.append(repr(known.signature))
    if known.function is not None:
        try:
            parts.append(show(known.function))
        except Exception as failure:  # the IR may be what is broken
            parts.append(f"the IR cannot be shown: {failure!r}\n{known.function!r}")
    return "\n\n".join(parts) + "\n"


def _save(text: str) -> str:
    """The file that holds `text`, one for each failure of a process; empty where none can be written."""
    key = sha256(text.encode(errors="replace")).digest()
    if key not in _saved:
        try:
            handle, name = tempfile.mkstemp(prefix="adxform-defect-", suffix=".txt")
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError:
            return ""
        _saved[key] = name
    return _saved[key]


def _is_own(error: BaseException) -> bool:
    """Whether `error` arose in a line of adxform that does not raise it on purpose, and not below code of the user's."""
    innermost: TracebackType | None = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    if innermost is None or isinstance(error, RecursionError | MemoryError):
        return False
    file = innermost.tb_frame.f_code.co_filename
    return is_own(file) and not linecache.getline(file, innermost.tb_lineno).lstrip().startswith("raise ")
