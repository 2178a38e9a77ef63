"""Switches of the test suite."""

from __future__ import annotations

import os

import pytest

from tests.corpus.case import Program

collect_ignore_glob = ["golden/*"]

# The IR is verified between the stages of every derivative that a test builds.
os.environ.setdefault("ADXFORM_VERIFY", "1")
# Derivatives run on Python unless a test says otherwise: thousands of them would be compiled.
os.environ.setdefault("ADXFORM_ENGINE", "python")
# Nothing is kept from one run to the next, and nothing is written beside the repository.
os.environ["ADXFORM_CACHE_DIR"] = "off"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden` and `--compile-all`."""
    parser.addoption(
        "--update-golden", action="store_true", help="write the generated source into tests/golden, once the oracle agrees"
    )
    parser.addoption(
        "--compile-all", action="store_true", help="compile every program of the corpus, in every mode: half an hour"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of one program of the corpus next to one another, after all else: one worker derives what they share once."""
    first: dict[str, int] = {}

    def place(item: pytest.Item) -> int:
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        names = [value.name for value in params.values() if isinstance(value, Program)]
        return first.setdefault(names[0], len(first) + 1) if names else 0

    items.sort(key=place)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))
