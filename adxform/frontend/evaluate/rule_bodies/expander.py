"""The bodies of rules as typed IR: the same front end, on operands in place of a call's arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from adxform.errors import MissingRuleError, UnsupportedOperationError
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.classes.protocols import is_object
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.interpreter import Evaluator
from adxform.frontend.evaluate.outside.guards import constant, from_outside
from adxform.frontend.evaluate.records.knowledge import Knowledge
from adxform.frontend.evaluate.rule_bodies.own_results import with_own_results
from adxform.frontend.evaluate.rule_bodies.staged_rules import Staged, stage
from adxform.frontend.evaluate.signals import Recursive, Restart, Unreachable
from adxform.frontend.evaluate.state import Derive, Interpreter
from adxform.frontend.evaluate.values import FunctionValue, InnerPullback, Method, Static, Tuple, Value
from adxform.frontend.nested.returned_cotangents import cotangents, refuse_writes
from adxform.frontend.signature.access import Access
from adxform.frontend.signature.watched_rules import reaches
from adxform.frontend.types.forgotten_kinds import is_forgotten
from adxform.ir.kinds import settle, settled_type
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Pack, Var
from adxform.ir.prune import prune
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, free_variables, substitute, variables
from adxform.primitives.record import General
from adxform.primitives.table import table_version
from adxform.primitives.unruled import is_users, title
from adxform.runtime.memos import Memo

Kwargs = Mapping[str, Operand] | tuple[tuple[str, Operand], ...]
Named = tuple[tuple[str, Operand], ...]
Found = TypeVar("Found", bound=tuple[Function, ...])
_expanded: Memo[Any, tuple[Function, ...]] = Memo(4096, kept=1024)
"""Most are of the library's rules, on operands that many programs have."""


