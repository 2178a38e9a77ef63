"""Digests of the source that is generated for the corpus: `python -m tests.digests` prints the same on every Python.

Compare what it prints under two versions of Python with `diff`: `--each` gives a line for each program, `--step N` every Nth.
"""

from __future__ import annotations

import argparse
import re
from hashlib import sha256
from pathlib import Path

import adxform
from adxform.errors import AdxError
from tests import corpus
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS

LINE = re.compile(r"(?<=# )(\w+\.py):\d+")
OWN = frozenset(path.name for path in Path(corpus.__file__).parent.iterdir())


def _without_the_line(place: re.Match[str]) -> str:
    """A place in a file of the corpus as it is; of one of Python's own, which has other lines in each version, the file alone."""
    return place[0] if place[1] in OWN else place[1]


def digest(program: Program) -> str:
    """The digest of the reverse and the forward derivative of a program, or of the error that it is refused with."""
    found = sha256()
    for mode in ("reverse", "forward"):
        try:
            text = adxform.source(program.function, *program.points[0].fresh(), mode=mode, argnums=program.wrt, engine="python")
        except AdxError as error:
            text = error.code
        found.update(LINE.sub(_without_the_line, text).encode())
    return found.hexdigest()[:16]


def main() -> None:
    """Print the digests."""
    parser = argparse.ArgumentParser(prog="python -m tests.digests", description=__doc__)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    whole, chosen = sha256(), PROGRAMS[:: options.step]
    for program in chosen:
        line = f"{program.name} {digest(program)}"
        whole.update(line.encode())
        if options.each:
            print(line)
    print(f"{len(chosen)} programs: {whole.hexdigest()}")


if __name__ == "__main__":
    main()
