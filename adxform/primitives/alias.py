"""Which variables may share memory: classes by unification, in near linear time, without regard to order.

Two variables of different classes never share memory. Within a class they may: views, the two branches of an `If`, what a loop
carries, arrays that went through a tape, the operands and the result of an opaque call. Scalars are alone in their class.
A tape and the tapes on it are one class; the arrays on them are another.

Arguments of the analysed function are taken not to share memory with one another (the entry checks that where it matters);
parameters of a helper share what some caller passes together. What reaches a helper's callers, through a result, a tape or
another parameter, is written there when one of them writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, is_stack
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, Function, If, Invoke, Operand, Pack, Raise, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import defined_variables
from adxform.primitives.effects import effect_of, functions, has_memory, memory, positions
from adxform.primitives.record import Effect

Vars = tuple[Var, ...]
Operands = tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Aliases:
    """The alias classes of one function. Classes are numbered in order of the first variable of each.

    `written`: classes with a store, a push or a pop anywhere, also through an `Invoke`. `exposed`: classes that an opaque call
    receives or returns; any opaque call may write them. `elements`: the class of the arrays on the stacks of a class.
    `helpers`: the classes of each helper, by its name.
    """

    written: frozenset[int]
    exposed: frozenset[int]
    phis: frozenset[int]
    elements: Mapping[int, int]
    helpers: Mapping[str, Aliases]
    summaries: Mapping[str, Summary]
    _of: Mapping[str, int]
    _members: tuple[tuple[Var, ...], ...]

    def of(self, var: Var) -> int:
        """The class of `var`."""
        return self._of[var.name]

    def knows(self, var: Var) -> bool:
        """Whether `var` is a variable of the function."""
        return var.name in self._of

    def members(self, id: int) -> tuple[Var, ...]:
        """The variables of class `id`, in order of definition."""
        return self._members[id]

    def has_phi(self, id: int) -> bool:
        """Whether an out of an `If` or a variable carried by a loop stands for different variables of class `id`."""
        return id in self.phis

    def classes(self, operands: Iterable[Operand]) -> list[int]:
        """The classes of the variables with memory in `operands`, in order."""
        found: list[int] = []
        for operand in operands:
            if isinstance(operand, Var):
                if not isinstance(operand.type, Scalar):
                    found.append(self._of[operand.name])
            elif isinstance(operand, Pack):
                found += self.classes(operand.items)
        return found

    def reached(self, operands: Iterable[Operand]) -> list[int]:
        """The classes of what `operands` hold, and of what is on the stacks among them."""
        found = self.classes(operands)
        return [both for class_ in found for both in (class_, self.elements.get(class_)) if both is not None]

    def by_place(self, op: Invoke) -> list[list[int]]:
        """The classes at each place of the `Summary` of what `op` calls."""
        operands: Operands = (*op.args, *op.outs)
        found = [[self.of(var) for var in memory(operand)] for operand in operands]
        stacks = [self.of(operand) for operand in operands if isinstance(operand, Var) and is_stack(operand)]
        return found + [[self.elements[stack]] if stack in self.elements else [] for stack in stacks]

    def extended(self, fn: Function) -> Aliases:
        """These classes for `fn`, of which variables may be new: each of those is alone in its class."""
        of, members = dict(self._of), list(self._members)
        for var in defined_variables(fn.body):
            if var.name not in of:
                of[var.name] = len(members)
                members.append((var,))
        called = functions(fn)
        helpers = {name: own.extended(called[name]) for name, own in self.helpers.items() if name in called}
        return replace(self, _of=of, _members=tuple(members), helpers={**self.helpers, **helpers})

    def refined(self, apart: Mapping[str, int]) -> Aliases:
        """These classes, but for the variables in `apart`: they are in the classes given there."""
        return replace(self, _of={**self._of, **apart})

    def may_alias(self, a: Var, b: Var) -> bool:
        """Whether `a` and `b` may share memory."""
        return self._of[a.name] == self._of[b.name]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a function does to its callers' memory, by place: parameters first, then results.

    After them, in the same order, come the contents of those that are stacks.
    `groups` numbers the class of each place (the first place of the class); `written` and `exposed` are places. `opaque`: it
    makes opaque calls, so calling it may write whatever is exposed.
    """

    groups: tuple[int, ...]
    written: frozenset[int]
    exposed: frozenset[int]
    opaque: bool

    def is_shared(self, place: int) -> bool:
        """Whether the memory at `place` is written, and is also at another place or was there before the call."""
        return place in self.written and self.groups.count(self.groups[place]) > 1


