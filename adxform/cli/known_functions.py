"""What is known of functions: of which kind each is, how many there are of each, and all that is known of one."""

from __future__ import annotations

import inspect
import pkgutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.frontend.known import KNOWN
from adxform.primitives import definitions, scipy_rules
from adxform.primitives.completeness import lacks
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS, OWN_VALUES
from adxform.primitives.record import Constant, Linear, Memory, Primitive
from adxform.primitives.signatures import signature_of, stated, taken
from adxform.primitives.table import REFUSALS, TABLE, bodies, definition, lookup, refusal

Fn = Callable[..., Any]


class DecidedAs(Enum):
    """What has been decided of a function; the value is how people read it."""

    RULE = "rule"
    DEFINITION = "definition by other functions"
    FOLLOWED = "followed by adxform itself"
    ZERO = "zero almost everywhere"
    REFUSED = "refused, with the reason"
    NO_NUMBERS = "gives no numbers to follow"


MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "numpy": ("numpy", "numpy.linalg", "numpy.fft", "numpy.ndarray"),
        "scipy": (*sorted(scipy_rules.FAMILIES), "scipy.sparse.linalg", "scipy.spatial.distance", "scipy.signal.windows"),
        **{name: (name,) for name in ("math", "cmath", "operator", "functools", "itertools", "statistics")},
    }
)
"""The packages of which every public function is decided, and the modules and classes in which people find these."""


def kind_of(fn: Any) -> DecidedAs | None:
    """What has been decided of `fn`; ``None``: nothing yet.

    >>> tuple(kind_of(fn).value for fn in (np.sin, np.diff, np.floor, np.roots))
    ('rule', 'definition by other functions', 'zero almost everywhere', 'refused, with the reason')
    """
    record = lookup(fn)
    if record is not None and record.derivative is not None:
        zero = isinstance(record.derivative, Constant) and fn not in KNOWN
        return DecidedAs.ZERO if zero else DecidedAs.FOLLOWED if isinstance(record.derivative, Memory) else DecidedAs.RULE
    if definition(fn) is not None:
        return DecidedAs.DEFINITION
    refused = refusal(fn)
    if refused is not None:
        return DecidedAs.REFUSED if refused.numbers else DecidedAs.NO_NUMBERS
    if _is_known(fn):
        return DecidedAs.FOLLOWED
    if isinstance(fn, type) and issubclass(fn, np.generic):
        return DecidedAs.NO_NUMBERS
    return None if record is None else DecidedAs.NO_NUMBERS


def _is_known(fn: Any) -> bool:
    try:
        return fn in KNOWN
    except TypeError:
        return False


def decided() -> dict[Fn, DecidedAs]:
    """Every function that a program may call and of which something has been decided, by kind."""
    every = (*TABLE, *DEFINITIONS, *REFUSALS, *(fn for fn in KNOWN if callable(fn)))
    return {fn: kind for fn in dict.fromkeys(every) if not _is_internal(fn) and (kind := kind_of(fn)) is not None}


def _is_internal(fn: Any) -> bool:
    return (getattr(fn, "__module__", None) or "").startswith("adxform")


def undecided(package: str) -> list[str]:
    """The public functions of `package` of which nothing has been decided; a name of a method has that of its class before it."""
    return [name for name, fn in public(package) if kind_of(fn) is None]


def public(package: str) -> Iterator[tuple[str, Any]]:
    """The public functions of `package`, and the names under which people find them."""
    for module in MODULES[package]:
        owner = pkgutil.resolve_name(module)
        for name in sorted(getattr(owner, "__all__", dir(owner))):
            if not name.startswith("_") and callable(found := getattr(owner, name)):
                yield f"{module}.{name}", found


def listing() -> str:
    """Each function and its kind, and how many there are of each kind."""
    found = sorted(((name_of(fn), kind) for fn, kind in decided().items()), key=lambda one: one[0])
    width = max(len(name) for name, _ in found)
    counts = Counter(kind for _, kind in found)
    lines = [f"{name:{width}}  {kind.value}" for name, kind in found]
    totals = [f"{counts[kind]:5}  {kind.value}" for kind in DecidedAs if counts[kind]]
    return "\n".join([f"{'function':{width}}  what is known of it", *lines, "", "count  kind", *totals]) + "\n"


