"""The lists of passes of this backend, to be read aloud: arrays as loops, the cut, and what is done to a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from adxform.backends.numba.checks import with_checks
from adxform.backends.numba.definedness_checks import check_definitions
from adxform.backends.numba.equal_length_checks import check_lengths
from adxform.backends.numba.failures import note_failures
from adxform.backends.numba.kernel_solvers import share_factors
from adxform.backends.numba.machine_forms import check_small_lengths, machine_numbers, scalar_calls
from adxform.backends.numba.masked_kernels import check_masks
from adxform.backends.numba.operand_dtypes import convert_operands
from adxform.backends.numba.reciprocal_division import divide_by_reciprocals
from adxform.backends.numba.support import is_taken
from adxform.backends.numba.undefined_values import give_numbers
from adxform.ir.ops import Function, Var
from adxform.ir.walk import canonical, without_results
from adxform.passes.arrays import form_loops
from adxform.passes.driver import Pass, plain
from adxform.passes.linalg.kernel_products import check_products
from adxform.passes.linalg.out_parameters import give_out_parameters
from adxform.passes.linalg.product_nests import multiply
from adxform.passes.linalg.tiling import tile_products
from adxform.passes.loops.array_elimination import eliminate_arrays
from adxform.passes.loops.bounds import check_bounds
from adxform.passes.loops.contract_tapes import contract_invariant_axes
from adxform.passes.loops.fuse import fuse_loops
from adxform.passes.loops.gather import gather_contributions
from adxform.passes.loops.interchange import interchange_loops
from adxform.passes.loops.reassociation import reassociate_sums
from adxform.passes.loops.scratch import reuse_memory
from adxform.passes.loops.strip_mine import strip_mine_loops
from adxform.passes.loops.tape_arrays import tapes_as_arrays
from adxform.passes.memory.carried_copies import carry_copies
from adxform.passes.memory.copies import elide_copies
from adxform.passes.scalar.arrays_as_numbers import arrays_as_numbers
from adxform.passes.scalar.cse import share_common_subexpressions
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.hoist import hoist_invariants
from adxform.passes.scalar.simplify import simplify_algebra
from adxform.passes.scalar.two_at_a_time import compare_pairs
from adxform.passes.scalar_expansion import expand_scalars


@dataclass(slots=True)
class LoopSetting:
    """How loops are made: sums in any order with `fastmath`; stacks become arrays, `stacks`, but for those `kept`."""

    fastmath: bool
    kept: frozenset[Var] = frozenset()
    stacks: Mapping[Var, Var] = field(default_factory=dict)


@dataclass(slots=True)
class KernelSetting:
    """How a kernel is made; the parameters at the places `no_alias` share no memory; its indices may count `from_the_front`."""

    fastmath: bool
    no_alias: frozenset[int] = frozenset()
    from_the_front: bool = False


def fast(setting: LoopSetting | KernelSetting) -> bool:
    """Whether sums may be taken in any order."""
    return setting.fastmath


def _with_tapes(fn: Function, setting: LoopSetting) -> Function:
    taped, setting.stacks = tapes_as_arrays(fn, setting.kept)
    return taped


def _with_bounds(fn: Function, setting: KernelSetting) -> Function:
    bounded, setting.from_the_front = check_bounds(fn)
    return bounded


LOOPS: tuple[Pass[LoopSetting], ...] = (
    plain("single-elements", arrays_as_numbers),
    plain("pairs", compare_pairs),
    plain("masks", check_masks),
    plain("checks", with_checks),
    plain("carried-copies", carry_copies),
    Pass("tapes", _with_tapes),
    plain("copies", elide_copies),
    plain("tiling", tile_products, fast),
    Pass("loops", lambda fn, setting: form_loops(fn, takes=is_taken, fastmath=setting.fastmath)),
    plain("invariant-lengths", partial(hoist_invariants, lengths=True), fast),
    plain("gather", gather_contributions, fast),
    plain("products", multiply, fast),
    plain("interchange", interchange_loops, fast),
    plain("fuse", fuse_loops, fast),
    plain("common-subexpressions", share_common_subexpressions),
    plain("contraction", contract_invariant_axes),
    plain("array-elimination", eliminate_arrays),
    plain("out-parameters", give_out_parameters),
    plain("reuse-memory", reuse_memory),
)
"""Loops in the place of array expressions, and arrays in that of stacks, in the order that is best."""

CUT: tuple[Pass[int], ...] = (
    plain("lengths", check_lengths),
    Pass("results", lambda fn, skipped: without_results(fn, skipped)),
    plain("definitions", check_definitions),
    plain("numbers", give_numbers),
)
"""Ahead of the cut into kernels: what may fail is a check; the first results are left out, as many as the setting says."""

KERNEL: tuple[Pass[KernelSetting], ...] = (
    plain("names", canonical),
    plain("dtypes", convert_operands),
    Pass("factors", lambda fn, setting: share_factors(fn, setting.no_alias)),
    plain("product-checks", check_products),
    plain("failures", note_failures),
    plain("common-subexpressions", share_common_subexpressions),
    Pass("bounds", _with_bounds),
    plain("machine-numbers", machine_numbers),
    plain("algebra", simplify_algebra),
    plain("dead-code", eliminate_dead_code),
    plain("reassociation", reassociate_sums, fast),
    Pass("strip-mine", lambda fn, setting: strip_mine_loops(fn, setting.no_alias), fast),
    Pass("scalar-expansion", lambda fn, setting: expand_scalars(fn, setting.no_alias), fast),
    plain("reciprocal-division", divide_by_reciprocals, fast),
    Pass("scalar-forms", lambda fn, setting: scalar_calls(fn, fastmath=setting.fastmath)),
    plain("small-lengths", check_small_lengths),
)
"""A kernel made safe, then fast: its calls are those for numbers, its indices and integers are checked, what fails is noted.

What only results need that nobody reads is left out once all that may raise is a check.
"""
