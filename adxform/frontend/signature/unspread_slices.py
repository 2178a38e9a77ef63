"""Slices that are assumed to be as long as all that they meet, so that none of them is spread over more elements.

``C[i, :k] += A[:k, j]`` runs if the two slices are equally long, and also if one of them has a single element. Where neither is
cut off at the end of its axis they are equally long. A form of a function that assumes so checks it where slices are taken.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Set

from adxform.analysis.slices import Form, selected, slice_forms, variable_slices
from adxform.frontend.signature.shared_lengths import Equalities, aligned
from adxform.ir import intrinsics
from adxform.ir.linear_forms import LinearForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Size
from adxform.ir.walk import all_ops, reads
from adxform.primitives.facets import Contracts, Moves
from adxform.primitives.memory import STORES, index_kind
from adxform.primitives.record import Primitive
from adxform.primitives.table import record_of

WHOLE = (Lit(...), Pack("slice", (Lit(None), Lit(None), Lit(None))), Lit(slice(None)))
"""Indices of all there is along the first axis."""
KEPT = frozenset({Moves.RESHAPE, Moves.LENGTHEN, Moves.TURN, Moves.FLIP, Moves.COPY, Moves.LAY_OUT})
"""What makes no more numbers than there are."""


def find_unspread(fn: Function, equal: Equalities, form: Form) -> None:
    """Note in `equal` which slices of `fn` have `met` others of their length alone, and have to be checked.

    So have others that are not expected to be cut off: see `_expected_whole`. Of equal lengths one name stands for all.
    """
    spread: dict[str, None] = {}
    calls = [op for op in all_ops(fn.body) if isinstance(op, Call)]
    clipped = {out for op in calls if callee(op) in (min, max) for out in op.outs}
    computed = set(_sliced_in([op for op in calls if record_of(callee(op)).elementwise], equal))
    stored: dict[str, None] = {base: None for base in _sliced_in(calls, equal) if base in equal.of_integers}
    for op in calls:
        found = tuple(base for var in reads(op) for base in _sliced(var, equal))
        if callee(op) is operator.getitem and isinstance(x := op.args[0], Var):
            stored.update(dict.fromkeys(_expected_whole(x, op.args[1], op.outs[0], equal, clipped, computed)))
        if callee(op) in STORES:
            for base, fits in _stored(op, equal, form):
                (stored if fits else spread)[base] = None
        elif found and not _keeps(op, equal):
            spread.update(dict.fromkeys(found))
    equal.met.update(stored)
    _name_alike(equal)
    equal.spread = {equal.name(base) for base in spread}


def _sliced_in(calls: list[Call], equal: Equalities) -> Iterator[str]:
    """The lengths of slices of what `calls` return."""
    return (base for op in calls for out in op.outs for base in _sliced(out, equal))


def _expected_whole(
    x: Var, index: Operand, out: Var, equal: Equalities, clipped: Set[Operand], computed: Set[str]
) -> Iterator[str]:
    """The lengths of slices of ``x[index]`` that probably end where they say.

    Those do that start at the front of an axis, or stop at its end, and those with two bounds of which other arrays are
    `computed`, but for one bound that is `clipped` to the axis where the other is not: it is left to NumPy to cut that off.
    """
    for _, place, (start, stop) in variable_slices(x, index):
        size = (out.type.shape or ())[place] if isinstance(out.type, Array) and out.type.shape else None
        if not isinstance(size, Dim) or size.base not in equal.sliced:
            continue
        one_sided = start in (Lit(None), Lit(0)) or stop == Lit(None)
        if one_sided or (size.base in computed and (start in clipped) == (stop in clipped)):
            yield size.base


def _name_alike(equal: Equalities) -> None:
    """Let one name stand for all lengths that have `met` others, and are equal where nothing is cut off."""
    first: dict[object, str] = {}
    for base in sorted(equal.met):
        form = equal.form(base)
        assert form is not None
        other = first.setdefault((form.number, frozenset(form.terms)), base)
        if equal.name(base).startswith("?") and equal.name(other).startswith("?"):
            equal.unify_names(other, base)
        if not form.terms and form.number > 1:
            equal.numbers.setdefault(equal.name(base), form.number)


def _sliced(var: Var, equal: Equalities) -> Iterator[str]:
    """The lengths of slices that `var` has."""
    for size in (var.type.shape or ()) if isinstance(var.type, Array) else ():
        if isinstance(size, Dim) and equal.form(size.base) is not None:
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
    whole: tuple[Size, ...] = (x.type.shape or ()) if isinstance(x.type, Array) and index in WHOLE else ()
    for axis, size in enumerate(own):
        if isinstance(size, Dim) and (length := equal.form(size.base)) is not None:
            same = axis in into and not size.offset and into[axis].plus(length, -1) == LinearForm()
            at = axis - len(own) + len(whole)
            alike = at >= 0 and bool(whole) and not size.offset and _alike(whole[at], size, equal)
            yield size.base, same or alike
            if alike and isinstance(there := whole[at], Dim) and equal.form(there.base) is not None:
                yield there.base, True


def _alike(one: Size, other: Dim, equal: Equalities) -> bool:
    """Whether the two lengths are equal where nothing is cut off."""
    if equal.size(one) == equal.size(other):
        return True
    forms = [equal.form(size.base) if isinstance(size, Dim) and not size.offset else None for size in (one, other)]
    return forms[0] is not None and forms[1] is not None and forms[0].plus(forms[1], -1) == LinearForm()
