"""How kernels give up: what they hold is released. It imports Numba, as `adxform.backends.numba.machine.kernels` does.

Numba's code returns at once where something raises, and what its variables refer to stays for ever: arrays that were made, and a
reference to each argument. A kernel that raises is no accident (its caller runs Python instead), and may do so at every call.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core.callconv import RETCODE_NONE, RETCODE_OK
from numba.core.lowering import Lower

FINE = (RETCODE_OK.constant, RETCODE_NONE.constant)


class ReleasingLower(Lower):
    """Numba's translation into LLVM's language, in which each way out with an error leads through a block that releases."""

    def _find_singly_assigned_variable(self) -> None:
        """Have a slot for each variable that refers to memory, so that it can be released from anywhere."""
        super()._find_singly_assigned_variable()  # type: ignore[no-untyped-call]
        self._singly_assigned_vars = {name for name in self._singly_assigned_vars if not self._refers(name)}

    def lower_normal_function(self, fndesc: Any) -> None:
        """The function, and the block in which it gives up."""
        super().lower_normal_function(fndesc)  # type: ignore[no-untyped-call]
        failing = [block for block in self.function.blocks if is_failure(block.terminator)]
        held = [name for name in self.varmap if self._refers(name)]
        if not failing or not held:
            return
        builder = ir.IRBuilder(self.function.append_basic_block("give_up"))
        code = builder.phi(failing[0].terminator.return_value.type)
        for block in failing:
            code.add_incoming(block.terminator.return_value, block)
            block.instructions.remove(block.terminator)
            block.terminator = None
            ir.IRBuilder(block).branch(builder.block)
        for name in held:
            self.context.nrt.decref(builder, self.typeof(name), builder.load(self.varmap[name]))  # type: ignore[no-untyped-call]
        builder.ret(code)

    def _refers(self, name: str) -> bool:
        """Whether the variable `name` counts as a reference to memory."""
        return bool(self.context.data_model_manager[self.typeof(name)].contains_nrt_meminfo())  # type: ignore[no-untyped-call]


def is_failure(instruction: Any) -> bool:
    """Whether the function returns here because something raised."""
    if not isinstance(instruction, ir.Ret):
        return False
    code = instruction.return_value
    return not (isinstance(code, ir.Constant) and code.constant in FINE)
