"""Where code came from: spans in the user's files, and which files are adxform's own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of adxform."""
_INSIDE = f"{PACKAGE}{os.sep}"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text. Lines count from one, columns from zero, as in `ast`; `end` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def is_own(self) -> bool:
        """Whether it lies in adxform itself, in the body of a rule: nothing that a user has to see."""
        return is_own(self.file)


NOWHERE = Span("", 0, 0, 0, 0)


def is_own(file: str) -> bool:
    """Whether `file` is one of adxform's own."""
    return file.startswith(_INSIDE)
