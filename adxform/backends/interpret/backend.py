"""The backend that runs rules op by op, as the IR says, for debugging: the value of every op can be seen (`tracing.trace`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adxform.analysis.stepping import interpret
from adxform.analysis.unseen_code import changes_outside
from adxform.backends.interpret.tracing import watcher
from adxform.backends.protocol import Backend, Lowered, Run
from adxform.backends.python.backend import Assuming
from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import locate
from adxform.frontend.derivative_operators import EngineName
from adxform.ir.ops import Function, Op
from adxform.ir.text import show
from adxform.primitives.alias import Aliases
from adxform.threads.deep_recursion import in_thread, is_deep


@dataclass(frozen=True, slots=True)
class Interpreted:
    """Runs `function`; what it raises says where in the user's code that is."""

    function: Function

    def __call__(self, *args: Any) -> Any:
        """The results of the function, as generated code returns them."""
        if self.function.helpers and not is_deep():  # a call of the program is several of the interpreter
            return in_thread(lambda: self(*args))
        return interpret(self.function, *args, watch=watcher(self.function), failed=say_where)


def say_where(error: Exception, op: Op) -> None:
    """Note on `error`, which `op` raised, the line of the user's code that `op` comes from."""
    if op.span.line:
        locate(error, op.span)


class InterpretBackend(Backend):
    """The interpreter of the IR. Its source is the text of the IR."""

    name: EngineName = "interpret"
    description = "the IR op by op, to debug"

    def realise(
        self, lowered: Lowered, surroundings: Surroundings, fallback: Run | None = None, aliases: Aliases | None = None
    ) -> tuple[Generated, Run]:
        """The text of the function, and what interprets it."""
        run = Interpreted(lowered.function)
        generated = Generated(show(lowered.function) + "\n", lowered.function.name)
        return generated, run if fallback is None else Assuming(run, fallback, any(changes_outside(lowered.function)))
