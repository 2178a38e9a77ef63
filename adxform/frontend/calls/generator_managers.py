"""Managers that `contextlib.contextmanager` makes outside of the function: followed where their generators can be cut in two."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from adxform.errors import SourceUnavailableError
from adxform.frontend.calls.program_functions import call_function
from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate.outside.guards import from_outside
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Value
from adxform.frontend.lowering.lower import lower_halves
from adxform.frontend.signature.access import Access, path_to
from adxform.ir.ops import Lit
from adxform.ir.spans import is_user
from adxform.primitives.definitions.of_python.halved_managers import HalvedManager

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


@contextlib.contextmanager
def _sample() -> Any:
    yield


def generator_behind(fn: Any) -> types.FunctionType | None:
    """The generator function of the program that `contextlib.contextmanager` made `fn` of."""
    if not isinstance(fn, types.FunctionType) or fn.__code__ is not _sample.__code__:
        return None
    inner = fn.__dict__.get("__wrapped__")
    held = [cell.cell_contents for cell in fn.__closure__ or ()]
    return inner if isinstance(inner, types.FunctionType) and held == [inner] and is_user(inner) else None


def made(
    interp: Interpreter, value: Static | Lit, access: Access | None, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """The manager that a call of `value` gives; ``None`` where its generator cannot be cut."""
    inner = generator_behind(value.value)
    try:
        halves = None if inner is None else lower_halves(inner)
    except SourceUnavailableError:
        return None
    if inner is None or halves is None:
        return None
    path = path_to(access, ("attribute", "__wrapped__"))
    from_outside(interp, inner, path)

    def begin(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
        return call_function(interp, inner, path, args, kwargs, hint, True, lowering=lambda _: halves)

    bound = Method(Lit(Known(inner.__name__, begin)), args, tuple(kwargs.items()))
    plain = Method(value, args, tuple(kwargs.items()))
    return interp.heap.new("instance", HalvedManager, ("begin", "plain"), (bound, plain))


def as_it_is(interp: Interpreter, manager: Ref) -> tuple[Any, tuple[Value, ...], Kwargs]:
    """The call by which the run makes `manager`."""
    plain = interp.contents(manager).get("plain")
    assert isinstance(plain, Method)
    assert isinstance(plain.fn, Static | Lit)
    return plain.fn.value, plain.args, dict(plain.kwargs)
