"""``match``: each pattern is a condition on the subject, and the names that it captures are bound once all of it holds.

match p:                              if isinstance(p, Point) and p.x == 0.0:
    case Point(x=0.0, y=v):               v = p.y
        …                                 …
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast

from adxform.frontend.lowering.expressions import lower_expression
from adxform.frontend.lowering.scope import FALSE, TRUE, State, Statements, branch, choose
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Lit, Operand, Pack

_CAPTURED = "?captured_{}"
"""What a pattern has captured so far for a name, which is bound once the whole of it holds."""
_Step = Callable[[State], Operand]


def lower_match(state: State, node: gast.Match, lower_statements: Statements) -> None:
    """Append the cases of a ``match``, each where none before it was taken."""
    _lower_cases(state, lower_expression(state, node.subject, "subject"), list(node.cases), lower_statements)


def _lower_cases(state: State, subject: Operand, cases: list[Any], lower_statements: Statements) -> None:
    if not cases:
        return
    case, *rest = cases
    names = tuple(captured_names(case.pattern))
    cond = _holds(state, subject, case.pattern)
    captured = {state.scope.mangle(name): _take(state, _CAPTURED.format(name)) for name in names}
    if case.guard is not None:  # names stay bound where the guard does not hold
        cond = _all(state, case.guard, [lambda _: cond, lambda side: _guard(side, captured, case.guard)])
    if cond == TRUE:
        _bind(state, captured)
        lower_statements(state, case.body)
        return
    taken, passed = state.nested(), state.nested()
    if case.guard is None:
        _bind(taken, captured)
    lower_statements(taken, case.body)
    _lower_cases(passed, subject, rest, lower_statements)
    branch(state, cond, taken, passed, state.at(case.pattern))


def captured_names(pattern: Any) -> dict[str, None]:
    """The names that `pattern` captures, in order."""
    found: dict[str, None] = {}
    for node in gast.walk(pattern):
        name = node.rest if isinstance(node, gast.MatchMapping) else getattr(node, "name", None)
        if name is not None:
            found[name] = None
    return found


def _guard(side: State, captured: Mapping[str, Operand], guard: Any) -> Operand:
    _bind(side, captured)
    return lower_expression(side, guard)


def _bind(state: State, captured: Mapping[str, Operand]) -> None:
    for name, value in captured.items():
        state.bind(name, value)


def _take(state: State, name: str) -> Operand:
    state.written.pop(name, None)
    return state.env.pop(name, UNDEFINED)


def _holds(state: State, subject: Operand, pattern: Any) -> Operand:
    """Whether `pattern` fits `subject`."""
    span = state.at(pattern)
    match pattern:
        case gast.MatchValue(value=value):
            return state.builder.call(intrinsics.is_value, subject, lower_expression(state, value), span=span)
        case gast.MatchSingleton(value=value):
            return state.builder.call(operator.is_, subject, Lit(value), span=span)
        case gast.MatchAs(pattern=inner, name=name):
            capture = None if name is None else _CAPTURED.format(name)
            cond = TRUE if inner is None else _holds(state, subject, inner)
            if capture is not None:
                state.bind(capture, subject)
            return cond
        case gast.MatchOr(patterns=patterns):
            return _any(state, pattern, [_fits(subject, inner) for inner in patterns])
        case gast.MatchSequence(patterns=patterns):
            return _all(state, pattern, _sequence(subject, patterns))
        case gast.MatchMapping():
            return _all(state, pattern, _mapping(subject, pattern))
        case gast.MatchClass():
            return _all(state, pattern, _class(subject, lower_expression(state, pattern.cls), pattern))
        case _:
            raise AssertionError(pattern)


def _fits(subject: Operand, pattern: Any) -> _Step:
    return lambda side: _holds(side, subject, pattern)


def _all(state: State, node: Any, steps: Sequence[_Step]) -> Operand:
    """Whether all conditions hold, each asked where those before it do."""
    first, *rest = steps
    cond = first(state)
    if not rest or cond == FALSE:
        return cond
    if cond == TRUE:
        return _all(state, node, rest)
    return choose(state, node, cond, lambda side: _all(side, node, rest), lambda _: FALSE, "holds")


def _any(state: State, node: Any, steps: Sequence[_Step]) -> Operand:
    """Whether one of the conditions holds, each asked where none before it does."""
    first, *rest = steps
    cond = first(state)
    if not rest or cond == TRUE:
        return cond
    return choose(state, node, cond, lambda _: TRUE, lambda side: _any(side, node, rest), "holds")


def _call(fn: Callable[..., Any], *args: Operand) -> _Step:
    return lambda side: side.builder.call(fn, *args)


def _part(subject: Operand, index: Operand, pattern: Any) -> _Step:
    """Whether `pattern` fits an item of the subject."""
    return lambda side: _holds(side, side.builder.call(operator.getitem, subject, index, hint=_hint(pattern)), pattern)


def _hint(pattern: Any) -> str:
    return getattr(pattern, "name", None) or "item"


def _sequence(subject: Operand, patterns: list[Any]) -> list[_Step]:
    """A sequence of as many items, or of at least as many with a star."""
    star = next((k for k, inner in enumerate(patterns) if isinstance(inner, gast.MatchStar)), None)
    single = len(patterns) - (star is not None)
    compare = operator.eq if star is None else operator.ge

    def is_long_enough(side: State) -> Operand:
        return side.builder.call(compare, side.builder.call(len, subject), Lit(single))

    steps = [_call(intrinsics.is_sequence, subject), is_long_enough]
    for k, inner in enumerate(patterns):
        if k != star:
            steps.append(_part(subject, Lit(k if star is None or k < star else k - len(patterns)), inner))
        elif inner.name is not None:
            steps.append(_rest_of_sequence(subject, k, k + 1 - len(patterns), inner.name))
    return steps


def _rest_of_sequence(subject: Operand, start: int, stop: int, name: str) -> _Step:
    def step(side: State) -> Operand:
        part = Pack("slice", (Lit(start), Lit(stop or None), Lit(None)))
        items = side.builder.call(list, subject, hint=name)
        side.bind(_CAPTURED.format(name), side.builder.call(operator.getitem, items, part, hint=name))
        return TRUE

    return step


def _mapping(subject: Operand, pattern: gast.MatchMapping) -> list[_Step]:
    """A mapping that has the keys, whose values fit."""
    steps = [_call(intrinsics.is_mapping, subject)]
    keys: list[Operand] = []

    def has(key: Any) -> _Step:
        def step(side: State) -> Operand:
            keys.append(lower_expression(side, key))
            return side.builder.call(operator.contains, subject, keys[-1])

        return step

    def value(place: int, inner: Any) -> _Step:
        return lambda side: _part(subject, keys[place], inner)(side)

    def rest(side: State) -> Operand:
        left = side.builder.call(dict, subject, hint=pattern.rest)
        for key in keys:
            side.builder.effect(operator.delitem, left, key)
        side.bind(_CAPTURED.format(pattern.rest), left)
        return TRUE

    for place, (key, inner) in enumerate(zip(pattern.keys, pattern.patterns, strict=True)):
        steps += (has(key), value(place, inner))
    return [*steps, rest] if pattern.rest is not None else steps


def _class(subject: Operand, cls: Operand, pattern: gast.MatchClass) -> list[_Step]:
    """An object of a class, whose attributes fit: by `__match_args__` where they are given by place."""
    steps = [_call(isinstance, subject, cls)]
    given = [*enumerate(pattern.patterns), *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)]
    for which, inner in given:
        steps += (_call(intrinsics.has_part, subject, cls, Lit(which)), _attribute(subject, cls, which, inner))
    return steps


def _attribute(subject: Operand, cls: Operand, which: int | str, pattern: Any) -> _Step:
    def step(side: State) -> Operand:
        part = side.builder.call(intrinsics.part_of, subject, cls, Lit(which), hint=_hint(pattern))
        return _holds(side, part, pattern)

    return step