class RuleExpander:
    """Turns rule bodies into typed functions, each once for each kind of operands."""

    def __init__(self, derive: Derive) -> None:
        self.derive = derive

    def expand(self, body: Callable[..., Any], args: tuple[Operand, ...], kwargs: Kwargs = ()) -> Function:
        """`body` on operands: a function of their distinct variables in order, with a result per leaf of what it returns."""
        named = tuple(dict(kwargs).items())
        key = ("expand", table_version(), self.derive, body, *_canonical(args, named))
        return _expanded.get(key, lambda: _settled(body, lambda knowledge: self._expand(body, args, named, knowledge)))[0]

    def expand_rule(
        self, rule: General, args: tuple[Operand, ...], kwargs: Kwargs = (), count: int = 1
    ) -> tuple[Function, Function]:
        """What `rule` says, ``(y, pullback)``, as ``forward -> (y, *residuals)`` and ``pullback(*residuals, ct)``.

        Where the function has another `count` of results, `y` is a tuple of those: `forward` returns its items first, and the
        pullback takes a cotangent for each last.
        """
        named = tuple(dict(kwargs).items())
        key = ("rule", table_version(), self.derive, rule.body, count, *_canonical(args, named))

        def made() -> tuple[Function, ...]:
            staged = stage(rule.body, args, named) if rule.staged else None
            expanded = functools.partial(self._expand_rule, rule.body, staged, args, named, count)
            return _settled(rule.body, expanded, staged)

        found = _expanded.get(key, made)
        return found[0], found[1]

    def _expand(
        self, body: Callable[..., Any], args: tuple[Operand, ...], named: Named, knowledge: Knowledge
    ) -> tuple[Interpreter, tuple[Function]]:
        interp, params, values, keywords = self._start(body, args, named, knowledge)
        try:
            returned = interp.call(constant(interp, body), values, keywords)
            results = tuple(interp.operand(leaf) for leaf in structures.all_leaves(interp, returned))
        except Unreachable:
            raise _refused(interp) from None
        function = Function(_name(body), Block(params, tuple(interp.builder.ops), results), (), interp.helper_functions())
        return interp, (settle(prune(function)),)

    def _expand_rule(
        self,
        body: Callable[..., Any],
        staged: Staged | None,
        args: tuple[Operand, ...],
        named: Named,
        count: int,
        knowledge: Knowledge,
    ) -> tuple[Interpreter, tuple[Function, Function]]:
        interp, params, values, keywords = self._start(body, args, named, knowledge)
        try:
            pair = interp.call(constant(interp, body if staged is None else staged.rule), values, keywords)
            parts, pullback = _values_and_pullback(interp, body, pair, count)
            outs = tuple(interp.operand(part) for part in parts)
            forward_ops = interp.builder.ops
            cts = [
                Var(interp.names.fresh("ct"), out.type if isinstance(out, Var) else structures.literal_type(out)) for out in outs
            ]
            interp.builder = interp.builder.nested()
            returned = interp.call(pullback, tuple(cts))
            results = tuple(cotangents(interp, body, returned, values))
        except Unreachable:
            raise _refused(interp) from None
        held = {} if staged is None else staged.arrays(interp)
        block = Block((), tuple(interp.builder.ops), results)
        residuals = tuple(var for var in free_variables(block) if var not in cts and var not in held)
        helpers = interp.helper_functions()
        asked = tuple(held.values())
        forward = settle(prune(Function(_name(body), Block(params, (*asked, *forward_ops), (*outs, *residuals)), (), helpers)))
        back = settle(prune(Function("pullback", Block((*residuals, *cts), (*asked, *block.ops), results), (), helpers)))
        if is_users(body):
            _refuse_writes_of(interp, body, forward, back, len(residuals), tuple(held))
            forward, back = with_own_results(forward, count, held), with_own_results(back, 0)
        return interp, (forward, back)

    def _start(
        self, body: Callable[..., Any], args: tuple[Operand, ...], named: Named, knowledge: Knowledge
    ) -> tuple[Interpreter, tuple[Var, ...], tuple[Value, ...], dict[str, Value]]:
        """An interpreter for `body`, its parameters and arguments.

        The library's rules take a number of which no one can tell whether it was whole as the float that it is kept as: only what
        their functions give, of which the front end has asked already, depends on that.
        """
        given = dict.fromkeys(var for operand in (*args, *(value for _, value in named)) for var in variables(operand))
        names = Names()
        for var in given:
            names.reserve_lengths(var.type)
        seen = {var: settled_type(var.type) if is_forgotten(var) and not is_users(body) else var.type for var in given}
        renamed: dict[Var, Operand] = {var: Var(names.fresh("tmp"), type_) for var, type_ in seen.items()}
        interp = Evaluator(names, self.derive, knowledge)
        params = tuple(var for var in renamed.values() if isinstance(var, Var))

        def value_of(operand: Operand) -> Value:
            value = interp.value(substitute(operand, renamed), _Itself())
            return from_outside(interp, value.value, Access((), value)) if isinstance(value, Lit) and is_object(value) else value

        return interp, params, tuple(map(value_of, args)), {key: value_of(value) for key, value in named}


class _Itself(dict[Var, Value]):
    """An environment in which every variable is itself."""

    def __missing__(self, var: Var) -> Value:
        return var


def _settled(
    body: Callable[..., Any], expanded: Callable[[Knowledge], tuple[Interpreter, Found]], staged: Staged | None = None
) -> Found:
    """What `expanded` makes of `body` once it is known which numbers it reads outside of its arguments, and what calls itself.

    The arrays that a rule was built with are no such.

    Raises:
        UnsupportedOperationError: it reads an array there.
    """
    knowledge = Knowledge()
    while True:
        try:
            interp, found = expanded(knowledge)
        except Restart as restart:
            if not isinstance(restart, Recursive) or restart.key in knowledge.recursive:
                raise _stuck(body, restart) from None
            knowledge.recursive[restart.key] = None
            continue
        outside = {access: var for access, var in interp.outer.hidden.items() if not _is_held(staged, access, var)}
        if not outside:
            reaches(body, interp.outer.guards)
            return found
        for access, var in outside.items():
            if not isinstance(var.type, Scalar) or access in knowledge.hidden:
                message = f"the rule reads the array `{access}` outside of its arguments"
                raise interp.error(message, "let the function take it as an argument, or register a staged rule that makes it")
            knowledge.hidden[access] = Lit(interp.outer.hidden_values[var])


def _is_held(staged: Staged | None, access: Access, var: Var) -> bool:
    """Whether `var`, read by `access`, is an array that a rule was built with."""
    return staged is not None and isinstance(var.type, Array) and staged.holds(access)


