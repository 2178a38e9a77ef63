"""The optimiser: passes `Function -> Function`, and the list that can be read aloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from adxform.ir.ops import Function, Invoke
from adxform.ir.prune import prune
from adxform.ir.walk import all_ops
from adxform.opt.compose import compose_views
from adxform.opt.contributions import assign_first_contributions
from adxform.opt.copies import elide_copies
from adxform.opt.cse import share_common_subexpressions
from adxform.opt.dce import eliminate_dead_code
from adxform.opt.dead_stores import drop_dead_stores
from adxform.opt.defaults import drop_default_keywords
from adxform.opt.fold import fold_constants
from adxform.opt.hoist import hoist_invariants
from adxform.opt.products import sum_before_products
from adxform.opt.repeats import multiply_once
from adxform.opt.signatures import drop_unused_parameters
from adxform.opt.simplify import simplify_algebra
from adxform.opt.sink import sink_stores
from adxform.opt.stores import merge_stores
from adxform.rules.effects import functions

Pass = Callable[[Function], Function]


def drop_unused_helpers(fn: Function) -> Function:
    """Drop the helpers that nothing reachable from `fn` invokes."""
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


PASSES: tuple[Pass, ...] = (
    eliminate_dead_code,
    prune,
    fold_constants,
    drop_default_keywords,
    simplify_algebra,
    sum_before_products,
    multiply_once,
    compose_views,
    share_common_subexpressions,
    elide_copies,
    merge_stores,
    drop_dead_stores,
    assign_first_contributions,
    hoist_invariants,
    drop_unused_parameters,
    drop_unused_helpers,
)

ROUNDS = 4

__all__ = ["PASSES", "Pass", "drop_unused_helpers", "optimise", "sink_stores"]


def optimise(fn: Function) -> Function:
    """`fn` after all passes, again and again until nothing changes (four rounds at most), with dead code gone.

    >>> from adxform.ir.text import read, show
    >>> print(show(optimise(read('''
    ... def f(x: f64):
    ...     a: f64 = operator.mul(1.0, x)
    ...     b: f64 = operator.mul(a, x)
    ...     c: f64 = operator.mul(x, a)
    ...     d: f64 = operator.add(b, c)
    ...     e: f64 = operator.sub(d, d)
    ...     return d'''))))
    def f(x: f64):
        b: f64 = operator.mul(x, x)
        d: f64 = operator.add(b, b)
        return d
    """
    settled: dict[Pass, Function] = {}
    for _ in range(ROUNDS):
        before = fn
        for pass_ in PASSES:
            if settled.get(pass_) is not fn:
                new = pass_(fn)
                fn = settled[pass_] = fn if new == fn else new
        if fn is before:
            break
    return fn if settled.get(eliminate_dead_code) is fn else eliminate_dead_code(fn)
