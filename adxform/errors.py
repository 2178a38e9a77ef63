"""Every error adxform raises: one class per cause, with a stable code, the user's line, a caret and a way out."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from typing import ClassVar

from adxform.ir.spans import NOWHERE, Span


class AdxError(Exception):
    """Base of all errors of adxform. `code` is stable; `span` is where in the user's code; `help` is the way out.

    `also`: further refusals of the same function, which its text tells too.
    """

    code: ClassVar[str] = "ADX000"

    def __init__(self, message: str, *, span: Span = NOWHERE, help: str = "") -> None:  # noqa: A002 - rustc's word
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
        self.also: tuple[AdxError, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self._said(), *(each._said() for each in self.also)))

    def _said(self) -> str:
        lines = [f"error[{self.code}]: {self.message}"]
        span = self.span
        if span.line:
            lines.append(f" --> {span.file}:{span.line}:{span.column + 1}")
            text = linecache.getline(span.file, span.line).rstrip("\n")
            if text:
                gutter = " " * len(str(span.line))
                last = span.end_column if span.end_line == span.line else len(text)
                caret = " " * span.column + "^" * max(1, last - span.column)
                lines += [f"{span.line} | {text}", f"{gutter} | {caret}"]
        page = f"docs/errors.md#{self.code.lower()}"
        lines.append(f"help: {self.help} — {page}" if self.help else f"help: see {page}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.span, self.help, self.also)


def _rebuild(cls: type[AdxError], message: str, span: Span, help_: str, also: tuple[AdxError, ...]) -> AdxError:
    error = cls(message, span=span, help=help_)
    error.also = also
    return error


def together(errors: Iterable[AdxError]) -> AdxError:
    """The first of `errors`, which tells of the others as well, each once."""
    first, *others = {(type(error), error.message, error.span): error for error in errors}.values()
    first.also = (*first.also, *(each for error in others for each in (error, *error.also)))
    return first


class SourceUnavailableError(AdxError, OSError):
    """The source text of a function cannot be found (built in, compiled, typed at a bare prompt, or deleted)."""

    code = "ADX101"


class UnsupportedSyntaxError(AdxError, SyntaxError):
    """A construct of Python that adxform does not differentiate yet."""

    code = "ADX102"

    @property
    def msg(self) -> str:  # type: ignore[override]  # what a traceback shows of a `SyntaxError`
        """All that the error says."""
        return str(self)


class UnsupportedOperationError(AdxError, NotImplementedError):
    """An operation whose types or values adxform cannot follow before the program runs."""

    code = "ADX103"


class GlobalMutationError(AdxError):
    """The function writes to state outside of its arguments, on which the derivative would depend."""

    code = "ADX104"


class MissingRuleError(AdxError, NotImplementedError):
    """A function without a derivative rule lies between the differentiated arguments and the result."""

    code = "ADX201"


class NonDifferentiableError(AdxError, TypeError):
    """A derivative was asked for with respect to an argument that has none (an integer, a string, …)."""

    code = "ADX202"


class NonScalarOutputError(AdxError, TypeError):
    """`grad` needs a function that returns one real number."""

    code = "ADX203"


class TangentMismatchError(AdxError, ValueError):
    """A tangent or cotangent differs in structure, shape or dtype from the value it belongs to."""

    code = "ADX204"


class ArgnumsError(AdxError, ValueError):
    """`argnums` names an argument that the call does not have."""

    code = "ADX205"


class AliasError(AdxError, ValueError):
    """Arrays share memory in a way that the derivative cannot mirror."""

    code = "ADX206"


class PreparationMismatchError(AdxError, ValueError):
    """A prepared derivative was called with arguments, or after changes, that it was not prepared for."""

    code = "ADX207"


class PatternError(AdxError, ValueError):
    """A sparsity pattern cannot be used: it has another shape than the derivative, or it would be too large to be found."""

    code = "ADX208"


class BudgetError(AdxError, ValueError):
    """The reverse of a loop may keep less memory than one state of the loop takes."""

    code = "ADX209"


class LargeNumberError(AdxError, OverflowError):
    """A whole number that does not fit in 64 bits, where the derivative keeps a list of such numbers as an array."""

    code = "ADX210"


class OptionError(AdxError, ValueError):
    """An option of an operator, or of the environment, has a value that it cannot have."""

    code = "ADX211"


class RegistrationError(AdxError, ValueError):
    """A rule is registered for what none would ever apply to, or for a function for which another module has registered one."""

    code = "ADX212"


class MissingExtraError(AdxError, ImportError):
    """Something was asked for that needs a package of an optional extra."""

    code = "ADX301"


class InternalError(AdxError, RuntimeError):
    """A derivation failed in a way that nobody foresaw: a defect in adxform."""

    code = "ADX902"


class BeliefError(AdxError, RuntimeError):
    """An analysis believed of a run what does not hold: a defect in adxform, which ``ADXFORM_DEBUG=1`` looks for."""

    code = "ADX903"


class VerificationError(AdxError):
    """The IR breaks one of its own rules: a defect in adxform."""

    code = "ADX901"
