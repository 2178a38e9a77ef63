"""SciPy, an optional extra, asked for where it is needed."""

from __future__ import annotations

import importlib
from typing import Any

from adxform.errors import MissingExtraError


def require(name: str) -> Any:
    """The module `name` of SciPy.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        message = "sparse derivatives need SciPy, which is not installed"
        raise MissingExtraError(message, help="install it with `pip install 'adxform[sparse]'`") from None
