"""The table of the language is complete and true: each kind of node of `ast` has an entry, which is what its program shows."""

from __future__ import annotations

import ast
import sys
import types
import warnings

import pytest

from adxform.cli import run
from adxform.errors import AdxError
from adxform.frontend.language import LANGUAGE, NEVER_INSIDE, Entry
from adxform.testing import check_derivatives
from tests.language_programs import SHOWN, VALUES

ENTRIES = [entry for entries in LANGUAGE.values() for entry in entries]
NEWER = {"type_alias": (3, 12)}
"""The programs whose syntax is newer than the oldest Python, and since when it is there."""
TEXTS = {"type_alias": "def type_alias(x):\n    type Row = list[float]\n    return x.sum()\n"}
HERE = [
    entry for entry in ENTRIES if NEWER.get(entry.program, sys.version_info) <= sys.version_info[:2] or entry.program in SHOWN
]


def node_kinds() -> set[str]:
    """The kinds of nodes that the parser of this Python makes: those without kinds of their own, and no names of old."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
    old = {
        "slice",
        "Num",
        "Str",
        "Bytes",
        "NameConstant",
        "Ellipsis",
        "Index",
        "ExtSlice",
        "Suite",
        "AugLoad",
        "AugStore",
        "Param",
    }
    groups = {base for kind in found for base in kind.__mro__[1:] if kind.__name__ not in old}
    return {kind.__name__ for kind in found if kind not in groups} - old


def test_every_kind_of_node_has_one_entry() -> None:
    named = [name for entry in ENTRIES for name in entry.nodes.split()]
    assert len(named) == len(set(named))
    assert node_kinds() - NEVER_INSIDE <= set(named)
    assert set(named) - node_kinds() <= {"TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple"}


def test_every_program_shows_one_entry() -> None:
    shown = [entry.program for entry in ENTRIES]
    assert len(shown) == len(set(shown))
    assert set(shown) == set(SHOWN) | set(NEWER)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.program)
def test_an_entry_is_what_its_program_shows(entry: Entry, tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = SHOWN.get(entry.program) or written(TEXTS[entry.program], entry.program, tmp_path)
    if isinstance(entry.verdict, str):
        records = check_derivatives(program, VALUES.copy())
        assert all(record.ok for record in records), [record for record in records if not record.ok]
        return
    with pytest.raises(entry.verdict) as caught:
        check_derivatives(program, VALUES.copy())
    error = caught.value
    assert isinstance(error, AdxError)
    assert error.code == entry.verdict.code
    assert error.span is not None
    assert error.span.line > 0
    assert error.help


def written(text: str, name: str, folder) -> types.FunctionType:  # type: ignore[no-untyped-def]
    """The function of a text that older Pythons cannot read."""
    path = folder / "newer.py"
    path.write_text(text)
    space: dict[str, types.FunctionType] = {}
    exec(compile(text, str(path), "exec"), space)
    return space[name]


def test_the_command_prints_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["language"]) == 0
    printed = capsys.readouterr().out
    assert all(any(entry.construct in line and entry.said in line for line in printed.splitlines()) for entry in ENTRIES)
