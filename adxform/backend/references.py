"""How generated code names functions, classes, modules and constants: an import where there is a name, else an external.

An external is an object that no import reaches (a lambda, a closure, a value of ``__main__``); it is put into the generated
module's namespace when that is loaded.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from adxform.backend.syntax import is_method

NUMPY_PLACES = ("", "linalg", "fft", "random", "ma", "polynomial")
ALIASES = {"numpy": "np"}


class References:
    """The names one generated module takes from elsewhere, each imported once."""

    def __init__(self) -> None:
        self.externals: dict[str, object] = {}
        self._modules: dict[str, ast.stmt] = {}
        self._from: dict[str, tuple[str, str]] = {}
        self._known: dict[int, tuple[object, ast.expr]] = {}
        self._names: dict[str, object] = {}
        self._used: set[str] = set()

    @property
    def names(self) -> frozenset[str]:
        """Every name that is taken."""
        return frozenset(self._names)

    def forget_uses(self) -> None:
        """Keep every name, and import only what is referred to from now on."""
        self._used.clear()

    def used_externals(self) -> dict[str, object]:
        """The externals that were referred to."""
        return {name: value for name, value in self.externals.items() if name in self._used}

    def imports(self) -> list[ast.stmt]:
        """The import statements for what was referred to, plain ones first, in alphabetical order."""
        used = self._used
        plain = [self._modules[name] for name in sorted(self._modules) if ALIASES.get(name, name.partition(".")[0]) in used]
        by_module: dict[str, list[ast.alias]] = {}
        for name, (module, original) in sorted(self._from.items()):
            if name not in used:
                continue
            by_module.setdefault(module, []).append(ast.alias(original, None if name == original else name))
        return [*plain, *(ast.ImportFrom(module, by_module[module], 0) for module in sorted(by_module))]

    def to(self, value: object) -> ast.expr:
        """An expression for `value`, an object with identity."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._find(value))
        self._used.add(_top(known[1]))
        return known[1]

    def module(self, name: str) -> ast.expr:
        """An expression for the module `name`."""
        top, _, rest = name.partition(".")
        alias = ALIASES.get(name, top)
        if name == "adxform.runtime":
            return self._import_from("adxform", "runtime", sys.modules[name])
        self._used.add(alias)
        self._names[alias] = sys.modules[name] if not rest else sys.modules[top]
        self._modules[name] = ast.Import([ast.alias(name, alias if alias != top else None)])
        return _dotted(ast.Name(alias, ast.Load()), rest)

    def _find(self, value: object) -> ast.expr:
        if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value:
            return self.module(value.__name__)
        name = getattr(value, "__name__", "")
        if isinstance(name, str) and name:
            if getattr(builtins, name, self) is value:
                self._names[name] = value
                return ast.Name(name, ast.Load())
            if (path := _numpy_path(value, name)) is not None:
                return _dotted(self.module("numpy"), path)
            owner = value.__objclass__ if is_method(value) else getattr(value, "__self__", None)
            if isinstance(owner, np.ufunc | type) and getattr(owner, name, self) == value:
                return ast.Attribute(self.to(owner), name, ast.Load())
            for module, path in _places(value, name):
                if _resolve(module, path) is value:
                    if module in {"math", "cmath", "operator", "adxform.runtime"}:
                        return _dotted(self.module(module), path)
                    first, _, rest = path.partition(".")
                    return _dotted(self._import_from(module, first, getattr(sys.modules[module], first)), rest)
        return self._external(value, name if isinstance(name, str) and name else type(value).__name__)

    def _import_from(self, module: str, original: str, value: object) -> ast.expr:
        name = self._free(original, value)
        self._names[name] = value
        self._from[name] = (module, original)
        return ast.Name(name, ast.Load())

    def _external(self, value: object, hint: str) -> ast.expr:
        base = hint if hint.isidentifier() else "function" if callable(value) else "constant"
        name = self._free(base, value)
        self._names[name] = value
        self.externals[name] = value
        return ast.Name(name, ast.Load())

    def _free(self, base: str, value: object) -> str:
        name, count = base, 0
        while self._names.get(name, value) is not value or hasattr(builtins, name):
            count += 1
            name = f"{base}_{count}"
        return name


def _numpy_path(value: object, name: str) -> str | None:
    if value is np.absolute:
        return "abs"
    for place in NUMPY_PLACES:
        module = getattr(np, place) if place else np
        if callable(value) and getattr(module, name, None) is value:
            return f"{place}.{name}" if place else name
    return None


def _places(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Modules and paths where `value` may be found, public ones first."""
    owner = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None) or getattr(owner, "__name__", None) or type(owner).__module__
    path = getattr(value, "__qualname__", name)
    if not isinstance(path, str) or "<" in path:
        return
    if isinstance(value, np.ufunc) and module is None:
        module = "scipy.special"
    if not isinstance(module, str) or module == "__main__":
        return
    parts = module.split(".")
    public = next((k for k, part in enumerate(parts) if part.startswith("_")), len(parts))
    if 0 < public < len(parts):
        yield ".".join(parts[:public]), path
    yield module, path
    yield module, name


def _resolve(module: str, path: str) -> object:
    found: object = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _top(expr: ast.expr) -> str:
    """The name that the path `expr` begins with."""
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return expr.id if isinstance(expr, ast.Name) else ""


def _dotted(start: ast.expr, path: str) -> ast.expr:
    for part in path.split(".") if path else ():
        start = ast.Attribute(start, part, ast.Load())
    return start
