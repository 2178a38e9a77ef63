"""Floating point errors that raise inside ``with np.errstate(…)``: of what the program computes, not of derivatives beside it.

    manager = np.errstate(divide="raise")            manager = np.errstate(divide="ignore")
    runtime.entered(manager)                         runtime.entered(manager)
    y = np.log(x)                                    runtime.check_errors(("divide",), np.log, x)
    runtime.left()                                   y = np.log(x)
                                                     runtime.left()

A check is an effect, which stays where it is, while `y` may be computed earlier, or again. Code that nobody can look into runs
in a ``with`` of its own, where errors raise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Op, Operand, Pack, Var
from adxform.ir.regions import is_call_of
from adxform.ir.spans import written_in
from adxform.ir.types import Object, Scalar, is_inexact
from adxform.ir.walk import Names, all_ops, blocks, map_op, reads, variables, variables_of
from adxform.primitives.effects import effect_of
from adxform.primitives.record import OPAQUE, Memory
from adxform.primitives.table import lookup

KINDS = ("divide", "over", "under", "invalid")
_QUESTIONS = (runtime.raised_by, runtime.raised_by_storing, runtime.raised_by_writing)
_ADDED = {intrinsics.accumulate: np.add, intrinsics.deduct: np.subtract}


def raising_errors(fn: Function, names: Names) -> Function:
    """`fn` with a check ahead of each computation whose errors raise.

    Raises:
        UnsupportedOperationError: what becomes of errors is known only to the run, or is said to a function that calls itself.
    """
    if not any(is_call_of(op, np.errstate) for one in (fn, *fn.helpers) for op in all_ops(one.body)):
        return fn
    done, *helpers = (replace(one, body=_Errors(one, names).block(one.body, frozenset())) for one in (fn, *fn.helpers))
    return replace(done, helpers=tuple(helpers))


class _Errors:
    def __init__(self, fn: Function, names: Names) -> None:
        self.names = names
        self.computed = _computed(fn)
        self.settings: dict[Var, dict[str, str]] = {}

    def block(self, block: Block, kinds: frozenset[str]) -> Block:
        """`block`, where errors of `kinds` raise around it."""
        ops: list[Op] = []
        around: list[frozenset[str]] = []
        for op in block.ops:
            if isinstance(op, Call) and is_call_of(op, np.errstate):
                self.settings[op.outs[0]] = said = _settings(op)
                op = replace(op, kwargs=tuple((kind, Lit(_silent(what))) for kind, what in said.items()))
            elif isinstance(op, Call) and is_call_of(op, runtime.entered):
                around.append(kinds)
                kinds = _entered(kinds, self.settings.get(op.args[0], {}) if isinstance(op.args[0], Var) else {})
            elif is_call_of(op, runtime.left):
                kinds = around.pop()
            elif kinds and any(is_call_of(op, asks) for asks in _QUESTIONS):
                assert isinstance(op, Call)
                stated = Pack("tuple", tuple(Lit(kind) for kind in KINDS if kind in kinds))
                op = replace(op, fn=Lit(runtime.raised_under), args=(stated, op.fn, *op.args))
            elif kinds and self.is_unseen(op):
                ops += (*self.raised(kinds, op), op, Call((), Lit(runtime.left), (), (), op.span))
                continue
            elif kinds:
                self.check(op, kinds, ops)
            ops.append(map_op(op, lambda value: value, partial(self.block, kinds=kinds)))
        return replace(block, ops=tuple(ops))

    def is_unseen(self, op: Op) -> bool:
        """Whether `op` runs code that nobody can look into."""
        fn = op.fn.value if isinstance(op, Call) and isinstance(op.fn, Lit) else None
        own = str(getattr(fn, "__module__", "")).startswith("adxform.")
        unseen = fn is runtime.attempt or (fn is not None and not own and lookup(fn) is None)
        return isinstance(op, Call) and unseen and effect_of(op) == OPAQUE

    def raised(self, kinds: frozenset[str], op: Op) -> Iterator[Op]:
        """The beginning of a ``with`` in which errors of `kinds` raise."""
        manager, value = (Var(self.names.fresh(name), Object()) for name in ("manager", "entered"))
        yield Call((manager,), Lit(np.errstate), (), tuple((kind, Lit("raise")) for kind in KINDS if kind in kinds), op.span)
        yield Call((value,), Lit(runtime.entered), (manager,), (), op.span)

    def check(self, op: Op, kinds: frozenset[str], ops: list[Op]) -> None:
        """Append a check of `op` to `ops`."""
        if isinstance(op, Invoke):
            message = "floating point errors raise here, in a function that calls itself or stays a function of its own"
            raise UnsupportedOperationError(message, span=op.span, help="write `with np.errstate(…)` inside of that function")
        if not isinstance(op, Call) or not isinstance(op.fn, Lit):
            return
        stated = Pack("tuple", tuple(Lit(kind) for kind in KINDS if kind in kinds))
        added = _ADDED.get(op.fn.value)
        if added is not None:
            ops.append(Call((), Lit(runtime.check_errors_at), (stated, Lit(added), *op.args), (), op.span))
        elif self.computes(op) and (fn := _of_numpy(op)) is not None:
            ops.append(Call((), Lit(runtime.check_errors), (stated, Lit(fn), *op.args), op.kwargs, op.span))

    def computes(self, op: Call) -> bool:
        """Whether `op` computes floats that the program computes, too."""
        moves = bool(effect_of(op).views) and not effect_of(op).writes
        return any(is_inexact(out.type) for out in op.outs) and not moves and not self.computed.isdisjoint(op.outs)


def _of_numpy(op: Call) -> Any:
    """The function by which NumPy computes what `op` does; ``None`` where Python does, or nothing is computed."""
    assert isinstance(op.fn, Lit)
    fn, record = op.fn.value, lookup(op.fn.value)
    if record is None or isinstance(record.derivative, Memory):
        return None
    if record.ufunc is None or isinstance(fn, np.ufunc):
        return fn if written_in(fn).partition(".")[0] in ("numpy", "scipy") or isinstance(fn, np.ufunc) else None
    return record.ufunc if any(_is_numpys(arg) for arg in op.args) else None


def _is_numpys(operand: Operand) -> bool:
    """Whether `operand` is an array or a number of NumPy."""
    if isinstance(operand, Var):
        return not (isinstance(operand.type, Scalar) and operand.type.weak)
    return isinstance(operand, Lit) and isinstance(operand.value, np.generic)


def _computed(fn: Function) -> frozenset[Var]:
    """What is computed for results and effects, and not just for how the result of a function moves."""
    feeds: dict[Var, tuple[Var, ...]] = {}
    waiting = list(variables_of(fn.results))
    for op in all_ops(fn.body):
        given = tuple(variables(op.args[0])) if isinstance(op, Call) and is_call_of(op, intrinsics.valued) else tuple(reads(op))
        if isinstance(op, Call) and op.outs:
            feeds.update(dict.fromkeys(op.outs, given))
        else:
            waiting += [*given, *(var for block in blocks(op) for var in variables_of(block.results))]
    found: set[Var] = set()
    while waiting:
        var = waiting.pop()
        if var not in found:
            found.add(var)
            waiting += feeds.get(var, ())
    return frozenset(found)


def _settings(op: Call) -> dict[str, str]:
    """What a call of ``np.errstate`` says of each kind of error."""
    said: dict[str, str] = {}
    for kind, what in _stated(op):
        said.update(dict.fromkeys(KINDS, what) if kind == "all" else {kind: what})
    return said


def _stated(op: Call) -> Iterator[tuple[str, str]]:
    for kind, what in sorted(op.kwargs, key=lambda pair: pair[0] != "all"):  # single kinds say more than `all`
        if not isinstance(what, Lit) or kind not in (*KINDS, "all"):
            message = f"what `np.errstate` is to do with errors (`{kind}`) is known only to the run"
            raise UnsupportedOperationError(message, span=op.span, help='write it out: `np.errstate(all="ignore")`')
        if what.value is not None:
            yield kind, what.value


def _silent(what: str) -> str:
    return "ignore" if what == "raise" else what


def _entered(kinds: frozenset[str], said: Mapping[str, str]) -> frozenset[str]:
    return frozenset(kind for kind in KINDS if said.get(kind, "raise" if kind in kinds else "") == "raise")
