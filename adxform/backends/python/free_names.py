"""How generated code names functions, classes, modules and constants: an import where there is a name, else an external.

An external is an object that no import reaches (a lambda, a closure, a generator of random numbers, a value of ``__main__``):
a parameter that is given by keyword.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from adxform.backends.python.syntax import is_method
from adxform.ir.spans import own_attribute
from adxform.runtime import ContentsAfter

NUMPY_PLACES = ("", "linalg", "fft", "random", "ma", "polynomial")
ALIASES = {"numpy": "np"}
OWN = frozenset({"adxform.runtime", "adxform.runtime.revolve"})
DOTTED = OWN | {"math", "cmath", "operator"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a function finds outside of its arguments: parameters that are read there, and objects with the user's names."""

    read: tuple[str, ...] = ()
    objects: tuple[tuple[object, str], ...] = ()


class References:
    """The names one generated module takes from elsewhere, each imported once."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.externals: dict[str, object] = {}
        self._hints = {id(value): hint for value, hint in reversed(surroundings.objects)}
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
        """Keep every name, and note what is referred to from now on."""
        self._used.clear()

    @property
    def used(self) -> frozenset[str]:
        """The names that were referred to."""
        return frozenset(self._used)

    def imports(self, used: Collection[str]) -> list[ast.stmt]:
        """The import statements for the names `used`, plain ones first, in alphabetical order."""
        plain = [self._modules[name] for name in sorted(self._modules) if ALIASES.get(name, name.partition(".")[0]) in used]
        by_module: dict[str, list[ast.alias]] = {}
        for name, (module, original) in sorted(self._from.items()):
            if name not in used:
                continue
            by_module.setdefault(module, []).append(ast.alias(original, None if name == original else name))
        return [*plain, *(ast.ImportFrom(module, by_module[module], 0) for module in sorted(by_module))]

    def to(self, value: object) -> ast.expr:
        """An expression for `value`, an object with identity."""
        if isinstance(value, ContentsAfter):
            places = ast.Tuple([ast.Constant(place) for place in value.places], ast.Load())
            return ast.Call(self.to(ContentsAfter), [self.to(value.fn), places], [])
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._find(value))
        self._used.add(_top(known[1]))
        return known[1]

    def module(self, name: str) -> ast.expr:
        """An expression for the module `name`."""
        top, _, rest = name.partition(".")
        alias = ALIASES.get(name, top)
        if name in OWN:
            package, _, last = name.rpartition(".")
            found = self._import_from(package, last, sys.modules[name])
            self._used.add(_top(found))
            return found
        self._used.add(alias)
        self._names[alias] = sys.modules[name] if not rest else sys.modules[top]
        self._modules[name] = ast.Import([ast.alias(name, alias if alias != top else None)])
        return _dotted(ast.Name(alias, ast.Load()), rest)

    def method(self, receiver: object, name: str) -> ast.expr:
        """``receiver.name``, by way of the public function that is this method where a library has one."""
        bound = getattr(receiver, name)
        for module in _modules(type(receiver)):
            found = _resolve(module, name) if _is_written(module) else None
            if getattr(found, "__self__", None) is receiver and found == bound:
                self._used.add(_top(public := self._at(module, name)))
                return public
        return ast.Attribute(self.to(receiver), name, ast.Load())

    def _find(self, value: object) -> ast.expr:
        if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value and _is_written(value.__name__):
            return self.module(value.__name__)
        name = own_attribute(value, "__name__")
        name = name if isinstance(name, str) else ""
        owner = value.__objclass__ if is_method(value) else own_attribute(value, "__self__")
        if name:
            if getattr(builtins, name, self) is value:
                self._names[name] = value
                return ast.Name(name, ast.Load())
            if (path := _numpy_path(value, name)) is not None:
                return _dotted(self.module("numpy"), path)
            if isinstance(owner, np.ufunc | type) and getattr(owner, name, self) == value:
                return ast.Attribute(self.to(owner), name, ast.Load())
        for module, path in _places(value, name):
            if _is_written(module) and _is_written(path) and _resolve(module, path) is value:
                return self._at(module, path)
        if owner is not None and not isinstance(owner, ModuleType) and getattr(owner, name, None) == value:
            return ast.Attribute(self.to(owner), name, ast.Load())
        return self._external(value, self._hints.get(id(value)) or _hint(value))

    def _at(self, module: str, path: str) -> ast.expr:
        """An expression for what `path` leads to in `module`."""
        if module in DOTTED:
            return _dotted(self.module(module), path)
        top, _, place = module.partition(".")
        if top == "numpy" and place in NUMPY_PLACES:
            return _dotted(self.module(top), f"{place}.{path}" if place else path)
        first, _, rest = path.partition(".")
        return _dotted(self._import_from(module, first, getattr(sys.modules[module], first)), rest)

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
    if isinstance(value, np.ufunc):
        yield "scipy.special", name
    path = own_attribute(value, "__qualname__")
    if path is None:
        for module in _modules(type(value)):
            yield from ((module, key) for key, item in vars(sys.modules[module]).items() if item is value and key[0] != "_")
    elif isinstance(path, str) and "<" not in path:
        for module in _modules(value):
            yield module, path
            yield module, name


def _modules(value: object) -> Iterator[str]:
    """The loaded modules that `value`, a class or a function, may be imported from: public ones first."""
    owner = own_attribute(value, "__self__")
    module = own_attribute(value, "__module__") or own_attribute(owner, "__name__") or type(owner).__module__
    if not isinstance(module, str) or module == "__main__":
        return
    parts = module.split(".")
    around = [".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
    yield from (name for name in (*around, module.removeprefix("_"), module) if name in sys.modules)


def _hint(value: object) -> str:
    """A name for `value`, which has none that could be imported: its own, else that of its class in lower case."""
    name = own_attribute(value, "__name__")
    if isinstance(name, str) and name.isidentifier():
        return name
    letters = type(value).__name__
    return "".join(
        f"_{c.lower()}" if k and c.isupper() and letters[k - 1].islower() else c.lower() for k, c in enumerate(letters)
    )


def _is_written(path: str) -> bool:
    """Whether an import statement can have `path`, as it has neither a script ``my-model`` nor one that `runpy` runs."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in path.split("."))


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
