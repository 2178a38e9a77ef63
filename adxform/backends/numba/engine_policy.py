"""What ``engine="auto"`` chooses for a rule, from its IR alone: the same rule runs on the same engine at every call.

The steps that CPython takes are estimated, once for the rule as it is and once for what its kernels leave; a loop of unknown
length counts for `PASSES`. Where kernels take over most steps it pays to compile: at once if there are loops, for they may have
any number of iterations, and else where the derivative is prepared, for then it will be called many times.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import EllipsisType

from adxform.backends.numba.compiled_rule import CompiledForm, compiled_form, cut_into_kernels, is_repeatable, kernels
from adxform.backends.numba.importing import is_available, trouble, warn_of_trouble
from adxform.backends.numba.kernel_solvers import SOLVERS
from adxform.errors import MissingExtraError
from adxform.frontend.derivative_operators import Engine
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, While
from adxform.ir.types import Array
from adxform.ir.walk import blocks, outs, variables_of
from adxform.primitives.effects import functions
from adxform.primitives.facets import Contracts, Kernel
from adxform.primitives.memory import STORES
from adxform.primitives.table import record_of
from adxform.runtime.kernel_arrays import product

PASSES = 30
NUMBER, ARRAY, LIBRARY = 1, 10, 40
"""An operation on numbers, one on arrays, and a product of matrices or a call of a library, in tenths of a microsecond."""
AT_ONCE, PREPARED = (100, 2.0), (15, 1.4)
"""How many steps kernels have to spare, and how many times fewer there have to be."""

PRODUCTS = frozenset(Contracts) - {Contracts.OUTER, Contracts.VDOT, Contracts.CROSS}
LIBRARIES = ("numpy.linalg", "numpy.fft", "scipy")
ELEMENTS = frozenset({Kernel.LOOP, Kernel.ORDER})
"""Of what takes as long for a number as for a short array: ufuncs of SciPy's, and what calls them."""
FREE = frozenset({intrinsics.turning_point, intrinsics.dim})


def offer(fn: Function, engine: Engine, skipped: int = 0) -> tuple[str, CompiledForm | None]:
    """Why kernels should run `fn`, optimised typed IR, or why not; and `fn` cut into them, where they should.

    Its first results, those `skipped`, are left out.
    """
    try:
        return _offered(fn, engine, skipped)
    except MissingExtraError:
        warn_of_trouble()
        return trouble(), None


def _offered(fn: Function, engine: Engine, skipped: int) -> tuple[str, CompiledForm | None]:
    """The same where Numba can be imported."""
    least, gain = PREPARED if engine.prepared else AT_ONCE
    before = steps(fn)
    if not is_available():
        return "Numba is not installed", None
    if trouble():
        return trouble(), None
    if not is_repeatable(fn):
        return "it calls functions that may do anything, which must not be called twice", None
    if before.looping < least and not engine.prepared:
        return "it has no loop to speak of; where it is prepared, array expressions count as well", None
    if before.all < least:
        return "there is little to do", None
    found = cut_into_kernels(fn, replace(engine, name="numba", prepared=False), skipped)
    if found is None:
        return "Numba can take nothing of it", None
    after = steps(found.function, found.kernels)
    spared = before.all - after.all if engine.prepared else before.looping - after.looping
    if spared < least or before.all < gain * after.all:
        return "most of the work would stay in Python", None
    kernels()
    return "kernels take over most of the work", compiled_form(fn, found, skipped)


@dataclass(frozen=True, slots=True)
class Steps:
    """What a run costs CPython, in tenths of a microsecond; what of it in loops that may have many iterations; and how many of
    those a nest of loops has at most."""

    all: float = 0.0
    looping: float = 0.0
    turns: int = 1

    def __add__(self, other: Steps) -> Steps:
        return Steps(self.all + other.all, self.looping + other.looping, max(self.turns, other.turns))


def steps(fn: Function, kernels: Mapping[str, object] | None = None) -> Steps:
    """What a run of `fn` costs CPython, and what libraries do for `kernels`."""
    return Counting(functions(fn), kernels or {}).block(fn.body)


class Counting:
    """Counts the steps of blocks of functions `known` by name, of which those in `kernels` are compiled."""

    def __init__(self, known: Mapping[str, Function], kernels: Mapping[str, object]) -> None:
        self.known = known
        self.kernels = kernels
        self.inside: set[str] = set()

    def block(self, block: Block) -> Steps:
        """The steps of the ops of a block."""
        return sum(map(self.op, block.ops), Steps())

    def op(self, op: Op) -> Steps:
        """The steps of an op."""
        match op:
            case Call():
                return Steps(call_steps(op))
            case If(then=then, orelse=orelse):
                return Steps(NUMBER) + max(self.block(then), self.block(orelse), key=lambda steps: steps.all)
            case For(body=body):
                return repeated(self.block(body), iterations(op))
            case While(test=test, body=body):
                return repeated(self.block(test) + self.block(body), PASSES)
            case Invoke(callee=name, args=args):
                return Steps(ARRAY + NUMBER * len(args)) + self.helper(name)
            case _:
                return Steps(NUMBER)

    def helper(self, name: str) -> Steps:
        """The body of a helper; where it calls itself, once."""
        if name in self.inside or name not in self.known:
            return Steps()
        counting = _Products(self.known, {}) if name in self.kernels else self
        self.inside.add(name)
        found = counting.block(self.known[name].body)
        self.inside.discard(name)
        return found


class _Products(Counting):
    """Of what a kernel does, only products count: they are as fast as they were."""

    def op(self, op: Op) -> Steps:
        match op:
            case Call():
                return Steps(LIBRARY if call_steps(op) == LIBRARY else 0)
            case For(body=body):
                return Steps(iterations(op) * self.block(body).all)
            case _:
                return sum(map(self.block, blocks(op)), Steps())


def repeated(body: Steps, times: int) -> Steps:
    """The steps of a loop."""
    whole, turns = times * (body.all + NUMBER), times * body.turns
    return Steps(NUMBER + whole, whole if turns >= PASSES else times * body.looping, turns)


def iterations(loop: For) -> int:
    """How many iterations a loop has, or is taken to have: one over strips of many elements is taken to have one strip."""
    ends = [part.value for part in loop.source if isinstance(part, Lit) and isinstance(part.value, int)]
    if len(ends) == len(loop.source):
        return len(range(*ends))
    step = loop.source[-1]
    return max(PASSES // step.value, 1) if isinstance(step, Lit) and step.value > 1 else PASSES


def call_steps(op: Call) -> int:
    """What a call costs, whatever the lengths of its arrays."""
    fn = callee(op)
    if fn in FREE:
        return 0
    if record_of(fn).kernel in ELEMENTS:
        return ARRAY
    library = fn is product or fn in SOLVERS or str(getattr(fn, "__module__", "")).startswith(LIBRARIES)
    if library or record_of(fn).contracts in PRODUCTS:
        return LIBRARY
    if fn is operator.getitem:
        touched = outs(op)
    else:  # of a store what is stored, and where
        touched = variables_of(op.args[1:]) if fn in STORES else (*variables_of(op.args), *outs(op))
    wide = any(isinstance(var.type, Array) for var in touched) or (fn in STORES and is_slice(op.args[1]))
    return ARRAY if wide else NUMBER


def is_slice(index: Operand) -> bool:
    """Whether `index` takes more than an element."""
    match index:
        case Pack("slice") | Lit(value=EllipsisType()):
            return True
        case Pack(items=items):
            return any(map(is_slice, items))
        case _:
            return False
