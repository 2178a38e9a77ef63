"""The table of primitives: one immutable mapping from callable to record, and an overlay of the user's own rules."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.errors import RegistrationError
from adxform.ir.ops import Call, Lit
from adxform.ir.spans import own_attribute, registering
from adxform.primitives import definitions, memory, scipy_rules, shipped_rules
from adxform.primitives.definitions import random_draws, real_spectra
from adxform.primitives.definitions.polynomials import polynomial_series
from adxform.primitives.families import (
    cmath_functions,
    determinants,
    math_functions,
    numpy_creation,
    numpy_elementwise,
    numpy_fourier,
    numpy_linear_algebra,
    numpy_products,
    numpy_reductions,
    numpy_shape,
    python_operators,
    singular_values,
    symmetric_matrices,
    tails,
    vector_lengths,
)
from adxform.primitives.record import Derivative, General, Linear, Partials, Primitive
from adxform.primitives.refusals import numpy_functions, python_functions, scipy_groups
from adxform.primitives.refusals.no_rule import NoRule, by_function
from adxform.primitives.writing_options import is_told_to_write
from adxform.threads.locks import imported, new_lock


def collect(records: Iterable[Primitive]) -> dict[Callable[..., Any], Primitive]:
    """`records` by their callables; two records for one callable are an error.

    >>> collect((*memory.TAPES, memory.TAPES[0]))
    Traceback (most recent call last):
    ...
    ValueError: two records for intrinsics.new_stack
    """
    table: dict[Callable[..., Any], Primitive] = {}
    for record in records:
        if record.fn in table:
            raise ValueError(f"two records for {record.name}")
        table[record.fn] = record
    return table


_library = collect(
    (
        *memory.RECORDS,
        *python_operators.RECORDS,
        *math_functions.RECORDS,
        *cmath_functions.RECORDS,
        *numpy_elementwise.RECORDS,
        *tails.RECORDS,
        *numpy_reductions.RECORDS,
        *vector_lengths.RECORDS,
        *numpy_products.RECORDS,
        *numpy_linear_algebra.RECORDS,
        *symmetric_matrices.RECORDS,
        *singular_values.RECORDS,
        *numpy_fourier.RECORDS,
        *determinants.RECORDS,
        *numpy_shape.RECORDS,
        *numpy_creation.RECORDS,
        *definitions.RECORDS,
        *random_draws.RECORDS,
        *polynomial_series.RECORDS,
        *real_spectra.RECORDS,
    )
)

TABLE: Mapping[Callable[..., Any], Primitive] = MappingProxyType(_library)
"""The library's records: those of SciPy's functions join when the first function of their package is met."""

_lock = new_lock()
_met: set[str] = set()
_refusals: dict[Callable[..., Any], NoRule] = by_function((*numpy_functions.REFUSED, *python_functions.REFUSED))

REFUSALS: Mapping[Callable[..., Any], NoRule] = MappingProxyType(_refusals)
"""Why functions have no derivative: those of SciPy join with their package, as its records do."""

own: Mapping[Any, Primitive] = MappingProxyType({})
_version = 0


def lookup(fn: Any) -> Primitive | None:
    """The record of `fn`, the user's own before the library's; ``None`` when there is none (or `fn` is unhashable)."""
    try:
        found = own.get(fn) or _library.get(fn)
    except Exception:  # an object of a user's class may raise anything where it is hashed
        return None
    if found is not None and found.place is None:
        return found
    return own.get(fn) or _library.get(fn) if (found is None and _meets(fn)) or shipped_rules.bring(fn) else found


def record_called(call: Call) -> Primitive | None:
    """The record of the function that `call` calls; ``None`` when there is none, or an option lets that write."""
    found = lookup(call.fn.value) if isinstance(call.fn, Lit) else None
    return None if found is None or is_told_to_write(call) else found


def derivative_of(call: Call) -> Derivative | None:
    """The derivative of the primitive that `call` calls."""
    record = record_called(call)
    return None if record is None else record.derivative


def _meets(fn: Any) -> bool:
    """Whether `fn` is the first function of a package of SciPy's, or callable object, whose rules join the table."""
    if isinstance(fn, np.ufunc):
        package = "scipy.special"
    else:
        owner = own_attribute(fn, "__objclass__", type(fn))
        module = own_attribute(fn if _is_function(fn) else owner, "__module__")
        package = _package_of(module) if isinstance(module, str) else ""
        package = scipy_rules.ELSEWHERE.get(package, package)
    if package not in scipy_rules.FAMILIES or package in _met or package not in sys.modules:
        return False
    family = imported(scipy_rules.FAMILIES[package])
    with _lock:
        made = collect((*family.RECORDS, *definitions.extend(family.DEFINITIONS)))
        _library.update((fn, record) for fn, record in made.items() if fn not in _library)
        refused = by_function(one for group in scipy_groups.GROUPS[package] for one in group.of(sys.modules[package]))
        _refusals.update((fn, one) for fn, one in refused.items() if fn not in _refusals)
        _met.add(package)
    return True


