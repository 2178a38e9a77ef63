"""Which variables carry a derivative: those that depend on the inputs and that the results depend on.

Arrays that are written carry activity by alias class, so a buffer is active from its allocation on, wherever in the
program an active value is stored into it. Stacks carry it likewise.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adxform import runtime
from adxform.analysis.spread import (
    Spread,
    carries,
    is_constant,
    spread_to_arguments,
    spread_to_results,
)
from adxform.analysis.unseen_code import as_tried, writes_unseen
from adxform.errors import AdxError, AliasError, MissingRuleError, UnsupportedOperationError, together
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, hides, is_complex, is_inexact
from adxform.ir.walk import all_ops, outs, reads, variables, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of
from adxform.primitives.memory import index_kind
from adxform.primitives.record import General
from adxform.primitives.signatures import not_covered, taken, unstated
from adxform.primitives.table import definition, record_called
from adxform.primitives.unruled import callable_name, has_way_around, is_users, missing_rule, shown


@dataclass(frozen=True)
class Activity:
    """The variables that depend on the inputs (`varied`) and those that also reach the results (`active`)."""

    varied: frozenset[Var]
    active: frozenset[Var]


def find_activity(
    fn: Function,
    wrt: Iterable[int],
    results: Iterable[Operand] | None = None,
    aliases: Aliases | None = None,
    entered: Iterable[Operand] = (),
) -> Activity:
    """Find what is active when `fn`, with alias classes `aliases`, is differentiated with respect to its parameters `wrt`.

    `entered` is memory of a helper that its callers write to, where it has several names: it may get a derivative there.

    Raises:
        MissingRuleError: a function without a rule lies between the inputs and the results.
        UnsupportedOperationError: a value of a type that carries no derivative lies there, or complex numbers meet a rule for
            real ones.
        AliasError: an array that is written is also used as a constant.
    """
    aliases = aliases or alias_classes(fn)
    varied = Spread(aliases)
    for index in wrt:
        varied.add(fn.params[index])
    for operand in entered:
        varied.add_all(operand)
    varied.run(spread_to_results, fn.body)
    useful = Spread(aliases)
    for result in fn.results if results is None else results:
        useful.add_all(result)
    useful.run(spread_to_arguments, fn.body)
    _refuse_unknown(fn.body, varied, useful)
    _refuse_views(fn.body, varied, useful)
    stopped = _stopped(fn.body, varied, useful)
    active = frozenset(var for var in varied.vars.values() if var in useful and carries(var) and var not in stopped)
    return Activity(frozenset(varied.vars.values()), active)


def _refuse_unknown(body: Block, varied: Spread, useful: Spread) -> None:
    """Raise where an active value goes through what has no derivative; one error tells of all such places.

    Places that such a value reaches only through another one are left out; a list is named by the call that takes it.
    """
    refused: list[AdxError] = []
    listed: list[AdxError] = []
    after: set[Var] = set()
    for op in all_ops(body):
        if not after.isdisjoint(reads(op)):
            after.update(outs(op))
        elif isinstance(op, Call):
            try:
                _refuse_call(op, varied, useful)
            except AdxError as error:
                if op.fn == Lit(runtime.sequence):
                    listed.append(error)
                else:
                    refused.append(error)
                    after.update(op.outs)
    if refused or listed:
        raise together(refused or listed)


def _refuse_call(call: Call, varied: Spread, useful: Spread) -> None:
    assert isinstance(call.fn, Lit)
    record = record_called(call)
    if record is not None and record.derivative is not None:
        _refuse_hidden(call, varied, useful)
        return
    call = as_tried(call)
    assert isinstance(call.fn, Lit)
    sources = (*call.args, *(value for _, value in call.kwargs))
    if any(map(varied.has_any, sources)) and any(out in varied and out in useful for out in call.outs):
        _refuse_unstated(call)
        raise missing_rule(call.fn.value, call.span)
    if record is None and writes_unseen(call):
        _refuse_written(call, variables_of(sources), varied, useful)


def _refuse_hidden(call: Call, varied: Spread, useful: Spread) -> None:
    """Raise where what `call` makes or writes has a type that no derivative, or none of its function, is followed through."""
    for var in (*call.outs, *(var for place in effect_of(call).writes for var in variables(call.args[place]))):
        if hides(var.type) and var in varied and var in useful:
            if isinstance(call.fn, Lit) and has_way_around(call.fn.value):
                raise missing_rule(call.fn.value, call.span)
            raise UnsupportedOperationError(
                f"no derivative is followed through {kind_of(var)}",
                span=call.span,
                help="compute it with float64 numbers and arrays, or wrap it in `stop_gradient`",
            )
    constant = is_constant(call)  # for real numbers, where it does not hold for complex ones
    moved = [out for out in call.outs if (constant or out in varied) and out in useful]
    given = (var for var in variables_of((*call.args, *(value for _, value in call.kwargs))) if var in varied)
    if moved and any(is_complex(var.type) for var in (*moved, *given)) and not _takes_complex(call):
        assert isinstance(call.fn, Lit)
        raise UnsupportedOperationError(
            f"the derivative rule of `{callable_name(call.fn.value)}` is one for real numbers",
            span=call.span,
            help="compute with the real and the imaginary part, or register a rule: `adxform.rule`",
        )


def _takes_complex(call: Call) -> bool:
    """Whether the rule of the function called holds for complex numbers; of a rule of the user's that is for them to see to."""
    record = record_called(call)
    return record is None or record.takes_complex or (isinstance(record.derivative, General) and is_users(record.derivative.body))


