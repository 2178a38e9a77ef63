"""Whose code is read: the user's, and that of installed packages that are given what moves, as long as it can be followed.

A specialisation says what it leaves to the run (`reading`), and is told of which packages it read code. Refused for a line of a
package, it begins again and leaves the function of that line to the run; refused for another one, or too often, the packages. So
it goes with loggers and tables, and all functions are left to the run that are given nothing that moves.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

_PATHS = sysconfig.get_paths()
_INSTALLED = tuple({_PATHS[name] for name in ("purelib", "platlib")})
_STANDARD = tuple({_PATHS[name] for name in ("stdlib", "platstdlib")})
_LEFT = frozenset(
    {"IPython", "colorama", "dask", "h5py", "ipykernel", "jax", "jaxlib", "joblib", "llvmlite", "loguru", "matplotlib", "numba",
     "numpy", "pandas", "pytest", "requests", "rich", "scipy", "structlog", "tabulate", "tensorflow", "torch", "tqdm", "xarray",
     "yaml"}
)  # fmt: skip
"""Packages whose code is never read: what they do has rules or no derivative, or is made by compilers and in other languages."""


_TRIES = 8
"""How many functions are left to the run one by one."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to the run: packages, and functions by a line of theirs."""

    packages: frozenset[str] = frozenset()
    lines: frozenset[tuple[str, int]] = frozenset()
    given_nothing: bool = True
    """Whether functions are that are given nothing that moves: what they make is no object of the program's then."""
    first: str = ""
    """What was said when something was left for the first time, which the rest may follow from."""

    def without(self, file: str, line: int, packages: Reading, why: str) -> Left | None:
        """So without what stands at a `line`, where a package has that; else with functions that are given nothing that moves,
        or else without the packages that were read; ``None`` where there is nothing else to leave. `why`: what was said there.
        """
        root = why.rpartition(BECAUSE)[2]
        reason = root if root != why else f"{Path(file).name}:{line}: {why}"
        first = self.first or reason
        if packages.read and is_installed(file) and (file, line) not in self.lines and len(self.lines) < _TRIES:
            _note((file, line), reason)
            return replace(self, lines=self.lines | {(file, line)}, first=first)
        if packages.passed_by and self.given_nothing:
            return replace(self, given_nothing=False)
        if not packages.read:
            return None
        for package in packages.read:
            _note((package, 0), first)
        return replace(self, packages=self.packages.union(packages.read), lines=frozenset(), first=first)

    def has(self, code: CodeType) -> bool:
        """Whether the function of this `code` is."""
        return next(_lines_in(code, self.lines), None) is not None


BECAUSE = ", whose code cannot be read: "
"""What comes between the name of a function that is left to the run and the reason."""

_reasons: dict[tuple[str, int], str] = {}
_REASONS = 256


def _note(place: tuple[str, int], reason: str) -> None:
    while len(_reasons) >= _REASONS:
        _reasons.pop(next(iter(_reasons)), None)
    _reasons[place] = reason


def why_left(module: str, code: CodeType) -> str:
    """Why the function of this `code`, of `module`, was left to the run, where it was; else nothing."""
    if not is_installed(code.co_filename):
        return ""
    place = next(_lines_in(code, _reasons), (module.partition(".")[0], 0))
    return _reasons.get(place, "")


def _lines_in(code: CodeType, places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Those of `places` that stand in `code`."""
    within = [place for place in tuple(places) if place[0] == code.co_filename]
    last = max((line for *_, line in code.co_lines() if line is not None), default=0) if within else 0
    return (place for place in within if code.co_firstlineno <= place[1] <= last)


class Reading:
    """What a try leaves to the run, and the packages of which it read code."""

    def __init__(self, left: Left) -> None:
        self.left = left
        self.read: set[str] = set()
        self.passed_by = False
        """Whether there was a function that was left as it is given nothing that moves."""


_reading: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading(left: Left) -> Iterator[Reading]:
    """Read the code of installed packages meanwhile, but what is `left`."""
    found = Reading(left)
    before = _reading.set(found)
    try:
        yield found
    finally:
        _reading.reset(before)


def left_now() -> Left | None:
    """What is left to the run now, where code of packages is read."""
    now = _reading.get()
    return None if now is None else now.left


def reading_as(left: Left | None) -> AbstractContextManager[object]:
    """Read of the code of installed packages meanwhile what was read when that was `left`."""
    return nullcontext() if left is None else reading(left)


def is_read_for_nothing_that_moves() -> bool:
    """Whether code of packages is read also where it is given nothing that moves; that it was asked is noted."""
    now = _reading.get()
    if now is None:
        return False
    now.passed_by = True
    return not now.left.given_nothing


def is_installed(file: str) -> bool:
    """Whether `file` is one of an installed package."""
    return file.startswith(_INSTALLED)


def is_never_read(module: str, file: str) -> bool:
    """Whether code of `module`, in `file`, is read in no try: of the standard library, or of a package that never is."""
    return module.partition(".")[0] in _LEFT if is_installed(file) else file.startswith(_STANDARD)


def is_left_to_the_run(module: str, file: str, code: CodeType | None = None) -> bool:
    """Whether code of `module`, in `file`, is not read: of the standard library, or of a package or function that is left."""
    if not is_installed(file):
        return is_never_read(module, file)
    package, now = module.partition(".")[0], _reading.get()
    if is_never_read(module, file) or now is None or package in now.left.packages or (code is not None and now.left.has(code)):
        return True
    now.read.add(package)
    return False
