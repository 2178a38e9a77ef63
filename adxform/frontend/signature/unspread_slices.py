"""Slices that are assumed to be as long as all that they meet, so that none of them is spread over more elements.

``C[i, :k] += A[:k, j]`` runs if the two slices are equally long, and also if one of them has a single element. Where neither is
cut off at the end of its axis they are equally long. A form of a function that assumes so checks it where slices are taken.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from adxform.analysis.slices import Form, selected, slice_forms, variable_slices
from adxform.frontend.signature.shared_lengths import Equalities, aligned
from adxform.ir import intrinsics
from adxform.ir.linear_forms import LinearForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Operand, Var
from adxform.ir.types import Array, Dim, Size
from adxform.ir.walk import all_ops, reads
from adxform.primitives.facets import Contracts, Moves
from adxform.primitives.memory import STORES, index_kind
from adxform.primitives.record import Primitive
from adxform.primitives.table import record_of

KEPT = frozenset({Moves.RESHAPE, Moves.LENGTHEN, Moves.TURN, Moves.FLIP, Moves.COPY, Moves.LAY_OUT})
"""What makes no more numbers than there are."""


def find_unspread(fn: Function, equal: Equalities, form: Form) -> None:
    """Note in `equal` which slices of `fn` have `met` others of their length alone, and have to be checked.

    So have those that go from the front of an axis or to its end: that there is more of them than of the axis is not expected.
    Of equal lengths one name stands for all.
    """
    stored: dict[str, None] = {}
    spread: dict[str, None] = {}
    for op in all_ops(fn.body):
        if not isinstance(op, Call):
            continue
        found = tuple(base for var in reads(op) for base in _sliced(var, equal))
        if callee(op) is operator.getitem and isinstance(x := op.args[0], Var):
            stored.update(dict.fromkeys(_open_ended(x, op.args[1], op.outs[0], equal)))
        if callee(op) in STORES:
            for base, fits in _stored(op, equal, form):
                (stored if fits else spread)[base] = None
        elif found and not _keeps(op, equal):
            spread.update(dict.fromkeys(found))
    equal.met.update(stored)
    _name_alike(equal)
    equal.spread = {equal.name(base) for base in spread}


def _open_ended(x: Var, index: Operand, out: Var, equal: Equalities) -> Iterator[str]:
    """The lengths of slices of ``x[index]`` that start at the front of an axis, or stop at its end."""
    for _, place, bounds in variable_slices(x, index):
        size = (out.type.shape or ())[place] if isinstance(out.type, Array) and out.type.shape else None
        if isinstance(size, Dim) and size.base in equal.sliced and (bounds[0] in (Lit(None), Lit(0)) or bounds[1] == Lit(None)):
            yield size.base


def _name_alike(equal: Equalities) -> None:
    """Let one name stand for all lengths that have `met` others, and are equal where nothing is cut off."""
    first: dict[object, str] = {}
    for base in sorted(equal.met):
        form = equal.sliced[base]
        other = first.setdefault((form.number, frozenset(form.terms)), base)
        if equal.name(base).startswith("?") and equal.name(other).startswith("?"):
            equal.unify_names(other, base)


def _sliced(var: Var, equal: Equalities) -> Iterator[str]:
    """The lengths of slices that `var` has."""
    for size in (var.type.shape or ()) if isinstance(var.type, Array) else ():
        if isinstance(size, Dim) and size.base in equal.sliced:
            yield size.base


def _keeps(op: Call, equal: Equalities) -> bool:
    """Whether `op` spreads none of its operands over more elements."""
    fn = callee(op)
    record = record_of(fn)
    if fn is operator.getitem:
        return index_kind(op.args[1]) == "basic"
    if record.moves is not None:
        return record.moves in KEPT
    if record.contracts is Contracts.OUTER:
        return True
    if record.contracts in (Contracts.MATMUL, Contracts.DOT) and record.masks is None:
        return all(isinstance(var.type, Array) and len(var.type.shape or (0, 0, 0)) < 3 for var in reads(op))
    if record.reduces is not None or record.measures or fn is intrinsics.stop_gradient or _is_like(record):
        return len(list(reads(op))) == 1
    if not record.elementwise:
        return False
    return all(len({equal.size(size) for size in sizes if size != 1}) < 2 for sizes in aligned(op.args))


def _is_like(record: Primitive) -> bool:
    return record.fresh is not None and record.fresh.like


def _stored(op: Call, equal: Equalities, form: Form) -> Iterator[tuple[str, bool]]:
    """The lengths of slices of what `op` stores, each with whether what it is stored into is as long if that is not cut off."""
    x, index, value = op.args
    if not isinstance(value, Var) or not isinstance(x, Var) or index_kind(index) != "basic":
        yield from ((base, False) for var in reads(op) for base in _sliced(var, equal))
        return
    own = (value.type.shape or ()) if isinstance(value.type, Array) else ()
    into: dict[int, LinearForm] = {
        place - selected(x, index) + len(own): length for _, place, length in slice_forms(x, index, form)
    }
    whole: tuple[Size, ...] = (x.type.shape or ()) if isinstance(x.type, Array) and index == Lit(...) else ()
    for axis, size in enumerate(own):
        if isinstance(size, Dim) and size.base in equal.sliced:
            same = axis in into and not size.offset and into[axis].plus(equal.sliced[size.base], -1) == LinearForm()
            at = axis - len(own) + len(whole)
            yield size.base, same or (at >= 0 and bool(whole) and equal.size(whole[at]) == equal.size(size))