def _is_function(fn: Any) -> bool:
    """Whether `fn` is a function, or stands for one: it asks for another implementation first, or keeps what it returned."""
    functions = types.FunctionType | types.MethodType | types.BuiltinFunctionType | type
    return isinstance(fn, functions) or type(fn) is functools._lru_cache_wrapper or type(fn).__module__ == "uarray"


def _package_of(module: str) -> str:
    """The package of SciPy's whose functions those of `module` are, or are called by the rules of.

    >>> _package_of("scipy.linalg._basic"), _package_of("adxform.runtime.of_scipy.linalg")
    ('scipy.linalg', 'scipy.linalg')
    """
    return ".".join(module.replace("adxform.runtime.of_scipy.", "scipy.").split(".")[:2])


def refusal(fn: object) -> NoRule | None:
    """Why no derivative is followed through `fn`, where that has been decided.

    >>> refusal(np.roots).why
    'gives real or complex numbers, as the values say'
    """
    try:
        return REFUSALS.get(fn)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None


UNKNOWN = Primitive(lookup, "", None)
"""What is known of a function without a record: nothing."""


def record_of(fn: Any) -> Primitive:
    """The record of `fn`; one that says nothing where there is none."""
    try:
        return own.get(fn) or _library.get(fn, UNKNOWN)
    except TypeError:
        return UNKNOWN


class _Alike(frozenset[Callable[..., Any]]):
    """Functions of which something holds; none for which there is a rule of the user's, which may say otherwise."""

    def __contains__(self, fn: object, alike: Any = frozenset.__contains__) -> bool:
        return alike(self, fn) and fn not in own  # asked thousands of times for a derivative: `super()` took as long again


def having(test: Callable[[Primitive], bool]) -> frozenset[Callable[..., Any]]:
    """The library's functions of whose record `test` holds.

    >>> sorted(record_of(fn).name for fn in having(lambda record: record.divides))
    ['operator.floordiv', 'operator.mod', 'operator.truediv']
    """
    return _Alike(fn for fn, record in TABLE.items() if test(record))


def spelled(fn: Any) -> Any:
    """How `fn` is written on numbers: ``np.add`` as ``operator.add``."""
    return record_of(fn).spelled or fn


def meaning_of(fn: Any) -> Primitive:
    """The record of how `fn` is written on numbers: what ``np.add`` shares with ``operator.add`` is said once, there."""
    return record_of(spelled(fn))


def definition(fn: Any) -> Callable[..., Any] | None:
    """A Python function that means the same as `fn` and is made of primitives, for the front end to inline in its place."""
    lookup(fn)  # what is met first brings its family
    try:
        return definitions.DEFINITIONS.get(fn)
    except Exception:
        return None


def table_version() -> int:
    """A number that grows with each registration, so that a cached derivative knows which rules it was made from."""
    return _version


def registered() -> Mapping[Callable[..., Any], Primitive]:
    """The rules that were registered: a new mapping after each registration."""
    return own


def register(record: Primitive, *, replaces: bool = False) -> Primitive:
    """Make `record` the rule of ``record.fn`` from now on, in place of an earlier one of the same module.

    A cell of a notebook that is run again, and a module that is loaded again, register anew. `replaces`: in place of that of any
    module.

    Raises:
        RegistrationError: another module has registered one.
    """
    shipped_rules.bring(record.fn, settled=replaces)
    place = registering()
    earlier = own.get(record.fn)
    if earlier is not None and earlier.place is not None and earlier.place.module != place.module and not replaces:
        message = f"a rule for `{record.name}` was registered at {earlier.place}, and is now at {place}"
        raise RegistrationError(message, help="leave one of them out, or say which one holds: `replaces=True`")
    return _put(replace(record, place=place))


def _put(record: Primitive) -> Primitive:
    global own, _version
    with _lock:
        own = MappingProxyType({**own, record.fn: record})
        _version += 1
    return record


def renew(body: Callable[..., Any]) -> None:
    """Register the rules anew that `body` is a part of: it means something else than it did."""
    for record in tuple(own.values()):
        if body in bodies(record):
            _put(replace(record))


def bodies(record: Primitive) -> tuple[Callable[..., Any] | None, ...]:
    """The functions that state the derivative."""
    match record.derivative:
        case General(body, tangent):
            return body, tangent
        case Partials(body):
            return (body,)
        case Linear(transposes):
            return tuple(transposes.values())
        case _:
            return ()
