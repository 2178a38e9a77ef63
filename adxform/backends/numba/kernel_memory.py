"""Workspaces of kernels outlive a call: where one would be made, the function looks in its pool first.

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

What a call that raises has taken is lost. The machine code of a kernel takes arrays that lie row by row; Numba's dispatcher
finds, or makes, that for others. Where arrays are known to lie so, straight code calls the former and falls back on the latter.
"""

from __future__ import annotations

import ast
import copy
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adxform.backends.fast_path_code import function_of
from adxform.backends.numba.compiled_rule import Guarded
from adxform.backends.protocol import Host
from adxform.backends.python.emit import Generated
from adxform.backends.python.loading import load_with
from adxform.backends.python.printing import to_source
from adxform.backends.python.written_syntax import LOAD, STORE, call, different, loaded
from adxform.ir.types import Array
from adxform.runtime.pools import Pools


def workspace(stmt: ast.stmt, makers: Collection[str]) -> tuple[list[str], list[ast.expr]] | None:
    """The arrays that `stmt` makes by one of `makers`, and their lengths; ``None`` where it is another statement."""
    match stmt:
        case ast.Assign([ast.Name(one)], ast.Call(ast.Name(maker), lengths)) if maker in makers:
            return [one], lengths
        case ast.Assign([ast.Tuple(several)], ast.Call(ast.Name(maker), lengths)) if maker in makers:
            return [name.id for name in several if isinstance(name, ast.Name)], lengths
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Pooled:
    """What becomes of a statement that makes a workspace: the `taking` of one and, at the end, the `giving` back."""

    taking: tuple[ast.stmt, ...]
    giving: ast.stmt


def pooled(stmt: ast.stmt, arrays: list[str], lengths: list[ast.expr], pool: deque[Any], host: Host) -> Pooled:
    """`stmt`, which makes `arrays` of `lengths`, with a workspace of `pool` in its place."""
    space, known = host.fresh("space"), host.fresh("lengths")
    given = lengths[0] if len(lengths) == 1 else ast.Tuple(lengths, LOAD)
    target = ast.Name(space, STORE)
    nothing = ast.ExceptHandler(loaded("IndexError"), None, [ast.Assign([target], ast.Tuple([ast.Constant(None)], LOAD))])
    taking = ast.Try([ast.Assign([target], call(host.constant("taken", pool.pop)))], [nothing], [], [])
    together = ast.Tuple([loaded(name) for name in (known, *arrays)], LOAD)
    again = ast.Assign([ast.Tuple([ast.Name(name, STORE) for name in (host.fresh("_"), *arrays)], STORE)], loaded(space))
    others = different(ast.Subscript(loaded(space), ast.Constant(0), LOAD), loaded(known))
    either = ast.If(others, [stmt, ast.Assign([target], together)], [again])
    return Pooled(
        (ast.Assign([ast.Name(known, STORE)], given), taking, either),
        ast.Expr(call(host.constant("given_back", pool.append), loaded(space))),
    )


def directly(run: Guarded, body: Sequence[ast.stmt], host: Host) -> Iterator[ast.stmt]:
    """The statements `body` of `run` in `host`, with pooled workspaces, and machine code called where arrays lie row by row."""
    contiguous = {*host.contiguous}
    giving: list[ast.stmt] = []
    for stmt in body:
        if (found := workspace(stmt, run.workspaces)) is not None:
            one = pooled(stmt, *found, host.pools.new(), host)
            contiguous.update(found[0])
            giving.append(one.giving)
            yield from one.taking
            continue
        match stmt:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "empty" | "zeros"))):
                contiguous.add(name)
            case ast.Assign(_, ast.Call(ast.Name(name), args)) | ast.Expr(ast.Call(ast.Name(name), args)) if name in run.kernels:
                arrays = [arg for arg, type_ in zip(args, run.kernels[name], strict=True) if isinstance(type_, Array)]
                if all(isinstance(arg, ast.Name) and arg.id in contiguous for arg in arrays):
                    quick = copy.copy(stmt)
                    quick.value = ast.Call(host.constant("machine", run.machine_code(name)), args, [])
                    refused = ast.ExceptHandler(loaded("TypeError"), None, [host.instead or stmt])
                    yield ast.Try([quick], [refused], [], [])
                    continue
        yield stmt
    yield from giving


def in_pools(run: Guarded, generated: Generated, pools: Pools) -> Guarded:
    """`run`, which runs what was `generated`, with workspaces of `pools`. Its results are new at each call."""
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

    host = Host(fresh, constant, pools)
    body: list[ast.stmt] = []
    giving: list[ast.stmt] = []
    for stmt in entry.body:
        found = workspace(stmt, run.workspaces)
        if found is None:
            body += [*giving, stmt] if isinstance(stmt, ast.Return) else [stmt]
        else:
            one = pooled(stmt, *found, pools.new(), host)
            body += one.taking
            giving.append(one.giving)
    if not isinstance(entry.body[-1], ast.Return):
        body += giving
    entry.body = body
    made = load_with(to_source(ast.Module([entry], [])), entry.name, around)
    made.__kwdefaults__ = run.compiled.__kwdefaults__
    return replace(run, compiled=made)
