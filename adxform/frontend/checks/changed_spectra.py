"""Refuses changes of arrays of which only a run can tell whether they are real or complex: eigenvalues, eigenvectors, roots.

The run has such an array as NumPy makes it; what is followed in its place is a complex one, which does not see the change.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator

from adxform.errors import UnsupportedOperationError
from adxform.frontend.evaluate.pure_functions import only_says
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Op, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Object
from adxform.ir.walk import all_ops, joins, variables, variables_of
from adxform.primitives.definitions.real_spectra import CHANGING_METHODS
from adxform.primitives.effects import effect_of, functions, positions

_LOOKING = ("adxform", "builtins", "cmath", "math", "numpy")
"""Modules whose functions change nothing but what the rule table says of them, and what they are told to write to."""


def refuse_changes_of_spectra(function: Function, followed: Collection[Var]) -> None:
    """Raise where one of the arrays that are `followed` as complex ones, or a view of one, may be changed."""
    if not followed:
        return
    ops = [op for one in functions(function).values() for op in all_ops(one.body)]
    arrays = _with_other_names(ops, followed)
    for op in ops:
        if isinstance(op, Call) and any(var in arrays for var in _changed(op, arrays)):
            message = "numbers of which only a run can tell whether they are real or complex are changed where they are"
            help_ = "make others of them (`w = 2.0 * w`), or let the matrix be complex: `np.linalg.eig(a + 0j)`"
            raise UnsupportedOperationError(message, span=op.span, help=help_)


def _with_other_names(ops: Collection[Op], followed: Collection[Var]) -> set[Var]:
    """`followed`, with what is taken out of these and what they are called where paths meet."""
    found, known = set(followed), -1
    while known < len(found):
        known = len(found)
        for op in ops:
            found |= {out for out, given in _named_again(op) if isinstance(out.type, Object) and given in found}
    return found


def _named_again(op: Op) -> Iterator[tuple[Var, Var]]:
    for out, given in joins(op):
        yield from ((out, var) for var in variables(given))
    if isinstance(op, Call) and callee(op) in (operator.getitem, getattr):
        yield from ((out, var) for out in op.outs for var in variables(op.args[0]))


def _changed(op: Call, arrays: Collection[Var]) -> tuple[Var, ...]:
    """What `op` changes, or may: a function of which nothing is known is given it."""
    effect, fn = effect_of(op), callee(op)
    if fn is getattr and isinstance(op.args[1], Lit):
        return variables(op.args[0]) if op.args[1].value in CHANGING_METHODS else ()
    if fn is operator.call and op.args[0] in arrays:  # a method of one: it is asked for by its name
        return ()
    named = variables_of([value for name, value in op.kwargs if name == "out"])
    if effect.opaque and not effect.writes and not _only_looks(fn):
        named = variables_of((*op.args, *(value for _, value in op.kwargs)))
    return *positions(op, effect.writes), *named


def _only_looks(fn: object) -> bool:
    """Whether `fn` changes nothing that it is given, though nothing is known of what it gives."""
    return only_says(fn) or (fn is not setattr and written_in(fn).partition(".")[0] in _LOOKING)
