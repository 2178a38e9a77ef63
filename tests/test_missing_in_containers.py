"""NaN in lists, tuples and dicts that are compared: Python asks first whether two items are one object, which only it can tell.

Each program is right where there is no NaN. Where there is, it is right too, or refused when it runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

_ONE_OF_TWO = "    v = x[0]\n    w = v if x[1] > 0 else x[2]\n"
_GROWN = "    log = []\n    for t in x:\n        if t > 0.4 or t != t:\n            log.append(t)\n    w = log[0]\n"
_ROWS = (
    "    log = []\n    for k, t in enumerate(x):\n        if t > 0.4 or t != t:\n            log.append((k, t))\n    w = log[0]\n"
)

ASKED = {
    _ONE_OF_TWO: (
        *("w in [v, 1.0]", "w in (2.0, v)", "[w] == [v]", "(w, 1) == (v, 1)", "(w, 1) != (v, 1)", "(w, 1) < (v, 2)"),
        *("[w, 1] >= [v, 2]", "{'a': w} == {'a': v}", "[1.0, v, v].count(w)", "[1.0, v].index(w)", "(1.0, v).index(w)"),
        *("(w, 1) in [(v, 1)]", "w in collections.deque([v, 1.0])", "w in {'a': v}.values()", "((w, 1), 2) == ((v, 1), 2)"),
        *(
            "w in [float('nan'), 1.0]",
            "v in [v, 1.0]",
            "(v, w) == (v, w)",
            "max([(w, 1.0), (v, 2.0)])[1]",
            "min((w, 1.0), (v, 2.0))[1]",
        ),
        *("sorted([(w, 2.0), (v, 1.0)])[0][1]", "w in (t for t in [v, 1.0])", "w in reversed([v, x[2]])"),
        *("float('nan') in [float('nan')]", "np.nan in [np.nan, v]", "[float('nan')] == [float('nan')]"),
    ),
    _GROWN: (
        *("w in log", "w not in log", "2.0 in log", "log == list(log)", "log != log[:]", "log.count(w)", "log.index(w)"),
        *("log.index(log[-1])", "(w, 1) in [(t, 1) for t in log]", "log < list(log)", "log.count(3.0)"),
        *("w in reversed(log)", "w in (t for t in log)", "w in map(float, log)", "np.nan in log", "float('nan') in log"),
    ),
    _ROWS: ("w in log", "(0, x[0]) in log", "log.count(w)", "log.index(w)", "(7, 0.5) in log", "0.5 in log", "'start' in log"),
}
CASES = [(made, asked) for made, some in ASKED.items() for asked in some]


@pytest.mark.parametrize(("made", "asked"), CASES)
@pytest.mark.parametrize("first", [0.7, np.nan])
def test_an_object_equals_itself_or_the_run_refuses(made: str, asked: str, first: float) -> None:
    text = f"import collections\ndef f(x):\n{made}    return np.sum(x[1:]) * (2.0 + ({asked}))\n"
    verdict = judge(Cell(text, program(text), (np.array([first, 0.55, 0.31]),), smooth=False))
    assert verdict.kind == "right" or (first != first and "NaN" in verdict.reason), f"{verdict.reason}\n{text}"


@pytest.mark.parametrize("first", [0.7, np.nan])
def test_an_item_that_is_removed_is_the_first_that_equals_it(first: float) -> None:
    text = f"def f(x):\n{_GROWN}    log.remove(log[-1])\n    return np.sum(x[1:]) * (2.0 + len(log)) + sum(log)\n"
    verdict = judge(Cell(text, program(text), (np.array([first, 0.55, 0.31]),), smooth=False))
    assert verdict.kind == "right" or (first != first and "NaN" in verdict.reason), f"{verdict.reason}\n{text}"
