"""A prepared call as straight-line code, written for one signature: its checks, and where a compiled rule answers it, that rule.

    def rosenbrock_vjp_call(args):
        try:
            x, = args
            if type(x) is not ndarray or x.dtype != dtype:
                return miss
            n, = x.shape
            if n == 1:
                return miss
            if reached or table.own is not rules or function.__code__ is not code:
                if not surroundings_fit():
                    return miss
            x_ct = empty(n)
            try:
                machine(x, x_ct)
            except TypeError:
                rosenbrock_vjp_kernel(x, x_ct)
            count()
            return x_ct
        except Exception:
            return miss

The machine code of a kernel takes arrays that lie row by row; Numba's dispatcher finds, or makes, that for others. It
answers what the general way through `Preparation` answers, or gives up: then that says what is wrong, or that nothing is. A
rule that raises runs again there, which a compiled one may.
"""

from __future__ import annotations

import ast
import copy
import keyword
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from adxform.backend.loading import load_with
from adxform.backend.printing import to_source
from adxform.engine.compiled import Guarded
from adxform.frontend.reach import REACHED
from adxform.frontend.signature import Fixed, Leaf, Node, Tree, python_class, same_static
from adxform.frontend.trail import MISSING, Trail
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Array, Scalar, Type, is_float
from adxform.pipeline import DerivedRule
from adxform.prepared.arguments import FLOATS, Pair, check_of
from adxform.prepared.expressions import LOAD, STORE, Found, Measured, call, compare, different, either, loaded, negated
from adxform.prepared.keeping import Kept, function_of, held, workspace
from adxform.prepared.surroundings import Watch
from adxform.prepared.targets import targets_of
from adxform.rules import table
from adxform.rules.alias import alias_classes
from adxform.rules.effects import effect_of
from adxform.running import one_more_call

