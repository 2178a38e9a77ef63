"""``ADXFORM_STRICT=1``: the IR is verified after every pass and between stages, and no way back is taken without a word.

A way back is what is done where something failed that should not have: a kernel that Numba cannot compile runs in Python, machine
code that cannot be read is compiled again. The tests run strictly, so that each of them is seen.
"""

from __future__ import annotations

import os


def is_strict() -> bool:
    """Whether the environment asks for it."""
    return bool(os.environ.get("ADXFORM_STRICT"))


def way_back(error: BaseException) -> None:
    """Say that another way is taken because of `error`: strictly, none is, and it is raised.

    Raises:
        BaseException: `error`, if the environment is strict.
    """
    if is_strict():
        raise error
