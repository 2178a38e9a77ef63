"""A function of the arguments of a prepared call, written for one signature: what it checks, and the code of a rule inside it."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from adxform.api.prepared.calls.arguments import ALIKE, Pair, check_of
from adxform.api.prepared.calls.surroundings import Watch
from adxform.backends.protocol import FastPathCode, Host
from adxform.backends.python.loading import load_with
from adxform.backends.python.printing import to_source
from adxform.backends.python.written_syntax import LOAD, STORE, Found, Measured, call, compare, different, either, loaded, negated
from adxform.frontend.signature import Fixed, Leaf, Node, Tree, python_class, same_static
from adxform.frontend.signature.watched_access import MISSING, Trail
from adxform.frontend.signature.watched_rules import REACHED
from adxform.ir.ops import Lit
from adxform.ir.types import Array, Scalar
from adxform.primitives import table
from adxform.runtime.dispatch.execution import one_more_call
from adxform.runtime.pools import Pools

MISS = object()
"""What is returned where the arguments take a closer look."""
BUILTINS = frozenset({"len", "type", "Exception", "IndexError", "TypeError"})


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call has to be like: the positional arguments `trees`, of whose leaves some are `known`; `pairs` of equal lengths.

    What is around the function is watched: by `watch`, quickly, and by `slowly` where that has changed; `rules` were registered.
    After the arguments comes a `vector`, if there is one: its leaves have the lengths of the inputs at `like`.
    Rules work in memory out of `pools`.
    """

    trees: tuple[Tree, ...]
    known: Mapping[int, Lit]
    pairs: Sequence[Pair]
    watch: Watch
    rules: Mapping[Any, Any]
    slowly: Callable[[], bool]
    vector: Tree | None = None
    like: tuple[int, ...] = ()
    pools: Pools = field(default_factory=Pools)


@dataclass(frozen=True, slots=True)
class Held:
    """The variable `name` that holds a part of an argument, which is like `tree`, or is `lit`."""

    name: str
    tree: Tree
    lit: Lit | None = None
    children: tuple[Held, ...] = ()

    def leaves(self) -> Iterator[Held]:
        """The numbers and arrays in it that a rule takes."""
        if isinstance(self.tree, Leaf) and self.lit is None:
            yield self
        for child in self.children:
            yield from child.leaves()


def writer_around(code: FastPathCode, expected: Expected) -> Writer:
    """What writes a function around the body of `code`, under names that it does not use."""
    return Writer(expected, MISS, {*code.used, *code.params}, dict(code.around))


