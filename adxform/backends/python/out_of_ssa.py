"""Python names for SSA variables: out of SSA without copies where that is possible.

A value that leaves a branch or is carried by a loop lives in one place: the op's out, and inside a loop its parameter too. What
flows into the place is a parallel copy before the loop and at the end of each block. A source whose live ranges do not touch
those of the place takes the place itself, and its copy is gone, unless the user named the two differently. Then variables of
one name share it where they are not live together; the others get ``name_1``, ``name_2``, ….

What nobody named and is loaded from somewhere is named after that place: ``u_i`` for ``u[i]``.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import islice
from typing import assert_never

from adxform.backends.python.inlined_expressions import Folding
from adxform.backends.python.liveness import Fork, Node, Ranges, Step, live_ranges, loop, overlap, union
from adxform.backends.python.stale_names import stale
from adxform.backends.python.syntax import is_nameless, is_temporary
from adxform.errors import VerificationError
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.types import Array, Type
from adxform.ir.walk import TAPE, defined_variables

NEAR = 16


@dataclass(frozen=True, slots=True)
class Naming:
    """`names`: the name of each variable that has one; ``_`` for what nobody reads. `bound`: places that must hold something
    even where the program leaves them undefined, because a copy out of them runs anyway."""

    names: Mapping[Var, str]
    bound: Collection[Var]

    def is_read(self, var: Var) -> bool:
        """Whether anything reads `var`."""
        return self.names[var] != "_"


def assign_names(fn: Function, folding: Folding, reserved: Collection[str], checked: bool = False) -> Naming:
    """Names for the variables of `fn` that are not folded, none of them in `reserved`.

    `checked` tells that `fn` reads nothing undefined.
    """
    program = _Program(folding)
    program.function(fn)
    ranges = live_ranges(program.nodes)
    classes = _Classes(ranges, program, fn.params)
    classes.coalesce()
    by_root = _colour(classes, fn.params, frozenset(reserved))
    names: dict[Var, str] = {}
    params = frozenset(fn.params)
    for var in defined_variables(fn.body):
        place = program.place(var)
        if place in ranges:
            unread = all(start == end for start, end in ranges[place]) and var not in params
            names[var] = "_" if unread and classes.is_single(place) else by_root[classes.root(place)]
    bound = classes.bound(by_root) | (frozenset() if checked else classes.stale(by_root))
    return Naming(names, frozenset(var for var in names if classes.root(program.place(var)) in bound) if bound else bound)


@dataclass(frozen=True, slots=True)
class _Copy:
    """``target = source`` in a parallel copy at step `at`, inside `depth` loops."""

    target: Var
    source: Operand
    depth: int
    at: int


class _Program:
    """The steps of a function as liveness sees them, and its copies."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding
        self.nodes: list[Node] = []
        self.copies: list[_Copy] = []
        self.indices: list[Var] = []
        self.handed: list[Var] = []
        self.loads: dict[Var, Call] = {}
        self._places: dict[Var, Var] = {}
        self._at = 0
        self._depth = 0

    def place(self, var: Var) -> Var:
        """The out that stands for `var`, a parameter of a loop body; else `var`."""
        return self._places.get(var, var)

    def leaves(self, *operands: Operand) -> tuple[Var, ...]:
        return tuple(self.place(leaf) for operand in operands for leaf in self.folding.leaves(operand))

    def step(self, reads: tuple[Var, ...] = (), writes: tuple[Var, ...] = ()) -> None:
        self.nodes.append(Step(self._at, reads, writes))
        self._at += 1

    def copy(self, targets: tuple[Var, ...], sources: tuple[Operand, ...]) -> None:
        for target, source in zip(targets, sources, strict=True):
            self.copies.append(_Copy(target, source, self._depth, self._at))
        self.step(self.leaves(*sources), targets)

    def function(self, fn: Function) -> None:
        self.step(writes=fn.params)
        self.ops(fn.body)
        self.hand(fn.results)
        self.step(self.leaves(*fn.results))

    def hand(self, operands: tuple[Operand, ...]) -> None:
        """Note variables that are handed on whether or not they are defined: returned, passed to a helper, taped, chosen from."""
        self.handed += [operand for operand in operands if isinstance(operand, Var) and operand not in self.folding.values]

    def ops(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        if isinstance(op, If) and self.folding.is_expression(op):
            self.hand((*op.then.results, *op.orelse.results))
        match op:
            case Call(outs=(out,)) | If(outs=(out,)) if out in self.folding.values:
                pass
            case Call(outs=outs, args=args):
                if callee(op) is intrinsics.push:
                    self.hand(args)
                if callee(op) is operator.getitem and outs:
                    self.loads[outs[0]] = op
                self.step(tuple(self.place(leaf) for leaf in self.folding.reads(op)), outs)
            case If(outs=outs) if self.folding.is_expression(op):
                self.step(tuple(self.place(leaf) for leaf in self.folding.reads(op)), outs)
            case If(outs=outs, cond=cond, then=then, orelse=orelse):
                self.step(self.leaves(cond))
                arms = (self.arm(then, outs), self.arm(orelse, outs))
                self.nodes.append(Fork(arms))
            case For(outs=outs, source=source, inits=inits, body=body, breaks=breaks):
                self._places.update(zip(body.params[1:], outs, strict=True))
                self.copy(outs, inits)
                self.step(self.leaves(*source))
                outer = self.enter()
                self.step(reads=outs)
                self.indices += body.params[:1]
                self.step(writes=body.params[:1])
                self.ops(body)
                self.copy(outs, body.results[breaks:])
                self.step(self.leaves(*body.results[:breaks]))
                self.leave(outer)
            case While(outs=outs, inits=inits, test=test, body=body):
                self._places.update(zip(test.params, outs, strict=True))
                self._places.update(zip(body.params, outs, strict=True))
                self.copy(outs, inits)
                outer = self.enter()
                self.ops(test)
                self.step((*self.leaves(*test.results), *outs))
                self.ops(body)
                self.copy(outs, body.results)
                self.leave(outer)
            case Invoke(outs=outs, args=args):
                self.hand(args)
                self.step(self.leaves(*args), outs)
            case Raise(value=value):
                self.step(self.leaves(value))
            case Free() | Attribute() | Closure():
                raise VerificationError("untyped IR cannot be emitted", span=op.span)
            case _:
                assert_never(op)

    def arm(self, block: Block, outs: tuple[Var, ...]) -> tuple[Node, ...]:
        outer, self.nodes = self.nodes, []
        self.ops(block)
        self.copy(outs, block.results)
        arm, self.nodes = tuple(self.nodes), outer
        return arm

    def enter(self) -> list[Node]:
        outer, self.nodes = self.nodes, []
        self._depth += 1
        return outer

    def leave(self, outer: list[Node]) -> None:
        outer.append(loop(self.nodes))
        self.nodes = outer
        self._depth -= 1


class _Classes:
    """Places that share one name, by union-find over live ranges."""

    def __init__(self, ranges: dict[Var, Ranges], program: _Program, params: tuple[Var, ...]) -> None:
        self.ranges = dict(ranges)
        self.program = program
        self.parent: dict[Var, Var] = {}
        self.members: dict[Var, list[Var]] = {var: [var] for var in ranges}
        self.fixed: dict[Var, Var] = {var: var for var in params}

    def root(self, var: Var) -> Var:
        while var in self.parent:
            var = self.parent[var]
        return var

    def is_single(self, var: Var) -> bool:
        return len(self.members[self.root(var)]) == 1

    def coalesce(self) -> None:
        """Put sources and targets of copies in one class, those of inner loops first."""
        for copy in sorted(self.program.copies, key=lambda copy: -copy.depth):
            source = copy.source
            if isinstance(source, Var) and source not in self.program.folding.values:
                self.merge(self.root(copy.target), self.root(self.program.place(source)))

    def merge(self, a: Var, b: Var) -> None:
        if a == b or overlap(self.ranges[a], self.ranges[b]):
            return
        if b in self.fixed:
            a, b = b, a
        first, second = self.base(a), self.base(b)
        if first != second and not is_nameless(second) and (a in self.fixed or not is_nameless(first)):
            return
        self.ranges[a] = union(self.ranges[a], self.ranges.pop(b))
        self.members[a] += self.members.pop(b)
        self.parent[b] = a

    def bound(self, names: Mapping[Var, str]) -> frozenset[Var]:
        """The classes that are read although they may be undefined: by a copy, or by whoever they are handed to."""
        undefined, flows = self._undefined()
        place = self.program.place
        read = {source for target, source in flows if names[self.root(source)] != names[self.root(target)]}
        into: dict[Var, list[Var]] = {}
        for target, source in flows:
            into.setdefault(target, []).append(source)
        waiting = [var for var in (*read, *map(place, self.program.handed)) if var in undefined]
        found: set[Var] = set()
        while waiting:
            var = waiting.pop()
            if var not in found:
                found.add(var)
                waiting += [source for source in into.get(var, ()) if source in undefined]
        return frozenset(map(self.root, found))

    def stale(self, names: Mapping[Var, str]) -> frozenset[Var]:
        """The classes that some path leaves undefined while their name holds something else."""
        undefined = {(copy.at, copy.target) for copy in self.program.copies if copy.source == UNDEFINED}
        found = stale(self.program.nodes, lambda var: names[self.root(var)], undefined) if undefined else ()
        return frozenset(map(self.root, found))

    def _undefined(self) -> tuple[set[Var], list[tuple[Var, Var]]]:
        """The places that may be undefined, and the copies between places (an expression is always defined)."""
        flows: list[tuple[Var, Var]] = []
        undefined: set[Var] = set()
        for copy in self.program.copies:
            if copy.source == UNDEFINED:
                undefined.add(copy.target)
            elif isinstance(copy.source, Var) and copy.source not in self.program.folding.values:
                flows.append((copy.target, self.program.place(copy.source)))
        count = -1
        while undefined and count != len(undefined):
            count = len(undefined)
            undefined.update(target for target, source in flows if source in undefined)
        return undefined, flows

    def base(self, root: Var) -> str:
        """The name that class `root` would like: the user's before adxform's, a place's before a source's."""
        members = self.members[root]
        named = [var for var in members if not is_nameless(var.base)]
        users = [var for var in named if not is_temporary(var)]
        if not named and len(members) == 1 and (loaded := self.loaded(members[0])) is not None:
            return loaded
        return (users or named or members)[0].base

    def loaded(self, var: Var) -> str | None:
        """``u_i`` if `var` is ``u[i]`` and both are names or `i` is a number."""
        load = self.program.loads.get(var)
        if load is None or not isinstance(load.args[0], Var):
            return None
        array, index = load.args
        parts = [self.word(part) for part in (array, *(index.items if isinstance(index, Pack) else (index,)))]
        return "_".join(part for part in parts if part is not None) if None not in parts else None

    def word(self, operand: Operand) -> str | None:
        """What `operand` is called, if that is one word: a name of the user's or a number."""
        match operand:
            case Lit(int(number)) if not isinstance(number, bool) and number >= 0:
                return str(number)
            case Var() if operand not in self.program.folding.values and not operand.base.endswith(TAPE):
                place = self.program.place(operand)
                users = [var for var in self.members[self.root(place)] if not is_temporary(var)] if place in self.ranges else []
                return users[0].base if users else None
            case _:
                return None


def _colour(classes: _Classes, params: tuple[Var, ...], reserved: frozenset[str]) -> dict[Var, str]:
    """A name for each class, such that classes live together have different names."""
    roots = sorted(classes.members, key=lambda root: classes.ranges[root][0])
    fixed = {classes.root(var): _identifier(var.base) for var in params}
    bases = {root: _identifier(classes.base(root)) for root in roots}
    taken = {*reserved, *fixed.values(), *bases.values()}
    pools: dict[tuple[str, object], _Pool] = {}
    counts: dict[str, int] = {}
    names: dict[Var, str] = {}

    def fresh(base: str) -> str:
        if base not in counts and base not in reserved:
            counts[base] = 0
            return base
        while True:
            counts[base] = counts.get(base, 0) + 1
            if (name := f"{base}_{counts[base]}") not in taken:
                return name

    indexed = {classes.root(var) for var in classes.program.indices if var in classes.ranges}
    order = [*(classes.root(var) for var in params), *(root for root in roots if root in indexed), *roots]
    for root in dict.fromkeys(order):
        base = fixed.get(root) or bases[root]
        pool = pools.setdefault((base, _kind(root.type)), _Pool())
        name = None if root in fixed else pool.find(classes.ranges[root])
        if name is None:
            name = fresh(base)
        names[root] = name
        pool.add(name, classes.ranges[root])
    return names


class _Pool:
    """Names of one base, each with the ranges where it is in use. Ranges come in order of their beginnings."""

    def __init__(self) -> None:
        self.used: dict[str, Ranges] = {}
        self.ending: list[tuple[int, int, str]] = []

    def find(self, ranges: Ranges) -> str | None:
        """A name that is free on `ranges`: one of the first few, or one that is out of use by then."""
        for name, used in islice(self.used.items(), NEAR):
            if not overlap(used, ranges):
                return name
        while self.ending and self.ending[0][0] < ranges[0][0]:
            end, _, name = heappop(self.ending)
            if self.used[name][-1][1] == end:
                return name
        return None

    def add(self, name: str, ranges: Ranges) -> None:
        self.used[name] = union(self.used.get(name, []), ranges)
        heappush(self.ending, (self.used[name][-1][1], len(self.ending), name))


def _kind(type_: Type) -> object:
    """What variables must have in common to share a name: arrays of different dtype or rank do not."""
    return (type_.dtype, type_.shape and len(type_.shape)) if isinstance(type_, Array) else None


@lru_cache(maxsize=4096)
def _identifier(base: str) -> str:
    """`base` as a legal name."""
    name = "".join(char if char.isidentifier() or char.isdecimal() else "_" for char in base)
    if not name.strip("_"):
        name = "item"
    if not name.isidentifier():
        name = f"v_{name}"
    return f"{name}_" if keyword.iskeyword(name) or keyword.issoftkeyword(name) else name
