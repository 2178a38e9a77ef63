"""The memory that compiled derivatives work in, kept from call to call: where it would be made, they look whether it is there.

    tmp, tmp_ct = heat_kernel_workspace(n)

becomes

    lengths = n
    try:
        space = taken()
    except IndexError:
        space = (None,)
    if space[0] != lengths:
        tmp, tmp_ct = heat_kernel_workspace(n)
        space = lengths, tmp, tmp_ct
    else:
        _, tmp, tmp_ct = space

and, where the rule has run,

    given_back(space)

A call takes what no other one holds, and makes its own where there is nothing: calls that run in other threads, or one inside
the other, do not meet. What a call that raises has taken is lost.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from adxform.api.prepared.written_syntax import LOAD, STORE, call, different, loaded
from adxform.backends.numba.compiled_rule import Guarded
from adxform.backends.python.emit import Generated
from adxform.backends.python.loading import load_with
from adxform.backends.python.printing import to_source


@dataclass(frozen=True, slots=True)
class Kept:
    """The memory that a preparation keeps: a place for each workspace of each function that runs one of its rules."""

    places: list[deque[tuple[Any, ...]]] = field(default_factory=list)

    def place(self) -> deque[tuple[Any, ...]]:
        """Room for memory of one kind: for each call under way at once, what it worked in."""
        self.places.append(deque())
        return self.places[-1]

    def release(self) -> None:
        """Let go of all that no call works in."""
        for place in self.places:
            place.clear()


def workspace(stmt: ast.stmt, makers: Collection[str]) -> tuple[list[str], list[ast.expr]] | None:
    """The arrays that `stmt` makes by one of `makers`, and their lengths; ``None`` where it is another statement."""
    match stmt:
        case ast.Assign([ast.Name(one)], ast.Call(ast.Name(maker), lengths)) if maker in makers:
            return [one], lengths
        case ast.Assign([ast.Tuple(several)], ast.Call(ast.Name(maker), lengths)) if maker in makers:
            return [name.id for name in several if isinstance(name, ast.Name)], lengths
        case _:
            return None


Constant = Callable[[str, Any], ast.expr]
"""A value, under a name like the one given."""


@dataclass(frozen=True, slots=True)
class Held:
    """What becomes of a statement: the `taking` of memory and, at the end, the `giving` back."""

    taking: tuple[ast.stmt, ...]
    giving: ast.stmt


def held(
    stmt: ast.stmt, arrays: list[str], lengths: list[ast.expr], place: deque[Any], fresh: Callable[[str], str], constant: Constant
) -> Held:
    """`stmt`, which makes `arrays` of `lengths`, with what is at `place` used again."""
    space, known = fresh("space"), fresh("lengths")
    given = lengths[0] if len(lengths) == 1 else ast.Tuple(lengths, LOAD)
    target = ast.Name(space, STORE)
    nothing = ast.ExceptHandler(loaded("IndexError"), None, [ast.Assign([target], ast.Tuple([ast.Constant(None)], LOAD))])
    taking = ast.Try([ast.Assign([target], call(constant("taken", place.pop)))], [nothing], [], [])
    together = ast.Tuple([loaded(name) for name in (known, *arrays)], LOAD)
    again = ast.Assign([ast.Tuple([ast.Name(name, STORE) for name in (fresh("_"), *arrays)], STORE)], loaded(space))
    others = different(ast.Subscript(loaded(space), ast.Constant(0), LOAD), loaded(known))
    either = ast.If(others, [stmt, ast.Assign([target], together)], [again])
    return Held(
        (ast.Assign([ast.Name(known, STORE)], given), taking, either),
        ast.Expr(call(constant("given_back", place.append), loaded(space))),
    )


def keeping(run: Callable[..., Any], generated: Generated, kept: Kept) -> Callable[..., Any]:
    """`run`, which runs what was `generated`, in memory that is `kept`, where it is compiled and works in any.

    Its results are new at each call.
    """
    if not isinstance(run, Guarded) or not run.workspaces:
        return run
    entry = function_of(generated)
    taken = {node.id for node in ast.walk(entry) if isinstance(node, ast.Name)} | {arg.arg for arg in entry.args.args}
    around: dict[str, Any] = {**run.compiled.__globals__}

    def fresh(hint: str) -> str:
        name, count = hint, 0
        while name in taken or name in around:
            name, count = f"{hint}_{count + 1}", count + 1
        taken.add(name)
        return name

    def constant(hint: str, value: Any) -> ast.expr:
        around[name := fresh(hint)] = value
        return loaded(name)

    body: list[ast.stmt] = []
    giving: list[ast.stmt] = []
    for stmt in entry.body:
        found = workspace(stmt, run.workspaces)
        if found is None:
            body += [*giving, stmt] if isinstance(stmt, ast.Return) else [stmt]
        else:
            one = held(stmt, *found, kept.place(), fresh, constant)
            body += one.taking
            giving.append(one.giving)
    if not isinstance(entry.body[-1], ast.Return):
        body += giving
    entry.body = body
    made = load_with(to_source(ast.Module([entry], [])), entry.name, around)
    made.__kwdefaults__ = run.compiled.__kwdefaults__
    return replace(run, compiled=made)


def function_of(generated: Generated) -> ast.FunctionDef:
    """The syntax of the function that was generated, without its helpers."""
    (found,) = (stmt for stmt in ast.parse(generated.text).body if getattr(stmt, "name", None) == generated.entry)
    assert isinstance(found, ast.FunctionDef)
    return found
