"""Imports point down: the layers of docs/architecture.md, checked on the import statements themselves."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "adxform"

# From the bottom up: folders and modules of the package; the longest name that fits a module says where it belongs. A module may
# import what stands in a line below its own, what belongs to the same name, and what is of its family.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "errors ir.spans ir.packages frontend.derivative_operators frontend.argument_contexts runtime threads",
        "ir",
        "primitives",
        "analysis",
        "frontend autodiff passes.scalar passes.memory backends.python",
        "runtime.persistence",
        "backends.protocol",
        "backends.fast_path_code",
        "backends.python.backend",
        "passes backends.interpret",
        "backends.numba",
        "backends.registry",
        "backends.choice",
        "runtime.dispatch runtime.cache runtime.defects",
        "api",
        "sparse",
        "api.prepared",
        "testing",
        "cli __init__ __main__",
    )
)
# Names of one line whose modules may import one another: they share a concern, and the imports among them make no circle.
FAMILIES = (
    frozenset(
        ["errors", "ir.spans", "ir.packages", "frontend.derivative_operators", "frontend.argument_contexts", "runtime", "threads"]
    ),
    frozenset(["passes.scalar", "passes.memory"]),
    frozenset(["runtime.dispatch", "runtime.cache", "runtime.defects"]),
    frozenset(["cli", "__init__", "__main__"]),
)
ALLOWED: set[tuple[str, str]] = set()
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = frozenset().union(*LAYERS)


def dotted(path: Path) -> str:
    """Return the name of the module at `path`, within the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def part(name: str) -> str:
    """Return the name in `LAYERS` to which a module belongs."""
    return max((known for known in NAMES if name == known or name.startswith(f"{known}.")), key=len, default=name)


def layer(name: str) -> int:
    """Return the layer of a part of the package."""
    return next(i for i, names in enumerate(LAYERS) if name in names)


@dataclass(frozen=True)
class Import:
    """An import statement: its line, the module after ``from``, the names, and whether it stands in a function."""

    line: int
    module: str | None
    names: tuple[str, ...]
    hidden: bool


@functools.cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Return the import statements of the module at `path`, which all promises of this file are about."""
    found: list[Import] = []
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while waiting:
        node, hidden = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else None
            found.append(Import(node.lineno, module, tuple(alias.name for alias in node.names), hidden))
        hidden = hidden or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [(child, hidden) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)]
    return tuple(sorted(found, key=lambda one: one.line))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything of adxform that the module at `path` imports."""
    for one in imports_of(path):
        if one.module is None:
            yield from ((one.line, name) for name in one.names if name.partition(".")[0] == "adxform")
        elif one.module == "adxform" or one.module.startswith("adxform."):
            yield from ((one.line, f"{one.module}.{name}") for name in one.names)


def test_every_part_has_a_layer() -> None:
    empty = {path for path in MODULES if path.name == "__init__.py" and len(path.read_text(encoding="utf-8").splitlines()) <= 1}
    assert {part(dotted(path)) for path in MODULES if path not in empty} <= NAMES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    own = part(dotted(path))
    if own == "__init__":
        return
    for line, name in imported(path):
        assert name != "adxform", f"{path.name}:{line} imports the package as a whole"
        other = part(name.removeprefix("adxform."))
        related = own == other or (own, other) in ALLOWED or any({own, other} <= family for family in FAMILIES)
        assert related or layer(other) < layer(own), f"{path.name}:{line}: {own} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_import_hides_in_a_function(path: Path) -> None:
    hidden = [one.line for one in imports_of(path) if one.hidden]
    assert not hidden, f"{path.name}:{hidden[0]} imports inside a function"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_backend_is_known_by_its_protocol(path: Path) -> None:
    """What compiles is known to its own folder, and to the table of backends."""
    if dotted(path) == "backends.registry" or part(dotted(path)) == "backends.numba":
        return
    for one in imports_of(path):
        module = one.module or ""
        for name in (module, *(f"{module}.{name}".strip(".") for name in one.names)):
            known = name.startswith("adxform.backends.numba") or name.partition(".")[0] in ("numba", "llvmlite")
            assert not known, f"{path.name}:{one.line} imports {name}"


def test_imports_make_no_circle() -> None:
    """All imports count, those that only a type checker executes as well."""
    by_name = {f"adxform.{dotted(path)}".removesuffix(".__init__"): path for path in MODULES}
    graph = {
        path: [
            by_name[found]
            for _, name in imported(path)
            if (found := name if name in by_name else name.rpartition(".")[0]) in by_name
        ]
        for path in MODULES
    }
    done: set[Path] = set()

    def visit(path: Path, trail: tuple[Path, ...]) -> None:
        assert path not in trail, " -> ".join(dotted(step) for step in (*trail, path))
        if path in done:
            return
        for other in graph[path]:
            visit(other, (*trail, path))
        done.add(path)

    for path in MODULES:
        visit(path, ())
