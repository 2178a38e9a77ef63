"""Helpers that nothing invokes any more."""

from __future__ import annotations

from dataclasses import replace

from adxform.ir.ops import Function, Invoke
from adxform.ir.walk import all_ops
from adxform.primitives.effects import functions


def drop_unused_helpers(fn: Function) -> Function:
    """Drop the helpers that nothing reachable from `fn` invokes."""
    if not fn.helpers:
        return fn
    known = functions(fn)
    reached: set[str] = set()
    waiting = [fn]
    while waiting:
        part = waiting.pop()
        for op in all_ops(part.body):
            if isinstance(op, Invoke) and op.callee not in reached:
                reached.add(op.callee)
                waiting.append(known[op.callee])
    helpers = tuple(helper for helper in fn.helpers if helper.name in reached)
    return fn if len(helpers) == len(fn.helpers) else replace(fn, helpers=helpers)