def _canonical(args: tuple[Operand, ...], named: tuple[tuple[str, Operand], ...]) -> tuple[Any, ...]:
    """The operands with variables numbered, so that calls that differ in names only share an expansion."""
    numbers: dict[Var, int] = {}

    def canonical(operand: Operand) -> Any:
        if isinstance(operand, Var):
            return numbers.setdefault(operand, len(numbers)), operand.type
        return (operand.kind, tuple(map(canonical, operand.items))) if isinstance(operand, Pack) else operand

    return tuple(map(canonical, args)), tuple((key, canonical(value)) for key, value in named)


def _takes(kinds: tuple[str, ...], defaults: int, count: int) -> bool:
    """Whether a function whose parameters are of these kinds, the last ones with `defaults`, takes so many by position."""
    places = sum(kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD") for kind in kinds)
    return places - defaults <= count and (count <= places or "VAR_POSITIONAL" in kinds)


def _values(count: int) -> str:
    return "one value" if count == 1 else f"a tuple of {count}"


def _name(body: Callable[..., Any]) -> str:
    name = getattr(body, "__name__", "rule")
    return name if name.isidentifier() else "rule"


def _refused(interp: Interpreter) -> MissingRuleError:
    """The error for a rule that raises for these arguments, with what it says."""
    said = [op.args[0].value for op in interp.builder.ops if isinstance(op, Call) and op.args and isinstance(op.args[0], Lit)]
    reason = f": {said[-1]}" if said and isinstance(said[-1], str) else ""
    return MissingRuleError(f"the derivative rule does not cover this call{reason}", help="write the call another way")


def _values_and_pullback(
    interp: Interpreter, body: Callable[..., Any], pair: Value, count: int
) -> tuple[tuple[Value, ...], Value]:
    """The `count` values, and the pullback, in what a rule returns."""
    if not isinstance(pair, Tuple) or len(pair.items) != 2:
        message = f"{title(body)} does not return its value and its pullback"
        raise interp.error(message, "return `y, pullback`", MissingRuleError)
    y, pullback = pair.items
    if not isinstance(pullback, FunctionValue | Method | Static | InnerPullback):
        message = f"what {title(body)} returns beside its value is no function"
        raise interp.error(message, "return `y, pullback`", MissingRuleError)
    y = interp.force(interp.use(y), returned=True)
    parts = y.items if isinstance(y, Tuple) else (y,)
    if is_users(body) and not all(number_type(part) for part in parts):
        message = f"{title(body)} returns a value that is no number or array, nor a tuple of those"
        raise interp.error(message, "return numbers and arrays, and the pullback", MissingRuleError)
    if len(parts) != count:
        message = f"{title(body)} returns {_values(len(parts))}, where its function returns {_values(count)}"
        raise interp.error(message, "return what the function itself returns, and the pullback", MissingRuleError)
    if isinstance(pullback, FunctionValue) and not _takes(pullback.fn.kinds, len(pullback.defaults), count):
        message = f"the pullback of {title(body)} does not take {count} cotangent{'s' * (count != 1)}"
        raise interp.error(message, "let it take one for each result of the function", MissingRuleError)
    return parts, pullback


def _refuse_writes_of(
    interp: Interpreter, body: Callable[..., Any], forward: Function, back: Function, residuals: int, held: tuple[Var, ...]
) -> None:
    """Refuse a rule that writes to what it is given, to what it keeps for its pullback, or to arrays that it was built with."""
    refuse_writes(interp, body, forward, forward.params, "the forward part of {} writes to an argument")
    refuse_writes(interp, body, back, back.params[residuals:], "the pullback of {} writes to its cotangent")
    kept = back.params[:residuals]
    refuse_writes(interp, body, back, kept, "the pullback of {} writes to what the forward part made or was given")
    for part in (forward, back):
        refuse_writes(interp, body, part, held, "{} writes to an array that it was built with", "all its calls")


def _stuck(body: Callable[..., Any], restart: Restart) -> UnsupportedOperationError:
    return UnsupportedOperationError(f"the rule body `{_name(body)}` cannot be expanded: {restart}", help="simplify the rule")
