"""One-line declarations of primitives: what kind of derivative, and on which samples it is checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from adxform.ir.ops import Call, Operand, Var
from adxform.ir.spans import own_attribute
from adxform.ir.types import Scalar, Several, Type
from adxform.primitives.facets import Gives, Kernel
from adxform.primitives.record import PURE, VIEWS_FIRST, Constant, Derivative, Effect, General, Linear, Partials, Primitive

Result = Callable[[tuple[Operand, ...], Mapping[str, Operand]], Type | Several | None]
Singular = bool | Callable[[tuple[Operand, ...]], bool]
Effects = Effect | Callable[[Call], Effect]


def name_of(fn: Callable[..., Any]) -> str:
    """The name by which a person knows `fn`: ``np.linalg.solve``, ``operator.add``, ``np.ndarray.sum``, ``math.sin``.

    >>> name_of(max), name_of(list.append), name_of([].append), name_of(dict.fromkeys)
    ('max', 'list.append', 'list.append', 'dict.fromkeys')
    """
    name: str = getattr(fn, "__qualname__", "") or getattr(fn, "__name__", repr(fn))
    if isinstance(ufunc := getattr(fn, "__self__", None), np.ufunc):
        return f"np.{ufunc.__name__}.{fn.__name__}"
    if (
        isinstance(fn, np.ufunc)
        and getattr(np, name, None) is not fn
        and getattr(sys.modules.get("scipy.special"), name, None) is fn
    ):
        return f"scipy.special.{name}"
    owner = getattr(fn, "__objclass__", fn)
    holder = getattr(fn, "__self__", None)
    cls = holder if isinstance(holder, type) else type(holder)
    if cls.__module__ == "builtins" and not isinstance(holder, NoneType | ModuleType):
        owner = cls
    if isinstance(owner, type) and owner is getattr(sys.modules.get("scipy.sparse.linalg"), "SuperLU", None):
        return f"scipy.sparse.linalg.{name}"  # which says that it is one of Python's own
    module: str = getattr(owner, "__module__", None) or ("builtins" if isinstance(fn, FunctionType) else "numpy")
    module = {"numpy": "np", "_operator": "operator", "builtins": "", "adxform.ir.intrinsics": "intrinsics"}.get(module, module)
    module = "np" + module.removeprefix("numpy") if module.startswith("numpy.") else module
    return f"{module}.{name}" if module else name


def views_array(call: Call) -> Effect:
    """A view of the first argument, if that has memory; what is made of a number or a display is an array of its own."""
    first = call.args[0] if call.args else None
    return VIEWS_FIRST if isinstance(first, Var) and not isinstance(first.type, Scalar) else PURE


def primitive(
    fn: Callable[..., Any],
    derivative: Derivative | None,
    *samples: tuple[Any, ...],
    effect: Effects = PURE,
    result: Result | None = None,
    **facets: Any,
) -> Primitive:
    """The record of `fn` with any derivative, or ``None``; `facets` are fields of `Primitive`."""
    return Primitive(fn, name_of(fn), derivative, effect, result, samples, **facets)


def scalar(
    fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], singular: Singular = False, **facets: Any
) -> Primitive:
    """An elementwise function by its partial derivatives, ``body(y, *args)``."""
    return primitive(fn, Partials(body, singular), *samples, **facets)


def floating(fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """An elementwise function that gives floats of floats, and that Numba has."""
    return scalar(fn, body, *samples, gives=Gives.FLOAT, kernel=Kernel.FLOATS, **facets)


def series(form: Callable[..., Any]) -> dict[str, Any]:
    """The facets of an elementwise function of floats, and maybe an order ahead of them, that kernels have in this form."""
    return {"gives": Gives.ORDER, "kernel": Kernel.ORDER, "form": form}


def linear(
    fn: Callable[..., Any],
    transposes: Callable[..., Any] | Mapping[int, Callable[..., Any]],
    *samples: tuple[Any, ...],
    shapes: tuple[int, ...] = (),
    of_a_part: tuple[Callable[..., Any], Callable[..., Any]] | None = None,
    **facets: Any,
) -> Primitive:
    """A function linear in its first argument (one transpose), or in each of several (a transpose by position)."""
    table = transposes if isinstance(transposes, Mapping) else {0: transposes}
    return primitive(fn, Linear(table, shapes, of_a_part), *samples, **facets)


def constant(fn: Callable[..., Any], **facets: Any) -> Primitive:
    """A function whose derivative is zero wherever it exists."""
    return primitive(fn, Constant(), **facets)


def general(
    fn: Callable[..., Any],
    body: Callable[..., Any],
    *samples: tuple[Any, ...],
    tangent: Callable[..., Any] | None = None,
    elementwise: bool = False,
    singular: bool = False,
    constant: tuple[int, ...] = (),
    **facets: Any,
) -> Primitive:
    """A function by its value, or its values, and pullback together."""
    derivative = General(body, tangent, elementwise=elementwise, singular=singular, constant=constant)
    return primitive(fn, derivative, *samples, **facets)


def method_asked(fn: Any) -> str:
    """The method for which `fn`, a function of NumPy, asks an object before it makes an array of it: `np.amax` for `max`."""
    name = str(own_attribute(fn, "__name__", ""))
    return {"amax": "max", "amin": "min", "around": "round"}.get(name, name)
