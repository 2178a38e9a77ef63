"""Imports point down: the layers of docs/architecture.md, checked on the import statements themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "adxform"

# From the bottom up. A module may import what stands in a line below its own, and its own part of its line.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "source errors runtime revolve counters phases operators contexts room locks memos strict",
        "ir",
        "rules",
        "frontend analysis ad opt backend",
        "persistence",
        "engine passes",
        (
            "transforms pipeline cut cache trees refusals perturbations batches"
            " application running sites workspace defects tracebacks"
        ),
        "derivatives api checkpointing differentiable matrices sources",
        "sparse",
        "prepared",
        "testing",
        "cli __init__ __main__",
    )
)
# Modules of one line that may import one another: they share a concern, and the imports among them make no circle.
FAMILIES = (
    frozenset(["source", "errors", "counters", "phases", "runtime", "revolve", "operators", "contexts", "room"])
    | frozenset(["locks", "memos", "strict"]),
    frozenset(["transforms", "pipeline", "cut", "cache", "trees", "refusals"])
    | frozenset(["perturbations", "batches", "application", "running", "sites", "workspace", "defects", "tracebacks"]),
    frozenset(["engine", "passes"]),
    frozenset(["derivatives", "api", "checkpointing", "differentiable", "matrices", "sources"]),
    frozenset(["cli", "__init__", "__main__"]),
)
ALLOWED = {("ad", "analysis")}
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    """Return the folder or module of the package that `path` belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def layer(name: str) -> int:
    """Return the layer of a part of the package."""
    return next(i for i, names in enumerate(LAYERS) if name in names)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything of adxform that is imported."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names if alias.name.partition(".")[0] == "adxform")
            case ast.ImportFrom(module="adxform", names=names):
                yield from ((node.lineno, f"adxform.{alias.name}") for alias in names)
            case ast.ImportFrom(module=str(module)) if module.startswith("adxform."):
                yield node.lineno, module
            case _:
                pass


def test_every_part_has_a_layer() -> None:
    assert {part(path) for path in MODULES} <= frozenset().union(*LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    own = part(path)
    if own == "__init__":
        return
    for line, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        pieces = name.split(".")
        assert len(pieces) > 1, f"{path.name}:{line} imports the package as a whole"
        other = pieces[1]
        related = own == other or (own, other) in ALLOWED or any({own, other} <= family for family in FAMILIES)
        assert related or layer(other) < layer(own), f"{path.name}:{line}: {own} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_import_hides_in_a_function(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            hidden = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert not hidden, f"{path.name}:{hidden[0]} imports inside a function"


def at_run_time(tree: ast.Module) -> ast.Module:
    """Return a module without what only a type checker executes: such imports may point back within a folder."""
    body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    return ast.Module(body, tree.type_ignores)


def test_imports_make_no_circle() -> None:
    names = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in MODULES}
    by_name = {name.removesuffix(".__init__"): path for path, name in names.items()}
    graph = {
        path: [by_name[name] for _, name in imported(at_run_time(ast.parse(path.read_text(encoding="utf-8")))) if name in by_name]
        for path in MODULES
    }
    done: set[Path] = set()

    def visit(path: Path, trail: tuple[Path, ...]) -> None:
        assert path not in trail, " -> ".join(names[step] for step in (*trail, path))
        if path in done or path.name == "__init__.py":
            return
        for other in graph[path]:
            visit(other, (*trail, path))
        done.add(path)

    for path in MODULES:
        visit(path, ())
