"""What refusals call functions and rules of the user's, and which way out there really is of a call without a rule."""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from adxform.errors import MissingRuleError
from adxform.ir.ops import Var
from adxform.ir.packages import BECAUSE, why_left
from adxform.ir.spans import Span, own_attribute, written_in
from adxform.ir.types import Array, Scalar
from adxform.primitives import compiled_by_numba, definitions, shipped_rules
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import CALLING_BACK
from adxform.primitives.effects import IN_PLACE_OPERATORS
from adxform.primitives.table import refusal

NAMELESS = ("tmp", "result")
"""What lowering calls a value to which the user gave no name."""


def shown(var: Var) -> str:
    """How a message names `var`: as the user does, or by its kind where the user has no name for it."""
    if var.base not in NAMELESS:
        return f"`{var.base}`"
    match var.type:
        case Scalar():
            return "this number"
        case Array():
            return "this array"
        case _:
            return "this value"


def callable_name(fn: object) -> str:
    """How a user would write `fn`."""
    module = getattr(fn, "__module__", None) or ""
    if owner := _public_owner(fn):
        return f"{owner}.{getattr(fn, '__name__', '')}"
    name = own_attribute(fn, "__qualname__") or own_attribute(fn, "__name__") or repr(fn)
    if isinstance(fn, np.ufunc) and getattr(sys.modules.get("scipy.special"), name, None) is fn:
        return f"scipy.special.{name}"
    if isinstance(fn, type) or module in {"builtins", "__main__", ""}:
        return name
    parts = module.split(".")
    packages = [".".join(parts[:count]) for count in range(1, len(parts))]
    public = [package for package in packages if getattr(sys.modules.get(package), name, None) is fn]
    return f"{public[0] if public else module}.{name}"


def missing_rule(fn: object, span: Span, unknown: str = "") -> MissingRuleError:
    """The error for a call of `fn`, which has no rule, on the way from the arguments to the result.

    `unknown`: what cannot be followed because nothing tells what `fn` returns, whether it is on that way or not.
    """
    why = f", and {unknown}" if unknown else ""
    for known, what, way in _SPECIAL:
        if known(fn):
            return MissingRuleError(f"no derivative is followed through {what(fn)}{why}", span=span, help=way)
    name = callable_name(fn)
    if (refused := refusal(fn)) is not None:
        message = f"no derivative rule for `{name}`, which {refused.why}{why}"
        return MissingRuleError(message, span=span, help=refused.instead or "leave it out of what the result depends on")
    if because := shipped_rules.trouble(fn):
        help_ = f"wrap the call in `stop_gradient`, if its derivative is to be zero, or state one with `adxform.rule({name})`"
        return MissingRuleError(f"no derivative rule for `{name}`: {because}{why}", span=span, help=help_)
    if (only := _only(fn)) is not None:
        message = f"no derivative rule for `{name}` with these parameters{why}"
        return MissingRuleError(message, span=span, help=f"it has one with {only}; of others compute the value outside")
    other = (
        "call it outside of the function and pass what it returns"
        if unknown
        else "wrap the call in `stop_gradient`, if its derivative is to be zero"
    )
    stated = (
        "put what is done with it into a function and register a rule for that"
        if _makes(fn)
        else f"register one with `adxform.rule({name})`"
    )
    help_ = f"{stated}, or {other}"
    reason = f"{BECAUSE}{because}" if (because := _why_left(fn)) else ""
    return MissingRuleError(f"no derivative rule for `{name}`{why}{reason}", span=span, help=help_)


def _why_left(fn: object) -> str:
    """Why the code of `fn`, a function, method or class of an installed package, was left to the run."""
    init = own_attribute(fn, "__init__") if isinstance(fn, type) else fn
    code = own_attribute(init, "__code__")
    return why_left(written_in(getattr(init, "__func__", init)), code) if isinstance(code, types.CodeType) else ""


def _makes(fn: object) -> bool:
    """Whether `fn` is a class, which makes an object and no numbers: no rule can be stated for it."""
    return isinstance(fn, type)


