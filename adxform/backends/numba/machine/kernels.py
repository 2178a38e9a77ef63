"""Compiling kernels with Numba. Imported when a first rule is compiled, as that takes a while (`compiled_rule`)."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Sequence
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any

import numba
import numba.extending
from llvmlite import ir

from adxform import runtime
from adxform.backends.numba.machine import products as _machine_products  # noqa: F401 - says how products are compiled
from adxform.backends.numba.machine import solvers as _machine_solvers  # noqa: F401 - and solvers
from adxform.backends.numba.machine.code_cache import kept
from adxform.backends.numba.machine.entrance import looks_at_arrays
from adxform.backends.numba.machine.indices import FromTheFront
from adxform.backends.numba.machine.linking import FromEitherEnd
from adxform.backends.numba.machine.special import are_met, know_special_functions
from adxform.backends.python.loading import generated_text
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.table import TABLE
from adxform.runtime import kernel_scalars

_FORMS = (form for record in TABLE.values() for form in (record.form, record.complex_form, record.wrapped_form))
OWN_FORMS = {form for form in _FORMS if isinstance(form, FunctionType)}
for _form in sorted(OWN_FORMS | {*kernel_scalars.CHECKS, runtime.place}, key=lambda form: form.__qualname__):
    if _form not in (runtime.larger, runtime.smaller):
        numba.extending.register_jitable(_form)


@numba.extending.intrinsic
def _in_any_order(context: Any, total: Any, value: Any) -> Any:
    """One step of a sum that the compiler may take in any order, and so in several lanes at once."""

    def add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(*args, flags=("reassoc", "contract"))

    return total(total, total), add


@numba.extending.overload(runtime.add_up, inline="always")
def _add_up(total: Any, value: Any) -> Any:
    def floats(total: Any, value: Any) -> Any:
        return _in_any_order(total, value)  # type: ignore[call-arg]  # Numba gives the first one itself

    def integers(total: Any, value: Any) -> Any:
        return kernel_scalars.wrapped_sum(total, value)

    def others(total: Any, value: Any) -> Any:
        return total + value

    if _are_floats(total, value):
        return floats
    return integers if all(isinstance(one, numba.types.Integer) for one in (total, value)) else others


def _extreme(name: str) -> Any:
    """An instruction of LLVM's for the one of two numbers, NaN where one is; a loop that takes it of all runs in lanes."""

    @numba.extending.intrinsic
    def of_two(context: Any, total: Any, value: Any) -> Any:
        def instruction(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            double = args[0].type
            intrinsic = builder.module.declare_intrinsic(name, [double], ir.FunctionType(double, [double, double]))
            return builder.call(intrinsic, args)

        return numba.types.float64(numba.types.float64, numba.types.float64), instruction

    return of_two


_larger, _smaller = _extreme("llvm.maximum"), _extreme("llvm.minimum")


@numba.extending.overload(runtime.larger, inline="always")
def _larger_of(total: Any, value: Any) -> Any:
    def floats(total: Any, value: Any) -> Any:
        return _larger(total, value)

    def integers(total: Any, value: Any) -> Any:
        return max(total, value)

    return floats if _are_floats(total, value) else integers


@numba.extending.overload(runtime.smaller, inline="always")
def _smaller_of(total: Any, value: Any) -> Any:
    def floats(total: Any, value: Any) -> Any:
        return _smaller(total, value)

    def integers(total: Any, value: Any) -> Any:
        return min(total, value)

    return floats if _are_floats(total, value) else integers


def _are_floats(*given: Any) -> bool:
    return all(isinstance(one, numba.types.Float) for one in given)


def kernel(fn: Callable[..., Any]) -> Any:
    """`fn` compiled to machine code at its first call with arguments of a kind. It does not hold the interpreter's lock.

    No index of `fn` may be negative, in what it is or at run time.
    """
    return _compiled(fn, FromTheFront)


def kernel_from_either_end(fn: Callable[..., Any]) -> Any:
    """The same for functions with indices that count from the end."""
    return _compiled(fn, FromEitherEnd)


def _compiled(fn: Callable[..., Any], compiler: type[FromEitherEnd]) -> Any:
    """`fn` to be compiled. The machine code of one that was generated is kept on the disk.

    Its name holds a digest of the text of its module, for the linker takes functions of one name for one function.
    """
    if are_met():
        know_special_functions()
    text = generated_text(fn)
    if text is not None:
        fn.__module__, fn.__qualname__ = __name__, f"{fn.__name__}_{sha256(text.encode()).hexdigest()}"
        fn = on_its_own(fn)
    dispatcher = numba.njit(error_model="numpy", nogil=True, pipeline_class=compiler)(fn)
    return dispatcher if text is None else kept(dispatcher)


def on_its_own(fn: Any) -> Any:
    """`fn`, with no more of its module than it names: Numba keeps that as long as there is a function of the module.

    `fn` itself where it names what is defined later.
    """
    needed = [name for name in names_in(fn.__code__) if not hasattr(builtins, name)]
    if any(name not in fn.__globals__ for name in needed):
        return fn
    own = {"__name__": __name__, "__builtins__": builtins, **{name: fn.__globals__[name] for name in needed}}
    alone = FunctionType(fn.__code__, own, fn.__name__, fn.__defaults__, fn.__closure__)
    alone.__module__, alone.__qualname__, alone.__kwdefaults__ = fn.__module__, fn.__qualname__, fn.__kwdefaults__
    return alone


def names_in(code: CodeType) -> set[str]:
    """The names of globals that `code` reads, and functions inside of it."""
    inner = [names_in(const) for const in code.co_consts if isinstance(const, CodeType)]
    return {op.argval for op in dis.get_instructions(code) if op.opname in ("LOAD_GLOBAL", "LOAD_NAME")}.union(*inner)


def compile_for(compiled: Any, types: Sequence[Type]) -> Callable[..., Any]:
    """A kernel compiled for parameters of `types`, arrays row by row. It raises a `TypeError` for arrays of another kind.

    Where its machine code would not look at its arguments (see `entrance`), Numba's dispatcher does.
    """
    given = tuple(map(_machine_type, types))
    made: Callable[..., Any] = compiled.compile(given)
    return made if looks_at_arrays(compiled.overloads[given].signature.return_type) else compiled


def _machine_type(type_: Type) -> Any:
    match type_:
        case Array(dtype, tuple() as shape):
            return numba.types.Array(_number(dtype), len(shape), "C")
        case Scalar(dtype):
            return _number(dtype)
        case _:
            raise AssertionError(type_)


def _number(dtype: str) -> Any:
    return numba.types.boolean if dtype == "bool" else getattr(numba.types, dtype)
