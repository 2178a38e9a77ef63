"""The backend that runs rules as Python: what it realises is the source that users read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from adxform.analysis.unseen_code import changes_outside
from adxform.backends.fast_path_code import fast_path_code
from adxform.backends.protocol import Backend, FastPathCode, Host, Lowered, Run
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import load
from adxform.frontend.derivative_operators import EngineName
from adxform.ir.ops import Lit
from adxform.primitives.alias import Aliases
from adxform.runtime.language.outside import anew as begun_anew
from adxform.runtime.language.outside import leaving_arrays, once, written_outside
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import in_thread, is_deep, ran_out


@dataclass(frozen=True, slots=True)
class Assuming:
    """Runs `assuming`, which assumes something of its arguments; where that raises, `fallback`, which assumes nothing.

    It `changes` something outside, or not.
    """

    assuming: Run
    fallback: Run
    changes: bool = False

    def __call__(self, *args: Any) -> Any:
        """What `fallback` returns for `args`."""
        return once(self._run, *args) if self.changes else self._run(*args)

    def _run(self, *args: Any) -> Any:
        anew = begun_anew if self.changes else as_it_runs
        try:
            return self.assuming(*args)
        except Exception as error:
            if ran_out(error) and not is_deep():
                again = anew(self._run)
                return in_thread(lambda: again(*args))
        return anew(self.fallback)(*args)


def as_it_runs(run: Run) -> Run:
    """`run` itself."""
    return run


class PythonBackend(Backend):
    """CPython and NumPy."""

    name: EngineName = "python"
    description = "CPython and NumPy"

    @phase("emit")
    def realise(
        self, lowered: Lowered, surroundings: Surroundings, fallback: Run | None = None, aliases: Aliases | None = None
    ) -> tuple[Generated, Run]:
        """The source, and its function."""
        generated = emit(lowered.function, surroundings=surroundings, aliases=aliases)
        run = load(generated)
        changes = [op.fn for op in changes_outside(lowered.function)]
        if Lit(written_outside) in changes:
            run = leaving_arrays(run)
        return generated, run if fallback is None else Assuming(run, fallback, bool(changes))

    def fast_path(self, run: Run, generated: Generated, count: int) -> FastPathCode | None:
        """The function of a rule that something sure stands behind: no other may run a second time."""
        if not isinstance(run, Assuming) or run.changes:
            return None
        return fast_path_code(generated, count, run.assuming, as_it_is)


def as_it_is(body: Sequence[ast.stmt], host: Host) -> Iterator[ast.stmt]:
    """The statements themselves."""
    yield from body
