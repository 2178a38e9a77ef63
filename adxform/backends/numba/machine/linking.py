"""The compiler for kernels: what a kernel calls becomes part of it. It imports Numba, as `kernels` does.

The linker knows functions by their names alone, and takes the first of each. Numba's names are unique in a process, but not those
of functions that several processes compiled: so a kernel that is kept on the disk brings its own, under names that nobody sees.

These are names that nobody else has, either. The linker takes a function that one module hides for the one of that name that
later modules share, and the hidden one may have lost parameters, or have been compiled for what it is given there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import Linkage
from llvmlite.binding.newpassmanagers import NewPassManager
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import BaseNativeLowering, NativeLowering, NopythonTypeInference

from adxform.backends.numba.machine.engines import are_there, new_engine, outside
from adxform.backends.numba.machine.entrance import KernelLower
from adxform.runtime.timing import phase

ENVIRONMENT = "_ZN08NumbaEnv"
TIMED = "LLVM_PASS_TIMINGS"


class Passing:
    """A code generator that knows the managers of passes it made, and gives them back.

    llvmlite's do not go with their last reference: the class that they inherit first says that there is nothing to give back.
    What LLVM's passes keep in them is three times as much as all that a kernel leaves otherwise.
    """

    def __init__(self, codegen: Any) -> None:
        self._made: list[Any] = []
        self._for_functions: tuple[Any, Any] | None = None
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def _function_pass_manager(self, **options: Any) -> Any:
        """One for all functions of a module, for LLVM keeps something of each; one for each where it is to tell their times."""
        if self._for_functions is None or getattr(config, TIMED):
            self._for_functions = self._noted(self._codegen._function_pass_manager(**options))
        return self._for_functions

    def _module_pass_manager(self, **options: Any) -> Any:
        return self._noted(self._codegen._module_pass_manager(**options))

    def _noted(self, made: tuple[Any, Any]) -> tuple[Any, Any]:
        self._made.append(made[0])
        return made

    def give_back(self) -> None:
        """Give back the managers, which have run."""
        for manager in self._made:
            if not manager.closed:
                NewPassManager._dispose(manager)
                manager.detach()


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel."""

    def finalize(self) -> None:
        """Link and optimise; then nothing can be added."""
        module = self._final_module
        self._own = {value.name for value in (*module.functions, *module.global_variables) if not value.is_declaration}
        super().finalize()  # type: ignore[no-untyped-call]

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise each function of `ll_module` by itself."""
        with self._passing():
            super()._optimize_functions(ll_module)  # type: ignore[no-untyped-call]

    def _finalize_final_module(self) -> None:
        """Make the machine code, in an engine of its own unless it needs what only Numba's has: recursion, environments."""
        module = self._final_module
        foreign = [one.name for one in module.global_variables if one.name.startswith(ENVIRONMENT) and one.name not in self._own]
        if not foreign and are_there(outside(module)):
            self._codegen, self._held = new_engine()
        super()._finalize_final_module()  # type: ignore[no-untyped-call]

    @contextmanager
    def _passing(self) -> Iterator[None]:
        """Have what runs passes given back."""
        codegen = self._codegen
        passing: Any = Passing(codegen)
        self._codegen = passing
        try:
            yield
        finally:
            self._codegen = codegen
            passing.give_back()

    def _optimize_final_module(self) -> None:
        """Hide what was linked, so that it is inlined or kept apart, and drop what only it would need."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in self._own:
                function.linkage = "internal"
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT) and variable.name not in self._own:
                variable.linkage = "linkonce_any"
        with self._passing():
            super()._optimize_final_module()  # type: ignore[no-untyped-call]
        self._rename_hidden()

    def _rename_hidden(self) -> None:
        """Name what is hidden, and was not inlined, after the kernel. Until now passes of Numba knew functions by their names."""
        functions = list(self._final_module.functions)
        kernel = min(function.name for function in functions if function.name in self._own)
        hidden = [function for function in functions if function.linkage == Linkage.internal]
        for number, function in enumerate(hidden):
            function.name = f"{kernel}.{number}"


@register_pass(mutates_CFG=False, analysis_only=False)
class IntoOneLibrary(FunctionPass):
    """Has the code of the function that is being compiled put into a `KernelLibrary`."""

    _name = "into_one_library"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        """Set the library of the function, of which there is none yet."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.library.enable_object_caching()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(BaseNativeLowering):
    """Translates the function that is being compiled with `KernelLower`."""

    _name = "kernel_lowering"  # type: ignore[assignment]

    @property
    def lowering_class(self) -> type[KernelLower]:
        """What translates a function."""
        return KernelLower


class FromEitherEnd(CompilerBase):
    """The compiler for kernels of which indices may count from the end."""

    @phase("compile")
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]

    @phase("compile")
    def compile_extra(self, func: Any) -> Any:
        """The machine code of `func`."""
        return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> list[Any]:
        """Numba's own stages, and the library."""
        stages = self.stages()
        stages.finalize()
        return [stages]

    def stages(self) -> Any:
        """The stages, to which others can be added. Nobody calls a kernel from C: there is no form for that."""
        self.state.flags.no_cfunc_wrapper = True
        builder: Any = DefaultPassBuilder
        stages = builder.define_nopython_pipeline(self.state)
        stages.add_pass_after(IntoOneLibrary, NopythonTypeInference)
        stages.passes = [(KernelLowering if stage is NativeLowering else stage, name) for stage, name in stages.passes]
        return stages
