"""A derived rule with its loops compiled, and the way back to Python where compiled code does not do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.unseen_code import KEEPING, changes_outside
from adxform.backends.numba.checks import is_exception
from adxform.backends.numba.importing import needing_numba
from adxform.backends.numba.kernel_extraction import Outlined, outline, used_in_python
from adxform.backends.numba.kernel_pipeline import LOOPS, LoopSetting
from adxform.backends.numba.kernel_workspaces import with_workspaces
from adxform.backends.python.backend import as_it_runs
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import load
from adxform.frontend.derivative_operators import Engine
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Var
from adxform.ir.types import Type
from adxform.ir.walk import all_ops, without_results
from adxform.passes.driver import through
from adxform.passes.loops.tape_arrays import tapes_as_arrays
from adxform.primitives.effects import is_opaque
from adxform.runtime import kernel_scalars
from adxform.runtime.language.outside import anew as begun_anew
from adxform.runtime.language.outside import once
from adxform.runtime.strict import way_back
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import has_stack_left, in_thread, is_deep, on_deep_stack, ran_out

WORKS = 10**9
HARMLESS = frozenset(
    {intrinsics.turning_point, intrinsics.push, intrinsics.pop, intrinsics.new_stack, runtime.private, *kernel_scalars.CHECKS}
    | {*KEEPING, runtime.found_outside, runtime.computed}
)


@dataclass(slots=True)
class Guarded:
    """Runs `compiled`; where that raises, `plain` instead, which gives the right result or the right error.

    Compiled code raises where an index is, or may be, out of bounds, where a number leaves the domain of an operation of
    Python's, and where Numba cannot compile it for these arguments: if it never could, it is not tried more than a few times.
    What `workspaces` return, which `compiled` calls, is the same for the same arguments, but for what is in it. It `changes`
    something outside, or not.
    """

    compiled: Callable[..., Any]
    plain: Callable[..., Any]
    kernels: Mapping[str, tuple[Type, ...]] = field(default_factory=dict)
    workspaces: frozenset[str] = frozenset()
    tries: int = 3
    refusal: str | None = None
    changes: bool = False

    def compile(self) -> None:
        """Have the kernels compiled now, for arrays that lie row by row; others are compiled for when they come."""
        for name in self.kernels:
            try:
                self.machine_code(name)
            except Exception as error:
                way_back(error)
                self.refusal = f"{type(error).__name__}: {error}"

    def machine_code(self, name: str) -> Callable[..., Any]:
        """The kernel of that name, compiled: it takes arrays that lie row by row, and raises a `TypeError` for others."""
        generated, types = self.compiled.__globals__[name], self.kernels[name]
        made: Callable[..., Any] = on_deep_stack(lambda: kernels().compile_for(generated, types))
        return made

    def __call__(self, *args: Any) -> Any:
        """What `plain` returns for `args`."""
        return once(self._run, *args) if self.changes else self._run(*args)

    def _run(self, *args: Any) -> Any:
        anew = begun_anew if self.changes else as_it_runs
        if self.tries:
            if self.tries < WORKS and not has_stack_left():
                again = anew(self._run)
                return in_thread(lambda: again(*args))
            try:
                found = self.compiled(*args)
            except Exception as error:
                if ran_out(error) and not is_deep():
                    again = anew(self._run)
                    return in_thread(lambda: again(*args))
                if type(error).__module__.startswith("numba."):
                    if all(map(has_machine_type, args)) and _TOO_LARGE not in str(error):
                        way_back(error)
                    if self.tries < WORKS:
                        self.tries -= 1
                        self.refusal = f"{type(error).__name__}: {error}"
            except BaseException:
                if (machine_code := sys.modules.get("adxform.backends.numba.machine.code_cache")) is not None:
                    machine_code.unlock()
                raise
            else:
                self.tries, self.refusal = WORKS, None
                return found
        return anew(self.plain)(*args)


_TOO_LARGE = "Int value is too large"
"""What Numba says of an integer beyond 64 bits, which code between kernels may have computed."""


def has_machine_type(arg: Any) -> bool:
    """Whether machine code has a type for `arg`: not for integers beyond 64 bits, nor for arrays in foreign byte order."""
    match arg:
        case int():
            return -(2**63) <= arg < 2**64
        case np.ndarray():
            return bool(arg.dtype.isnative)
        case _:
            return True


@dataclass(frozen=True, slots=True)
class CompiledForm:
    """A function cut into kernels, and `plain`, the same uncut, which runs where they give up."""

    outlined: Outlined
    plain: Function
    may_give_up: bool = True

    @property
    def function(self) -> Function:
        """The function with its kernels."""
        return self.outlined.function

    def with_function(self, function: Function) -> CompiledForm:
        """The same with the function rewritten, but for its kernels."""
        return replace(self, outlined=replace(self.outlined, function=function))


@phase("emit")
def realise(
    form: CompiledForm, surroundings: Surroundings, fallback: Callable[..., Any] | None = None
) -> tuple[Generated, Callable[..., Any]]:
    """The source of `form`, and what runs it; where kernels give up, `fallback` runs, or else the function uncut."""
    found = form.outlined
    either, front = kernels().kernel_from_either_end, kernels().kernel
    decorators = {name: front if from_the_front else either for name, from_the_front in found.kernels.items()}
    generated = emit(found.function, surroundings=surroundings, decorators=decorators)
    made = {part.name: tuple([param.type for param in part.params]) for part in found.function.helpers}
    changes = any(changes_outside(form.plain))
    plainly = fallback or load(emit(form.plain, surroundings=surroundings))
    return generated, Guarded(
        load(generated), plainly, {name: made[name] for name in found.kernels}, found.workspaces, changes=changes
    )


def kernels() -> Any:
    """The module that compiles."""
    return needing_numba("adxform.backends.numba.machine.kernels")


def lowered(fn: Function, engine: Engine) -> Function:
    """`fn` with loops in the place of array expressions, and arrays in that of stacks, as `engine` would have them."""
    return looped(fn, engine)[0] if compiles(fn, engine) else fn


def with_arrays(fn: Function, engine: Engine) -> Function:
    """`fn` with arrays in the place of stacks, as `lowered` has them."""
    return tapes_as_arrays(fn, looped(fn, engine)[1])[0] if compiles(fn, engine) else fn


def looped(fn: Function, engine: Engine) -> tuple[Function, frozenset[Var]]:
    """`fn` after `LOOPS`, and the stacks that it keeps: one becomes an array where kernels then hold all that uses it.

    Loops in Python do better with a stack.
    """
    kept: frozenset[Var] = frozenset()
    while True:
        setting = LoopSetting(engine.fastmath, kept)
        found = through("loops", LOOPS, fn, setting)
        loose = used_in_python(found, setting.stacks)
        if not loose:
            return found, kept
        kept |= {setting.stacks[tape] for tape in loose}


@phase("emit")
def cut_into_kernels(fn: Function, engine: Engine, skipped: int = 0) -> Outlined | None:
    """`fn` with loops, cut into kernels, without its first results; ``None`` where `engine` compiles nothing of it."""
    if not compiles(fn, engine):
        return None
    found = outline(lowered(fn, engine), skipped, fastmath=engine.fastmath)
    return found if found.kernels else None


def compiled_form(fn: Function, found: Outlined, skipped: int = 0) -> CompiledForm:
    """What was `found` of `fn`, without its first results, as it is realised: with workspaces made ahead of kernels."""
    return CompiledForm(with_workspaces(found), without_results(fn, skipped))


def compiles(fn: Function, engine: Engine) -> bool:
    """Whether `engine` compiles what it can of `fn`: it has to be one that may run twice, should compiled code not do."""
    return engine.name == "numba" and is_repeatable(fn)


def is_repeatable(fn: Function) -> bool:
    """Whether running `fn` a second time, from the same arguments, changes nothing but what it returns, and what `once` does."""
    ops = [op for part in (fn, *fn.helpers) for op in all_ops(part.body)]
    return all(not is_opaque(op) or callee(op) in HARMLESS or is_exception(callee(op)) for op in ops if isinstance(op, Call))