def _refuse_written(call: Call, given: Sequence[Var], varied: Spread, useful: Spread) -> None:
    """Raise where `call`, of a function that nothing is known of, may write what it is given into an array that matters."""
    assert isinstance(call.fn, Lit)
    arrays = [var for var in given if isinstance(var.type, Array) and is_inexact(var.type) and _is_read(var, useful)]
    if arrays and any(var in varied for var in given):
        name = callable_name(call.fn.value)
        _refuse_unstated(call)
        raise MissingRuleError(
            f"`{name}` may write to {shown(arrays[0])}, and no derivative rule tells",
            span=call.span,
            help="pass a copy if it only reads: `.copy()`; if it writes, write in Python or NumPy what it does",
        )


def _is_read(array: Var, useful: Spread) -> bool:
    """Whether what is in `array` matters, by its own name or by that of another array that may have the same memory."""
    return any(member in useful for member in useful.aliases.members(useful.aliases.of(array)))


def _refuse_unstated(call: Call) -> None:
    """Name the parameter for which a call was not taken for what its function means, if there is one."""
    assert isinstance(call.fn, Lit)
    meaning = definition(call.fn.value)
    if meaning is not None:
        keywords = tuple([key for key, _ in call.kwargs])
        option = unstated(call.fn.value, taken(call.fn.value, meaning), len(call.args), keywords)
        if option is not None:
            raise not_covered(call.fn.value, option, call.span)


def _refuse_views(body: Block, varied: Spread, useful: Spread) -> None:
    """Raise where memory that is written is reached through a view of another than the first argument (`np.einsum`).

    So it is with what may be a view: an element of an array by an index of which nothing is known.
    """
    for op in all_ops(body):
        if isinstance(op, Call) and (effect_of(op).views not in ((), (0,)) or _may_be_view(op)):
            for out in op.outs:
                if carries(out) and out in varied and out in useful and varied.aliases.of(out) in varied.aliases.written:
                    index = "index by numbers, slices, arrays (`np.asarray(places)`) or lists, or copy the result (`.copy()`)"
                    other = "copy the result (`.copy()`), or take the view by `.T`, `np.transpose` or `np.diagonal`"
                    raise AliasError(
                        "the result may share memory with an argument, and one of the two is written",
                        span=op.span,
                        help=index if _may_be_view(op) else other,
                    )


def _may_be_view(op: Call) -> bool:
    """Whether only the run can tell whether the result of `op` is a view of its argument or an array of its own."""
    if op.fn != Lit(operator.getitem) or not effect_of(op).views:
        return False
    x, index = op.args
    return isinstance(x, Var) and isinstance(x.type, Array) and index_kind(index) == "unknown"


def _stopped(body: Block, varied: Spread, useful: Spread) -> frozenset[Var]:
    """The names that cut an array off from derivatives though it shares memory with an active one.

    Raises:
        AliasError: the contents are used under such a name.
    """
    cut = [op for op in all_ops(body) if isinstance(op, Call) and is_constant(op) and effect_of(op).views]
    by_contents = (op for op in all_ops(body) if not isinstance(op, Call) or effect_of(op).reads)
    used = {var for op in by_contents for var in reads(op)} if cut else set()
    for op in cut:
        if any(carries(out) and out in varied and out in useful and out in used for out in op.outs):
            raise AliasError(
                "`stop_gradient` gives another name to an array that is written: their derivatives cannot be told apart",
                span=op.span,
                help="take it of a copy, as in `stop_gradient(x.copy())`",
            )
    return frozenset(out for op in cut for out in op.outs)


def kind_of(var: Var) -> str:
    """What kind of value `var` is, for a message."""
    match var.type:
        case Scalar(dtype):
            return f"a {dtype} number"
        case Array(dtype):
            return f"an array of {dtype}"
        case _:
            return "a value of unknown type"