def alias_classes(fn: Function) -> Aliases:
    """The alias classes of `fn`, and of its helpers as `fn` and they call one another.

    >>> import operator
    >>> from adxform.ir.ops import Lit
    >>> from adxform.ir.types import Array, FLOAT
    >>> x, row, y = Var("x", Array("float64", (3, 2))), Var("row", Array("float64", (2,))), Var("y", Array("float64", (2,)))
    >>> view = Call((row,), Lit(operator.getitem), (x, Lit(0)))
    >>> store = Call((), Lit(operator.setitem), (row, Lit(1), Lit(2.0)))
    >>> classes = alias_classes(Function("f", Block((x, y), (view, store), (row,))))
    >>> classes.of(x) == classes.of(row), classes.of(x) == classes.of(y), classes.of(x) in classes.written
    (True, False, True)
    """
    global _recent
    for seen, classes in _recent:
        if seen is fn:
            return classes
    found = _find_classes(fn)
    _recent = ((fn, found), *_recent[:7])
    return found


_recent: tuple[tuple[Function, Aliases], ...] = ()
"""The last functions asked about: passes that change nothing return the function they were given."""


def _find_classes(fn: Function) -> Aliases:
    if not fn.helpers:
        alone = _Unifier(fn, {}, Outside())
        alone.own_places()
        return alone.freeze({}, {})
    known = functions(fn)
    parts = known if known[fn.name] is fn else {**known, ENTRY: fn}
    summaries = {name: _optimistic(part) for name, part in parts.items()}
    outside: dict[str, Outside] = {name: Outside() for name in parts}
    found: dict[str, _Unifier] = {}
    made: list[_Unifier] = []
    while stale := [name for name in parts if name not in found or not found[name].holds(summaries, outside[name])]:
        for name in reversed(stale):  # what is called mostly comes after what calls it
            found[name] = unifier = _unified(parts[name], summaries, outside[name])
            made.append(unifier)
            summaries = {**summaries, name: unifier.summary()}
            unifier.tell(outside)
    global _parts
    _parts = tuple(made)
    helpers = {name: found[name].freeze({}, summaries) for name, helper in known.items() if helper is not fn}
    return found[fn.name if known[fn.name] is fn else ENTRY].freeze(helpers, summaries)


def _unified(part: Function, summaries: Mapping[str, Summary], outside: Outside) -> _Unifier:
    """What is one class in `part`, by what is known of its callees and callers: as before where that is."""
    for unifier in _parts:
        if unifier.fn is part and unifier.outside == outside and unifier.holds(summaries, outside):
            return unifier
    return _Unifier(part, summaries, outside)


_parts: tuple[_Unifier, ...] = ()
"""What was made of the function asked about last and its helpers: a pass leaves most of them as they are."""


ENTRY = ""
"""The name among its helpers of a function that one of them has the name of."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What the callers of a helper do, by place: pairs of places may share memory, some are written."""

    together: set[tuple[int, int]] = field(default_factory=set)
    written: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.together) + len(self.written)


def _optimistic(fn: Function) -> Summary:
    places = sum(2 if is_stack(operand) else 1 for operand in (*fn.params, *fn.results))
    return Summary(tuple(range(places)), frozenset(), frozenset(), False)