@dataclass(slots=True)
class Writer:
    """A function of ``args`` that returns `miss` where these are not as `expected`."""

    expected: Expected
    miss: Any
    taken: set[str] = field(default_factory=set)
    globals: dict[str, Any] = field(default_factory=dict)
    body: list[ast.stmt] = field(default_factory=list)
    position: int = 0
    lengths: dict[str, list[str]] = field(default_factory=dict)
    """By the name of an array: those of its lengths."""

    def fresh(self, hint: str) -> str:
        """A name like `hint` that stands for nothing else."""
        count, name = 0, hint
        while name in self.taken or keyword.iskeyword(name) or name in BUILTINS or name == "args":
            count += 1
            name = f"{hint}_{count}"
        self.taken.add(name)
        return name

    def constant(self, hint: str, value: Any) -> ast.expr:
        """`value`, under a name like `hint`."""
        for name, known in self.globals.items():
            if known is value:
                return loaded(name)
        name = self.fresh(hint)
        self.globals[name] = value
        return loaded(name)

    def giving_up(self) -> ast.stmt:
        """The end of a call that takes a closer look."""
        return ast.Return(ast.Constant(None) if self.miss is None else self.constant("miss", self.miss))

    def refuse(self, *tests: ast.expr) -> None:
        """Give up where one of `tests` is true."""
        self.body.append(ast.If(either(tests), [self.giving_up()], []))

    def checks(self, name: Callable[[], str]) -> list[str]:
        """Check the arguments, and all that is around; the variables, each called by `name`, that hold what rules take."""
        expected = self.expected
        places = [self.place(tree, name) for tree in expected.trees]
        leaves = [leaf for place in places for leaf in place.leaves()]
        hidden = [name() for _ in expected.watch.hidden]
        vector = [self.place(expected.vector, name)] if expected.vector is not None else []
        if not places + vector:
            self.refuse(loaded("args"))
        self.part(loaded("args"), places + vector)
        unequal = [
            different(self.length(leaves[a], i), self.length(leaves[b], j) if b >= 0 else ast.Constant(j))
            for a, i, b, j in expected.pairs
        ]
        unequal += [test for one in vector for leaf, at in zip(one.leaves(), expected.like, strict=False)
                    for test in self.unlike(leaf, leaves[at])]  # fmt: skip
        if unequal:
            self.refuse(*unequal)
        self.surroundings()
        self.hidden(hidden)
        return [*(leaf.name for leaf in leaves), *hidden, *(leaf.name for one in vector for leaf in one.leaves())]

    def place(self, tree: Tree, name: Callable[[], str]) -> Held:
        """Where a part like `tree` goes."""
        match tree:
            case Leaf():
                lit = self.expected.known.get(self.position)
                self.position += 1
                return Held(self.fresh("known") if lit is not None else name(), tree, lit)
            case Fixed(lit):
                return Held(self.fresh("known"), tree, lit)
            case Node(children=children):
                return Held(self.fresh("part"), tree, None, tuple([self.place(child, name) for child in children]))

    def part(self, source: ast.expr, places: Sequence[Held]) -> None:
        """Take `source`, which has as many items, apart into `places`, and check each."""
        if places:
            self.body.append(ast.Assign([ast.Tuple([ast.Name(place.name, STORE) for place in places], STORE)], source))
        for place in places:
            self.check(place)

    def check(self, place: Held) -> None:
        """Give up where the value at `place` is not as expected."""
        value, cls = loaded(place.name), call(loaded("type"), loaded(place.name))
        match place:
            case Held(lit=Lit(known)):
                self.refuse(negated(call(self.constant("same", same_static), value, self.constant("expected", known))))
            case Held(tree=Leaf(Array(dtype, tuple() as shape))):
                dtype_of, expected = ast.Attribute(value, "dtype", LOAD), self.constant("dtype", np.dtype(dtype))
                alike = ast.BoolOp(ast.And(), [compare(dtype_of, ast.IsNot, expected), different(dtype_of, expected)])
                self.refuse(compare(cls, ast.IsNot, self.constant("ndarray", np.ndarray)), alike)
                self.measure(place.name, shape)
            case Held(tree=Leaf(Scalar() as type_)):
                self.number(place, type_)
            case Held(tree=Node("tuple" | "list" | "namedtuple" | "dict" as kind, wanted, keys, _, None), children=children):
                right = compare(cls, ast.IsNot, self.constant(wanted.__name__, wanted))
                if kind == "dict" and keys:
                    self.refuse(right)
                    found, known = [self.fresh("key") for _ in keys], [self.constant("key", key) for key in keys]
                    self.unpacked(found, place.name)
                    self.refuse(*(different(loaded(one), key) for one, key in zip(found, known, strict=True)))
                    value = ast.Tuple([ast.Subscript(value, key, LOAD) for key in known], LOAD)
                else:
                    self.refuse(right, different(call(loaded("len"), value), ast.Constant(len(keys))))
                self.part(value, children)
            case _:
                self.generally(place)

    def measure(self, name: str, shape: Sequence[Any]) -> None:
        """Name the lengths of an array, of which those that are one in `shape` are, and no others."""
        lengths = ast.Attribute(loaded(name), "shape", LOAD)
        if not shape:
            self.refuse(lengths)
            return
        self.lengths[name] = [self.fresh("n") for _ in shape]
        self.body.append(ast.Assign([ast.Tuple([ast.Name(n, STORE) for n in self.lengths[name]], STORE)], lengths))
        kinds = [ast.NotEq if size == 1 else ast.Eq for size in shape]
        self.refuse(*(compare(loaded(n), kind, ast.Constant(1)) for n, kind in zip(self.lengths[name], kinds, strict=True)))

    def length(self, place: Held, axis: int) -> ast.expr:
        """The length of an axis of the array at `place`."""
        if place.name in self.lengths:
            return loaded(self.lengths[place.name][axis])
        return ast.Subscript(ast.Attribute(loaded(place.name), "shape", LOAD), ast.Constant(axis), LOAD)

    def unlike(self, leaf: Held, other: Held) -> list[ast.expr]:
        """Whether one of two arrays of the same rank has other lengths."""
        assert isinstance(leaf.tree, Leaf)
        rank = len(leaf.tree.type.shape or ()) if isinstance(leaf.tree.type, Array) else 0
        return [different(self.length(leaf, axis), self.length(other, axis)) for axis in range(rank)]

    def number(self, place: Held, type_: Scalar) -> None:
        """Give up where there is no number of `type_`; numbers of Python's and NumPy's stand for one another."""
        cls, *others = ALIKE.get(type_) or (python_class(type_.dtype, type_.weak),)
        wrong = self.not_of(place, cls)
        if not others:
            self.refuse(wrong)
            return
        refused = ast.If(self.not_of(place, others[0]), [self.giving_up()], [])
        made = call(self.constant(cls.__name__, cls), loaded(place.name))
        self.body.append(ast.If(wrong, [refused, ast.Assign([ast.Name(place.name, STORE)], made)], []))

    def not_of(self, place: Held, cls: type) -> ast.expr:
        """Whether the class of the value is another than `cls`."""
        return compare(call(loaded("type"), loaded(place.name)), ast.IsNot, self.constant(cls.__name__, cls))

    def generally(self, place: Held) -> None:
        """Give up where the check made for such a structure does."""
        leaves = [*place.leaves()]
        known = iter([leaf.lit for leaf in ends(place)])
        held = self.fresh("held")
        self.body.append(ast.Assign([ast.Name(held, STORE)], ast.List([], LOAD)))
        check = self.constant("check", check_of(place.tree, known))
        self.refuse(negated(call(check, loaded(place.name), loaded(held))))
        self.unpacked([leaf.name for leaf in leaves], held)

    def unpacked(self, names: Sequence[str], held: str) -> None:
        """Take the list `held` apart."""
        if names:
            self.body.append(ast.Assign([ast.Tuple([ast.Name(name, STORE) for name in names], STORE)], loaded(held)))

    def surroundings(self) -> None:
        """Give up where what the function reaches by name, or a rule, has changed."""
        own = compare(
            ast.Attribute(self.constant("table", table), "own", LOAD), ast.IsNot, self.constant("rules", self.expected.rules)
        )
        tests = [self.constant("reached", REACHED), own, *self.changes(self.expected.watch.trail)]
        refused = ast.If(negated(call(self.constant("surroundings_fit", self.expected.slowly))), [self.giving_up()], [])
        self.body.append(ast.If(either(tests), [refused], []))

    def changes(self, trail: Trail) -> Iterator[ast.expr]:
        """Whether something on `trail` is not what it was."""
        for space, key, value in trail.places:
            found = self.constant("names", space)
            if value is MISSING:
                yield compare(ast.Constant(key), ast.In, found)
            else:
                yield compare(ast.Subscript(found, ast.Constant(key), LOAD), ast.IsNot, self.constant("value", value))
        for function, code in trail.codes:
            got = ast.Attribute(self.constant("function", function), "__code__", LOAD)
            yield compare(got, ast.IsNot, self.constant("code", code))
        if trail.rest is not None:
            yield negated(call(self.constant("rest_unchanged", trail.rest)))

    def hidden(self, names: Sequence[str]) -> None:
        """Read into variables what is read outside of the arguments."""
        if names:
            held = self.fresh("held")
            self.body.append(ast.Assign([ast.Name(held, STORE)], ast.List([], LOAD)))
            self.refuse(negated(call(self.constant("append_hidden", self.expected.watch.append_hidden), loaded(held))))
            self.unpacked(names, held)

    def run_once(
        self, code: FastPathCode, body: Iterable[ast.stmt], made: Iterable[str], instead: ast.stmt | None = None
    ) -> Iterator[ast.stmt]:
        """`body`, that of `code`, which counts as a call; the numbers and arrays `made` are there, row by row in memory.

        Where one turns out not to be, `instead` is done.
        """
        measured = Measured({name: lengths for name, lengths in self.lengths.items() if name not in code.stored})
        host = Host(self.fresh, self.constant, self.expected.pools, frozenset(made), instead)
        for stmt in code.direct([measured.visit(stmt) for stmt in body], host):
            yield self.looked_up(code, stmt)
        yield ast.Expr(call(self.constant("count", one_more_call)))

    def looked_up(self, code: FastPathCode, stmt: ast.stmt) -> ast.stmt:
        """`stmt`, a part of `code`, with what it takes of modules found ahead of the call."""
        local = {*code.stored, *code.params}
        modules = {name: held for name, held in code.around.items() if isinstance(held, ModuleType) and name not in local}
        found: ast.stmt = Found(modules, self.constant).visit(stmt)
        return found

    def written(self, title: str, *further: str) -> Callable[..., Any]:
        """The function, called `title`, which takes `further` arguments after those of the call."""
        params = ast.arguments([], [ast.arg(name) for name in ("args", *further)], None, [], [], None, [])
        given_up = ast.ExceptHandler(loaded("Exception"), None, [self.giving_up()])
        made = ast.FunctionDef(title, params, [ast.Try(self.body, [given_up], [], [])], [])
        return load_with(to_source(ast.Module([made], [])), title, self.globals)


def ends(place: Held) -> Iterator[Held]:
    """The leaves of `place`, known ones too."""
    if isinstance(place.tree, Leaf):
        yield place
    for child in place.children:
        yield from ends(child)
