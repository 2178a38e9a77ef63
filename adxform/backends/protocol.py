"""What a backend is: what runs derived rules, and everything that the rest of adxform asks of it.

A function on its way through a backend is first `Lowered`: typed IR that the backend will run, parts of which it may have cut out
to be compiled. That can still be rewritten, as it is where arrays get places that outlive a call. It is then realised: source
text, and a callable that takes the function's parameters.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.frontend.derivative_operators import Engine, EngineName
from adxform.ir.ops import Function, Op
from adxform.ir.spans import Span
from adxform.ir.walk import without_results
from adxform.primitives.alias import Aliases
from adxform.runtime.pools import Pools

Run = Callable[..., Any]
"""What runs a function: it takes the parameters, and returns one result bare and several as a tuple."""
CALLS = 1000
"""How many calls have to pay back what compiling takes, where adxform chooses."""
DOUBT, BOUND = 3.0, 2.0
"""How far off the estimates may be, and the seconds up to which compiling has the benefit of the doubt."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why `op` cannot be where it would have to be: `reason` is what comes after "for"."""

    op: Op
    reason: str

    @property
    def span(self) -> Span:
        """Where the user wrote it."""
        return self.op.span


@dataclass(frozen=True, slots=True)
class Choice:
    """What runs a rule, never ``"auto"``, and why; no reason where it was not for adxform to choose."""

    engine: Engine
    reason: str = ""


class Lowered(Protocol):
    """A function as its backend will run it."""

    @property
    def function(self) -> Function:
        """What runs."""
        ...

    @property
    def may_give_up(self) -> bool:
        """Whether it may raise where the function itself returns, so that something else has to run then."""
        ...

    def with_function(self, function: Function) -> Lowered:
        """The same, of which `function`, a rewritten form, is what runs."""
        ...


@dataclass(frozen=True, slots=True)
class Uncut:
    """A function that runs as it is."""

    function: Function
    may_give_up: bool = False

    def with_function(self, function: Function) -> Uncut:
        """The same of another function."""
        return replace(self, function=function)


@dataclass(frozen=True, slots=True)
class Host:
    """The function that straight code becomes a part of.

    `fresh` makes names that are not used there yet, and `constant` has it hold a value, under a name like the one given. Memory
    that outlives a call lies in `pools`. The arrays `contiguous` lie row by row. Where a shortcut turns out to be closed, what it
    stands for is done, or `instead`.
    """

    fresh: Callable[[str], str]
    constant: Callable[[str, Any], ast.expr]
    pools: Pools
    contiguous: frozenset[str] = frozenset()
    instead: ast.stmt | None = None


@dataclass(frozen=True)
class FastPathCode:
    """The function of a rule as statements that may be a part of another one; a rule that raises may run again.

    After `body` its results are what `found` says. `around` is what it takes from outside, by name. `direct` turns statements of
    the body, which may have been rewritten, into those that do the same by the shortest way that the backend knows.
    """

    params: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    found: tuple[ast.expr, ...]
    around: Mapping[str, Any]
    direct: Callable[[Sequence[ast.stmt], Host], Iterator[ast.stmt]]

    @cached_property
    def stores(self) -> Counter[str]:
        """How often each name is assigned."""
        return Counter([name.id for name in self._names() if isinstance(name.ctx, ast.Store)])

    @cached_property
    def stored(self) -> frozenset[str]:
        """The names that are assigned."""
        return frozenset(self.stores)

    @cached_property
    def used(self) -> frozenset[str]:
        """All names but those of parameters that nothing reads."""
        return frozenset([name.id for name in self._names()])

    def _names(self) -> list[ast.Name]:
        return [node for part in (*self.body, *self.found) for node in ast.walk(part) if isinstance(node, ast.Name)]