def has_way_around(fn: object) -> bool:
    """Whether the error for a call of `fn` says what else to write, though `fn` may have a rule."""
    return any(known(fn) for known, _, _ in _SPECIAL)


def _only(fn: object) -> str | None:
    """The parameters with which `fn` has a definition, where it has one with some only."""
    try:
        found = definitions.ONLY.get(fn)  # type: ignore[call-overload]
    except TypeError:
        return None
    if found is None:
        return None
    return ", ".join(f"`{name}` {' or '.join(map(repr, values)) or 'a constant'}" for name, values in found.items())


def _behind(fn: object) -> str:
    found = own_attribute(fn, "pyfunc") or own_attribute(fn, "__wrapped__") or fn
    return getattr(found, "__name__", type(found).__name__)


def _is_method_of_frozen(fn: object) -> bool:
    """Whether `fn` is a method of a distribution of SciPy whose parameters were given when it was made."""
    owner = type(getattr(fn, "__self__", None)).__name__
    return (
        str(getattr(fn, "__module__", "")).startswith("scipy.stats")
        and "frozen" in f"{owner} {own_attribute(fn, '__qualname__', '')}"
    )


def _takes_masked(fn: object) -> bool:
    """Whether `fn` makes or takes masked arrays of NumPy's."""
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return any(f"{one}.".startswith(("numpy.ma.", "scipy.stats._mstats")) for one in (module, type(fn).__module__))


def _draws(fn: object) -> bool:
    """Whether `fn` draws random numbers from a distribution of SciPy's."""
    return str(getattr(fn, "__module__", "")).startswith("scipy.stats") and own_attribute(fn, "__name__", "") == "rvs"


def said(body: Callable[..., Any]) -> Callable[..., Any]:
    """What the user stated, of which a `body` was made; where that is all, the body itself."""
    found: Callable[..., Any] = getattr(body, "__adx_stated__", body)
    return found


def is_users(body: Callable[..., Any]) -> bool:
    """Whether a rule is the user's own: the library's are tested."""
    return not written_in(said(body)).startswith("adxform.")


def title(body: Callable[..., Any]) -> str:
    """How an error names the rule with this body."""
    body = said(body)
    code = getattr(body, "__code__", None)
    name = f"the rule `{getattr(body, '__qualname__', 'rule')}`"
    return name if code is None else f"{name} ({Path(code.co_filename).name}:{code.co_firstlineno})"


def _public_owner(fn: object) -> str:
    """How a user would write the object of which `fn` is a method, where a public module has it under a name."""
    owner = own_attribute(fn, "__self__")
    if owner is None or isinstance(owner, type):
        return ""
    parts = type(owner).__module__.split(".")
    for count in range(1, len(parts)):
        package = sys.modules.get(".".join(parts[:count]))
        for name, found in vars(package).items() if package is not None else ():
            if found is owner and not name.startswith("_"):
                return f"{'.'.join(parts[:count])}.{name}"
    return ""


