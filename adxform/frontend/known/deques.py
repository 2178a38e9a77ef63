"""Deques that the function makes."""

from __future__ import annotations

import collections
from typing import Any

from adxform.frontend.containers.deques import made
from adxform.frontend.containers.methods import Handler

TABLE: dict[Any, Handler] = {collections.deque: made}
