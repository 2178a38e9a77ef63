"""Refuses numbers taken out of objects of the run into which something was put that a number that moves went into.

`log.append(f"{x}")`, then `float(log[-1])`: what a function without a rule returns, given a number that moves, is followed as
long as it has a name. An object of the run that keeps it hides it, so all that may come out of such an object is taken to be it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from adxform import runtime
from adxform.frontend.evaluate.pure_functions import only_says
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Invoke, Lit, Op, Var
from adxform.ir.spans import Span
from adxform.ir.types import Object, is_inexact
from adxform.ir.walk import Names, all_ops, joins, variables, variables_of
from adxform.primitives.effects import effect_of, functions
from adxform.primitives.unruled import missing_rule

Found = TypeVar("Found")

_LOADS = (operator.getitem,)
_STORES = (operator.setitem, intrinsics.accumulate, intrinsics.deduct)


def refuse_numbers_out_of_objects(
    function: Function, unruled: Mapping[Var, tuple[object, Span]], generators: Iterable[Var]
) -> None:
    """Raise where a float comes out of an object that keeps one of `unruled`: what functions without a rule gave of what moves.

    Of `generators` of random numbers come numbers that do not move.
    """
    draws = frozenset(generators)
    for var, found in numbers_out_of(function, unruled):
        if var not in draws and var not in unruled:  # which is refused where it moves
            raise missing_rule(*found, "a number comes out of an object that may hold what it returns")


def with_numbers_refused(function: Function, unruled: Mapping[Var, tuple[object, Span]], names: Names) -> Function:
    """`function`, which raises where a result that may hold one of `unruled` turns out to be a number: that has no derivative."""
    results = [var for var in function.results if isinstance(var, Var) and var not in unruled]
    kept = {var for var, _ in numbers_out_of(function, unruled, results)}
    given = [var for var in dict.fromkeys(results) if var in kept and isinstance(var.type, Object)]
    if not given:
        return function
    asked = {var: Var(names.fresh(var.base), var.type) for var in given}
    calls = [Call((out,), Lit(runtime.no_number), (var,), (), function.span) for var, out in asked.items()]
    body = function.body
    told = tuple([asked.get(result, result) if isinstance(result, Var) else result for result in body.results])
    return replace(function, body=replace(body, ops=(*body.ops, *calls), results=told))


def numbers_out_of(function: Function, given: Mapping[Var, Found], results: Iterable[Var] = ()) -> Iterator[tuple[Var, Found]]:
    """What floats are taken out of, or is among `results`, and may hold one of the objects `given`; and what is said of that."""
    if not given:
        return
    ops = [op for one in functions(function).values() for op in all_ops(one.body)]
    groups = _Groups()
    for op in ops:
        for names in _together(op, function):
            groups.join(names)
    kept = {groups.of(var): found for var, found in given.items()}
    _keep_texts(ops, groups, kept)
    for var in (*(var for op in ops for var in _numbers_of(op)), *_objects(results)):
        found = kept.get(groups.of(var))
        if found is not None:
            yield var, found


def _keep_texts(ops: Iterable[Op], groups: _Groups, kept: dict[str, Found]) -> None:
    """Add to `kept` the texts that are made of what is kept: `",".join(log)`, which keeps nothing else with `log`."""
    calls = [op for op in ops if isinstance(op, Call) and only_says(callee(op))]
    known = -1
    while known < len(kept):
        known = len(kept)
        for op in calls:
            given = _objects(variables_of((*op.args, *(value for _, value in op.kwargs))))
            found = next((kept[groups.of(var)] for var in given if groups.of(var) in kept), None)
            if found is not None:
                for out in _objects(op.outs):
                    kept.setdefault(groups.of(out), found)


class _Groups:
    """Objects of the run that may hold one another, by a name for all of them."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def of(self, var: Var) -> str:
        """The name of the group of `var`."""
        name = var.name
        while self.names.get(name, name) != name:
            name = self.names[name]
        return name

    def join(self, several: Iterable[Var]) -> None:
        """Let `several` be of one group."""
        first, *others = several
        for other in others:
            self.names[self.of(other)] = self.of(first)


def _objects(given: Iterable[Var]) -> tuple[Var, ...]:
    return tuple(var for var in given if isinstance(var.type, Object))


def _together(op: Op, function: Function) -> Iterator[tuple[Var, ...]]:
    """The objects of each group that `op` makes one of: what it takes and gives, but for what it only says of them."""
    for out, given in joins(op):
        if isinstance(out.type, Object):
            yield (out, *_objects(variables(given)))
    if isinstance(op, Invoke):
        inner = functions(function).get(op.callee)
        for own, given in zip((*inner.params, *inner.results), (*op.args, *op.outs), strict=False) if inner is not None else ():
            if found := _objects((*variables(own), *variables(given))):
                yield found
    if isinstance(op, Call) and not only_says(callee(op)):
        found = _objects((*op.outs, *variables_of((*op.args, *(value for _, value in op.kwargs)))))
        if found and (op.outs == () or _objects(op.outs) or effect_of(op).opaque):
            yield found


def _numbers_of(op: Op) -> tuple[Var, ...]:
    """The objects of which floats come by `op`: what it reckons with, or stores in an array."""
    if not isinstance(op, Call):
        return ()
    if callee(op) in _STORES:
        return _objects(variables(op.args[2]))
    if not any(is_inexact(out.type) for out in op.outs):
        return ()
    given = op.args[:1] if callee(op) in _LOADS else (*op.args, *(value for _, value in op.kwargs))
    return _objects(variables_of([one for one in given if not isinstance(one, Lit)]))
