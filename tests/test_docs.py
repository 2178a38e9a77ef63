"""The documents are true: their code runs and prints what they say, their links lead somewhere, every error has its section.

A block opened by three backticks and ``python`` is run, one after another within a page, in one namespace;
``python NAME.py`` saves it under that name first, so that messages show it. ``sh run`` blocks hold one ``adxform`` command a
line, run beside the saved files. A block marked ``output`` (``text output``, ``python output``) is what the block before it
prints, or the error that it raises; one marked ``sample`` shows numbers that differ between machines, and is not compared.
Other blocks are not run. ``--update-golden`` rewrites the output blocks.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import adxform
from adxform import cli, errors
from adxform.backends.numba import kernel_pipeline
from adxform.passes import pipeline
from adxform.primitives import table

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<title>.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: what its first line says, its text, and where the text stands in the page."""

    kind: str
    file: str
    text: str
    start: int
    end: int


def blocks(page: str) -> Iterator[Block]:
    for match in FENCE.finditer(page):
        language, _, rest = match["info"].strip().partition(" ")
        kind = rest if rest in ("output", "sample") else "sh run" if (language, rest) == ("sh", "run") else language
        yield Block(kind, rest or "example.py", match["body"], match.start("body"), match.end("body"))


def command(block: Block) -> str:
    """Return what the `adxform` commands in the block print. That they do in a process of their own, `test_cli` shows."""
    printed = io.StringIO()
    for line in block.text.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "adxform"
        with contextlib.redirect_stdout(printed):
            assert cli.run(arguments) == 0, line
    return printed.getvalue()


def run(block: Block, number: int, namespace: dict[str, Any]) -> str:
    """Return what the block prints; the error text, if it raises one of adxform's errors."""
    file = block.file if block.file != "example.py" else f"example{number}.py"
    Path(file).write_text(block.text)
    linecache.checkcache()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(block.text, file, "exec"), namespace)
        except errors.AdxError as error:
            print(error)
    return printed.getvalue()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_code_blocks_run_and_print_what_the_page_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    page = path.read_text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADXFORM_ENGINE")  # pages show what their readers see
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setattr(table, "own", MappingProxyType({}))  # rules of a page are for that page
    namespace: dict[str, Any] = {"__name__": "example"}
    rewritten, copied, printed = [], 0, None
    for number, block in enumerate(blocks(page)):
        if block.kind in ("python", "sh run"):
            assert not printed, f"{path.name}: a block prints what no output block shows:\n{printed}"
            printed = run(block, number, namespace) if block.kind == "python" else command(block)
        elif block.kind == "output":
            assert printed is not None, f"{path.name}: an output block without code before it"
            rewritten += [page[copied : block.start], printed]
            copied = block.end
            if not pytestconfig.getoption("--update-golden", default=False):
                assert printed.splitlines() == block.text.splitlines()
            printed = None
        elif block.kind == "sample":
            printed = None
    assert not printed, f"{path.name}: a block prints what no output block shows:\n{printed}"
    if pytestconfig.getoption("--update-golden", default=False):
        path.write_text("".join([*rewritten, page[copied:]]))


def anchors(path: Path) -> set[str]:
    """Return the fragments by which the headings of a page are linked to."""
    titles = (match["title"] for match in HEADING.finditer(FENCE.sub("", path.read_text())))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_links_resolve(path: Path) -> None:
    for match in LINK.finditer(FENCE.sub("", path.read_text())):
        file, _, fragment = match["target"].partition("#")
        if file.startswith(("http://", "https://")):
            continue
        target = (path.parent / file) if file else path
        assert target.exists(), f"{path.name} links to {file}, which is not there"
        assert not fragment or fragment in anchors(target), f"{path.name} links to {match['target']}: no such heading"


def error_classes() -> list[type[errors.AdxError]]:
    found = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.AdxError)]
    return sorted((cls for cls in found if cls is not errors.AdxError), key=lambda cls: cls.code)


@pytest.mark.parametrize("cls", error_classes(), ids=lambda cls: cls.__name__)
def test_each_error_has_its_section(cls: type[errors.AdxError]) -> None:
    page = (ROOT / "docs" / "errors.md").read_text()
    assert cls.code.lower() in anchors(ROOT / "docs" / "errors.md")
    section = page.split(f"## {cls.code}\n", 1)[1].split("\n## ", 1)[0]
    assert f"`{cls.__name__}`" in section
    for part in ("Cause", "Way out"):
        assert f"**{part}.**" in section, f"{cls.code} lacks its {part.lower()}"


def test_error_codes_are_unique() -> None:
    codes = [cls.code for cls in error_classes()]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("name", sorted(adxform.__all__))
def test_each_public_name_is_on_the_page_of_the_interface(name: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / "docs" / "api.md").read_text())


def test_each_pass_of_kernels_has_a_row() -> None:
    """The table of passes names those of the lists, and no others."""
    lists = {
        "for-kernels": pipeline.FOR_KERNELS,
        **{name.lower(): vars(kernel_pipeline)[name] for name in ("LOOPS", "CUT", "KERNEL")},
    }
    passes = {f"{title}:{one.name}" for title, members in lists.items() for one in members}
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([a-z-]+:[a-z-]+)`", row)}
    assert named == passes


def test_modules_that_pages_name_exist() -> None:
    """What the pages for developers name by its path, from the package or from a folder in it, is there."""
    package = ROOT / "adxform"
    roots = (ROOT, package, package / "frontend")
    for path in (
        *(ROOT / "docs" / f"{name}.md" for name in ("architecture", "internals", "rules", "engine")),
        ROOT / "CONTRIBUTING.md",
    ):
        for name in re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+(?:\.py)?)`", path.read_text(encoding="utf-8")):
            places = [root / end for root in roots for end in (name, f"{name}.py")]
            assert any(place.exists() for place in places), f"{path.name} names {name}"


def test_every_make_target_in_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)`", (ROOT / "README.md").read_text()))
    assert named
    assert named <= targets