def told(name: str) -> str:
    """All that is known of the functions called `name`; where none is, which ones have it in their names."""
    wanted = "np" + name.removeprefix("numpy") if name.startswith("numpy.") else name
    if name.startswith("scipy."):  # whose rules join the table when a function of the package is met
        every = {fn: (full, kind) for full, fn in public("scipy") if (kind := kind_of(fn)) is not None}
    else:
        every = {fn: (name_of(fn), kind) for fn, kind in decided().items()}
    exact = [fn for fn, (full, _) in every.items() if wanted in (full, full.rpartition(".")[2])]
    if exact:
        return "\n".join("\n".join(_told_of(fn, *every[fn])) + "\n" for fn in exact)
    near = sorted((found for found in every.values() if wanted in found[0]), key=lambda one: one[0])
    return "".join(f"{full}  {kind.value}\n" for full, kind in near) or f"nothing is known of a function called {name}\n"


def _told_of(fn: Fn, name: str, kind: DecidedAs) -> Iterator[str]:
    record, refused = lookup(fn), refusal(fn)
    yield name
    yield f"  kind        {kind.value}{_form(fn, record)}"
    if refused is not None and kind in (DecidedAs.REFUSED, DecidedAs.NO_NUMBERS):
        yield f"  why         it {refused.why}"
        if refused.instead:
            yield f"  instead     {refused.instead}"
        return
    if kind in (DecidedAs.RULE, DecidedAs.DEFINITION):
        yield from _parameters(fn, record)
    if record is not None and kind is DecidedAs.RULE:
        holds = "the rule holds for complex numbers" if record.takes_complex else "refused: the rule is for real numbers"
        yield f"  complex     {holds}"
        if record.elementwise:
            missing = lacks(record)
            yield f"  elementwise {'without ' + ' and '.join(missing) if missing else 'with out= and kernels'}"
    for body in _sources(fn, record, kind):
        yield from _source(body)


def _form(fn: Fn, record: Primitive | None) -> str:
    if record is None or record.derivative is None:
        return ", with the value of its own call" if fn in OWN_VALUES else ""
    forms = {"Partials": "slopes of each element", "Linear": "linear: a transpose", "General": "a value and a pullback"}
    form = forms.get(type(record.derivative).__name__)
    return f" ({form})" if form else ""


def _parameters(fn: Fn, record: Primitive | None) -> Iterator[str]:
    signature = signature_of(fn)
    if signature is None:
        return
    ruled = record is not None and record.derivative is not None
    covered = stated(record) if ruled and record is not None else taken(fn, DEFINITIONS[fn]) if fn in DEFINITIONS else None
    names = list(signature.parameters)
    if covered is not None and (form := definitions.form(fn, names, lambda _: False)) is not None:
        covered |= taken(fn, form[1]) or frozenset()
    given = [name for name in names if covered is None or name in covered or name == "out"]
    yield f"  parameters  {', '.join(given)}"
    if refused := [name for name in names if name not in given]:
        yield f"  refused     {', '.join(refused)}, unless left at their defaults"


def _sources(fn: Fn, record: Primitive | None, kind: DecidedAs) -> list[Any]:
    if kind is DecidedAs.DEFINITION:
        return [DEFINITIONS[fn]]
    if kind is DecidedAs.RULE and record is not None:
        found = [body for body in bodies(record) if body is not None]
        return list(dict.fromkeys(found)) if isinstance(record.derivative, Linear) else found
    return []


def _source(body: Any) -> Iterator[str]:
    """The text of a body, under where it stands."""
    try:
        lines, start = inspect.getsourcelines(body)
    except (OSError, TypeError):
        return
    yield f"  source      {Path(inspect.getfile(body)).name}:{start}"
    yield textwrap.indent(textwrap.dedent("".join(lines)).rstrip(), "    ")
