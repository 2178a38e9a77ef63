"""SciPy, an optional extra, asked for where it is needed."""

from __future__ import annotations

from typing import Any

from adxform.errors import MissingExtraError
from adxform.threads.locks import imported


def require(name: str) -> Any:
    """The module `name` of SciPy.

    Raises:
        MissingExtraError: SciPy is not installed, or cannot be imported.
    """
    try:
        return imported(name)
    except ModuleNotFoundError:
        message = "sparse derivatives need SciPy, which is not installed"
        raise MissingExtraError(message, help="install it with `pip install 'adxform[sparse]'`") from None
    except Exception as error:  # whatever a library makes of others of another age
        message = f"sparse derivatives need SciPy, which cannot be imported: {type(error).__name__}: {error}"
        raise MissingExtraError(
            message, help="install versions that go together (`pip install --upgrade 'adxform[sparse]'`)"
        ) from error
