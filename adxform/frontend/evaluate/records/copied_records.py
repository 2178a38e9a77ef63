"""Copies of records, to come back to what was known before a way that is given up."""

from __future__ import annotations

import copy
from dataclasses import fields, replace
from typing import TypeVar

from adxform.frontend.evaluate.records.from_outside import FromOutside
from adxform.frontend.evaluate.records.to_check import ToCheck

Record = TypeVar("Record", FromOutside, ToCheck)


def copy_of(record: Record) -> Record:
    """`record` with lists and dicts of its own."""
    return replace(record, **{part.name: copy.copy(getattr(record, part.name)) for part in fields(record)})