class _Unifier:
    """Union-find over the variables of one function; a stack's class has an element class, what is pushed on it."""

    def __init__(self, fn: Function, summaries: Mapping[str, Summary], outside: Outside) -> None:
        self.fn = fn
        self.summaries = summaries
        self.size = len(outside)
        self.outside = Outside(set(outside.together), set(outside.written))
        self.parent: dict[str, str] = {}
        self.element: dict[str, str] = {}
        self.written: list[str] = []
        self.exposed: list[str] = []
        self.merged: list[str] = []
        self.invoked: list[Invoke] = []
        self.opaque = False
        places = self.places(fn.params, fn.results) if outside else []
        for a, b in sorted(outside.together):
            self.join((), *places[a], *places[b])
        for place in sorted(outside.written):
            self.written += places[place]
        waiting = [fn.body]
        while waiting:
            block = waiting.pop()
            for op in block.ops:
                if isinstance(op, Call):
                    effect = effect_of(op)
                    if effect.writes or effect.views or effect.opaque:
                        self.call(op, effect)
                else:
                    waiting.extend(self.visit(op))

    def holds(self, summaries: Mapping[str, Summary], outside: Outside) -> bool:
        """Whether what it was made from, which only grows, is still what is known of its callees and callers."""
        return len(outside) == self.size and all(summaries[op.callee] == self.summaries[op.callee] for op in self.invoked)

    def root(self, name: str) -> str:
        parent = self.parent
        if name not in parent:
            return name
        top = parent[name]
        while top in parent:
            top = parent[top]
        while (up := parent[name]) != top:
            parent[name], name = top, up
        return top

    def join(self, joined: Iterable[Var], *names: str) -> None:
        """Put all of `joined` (and the classes of `names`) in one class."""
        found = [var.name for var in joined]
        found += names
        for name in found[1:]:
            self.unite(found[0], name)

    def unite(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        self.parent[b] = a
        element = self.element.pop(b, None)
        if element is not None:
            if a in self.element:
                self.unite(self.element[a], element)
            else:
                self.element[a] = element

    def element_of(self, stack: Var) -> str:
        """A name in the class of what is on `stack`."""
        return self.element.setdefault(self.root(stack.name), f"{stack.name} element")

    def places(self, first: Operands, second: Operands) -> list[list[str]]:
        """The names by place: `first`, `second`, then the contents of the stacks among them."""
        operands = (*first, *second)
        found = [[var.name for var in memory(operand)] for operand in operands]
        return found + [[self.element_of(operand)] for operand in operands if isinstance(operand, Var) and is_stack(operand)]

    def visit(self, op: Invoke | Raise | If | For | While | Free | Attribute | Closure) -> tuple[Block, ...]:
        """Unify what `op` makes share; return its blocks, to be visited too."""
        match op:
            case If(outs=outs, then=then, orelse=orelse):
                for out, a, b in zip(outs, then.results, orelse.results, strict=True):
                    self.phi(out, a != b, a, b)
                return then, orelse
            case For(outs=outs, inits=inits, body=body, breaks=breaks):
                self.loop(outs, inits, body.params[1:], body.results[breaks:])
                return (body,)
            case While(outs=outs, inits=inits, test=test, body=body):
                self.loop(outs, inits, body.params, body.results)
                for param, carried in zip(test.params, body.params, strict=True):
                    self.phi(param, False, carried)  # also what an iteration hands on, where it begins with a number
                return test, body
            case Invoke():
                self.invoke(op)
                return ()
            case Free(out=out):
                self.expose((out,))
                return ()
            case Attribute(out=out, value=value):
                self.expose((out, *memory(value)))
                return ()
            case Closure(out=out, captures=captures, defaults=defaults):
                self.expose((out, *(var for _, value in (*captures, *defaults) for var in memory(value))))
                return ()
            case Raise(value=value):
                self.opaque = True
                self.expose(tuple(memory(value)))
                return ()

    def call(self, op: Call, effect: Effect) -> None:
        fn = callee(op)
        out = [var for var in op.outs if not isinstance(var.type, Scalar)]
        if fn is intrinsics.push or fn is intrinsics.pop:
            for stack in memory(op.args[0]):
                self.written.append(stack.name)
                for value in out if fn is intrinsics.pop else memory(op.args[1]):
                    self.join((value,), stack.name if is_stack(value) else self.element_of(stack))
            return
        if effect.writes:
            self.written += [var.name for var in positions(op, effect.writes)]
        if effect.opaque and not effect.marks:
            self.opaque = True
            self.expose((*out, *(var for given in (op.fn, *op.args, *(v for _, v in op.kwargs)) for var in memory(given))))
        elif out and effect.views:
            self.join((*out, *positions(op, effect.views)))

    def expose(self, names: tuple[Var, ...]) -> None:
        self.join(names, *(self.element_of(var) for var in names if is_stack(var)))
        self.exposed += [var.name for var in names[:1]]

    def phi(self, out: Var, differs: bool, *sources: Operand) -> None:
        """`out` is one of `sources`; when they differ, its class has a phi."""
        if has_memory(out):
            self.join((out, *(var for source in sources for var in memory(source))))
            if differs:
                self.merged.append(out.name)

    def loop(self, outs: Vars, inits: Operands, params: Vars, results: Operands) -> None:
        for out, init, param, result in zip(outs, inits, params, results, strict=True):
            self.phi(out, result not in (param, init), init, param, result)

    def invoke(self, op: Invoke) -> None:
        self.invoked.append(op)
        summary = self.summaries[op.callee]
        self.opaque |= summary.opaque
        groups: dict[int, list[str]] = {}
        for place, (group, names) in enumerate(zip(summary.groups, self.places(op.args, op.outs), strict=True)):
            groups.setdefault(group, []).extend(names)
            if place in summary.written:
                self.written += names
            if place in summary.exposed:
                self.exposed += names
        for names in groups.values():
            self.join((), *names)

    def tell(self, outside: Mapping[str, Outside]) -> None:
        """Add to what is known of the callers of each callee what this function does."""
        written = {self.root(name) for name in self.written}
        for op in self.invoked:
            groups = self.summaries[op.callee].groups
            first: dict[str, int] = {}
            params, results = len(op.args), range(len(op.args), len(op.args) + len(op.outs))
            for place, names in enumerate(self.places(op.args, op.outs)):
                for name in names:
                    if place not in results and (same := first.setdefault(self.root(name), place)) != place:
                        outside[op.callee].together.add((same, place))
                    if self.root(name) in written and (place >= params or groups.count(groups[place]) > 1):
                        outside[op.callee].written.add(place)

    def own_places(self) -> list[list[str]]:
        """The names by place of the function itself: what is given or returned together is in one class."""
        places = self.places(self.fn.params, self.fn.results)
        for names in places:
            if len(names) > 1:
                self.join((), *names)
        return places

    def summary(self) -> Summary:
        places = self.own_places()
        written, exposed = ({self.root(name) for name in names} for names in (self.written, self.exposed))
        roots = [self.root(names[0]) if names else None for names in places]
        first: dict[str, int] = {}
        return Summary(
            tuple(place if root is None else first.setdefault(root, place) for place, root in enumerate(roots)),
            frozenset(place for place, root in enumerate(roots) if root in written),
            frozenset(place for place, root in enumerate(roots) if root in exposed),
            self.opaque,
        )

    def freeze(self, helpers: Mapping[str, Aliases], summaries: Mapping[str, Summary]) -> Aliases:
        number: dict[str, int] = {}
        members: list[tuple[Var, ...]] = []
        of: dict[str, int] = {}
        joined: dict[int, list[Var]] = {}
        united = self.parent.keys() | self.parent.values()
        for var in defined_variables(self.fn.body):
            name = var.name
            if name not in united:
                of[name] = number[name] = len(members)
                members.append((var,))
                continue
            of[name] = id_ = number.setdefault(self.root(name), len(members))
            if id_ == len(members):
                members.append(())
                joined[id_] = []
            joined[id_].append(var)
        for id_, vars_ in joined.items():
            members[id_] = tuple(vars_)
        written, exposed, phis = (
            frozenset(number[root] for name in names if (root := self.root(name)) in number)
            for names in (self.written, self.exposed, self.merged)
        )
        elements = {
            number[stack]: number[root]
            for stack, element in self.element.items()
            if stack in number and (root := self.root(element)) in number
        }
        return Aliases(written, exposed, phis, elements, helpers, summaries, of, tuple(members))
