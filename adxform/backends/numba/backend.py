"""The backend that compiles loops and array expressions with Numba, and leaves the rest to Python around them."""

from __future__ import annotations

from functools import partial

from adxform.backends.fast_path_code import fast_path_code
from adxform.backends.numba.compilation_report import loops_left, report
from adxform.backends.numba.compiled_rule import (
    CompiledForm,
    Guarded,
    compiled_form,
    cut_into_kernels,
    kernels,
    realise,
    with_arrays,
)
from adxform.backends.numba.engine_policy import offer
from adxform.backends.numba.importing import is_available, trouble
from adxform.backends.numba.kernel_memory import directly, in_pools
from adxform.backends.numba.worth import Estimate
from adxform.backends.protocol import CompilingBackend, FastPathCode, Lowered, Run
from adxform.backends.python.backend import PythonBackend
from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.errors import MissingExtraError
from adxform.frontend.derivative_operators import Engine, EngineName
from adxform.ir.ops import Function
from adxform.primitives.alias import Aliases
from adxform.runtime.pools import Pools

PYTHON = PythonBackend()


class NumbaBackend(CompilingBackend):
    """Kernels that Numba compiles; a function without any is Python's."""

    name: EngineName = "numba"
    description = "kernels that Numba compiles"
    weight = 8
    compiles = True

    def check_installed(self) -> None:
        """See that Numba is installed.

        Raises:
            MissingExtraError: it is not.
        """
        if not is_available():
            raise MissingExtraError('the engine "numba" needs Numba', help="pip install 'adxform[numba]'")

    def is_usable(self) -> bool:
        """Whether Numba is installed, and nothing is known against importing it."""
        return is_available() and not trouble()

    def load(self) -> None:
        """Import Numba."""
        kernels()

    def before_cut(self, fn: Function, engine: Engine) -> Function:
        """`fn` with arrays in the place of stacks, where kernels would then hold all that uses them."""
        return with_arrays(fn, engine)

    def lower(self, fn: Function, engine: Engine, skipped: int = 0) -> Lowered:
        """`fn` cut into kernels, or for Python where there are none."""
        found = cut_into_kernels(fn, engine, skipped)
        return PYTHON.lower(fn, engine, skipped) if found is None else compiled_form(fn, found, skipped)

    def realise(
        self, lowered: Lowered, surroundings: Surroundings, fallback: Run | None = None, aliases: Aliases | None = None
    ) -> tuple[Generated, Run]:
        """The source, kernels and all, and what runs it and falls back on Python."""
        if isinstance(lowered, CompiledForm):
            return realise(lowered, surroundings, fallback)
        return PYTHON.realise(lowered, surroundings, fallback, aliases)

    def offer(self, fn: Function, engine: Engine, skipped: int = 0) -> tuple[str, Lowered | None]:
        """Whether kernels should run `fn`: where they take over most of the steps."""
        return offer(fn, engine, skipped)

    def appraise(self, fn: Function) -> Estimate:
        """What compiling derivatives of `fn` takes and saves."""
        return Estimate(fn)

    def report(self, fn: Function, engine: Engine) -> list[str]:
        """The kernels of `fn`, what is gathered in them, and what stays in Python and why."""
        return report(fn, engine)

    def loops_left(self, fn: Function, engine: Engine) -> list[str]:
        """What in each loop of `fn` no kernel holds, or that it could be compiled."""
        return loops_left(fn, engine)

    def finish(self, run: Run) -> None:
        """Have the kernels of `run` compiled."""
        if isinstance(run, Guarded):
            run.compile()

    def complaint(self, run: Run) -> str | None:
        """Why Numba could not compile `run`."""
        refused = run.refusal if isinstance(run, Guarded) else None
        return None if refused is None else f"Numba could not compile it: {refused}"

    def pooled(self, run: Run, generated: Generated, pools: Pools) -> Run:
        """`run` with workspaces of `pools`."""
        return in_pools(run, generated, pools) if isinstance(run, Guarded) and run.workspaces else run

    def fast_path(self, run: Run, generated: Generated, count: int) -> FastPathCode | None:
        """The Python around kernels; the machine code of these is called from it where arrays are laid out for that."""
        if not isinstance(run, Guarded):
            return PYTHON.fast_path(run, generated, count)
        return (
            None
            if run.refusal is not None or run.changes
            else fast_path_code(generated, count, run.compiled, partial(directly, run))
        )