# For what no rule can be registered: what it is, and what to do instead.
_SPECIAL: tuple[tuple[Callable[[Any], bool], Callable[[Any], str], str], ...] = (
    (
        lambda fn: fn is np.linalg.eig or fn is np.linalg.eigvals,
        lambda fn: f"`np.linalg.{fn.__name__}` of a real matrix, whose eigenvalues are real or complex as only a run can tell",
        "ask for real parts or sizes (`w.real`, `np.abs(w)`), or give it a complex matrix, `a + 0j`; of a symmetric one `eigh`",
    ),
    (
        lambda fn: isinstance(fn, np.ufunc) and fn.types == ["O" * fn.nin + "->" + "O" * fn.nout],
        lambda fn: f"`np.frompyfunc`, here of `{getattr(fn, '__name__', 'a function')}`",
        "make it by `np.vectorize(f, otypes=[float])`, or call the function itself on each element in a loop",
    ),
    (
        lambda fn: isinstance(own_attribute(fn, "__self__"), np.ufunc) and hasattr(fn, "__name__"),
        lambda fn: f"`{name_of(fn)}`",
        "write out what it does: `f(a[..., None], b)` for `f.outer(a, b)`, sums of slices for `reduceat`",
    ),
    (
        _takes_masked,
        lambda fn: f"masked arrays, here by `{callable_name(fn)}`",
        "keep the mask as an array of its own: `np.mean(x, where=~mask)`, `np.where(mask, 0.0, x)`, `x[~mask]`",
    ),
    (
        lambda fn: isinstance(fn, functools._lru_cache_wrapper),
        lambda fn: f"a cache, here of `{_behind(fn)}`",
        "call the function behind the cache, its `__wrapped__`; only what does not depend on arguments may be cached",
    ),
    (
        lambda fn: own_attribute(fn, "__name__", "") == "third_slope" and written_in(fn).startswith("adxform."),
        lambda fn: "the solution of an equation, or a minimum, to an order of derivatives beyond the third",
        "take fewer derivatives, or write the solver out as a loop",
    ),
    (
        lambda fn: getattr(fn, "__name__", "") == "of_a_design" and written_in(fn).startswith("adxform."),
        lambda fn: "the ripple, or the window, of a filter that is designed",
        "move the frequencies alone, or design the filter outside of the function",
    ),
    (
        lambda fn: written_in(fn).startswith(("scipy.integrate", "scipy.optimize")) and fn in CALLING_BACK,
        lambda fn: f"`{callable_name(fn)}` with functions or options that adxform cannot follow",
        "give it functions that write no state, and the methods and options that docs/scipy.md names",
    ),
    (
        lambda fn: _draws(fn) or getattr(fn, "__name__", "") == "shape_of_a_draw",
        lambda fn: "random numbers that are drawn with parameters which move, of which some are accepted and others are not",
        "draw in standard form and move those: `loc + scale * z`, or `dist.ppf(u, ...)` of uniform numbers `u`",
    ),
    (
        lambda fn: isinstance(fn, types.FunctionType) and written_in(fn) == "scipy.stats._distn_infrastructure",
        lambda fn: f"`{getattr(fn, '__name__', 'a method')}` of a distribution, of which adxform has no formula",
        "write out its formula, or register a rule for the method of that distribution",
    ),
    (
        _is_method_of_frozen,
        lambda fn: f"`{getattr(fn, '__name__', 'a method')}` of a frozen distribution",
        "write out its formula, or call the method of the distribution itself with the parameters and register a rule for that",
    ),
    (
        lambda fn: fn is operator.call or isinstance(fn, operator.methodcaller),
        lambda fn: "a call of something that only the run knows, such as a method of an object that a function returns",
        "call it outside of the function and pass what it returns, or put it into a function and register a rule for that",
    ),
    (
        lambda fn: fn is iter,
        lambda fn: "an iterator that goes to code which adxform cannot look into",
        "make a list of it, or an array, and give that: `list(…)`",
    ),
    (
        lambda fn: isinstance(fn, types.BuiltinFunctionType) and fn in IN_PLACE_OPERATORS,
        lambda fn: f"an operator that works in place, `operator.{fn.__name__}`, on a value of which nothing is known",
        "write it with the plain operator, `a = a - b` for `a -= b`",
    ),
    (
        compiled_by_numba.converts,
        lambda fn: f"`{_behind(fn)}`, which Numba compiled for types to which it converts numbers",
        "leave the types out: Numba finds them by what it is given; or call its Python function, `.py_func` or `.__wrapped__`",
    ),
    (
        lambda fn: compiled_by_numba.python_code(fn) is not None,
        lambda fn: f"`{_behind(fn)}`, which Numba has compiled",
        "call its Python function, `.py_func`: adxform compiles it together with its derivative",
    ),
    (
        compiled_by_numba.works_on_parts,
        lambda fn: f"`{_behind(fn)}`, which `numba.guvectorize` made",
        "write it with `numba.njit`, or call its Python function with an array for its results, `.__wrapped__`",
    ),
)
