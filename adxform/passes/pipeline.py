"""The lists of passes, to be read aloud: what a function goes through on every engine. A backend may have lists of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adxform.autodiff.ends import fresh_gradients, seeded, shaped_tangents
from adxform.autodiff.expand import Expander
from adxform.autodiff.forward import forward
from adxform.autodiff.reverse.joint import reverse
from adxform.autodiff.reverse.residuals import Decision
from adxform.ir.kinds import plain_slopes
from adxform.ir.ops import Function
from adxform.ir.prune import CONTROL, prune
from adxform.passes.belief_checks import check_beliefs
from adxform.passes.driver import Pass, plain, settled, through
from adxform.passes.linalg.repeats import REPEATS, multiply_once
from adxform.passes.linalg.sums_of_products import MATMULS, sum_before_products
from adxform.passes.loops.loop_invariant_tables import tabulate
from adxform.passes.loops.privatise import privatise_arrays
from adxform.passes.memory.carried_copies import carry_copies
from adxform.passes.memory.compose import LOADS, compose_views
from adxform.passes.memory.contributions import STARTS, assign_first_contributions
from adxform.passes.memory.copies import COPIES, UNCHANGING, elide_copies
from adxform.passes.memory.dead_stores import drop_dead_stores
from adxform.passes.memory.merged_stores import CLEARS, merge_stores
from adxform.passes.memory.sink import sink_stores
from adxform.passes.scalar.constant_folding import fold_constants
from adxform.passes.scalar.cse import share_common_subexpressions
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.defaults import REDUCTIONS, drop_default_keywords
from adxform.passes.scalar.helper_signatures import drop_unused_parameters
from adxform.passes.scalar.hoist import LOOPING, hoist_invariants
from adxform.passes.scalar.simplify import simplify_algebra
from adxform.passes.scalar.squared_sizes import SIZES, move_as_squares
from adxform.passes.scalar.unused_helpers import drop_unused_helpers
from adxform.primitives.alias import Aliases
from adxform.primitives.memory import ADDING, STORES
from adxform.runtime import counters
from adxform.runtime.beliefs import is_debugging

# -- on every engine -------------------------------------------------------------------------------------------------

SIMPLIFY: tuple[Pass[None], ...] = (
    plain("dead-code", eliminate_dead_code),
    plain("prune", prune, needs=(CONTROL,)),
    plain("constants", fold_constants),
    plain("defaults", drop_default_keywords, needs=(REDUCTIONS,)),
    plain("algebra", simplify_algebra),
    plain("sums-before-products", sum_before_products, needs=(MATMULS,)),
    plain("products-once", multiply_once, needs=(MATMULS, REPEATS)),
    plain("views", compose_views, needs=(LOADS,)),
    plain("common-subexpressions", share_common_subexpressions),
    plain("copies", elide_copies, needs=(COPIES | UNCHANGING,)),
    plain("stores", merge_stores, needs=(CLEARS,)),
    plain("dead-stores", drop_dead_stores, needs=(STORES,)),
    plain("first-contributions", assign_first_contributions, needs=(STARTS, ADDING)),
    plain("invariants", hoist_invariants, needs=(LOOPING,)),
    plain("parameters", drop_unused_parameters),
    plain("helpers", drop_unused_helpers),
)
"""Taken again and again until nothing changes."""

CLEAN: tuple[Pass[None], ...] = (
    Pass("simplify", lambda fn, setting: optimise(fn, "clean")),
    plain("squares", move_as_squares, needs=(SIZES,)),
    plain("sink-stores", sink_stores),
)
"""Ahead of differentiation: the less there is to do, the less there is to record."""

FOR_KERNELS: tuple[Pass[None], ...] = (
    plain("privatise", privatise_arrays),
    plain("invariant-tables", tabulate),
)
"""Ahead of differentiation too, where kernels may run what comes of it."""

ROUNDS = 4


def optimise(fn: Function, title: str = "optimise") -> Function:
    """`fn` after `SIMPLIFY`, again and again until nothing changes (four rounds at most), with dead code gone.

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
    return settled(title, SIMPLIFY, fn, None, ROUNDS)


def clean(fn: Function) -> Function:
    """`fn` after `CLEAN`."""
    return through("clean", CLEAN, fn, None)


def suited_to_kernels(fn: Function) -> Function:
    """`fn` after `FOR_KERNELS`; itself where they change nothing."""
    return through("for-kernels", FOR_KERNELS, fn, None)


# -- differentiation -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Differentiation:
    """A derivative of `primal` by its parameters at the places `wrt`.

    A reverse sweep has cotangents of the results in `seeds` fixed; `again`, it will be differentiated in its turn; it leaves what
    it decided to keep in `decisions`.
    """

    primal: Function
    wrt: tuple[int, ...]
    expander: Expander
    seeds: Mapping[int, float] = field(default_factory=dict)
    again: bool = False
    decisions: tuple[Decision, ...] = ()


def _in_reverse(fn: Function, setting: Differentiation) -> Function:
    adjoint = reverse(fn, setting.wrt, setting.expander, again=setting.again)
    setting.decisions = adjoint.decisions
    return plain_slopes(adjoint.fn, fn)


REVERSE: tuple[Pass[Differentiation], ...] = (
    plain("carried-copies", carry_copies),
    Pass("sweeps", _in_reverse),
    Pass("seeds", lambda fn, setting: seeded(fn, setting.primal, setting.seeds)),
    Pass("gradients", lambda fn, setting: fresh_gradients(fn, setting.primal, setting.wrt)),
)
"""From a function to its forward and reverse sweep, which take cotangents and return gradients of the arguments' shapes."""

FORWARD: tuple[Pass[Differentiation], ...] = (
    Pass("sweep", lambda fn, setting: plain_slopes(forward(fn, setting.wrt, setting.expander), fn)),
    Pass("tangents", lambda fn, setting: shaped_tangents(fn, setting.primal)),
)
"""From a function to one that takes tangents beside its arguments, and returns those of its results, of the results' shapes."""


def pulled(
    fn: Function, wrt: tuple[int, ...], seeds: Mapping[int, float], expander: Expander, *, again: bool = False
) -> tuple[Function, tuple[Decision, ...]]:
    """`fn` after `REVERSE`, and what is kept for it; `seeds` and `again`: see `Differentiation`."""
    counters.count("rule_builds")
    setting = Differentiation(fn, wrt, expander, seeds, again)
    return through("reverse", REVERSE, fn, setting), setting.decisions


def pushed(fn: Function, wrt: tuple[int, ...], expander: Expander) -> Function:
    """`fn` after `FORWARD`."""
    counters.count("rule_builds")
    return through("forward", FORWARD, fn, Differentiation(fn, wrt, expander))


# -- last of all -----------------------------------------------------------------------------------------------------

CHECKS: tuple[Pass[Aliases], ...] = (Pass("beliefs", check_beliefs, when=lambda aliases: is_debugging()),)
"""Behind everything that a backend which compiles nothing makes of a function, whose alias classes are the setting."""


def with_checks(fn: Function, aliases: Aliases) -> tuple[Function, Aliases]:
    """`fn`, of the alias classes `aliases`, after `CHECKS`, and its classes."""
    checked = through("checks", CHECKS, fn, aliases)
    return checked, aliases if checked is fn else aliases.extended(checked)