class Backend(Protocol):
    """What runs rules, under the `name` that ``engine=`` has for it; `description` is for ``--help``.

    A rule takes as much memory as `weight` rules of Python's, beside its own text. A backend that `compiles` profits from forms
    of a function that are made for kernels, and may run a rule again from its beginning. What is done here is right for a backend
    that takes every op and does nothing ahead of a call; another one has methods of its own.
    """

    name: EngineName
    description: str
    weight: int = 0
    compiles: bool = False

    def check_installed(self) -> None:
        """See that what it needs is installed, which is quickly told.

        Raises:
            MissingExtraError: it is not.
        """
        return

    def load(self) -> None:
        """Import what it needs.

        Raises:
            MissingExtraError: that is not installed, or cannot be imported.
        """
        return

    def before_cut(self, fn: Function, engine: Engine) -> Function:
        """`fn` in the form that is cut into a forward and a backward part, where it is to be."""
        return fn

    def lower(self, fn: Function, engine: Engine, skipped: int = 0) -> Lowered:
        """`fn`, optimised typed IR, as it will run, without its first results, those `skipped`.

        What only they need may be left out, but for what may raise.
        """
        return Uncut(without_results(fn, skipped))

    def realise(
        self, lowered: Lowered, surroundings: Surroundings, fallback: Run | None = None, aliases: Aliases | None = None
    ) -> tuple[Generated, Run]:
        """The source of what was `lowered`, and what runs it.

        Where it raises, because what it assumes does not hold, or `fallback` would, that runs. `aliases` are the alias classes of
        its variables, where its parameters may share memory.
        """
        ...

    def report(self, fn: Function, engine: Engine) -> list[str]:
        """What it compiles of `fn`, optimised typed IR, a line for each thing to say."""
        return []

    def finish(self, run: Run) -> None:
        """Have done ahead of the first call what `run` would do at it."""
        return

    def complaint(self, run: Run) -> str | None:
        """Why Python runs instead of `run`, if it does."""
        return None

    def pooled(self, run: Run, generated: Generated, pools: Pools) -> Run:
        """`run`, which runs what was `generated`, in memory out of `pools`, if it works in any; its results are new."""
        return run

    def fast_path(self, run: Run, generated: Generated, count: int) -> FastPathCode | None:
        """The function that was `generated`, with `count` results; ``None`` where a prepared call had better call `run`."""
        return None


@dataclass(frozen=True, slots=True)
class Worth:
    """What compiling takes, and what it saves at each call like the one that was looked at, in seconds."""

    takes: float
    saves: float

    @property
    def pays(self) -> bool:
        """Whether it may pay back over a thousand calls, as far as the estimates tell."""
        return self.takes <= CALLS * self.saves * (DOUBT if self.takes <= BOUND else 1.0)

    def __str__(self) -> str:
        return f"compiling takes about {self.takes:.2g} s and saves about {self.saves * 1e3:.2g} ms at each call of these sizes"


class Appraisal(Protocol):
    """What compiling derivatives of one function takes and saves."""

    def pays(self, mode: str, inputs: Callable[[], Sequence[Any]]) -> bool:
        """Whether it pays to compile the derivative in `mode` for arguments like `inputs`."""
        ...

    def worth(self, mode: str, inputs: Sequence[Any]) -> Worth:
        """What compiling the derivative in `mode` takes and saves for arguments like `inputs`."""
        ...


class CompilingBackend(Backend, Protocol):
    """A backend that ``engine="auto"`` weighs against Python."""

    def is_usable(self) -> bool:
        """Whether what it needs is installed, and nothing is known against importing it."""
        ...

    def appraise(self, fn: Function) -> Appraisal:
        """What compiling derivatives of `fn`, typed IR, takes and saves."""
        ...

    def offer(self, fn: Function, engine: Engine, skipped: int = 0) -> tuple[str, Lowered | None]:
        """Whether it should run `fn`, optimised typed IR, as far as the IR tells: why, or why not; and `fn` as it would run."""
        ...

    def loops_left(self, fn: Function, engine: Engine) -> list[str]:
        """Of each loop of `fn`, which Python runs, a line on whether it could be compiled, and why not."""
        ...
