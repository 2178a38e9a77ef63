"""The compiler for kernels of which no index is negative. It imports Numba, as `adxform.backends.numba.machine.kernels` does."""

from __future__ import annotations

from typing import Any

import numba
from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference

from adxform.backends.numba.machine.linking import FromEitherEnd

TYPES: Any = numba.types


@register_pass(mutates_CFG=False, analysis_only=False)
class IndicesFromTheFront(FunctionPass):
    """Takes indices as unsigned, so that no length is added to one that is negative.

    A loop in which that might happen does not vectorise.
    """

    _name = "indices_from_the_front"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        """Change the types of indices in the function that is being compiled."""
        for op, signature in list(state.calltypes.items()):
            load = isinstance(op, ir.Expr) and op.op == "getitem"
            if (load or isinstance(op, ir.SetItem)) and isinstance(signature.args[0], TYPES.Array):
                array, index, *value = signature.args
                del state.calltypes[op]
                state.calltypes[op] = signature.replace(args=(array, _unsigned(index), *value))
        return True


def _unsigned(index: Any) -> Any:
    if isinstance(index, TYPES.BaseTuple):
        return TYPES.Tuple([_unsigned(item) for item in index])
    return TYPES.uint64 if isinstance(index, TYPES.Integer) else index


class FromTheFront(FromEitherEnd):
    """The compiler for kernels of which no index counts from the end."""

    def stages(self) -> Any:
        """The stages, and the one for indices."""
        stages = super().stages()
        stages.add_pass_after(IndicesFromTheFront, NopythonTypeInference)
        return stages
