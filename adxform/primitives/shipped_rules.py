"""Rules that packages ship: entry points of the group ``adxform.rules``, loaded when a function of their package is first met.

The name of an entry point is the package whose functions its rules are for; it leads to a module that registers them, or to a
function that does. What is installed is asked once, and not before a program calls a function of a package without a rule.
"""

from __future__ import annotations

import sys
import types
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from adxform.errors import RegistrationError
from adxform.threads.locks import Turn, imported, importing

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "adxform.rules"
_OWN = frozenset({"", "__main__", "adxform", "builtins", *sys.stdlib_module_names})
"""Packages for which nobody ships rules."""

_NAMED = types.FunctionType | types.MethodType | types.BuiltinFunctionType | type

_turn = Turn()
_begun: set[str] = set()
_loading: set[str] = set()
_done: set[str] = set()
_broken: dict[str, str] = {}
_conflicts: dict[str, RegistrationError] = {}


def bring(fn: Any, *, settled: bool = False) -> bool:
    """Whether rules for the package of `fn` have just been loaded.

    Raises:
        RegistrationError: among them are two for one function, and it is not `settled` which one holds.
    """
    package = package_of(fn)
    if package in _OWN or package in _done:
        return False
    _turn.alone(lambda: _load(package))
    if package in _conflicts and not settled:
        raise _conflicts[package]
    if package not in _loading:
        _done.add(package)
    return package in installed()


def package_of(fn: Any) -> str:
    """The package that `fn` is of, or that the class of a callable object is of.

    >>> import numpy as np
    >>> package_of(np.linalg.norm), package_of(np.sin), package_of(np.random.default_rng(0).normal)
    ('numpy', 'numpy', 'numpy')
    """
    kind: Any = fn if isinstance(fn, _NAMED) else type(fn)
    module = kind.__module__
    if module is None and isinstance(fn, types.BuiltinFunctionType):
        module = type(fn.__self__).__module__
    return module.partition(".")[0] if isinstance(module, str) else ""


def trouble(fn: Any) -> str:
    """Why the rules that are shipped for the package of `fn` are not there; empty where they are, or there are none."""
    return _broken.get(package_of(fn), "")


@cache
def installed() -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points by the packages that they are for, in the order of what they say."""
    metadata: Any = imported("importlib.metadata")
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda entry: (entry.name, described(entry))):
        package = entry.name.partition(".")[0]
        found[package] = (*found.get(package, ()), entry)
    return found


def described(entry: EntryPoint) -> str:
    """`entry` as an error names it: the distribution, and what it leads to."""
    owner = entry.dist
    return f"`{owner.name} {owner.version}`, by `{entry.value}`" if owner is not None else f"`{entry.value}`"


def _load(package: str) -> None:
    if package in _begun:
        return
    _begun.add(package)
    _loading.add(package)
    try:
        for entry in installed().get(package, ()):
            _bring_in(package, entry)
    finally:
        _loading.discard(package)


def _bring_in(package: str, entry: EntryPoint) -> None:
    try:
        found = importing(entry.load)
        if not isinstance(found, types.ModuleType):
            found()
    except RegistrationError as error:
        message = f"the rules for `{package}` that are shipped with {described(entry)} meet others: {error.message}"
        _conflicts[package] = RegistrationError(message, help=error.help)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        _broken[package] = f"the rules for `{package}` that are shipped with {described(entry)} cannot be loaded ({why})"
        warnings.warn(_broken[package], RuntimeWarning, stacklevel=2)