MISS = object()
"""What is returned where the arguments take a closer look."""
Answer = Callable[[tuple[Any, ...]], Any]
BUILTINS = frozenset({"len", "type", "Exception", "IndexError", "TypeError"})


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call has to be like: the positional arguments `trees`, of whose leaves some are `known`; `pairs` of equal lengths.

    What is around the function is watched: by `watch`, quickly, and by `slowly` where that has changed; `rules` were registered.
    After the arguments comes a `vector`, if there is one: its leaves have the lengths of the inputs at `like`.
    Rules work in memory that is `kept`.
    """

    trees: tuple[Tree, ...]
    known: Mapping[int, Lit]
    pairs: Sequence[Pair]
    watch: Watch
    rules: Mapping[Any, Any]
    slowly: Callable[[], bool]
    vector: Tree | None = None
    like: tuple[int, ...] = ()
    kept: Kept = field(default_factory=Kept)


@dataclass(frozen=True, slots=True)
class Place:
    """The variable `name` that holds a part of an argument, which is like `tree`, or is `lit`."""

    name: str
    tree: Tree
    lit: Lit | None = None
    children: tuple[Place, ...] = ()

    def leaves(self) -> Iterator[Place]:
        """The numbers and arrays in it that a rule takes."""
        if isinstance(self.tree, Leaf) and self.lit is None:
            yield self
        for child in self.children:
            yield from child.leaves()


def entrance(expected: Expected) -> Callable[[tuple[Any, ...]], list[Any] | None]:
    """What takes the positional arguments of a call to what rules take; to ``None`` where that takes a closer look."""
    writer = Writer(expected, None)
    hints = iter([f"{param}_leaf" for param in "xyzuvw"])
    leaves = writer.checks(lambda: writer.fresh(next(hints, "leaf")))
    writer.body.append(ast.Return(ast.List([*map(loaded, leaves)], LOAD)))
    return writer.written("entrance")


def answer(
    expected: Expected,
    rule: DerivedRule,
    returns: Callable[[list[ast.expr]], ast.expr | None],
    into: Sequence[Lit | int | None] | None = None,
) -> Callable[..., Any] | None:
    """What answers a call with what `returns` makes of the results of `rule`, which is compiled; `MISS` where it does not fit.

    With `into` it takes arrays for the result after the arguments; these are, of each result of the rule, the parameter that it
    is like. ``None`` where there can be no such function.
    """
    code = compiled_code(rule)
    value = None if code is None else returns([*code.found])
    if code is None or value is None:
        return None
    writer = code.writer(expected)
    names = iter(code.params)
    writer.checks(lambda: next(names))
    if next(names, None) is not None:
        return None
    if into is None:
        writer.body += [*writer.run_once(code, code.body, code.params), writer.looked_up(code, ast.Return(value))]
        return writer.written(f"{rule.generated.entry}_call")
    arrays = {i: name for i, name in enumerate(code.params) if isinstance(rule.optimised.params[i].type, Array)}
    like = dict[str, str]()
    for part, place in zip(code.found, into, strict=True):
        if isinstance(place, int) and place in arrays:
            if not isinstance(part, ast.Name):
                return None
            like[part.id] = arrays[place]
    given = [*arrays.values()]
    targets = targets_of(value, code.body, code.stores, given, like, writer.fresh, writer.constant, writer.giving_up())
    body = None if targets is None else targets.in_place(code.body)
    if targets is None or body is None:
        return None
    out, value = writer.fresh("out"), targets.returned(value)
    body = [*targets.taken(loaded(out), value), *body]
    made = [target.name for target in targets.found if target.maker is not None]
    writer.body += [*writer.run_once(code, body, [*code.params, *made], writer.giving_up())]
    writer.body.append(writer.looked_up(code, ast.Return(value)))
    return writer.written(f"{rule.generated.entry}_into", out)


@dataclass(frozen=True, slots=True)
class Code:
    """The function of a compiled rule, run by `run`: its `params`, its `body`, and what it returns, `found`."""

    run: Guarded
    params: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    found: tuple[ast.expr, ...]
    stores: Mapping[str, int]
    used: frozenset[str]

    @property
    def stored(self) -> frozenset[str]:
        """The names that it assigns."""
        return frozenset(self.stores)

    @property
    def around(self) -> dict[str, Any]:
        """What it takes from outside, by name."""
        known = {**self.run.compiled.__globals__, **(self.run.compiled.__kwdefaults__ or {})}
        return {name: known[name] for name in sorted(self.used) if name in known}

    def writer(self, expected: Expected) -> Writer:
        """What writes a function around the body, under names that it does not use."""
        return Writer(expected, MISS, {*self.used, *self.params}, dict(self.around))


def compiled_code(rule: DerivedRule) -> Code | None:
    """The function of `rule`; ``None`` where it is not compiled, or cannot be a part of another function."""
    run = rule.run
    if not isinstance(run, Guarded) or run.refusal is not None or rule.private or rule.request.scratch:
        return None
    compiled = function_of(rule.generated)
    *body, last = compiled.body
    if not isinstance(last, ast.Return) or any(isinstance(node, ast.Return) for stmt in body for node in ast.walk(stmt)):
        return None
    params = tuple([arg.arg for arg in compiled.args.args])
    names = [node for node in ast.walk(compiled) if isinstance(node, ast.Name)]
    stores = Counter([node.id for node in names if isinstance(node.ctx, ast.Store)])
    if not BUILTINS.isdisjoint({*stores, *params}):
        return None
    found = (last.value,) if rule.returned == 1 else tuple(last.value.elts) if isinstance(last.value, ast.Tuple) else ()
    parts = tuple([part for part in found if part is not None])
    return Code(run, params, tuple(body), parts, stores, frozenset([node.id for node in names]))


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

    def place(self, tree: Tree, name: Callable[[], str]) -> Place:
        """Where a part like `tree` goes."""
        match tree:
            case Leaf():
                lit = self.expected.known.get(self.position)
                self.position += 1
                return Place(self.fresh("known") if lit is not None else name(), tree, lit)
            case Fixed(lit):
                return Place(self.fresh("known"), tree, lit)
            case Node(children=children):
                return Place(self.fresh("part"), tree, None, tuple([self.place(child, name) for child in children]))

    def part(self, source: ast.expr, places: Sequence[Place]) -> None:
        """Take `source`, which has as many items, apart into `places`, and check each."""
        if places:
            self.body.append(ast.Assign([ast.Tuple([ast.Name(place.name, STORE) for place in places], STORE)], source))
        for place in places:
            self.check(place)

    def check(self, place: Place) -> None:
        """Give up where the value at `place` is not as expected."""
        value, cls = loaded(place.name), call(loaded("type"), loaded(place.name))
        match place:
            case Place(lit=Lit(known)):
                self.refuse(negated(call(self.constant("same", same_static), value, self.constant("expected", known))))
            case Place(tree=Leaf(Array(dtype, tuple() as shape))):
                dtype_of, expected = ast.Attribute(value, "dtype", LOAD), self.constant("dtype", np.dtype(dtype))
                alike = ast.BoolOp(ast.And(), [compare(dtype_of, ast.IsNot, expected), different(dtype_of, expected)])
                self.refuse(compare(cls, ast.IsNot, self.constant("ndarray", np.ndarray)), alike)
                self.measure(place.name, shape)
            case Place(tree=Leaf(Scalar() as type_)):
                self.number(place, type_)
            case Place(tree=Node("tuple" | "list" | "namedtuple" | "dict" as kind, wanted, keys, _, None), children=children):
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

    def length(self, place: Place, axis: int) -> ast.expr:
        """The length of an axis of the array at `place`."""
        if place.name in self.lengths:
            return loaded(self.lengths[place.name][axis])
        return ast.Subscript(ast.Attribute(loaded(place.name), "shape", LOAD), ast.Constant(axis), LOAD)

    def unlike(self, leaf: Place, other: Place) -> list[ast.expr]:
        """Whether one of two arrays of the same rank has other lengths."""
        assert isinstance(leaf.tree, Leaf)
        rank = len(leaf.tree.type.shape or ()) if isinstance(leaf.tree.type, Array) else 0
        return [different(self.length(leaf, axis), self.length(other, axis)) for axis in range(rank)]

    def number(self, place: Place, type_: Scalar) -> None:
        """Give up where there is no number of `type_`; floats of Python's and NumPy's stand for one another."""
        cls = FLOATS.get(type_) or python_class(type_.dtype, type_.weak)
        others = tuple(other for other in FLOATS.values() if other is not cls) if type_ in FLOATS else ()
        wrong = self.not_of(place, cls)
        if not others:
            self.refuse(wrong)
            return
        refused = ast.If(self.not_of(place, others[0]), [self.giving_up()], [])
        made = call(self.constant(cls.__name__, cls), loaded(place.name))
        self.body.append(ast.If(wrong, [refused, ast.Assign([ast.Name(place.name, STORE)], made)], []))

    def not_of(self, place: Place, cls: type) -> ast.expr:
        """Whether the class of the value is another than `cls`."""
        return compare(call(loaded("type"), loaded(place.name)), ast.IsNot, self.constant(cls.__name__, cls))

    def generally(self, place: Place) -> None:
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
        self, code: Code, body: Iterable[ast.stmt], made: Iterable[str], instead: ast.stmt | None = None
    ) -> Iterator[ast.stmt]:
        """`body`, that of `code`, which counts as a call; see `at_once`."""
        measured = Measured({name: lengths for name, lengths in self.lengths.items() if name not in code.stored})
        for stmt in self.at_once([measured.visit(stmt) for stmt in body], code.run, made, instead):
            yield self.looked_up(code, stmt)
        yield ast.Expr(call(self.constant("count", one_more_call)))

    def looked_up(self, code: Code, stmt: ast.stmt) -> ast.stmt:
        """`stmt`, a part of `code`, with what it takes of modules found ahead of the call."""
        local = {*code.stored, *code.params}
        modules = {name: held for name, held in code.around.items() if isinstance(held, ModuleType) and name not in local}
        found: ast.stmt = Found(modules, self.constant).visit(stmt)
        return found

    def at_once(
        self, body: Sequence[ast.stmt], run: Guarded, params: Iterable[str], instead: ast.stmt | None = None
    ) -> Iterator[ast.stmt]:
        """`body` with the machine code of kernels called, where they take `params`, numbers and arrays that are made for them.

        For arrays of another layout Numba's dispatcher is, or `instead` is done. What they work in is taken from the memory
        that is kept, and given back at the end.
        """
        made = {*params}
        giving: list[ast.stmt] = []
        for stmt in body:
            if (found := workspace(stmt, run.workspaces)) is not None:
                one = held(stmt, *found, self.expected.kept.place(), self.fresh, self.constant)
                made.update(found[0])
                giving.append(one.giving)
                yield from one.taking
                continue
            match stmt:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "empty" | "zeros"))):
                    made.add(name)
                case ast.Assign(_, ast.Call(ast.Name(name), args)) | ast.Expr(ast.Call(ast.Name(name), args)) if (
                    name in run.kernels
                ):
                    arrays = [arg for arg, type_ in zip(args, run.kernels[name], strict=True) if isinstance(type_, Array)]
                    if all(isinstance(arg, ast.Name) and arg.id in made for arg in arrays):
                        quick = copy.copy(stmt)
                        quick.value = ast.Call(self.constant("machine", run.machine_code(name)), args, [])
                        yield ast.Try([quick], [ast.ExceptHandler(loaded("TypeError"), None, [instead or stmt])], [], [])
                        continue
            yield stmt
        yield from giving

    def written(self, title: str, *further: str) -> Callable[..., Any]:
        """The function, called `title`, which takes `further` arguments after those of the call."""
        params = ast.arguments([], [ast.arg(name) for name in ("args", *further)], None, [], [], None, [])
        given_up = ast.ExceptHandler(loaded("Exception"), None, [self.giving_up()])
        made = ast.FunctionDef(title, params, [ast.Try(self.body, [given_up], [], [])], [])
        return load_with(to_source(ast.Module([made], [])), title, self.globals)


def ends(place: Place) -> Iterator[Place]:
    """The leaves of `place`, known ones too."""
    if isinstance(place.tree, Leaf):
        yield place
    for child in place.children:
        yield from ends(child)


def structured(tree: Tree, parts: Iterator[ast.expr]) -> ast.expr | None:
    """The display of a gradient with the structure `tree` and the leaves `parts`: see `adxform.perturbations.placed`."""
    match tree:
        case Leaf(type=type_):
            return next(parts) if is_float(type_) else ast.Constant(None)
        case Fixed(lit):
            return ast.Constant(0.0 if isinstance(lit.value, float) else None)
        case Node(kind, cls, keys, children, None) if cls in (tuple, list, dict):
            items = [structured(child, parts) for child in children]
            known = [item for item in items if item is not None]
            if len(known) < len(items):
                return None
            if kind == "dict":
                plain = all(isinstance(key, str | int) for key in keys)
                return ast.Dict([ast.Constant(key) for key in keys], known) if plain else None
            return ast.Tuple(known, LOAD) if kind == "tuple" else ast.List(known, LOAD)
        case _:
            return None


def is_settled(rule: DerivedRule, places: Iterable[int], types: Sequence[Type]) -> bool:
    """Whether results of `rule` are, as they come, what `adxform.perturbations.settled` makes of gradients of leaves of `types`.

    Numbers are of the leaf's class, and each array is made by an operation that returns new memory, which nothing else shares.
    """
    fn = rule.optimised
    classes = alias_classes(fn)
    makers = {op.outs[0]: op for op in fn.body.ops if isinstance(op, Call) and len(op.outs) == 1}
    shared = [classes.of(var) for var in (*fn.params, *fn.body.results) if isinstance(var, Var) and isinstance(var.type, Array)]

    def settled(result: Any, type_: Type) -> bool:
        if not isinstance(result, Var):
            return False
        match type_, result.type:
            case Scalar("float64", weak), Scalar("float64", other):
                return weak or not other
            case Array(dtype, shape), Array(found, tuple() as own) if shape and own and dtype == found:
                maker = makers.get(result)
                made = maker is not None and not effect_of(maker).views and not effect_of(maker).opaque
                return made and shared.count(classes.of(result)) == 1
            case _:
                return False

    return all(settled(fn.body.results[place], type_) for place, type_ in zip(places, types, strict=True))
